/* The driver of a search: a block measures what the record so far says is worth it. */
#pragma once

#include "../analysis/candidates.h"
#include "runner.h"

/* To the end, which it says in r->end. -1: interrupted, or it cannot go on. */
int tune_blocks(struct runner *r, struct status *st);

struct tune_next {
	bool ended, confirms;
	unsigned confirmed; /* whole blocks of the confirmation that the record has */
	unsigned round;
	unsigned n;
	struct search_set sets[SEARCH_MAX_SETS];
};
/* The round that is not whole yet, else the next; after the last one, or in a `hurry`, the
 * confirmation, `blocks` times. Pure. */
void tune_next(const struct record_run *run, const struct candidates_seen *seen, uint64_t seed,
               unsigned blocks, bool hurry, struct arena *arena, struct tune_next *out);
