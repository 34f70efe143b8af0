#include "topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const ancestors[ANCESTORS] = {
    "", "board", "switch", "switches", "host bridge", "node", "system"};

static int bad(const char *what, struct status *st)
{
	return status_set(st, "topology: \"%s\" is of another type or out of range", what);
}

/* A whole number from 0 to `most`; *out stays where there is none. */
static int take_int(const json_t *from, const char *key, int most, int *out, struct status *st)
{
	const json_t *value = json_object_get(from, key);
	if (!value)
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > most)
		return bad(key, st);
	*out = (int)json_integer_value(value);
	return 0;
}

static int take_count(const json_t *from, const char *key, int most, unsigned *out,
                      struct status *st)
{
	int value = (int)*out;
	if (take_int(from, key, most, &value, st))
		return -1;
	*out = (unsigned)value;
	return 0;
}

static int take_text(const json_t *from, const char *key, char *out, size_t bytes,
                     struct status *st)
{
	const json_t *value = json_object_get(from, key);
	const char *text = value ? json_string_value(value) : "";
	if (!text || strlen(text) >= bytes)
		return bad(key, st);
	strcpy(out, text);
	return 0;
}

static int take_number(const json_t *from, const char *key, double *out, struct status *st)
{
	const json_t *value = json_object_get(from, key);
	if (!value)
		return 0;
	if (!json_is_number(value) || !(json_number_value(value) >= 0))
		return bad(key, st);
	*out = json_number_value(value);
	return 0;
}

/* How many a list has; 0 where it is missing. */
static int take_list(const json_t *from, const char *key, unsigned most, const json_t **list,
                     unsigned *n, struct status *st)
{
	*list = json_object_get(from, key);
	*n = (unsigned)json_array_size(*list);
	if (*list && (!json_is_array(*list) || json_array_size(*list) > most))
		return bad(key, st);
	return 0;
}

static int take_bridges(const json_t *json, struct topology_gpu *gpu, struct status *st)
{
	const json_t *list;
	if (take_list(json, "bridges", TOPOLOGY_BRIDGES, &list, &gpu->nbridges, st))
		return -1;
	for (unsigned i = 0; i < gpu->nbridges; i++) {
		const json_t *one = json_array_get(list, i);
		struct topology_bridge *b = &gpu->bridges[i];
		if (take_text(one, "pci", b->pci, sizeof b->pci, st) ||
		    take_number(one, "gbs", &b->gbs, st))
			return -1;
	}
	return 0;
}

static int take_gpu(const json_t *json, struct topology_gpu *gpu, struct status *st)
{
	const json_t *pcie = json_object_get(json, "pcie");
	*gpu = (struct topology_gpu){.numa = -1, .socket = -1};
	return take_text(json, "pci", gpu->pci, sizeof gpu->pci, st) ||
	               take_text(json, "name", gpu->name, sizeof gpu->name, st) ||
	               take_int(json, "numa", TOPOLOGY_CORES, &gpu->numa, st) ||
	               take_int(json, "socket", TOPOLOGY_CORES, &gpu->socket, st) ||
	               take_count(pcie, "gen", 9, &gpu->gen, st) ||
	               take_count(pcie, "gen_max", 9, &gpu->gen_max, st) ||
	               take_count(pcie, "width", 32, &gpu->width, st) ||
	               take_count(pcie, "width_max", 32, &gpu->width_max, st) ||
	               take_bridges(json, gpu, st)
	           ? -1
	           : 0;
}

/* When all GPUs are known, since links name them. */
static int take_links(const json_t *json, const struct topology *t, struct topology_gpu *gpu,
                      struct status *st)
{
	const json_t *list;
	if (take_list(json, "nvlinks", TOPOLOGY_LINKS, &list, &gpu->nlinks, st))
		return -1;
	for (unsigned i = 0; i < gpu->nlinks; i++) {
		const json_t *one = json_array_get(list, i);
		struct topology_link *link = &gpu->links[i];
		char to[32];
		*link = (struct topology_link){.mbps = NAN};
		if (take_text(one, "to", to, sizeof to, st) ||
		    take_number(one, "mbps", &link->mbps, st))
			return -1;
		link->up = json_is_true(json_object_get(one, "up"));
		link->to = topology_gpu(t, to);
		if (link->to < 0)
			link->to = strcmp(to, "switch") ? TOPOLOGY_UNKNOWN : TOPOLOGY_SWITCH;
	}
	return 0;
}

