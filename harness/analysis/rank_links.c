#include "rank_links.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats.h"

struct source {
	const struct summary *s;
	struct arena *arena;
	struct topology topology;
	struct rank_links *out;
};

/* A fact that a worker of the variant reported; NULL: none. */
static const char *fact(const struct source *src, int worker, const char *key)
{
	return summary_fact(src->s, src->out->variant, worker, key);
}

static void take_gpu(const struct source *src, unsigned rank, struct rank_links_rank *r)
{
	struct topology_gpu *gpu = &src->topology.gpus[r->gpu];
	char key[32], remark[160];
	snprintf(key, sizeof key, "pcie_%u", rank);
	const char *text = fact(src, -1, key);
	r->gen = gpu->gen;
	r->gen_max = gpu->gen_max;
	r->width = gpu->width;
	r->width_max = gpu->width_max;
	r->busy = text &&
	          sscanf(text, "%u %u %u %u", &r->gen, &r->width, &r->gen_max, &r->width_max) == 4;
	gpu->gen = r->gen;
	gpu->width = r->width;
	r->numa = gpu->numa;
	r->nvlinks = links_up(gpu);
	r->nvlink_gbs = links_nvlink_gbs(gpu);
	r->pcie_gbs = links_pcie_gbs(gpu->gen_max, gpu->width_max);
	for (unsigned i = 0; i < gpu->nlinks; i++)
		r->to_switch += gpu->links[i].up && gpu->links[i].to == TOPOLOGY_SWITCH;
	links_short(&src->topology, (unsigned)r->gpu, r->busy, remark, sizeof remark);
	r->remark = arena_copy(src->arena, remark);
}

/* The rank's GPU, or the core that its worker was bound to: -1. */
static int take_device(const struct source *src, unsigned rank, unsigned each)
{
	struct rank_links_rank *r = &src->out->ranks[rank];
	char key[32];
	int core = -1;
	snprintf(key, sizeof key, "device_%u", rank);
	const char *device = fact(src, -1, key), *at = device ? strstr(device, " at ") : NULL;
	const char *bind = fact(src, (int)(rank / each), "bind");
	*r = (struct rank_links_rank){.device = device ? device
	                                        : bind ? bind
	                                               : "",
	                              .gpu = at ? topology_gpu(&src->topology, at + 4) : -1,
	                              .numa = -1,
	                              .core_numa = -1,
	                              .bridge = -1,
	                              .nvlink_gbs = NAN,
	                              .pcie_gbs = NAN,
	                              .remark = ""};
	r->name = at ? at + 4 : r->device;
	if (bind && sscanf(bind, "core %d", &core) != 1)
		core = -1;
	const struct topology_core *place = topology_core(&src->topology, core);
	if (place && device)
		r->core_numa = place->numa;
	else if (place)
		r->numa = place->numa;
	if (r->gpu >= 0)
		take_gpu(src, rank, r);
	return device ? -1 : core;
}

/* Finds the link between each two ranks, by their GPUs (below 0: none) or cores. */
static void link_ranks(const struct source *src, const int *gpus, const int *cores)
{
	struct rank_links *l = src->out;
	for (unsigned i = 0; i < l->nranks * l->nranks; i++) {
		const unsigned a = i / l->nranks, b = i % l->nranks;
		const bool known = gpus[a] >= 0 && gpus[b] >= 0 && gpus[a] != gpus[b];
		l->pairs[i] = known
		                  ? links_gpus(&src->topology, (unsigned)gpus[a], (unsigned)gpus[b])
		                  : links_cores(&src->topology, cores[a], cores[b]);
		if (known && l->ranks[a].bridge < 0 &&
		    links_share_switch(&src->topology, (unsigned)gpus[a], (unsigned)gpus[b]))
			l->ranks[a].bridge = (int)(b < a ? b : a);
	}
	l->edges = ARENA_ARRAY(src->arena, struct links_edge, LINKS_EDGES);
	l->nedges = links_edges(&src->topology, gpus, l->nranks, l->edges);
}

static void make_classes(struct rank_links *l, struct arena *arena)
{
	const unsigned most = l->nranks * l->nranks;
	double *x = ARENA_ARRAY(arena, double, most), lo, hi;
	l->classes = ARENA_ARRAY(arena, struct rank_links_class, LINKS_CLASSES);
	for (unsigned class = 0; class < LINKS_CLASSES; class ++) {
		const struct links_info *info = links_info((enum links_class) class);
		struct rank_links_class *c = &l->classes[l->nclasses];
		unsigned n = 0;
		for (unsigned i = 0; i < most; i++)
			if (i / l->nranks != i % l->nranks && l->pairs[i].class == class)
				x[n++] = l->pairs[i].theoretical_gbs;
		if (!n)
			continue;
		*c = (struct rank_links_class){.class = (enum links_class) class,
		                               .name = info->name,
		                               .source = info->source,
		                               .pairs = n};
		stats_spread(x, n, &lo, &c->theoretical_gbs, &hi);
		c->expected_gbs = info->least_share * c->theoretical_gbs;
		if (!(c->expected_gbs > 0))
			c->expected_gbs = NAN;
		l->nclasses++;
	}
}

static void forget(void *topology)
{
	topology_free(topology);
}

