/* When a run with `blocks = auto` has enough. It looks at the widths of intervals only, never
 * at where they lie; how that counts is in verdict.h. The widths are those of what the run is
 * about: of its primary claim, else of its gap, and of the A/A line of that one's regime;
 * without both of every variant against the reference in each regime (regime.h). */
#ifndef LAUNCHGAP_STOP_H
#define LAUNCHGAP_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "../analysis/index.h"
#include "../status.h"

struct stop_state {
	const char *folder;   /* the run's */
	const bool *given_up; /* for each of the record's variants: not waited for */
	double precision;
	unsigned budget_s;
	unsigned blocks;   /* whole ones that the folder has */
	unsigned measured; /* of them in this session, which took */
	int64_t elapsed_ns;
};

/* Whether the run ends here: then `end` has its reason and a sentence, else it stays as it is.
 * Where it looks and goes on, it says what it saw. */
int stop_consider(const struct stop_state *state, struct record_end *end, struct status *st);

/* The widest of the intervals that have to be narrow. */
struct stop_width {
	unsigned compared; /* intervals that there have to be; 0: nothing can be compared */
	unsigned blocks;   /* the fewest that one of them rests on */
	double half;       /* relative: 0.01 is ±1 %; NaN while one is missing */
	char of[256];      /* whose it is: "large: processes against threads" */
};

/* given_up: for each of the summary's variants. -1 only when memory is out. */
int stop_widest(const struct summary *summary, const bool *given_up, struct stop_width *out,
                struct status *st);
bool stop_is_precise(const struct stop_width *width, double precision);

/* Whether one more block would likely end behind the budget, going by the mean of the
 * `measured` ones that took elapsed_ns. Never before there can be an interval at all. */
bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns,
                      int64_t budget_ns);

#endif
