/* What in a record cannot be as it says, or cannot be checked: no verdict is withheld for it,
 * but page 1 says it. Pure. */
#ifndef LAUNCHGAP_DOUBTS_H
#define LAUNCHGAP_DOUBTS_H

#include "summary.h"
#include "warnings.h"

void doubts_collect(const struct summary *summary, struct warnings *out);

#endif
