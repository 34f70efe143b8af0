#include "buffers.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

/* An element's bits, from and to memory; little-endian. */
static uint64_t element_get(const char *at, size_t bytes)
{
	uint64_t bits = 0;
	memcpy(&bits, at, bytes);
	return bits;
}

static void element_put(char *at, size_t bytes, uint64_t bits)
{
	memcpy(at, &bits, bytes);
}

void buffers_fill(const struct buffers *b)
{
	const struct value_question *q = &b->question;
	size_t element = coll_dtype_bytes(q->dtype), slot_bytes = q->count * element;
	size_t count = b->span.send_bytes / element;
	char *send = (b->in_place ? b->recv : b->send) + b->span.send_at;
	memset(b->recv, VALUE_POISON_BYTE, b->slots * slot_bytes);
	for (unsigned slot = 0; slot < b->slots; slot++)
		for (size_t k = 0; k < count; k++)
			element_put(send + slot * slot_bytes + k * element, element,
			            value_input(q, q->rank, slot * q->count + k));
}

void buffers_check(const struct buffers *b, struct backend_verdict *out)
{
	const struct value_question *q = &b->question;
	size_t element = coll_dtype_bytes(q->dtype), slot_bytes = q->count * element;
	size_t count = b->span.recv_bytes / element;
	const char *recv = b->recv + b->span.recv_at;
	struct backend_verdict verdict = {0};
	for (unsigned slot = 0; slot < b->slots; slot++) {
		for (size_t at = 0; at < count; at++) {
			uint64_t base = slot * q->count, right = value_expected(q, base, at);
			uint64_t got =
			    element_get(recv + slot * slot_bytes + at * element, element);
			if (got == right || verdict.wrong++ > 0)
				continue;
			verdict.wrong_at = base + b->span.recv_at / element + at;
			verdict.expected = right;
			verdict.got = got;
		}
	}
	*out = verdict;
}

uint64_t buffers_digest(const struct buffers *b)
{
	return XXH3_64bits(b->recv + b->span.recv_at, b->span.recv_bytes);
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
