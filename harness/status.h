/* Sentences for people: the one error text of a call, and the lines of a run in progress.
 *
 * The function that first detects an error words it, once, with the cause and what is allowed; all
 * callers pass it on. Outputs are set only on success. With it come the headers of C that almost
 * every file uses. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct status {
	char text[1024]; /* "": no error */
};

/* Sets the text and returns -1, so that `return status_set(st, …);` is an error path.
 * An existing text stays: the first cause matters. */
int status_set(struct status *st, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same of a place in a file: "file:7: …"; line 0: "file: …". */
int status_at(struct status *st, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Appends to a text, cut to fit. `bytes`: the room of the whole text. */
void status_add(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds a name to a list in a sentence: "a, b"; cuts it if there is no room. */
void status_list(char *list, size_t bytes, const char *name);

/* What strerror says of a fork or a thread that failed, and which limits do that. */
const char *status_unstarted(int error);

/* "launchgap: <text>" on stderr. */
void status_complain(const struct status *st);

void status_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Progress of a run on stderr: one line redrawn on a terminal, cut to its width; plain lines
 * elsewhere (terminal_redraws). */
void status_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Now, by strftime's form, in UTC. */
void status_utc(const char *form, char text[32]);
#define STATUS_UTC "%Y-%m-%dT%H:%M:%SZ"
/* "1m05s" */
void status_span(int64_t ns, char *text, size_t bytes);
void status_progress_end(void);
