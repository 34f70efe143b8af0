#include "blocking.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../device/stage.h"
#include "../strided.h"

const char *const blocking_uses[] = {"split", "stride", "memory", "flip", NULL};

struct backend_ctx {
	const struct blocking_library *library;
	const struct trial *trial;
	struct blocking_place place;
	void *link;
	struct stage *stage; /* memory = device; else NULL */
	char *send, *recv;   /* the arenas */
	size_t mapped_bytes; /* of both, in CPU memory */
	int *counts;         /* alltoallv: memory of the call's four lists */
	/* Of the cell: */
	struct cell cell;
	struct coll_span span;
	struct value_parts parts;
	uint64_t seed;
	unsigned slots;
	struct blocking_call call;
	struct status error; /* of issue, kept for poll */
};

/* --- collectives that are sends and receives, in rounds --- */

static struct blocking_exchange exchange(const struct blocking_call *call, unsigned to,
                                         unsigned from, size_t first, size_t count)
{
	return (struct blocking_exchange){
	    .to = to,
	    .from = from,
	    .out = call->from + first * call->element,
	    .in = call->to + first * call->element,
	    .out_elements = to == UINT_MAX ? 0 : count,
	    .in_elements = from == UINT_MAX ? 0 : count,
	    .element = call->element,
	};
}

static struct blocking_exchange ring(const struct blocking_call *c, unsigned round)
{
	(void)round;
	return exchange(c, (c->me + 1) % c->n, (c->me + c->n - 1) % c->n, 0, c->elements);
}

static struct blocking_exchange pairs(const struct blocking_call *c, unsigned round)
{
	(void)round;
	return exchange(c, c->me ^ 1, c->me ^ 1, 0, c->elements);
}

static struct blocking_exchange both(const struct blocking_call *c, unsigned round)
{
	unsigned next = (c->me + 1) % c->n, last = (c->me + c->n - 1) % c->n;
	size_t half = c->elements / 2;
	return round ? exchange(c, last, next, half, c->elements - half)
	             : exchange(c, next, last, 0, half);
}

static struct blocking_exchange halves(const struct blocking_call *c, unsigned round)
{
	unsigned peer = (c->me + c->n / 2) % c->n;
	(void)round;
	return exchange(c, peer, peer, 0, c->elements);
}

static struct blocking_exchange one_pair(const struct blocking_call *c, unsigned round)
{
	unsigned sender = value_pair_from(c->root), receiver = value_pair_to(c->root, c->n);
	(void)round;
	return exchange(c, c->me == sender ? receiver : UINT_MAX,
	                c->me == receiver ? sender : UINT_MAX, 0, c->elements);
}

/* The round that joins cubes of 1 << round ranks: sends all of the own cube's data to the peer. */
static struct blocking_exchange cube(const struct blocking_call *c, unsigned round)
{
	unsigned size = 1u << round, own = c->me & ~(size - 1), peer = c->me ^ size;
	size_t bytes = c->part * c->element;
	return (struct blocking_exchange){
	    .to = peer,
	    .from = peer,
	    .out = c->to + own * bytes,
	    .in = c->to + (own ^ size) * bytes,
	    .out_elements = size * c->part,
	    .in_elements = size * c->part,
	    .element = c->element,
	};
}

/* Forth, then back. */
static struct blocking_exchange there_and_back(const struct blocking_call *c, unsigned round)
{
	unsigned first = value_pair_from(c->root), second = value_pair_to(c->root, c->n);
	unsigned sends = round ? second : first, receives = round ? first : second;
	struct blocking_exchange e = exchange(c, c->me == sends ? receives : UINT_MAX,
	                                      c->me == receives ? sends : UINT_MAX, 0, c->elements);
	e.out = round ? c->to : c->from;
	return e;
}

static unsigned log2_of(unsigned n)
{
	unsigned rounds = 0;
	while (1u << rounds < n)
		rounds++;
	return rounds;
}

/* rounds = 0: as many as the ranks have binary digits. */
static const struct {
	unsigned rounds;
	struct blocking_exchange (*round)(const struct blocking_call *call, unsigned round);
} rounds_of[COLL_KINDS] = {
    [COLL_SENDRECV] = {1, ring},           [COLL_SENDRECV_PAIRS] = {1, pairs},
    [COLL_SENDRECV_BOTH] = {2, both},      [COLL_PAIR] = {1, one_pair},
    [COLL_PINGPONG] = {2, there_and_back}, [COLL_HYPERCUBE] = {0, cube},
    [COLL_SENDRECV_HALVES] = {1, halves},
};

