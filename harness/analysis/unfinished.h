/* The command that goes on with a run. Pure. */
#ifndef LAUNCHGAP_UNFINISHED_H
#define LAUNCHGAP_UNFINISHED_H

#include "summary.h"

/* "To go on (about 80 s): launchgap resume DIR blocks=3": for all blocks that were asked for,
 * and as many as a verdict needs. */
void unfinished_command(const struct summary *summary, char *text, size_t bytes);

#endif
