/* What a reader of the figures has to know, each with what to do about it. Pure. */
#ifndef LAUNCHGAP_VALIDITY_H
#define LAUNCHGAP_VALIDITY_H

#include "summary.h"
#include "warnings.h"

/* Looks through the summary; torn: the record's last line was cut off. */
void validity_collect(const struct summary *summary, bool torn, struct warnings *out);

#endif
