/* What a reader of the figures has to know, each with what to do about it. Pure. */
#ifndef LAUNCHGAP_VALIDITY_H
#define LAUNCHGAP_VALIDITY_H

#include "summary.h"

#define VALIDITY_MAX   64
#define VALIDITY_BYTES 1024

struct validity {
	unsigned count;
	char text[VALIDITY_MAX][VALIDITY_BYTES];
};

/* Looks through the summary; torn: the record's last line was cut off. */
void validity_collect(const struct summary *summary, bool torn, struct validity *out);
/* One more; beyond VALIDITY_MAX the last says that there are more. */
void validity_add(struct validity *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts those from `first` on before all others. */
void validity_promote(struct validity *warnings, unsigned first);

#endif
