#include "topology.h"

#include <strings.h>

#include "../trial/field.h"

static const char *const ancestors[ANCESTORS] = {
    "", "board", "switch", "switches", "host bridge", "node", "system"};

#define OF(STRUCT, FIELD)   offsetof(struct STRUCT, FIELD), sizeof(((struct STRUCT *)0)->FIELD)
#define LIST(STRUCT, FIELD) offsetof(struct STRUCT, FIELD), offsetof(struct STRUCT, n##FIELD)

struct named_pair {
	int a, b;
	char ancestor[32], p2p[64];
};

/* Of the JSON, where pairs are a list. */
struct read {
	unsigned ngpus, npairs, ncores;
	struct topology_gpu *gpus;
	struct named_pair *pairs;
	struct topology_core *cores;
};

// clang-format off
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
    {"to", FIELD_TEXT, OF(topology_link, name), .optional = true, .record = true},
    {"mbps", FIELD_RATE, OF(topology_link, mbps), .optional = true, .record = true, .initial = "none"},
};

static const struct fields pcie = FIELDS_OF(pcie_rows, struct topology_gpu),
                           bridges = FIELDS_OF(bridge_rows, struct topology_bridge),
                           links = FIELDS_OF(link_rows, struct topology_link);

static const struct field gpu_rows[] = {
    {"pci", FIELD_TEXT, OF(topology_gpu, pci), .optional = true, .record = true},
    {"name", FIELD_TEXT, OF(topology_gpu, name), .optional = true, .record = true},
    {"numa", FIELD_RANK, OF(topology_gpu, numa), .hi = TOPOLOGY_CORES, .optional = true, .record = true, .initial = "all"},
    {"socket", FIELD_RANK, OF(topology_gpu, socket), .hi = TOPOLOGY_CORES, .optional = true, .record = true, .initial = "all"},
    {"pcie", FIELD_OBJECT, .list = &pcie, .optional = true},
    {"bridges", FIELD_ARRAY, LIST(topology_gpu, bridges), .hi = TOPOLOGY_BRIDGES, .list = &bridges, .optional = true},
    {"nvlinks", FIELD_ARRAY, LIST(topology_gpu, links), .hi = TOPOLOGY_LINKS, .list = &links, .optional = true},
};

static const struct field pair_rows[] = {
    {"a", FIELD_RANK, OF(named_pair, a), .hi = TOPOLOGY_GPUS, .record = true},
    {"b", FIELD_RANK, OF(named_pair, b), .hi = TOPOLOGY_GPUS, .record = true},
    {"ancestor", FIELD_TEXT, OF(named_pair, ancestor), .optional = true, .record = true},
    {"p2p", FIELD_TEXT, OF(named_pair, p2p), .optional = true, .record = true},
};

static const struct field core_rows[] = {
    {"core", FIELD_RANK, OF(topology_core, core), .hi = 1 << 20, .optional = true, .record = true, .initial = "all"},
    {"numa", FIELD_RANK, OF(topology_core, numa), .hi = TOPOLOGY_CORES, .optional = true, .record = true, .initial = "all"},
    {"socket", FIELD_RANK, OF(topology_core, socket), .hi = TOPOLOGY_CORES, .optional = true, .record = true, .initial = "all"},
    {"cache", FIELD_RANK, OF(topology_core, cache), .hi = TOPOLOGY_CORES, .optional = true, .record = true, .initial = "all"},
};

static const struct fields gpus = FIELDS_OF(gpu_rows, struct topology_gpu), pairs = FIELDS_OF(pair_rows, struct named_pair),
                           cores = FIELDS_OF(core_rows, struct topology_core);

static const struct field topology_rows[] = {
    {"gpus", FIELD_LIST, LIST(read, gpus), .hi = TOPOLOGY_GPUS, .list = &gpus, .optional = true},
    {"pairs", FIELD_LIST, LIST(read, pairs), .hi = TOPOLOGY_GPUS * TOPOLOGY_GPUS, .list = &pairs, .optional = true},
    {"cores", FIELD_LIST, LIST(read, cores), .hi = TOPOLOGY_CORES, .list = &cores, .optional = true},
};
// clang-format on
static const struct fields topologies = FIELDS_OF(topology_rows, struct read);

/* After all GPUs are known, since links name them. */
static void name_links(struct topology *t)
{
	for (unsigned g = 0; g < t->ngpus; g++)
		for (unsigned i = 0; i < t->gpus[g].nlinks; i++) {
			struct topology_link *l = &t->gpus[g].links[i];
			l->to = topology_gpu(t, l->name);
			if (l->to < 0)
				l->to =
				    strcmp(l->name, "switch") ? TOPOLOGY_UNKNOWN : TOPOLOGY_SWITCH;
		}
}

static int take_pairs(const struct read *read, struct topology *t, struct status *st)
{
	t->pairs = calloc((size_t)t->ngpus * t->ngpus + 1, sizeof *t->pairs);
	if (!t->pairs)
		return status_set(st, "out of memory");
	for (unsigned i = 0; i < read->npairs; i++) {
		const struct named_pair *p = &read->pairs[i];
		struct topology_pair pair = {ANCESTOR_UNKNOWN, ""};
		if (p->a >= (int)t->ngpus || p->b >= (int)t->ngpus)
			return status_set(st, "a pair of GPUs that are not there");
		for (unsigned k = ANCESTOR_BOARD; k < ANCESTORS; k++)
			if (!strcmp(p->ancestor, ancestors[k]))
				pair.ancestor = (enum topology_ancestor)k;
		strcpy(pair.p2p, p->p2p);
		t->pairs[(unsigned)p->a * t->ngpus + (unsigned)p->b] = pair;
		t->pairs[(unsigned)p->b * t->ngpus + (unsigned)p->a] = pair;
	}
	return 0;
}

int topology_from_json(const json_t *json, struct topology *out, struct status *st)
{
	struct status why = {""};
	struct read read = {0};
	*out = (struct topology){0};
	if (json && !json_is_object(json))
		return status_set(st, "topology: is no object");
	int rc = field_object_take(&topologies, json, &read, &why);
	*out = (struct topology){
	    .ngpus = read.ngpus, .ncores = read.ncores, .gpus = read.gpus, .cores = read.cores};
	name_links(out);
	rc = rc ? rc : take_pairs(&read, out, &why);
	free(read.pairs);
	if (!rc)
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
