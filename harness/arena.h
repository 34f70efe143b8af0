/* Memory that is freed as a whole: what analysis, chapters and reports allocate lives as long as
 * the report, so that nothing in it needs its own free function.
 *
 * Callers do not pass on the error that memory is out: arena_run jumps back to the start of the
 * work and returns -1, and everything in the arena is freed. Such work keeps nothing else: a file
 * or a JSON value that must not outlive it goes to arena_defer.
 *
 * Our own code, since GNU's obstack ends the process when memory is out, and talloc is a library
 * that our users' machines lack. */
#pragma once

#include "status.h"

struct arena;

/* Runs work(arena, of) with a new arena and returns 0, or -1 if memory is out; the caller words the
 * error. On success *out owns the arena (arena_free); if out is NULL, it is freed here. */
int arena_run(void (*work)(struct arena *arena, void *of), void *of, struct arena **out);
/* The same, and frees it: returns what the work returned, or -1 with "out of memory for WHAT". */
int arena_work(int (*work)(struct arena *arena, void *of), void *of, const char *what,
               struct status *st);
/* Runs what was deferred, the last first, then frees everything. NULL is allowed. */
void arena_free(struct arena *arena);

/* `bytes` of zeros, aligned for any type. Never NULL: the work ends if memory is out. */
void *arena_take(struct arena *arena, size_t bytes);
#define ARENA_NEW(arena, type)      ((type *)arena_take((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_array((arena), (n), sizeof(type)))
/* n elements of zeros; a product that overflows ends the work as well. */
void *arena_array(struct arena *arena, size_t n, size_t bytes);
/* A list of n elements with room for one more, as it grows: copied when n is a power of two. */
void *arena_more(struct arena *arena, const void *list, size_t n, size_t bytes);

const char *arena_copy(struct arena *arena, const char *text);
const char *arena_text(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Unless `ok`, ends the work as if memory were out: for calls that fail for no other reason. */
void arena_need(struct arena *arena, bool ok);
/* undo(what) when the arena is freed; at once if memory is out. */
void arena_defer(struct arena *arena, void (*undo)(void *what), void *what);
/* Does now what was deferred for this. */
void arena_undo(struct arena *arena, const void *what);

/* A text that is written as a file is; arena_undo frees it earlier. */
struct arena_stream {
	FILE *out;
	char *text;
	size_t bytes;
};
struct arena_stream *arena_stream(struct arena *arena);
/* All that was written so far; valid until more is. */
const char *arena_written(struct arena *arena, const struct arena_stream *stream);

/* What is taken from the mark on is scratch, and freed by arena_release: loops do not add up. */
struct arena_mark {
	void *chunk, *deferred;
	size_t used;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_release(struct arena *arena, struct arena_mark mark);
