#include "steps.h"
#include "../memory.h"

#include "host/host_reduce.h"

struct steps_call steps_call(const struct trial *trial, const struct cell *cell)
{
	unsigned nranks = trial_comm_ranks(trial);
	struct cell whole = trial_whole(&trial->network, nranks, cell);
	return (struct steps_call){whole, nranks, coll_parts(&whole, &trial->weights, nranks),
	                           trial_buckets(trial, cell),
	                           coll_info(cell->coll)->is & COLL_TRAINS && cell->in_place &&
	                               !trial->settings.bucket_view};
}

unsigned steps_phases(const struct steps_call *call)
{
	unsigned rounds = 1;
	switch (call->cell.coll) {
	case COLL_ALL_REDUCE:
	case COLL_PINGPONG:
	case COLL_MOE_STEP:
	case COLL_MOE_COMMUNICATION:
		return 2;
	case COLL_DDP_STEP:
	case COLL_DDP_COMMUNICATION:
		return 2 * buckets_count(&call->buckets);
	case COLL_HYPERCUBE:
		while (2u << rounds <= call->nranks)
			rounds++;
		return rounds;
	default:
		return 1;
	}
}

uint64_t steps_expert_flops(const struct steps_call *call, unsigned me, unsigned width)
{
	return 16 * value_received_before(&call->parts, me, call->nranks) * width;
}

bool steps_waits(enum coll_kind coll)
{
	return coll != COLL_COPY;
}

const char *steps_refuses(const struct steps_call *call)
{
	const struct cell *cell = &call->cell;
	unsigned is = coll_info(cell->coll)->is;
	size_t unit = coll_dtype_bytes(cell->dtype) * (is & COLL_PARTED ? call->nranks : 1);
	if (coll_refuses(cell->coll, call->nranks))
		return coll_refuses(cell->coll, call->nranks);
	if (cell->bytes == 0 || cell->bytes % unit != 0)
		return is & COLL_PARTED ? "sizes have to be whole elements for every rank"
		                        : "sizes have to be whole elements";
	if (is & COLL_ROOTED && cell->root >= call->nranks)
		return "the root is not a rank of the communicator";
	if (is & COLL_PAIRS && !coll_is_pair(cell->root, call->nranks))
		return "the pair is not in the communicator";
	if (is & COLL_REDUCES && cell->op >= OP_NONE)
		return "a collective that reduces needs an operation";
	if (cell->in_place && !(is & (COLL_IN_PLACE | COLL_TRAINS)))
		return "this collective cannot be in place";
	return NULL;
}

int steps_supports(const char *backend, const struct trial *trial, const struct cell *cell,
                   struct status *st)
{
	const struct settings *set = &trial->settings;
	unsigned group;
	if (split_size(set->split, layout_ranks(set->layout), &group, st))
		return -1;
	const struct steps_call call = steps_call(trial, cell);
	const unsigned offset = set->offset_bytes;
	const size_t element = coll_dtype_bytes(cell->dtype);
	const char *why = steps_refuses(&call);
	if (why)
		return status_set(st, "%s: %s of %zu bytes, root %u, for %u ranks: %s", backend,
		                  coll_info(cell->coll)->name, cell->bytes, cell->root, call.nranks,
		                  why);
	if (offset % element)
		return status_set(st,
		                  "%s: offset = %u is not a whole number of elements of %s; "
		                  "allowed are multiples of %zu",
		                  backend, offset, coll_dtype_name(cell->dtype), element);
	return 0;
}

/* A piece that goes to the same offset in the receiver as it has in the source. */
static struct step same_place(size_t from, size_t end)
{
	return (struct step){.bytes = end - from, .from = from, .to = from};
}

/* An input of a reduction. Sources come in turns: the own first, the next rank's last. */
static struct step input(const struct steps_call *call, struct step step, unsigned rank,
                         unsigned source)
{
	step.touch = source == rank                        ? STEP_FIRST
	             : source == (rank + 1) % call->nranks ? STEP_LAST
	                                                   : STEP_COMBINE;
	return step;
}