static int exchange_rounds(struct backend_ctx *ctx, const struct blocking_call *call)
{
	unsigned n = rounds_of[call->coll].rounds;
	size_t part = call->part * call->element;
	if (call->coll == COLL_HYPERCUBE && !call->in_place)
		memcpy(call->to + call->me * part, call->from, part);
	for (unsigned r = 0; r < (n ? n : log2_of(call->n)); r++) {
		struct blocking_exchange e = rounds_of[call->coll].round(call, r);
		if ((e.out_elements || e.in_elements) &&
		    ctx->library->exchange(ctx->link, &e, &ctx->error))
			return -1;
	}
	return 0;
}

static int carry(struct backend_ctx *ctx, const char *from, char *to)
{
	struct blocking_call *call = &ctx->call;
	call->from = from;
	call->to = to;
	if (rounds_of[call->coll].round)
		return exchange_rounds(ctx, call);
	if (call->coll == COLL_ACCESS) { /* the library has no part in it */
		strided_copy(to, from, call->element, call->elements, ctx->trial->settings.stride,
		             0, call->elements);
		return 0;
	}
	return ctx->library->call(ctx->link, call, &ctx->error);
}

/* --- the timed path --- */

static int staged(struct backend_ctx *ctx, const char *from, char *to)
{
	struct stage *s = ctx->stage;
	const struct coll_span *span = &ctx->span;
	char *out = (ctx->cell.in_place ? s->in : s->out) + span->send_at;
	char *in = s->in + span->recv_at;
	if (stage_calls.copy(s, out, from, span->send_bytes, &ctx->error) || carry(ctx, out, in))
		return -1;
	return stage_calls.copy(s, to, in, span->recv_bytes, &ctx->error);
}

void blocking_nothing(struct backend_ctx *ctx)
{
	(void)ctx;
}

void blocking_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	size_t at = slot * ctx->cell.bytes;
	const char *from = (ctx->cell.in_place ? ctx->recv : ctx->send) + at + ctx->span.send_at;
	char *to = ctx->recv + at + ctx->span.recv_at;
	(void)i;
	if (ctx->error.text[0])
		return;
	if (slot >= ctx->slots)
		status_set(&ctx->error, "%s: buffer %u of %u prepared ones", ctx->library->name,
		           slot, ctx->slots);
	else if (ctx->stage ? staged(ctx, from, to) : carry(ctx, from, to))
		if (!ctx->error.text[0])
			status_set(&ctx->error, "%s: a call failed", ctx->library->name);
}

int blocking_poll(struct backend_ctx *ctx, unsigned i)
{
	(void)i;
	return ctx->error.text[0] ? -1 : 1;
}

void blocking_error(struct backend_ctx *ctx, struct status *st)
{
	*st = ctx->error;
}

/* --- cells --- */

static struct buffers buffers_of(const struct backend_ctx *ctx)
{
	return (struct buffers){
	    .question = buffers_question(ctx->trial, &ctx->cell, &ctx->parts, ctx->place.n,
	                                 ctx->place.me, ctx->place.color, ctx->seed),
	    .span = ctx->span,
	    .in_place = ctx->cell.in_place,
	    .slots = ctx->slots,
	    .send = ctx->send,
	    .recv = ctx->recv,
	};
}

static void take_counts(struct backend_ctx *ctx)
{
	const unsigned n = ctx->place.n, me = ctx->place.me;
	int *sent = ctx->counts, *sent_at = sent + n, *received = sent_at + n,
	    *received_at = received + n;
	for (unsigned r = 0, out = 0, in = 0; r < n; r++) {
		sent[r] = (int)value_part(&ctx->parts, me, r);
		sent_at[r] = (int)out;
		received[r] = (int)value_part(&ctx->parts, r, me);
		received_at[r] = (int)in;
		out += (unsigned)sent[r];
		in += (unsigned)received[r];
	}
	ctx->call.sent = sent;
	ctx->call.sent_at = sent_at;
	ctx->call.received = received;
	ctx->call.received_at = received_at;
}

