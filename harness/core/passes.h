/* A cell's calls by its pass: timed calls, and passes that would disturb them. */
#ifndef LAUNCHGAP_PASSES_H
#define LAUNCHGAP_PASSES_H

#include "loop.h"

/* All calls of a cell, by its pass. */
int pass_rows(struct loop *loop, unsigned cell);
/* A cell of `init`: makes the communicators, once per row. */
int pass_init(struct loop *loop, unsigned cell);

#endif
