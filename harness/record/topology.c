#include "topology.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../trial/field.h"

static const char *const ancestors[ANCESTORS] = {
    "", "board", "switch", "switches", "host bridge", "node", "system"};

#define OF(STRUCT, FIELD) offsetof(struct STRUCT, FIELD), sizeof(((struct STRUCT *)0)->FIELD)

struct named_pair {
	int a, b;
	char ancestor[32];
	struct topology_pair pair;
};

// clang-format off
static const struct field gpu_rows[] = {
    {"pci", FIELD_TEXT, OF(topology_gpu, pci), .optional = true, .record = true},
    {"name", FIELD_TEXT, OF(topology_gpu, name), .optional = true, .record = true},
    {"numa", FIELD_RANK, OF(topology_gpu, numa), .hi = TOPOLOGY_CORES, .optional = true, .record = true},
    {"socket", FIELD_RANK, OF(topology_gpu, socket), .hi = TOPOLOGY_CORES, .optional = true, .record = true},
};

static const struct field pcie_rows[] = {
    {"gen", FIELD_NUMBER, OF(topology_gpu, gen), .hi = 9, .optional = true, .record = true},
    {"gen_max", FIELD_NUMBER, OF(topology_gpu, gen_max), .hi = 9, .optional = true, .record = true},
    {"width", FIELD_NUMBER, OF(topology_gpu, width), .hi = 32, .optional = true, .record = true},
    {"width_max", FIELD_NUMBER, OF(topology_gpu, width_max), .hi = 32, .optional = true, .record = true},
};

static const struct field bridge_rows[] = {
    {"pci", FIELD_TEXT, OF(topology_bridge, pci), .optional = true, .record = true},
    {"gbs", FIELD_REAL, OF(topology_bridge, gbs), .optional = true, .record = true},
};

static const struct field link_rows[] = {
    {"up", FIELD_FLAG, OF(topology_link, up), .optional = true, .record = true},
    {"mbps", FIELD_REAL, OF(topology_link, mbps), .optional = true, .record = true},
};

static const struct field pair_rows[] = {
    {"a", FIELD_RANK, OF(named_pair, a), .hi = TOPOLOGY_GPUS, .record = true},
    {"b", FIELD_RANK, OF(named_pair, b), .hi = TOPOLOGY_GPUS, .record = true},
    {"ancestor", FIELD_TEXT, OF(named_pair, ancestor), .optional = true, .record = true},
    {"p2p", FIELD_TEXT, OF(named_pair, pair.p2p), .optional = true, .record = true},
};

static const struct field core_rows[] = {
    {"core", FIELD_RANK, OF(topology_core, core), .hi = 1 << 20, .optional = true, .record = true},
    {"numa", FIELD_RANK, OF(topology_core, numa), .hi = TOPOLOGY_CORES, .optional = true, .record = true},
    {"socket", FIELD_RANK, OF(topology_core, socket), .hi = TOPOLOGY_CORES, .optional = true, .record = true},
    {"cache", FIELD_RANK, OF(topology_core, cache), .hi = TOPOLOGY_CORES, .optional = true, .record = true},
};
// clang-format on

#define TAKE(ROWS, FROM, TO, ST)                                                                   \
	field_object_take(&(const struct fields)FIELDS_OF(ROWS, char), FROM, TO, ST)

/* How many a list has; 0 if it is missing. */
static int take_list(const json_t *from, const char *key, unsigned most, const json_t **list,
                     unsigned *n, struct status *st)
{
	*list = json_object_get(from, key);
	*n = (unsigned)json_array_size(*list);
	if (*list && (!json_is_array(*list) || json_array_size(*list) > most))
		return status_set(st, "%s has to be a list of at most %u", key, most);
	return 0;
}

static int take_gpu(const json_t *json, struct topology_gpu *gpu, struct status *st)
{
	const json_t *list;
	*gpu = (struct topology_gpu){.numa = -1, .socket = -1};
	if (TAKE(gpu_rows, json, gpu, st) ||
	    TAKE(pcie_rows, json_object_get(json, "pcie"), gpu, st) ||
	    take_list(json, "bridges", TOPOLOGY_BRIDGES, &list, &gpu->nbridges, st))
		return -1;
	for (unsigned i = 0; i < gpu->nbridges; i++)
		if (TAKE(bridge_rows, json_array_get(list, i), &gpu->bridges[i], st))
			return -1;
	return 0;
}

/* After all GPUs are known, since links name them. */
static int take_links(const json_t *json, const struct topology *t, struct topology_gpu *gpu,
                      struct status *st)
{
	const json_t *list;
	if (take_list(json, "nvlinks", TOPOLOGY_LINKS, &list, &gpu->nlinks, st))
		return -1;
	for (unsigned i = 0; i < gpu->nlinks; i++) {
		const json_t *one = json_array_get(list, i), *to = json_object_get(one, "to");
		struct topology_link *link = &gpu->links[i];
		const char *name = to ? json_string_value(to) : "";
		*link = (struct topology_link){.mbps = NAN};
		if (!name)
			return status_set(st, "to is not what it has to be");
		if (TAKE(link_rows, one, link, st))
			return -1;
		link->to = topology_gpu(t, name);
		if (link->to < 0)
			link->to = strcmp(name, "switch") ? TOPOLOGY_UNKNOWN : TOPOLOGY_SWITCH;
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
		return status_set(st, "out of memory");
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
		struct named_pair p = {.ancestor = ""};
		if (TAKE(pair_rows, json_array_get(list, i), &p, st))
			return -1;
		if (p.a >= (int)t->ngpus || p.b >= (int)t->ngpus)
			return status_set(st, "a pair of GPUs that are not there");
		for (unsigned k = ANCESTOR_BOARD; k < ANCESTORS; k++)
			if (!strcmp(p.ancestor, ancestors[k]))
				p.pair.ancestor = (enum topology_ancestor)k;
		t->pairs[(unsigned)p.a * t->ngpus + (unsigned)p.b] = p.pair;
		t->pairs[(unsigned)p.b * t->ngpus + (unsigned)p.a] = p.pair;
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
		return status_set(st, "out of memory");
	for (unsigned i = 0; i < t->ncores; i++) {
		t->cores[i] = (struct topology_core){-1, -1, -1, -1};
		if (TAKE(core_rows, json_array_get(list, i), &t->cores[i], st))
			return -1;
	}
	return 0;
}

int topology_from_json(const json_t *json, struct topology *out, struct status *st)
{
	struct status why = {""};
	*out = (struct topology){0};
	if (json && !json_is_object(json))
		return status_set(st, "topology: is no object");
	if (!take_gpus(json, out, &why) && !take_pairs(json, out, &why) &&
	    !take_cores(json, out, &why))
		return 0;
	topology_free(out);
	return status_set(st, "topology: %s", why.text);
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
