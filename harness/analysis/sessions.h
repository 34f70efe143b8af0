/* Sessions: which trials each of them measured. Pure.
 *
 * The trials of a block should be close in time: only then do they share the machine's state. A
 * block that one session began and a later one completed holds a pause. It is far if the pause is
 * longer than a block takes (the mean step from trial to trial, times the trials of a block), or if
 * older records do not say. */
#ifndef LAUNCHGAP_SESSIONS_H
#define LAUNCHGAP_SESSIONS_H

#include <stdbool.h>

#include "../record/record.h"

struct session_pause {
	unsigned block, begun, trials; /* begun of so many; both at least 1 */
	double pause_s; /* from its last trial before to the first after; NaN: not known */
	bool far;
};

/* False: the session begins with a new block. */
bool session_paused(const struct record_run *run, unsigned resume, struct session_pause *out);
/* What a block takes: the mean step from trial to trial, times its trials; NaN where the record
 * does not say. */
double session_block_s(const struct record_run *run);

#endif
