/* Each rank's times in every row of the summary. Pure. */
#ifndef LAUNCHGAP_RANKS_H
#define LAUNCHGAP_RANKS_H

#include "index.h"

/* Fills ranks and stragglers of the rows that have a time. */
void ranks_make(struct summary *summary);

#endif