/* Start of a rank's share of the elements, as even as possible. */
static size_t share_at(const struct steps_call *call, struct bucket all, unsigned rank)
{
	size_t element = coll_dtype_bytes(call->cell.dtype);
	return (all.at + all.elements * rank / call->nranks) * element;
}

/* Each rank reduces its share from all ranks, then gathers the others' shares. */
static struct step all_reduce(const struct steps_call *call, struct bucket all, unsigned rank,
                              unsigned source, unsigned phase)
{
	struct step step = same_place(share_at(call, all, source), share_at(call, all, source + 1));
	if (phase == 0)
		return input(call,
		             same_place(share_at(call, all, rank), share_at(call, all, rank + 1)),
		             rank, source);
	step.side = STEP_RECV;
	if (source == rank)
		step.bytes = 0;
	return step;
}

static struct step alltoallv(const struct steps_call *call, unsigned rank, unsigned source)
{
	size_t element = coll_dtype_bytes(call->cell.dtype);
	return (struct step){.bytes = value_part(&call->parts, source, rank) * element,
	                     .from = value_sent_before(&call->parts, source, rank) * element,
	                     .to = value_received_before(&call->parts, rank, source) * element};
}

/* Tokens arrive in the second half of the receive buffer; from there they go back. */
static struct step there_and_back(const struct steps_call *call, unsigned rank, unsigned source,
                                  unsigned phase)
{
	struct step there = alltoallv(call, rank, source), back = alltoallv(call, source, rank);
	size_t half = call->cell.bytes / 2;
	there.to += half;
	return phase == 0 ? there
	                  : (struct step){.bytes = back.bytes,
	                                  .from = half + back.to,
	                                  .to = back.from,
	                                  .side = STEP_RECV};
}

/* The first half comes from the rank before, the rest from the one after; both may be one. */
static struct step sendrecv_both(const struct steps_call *call, unsigned rank, unsigned source)
{
	size_t element = coll_dtype_bytes(call->cell.dtype), bytes = call->cell.bytes;
	size_t half = bytes / element / 2 * element;
	bool before = source == (rank + call->nranks - 1) % call->nranks;
	bool after = source == (rank + 1) % call->nranks;
	return same_place(before ? 0 : half, after ? bytes : half);
}

/* Round k exchanges 2^k parts with the rank that differs in bit k; round 0 the own part too. */
static struct step hypercube(const struct steps_call *call, unsigned rank, unsigned source,
                             unsigned phase)
{
	size_t part = call->cell.bytes / call->nranks;
	unsigned bit = 1u << phase, first = source & ~(bit - 1);
	if (phase == 0 && (source == rank || source == (rank ^ bit)))
		return (struct step){.bytes = part, .to = source * part};
	if (phase == 0 || source != (rank ^ bit))
		return (struct step){0};
	return (struct step){
	    .bytes = bit * part, .from = first * part, .to = first * part, .side = STEP_RECV};
}

static struct step pingpong(const struct steps_call *call, unsigned rank, unsigned source,
                            unsigned phase)
{
	unsigned first = value_pair_from(call->cell.root);
	unsigned second = value_pair_to(call->cell.root, call->nranks);
	if (source != (phase ? second : first) || rank != (phase ? first : second))
		return (struct step){0};
	return (struct step){.bytes = call->cell.bytes, .side = phase ? STEP_RECV : STEP_SEND};
}

