#include "links.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NCCL "NCCL's src/graph/topo.h"
/* A report that experiments/README.md goes through line by line. */
#define PCIE_ALONE "A machine with PCIe alone, experiments/README.md"

// clang-format off
static const struct links_info infos[LINKS_CLASSES] = {
    [LINKS_UNKNOWN]     = {"unknown", "?", 0, ""},
    [LINKS_NVLINK]      = {"NVLink", "NV", 0.65,
        "staged sends reach 68 % of NVLink 4 (reference h800_sendrecv, 2 × H200), " NCCL
        " plans with 80 % for rings"},
    [LINKS_NVSWITCH]    = {"NVSwitch", "NVS", 0.65, "as NVLink"},
    [LINKS_PCIE_SWITCH] = {"PCIe, same switch", "PIX", 0.76,
        NCCL ": 12 of 15.75 GB/s for PCIe 3.0 × 16"},
    [LINKS_SOCKET]      = {"PCIe, same socket", "NODE", 0.63,
        NCCL ": as one switch, by a sixth less on Intel's CPUs (INTEL_P2P_OVERHEAD)"},
    [LINKS_ACROSS]      = {"PCIe, across sockets", "SYS", 0.38,
        NCCL ": 6 GB/s between sockets with PCIe 3.0 × 16 (BDW_QPI_BW), more on later ones"},
    [LINKS_MEMORY]      = {"through host memory", "MEM", 0.03,
        "0.94 of 31.5 GB/s on two RTX 4090 (" PCIE_ALONE ")"},
    [LINKS_CORE]        = {"same core", "CORE", 0, ""},
    [LINKS_CACHE]       = {"same last-level cache", "L3", 0, ""},
    [LINKS_CPU_SOCKET]  = {"same CPU socket", "CPU", 0, ""},
    [LINKS_CPU_ACROSS]  = {"across CPU sockets", "QPI", 0, ""},
};
// clang-format on

const struct links_info *links_info(enum links_class class)
{
	return &infos[class];
}

unsigned links_up(const struct topology_gpu *gpu)
{
	unsigned up = 0;
	for (unsigned i = 0; i < gpu->nlinks; i++)
		up += gpu->links[i].up;
	return up;
}

/* The data sheet's figure, which is a little less than what is signalled: 26.562 → 25. */
static double payload_gbs(double mbps)
{
	static const double sheets[] = {100, 50, 25, 20, 14.0625};
	for (unsigned i = 0; i < sizeof sheets / sizeof *sheets; i++)
		if (mbps * 1.05 >= 1000 * sheets[i])
			return sheets[i];
	return NAN;
}

/* NaN where a link that is up does not say its speed. */
static double nvlinks_gbs(const struct topology_gpu *gpu, int to, bool any, unsigned *n)
{
	double sum = 0;
	*n = 0;
	for (unsigned i = 0; i < gpu->nlinks; i++) {
		const struct topology_link *link = &gpu->links[i];
		if (!link->up || (!any && link->to != to))
			continue;
		sum += payload_gbs(link->mbps);
		(*n)++;
	}
	return *n ? sum : NAN;
}

double links_nvlink_gbs(const struct topology_gpu *gpu)
{
	unsigned n;
	return nvlinks_gbs(gpu, 0, true, &n);
}

double links_pcie_gbs(unsigned gen, unsigned width)
{
	static const double gigatransfers[] = {0, 2.5, 5, 8, 16, 32, 64};
	static const double coding[] = {0,           8.0 / 10,    8.0 / 10,   128.0 / 130,
	                                128.0 / 130, 128.0 / 130, 242.0 / 256};
	if (!gen || gen > 6 || !width)
		return NAN;
	return gigatransfers[gen] * coding[gen] * width / 8;
}

static double pcie_gbs(const struct topology_gpu *gpu)
{
	return links_pcie_gbs(gpu->gen_max, gpu->width_max);
}

static enum links_class pcie_class(const struct topology *t, unsigned a, unsigned b)
{
	const struct topology_pair *pair = &t->pairs[a * t->ngpus + b];
	const struct topology_gpu *x = &t->gpus[a], *y = &t->gpus[b];
	if (pair->p2p[0] && strcmp(pair->p2p, "yes"))
		return LINKS_MEMORY;
	switch (pair->ancestor) {
	case ANCESTOR_BOARD:
	case ANCESTOR_SWITCH:
	case ANCESTOR_SWITCHES:
		return LINKS_PCIE_SWITCH;
	case ANCESTOR_HOST_BRIDGE:
	case ANCESTOR_NODE:
		return LINKS_SOCKET;
	case ANCESTOR_SYSTEM:
		return LINKS_ACROSS;
	default:
		return x->numa < 0 || y->numa < 0 ? LINKS_UNKNOWN
		       : x->numa == y->numa       ? LINKS_SOCKET
		                                  : LINKS_ACROSS;
	}
}

