/* Sessions: which trials each of them measured. Pure.
 *
 * The trials of a block are to be close in time: only then do they share what the machine does.
 * A block that one session began and a later one completed holds a pause. It is far where the
 * pause is longer than a block takes (the mean step from trial to trial, times the trials of a
 * block), or where older records do not tell. */
#ifndef LAUNCHGAP_SESSIONS_H
#define LAUNCHGAP_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../record/record.h"

struct session_pause {
	unsigned block, begun, trials; /* begun of so many; both at least 1 */
	double pause_s; /* from its last trial before to the first behind; NaN: not known */
	double block_s; /* that a block takes; NaN */
	bool far;
};

/* False: the session begins with a block of its own. */
bool session_paused(const struct record_run *run, unsigned resume, struct session_pause *out);
/* What a block takes: the mean step from trial to trial, times its trials; NaN where the record
 * does not say. */
double session_block_s(const struct record_run *run);

#endif
