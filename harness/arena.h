/* Memory that is freed as a whole: what analysis, chapters and reports make lives as long as
 * the report does, so that nothing in it needs a free function of its own.
 *
 * Memory that ends is no error that each caller passes on: arena_run jumps back to where the
 * work began and answers -1, and everything that the arena holds is freed. Work that is run so
 * keeps nothing else: a file or a JSON value that must not outlive it is handed to arena_defer.
 *
 * Sixty lines of our own, since GNU's obstack ends the process when memory ends, and talloc is
 * a library that no machine of our users has. */
#ifndef LAUNCHGAP_ARENA_H
#define LAUNCHGAP_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Runs work(arena, of) with a new arena and returns 0, or -1 where memory ended, with the
 * status left to the caller. *out owns the arena on success (arena_free); NULL: it is freed
 * here. */
int arena_run(void (*work)(struct arena *arena, void *of), void *of, struct arena **out);
/* Everything in it, then what was deferred, the last first. NULL is nothing. */
void arena_free(struct arena *arena);

/* `bytes` of zeros, aligned for any type. Never NULL: work ends where memory does. */
void *arena_take(struct arena *arena, size_t bytes);
#define ARENA_NEW(arena, type)      ((type *)arena_take((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, n) ((type *)arena_array((arena), (n), sizeof(type)))
/* n elements of zeros; a product that does not fit ends the work as well. */
void *arena_array(struct arena *arena, size_t n, size_t bytes);
/* A list of n elements with room for one more, as it grows: copied when n is a power of two. */
void *arena_more(struct arena *arena, const void *list, size_t n, size_t bytes);

const char *arena_copy(struct arena *arena, const char *text);
const char *arena_text(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the work as memory that ends does, unless `ok`: of calls that fail for no other reason.
 */
void arena_need(struct arena *arena, bool ok);
/* undo(what) when the arena is freed. */
void arena_defer(struct arena *arena, void (*undo)(void *what), void *what);

#endif
