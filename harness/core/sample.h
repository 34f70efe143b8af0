/* Raw stamps of a trial, as they lie in the team's area: for each cell and rank a tally and its
 * rows of samples. Each rank's part starts on a cache line of its own. Stamps are clock_now_ns.
 */
#ifndef LAUNCHGAP_SAMPLE_H
#define LAUNCHGAP_SAMPLE_H

#include "counters.h"
#include "../trial/trial.h"

struct sample {
	int64_t start_ns;  /* left the barrier */
	int64_t issued_ns; /* issue returned, the backend's end() included */
	int64_t idle_ns;   /* seen idle */
	int64_t poll_ns;   /* idle_ns less the poll before it: how late idle_ns may be */
	int64_t device_start_ns,
	    device_end_ns; /* timeline only: the device\'s clock in ours; 0: none */
};

struct tally {
	int64_t begin_ns; /* the cell's start, as this rank's worker saw it; record stamps count
	                     from rank 0's */
	uint64_t measured;      /* 1 once the timed calls are done */
	uint64_t wrong;         /* elements that differ from the exact answer */
	uint64_t wrong_at;      /* element of the first, counted from the arena's start, of
	                           activations behind it */
	uint64_t expected, got; /* its bits, as they should be and as they are */
	uint64_t digest;        /* of this rank's output; 0 where the backend carries no data */
	uint64_t
	    faults; /* page faults of the worker in timed calls: 0 or the cell is suspect */
	uint64_t switches;   /* involuntary context switches of the worker in timed calls */
	int64_t off_core_ns; /* how long the worker did not run from its first timed call to the
	                        end of its last; at its first rank */
	uint64_t first_ns;   /* length of the cell's first call */
	int64_t check_ns; /* length of checking what the worker's timed calls left; at its first
	                     rank */
	/* How long a fixed piece of work takes on the worker's core (speed.h): the mean of
	 * before and behind the cell's calls; at its first rank. */
	int64_t core_chain_ns, core_wide_ns;
	/* Of a counters cell. */
	uint64_t watched; /* 1: `counters` holds something */
	struct counters counters;
	int64_t issue_cpu_ns; /* CPU time of the worker in issuing the rows that are kept; at
	                         its first rank */
};

/* The most that is shown of what a rank sends, and of what it receives. */
#define SAMPLE_SHOWN_BYTES 512

struct sample_shown {
	size_t bytes;
	unsigned char data[SAMPLE_SHOWN_BYTES];
};

/* Finds each cell's place once: without it every call below walks through all cells before. The
 * trial's cells may not change from then on. */
int sample_place(struct trial *trial, struct status *st);
/* Of a timeline cell of a step of training: when each rank's work ran, and when its communication,
 * in the cell's last row; sums of activations apart where they can be told from gradients'. */
enum sample_lane { LANE_WORK, LANE_COMMUNICATION, LANE_ACTIVATIONS, LANES };
extern const char *const sample_lane_keys[LANES]; /* in a record */

#define SAMPLE_SPANS 1024 /* Llama-7B has 270 buckets of 25 MiB, and work between them */

struct sample_spans {
	unsigned n;
	struct sample_span {
		int64_t start_ns, end_ns;
		enum sample_lane lane;
	} of[SAMPLE_SPANS];
};

/* Adds what ran, in the order in which it did within its lane. What begins within join_ns of
 * its lane's last end, or for which there is no more room, becomes a part of that. */
void sample_spans_add(struct sample_spans *spans, enum sample_lane lane, int64_t start_ns,
                      int64_t end_ns, int64_t join_ns);
/* Of a cell that has them; NULL of others. */
struct sample_spans *sample_spans(const struct trial *trial, void *area, unsigned cell,
                                  unsigned rank);

size_t sample_area_bytes(const struct trial *trial);
struct tally *sample_tally(const struct trial *trial, void *area, unsigned cell, unsigned rank);
/* The rank's trial_rows() samples of the cell. */
struct sample *sample_rows(const struct trial *trial, void *area, unsigned cell, unsigned rank);
/* Of a cell of the pass show: what the rank sent, and what it received. */
struct sample_shown *sample_shown(const struct trial *trial, void *area, unsigned cell,
                                  unsigned rank, bool received);

#endif
