/* A cell's calls by its pass: timed, or what would disturb the timed ones. */
#ifndef LAUNCHGAP_PASSES_H
#define LAUNCHGAP_PASSES_H

#include "loop.h"

/* All of a cell's calls, as its pass has it. */
int pass_rows(struct loop *loop, unsigned cell);
/* A cell of `init`: the communicators made, again and again. */
int pass_init(struct loop *loop, unsigned cell);

#endif
