/* Which data was checked, and with what result. Pure. */
#ifndef LAUNCHGAP_CHECKS_H
#define LAUNCHGAP_CHECKS_H

#include "../arena.h"
#include "summary.h"

/* Cells of one collective and datatype that carried data. */
struct checks {
	unsigned cells, wrong_cells;
	/* Cells of which only one more, fresh call was checked: in place, a reduction takes the
	 * result of the call before it, and has no right answer (trial_spoils). */
	unsigned fresh_cells;
};

/* coll, dtype: -1 for all. */
struct checks checks_count(const struct summary *summary, int coll, int dtype);
unsigned checks_dtypes(const struct summary *summary);

/* Checking compared with measuring, at the largest size, in ms: medians over its cells; and in the
 * variant where checking takes the longest. */
struct checks_cost {
	size_t asked_bytes;
	double calls_ms, check_ms;
	const char *longest; /* variant; NULL: nothing is known */
	double longest_calls_ms, longest_check_ms;
};
struct checks_cost checks_cost(const struct summary *summary);

#endif
