/* The files that a report writes. Each takes its name once it is complete, and replaces any file of
 * that name: a reader never sees half a file, and the target of a link of that name is not
 * touched. */
#ifndef LAUNCHGAP_OUTPUT_H
#define LAUNCHGAP_OUTPUT_H

#include <stdio.h>

#include "../arena.h"

struct output {
	FILE *out;
	const char *file, *part; /* part: its name until it is complete, of this process alone */
	bool named;              /* it has that name from the beginning */
};

/* NULL if it cannot be made. The caller ends it with output_close; if memory is out before, nothing
 * of it remains. */
struct output *output_open(struct arena *arena, const char *file, struct status *st);
/* The same for a file that a person names: a link is followed, and what is no regular file is
 * refused, since it cannot be replaced. */
struct output *output_open_named(struct arena *arena, const char *file, struct status *st);
/* rc: what writing it came to. -1 if that is not 0, or if any of it could not be written: a full
 * disk shows at the latest when the last bytes are flushed. Then the earlier file remains. */
int output_close(struct output *output, int rc, struct status *st);

/* Adds a text to the end of a file that a person names. One that cannot be written is only said. */
void output_append(const char *file, const char *text);

#endif
