/* When a run with `blocks = auto` has enough. It looks at the widths of intervals only, never
 * at where they lie; how that counts is in verdict.h. The widths are those of what the run is
 * judged by: of the gap, where the experiment asks about one, and of the A/A line of the large
 * sizes; else of every variant against the reference in each regime (regime.h). */
#ifndef LAUNCHGAP_STOP_H
#define LAUNCHGAP_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "../record/record.h"
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

/* Whether one more block would likely end behind the budget, going by the mean of the
 * `measured` ones that took elapsed_ns. Never before there can be an interval at all. */
bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns,
                      int64_t budget_ns);

#endif
