/* Raw stamps in the team's area: for each cell and rank a tally and rows, in own cache lines. */
#pragma once

#include "counters.h"
#include "../trial/trial.h"

struct sample {
	int64_t start_ns;  /* left the barrier */
	int64_t issued_ns; /* issue returned, the backend's end() included */
	int64_t idle_ns;   /* the poll that found it idle */
	int64_t poll_ns;   /* idle_ns minus the poll before it: how late idle_ns may be */
	/* Timeline only: by the device's clock, converted to ours; 0: none. */
	int64_t device_start_ns, device_end_ns;
};

enum spent_phase {
	SPENT_CONNECT, /* the backend opens, before the first cell; or again, for this one */
	SPENT_PREPARE, /* inputs are filled, and the core's speed is measured */
	SPENT_WARM_UP, /* the first call too, which a record's reader counts as connecting */
	SPENT_CALLS,   /* of the timed pass */
	SPENT_COUNTERS,
	SPENT_TIMELINE,
	SPENT_CHECK,
	SPENT_PHASES
};

/* Phases follow each other without a gap, from cell to cell too. */
struct spent {
	int64_t from_ns; /* when the first phase of the cell began; 0: it did not */
	int64_t ns[SPENT_PHASES];
};

struct tally {
	/* Stamps in the record count from rank 0's. */
	int64_t begin_ns;
	uint64_t measured; /* 1 once the timed calls are done */
	uint64_t wrong;    /* elements that differ from the exact answer */
	/* The first wrong element, counted from the arena's start. */
	uint64_t wrong_at;
	uint64_t expected, got; /* its bits, as they should be and as they are */
	uint64_t checked;       /* 1: the backend carries data, and it was compared */
	uint64_t faults;        /* page faults of the worker in timed calls: above 0 is suspect */
	uint64_t switches;      /* involuntary context switches of the worker in timed calls */
	/* Not running between its first timed call and the end of its last; at its first rank. */
	int64_t off_core_ns;
	uint64_t first_ns; /* length of the cell's first call */
	int64_t check_ns;  /* length of checking the timed calls' outputs; at its first rank */
	uint64_t watched;  /* 1: `counters` holds something */
	struct counters counters;
	int64_t issue_cpu_ns; /* CPU time of issuing the rows that are kept; at its first rank */
	struct spent spent;   /* at its first rank */
};

/* Computes each cell's place, for the calls below; the trial's cells stay from now on. */
void sample_place(struct trial *trial);
/* When each rank's work and communication ran in the last row of a training step's timeline. */
enum sample_lane { LANE_WORK, LANE_COMMUNICATION, LANES };
extern const char *const sample_lane_keys[LANES]; /* in a record */

#define SAMPLE_SPANS 1024 /* Llama-7B has 270 buckets of 25 MiB, and work between them */

struct sample_spans {
	unsigned n;
	struct sample_span {
		int64_t start_ns, end_ns;
		enum sample_lane lane;
	} of[SAMPLE_SPANS];
};

/* In order within its lane. Extends its last span if it begins within join_ns of that one's end, or
 * if there is no more room. */
void sample_spans_add(struct sample_spans *spans, enum sample_lane lane, int64_t start_ns,
                      int64_t end_ns, int64_t join_ns);
struct sample_spans *sample_spans(const struct trial *trial, void *area, unsigned cell,
                                  unsigned rank);

/* In the first process of each host, at the end: brings samples, tallies and facts of all hosts to
 * the first one, with stamps of its clock. */
struct team;
int sample_collect(const struct trial *trial, struct team *team, struct status *st);

size_t sample_area_bytes(const struct trial *trial);
struct tally *sample_tally(const struct trial *trial, void *area, unsigned cell, unsigned rank);
struct sample *sample_rows(const struct trial *trial, void *area, unsigned cell, unsigned rank);
