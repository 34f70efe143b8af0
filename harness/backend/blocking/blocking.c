#include "blocking.h"
#include "../../memory.h"

#include <sys/mman.h>

#include "../device/stage.h"

struct backend_ctx {
	const struct blocking_library *library;
	const struct trial *trial;
	struct blocking_place place;
	const struct coll_calls *calls;
	void *link;
	struct stage *stage; /* memory = device; else NULL */
	char *send, *recv;   /* the arenas */
	size_t mapped_bytes; /* of both, in CPU memory */
	int *counts;         /* alltoallv: memory of the call's four lists */
	/* Of the cell: */
	struct steps_call call;
	struct steps_plan plan;
	struct coll_span span;
	uint64_t seed;
	unsigned slots;
	struct coll_call coll;
	struct status error; /* of issue, kept for poll */
};

/* Those for which both libraries have a call. */
static const bool carried[COLL_KINDS] = {
    [COLL_ALL_REDUCE] = true, [COLL_ALL_GATHER] = true, [COLL_REDUCE_SCATTER] = true,
    [COLL_BROADCAST] = true,  [COLL_REDUCE] = true,     [COLL_ALLTOALL] = true,
    [COLL_ALLTOALLV] = true,  [COLL_GATHER] = true,     [COLL_SCATTER] = true,
};

/* Any other one that only moves data is sends and receives, phase by phase. */
static bool exchanged(enum coll_kind coll)
{
	return !carried[coll] && !(coll_info(coll)->is & (COLL_TRAINS | COLL_ROUTED | COLL_LOCAL |
	                                                  COLL_RAW | COLL_PSEUDO));
}

/* A turn of a phase: a push, a pull, or both. A rank's own part is only copied. */
static int exchange(struct backend_ctx *ctx, const struct steps_move *push,
                    const struct steps_move *pull, char *why)
{
	const struct coll_call *c = &ctx->coll;
	const char *sides[] = {
	    [STEP_SEND] = c->from - ctx->span.send_at, [STEP_RECV] = c->to - ctx->span.recv_at};
	struct coll_exchange e = {.to = -1, .from = -1, .element = c->element};
	if (push) {
		e.to = (int)push->place;
		e.out = sides[push->step.side] + push->step.from;
		e.out_elements = push->step.bytes / c->element;
	}
	if (pull) {
		e.from = (int)pull->place;
		e.in = c->to - ctx->span.recv_at + pull->step.to;
		e.in_elements = pull->step.bytes / c->element;
	}
	if (pull && pull->place == c->me) {
		memcpy(e.in, sides[pull->step.side] + pull->step.from, pull->step.bytes);
		return 0;
	}
	return ctx->calls->exchange(ctx->link, &e, why);
}

static int exchange_all(struct backend_ctx *ctx, char *why)
{
	const struct steps_plan *plan = &ctx->plan;
	const struct steps_move *push = plan->pushes, *pull = plan->pulls;
	const struct steps_move *last_push = push + plan->npushes, *last_pull = pull + plan->npulls;
	for (unsigned phase = 0; push < last_push || pull < last_pull;) {
		const bool pulls = pull < last_pull && pull->phase == phase;
		const bool pushes = push < last_push && push->phase == phase &&
		                    !(pulls && pull->place == ctx->coll.me);
		if ((pulls || pushes) &&
		    exchange(ctx, pushes ? push : NULL, pulls ? pull : NULL, why))
			return -1;
		phase += !pulls && !pushes;
		pull += pulls;
		push += pushes;
	}
	return 0;
}

static int carry(struct backend_ctx *ctx, const char *from, char *to)
{
	struct coll_call *call = &ctx->coll;
	char why[COLL_CALL_WHY] = "";
	call->from = from;
	call->to = to;
	if (call->coll == COLL_ACCESS) /* the library has no part in it */
		buffers_copy_strided(to, from, call->element, call->elements,
		                     ctx->trial->settings.stride, 0, call->elements);
	else if (carried[call->coll] ? ctx->calls->call(ctx->link, call, why)
	                             : exchange_all(ctx, why))
		return status_set(&ctx->error, "%s: %s: %s", ctx->library->name,
		                  coll_info(call->coll)->name, why);
	return 0;
}

/* --- the timed path --- */

static void staged(struct backend_ctx *ctx, const char *from, char *to)
{
	struct stage *s = ctx->stage;
	const struct coll_span *span = &ctx->span;
	char *out = (ctx->call.cell.in_place ? s->in : s->out) + span->send_at;
	char *in = s->in + span->recv_at;
	if (!stage_calls.copy(s, out, from, span->send_bytes, &ctx->error) && !carry(ctx, out, in))
		stage_calls.copy(s, to, in, span->recv_bytes, &ctx->error);
}

