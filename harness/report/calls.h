/* Single calls for the pictures: all isolated calls by share (ecdf), and one call rank by rank
 * (timeline). Written as CSV into plots/, with what their axes have to hold for plots/run.gp.
 */
#ifndef LAUNCHGAP_CALLS_H
#define LAUNCHGAP_CALLS_H

#include "../analysis/summary.h"

#define CALLS_PANELS 3 /* a small, a middle and the largest size */

/* Of one group the sizes shown, and what is in sight: from the variants' least 0.5th percentile
 * to their largest 99th. */
struct calls_panel {
	size_t bytes;
	double lo_us, hi_us;
};

/* plots/ecdf.csv: each isolated call's time against the share of calls that took no longer, of
 * every variant at the panels' sizes. Thinned to what a picture can show. */
int calls_write_ecdf(const struct summary *summary, const char *file, struct status *st);
/* The panels of an isolated group; 0 when it has none. */
unsigned calls_panels(const struct summary *summary, unsigned group,
                      struct calls_panel panels[CALLS_PANELS]);

/* The call of a variant whose length is the median, at the smallest size of a collective: of
 * the pass with the device's stamps where there is one, else of the isolated calls. */
struct calls_line {
	const struct record_cell *cell; /* NULL: the variant has none */
	unsigned row;
	int64_t from_ns;    /* the earliest start of any rank: 0 of the picture */
	double total_us;    /* to the latest end, the device's included */
	double before_us;   /* by how much the device seems to begin before from_ns, or 0 */
	double residual_us; /* by how much the device's stamps may be off; NaN: not said */
};
struct calls_line calls_line_of(const struct summary *summary, enum coll_kind coll,
                                unsigned variant);
/* plots/timeline.csv: of each collective and variant that call, one line per rank. */
int calls_write_timeline(const struct summary *summary, const char *file, struct status *st);

#endif