/* The narrower end's; NaN where one is not known. */
static double narrower(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

bool links_share_switch(const struct topology *t, unsigned a, unsigned b)
{
	enum topology_ancestor ancestor = t->pairs[a * t->ngpus + b].ancestor;
	return ancestor == ANCESTOR_SWITCH || ancestor == ANCESTOR_SWITCHES;
}

struct links_pair links_gpus(const struct topology *t, unsigned a, unsigned b)
{
	const struct topology_gpu *x = &t->gpus[a], *y = &t->gpus[b];
	unsigned there, back;
	double gbs =
	    narrower(nvlinks_gbs(x, (int)b, false, &there), nvlinks_gbs(y, (int)a, false, &back));
	if (there && back)
		return (struct links_pair){LINKS_NVLINK, there < back ? there : back, gbs};
	gbs = narrower(nvlinks_gbs(x, TOPOLOGY_SWITCH, false, &there),
	               nvlinks_gbs(y, TOPOLOGY_SWITCH, false, &back));
	if (there && back)
		return (struct links_pair){LINKS_NVSWITCH, there < back ? there : back, gbs};
	return (struct links_pair){pcie_class(t, a, b), 0, narrower(pcie_gbs(x), pcie_gbs(y))};
}

struct links_pair links_cores(const struct topology *t, int a, int b)
{
	const struct topology_core *x = a < 0 ? NULL : topology_core(t, a),
	                           *y = b < 0 ? NULL : topology_core(t, b);
	enum links_class class = LINKS_UNKNOWN;
	if (x && y && x == y)
		class = LINKS_CORE;
	else if (x && y && x->cache >= 0 && x->cache == y->cache)
		class = LINKS_CACHE;
	else if (x && y && x->socket >= 0 && y->socket >= 0)
		class = x->socket == y->socket ? LINKS_CPU_SOCKET : LINKS_CPU_ACROSS;
	return (struct links_pair){class, 0, NAN};
}

void links_brief(const struct links_pair *pair, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s", infos[pair->class].brief);
	if (pair->nvlinks)
		status_add(text, bytes, " ×%u", pair->nvlinks);
}

/* The most NVLinks up that a GPU of its name has. */
static unsigned most_up(const struct topology *t, const struct topology_gpu *like)
{
	unsigned most = 0;
	for (unsigned i = 0; i < t->ngpus; i++) {
		unsigned up = links_up(&t->gpus[i]);
		if (!strcmp(t->gpus[i].name, like->name) && up > most)
			most = up;
	}
	return most;
}

void links_short(const struct topology *t, unsigned gpu, bool busy, char *text, size_t bytes)
{
	const struct topology_gpu *g = &t->gpus[gpu];
	const unsigned up = links_up(g), most = most_up(t, g);
	text[0] = '\0';
	if (up < g->nlinks)
		status_add(text, bytes, "%u of %u NVLinks are down", g->nlinks - up, g->nlinks);
	else if (up < most)
		status_add(text, bytes, "%u NVLinks, where another has %u", up, most);
	if (g->width && g->width < g->width_max)
		status_add(text, bytes, "%sPCIe ×%u of ×%u", text[0] ? "; " : "", g->width,
		           g->width_max);
	if (busy && g->gen && g->gen < g->gen_max)
		status_add(text, bytes, "%sPCIe generation %u of %u", text[0] ? "; " : "", g->gen,
		           g->gen_max);
}

/* --- loads --- */

struct load {
	struct links_edge *edges;
	unsigned n;
};

static void cross(struct load *load, double gbs, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void cross(struct load *load, double gbs, const char *format, ...)
{
	char name[sizeof load->edges[0].name];
	unsigned i = 0;
	va_list list;
	va_start(list, format);
	vsnprintf(name, sizeof name, format, list);
	va_end(list);
	while (i < load->n && strcmp(load->edges[i].name, name))
		i++;
	if (i == LINKS_EDGES)
		return;
	if (i == load->n) {
		load->edges[load->n++] = (struct links_edge){.gbs = gbs};
		strcpy(load->edges[i].name, name);
	}
	load->edges[i].pairs++;
}

/* Bridges above both GPUs, from the root down. */
static unsigned common(const struct topology_gpu *a, const struct topology_gpu *b)
{
	unsigned n = 0;
	while (n < a->nbridges && n < b->nbridges && !strcmp(a->bridges[n].pci, b->bridges[n].pci))
		n++;
	return n;
}

/* The way out of a GPU; the way in is as busy, since all send to all. The last bridge above a
 * GPU is its own slot's. */
static void cross_pcie(struct load *load, const struct topology_gpu *a,
                       const struct topology_gpu *b, enum links_class class)
{
	cross(load, pcie_gbs(a), "PCIe of %s", a->pci);
	for (unsigned i = class == LINKS_PCIE_SWITCH ? common(a, b) : 0; i + 1 < a->nbridges; i++)
		cross(load, a->bridges[i].gbs > 0 ? a->bridges[i].gbs : NAN, "bridge %s upwards",
		      a->bridges[i].pci);
	if (a->numa >= 0 && b->numa >= 0 && a->numa != b->numa)
		cross(load, NAN, "between NUMA nodes %d and %d", a->numa, b->numa);
}

static double per_pair(const struct links_edge *edge)
{
	return isnan(edge->gbs) ? INFINITY : edge->gbs / edge->pairs;
}

static int by_load(const void *x, const void *y)
{
	const struct links_edge *a = x, *b = y;
	double p = per_pair(a), q = per_pair(b);
	if (p != q)
		return p < q ? -1 : 1;
	return a->pairs != b->pairs ? (a->pairs > b->pairs ? -1 : 1) : strcmp(a->name, b->name);
}

unsigned links_edges(const struct topology *t, const int of[], unsigned n,
                     struct links_edge out[LINKS_EDGES])
{
	struct load load = {out, 0};
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < n; k++) {
			if (i == k || of[i] < 0 || of[k] < 0 || of[i] == of[k])
				continue;
			const struct topology_gpu *a = &t->gpus[of[i]], *b = &t->gpus[of[k]];
			struct links_pair pair = links_gpus(t, (unsigned)of[i], (unsigned)of[k]);
			if (pair.class == LINKS_NVSWITCH)
				cross(&load, links_nvlink_gbs(a), "NVLinks of %s", a->pci);
			else if (pair.class == LINKS_NVLINK)
				cross(&load, pair.theoretical_gbs, "NVLinks %s to %s", a->pci,
				      b->pci);
			else
				cross_pcie(&load, a, b, pair.class);
		}
	qsort(out, load.n, sizeof *out, by_load);
	return load.n;
}
