/* What a reader of the figures has to know, each with what to do about it. Pure. */
#ifndef LAUNCHGAP_WARNINGS_H
#define LAUNCHGAP_WARNINGS_H

#include "summary.h"

#define WARNINGS_MAX   64
#define WARNINGS_BYTES 1024

struct warnings {
	unsigned count;
	char text[WARNINGS_MAX][WARNINGS_BYTES];
};

/* Looks through the summary; torn: the record's last line was cut off. */
void warnings_collect(const struct summary *summary, bool torn, struct warnings *out);
/* One more; beyond WARNINGS_MAX the last says that there are more. */
void warnings_add(struct warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
