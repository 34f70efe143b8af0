/* What a run says that has too few blocks for a verdict, or was cut off: what each whole block
 * showed, and the command that goes on. Pure. */
#ifndef LAUNCHGAP_UNFINISHED_H
#define LAUNCHGAP_UNFINISHED_H

#include "regime.h"

#define UNFINISHED_MOST       4 /* sentences */
#define UNFINISHED_TEXT_BYTES 640

struct unfinished {
	unsigned n; /* 0: the run has the blocks that a verdict needs, or compares nothing */
	bool cut;   /* blocks that were asked for are missing */
	char text[UNFINISHED_MOST][UNFINISHED_TEXT_BYTES];
};

/* Of the primary claim, else of each regime. -1: out of memory. */
int unfinished_make(const struct summary *summary, const struct regimes *regimes,
                    const struct claim_list *asked, struct unfinished *out, struct status *st);
/* "To go on (about 80 s): launchgap resume DIR blocks=3": for all blocks that were asked for,
 * and as many as a verdict needs. */
void unfinished_command(const struct summary *summary, char *text, size_t bytes);

#endif