struct rank_links rank_links_make(const struct summary *s, struct arena *arena)
{
	struct rank_links out = {.variant = s->reference};
	struct source *src = ARENA_NEW(arena, struct source);
	struct status ignored = {""};
	const json_t *json = json_object_get(s->run->environment, "topology");
	unsigned procs, threads, each = 1;
	for (unsigned v = 0; v < s->nvariants && out.variant < 0; v++)
		if (s->variants[v].measured && s->variants[v].role != ROLE_LIMIT)
			out.variant = (int)v;
	if (!json || out.variant < 0 || !s->ngroups || s->groups[0].nranks > RANK_LINKS_RANKS ||
	    topology_from_json(json, &src->topology, &ignored))
		return out;
	arena_defer(arena, forget, &src->topology);
	src->s = s;
	src->arena = arena;
	src->out = &out;
	out.nranks = s->groups[0].nranks;
	const char *layout = s->variants[out.variant].layout;
	if (sscanf(layout, "%ux%ux%u", &procs, &threads, &each) != 3 || !each)
		each = 1;
	out.ranks = ARENA_ARRAY(arena, struct rank_links_rank, out.nranks);
	out.pairs = ARENA_ARRAY(arena, struct links_pair, out.nranks * out.nranks);
	int *gpus = ARENA_ARRAY(arena, int, 2 * out.nranks), *cores = gpus + out.nranks;
	for (unsigned r = 0; r < out.nranks; r++) {
		cores[r] = take_device(src, r, each);
		gpus[r] = out.ranks[r].gpu;
	}
	link_ranks(src, gpus, cores);
	make_classes(&out, arena);
	return out;
}

/* The class of all pairs, LINKS_UNKNOWN if there are several kinds; those of PCIe are one kind. */
static enum links_class kind_of(const struct rank_links *l)
{
	enum links_class kind = LINKS_UNKNOWN;
	for (unsigned i = 0; i < l->nclasses; i++) {
		const enum links_class class = l->classes[i].class;
		const bool pcie = class >= LINKS_PCIE_SWITCH && class <= LINKS_MEMORY;
		const enum links_class is = pcie ? LINKS_PCIE_SWITCH : class;
		if (i && is != kind)
			return LINKS_UNKNOWN;
		kind = is;
	}
	return kind;
}

/* From a rank to one other, or to all together. */
static double rank_rate(const struct rank_links *l, enum links_class kind, unsigned rank,
                        bool to_one)
{
	const struct links_pair *pairs = &l->pairs[rank * l->nranks];
	double sum = 0;
	if (kind == LINKS_PCIE_SWITCH)
		return l->ranks[rank].pcie_gbs;
	if (kind == LINKS_NVSWITCH || to_one)
		return pairs[(rank + 1) % l->nranks].theoretical_gbs;
	for (unsigned to = 0; to < l->nranks; to++)
		sum += to == rank ? 0 : pairs[to].theoretical_gbs;
	return sum;
}

double rank_links_rate(const struct rank_links *l, enum coll_kind coll, bool adds)
{
	const enum links_class kind = kind_of(l);
	const bool to_one = !(coll_info(coll)->is & (COLL_CHOSEN | COLL_PARTED));
	/* Which rank each of them sends to is not known here. */
	if (kind == LINKS_NVLINK && to_one && coll != COLL_SENDRECV)
		return NAN;
	double least = NAN;
	if (l->nranks < 2 ||
	    (kind != LINKS_NVLINK && kind != LINKS_NVSWITCH && kind != LINKS_PCIE_SWITCH))
		return NAN;
	for (unsigned r = 0; r < l->nranks; r++) {
		const double rate = rank_rate(l, kind, r, to_one);
		if (isnan(rate))
			return NAN;
		least = isnan(least) || rate < least ? rate : least;
	}
	return adds && coll == COLL_ALL_REDUCE ? least * 2 * (l->nranks - 1) / l->nranks : least;
}

/* The rank with the narrowest PCIe; NULL if one of them is not known. */
static const struct rank_links_rank *narrowest_pcie(const struct rank_links *l)
{
	const struct rank_links_rank *least = l->nranks < 2 ? NULL : l->ranks;
	for (unsigned r = 0; r < l->nranks && least; r++) {
		if (isnan(l->ranks[r].pcie_gbs))
			return NULL;
		if (l->ranks[r].pcie_gbs < least->pcie_gbs)
			least = &l->ranks[r];
	}
	return least;
}

double rank_links_memory_rate(const struct rank_links *l)
{
	const struct rank_links_rank *least = narrowest_pcie(l);
	return least ? least->pcie_gbs : NAN;
}

const char *rank_links_memory_text(const struct rank_links *l, struct arena *arena)
{
	const struct rank_links_rank *least = narrowest_pcie(l);
	return least ? arena_text(arena, "PCIe %u ×%u to the host's memory", least->gen_max,
	                          least->width_max)
	             : "";
}

const char *rank_links_text(const struct rank_links *l, struct arena *arena)
{
	const enum links_class kind = kind_of(l);
	const struct rank_links_rank *least = l->ranks;
	for (unsigned r = 1; r < l->nranks; r++)
		if (kind == LINKS_PCIE_SWITCH ? l->ranks[r].pcie_gbs < least->pcie_gbs
		                              : l->ranks[r].nvlinks < least->nvlinks)
			least = &l->ranks[r];
	if (l->nranks < 2)
		return "";
	if (kind == LINKS_PCIE_SWITCH && !isnan(least->pcie_gbs))
		return arena_text(arena, "PCIe %u ×%u", least->gen_max, least->width_max);
	if ((kind != LINKS_NVSWITCH && kind != LINKS_NVLINK) || isnan(least->nvlink_gbs))
		return "";
	return arena_text(arena, "%u NVLinks of %g GB/s%s", least->nvlinks,
	                  least->nvlink_gbs / least->nvlinks,
	                  kind == LINKS_NVSWITCH ? " to NVSwitches" : "");
}
