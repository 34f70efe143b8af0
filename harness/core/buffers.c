#include "buffers.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

struct value_question buffers_question(const struct trial *trial, const struct cell *cell,
                                       const struct value_parts *parts, unsigned nranks,
                                       unsigned index, unsigned color, uint64_t seed)
{
	bool split = trial->settings.split.op != SPLIT_NONE;
	return (struct value_question){
	    .coll = cell->coll,
	    .dtype = cell->dtype,
	    .op = cell->op,
	    .nranks = nranks,
	    .rank = index,
	    .root = cell->root,
	    .seed = split ? value_mix(seed + color) : seed,
	    .count = cell->bytes / coll_dtype_bytes(cell->dtype),
	    .parts = *parts,
	};
}

struct buffers buffers_of(const struct trial *trial, const struct cell *cell,
                          const struct value_parts *parts, struct split_place at, unsigned slots,
                          uint64_t seed, char *send, char *recv)
{
	return (struct buffers){
	    .question = buffers_question(trial, cell, parts, at.size, at.index, at.color, seed),
	    .span = coll_span(cell, parts, at.size, at.index),
	    .in_place = cell->in_place,
	    .slots = slots,
	    .send = send,
	    .recv = recv,
	};
}

int buffers_prepare(const struct backend *backend, struct backend_ctx *ctx, unsigned count,
                    const struct cell *cell, uint64_t seed, unsigned slots, struct status *st)
{
	struct buffers of;
	if (backend->prepare(ctx, cell, seed, slots, st))
		return -1;
	for (unsigned i = 0; i < count && backend->buffers; i++) {
		backend->buffers(ctx, i, &of);
		if (buffers_fill(&of, st))
			return -1;
	}
	return 0;
}

/* An element, to or from the low end of its bits. Constant sizes: else a copy is a call. */
static void element_copy(void *to, const void *from, size_t bytes)
{
	if (bytes == 4)
		memcpy(to, from, 4);
	else if (bytes == 2)
		memcpy(to, from, 2);
	else if (bytes == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, 8);
}

static uint64_t element_get(const char *at, size_t bytes)
{
	uint64_t bits = 0;
	element_copy(&bits, at, bytes);
	return bits;
}

/* Most of a cell's time outside its calls. A copy of the question: no buffer aliases it. */
static void put(const struct value_question *q, char *at, uint64_t position, size_t n)
{
	const struct value_question own = *q;
	const struct value_rule rule = value_rule(&own);
	const size_t element = coll_dtype_bytes(own.dtype);
	for (size_t k = 0; k < n; k++) {
		const uint64_t bits =
		    value_input_by(&own, &rule, value_place(&own, position + k), own.rank);
		element_copy(at + k * element, &bits, element);
	}
}

/* How many elements are right, up to the first that is wrong. */
static size_t right(const struct value_question *q, struct value_source from, const char *at,
                    size_t n)
{
	const struct value_question own = *q;
	const struct value_rule rule = value_rule(&own);
	const size_t element = coll_dtype_bytes(own.dtype);
	const uint64_t first = from.position;
	size_t k = 0;
	if (from.reduced)
		while (k < n && element_get(at + k * element, element) ==
		                    value_reduced_by(&own, &rule, value_place(&own, first + k)))
			k++;
	else
		while (k < n &&
		       element_get(at + k * element, element) ==
		           value_input_by(&own, &rule, value_place(&own, first + k), from.rank))
			k++;
	return k;
}

int buffers_fill(const struct buffers *b, struct status *st)
{
	if (b->memory)
		return b->memory->fill(b, st);
	const struct value_question *q = &b->question;
	size_t element = coll_dtype_bytes(q->dtype), slot_bytes = q->count * element;
	size_t count = b->span.send_bytes / element;
	char *send = (b->in_place ? b->recv : b->send) + b->span.send_at;
	memset(b->recv, VALUE_POISON_BYTE, b->slots * slot_bytes);
	for (unsigned slot = 0; slot < b->slots; slot++)
		put(q, send + slot * slot_bytes, slot * q->count, count);
	return 0;
}