static int take_gpus(const json_t *json, struct topology *t, struct status *st)
{
	const json_t *list;
	if (take_list(json, "gpus", TOPOLOGY_GPUS, &list, &t->ngpus, st))
		return -1;
	t->gpus = calloc(t->ngpus + 1, sizeof *t->gpus);
	t->pairs = calloc((size_t)t->ngpus * t->ngpus + 1, sizeof *t->pairs);
	if (!t->gpus || !t->pairs)
		return status_set(st, "out of memory for the topology");
	for (unsigned i = 0; i < t->ngpus; i++)
		if (take_gpu(json_array_get(list, i), &t->gpus[i], st))
			return -1;
	for (unsigned i = 0; i < t->ngpus; i++)
		if (take_links(json_array_get(list, i), t, &t->gpus[i], st))
			return -1;
	return 0;
}

static int take_pairs(const json_t *json, struct topology *t, struct status *st)
{
	const json_t *list;
	unsigned n;
	if (take_list(json, "pairs", TOPOLOGY_GPUS * TOPOLOGY_GPUS, &list, &n, st))
		return -1;
	for (unsigned i = 0; i < n; i++) {
		const json_t *one = json_array_get(list, i);
		struct topology_pair pair = {.p2p = ""};
		char name[32];
		int a = -1, b = -1;
		if (take_int(one, "a", (int)t->ngpus - 1, &a, st) ||
		    take_int(one, "b", (int)t->ngpus - 1, &b, st) ||
		    take_text(one, "ancestor", name, sizeof name, st) ||
		    take_text(one, "p2p", pair.p2p, sizeof pair.p2p, st))
			return -1;
		if (a < 0 || b < 0)
			return bad("pairs", st);
		for (unsigned k = ANCESTOR_BOARD; k < ANCESTORS; k++)
			if (!strcmp(name, ancestors[k]))
				pair.ancestor = (enum topology_ancestor)k;
		t->pairs[(unsigned)a * t->ngpus + (unsigned)b] = pair;
		t->pairs[(unsigned)b * t->ngpus + (unsigned)a] = pair;
	}
	return 0;
}

static int take_cores(const json_t *json, struct topology *t, struct status *st)
{
	const json_t *list;
	if (take_list(json, "cores", TOPOLOGY_CORES, &list, &t->ncores, st))
		return -1;
	t->cores = calloc(t->ncores + 1, sizeof *t->cores);
	if (!t->cores)
		return status_set(st, "out of memory for the topology");
	for (unsigned i = 0; i < t->ncores; i++) {
		const json_t *one = json_array_get(list, i);
		struct topology_core *c = &t->cores[i];
		*c = (struct topology_core){-1, -1, -1, -1};
		if (take_int(one, "core", 1 << 20, &c->core, st) ||
		    take_int(one, "numa", TOPOLOGY_CORES, &c->numa, st) ||
		    take_int(one, "socket", TOPOLOGY_CORES, &c->socket, st) ||
		    take_int(one, "cache", TOPOLOGY_CORES, &c->cache, st))
			return -1;
	}
	return 0;
}

int topology_from_json(const json_t *json, struct topology *out, struct status *st)
{
	*out = (struct topology){0};
	if (json && !json_is_object(json))
		return status_set(st, "topology: is no object");
	if (!take_gpus(json, out, st) && !take_pairs(json, out, st) &&
	    !take_cores(json, out, st))
		return 0;
	topology_free(out);
	return -1;
}

void topology_free(struct topology *t)
{
	free(t->gpus);
	free(t->pairs);
	free(t->cores);
	*t = (struct topology){0};
}

int topology_gpu(const struct topology *t, const char *pci)
{
	for (unsigned i = 0; i < t->ngpus; i++)
		if (pci[0] && !strcasecmp(t->gpus[i].pci, pci))
			return (int)i;
	return -1;
}

const struct topology_core *topology_core(const struct topology *t, int core)
{
	const struct topology_core *found = NULL;
	for (unsigned i = 0; i < t->ncores; i++) {
		if (t->cores[i].core != core)
			continue;
		if (found)
			return NULL;
		found = &t->cores[i];
	}
	return found;
}