/* The step out of place, with two buffers. */
static struct step apart(const struct steps_call *call, unsigned rank, unsigned source,
                         unsigned phase)
{
	const struct cell *cell = &call->cell;
	unsigned n = call->nranks;
	size_t part = cell->bytes / n;
	/* own: a source's only part, to its place. mine: a source's part for this rank. */
	const struct step none = {0}, whole = {.bytes = cell->bytes};
	const struct step own = {.bytes = part, .to = source * part};
	const struct step mine = {.bytes = part, .from = rank * part};
	const struct bucket all = {.elements = cell->bytes / coll_dtype_bytes(cell->dtype)};
	switch (cell->coll) {
	case COLL_ALL_REDUCE:
		return all_reduce(call, all, rank, source, phase);
	case COLL_DDP_STEP: /* one bucket after the other */
	case COLL_DDP_COMMUNICATION:
		return all_reduce(call, buckets_get(&call->buckets, phase / 2), rank, source,
		                  phase % 2);
	case COLL_ALL_GATHER:
		return own;
	case COLL_REDUCE_SCATTER:
		return input(call, mine, rank, source);
	case COLL_BROADCAST:
		return source == cell->root ? whole : none;
	case COLL_REDUCE:
		return rank == cell->root ? input(call, whole, rank, source) : none;
	case COLL_ALLTOALL:
		return (struct step){.bytes = part, .from = rank * part, .to = source * part};
	case COLL_ALLTOALLV:
	case COLL_MOE_DISPATCH:
		return alltoallv(call, rank, source);
	case COLL_MOE_STEP:
	case COLL_MOE_COMMUNICATION:
		return there_and_back(call, rank, source, phase);
	case COLL_SENDRECV:
	case COLL_COPY:
		return source == (rank + n - 1) % n ? whole : none;
	case COLL_SENDRECV_PAIRS:
		return source == (rank ^ 1) ? whole : none;
	case COLL_SENDRECV_HALVES:
		return source == (rank + n / 2) % n ? whole : none;
	case COLL_SENDRECV_BOTH:
		return sendrecv_both(call, rank, source);
	case COLL_PAIR:
	case COLL_PAIR_COPY:
	case COLL_PAIR_STAGED:
		return source == value_pair_from(cell->root) && rank == value_pair_to(cell->root, n)
		           ? whole
		           : none;
	case COLL_PINGPONG:
		return pingpong(call, rank, source, phase);
	case COLL_GATHER:
		return rank == cell->root ? own : none;
	case COLL_SCATTER:
		return source == cell->root ? mine : none;
	case COLL_HYPERCUBE:
		return hypercube(call, rank, source, phase);
	case COLL_ACCESS:
	case COLL_TO_DEVICE:
	case COLL_TO_HOST:
		return source == rank ? whole : none;
	case COLL_INIT:
	case COLL_DDP_COMPUTE:
	case COLL_MOE_COMPUTE:
	case COLL_KINDS:
		break;
	}
	return none;
}

struct step steps_of(const struct steps_call *call, unsigned rank, unsigned source, unsigned phase)
{
	const struct cell *cell = &call->cell;
	struct step step = apart(call, rank, source, phase);
	if (step.bytes == 0 || !cell->in_place || call->copied)
		return step;
	/* Later phases read what earlier ones received, at unchanged offsets. */
	step.to += coll_span(cell, &call->parts, call->nranks, rank).recv_at;
	if (step.side == STEP_SEND) {
		step.side = STEP_RECV;
		step.from += coll_span(cell, &call->parts, call->nranks, source).send_at;
	}
	/* The own input is already in place, unless it has to be scaled. */
	if (source == rank && step.from == step.to &&
	    !(step.touch == STEP_FIRST && host_reduce_scales(cell->dtype, cell->op)))
		return (struct step){0};
	return step;
}

static unsigned list(const struct steps_call *call, unsigned rank, bool pushes,
                     struct steps_move *out)
{
	unsigned n = call->nranks, count = 0;
	for (unsigned phase = 0; phase < steps_phases(call); phase++)
		for (unsigned turn = pushes; turn < n; turn++) {
			unsigned peer = (rank + (pushes ? turn : n - turn)) % n;
			struct step step =
			    steps_of(call, pushes ? peer : rank, pushes ? rank : peer, phase);
			if (step.bytes > 0)
				out[count++] = (struct steps_move){peer, peer, phase, step};
		}
	return count;
}

void steps_plan(const struct steps_call *call, unsigned rank, struct steps_plan *plan)
{
	const size_t most = (size_t)steps_phases(call) * call->nranks;
	struct steps_move *moves = memory_more(plan->pulls, 2 * most, sizeof *moves);
	*plan = (struct steps_plan){.pulls = moves, .pushes = moves + most};
	plan->npulls = list(call, rank, false, plan->pulls);
	plan->npushes = list(call, rank, true, plan->pushes);
}

void steps_plan_free(struct steps_plan *plan)
{
	free(plan->pulls);
	*plan = (struct steps_plan){0};
}