int blocking_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                     unsigned slots, struct status *st)
{
	const unsigned n = ctx->place.n;
	const size_t element = coll_dtype_bytes(cell->dtype);
	if (slots == 0 || slots > ctx->trial->arena_bytes / cell->bytes)
		return status_set(st, "%s: %u buffers of %zu bytes do not fit an arena of %zu",
		                  ctx->library->name, slots, cell->bytes, ctx->trial->arena_bytes);
	ctx->cell = *cell;
	ctx->parts = coll_parts(cell, &ctx->trial->weights, n);
	ctx->span = coll_span(cell, &ctx->parts, n, ctx->place.me);
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->error.text[0] = '\0';
	ctx->call = (struct blocking_call){
	    .coll = cell->coll,
	    .dtype = cell->dtype,
	    .op = cell->op,
	    .n = n,
	    .me = ctx->place.me,
	    .root = cell->root,
	    .in_place = cell->in_place,
	    .element = element,
	    .elements = cell->bytes / element,
	    .part = cell->bytes / element / n,
	};
	if (cell->coll == COLL_ALLTOALLV)
		take_counts(ctx);
	struct buffers buffers = buffers_of(ctx);
	if (ctx->stage)
		return stage_calls.fill(ctx->stage, &buffers, st);
	buffers_fill(&buffers);
	return 0;
}

int blocking_corrupt(struct backend_ctx *ctx, unsigned i, size_t byte, struct status *st)
{
	(void)i;
	if (byte >= ctx->trial->arena_bytes)
		return status_set(st, "%s: flip: byte %zu is beyond the arena of %zu",
		                  ctx->library->name, byte, ctx->trial->arena_bytes);
	if (ctx->stage)
		return stage_calls.corrupt(ctx->stage, ctx->recv + byte, st);
	ctx->recv[byte] = (char)(ctx->recv[byte] ^ 1 << byte % 8);
	return 0;
}

int blocking_check(struct backend_ctx *ctx, unsigned i, struct backend_verdict *out,
                   struct status *st)
{
	struct buffers buffers = buffers_of(ctx);
	(void)i;
	if (ctx->stage)
		return stage_calls.check(ctx->stage, &buffers, out, st);
	buffers_check(&buffers, out);
	return 0;
}

int blocking_digest(struct backend_ctx *ctx, unsigned i, uint64_t *out, struct status *st)
{
	struct buffers buffers = buffers_of(ctx);
	(void)i;
	if (ctx->stage)
		return stage_calls.digest(ctx->stage, &buffers, out, st);
	*out = buffers_digest(&buffers);
	return 0;
}

/* --- opening and closing --- */

int blocking_numa_node(const struct trial *trial, unsigned rank)
{
	bool device = trial->settings.memory == MEMORY_DEVICE;
	return device && stage_calls.numa_node ? stage_calls.numa_node(trial_device(trial, rank))
	                                       : -1;
}

static size_t call_bytes(const struct trial *trial)
{
	size_t most = 0;
	for (unsigned c = 0; c < trial->ncells; c++)
		if (trial->cells[c].bytes > most)
			most = trial->cells[c].bytes;
	return most;
}

static int make_arenas(struct backend_ctx *ctx, struct status *st)
{
	size_t arena = buffers_pages(ctx->trial->arena_bytes);
	if (ctx->trial->settings.memory == MEMORY_DEVICE) {
		if (stage_calls.open(trial_device(ctx->trial, ctx->place.rank), arena,
		                     call_bytes(ctx->trial), &ctx->stage, st))
			return -1;
		ctx->send = ctx->stage->send;
		ctx->recv = ctx->stage->recv;
		return 0;
	}
	void *at =
	    mmap(NULL, 2 * arena, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return status_set(st, "%s: cannot map %zu bytes of buffers", ctx->library->name,
		                  2 * arena);
	ctx->mapped_bytes = 2 * arena;
	ctx->send = at;
	ctx->recv = ctx->send + arena;
	return buffers_touch(ctx->library->name, at, ctx->mapped_bytes, true, st);
}

int blocking_open(const struct blocking_library *library, const struct backend_place *place,
                  struct backend_ctx **out, struct status *st)
{
	struct backend_ctx *ctx = calloc(1, sizeof *ctx);
	struct split split = place->trial->settings.split;
	struct split_place at = split_place(split, place->nranks, place->first);
	if (!ctx)
		return status_set(st, "%s: no memory", library->name);
	*out = ctx; /* from here on close() frees it */
	ctx->library = library;
	ctx->trial = place->trial;
	ctx->place = (struct blocking_place){.team = place->team,
	                                     .rank = place->first,
	                                     .n = at.size,
	                                     .me = at.index,
	                                     .color = at.color,
	                                     .split = split};
	ctx->counts = calloc(4 * (size_t)at.size, sizeof *ctx->counts);
	if (!ctx->counts)
		return status_set(st, "%s: no memory", library->name);
	return make_arenas(ctx, st) ? -1 : blocking_connect(ctx, st);
}

int blocking_connect(struct backend_ctx *ctx, struct status *st)
{
	return ctx->library->connect(&ctx->place, &ctx->link, st);
}

void blocking_disconnect(struct backend_ctx *ctx)
{
	if (ctx->link)
		ctx->library->disconnect(ctx->link);
	ctx->link = NULL;
}

void blocking_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	const char *from = ctx->stage ? "device, staged through pinned CPU memory" : "CPU";
	int used = snprintf(text, bytes, "memory=%s\nmemory_buffers_bytes=%zu\n", from,
	                    2 * ctx->trial->arena_bytes);
	if (ctx->link && used > 0 && (size_t)used < bytes)
		ctx->library->describe(ctx->link, text + used, bytes - (size_t)used);
}

