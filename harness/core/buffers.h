/* One rank's buffers of a cell, for every backend: the inputs that they get, and the outputs that
 * they must have. Never in a timed call. */
#pragma once

#include "backend.h"

/* `slots` buffers in each arena, question.count elements apart. Not owned. */
struct buffers {
	struct value_question question; /* of the rank */
	struct coll_span span;
	bool in_place; /* both sides are in recv */
	unsigned slots;
	char *send, *recv;                   /* the arenas */
	const struct buffers_memory *memory; /* NULL: the CPU's */
	const void *at;                      /* where in that memory; its own */
};

/* The functions of that name below, of memory that the CPU does not fill and check (device.h). */
struct buffers_memory {
	int (*fill)(const struct buffers *buffers, struct status *st);
	int (*check)(const struct buffers *buffers, struct backend_verdict *out, struct status *st);
	int (*corrupt)(const struct buffers *buffers, size_t byte, struct status *st);
};

/* Groups of a split communicator have different inputs: one cannot be mistaken for another. */
struct value_question buffers_question(const struct trial *trial, const struct cell *cell,
                                       const struct value_parts *parts, unsigned nranks,
                                       unsigned index, unsigned color, uint64_t seed);
/* A rank's buffers in the arenas, by its place in its communicator. */
struct buffers buffers_of(const struct trial *trial, const struct cell *cell,
                          const struct value_parts *parts, struct split_place at, unsigned slots,
                          uint64_t seed, char *send, char *recv);
/* Prepares a cell in a context of `count` ranks, and fills their buffers. */
int buffers_prepare(const struct backend *backend, struct backend_ctx *ctx, unsigned count,
                    const struct cell *cell, uint64_t seed, unsigned slots, struct status *st);
/* Poisons the output slots, then writes value_input to the send sides. */
int buffers_fill(const struct buffers *buffers, struct status *st);
/* Counts the elements that are not value_expected; wrong_at is from the arena's start. */
int buffers_check(const struct buffers *buffers, struct backend_verdict *out, struct status *st);
/* Flips a bit of a byte of the receive arena, which has so many. */
int buffers_corrupt(const struct buffers *buffers, size_t arena_bytes, size_t byte,
                    struct status *st);

/* Copies n elements from number `first` on in the order of strided access: those `stride` apart,
 * then the same from the next one on. Of a buffer of `count` elements of 1, 2, 4 or 8 bytes. */
void buffers_copy_strided(void *to, const void *from, size_t element, size_t count, size_t stride,
                          size_t first, size_t n);

/* Whether this machine has so much memory, or -1 with the sentence. */
int buffers_fit(const char *backend, unsigned nranks, size_t bytes, struct status *st);
size_t buffers_pages(size_t bytes);
/* Faults in whole pages now, writable, so that no timed call does. fresh: nobody else has the
 * memory, and it is still zero; else its content stays. */
int buffers_touch(const char *backend, void *at, size_t bytes, bool fresh, struct status *st);
