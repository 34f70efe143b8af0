/* Trials that stand apart: far from their variant's others, a slow first block, times that
 * drift over the run. Pure. */
#ifndef LAUNCHGAP_OUTLIERS_H
#define LAUNCHGAP_OUTLIERS_H

#include "summary.h"
#include "warnings.h"

/* Adds a warning for each that there is. */
void outliers_collect(const struct summary *summary, struct warnings *warnings);

#endif