void blocking_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	blocking_disconnect(ctx);
	if (ctx->stage)
		stage_calls.close(ctx->stage);
	if (ctx->mapped_bytes)
		munmap(ctx->send, ctx->mapped_bytes);
	free(ctx->counts);
	free(ctx);
}

/* --- what can be carried out --- */

static int supports_cell(const struct blocking_library *library, const struct trial *trial,
                         const struct cell *cell, struct status *st)
{
	const unsigned n = trial_comm_ranks(trial), is = coll_info(cell->coll)->is;
	const size_t element = coll_dtype_bytes(cell->dtype);
	const char *name = coll_info(cell->coll)->name, *why = coll_refuses(cell->coll, n);
	if (cell->coll == COLL_INIT)
		return 0;
	if (cell->coll == COLL_COPY)
		return status_set(st,
		                  "%s: the limit is plain copies without a library; allowed is "
		                  "limit = no",
		                  library->name);
	if (is & COLL_RAW)
		return status_set(st,
		                  "%s: %s is plain copies without a library; allowed are the "
		                  "backends nccl, host and null",
		                  library->name, name);
	if (!why && !rounds_of[cell->coll].round && !(is & COLL_LOCAL) &&
	    !library->carries(cell->coll))
		why = "the library has no such call, and this backend does not build it from sends "
		      "and receives";
	if (!why)
		why = library->refuses(cell);
	if (!why && (!cell->bytes || cell->bytes % (element * (is & COLL_PARTED ? n : 1))))
		why = "sizes have to be whole elements, and for every rank if buffers are cut";
	if (!why && cell->bytes / element > INT_MAX)
		why = "the library counts elements in an int: use fewer, or a larger datatype";
	if (!why && is & COLL_ROOTED && cell->root >= n)
		why = "the root is not a rank of the communicator";
	if (!why && is & COLL_PAIRS && !coll_is_pair(cell->root, n))
		why = "the pair is not in the communicator";
	return why ? status_set(st, "%s: %s: %s", library->name, name, why) : 0;
}

static int supports_memory(const struct blocking_library *library, const struct trial *trial,
                           struct status *st)
{
	const unsigned nranks = layout_ranks(trial->settings.layout);
	struct status why = {""};
	if (trial->settings.memory == MEMORY_DEVICE) {
		unsigned have = stage_calls.devices(&why);
		if (have >= nranks)
			return 0;
		return status_set(st, "memory = device: %u ranks need a GPU each, and %s", nranks,
		                  have ? "there are fewer" : why.text);
	}
	size_t pages = (size_t)sysconf(_SC_PHYS_PAGES), page = (size_t)sysconf(_SC_PAGESIZE);
	size_t all;
	if (__builtin_mul_overflow(trial->arena_bytes, 2 * (size_t)nranks, &all) ||
	    all / page >= pages)
		return status_set(st,
		                  "%s: %u ranks with 2 arenas of %zu MiB each need more memory "
		                  "than the %zu MiB of this machine: ask for smaller sizes",
		                  library->name, nranks, trial->arena_bytes >> 20,
		                  pages * page >> 20);
	return 0;
}

int blocking_supports(const struct blocking_library *library, const struct trial *trial,
                      struct status *st)
{
	const struct settings *set = &trial->settings;
	const char *why = library->refuses_layout(set->layout);
	unsigned group;
	if (why)
		return status_set(st, "%s: %s", library->name, why);
	if (set->start == START_GATED)
		return status_set(st,
		                  "%s: start = gated holds devices until all have issued, and "
		                  "its calls complete while they are issued; allowed is free",
		                  library->name);
	if (set->split.op != SPLIT_NONE &&
	    split_size(set->split, layout_ranks(set->layout), 2, &group, st))
		return -1;
	for (unsigned c = 0; c < trial->ncells; c++)
		if (supports_cell(library, trial, &trial->cells[c], st))
			return -1;
	return supports_memory(library, trial, st);
}
