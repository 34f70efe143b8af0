/* The driver of a search: each of its blocks measures what the record so far says is worth it,
 * in trials like any other's. So a search that was interrupted goes on where it was. */
#pragma once

#include "../analysis/candidates.h"
#include "runner.h"

/* All blocks to the end, which it says in r->end. 0, or -1: interrupted, or it cannot go on. */
int tune_blocks(struct runner *r, struct status *st);

struct tune_next {
	bool ended, confirms;
	unsigned confirmed; /* whole blocks of the confirmation that the record has */
	unsigned round;
	unsigned n;
	struct search_set sets[SEARCH_MAX_SETS];
};
/* By what the record holds, and its search saw: the round that is not whole yet, else the next; after the
 * last one, or if `hurry` says that time is short, the confirmation, `blocks` times. Pure. */
void tune_next(const struct record_run *run, const struct candidates_seen *seen, uint64_t seed,
               unsigned blocks, bool hurry, struct arena *arena, struct tune_next *out);
