/* The ranks' devices and what joins them, by the record's topology: the tables device, link and
 * link_load. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/links.h"
#include "figures.h"
#include "run.h"

#define MOST_RANKS 64 /* beyond this nothing is reported */

struct rank {
	const char *device; /* as its worker said, a core, or "" */
	const char *name;   /* a GPU's address, else as device */
	bool gpus;          /* its worker named a device */
	int gpu;            /* of the topology, or -1 */
	int core;           /* that its worker is bound to, or -1 */
};

struct source {
	const struct figures *f;
	unsigned variant, nranks;
	struct topology topology;
	struct rank ranks[MOST_RANKS];
};

static const char *fact(const struct source *src, int worker, const char *key, unsigned rank)
{
	return run_fact(src->f->run, src->variant, worker,
	                arena_text(src->f->arena, "%s_%u", key, rank));
}

/* each: ranks of a worker. */
static struct rank rank_of(const struct source *src, unsigned rank, unsigned each)
{
	const char *device = fact(src, -1, "device", rank),
	           *at = device ? strstr(device, " at ") : NULL,
	           *bind = run_fact(src->f->run, src->variant, (int)(rank / each), "bind");
	struct rank r = {.device = device ? device : bind ? bind : "", .gpus = device};
	r.gpu = at ? topology_gpu(&src->topology, at + 4) : -1;
	r.name = at ? at + 4 : r.device;
	if (!bind || sscanf(bind, "core %d", &r.core) != 1)
		r.core = -1;
	return r;
}

static bool by_gpus(const struct source *src, unsigned a, unsigned b)
{
	const int x = src->ranks[a].gpu, y = src->ranks[b].gpu;
	return x >= 0 && y >= 0 && x != y;
}

/* The first rank on the PCIe switch that it shares with others; else -1. */
static int bridge_of(const struct source *src, unsigned a)
{
	for (unsigned b = 0; b < src->nranks; b++)
		if (by_gpus(src, a, b) &&
		    links_share_switch(&src->topology, (unsigned)src->ranks[a].gpu,
		                       (unsigned)src->ranks[b].gpu))
			return (int)(b < a ? b : a);
	return -1;
}

static void put_device(struct source *src, unsigned rank)
{
	const struct rank *r = &src->ranks[rank];
	const struct topology_core *place = topology_core(&src->topology, r->core);
	struct topology_gpu none = {.numa = place && !r->gpus ? place->numa : -1},
	                    *gpu = r->gpu < 0 ? &none : &src->topology.gpus[r->gpu];
	const char *pcie = r->gpu < 0 ? NULL : fact(src, -1, "pcie", rank);
	unsigned gen_max = gpu->gen_max, width_max = gpu->width_max, to_switch = 0;
	const bool busy =
	    pcie && sscanf(pcie, "%u %u %u %u", &gpu->gen, &gpu->width, &gen_max, &width_max) == 4;
	char remark[160] = "";
	for (unsigned i = 0; i < gpu->nlinks; i++)
		to_switch += gpu->links[i].up && gpu->links[i].to == TOPOLOGY_SWITCH;
	if (r->gpu >= 0)
		links_short(&src->topology, (unsigned)r->gpu, busy, remark, sizeof remark);
	db_add(src->f->db, "device", "ittiiiiiddiiiiit", rank, r->device, r->name, gpu->numa,
	       place && r->gpus ? place->numa : -1, bridge_of(src, rank),
	       r->gpu < 0 ? DB_NONE : links_up(gpu), to_switch, links_nvlink_gbs(gpu),
	       links_pcie_gbs(gpu->gen_max, gpu->width_max), gpu->gen, gpu->width, gen_max,
	       width_max, busy, remark);
}

static void put_link(const struct source *src, unsigned from, unsigned to)
{
	const struct rank *a = &src->ranks[from], *b = &src->ranks[to];
	const struct links_pair pair =
	    by_gpus(src, from, to)
	        ? links_gpus(&src->topology, (unsigned)a->gpu, (unsigned)b->gpu)
	        : links_cores(&src->topology, a->gpus ? -1 : a->core, b->gpus ? -1 : b->core);
	const struct links_info *info = links_info(pair.class);
	char brief[64];
	links_brief(&pair, brief, sizeof brief);
	db_add(src->f->db, "link", "iiittiddt", from, to, pair.class, info->name, brief,
	       pair.nvlinks, pair.theoretical_gbs, info->least_share, info->source);
}

static void put_loads(const struct source *src)
{
	struct links_edge *edges = ARENA_ARRAY(src->f->arena, struct links_edge, LINKS_EDGES);
	int gpus[MOST_RANKS];
	for (unsigned r = 0; r < src->nranks; r++)
		gpus[r] = src->ranks[r].gpu;
	const unsigned n = links_edges(&src->topology, gpus, src->nranks, edges);
	for (unsigned i = 0; i < n; i++)
		db_add(src->f->db, "link_load", "itid", i, edges[i].name, edges[i].pairs,
		       edges[i].gbs);
}

void figures_of_links(const struct figures *f)
{
	const json_t *json = json_object_get(f->run->environment, "topology");
	const double ranks = figures_number(f, "SELECT ranks FROM place WHERE id = 0"),
	             variant =
	                 figures_number(f, /* the reference, else the first that has results */
	                                "SELECT id FROM variant v JOIN known ON variant = id "
	                                "WHERE role = 'reference' OR measured AND role <> "
	                                "'limit' ORDER BY role <> 'reference', id");
	struct status ignored = {""};
	struct source *src = ARENA_NEW(f->arena, struct source);
	unsigned each = 1;
	if (!json || isnan(variant) || !(ranks <= MOST_RANKS) ||
	    topology_from_json(json, &src->topology, &ignored))
		return;
	src->f = f;
	src->variant = (unsigned)variant;
	src->nranks = (unsigned)ranks;
	if (sscanf(f->run->variants[src->variant].layout, "%*ux%*ux%u", &each) != 1 || !each)
		each = 1;
	for (unsigned r = 0; r < src->nranks; r++)
		src->ranks[r] = rank_of(src, r, each);
	for (unsigned r = 0; r < src->nranks; r++)
		put_device(src, r);
	for (unsigned i = 0; i < src->nranks * src->nranks; i++)
		if (i / src->nranks != i % src->nranks)
			put_link(src, i / src->nranks, i % src->nranks);
	put_loads(src);
	topology_free(&src->topology);
}
