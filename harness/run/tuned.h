/* What a search measured, as its record has it. Pure. The runner (run/tune.h) decides by it what comes
 * next, and a chapter (tuning.chapter) reports it. */
#ifndef LAUNCHGAP_TUNED_H
#define LAUNCHGAP_TUNED_H

#include "../record/record.h"
#include "../analysis/candidates.h"

/* What the search of a run measured, in logs over the default. It
 * borrows the record's sets. */
struct candidates_seen tuned_seen(const struct record_run *run, struct arena *arena);

#endif
