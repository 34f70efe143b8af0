#include "host_step.h"

#include "host_reduce.h"

unsigned host_step_phases(const struct host_call *call)
{
	unsigned rounds = 1;
	switch (call->cell.coll) {
	case COLL_ALL_REDUCE:
	case COLL_PINGPONG:
		return 2;
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

bool host_step_waits(enum coll_kind coll)
{
	return coll != COLL_COPY;
}

const char *host_step_refuses(const struct host_call *call)
{
	const struct cell *cell = &call->cell;
	unsigned is = coll_info(cell->coll)->is;
	size_t unit = coll_dtype_bytes(cell->dtype) * (is & COLL_PARTED ? call->nranks : 1);
	if (cell->coll == COLL_INIT)
		return "init makes communicators, and the host backend has none";
	if (cell->bytes == 0 || cell->bytes % unit != 0)
		return is & COLL_PARTED
		           ? "the host backend needs sizes that are whole elements for every "
		             "rank"
		           : "the host backend needs sizes that are whole elements";
	if (is & COLL_ROOTED && cell->root >= call->nranks)
		return "the root is not a rank of the communicator";
	if (is & COLL_PAIRS && !coll_is_pair(cell->root, call->nranks))
		return "the pair is not in the communicator";
	if (is & COLL_REDUCES && cell->op >= OP_NONE)
		return "a collective that reduces needs an operation";
	if (cell->in_place && !(is & (COLL_IN_PLACE | COLL_TRAINS)))
		return "this collective cannot be in place";
	return coll_refuses(cell->coll, call->nranks);
}

/* A piece that goes to the same offset in the receiver as it has in the source. */
static struct host_step same_place(size_t from, size_t end)
{
	return (struct host_step){.bytes = end - from, .from = from, .to = from};
}

/* An input of a reduction. Sources come in turns: the own first, the next rank's last. */
static struct host_step input(const struct host_call *call, struct host_step step, unsigned rank,
                              unsigned source)
{
	step.touch = source == rank                        ? HOST_FIRST
	             : source == (rank + 1) % call->nranks ? HOST_LAST
	                                                   : HOST_COMBINE;
	return step;
}

static struct bucket whole_buffer(const struct cell *cell)
{
	return (struct bucket){.elements = cell->bytes / coll_dtype_bytes(cell->dtype)};
}

/* Start of a rank's share of the elements, as even as possible: with fewer elements than ranks some
 * shares are empty. */
static size_t share_at(const struct host_call *call, struct bucket all, unsigned rank)
{
	size_t element = coll_dtype_bytes(call->cell.dtype);
	return (all.at + all.elements * rank / call->nranks) * element;
}

/* Each rank reduces its share from all ranks, then gathers the others' shares. */
static struct host_step all_reduce(const struct host_call *call, struct bucket all, unsigned rank,
                                   unsigned source, unsigned phase)
{
	struct host_step step =
	    same_place(share_at(call, all, source), share_at(call, all, source + 1));
	if (phase == 0)
		return input(call,
		             same_place(share_at(call, all, rank), share_at(call, all, rank + 1)),
		             rank, source);
	step.side = HOST_RECV;
	if (source == rank)
		step.bytes = 0;
	return step;
}

static struct host_step alltoallv(const struct host_call *call, unsigned rank, unsigned source)
{
	size_t element = coll_dtype_bytes(call->cell.dtype);
	return (struct host_step){.bytes = value_part(&call->parts, source, rank) * element,
	                          .from = value_sent_before(&call->parts, source, rank) * element,
	                          .to =
	                              value_received_before(&call->parts, rank, source) * element};
}

/* Tokens of an expert arrive in the second half of its rank's receive buffer; from there they go back
 * to where they came from. */
static struct host_step there_and_back(const struct host_call *call, unsigned rank, unsigned source,
                                       unsigned phase)
{
	struct host_step there = alltoallv(call, rank, source),
	                 back = alltoallv(call, source, rank);
	size_t half = call->cell.bytes / 2;
	there.to += half;
	return phase == 0 ? there
	                  : (struct host_step){.bytes = back.bytes,
	                                       .from = half + back.to,
	                                       .to = back.from,
	                                       .side = HOST_RECV};
}

/* The first half comes from the rank before, the rest from the one after; both may be one. */
static struct host_step sendrecv_both(const struct host_call *call, unsigned rank, unsigned source)
{
	size_t element = coll_dtype_bytes(call->cell.dtype), bytes = call->cell.bytes;
	size_t half = bytes / element / 2 * element;
	bool before = source == (rank + call->nranks - 1) % call->nranks;
	bool after = source == (rank + 1) % call->nranks;
	return same_place(before ? 0 : half, after ? bytes : half);
}

/* Round k exchanges 2^k parts with the rank that differs in bit k; the first also copies the own
 * part. */
static struct host_step hypercube(const struct host_call *call, unsigned rank, unsigned source,
                                  unsigned phase)
{
	size_t part = call->cell.bytes / call->nranks;
	unsigned bit = 1u << phase, first = source & ~(bit - 1);
	if (phase == 0 && (source == rank || source == (rank ^ bit)))
		return (struct host_step){.bytes = part, .to = source * part};
	if (phase == 0 || source != (rank ^ bit))
		return (struct host_step){0};
	return (struct host_step){
	    .bytes = bit * part, .from = first * part, .to = first * part, .side = HOST_RECV};
}

/* Forth, then back. */
static struct host_step pingpong(const struct host_call *call, unsigned rank, unsigned source,
                                 unsigned phase)
{
	unsigned first = value_pair_from(call->cell.root);
	unsigned second = value_pair_to(call->cell.root, call->nranks);
	if (source != (phase ? second : first) || rank != (phase ? first : second))
		return (struct host_step){0};
	return (struct host_step){.bytes = call->cell.bytes, .side = phase ? HOST_RECV : HOST_SEND};
}

/* The step out of place, with two buffers. */
static struct host_step apart(const struct host_call *call, unsigned rank, unsigned source,
                              unsigned phase)
{
	const struct cell *cell = &call->cell;
	unsigned n = call->nranks;
	size_t part = cell->bytes / n;
	/* own: a source's only part, to its place among all. mine: a source's part for this rank. */
	const struct host_step none = {0}, whole = {.bytes = cell->bytes};
	const struct host_step own = {.bytes = part, .to = source * part};
	const struct host_step mine = {.bytes = part, .from = rank * part};
	switch (cell->coll) {
	case COLL_ALL_REDUCE:
		return all_reduce(call, whole_buffer(cell), rank, source, phase);
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
		return (struct host_step){.bytes = part, .from = rank * part, .to = source * part};
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

struct host_step host_step(const struct host_call *call, unsigned rank, unsigned source,
                           unsigned phase)
{
	const struct cell *cell = &call->cell;
	struct host_step step = apart(call, rank, source, phase);
	if (step.bytes == 0 || !cell->in_place || call->copied)
		return step;
	/* Later phases read what earlier ones received, at unchanged offsets. */
	step.to += coll_span(cell, &call->parts, call->nranks, rank).recv_at;
	if (step.side == HOST_SEND) {
		step.side = HOST_RECV;
		step.from += coll_span(cell, &call->parts, call->nranks, source).send_at;
	}
	/* The own input is already in place, unless it has to be scaled. */
	if (source == rank && step.from == step.to &&
	    !(step.touch == HOST_FIRST && host_reduce_scales(cell->dtype, cell->op)))
		return (struct host_step){0};
	return step;
}

unsigned host_step_pulls(const struct host_call *call, unsigned rank, struct host_move *out)
{
	unsigned n = call->nranks, count = 0;
	for (unsigned phase = 0; phase < host_step_phases(call); phase++) {
		for (unsigned turn = 0; turn < n; turn++) {
			unsigned source = (rank + n - turn) % n;
			struct host_step step = host_step(call, rank, source, phase);
			if (step.bytes > 0)
				out[count++] = (struct host_move){source, source, phase, step};
		}
	}
	return count;
}

unsigned host_step_pushes(const struct host_call *call, unsigned rank, struct host_move *out)
{
	unsigned n = call->nranks, count = 0;
	for (unsigned phase = 0; phase < host_step_phases(call); phase++) {
		for (unsigned turn = 1; turn < n; turn++) {
			unsigned target = (rank + turn) % n;
			struct host_step step = host_step(call, target, rank, phase);
			if (step.bytes > 0)
				out[count++] = (struct host_move){target, target, phase, step};
		}
	}
	return count;
}
