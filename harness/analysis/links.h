/* The link between two devices, the bandwidth that it should reach, and which links are worse than
 * they could be. Pure: from a recorded topology.
 *
 * Bandwidths are payload one way, in GB/s of 1e9 bytes, as a data sheet has them:
 *   NVLink  20, 25, 25, 25, 50 a link (versions 1 to 5; 14.06 of RTX GPUs' bridges), known by
 *           the speed that is signalled. From NVIDIA's white papers on P100, V100, A100 (12
 *           links, 600 GB/s both ways), H100 (18, 900), Blackwell (18, 1800) and GA102 (4, 112.5)
 *   PCIe    2.5, 5 GT/s × 8/10; 8, 16, 32 GT/s × 128/130; 64 GT/s × 242/256, by lane ÷ 8: PCI-SIG,
 *           PCI Express Base Specification 6.0; with generation and width as NVML says
 * A pair's is that of its narrower end. */
#ifndef LAUNCHGAP_LINKS_H
#define LAUNCHGAP_LINKS_H

#include "../record/topology.h"

enum links_class {
	LINKS_UNKNOWN,
	LINKS_NVLINK,      /* directly, one NVLink or more */
	LINKS_NVSWITCH,    /* each to switches */
	LINKS_PCIE_SWITCH, /* PCIe, without a host bridge between */
	LINKS_SOCKET,      /* PCIe, within a NUMA node */
	LINKS_ACROSS,      /* PCIe, from one NUMA node to another */
	LINKS_MEMORY,      /* no peer access: through the host's memory */
	LINKS_CORE,        /* of CPUs: one core */
	LINKS_CACHE,       /* two cores with one last cache */
	LINKS_CPU_SOCKET,  /* two cores of a socket */
	LINKS_CPU_ACROSS,  /* two sockets */
	LINKS_CLASSES
};

struct links_info {
	const char *name;  /* "NVSwitch" */
	const char *brief; /* "NVS": in a matrix */
	/* The least share of the theoretical bandwidth that sends and receives should reach, at
	 * most 1; 0: no figure is known. */
	double least_share;
	const char *source; /* of that share; "" */
};
const struct links_info *links_info(enum links_class class);

struct links_pair {
	enum links_class class;
	unsigned nvlinks;       /* that are up and lead there; 0 of other classes */
	double theoretical_gbs; /* NaN: not known */
};
/* Two GPUs of the topology, a ≠ b. */
struct links_pair links_gpus(const struct topology *topology, unsigned a, unsigned b);
/* Two cores by the system's number; −1: not bound to one. */
struct links_pair links_cores(const struct topology *topology, int a, int b);
/* "NVS ×18", "SYS". */
void links_brief(const struct links_pair *pair, char *text, size_t bytes);

/* Whether both are below one PCIe switch. */
bool links_share_switch(const struct topology *topology, unsigned a, unsigned b);

/* One way; NaN where NVML did not say. */
double links_nvlink_gbs(const struct topology_gpu *gpu); /* all that are up together */
double links_pcie_gbs(unsigned gen, unsigned width);
unsigned links_up(const struct topology_gpu *gpu);

/* What a GPU's links lack, in a sentence: NVLinks that are down or fewer than another GPU of its
 * name has, PCIe lanes. "" if nothing. `busy` says whether a lower PCIe generation was read under
 * load: idle GPUs lower theirs. */
void links_short(const struct topology *topology, unsigned gpu, bool busy, char *text,
                 size_t bytes);

/* The load of all ordered pairs at once on each link: every GPU sends the same amount to every
 * other. */
struct links_edge {
	char name[96];
	unsigned pairs; /* ordered pairs whose data crosses it, in its busier direction */
	double gbs;     /* one way; NaN: not known */
};
#define LINKS_EDGES 256
/* Among the GPUs `of` (places in the topology), the heaviest load first: pairs by GB/s, those of
 * unknown GB/s last. Returns how many. */
unsigned links_edges(const struct topology *topology, const int of[], unsigned n,
                     struct links_edge out[LINKS_EDGES]);

#endif