static void blocking_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	size_t at = slot * ctx->call.cell.bytes;
	const char *from =
	    (ctx->call.cell.in_place ? ctx->recv : ctx->send) + at + ctx->span.send_at;
	char *to = ctx->recv + at + ctx->span.recv_at;
	(void)i;
	if (ctx->error.text[0])
		return;
	if (ctx->stage)
		staged(ctx, from, to);
	else
		carry(ctx, from, to);
}

static int blocking_poll(struct backend_ctx *ctx, unsigned i)
{
	(void)i;
	return ctx->error.text[0] ? -1 : 1;
}

static void blocking_error(struct backend_ctx *ctx, struct status *st)
{
	*st = ctx->error;
}

/* --- cells --- */

static void blocking_buffers(const struct backend_ctx *ctx, unsigned i, struct buffers *out)
{
	const struct blocking_place *p = &ctx->place;
	(void)i;
	*out = buffers_of(ctx->trial, &ctx->call.cell, &ctx->call.parts,
	                  (struct split_place){p->color, p->n, p->me}, ctx->slots, ctx->seed,
	                  ctx->send, ctx->recv);
	out->memory = ctx->stage ? ctx->stage->memory : NULL;
	out->at = ctx->stage ? ctx->stage->at : NULL;
}

static void take_counts(struct backend_ctx *ctx)
{
	const unsigned n = ctx->place.n, me = ctx->place.me;
	int *sent = ctx->counts, *sent_at = sent + n, *received = sent_at + n,
	    *received_at = received + n;
	for (unsigned r = 0, out = 0, in = 0; r < n; r++) {
		sent[r] = (int)value_part(&ctx->call.parts, me, r);
		sent_at[r] = (int)out;
		received[r] = (int)value_part(&ctx->call.parts, r, me);
		received_at[r] = (int)in;
		out += (unsigned)sent[r];
		in += (unsigned)received[r];
	}
	ctx->coll.sent = sent;
	ctx->coll.sent_at = sent_at;
	ctx->coll.received = received;
	ctx->coll.received_at = received_at;
}

static int blocking_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                            unsigned slots, struct status *st)
{
	const unsigned n = ctx->place.n;
	const size_t element = coll_dtype_bytes(cell->dtype);
	(void)st;
	ctx->call = steps_call(ctx->trial, cell);
	ctx->span = coll_span(cell, &ctx->call.parts, n, ctx->place.me);
	ctx->seed = seed;
	ctx->slots = slots;
	ctx->error.text[0] = '\0';
	ctx->coll = (struct coll_call){
	    .coll = cell->coll,
	    .reduces = coll_info(cell->coll)->is & COLL_REDUCES,
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
	if (exchanged(cell->coll))
		steps_plan(&ctx->call, ctx->place.me, &ctx->plan);
	return 0;
}

/* --- opening and closing --- */

static int blocking_numa_node(const struct trial *trial, unsigned rank)
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

static const struct blocking_library *library_of(const struct trial *trial)
{
	return strcmp(trial->settings.backend, blocking_mpi.name) ? &blocking_gloo : &blocking_mpi;
}

static int blocking_connect(struct backend_ctx *ctx, struct status *st)
{
	return ctx->library->connect(&ctx->place, &ctx->calls, &ctx->link, st);
}

static int blocking_open(const struct backend_place *place, struct backend_ctx **out,
                         struct status *st)
{
	const struct blocking_library *library = library_of(place->trial);
	struct backend_ctx *ctx = memory_take(1, sizeof *ctx);
	struct split split = place->trial->settings.split;
	struct split_place at = split_place(split, place->nranks, place->first);
	*out = ctx; /* from here on close() frees it */
	ctx->library = library;
	ctx->trial = place->trial;
	ctx->place = (struct blocking_place){.team = place->team,
	                                     .rank = place->first,
	                                     .n = at.size,
	                                     .me = at.index,
	                                     .color = at.color,
	                                     .split = split};
	ctx->counts = memory_take(4 * (size_t)at.size, sizeof *ctx->counts);
	return make_arenas(ctx, st) ? -1 : blocking_connect(ctx, st);
}

static void blocking_disconnect(struct backend_ctx *ctx)
{
	if (ctx->link)
		ctx->calls->disconnect(ctx->link);
	ctx->link = NULL;
}

static void blocking_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	const char *from = ctx->stage ? "device, staged through pinned CPU memory" : "CPU";
	int used = snprintf(text, bytes, "memory=%s\nmemory_buffers_bytes=%zu\n", from,
	                    2 * ctx->trial->arena_bytes);
	if (ctx->link && used > 0 && (size_t)used < bytes)
		ctx->library->describe(ctx->place.team, text + used, bytes - (size_t)used);
}

