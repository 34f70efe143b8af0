/* Parts of the program that are linked with what a machine may lack. Each is a library beside the
 * program, loaded when it is needed, so that the program starts without it. */
#pragma once

#include "status.h"

struct part {
	const char *what;   /* it is linked with: "Gloo" */
	const char *file;   /* the library's name */
	const char *entry;  /* the one symbol that is looked up in it */
	const char *remedy; /* how to get it: "Debian: apt-get install …" */
	bool global; /* its libraries' symbols are for those that they load themselves, too */
};

/* The part's entry, or NULL with a sentence. The caller closes *library (dlclose), unless the part
 * stays for good. */
const void *part_load(const struct part *part, void **library, struct status *st);

/* What a child finds out that loads a library, which leaves its traces in a process: `ask` fills an
 * answer of so many bytes, less than PIPE_BUF. Waits for it. -1: the child crashed, or, with a
 * sentence, could not begin. */
int part_ask(void (*ask)(const char *of, void *answer), const char *of, void *answer, size_t bytes,
             struct status *st);
