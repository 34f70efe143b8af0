/* The blocks of a search: each measures what the record so far says is worth it, so that a
 * search that was interrupted goes on where it stood. */
#ifndef LAUNCHGAP_TUNE_H
#define LAUNCHGAP_TUNE_H

#include "runner.h"

/* All blocks to the end, which it says in r->end. 0, or -1: interrupted, or it cannot go on. */
int tune_blocks(struct runner *r, struct status *st);

#endif