int buffers_check(const struct buffers *b, struct backend_verdict *out, struct status *st)
{
	if (b->memory)
		return b->memory->check(b, out, st);
	const struct value_question *q = &b->question;
	size_t element = coll_dtype_bytes(q->dtype), slot_bytes = q->count * element;
	size_t count = b->span.recv_bytes / element;
	struct backend_verdict verdict = {0};
	for (unsigned slot = 0; slot < b->slots; slot++) {
		const char *recv = b->recv + b->span.recv_at + slot * slot_bytes;
		const uint64_t base = slot * q->count;
		for (size_t at = 0; at < count;) {
			const struct value_source from = value_source(q, base, at);
			const size_t left = count - at, n = from.run < left ? from.run : left;
			at += right(q, from, recv + at * element, n);
			if (n && at == count - left + n)
				continue;
			if (!verdict.wrong++) {
				verdict.wrong_at = base + b->span.recv_at / element + at;
				verdict.expected = value_expected(q, base, at);
				verdict.got = element_get(recv + at * element, element);
			}
			at++;
		}
	}
	*out = verdict;
	return 0;
}

int buffers_corrupt(const struct buffers *b, size_t arena_bytes, size_t byte, struct status *st)
{
	if (byte >= arena_bytes)
		return status_set(st, "flip: byte %zu is beyond the arena of %zu", byte,
		                  arena_bytes);
	if (b->memory)
		return b->memory->corrupt(b, byte, st);
	b->recv[byte] = (char)(b->recv[byte] ^ 1 << byte % 8);
	return 0;
}

int buffers_fit(const char *backend, unsigned nranks, size_t bytes, struct status *st)
{
	const size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = buffers_pages(1);
	if (bytes / page < pages)
		return 0;
	return status_set(st,
	                  "%s: %u ranks need %zu MiB of memory and this machine has %zu: ask for "
	                  "smaller sizes or fewer ranks",
	                  backend, nranks, bytes >> 20, pages * page >> 20);
}

size_t buffers_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	return (bytes + page - 1) / page * page;
}

int buffers_touch(const char *backend, void *at, size_t bytes, bool fresh, struct status *st)
{
#ifdef MADV_POPULATE_WRITE
	if (madvise(at, bytes, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL) /* a kernel before 5.14 */
		return status_set(st,
		                  "%s: no memory for %zu bytes of buffers (%s): ask for smaller "
		                  "sizes or fewer ranks",
		                  backend, bytes, strerror(errno));
#endif
	volatile uint8_t *byte = at;
	for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE)) {
		if (fresh)
			byte[i] = 0;
		else /* adding 0 is a write that keeps what another process may have written */
			__atomic_fetch_add((uint32_t *)((char *)at + i), 0, __ATOMIC_RELAXED);
	}
	(void)st, (void)backend;
	return 0;
}

static inline void copy_strided(uint8_t *to, const uint8_t *from, size_t element, size_t count,
                                size_t stride, size_t first, size_t n)
{
	const size_t rows = count / stride, whole = rows * stride;
	size_t column = rows ? first / rows : 0, row = rows ? first % rows : 0, end = first + n;
	size_t k = first;
	while (k < end && k < whole) {
		size_t run = rows - row < end - k ? rows - row : end - k;
		for (size_t i = 0; i < run; i++) {
			size_t at = ((row + i) * stride + column) * element;
			memcpy(to + at, from + at, element);
		}
		k += run;
		row = 0;
		column++;
	}
	memcpy(to + k * element, from + k * element, (end - k) * element);
}

void buffers_copy_strided(void *to, const void *from, size_t element, size_t count, size_t stride,
                          size_t first, size_t n)
{
	switch (element) { /* constant sizes: an element is one load and one store */
	case 1:
		copy_strided(to, from, 1, count, stride, first, n);
		break;
	case 2:
		copy_strided(to, from, 2, count, stride, first, n);
		break;
	case 4:
		copy_strided(to, from, 4, count, stride, first, n);
		break;
	default:
		copy_strided(to, from, 8, count, stride, first, n);
	}
}
