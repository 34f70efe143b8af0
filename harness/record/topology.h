/* What joins the ranks' devices, as the record has it: the environment's object "topology",
 *
 *   {"gpus":  [{"pci": "0000:18:00.0", "name": "NVIDIA H200", "numa": 0, "socket": 0,
 *               "pcie": {"gen": 5, "gen_max": 5, "width": 16, "width_max": 16},
 *               "bridges": [{"pci": "0000:15:01.0", "gbs": 63.0}],
 *               "nvlinks": [{"link": 0, "up": true, "to": "switch", "mbps": 26562}]}],
 *    "pairs": [{"a": 0, "b": 1, "ancestor": "system", "p2p": "yes"}],
 *    "cores": [{"core": 0, "numa": 0, "socket": 0, "cache": 0}]}
 *
 * in which everything may be missing. A GPU is named by its place in the list; `to` is "switch",
 * another GPU's pci, or "unknown"; mbps is as signalled; bridges go from the root down, gbs as
 * hwloc has it (0: it does not know). ancestor is NVML's: board, switch, switches, host bridge,
 * node, system. p2p is "yes" or why not. */
#pragma once

#include <jansson.h>

#include "../status.h"

#define TOPOLOGY_GPUS    64
#define TOPOLOGY_CORES   1024
#define TOPOLOGY_LINKS   36
#define TOPOLOGY_BRIDGES 8
#define TOPOLOGY_SWITCH  (-1)
#define TOPOLOGY_UNKNOWN (-2)

enum topology_ancestor {
	ANCESTOR_UNKNOWN,
	ANCESTOR_BOARD,
	ANCESTOR_SWITCH,   /* one PCIe switch */
	ANCESTOR_SWITCHES, /* several, and no host bridge */
	ANCESTOR_HOST_BRIDGE,
	ANCESTOR_NODE,   /* several host bridges of a NUMA node */
	ANCESTOR_SYSTEM, /* across NUMA nodes */
	ANCESTORS
};

struct topology_link {
	bool up;
	char name[64]; /* of what it leads to */
	int to;        /* a GPU, TOPOLOGY_SWITCH or TOPOLOGY_UNKNOWN */
	double mbps;   /* as signalled, one way; NaN: not said */
};

struct topology_bridge {
	char pci[16];
	double gbs; /* 0: not known */
};

struct topology_gpu {
	char pci[16], name[64];
	int numa, socket;                        /* -1: not known */
	unsigned gen, gen_max, width, width_max; /* of PCIe; 0: not known */
	unsigned nlinks, nbridges;
	struct topology_link links[TOPOLOGY_LINKS];
	struct topology_bridge bridges[TOPOLOGY_BRIDGES];
};

struct topology_pair {
	enum topology_ancestor ancestor;
	char p2p[64]; /* "yes", why not, or "" */
};

struct topology_core {
	int core, numa, socket, cache; /* the system's number; the others -1: not known */
};

struct topology {
	unsigned ngpus, ncores;
	struct topology_gpu *gpus;   /* owned */
	struct topology_pair *pairs; /* owned: [a * ngpus + b], the same both ways */
	struct topology_core *cores; /* owned */
};

/* json may be NULL or anything: a missing value is unknown; one of another type or out of range is
 * an error. The caller frees *out with topology_free; it is all zero on error. */
int topology_from_json(const json_t *json, struct topology *out, struct status *st);
void topology_free(struct topology *topology);

/* The GPU at a PCI address, in any spelling of its hexadecimals, or -1. */
int topology_gpu(const struct topology *topology, const char *pci);
/* The core of the system's number; NULL if there is none, or several, one in each socket. */
const struct topology_core *topology_core(const struct topology *topology, int core);
