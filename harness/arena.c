#include "arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdalign.h>

#define CHUNK_BYTES ((size_t)64 << 10)

struct chunk {
	struct chunk *next;
	size_t used, room;
	alignas(max_align_t) char bytes[];
};

struct deferred {
	struct deferred *next;
	void (*undo)(void *what);
	void *what;
};

struct arena {
	struct chunk *chunks; /* the first is the one with room */
	struct deferred *deferred;
	jmp_buf *end;
};

int arena_run(void (*work)(struct arena *, void *), void *of, struct arena **out)
{
	jmp_buf end;
	struct arena *arena = calloc(1, sizeof *arena);
	if (out)
		*out = NULL;
	if (!arena)
		return -1;
	arena->end = &end;
	/* Else clang assumes that the arena is still empty when setjmp returns again. */
	struct arena *volatile kept = arena;
	if (setjmp(end)) {
		arena_free(kept);
		return -1;
	}
	work(arena, of);
	arena->end = NULL;
	if (out)
		*out = arena;
	else
		arena_free(arena);
	return 0;
}

struct piece {
	int (*work)(struct arena *, void *);
	void *of;
	int rc;
};

static void do_piece(struct arena *arena, void *of)
{
	struct piece *p = of;
	p->rc = p->work(arena, p->of);
}

int arena_work(int (*work)(struct arena *, void *), void *of, const char *what, struct status *st)
{
	struct piece p = {work, of, -1};
	return arena_run(do_piece, &p, NULL) ? status_set(st, "out of memory for %s", what) : p.rc;
}

static void undo_one(struct deferred *d)
{
	if (d->what)
		d->undo(d->what);
	d->what = NULL;
}

void arena_undo(struct arena *arena, const void *what)
{
	for (struct deferred *d = arena->deferred; d; d = d->next)
		if (d->what == what)
			undo_one(d);
}

struct arena_mark arena_mark(const struct arena *arena)
{
	return (struct arena_mark){.chunk = arena->chunks,
	                           .deferred = arena->deferred,
	                           .used = arena->chunks ? arena->chunks->used : 0};
}

void arena_release(struct arena *arena, struct arena_mark mark)
{
	for (; arena->deferred != mark.deferred; arena->deferred = arena->deferred->next)
		undo_one(arena->deferred);
	while (arena->chunks != mark.chunk) {
		struct chunk *c = arena->chunks;
		arena->chunks = c->next;
		free(c);
	}
	if (!mark.chunk)
		return;
	memset(arena->chunks->bytes + mark.used, 0, arena->chunks->used - mark.used);
	arena->chunks->used = mark.used;
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	arena_release(arena, (struct arena_mark){.chunk = NULL});
	free(arena);
}

static _Noreturn void arena_fail(struct arena *arena)
{
	if (!arena->end)
		abort(); /* used after its work ended: a bug of the caller */
	longjmp(*arena->end, 1);
}

/* NULL: memory is out. */
static void *try_take(struct arena *arena, size_t bytes)
{
	const size_t unit = alignof(max_align_t);
	struct chunk *c = arena->chunks;
	if (bytes > SIZE_MAX / 2)
		return NULL;
	bytes = (bytes + unit - 1) / unit * unit;
	if (!c || c->room - c->used < bytes) {
		const size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		c = calloc(1, sizeof *c + room);
		if (!c)
			return NULL;
		c->room = room;
		c->next = arena->chunks;
		arena->chunks = c;
	}
	void *taken = c->bytes + c->used;
	c->used += bytes;
	return taken;
}

void *arena_take(struct arena *arena, size_t bytes)
{
	void *taken = try_take(arena, bytes);
	if (!taken)
		arena_fail(arena);
	return taken;
}

void *arena_array(struct arena *arena, size_t n, size_t bytes)
{
	if (bytes && n > SIZE_MAX / 2 / bytes)
		arena_fail(arena);
	return arena_take(arena, n * bytes);
}

void *arena_more(struct arena *arena, const void *list, size_t n, size_t bytes)
{
	if (n & (n - 1))
		return (void *)list;
	void *more = arena_array(arena, n ? 2 * n : 1, bytes);
	if (n)
		memcpy(more, list, n * bytes);
	return more;
}

const char *arena_copy(struct arena *arena, const char *text)
{
	const size_t bytes = strlen(text) + 1;
	return memcpy(arena_take(arena, bytes), text, bytes);
}

const char *arena_text(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const int n = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (n < 0)
		arena_fail(arena);
	char *text = arena_take(arena, (size_t)n + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)n + 1, format, args);
	va_end(args);
	return text;
}

void arena_need(struct arena *arena, bool ok)
{
	if (!ok)
		arena_fail(arena);
}

void arena_defer(struct arena *arena, void (*undo)(void *), void *what)
{
	struct deferred *d = try_take(arena, sizeof *d);
	if (!d) {
		undo(what);
		arena_fail(arena);
	}
	*d = (struct deferred){arena->deferred, undo, what};
	arena->deferred = d;
}

static void stream_close(void *of)
{
	struct arena_stream *s = of;
	if (s->out)
		fclose(s->out);
	free(s->text);
}

struct arena_stream *arena_stream(struct arena *arena)
{
	struct arena_stream *s = ARENA_NEW(arena, struct arena_stream);
	arena_defer(arena, stream_close, s);
	s->out = open_memstream(&s->text, &s->bytes);
	arena_need(arena, s->out);
	return s;
}

const char *arena_written(struct arena *arena, const struct arena_stream *s)
{
	arena_need(arena, !fflush(s->out) && !ferror(s->out));
	return s->text;
}