static void blocking_close(struct backend_ctx *ctx)
{
	if (!ctx)
		return;
	blocking_disconnect(ctx);
	if (ctx->stage)
		stage_calls.close(ctx->stage);
	if (ctx->mapped_bytes)
		munmap(ctx->send, ctx->mapped_bytes);
	steps_plan_free(&ctx->plan);
	free(ctx->counts);
	free(ctx);
}

/* --- what can be carried out --- */

static int supports_cell(const struct blocking_library *library, const struct trial *trial,
                         const struct cell *cell, struct status *st)
{
	const unsigned is = coll_info(cell->coll)->is;
	const char *name = coll_info(cell->coll)->name, *why = NULL;
	if (cell->coll == COLL_INIT)
		return 0;
	if (cell->coll == COLL_COPY)
		why = "the limit is plain copies without a library; allowed is limit = no";
	else if (is & COLL_RAW)
		why =
		    "plain copies without a library; allowed are the backends nccl, host and null";
	else if (!carried[cell->coll] && !exchanged(cell->coll) && !(is & COLL_LOCAL))
		why = "the library has no such call, and this backend does not build it from sends "
		      "and receives";
	else if (is & COLL_REDUCES && !(library->reduces >> cell->dtype & 1))
		why = library->reduces_else;
	else if (is & COLL_REDUCES && cell->op > OP_MAX)
		why = "the library has no such operation; allowed are sum, prod, min and max";
	else if (is & COLL_REDUCES && cell->op == OP_SUM && coll_dtype_bytes(cell->dtype) == 1)
		why = library->sums_bytes_else;
	else if (cell->bytes / coll_dtype_bytes(cell->dtype) > INT_MAX)
		why = "the library counts elements in an int: use fewer, or a larger datatype";
	return why ? status_set(st, "%s: %s: %s", library->name, name, why)
	           : steps_supports(library->name, trial, cell, st);
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
	size_t all;
	if (__builtin_mul_overflow(trial->arena_bytes, 2 * (size_t)nranks, &all))
		all = SIZE_MAX;
	return buffers_fit(library->name, nranks, all, st);
}

static int blocking_supports(const struct trial *trial, struct status *st)
{
	const struct blocking_library *library = library_of(trial);
	const struct settings *set = &trial->settings;
	const char *why = library->refuses(set);
	if (why)
		return status_set(st, "%s: %s", library->name, why);
	if (set->start == START_GATED)
		return status_set(st,
		                  "%s: start = gated holds devices until all have issued, and its "
		                  "calls complete while they are issued; allowed is free",
		                  library->name);
	for (unsigned c = 0; c < trial->ncells; c++)
		if (supports_cell(library, trial, &trial->cells[c], st))
			return -1;
	return supports_memory(library, trial, st);
}

static const char *const uses[] = {"split", "stride", "memory", "flip", NULL};

// clang-format off
#define ROWS \
	.uses = uses, .arena_bytes = (size_t)8 << 20, /* more than the L2 of the core that owns it */ \
	.supports = blocking_supports, .numa_node = blocking_numa_node, \
	.open = blocking_open, .prepare = blocking_prepare, \
	.begin = backend_nothing, .issue = blocking_issue, .end = backend_nothing, \
	.poll = blocking_poll, .error = blocking_error, \
	.disconnect = blocking_disconnect, .connect = blocking_connect, \
	.buffers = blocking_buffers, \
	.describe = blocking_describe, .close = blocking_close
// clang-format on

const struct backend backend_gloo = {
    .name = "gloo",
    .summary = "Gloo over TCP, in CPU memory or staged through it",
    .costs = "Gloo, by which PyTorch trains on CPUs",
    .mend = "apt-get install libgloo-dev g++ && make",
    .is =
        {.carries_data = true, .connects = true, .blocks = true, .helpers = true, .traffics = true},
    .capacity = gloo_capacity,
    .store_bytes = gloo_store_bytes,
    ROWS,
};

const struct backend backend_mpi = {
    .name = "mpi",
    .summary = "MPI's own collectives between processes, in CPU memory or staged through it",
    .costs = "MPI's own collectives",
    .mend = "apt-get install libopenmpi-dev openmpi-bin && make",
    .is = {.carries_data = true, .connects = true, .blocks = true, .messages = true},
    .capacity = mpi_capacity,
    ROWS,
};
