/* Pairs of ranks, each way: what joins them, what they reach alone and all at once, which are
 * slow, which links are worse than they could be, and where all traffic meets. Pure.
 *
 * Made of the reference's cells: `pair` alone (bandwidth: stream at the largest size; latency:
 * isolated at the smallest), `alltoall` all at once (what each rank receives of each other, by
 * the receiver's own end). */
#ifndef LAUNCHGAP_PAIRS_H
#define LAUNCHGAP_PAIRS_H

#include "evidence.h"
#include "links.h"

/* A pair is called slow where the upper quartile of its bandwidth is below this share of its
 * class's median, or of the way back's lower quartile; late where its p50 is more than the
 * class's median by this share. With fewer pairs of the class than PAIRS_CLASS there is no
 * median to hold it against. */
#define PAIRS_SLOW  0.8
#define PAIRS_LATE  1.5
#define PAIRS_CLASS 4
#define PAIRS_TEXTS 24
#define PAIRS_RANKS 64 /* of more there are none */

struct pairs_pair {
	unsigned from, to;
	struct links_pair link;
	char via[PATH_VIA_BYTES + 24]; /* "P2P/CUMEM, 16 channels" by the library's log, or "" */
	struct stats_interval gbs;     /* alone; quartiles over blocks */
	double share;                  /* of the theoretical bandwidth */
	double all_gbs;                /* while all send to all */
	double p50_us;
	struct stats_interval p95_us, p99_us;
	char remark[160]; /* what is wrong with it, or "" */
};

struct pairs_class {
	enum links_class class;
	unsigned pairs;
	double theoretical_gbs;               /* the median's; NaN: not known */
	double gbs_min, gbs_median, gbs_max;  /* alone */
	double us_min, us_median, us_max;     /* p50 */
};

struct pairs_rank {
	char device[96]; /* "NVIDIA H200 at 0000:18:00.0", "core 3", or "" */
	int gpu;         /* of the topology, or -1 */
	int numa;        /* NUMA node, or -1 */
	int bridge;      /* of the PCIe switch that it shares with others: the first rank there;
	                    else -1 */
	unsigned nvlinks, to_switch; /* NVLinks up; of these to NVSwitches */
	double nvlink_gbs, pcie_gbs; /* what they carry one way; NaN: not known */
	bool has_pcie;
	unsigned gen, gen_max, width, width_max; /* of PCIe, under load where it was read so */
	double sent_bytes;                       /* of one call of all at once */
	double received_gbs;                     /* all at once, from all others */
	double last;                             /* share of calls that it ends last */
	double nvlink_tx_gbs, nvlink_rx_gbs, pcie_tx_gbs, pcie_rx_gbs; /* by counters */
	char remark[160];
};

enum pairs_kind { PAIRS_SLOW_PAIR, PAIRS_SHORT_LINK, PAIRS_HOT_SPOT, PAIRS_KINDS };

struct pairs_text {
	enum pairs_kind kind;
	char text[320];
};

struct pairs {
	unsigned nranks, n;
	int variant;               /* whose cells they are; -1: there are no pairs */
	size_t bytes, small_bytes; /* of bandwidth, of latency; 0: not measured */
	size_t all_bytes;          /* of all at once, a rank's whole buffer; 0: not measured */
	bool gpus;                 /* any rank's device is a GPU of the topology */
	struct pairs_pair *pairs;  /* owned: [from * nranks + to] of other ranks only */
	struct pairs_rank *ranks;  /* owned */
	unsigned nclasses;
	struct pairs_class classes[LINKS_CLASSES];
	unsigned nedges;
	struct links_edge *edges; /* owned */
	unsigned ntexts, more;    /* findings that are said, and how many are not */
	struct pairs_text texts[PAIRS_TEXTS];
	char why[160]; /* why the topology is not known, or "" */
};

/* The caller frees with pairs_free. A record without pairs has classes and ranks where it has a
 * topology. -1: out of memory. */
int pairs_make(const struct summary *summary, const struct evidence *evidence,
               struct pairs *out, struct status *st);
void pairs_free(struct pairs *pairs);
/* NULL where from = to, or there are no pairs. */
const struct pairs_pair *pairs_find(const struct pairs *pairs, unsigned from, unsigned to);
const char *pairs_kind_name(enum pairs_kind kind); /* slow pair, short link, hot spot */
/* That none is slow, or that too few blocks were measured to say so; "" where one is. */
void pairs_judged_say(const struct pairs *pairs, char *text, size_t bytes);
/* A class in a sentence without a point. */
void pairs_class_say(const struct pairs_class *class, char *text, size_t bytes);

#endif
