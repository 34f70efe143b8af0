/* Warnings, each a sentence that says what to do. Pure. */
#ifndef LAUNCHGAP_WARNINGS_H
#define LAUNCHGAP_WARNINGS_H

#define WARNINGS_MOST  64
#define WARNINGS_BYTES 1024

struct warnings {
	unsigned count;
	unsigned doubts; /* the first so many: of the record itself (doubts.h) */
	char text[WARNINGS_MOST][WARNINGS_BYTES];
};

/* One more; beyond WARNINGS_MOST the last says that there are more. */
void warnings_add(struct warnings *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts those from `first` on before all others but the doubts. */
void warnings_promote(struct warnings *warnings, unsigned first);

#endif
