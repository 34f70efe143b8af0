/* Single calls: all isolated calls of a row by their length, and one call of a variant rank by
 * rank. Pure. */
#ifndef LAUNCHGAP_CALLS_H
#define LAUNCHGAP_CALLS_H

#include "summary.h"

/* Room for the calls of any row. */
double *calls_room(const struct summary *summary, struct arena *arena);
/* All isolated calls of a row over all its trials, in µs, sorted. Returns how many. */
size_t calls_sorted(const struct summary *summary, const struct summary_row *row, double *room);

/* The isolated calls of a row, call by call over all its trials, in µs: of each process by its own
 * stamps, from its first start to its last end, which is what nccl-tests' -I times. */
struct calls_processes {
	unsigned processes;
	size_t calls;
	double *own_us;  /* process p's at [p * calls] */
	double *most_us; /* of each call the longest */
};
struct calls_processes calls_of_processes(const struct summary *summary,
                                          const struct summary_row *row, struct arena *arena);
/* Of all calls together, as nccl-tests prints them: quantiles are the nearest rank, the deviation is
 * the population's. The report's own p95 differs: a median over blocks of interpolated ones
 * (finish_row of summary.c). */
struct calls_spread {
	double min_us, max_us, mean_us, p50_us, p95_us, p99_us, deviation_us, cv_percent;
};
/* n is 1 or more. */
struct calls_spread calls_spread_of(const double *us, size_t n, struct arena *arena);

#define CALLS_PANELS 3 /* a small, a middle and the largest size */

/* The sizes shown of one group, and the axis' range: from the variants' least 0.5th percentile to
 * their largest 99th. */
struct calls_panel {
	size_t bytes;
	double lo_us, hi_us;
};

/* The panels of an isolated group over these variants; 0 when it has none. */
unsigned calls_panels(const struct summary *summary, unsigned group, const unsigned *variants,
                      unsigned nvariants, double *room, struct calls_panel panels[CALLS_PANELS]);

/* The call of a variant whose length is the median, at the smallest size of a collective: of the
 * pass with the device's stamps if there is one, else of the isolated calls. */
struct calls_line {
	const struct record_cell *cell; /* NULL: the variant has none */
	unsigned row;
	int64_t from_ns;    /* the earliest start of any rank: 0 of the picture */
	double total_us;    /* to the latest end, the device's included */
	double before_us;   /* by how much the device seems to begin before from_ns, or 0 */
	double launch_us;   /* until issue has returned on all ranks */
	double residual_us; /* how far the device's stamps may be off; NaN: not recorded */
};
struct calls_line calls_line_of(const struct summary *summary, enum coll_kind coll,
                                unsigned variant, struct arena *arena);
/* A rank's stamps of that call. */
const struct sample *calls_sample(const struct calls_line *line, unsigned rank);

#endif
