/* The links between the ranks' devices, by the record's topology: each rank's GPU or core with its
 * links, the link between each two ranks, and where traffic of all meets. Pure. */
#ifndef LAUNCHGAP_RANK_LINKS_H
#define LAUNCHGAP_RANK_LINKS_H

#include "../arena.h"
#include "links.h"
#include "summary.h"

#define RANK_LINKS_RANKS 64 /* beyond this nothing is reported */

struct rank_links_rank {
	const char *device; /* "NVIDIA H200 at 0000:18:00.0", "core 3", or "" */
	const char *name;   /* the GPU's address, else as device */
	int gpu;            /* of the topology, or -1 */
	int numa;           /* NUMA node, or -1 */
	int core_numa;      /* that of the core which a GPU's worker is bound to, or -1 */
	int bridge;         /* the first rank on the PCIe switch that it shares with others; else
	                       -1 */
	unsigned nvlinks, to_switch; /* NVLinks up; of these to NVSwitches */
	double nvlink_gbs, pcie_gbs; /* what they carry one way; NaN: not known */
	bool busy;                   /* PCIe was read under load: idle GPUs lower its generation */
	unsigned gen, gen_max, width, width_max; /* of PCIe */
	const char *remark;                      /* what its links lack, or "" */
};

/* Ordered pairs of one class. */
struct rank_links_class {
	enum links_class class;
	const char *name, *source; /* as in links_info */
	unsigned pairs;
	double theoretical_gbs; /* the median's; NaN: not known */
	double expected_gbs;    /* what sends and receives should reach at least; NaN: not known */
};

struct rank_links {
	int variant;              /* that the ranks are of */
	unsigned nranks;          /* 0: nothing is known */
	struct links_pair *pairs; /* [from * nranks + to] of other ranks only */
	struct rank_links_rank *ranks;
	unsigned nclasses;
	struct rank_links_class *classes;
	unsigned nedges;
	struct links_edge *edges; /* as links_edges has them */
};

/* All memory is the arena's. Of the reference's ranks, else those of the first variant that was measured. */
struct rank_links rank_links_make(const struct summary *summary, struct arena *arena);

/* The line rate that busbw is compared with: what the narrowest rank's links to the other ranks carry
 * one way, in GB/s; NaN: not known, or some ranks are joined by NVLink and others not. busbw's factors
 * (coll_info) are those by which each collective's data crosses a GPU's link, so that none exceeds it
 * (nccl-tests, doc/PERFORMANCE.md). Sends go to one rank, and take the links to that one. Only switches
 * that add (NVLS) let all_reduce exceed it: each GPU then sends and receives its data once, algbw is at
 * most the line rate, and busbw at most 2 (n − 1) ÷ n times it. */
double rank_links_rate(const struct rank_links *links, enum coll_kind coll, bool adds);
/* These links in words: "18 NVLinks of 25 GB/s to NVSwitches", "PCIe 5 ×16"; or "". */
const char *rank_links_text(const struct rank_links *links, struct arena *arena);
/* Both where data goes through the host's memory (NCCL's SHM, and NET within a host), whatever joins
 * the GPUs: each rank's data then crosses its PCIe once, either way. */
double rank_links_memory_rate(const struct rank_links *links);
const char *rank_links_memory_text(const struct rank_links *links, struct arena *arena);

#endif
