/* The sends, receives and calls that the nccl backend issues, carried out on the host by a
 * stand-in: all ranks in one worker, matched when the outermost group ends, so that what one
 * rank sends is what its peer expects, in order, and every output is the one right answer.
 * Skipped where the program is built without CUDA. */
#include <stdlib.h>
#include <string.h>

#include "test.h"

#ifdef HAVE_CUDA_NCCL
#include "../harness/backend/nccl/nccl.h"

#define MAX_RANKS 8
#define MOST      512 /* messages of a group */

static struct message {
	unsigned from, to;
	const char *data; /* of a send */
	char *into;       /* of a receive */
	size_t bytes;
	bool done;
} sends[MOST], receives[MOST];
static unsigned nsends, nreceives, depth, groups;
static size_t element;

static unsigned rank_of(ncclComm_t comm)
{
	return (unsigned)(uintptr_t)comm - 1;
}

static ncclResult_t group_start(void)
{
	depth++;
	return ncclSuccess;
}

/* The first receive of the same pair takes the first send. */
static void carry_out(void)
{
	for (unsigned s = 0; s < nsends; s++) {
		unsigned r = 0;
		while (r < nreceives && (receives[r].done || receives[r].from != sends[s].from ||
		                         receives[r].to != sends[s].to))
			r++;
		assert_true(r < nreceives);
		assert_int_equal(receives[r].bytes, sends[s].bytes);
		memcpy(receives[r].into, sends[s].data, sends[s].bytes);
		receives[r].done = true;
	}
	assert_int_equal(nsends, nreceives);
	nsends = nreceives = 0;
	groups++;
}

static ncclResult_t group_end(void)
{
	assert_true(depth > 0);
	if (--depth == 0)
		carry_out();
	return ncclSuccess;
}

static ncclResult_t send(const void *data, size_t count, ncclDataType_t type, int peer,
                         ncclComm_t comm, cudaStream_t stream)
{
	(void)type, (void)stream;
	assert_true(depth > 0 && nsends < MOST && count > 0);
	sends[nsends++] = (struct message){
	    .from = rank_of(comm), .to = (unsigned)peer, .data = data, .bytes = count * element};
	return ncclSuccess;
}

static ncclResult_t receive(void *into, size_t count, ncclDataType_t type, int peer,
                            ncclComm_t comm, cudaStream_t stream)
{
	(void)type, (void)stream;
	assert_true(depth > 0 && nreceives < MOST && count > 0);
	receives[nreceives++] = (struct message){
	    .from = (unsigned)peer, .to = rank_of(comm), .into = into, .bytes = count * element};
	return ncclSuccess;
}

struct rig {
	struct trial trial;
	struct cell cell;
	struct backend_ctx *ctx;
	unsigned slots;
};

static struct value_question question(const struct rig *rig, unsigned rank)
{
	return (struct value_question){.coll = rig->cell.coll,
	                               .dtype = rig->cell.dtype,
	                               .op = OP_NONE,
	                               .nranks = rig->ctx->n,
	                               .rank = rank,
	                               .root = rig->cell.root,
	                               .seed = 7,
	                               .count = rig->ctx->elements,
	                               .parts = rig->ctx->call.parts};
}

static void fill(struct rig *rig, unsigned rank)
{
	struct place *p = &rig->ctx->places[rank];
	struct value_question q = question(rig, rank);
	struct coll_span span = coll_span(&rig->cell, &rig->ctx->call.parts, rig->ctx->n, rank);
	memset(p->recv, VALUE_POISON_BYTE, rig->trial.arena_bytes);
	for (unsigned slot = 0; slot < rig->slots; slot++) {
		char *at = (rig->cell.in_place ? p->recv + span.send_at : p->send) +
		           slot * rig->cell.bytes;
		for (size_t k = 0; k < span.send_bytes / element; k++) {
			uint64_t bits = value_input(&q, rank, slot * q.count + k);
			memcpy(at + k * element, &bits, element);
		}
		/* Without a GPU the copy of the own part cannot run. */
		if (rig->cell.coll == COLL_HYPERCUBE && !rig->cell.in_place)
			memcpy(p->recv + slot * rig->cell.bytes + rank * span.send_bytes, at,
			       span.send_bytes);
	}
}

static void compare(const struct rig *rig, unsigned rank)
{
	const struct place *p = &rig->ctx->places[rank];
	struct value_question q = question(rig, rank);
	struct coll_span span = coll_span(&rig->cell, &rig->ctx->call.parts, rig->ctx->n, rank);
	for (unsigned slot = 0; slot < rig->slots; slot++)
		for (size_t k = 0; k < span.recv_bytes / element; k++) {
			uint64_t got = 0, right = value_expected(&q, slot * q.count, k);
			memcpy(&got, p->recv + span.recv_at + slot * rig->cell.bytes + k * element,
			       element);
			assert_int_equal(got, right);
		}
}

static void rig_make(struct rig *rig, unsigned n, enum coll_kind coll, enum dtype dtype)
{
	*rig = (struct rig){.slots = 2};
	settings_default(&rig->trial.settings);
	rig->trial.settings.layout = (struct layout){1, 1, n};
	element = coll_dtype_bytes(dtype);
	rig->cell = (struct cell){
	    .coll = coll, .dtype = dtype, .op = OP_NONE, .root = n - 1, .bytes = (size_t)n * 480};
	rig->trial.arena_bytes = rig->cell.bytes * rig->slots;
	rig->ctx = calloc(1, sizeof *rig->ctx + n * sizeof rig->ctx->places[0]);
	assert_non_null(rig->ctx);
	rig->ctx->trial = &rig->trial;
	rig->ctx->nranks = rig->ctx->count = rig->ctx->n = n;
	rig->ctx->api.GroupStart = group_start;
	rig->ctx->api.GroupEnd = group_end;
	rig->ctx->api.Send = send;
	rig->ctx->api.Recv = receive;
	for (unsigned r = 0; r < n; r++) {
		struct place *p = &rig->ctx->places[r];
		p->rank = p->me = r;
		p->comm = (ncclComm_t)(uintptr_t)(r + 1);
		p->send = malloc(rig->trial.arena_bytes);
		p->recv = malloc(rig->trial.arena_bytes);
		assert_true(p->send && p->recv);
	}
}

static void rig_free(struct rig *rig)
{
	for (unsigned r = 0; r < rig->ctx->n; r++) {
		free(rig->ctx->places[r].send);
		free(rig->ctx->places[r].recv);
		steps_plan_free(&rig->ctx->places[r].plan);
	}
	free(rig->ctx);
}

/* A call on each buffer. */
static void run(struct rig *rig)
{
	struct status st = {0};
	assert_int_equal(nccl_take_cell(rig->ctx, &rig->cell, &st), 0);
	rig->ctx->fresh = false; /* nobody to meet */
	for (unsigned r = 0; r < rig->ctx->n; r++)
		fill(rig, r);
	groups = 0;
	for (unsigned slot = 0; slot < rig->slots; slot++) {
		nccl_begin(rig->ctx);
		for (unsigned i = 0; i < rig->ctx->count; i++)
			nccl_issue(rig->ctx, i, slot);
		nccl_end(rig->ctx);
	}
	assert_int_equal(depth, 0);
	assert_int_equal(rig->ctx->failed, ncclSuccess);
	for (unsigned r = 0; r < rig->ctx->n; r++)
		compare(rig, r);
}

/* Every collective that the table makes of sends and receives. */
static enum coll_kind moved[COLL_KINDS];
static unsigned nmoved;

static int find_moved(void **state)
{
	(void)state;
	for (int c = 0; c < COLL_KINDS; c++)
		if (nccl_coll((enum coll_kind)c)->moves && !nccl_coll((enum coll_kind)c)->trains)
			moved[nmoved++] = (enum coll_kind)c;
	return nmoved >= 8 ? 0 : -1;
}

#define EACH_MOVED(C) for (unsigned C = 0; C < nmoved; C++)

/* coll's table compared with this backend's: none can be forgotten. */
TEST(every_collective_has_a_row)
{
	for (int c = 0; c < COLL_KINDS; c++) {
		const struct nccl_coll *row = nccl_coll((enum coll_kind)c);
		unsigned is = coll_info((enum coll_kind)c)->is;
		if (!row->call && !row->moves && !row->put && !row->connects)
			fail_msg("nccl has no row for %s", coll_info((enum coll_kind)c)->name);
		assert_int_equal(row->connects, c == COLL_INIT);
		assert_true(!(is & COLL_REDUCES) || row->call || row->trains); /* no sum of sends */
		if (row->native) {
			assert_true(row->call && row->moves && row->since && row->symbol);
			assert_memory_equal(row->native, "nccl", 4);
		}
	}
}

/* What the library was asked for. */
static struct asked {
	const char *what;
	const void *from;
	void *to;
	size_t count;
	int root; /* -1: not said */
} asked;

#define ANSWER(WHAT, ROOT)                                                                         \
	(void)t, (void)c, (void)s;                                                                 \
	asked = (struct asked){WHAT, from, to, n, ROOT};                                           \
	return ncclSuccess

#define REDUCING(NAME)                                                                             \
	static ncclResult_t ask_##NAME(const void *from, void *to, size_t n, ncclDataType_t t,     \
	                               ncclRedOp_t op, ncclComm_t c, cudaStream_t s)               \
	{                                                                                          \
		(void)op;                                                                          \
		ANSWER(#NAME, -1);                                                                 \
	}
#define PLAIN(NAME)                                                                                \
	static ncclResult_t ask_##NAME(const void *from, void *to, size_t n, ncclDataType_t t,     \
	                               ncclComm_t c, cudaStream_t s)                               \
	{                                                                                          \
		ANSWER(#NAME, -1);                                                                 \
	}
#define ROOTED(NAME)                                                                               \
	static ncclResult_t ask_##NAME(const void *from, void *to, size_t n, ncclDataType_t t,     \
	                               int root, ncclComm_t c, cudaStream_t s)                     \
	{                                                                                          \
		ANSWER(#NAME, root);                                                               \
	}
REDUCING(AllReduce)
REDUCING(ReduceScatter)
PLAIN(AllGather)
PLAIN(AlltoAll)
ROOTED(Broadcast)
ROOTED(Gather)
ROOTED(Scatter)
static ncclResult_t ask_Reduce(const void *from, void *to, size_t n, ncclDataType_t t,
                               ncclRedOp_t op, int root, ncclComm_t c, cudaStream_t s)
{
	(void)op;
	ANSWER("Reduce", root);
}

/* With api = native, NCCL's own call is made, once, with the counts that it expects. */
TEST(every_call_is_the_one_of_its_collective)
{
	static const struct {
		enum coll_kind coll;
		const char *what;
		bool part, rooted; /* counts a rank's part; says the root */
	} right[] = {
	    {COLL_ALL_REDUCE, "AllReduce", false, false},
	    {COLL_ALL_GATHER, "AllGather", true, false},
	    {COLL_REDUCE_SCATTER, "ReduceScatter", true, false},
	    {COLL_BROADCAST, "Broadcast", false, true},
	    {COLL_REDUCE, "Reduce", false, true},
	    {COLL_ALLTOALL, "AlltoAll", true, false},
	    {COLL_GATHER, "Gather", true, true},
	    {COLL_SCATTER, "Scatter", true, true},
	};
	unsigned calls = 0;
	for (int c = 0; c < COLL_KINDS; c++)
		calls += nccl_coll((enum coll_kind)c)->call != NULL;
	assert_int_equal(calls, sizeof right / sizeof *right);
	for (unsigned i = 0; i < calls; i++) {
		struct rig rig;
		struct status st = {0};
		rig_make(&rig, 4, right[i].coll, DTYPE_FLOAT32);
		struct nccl_api *api = &rig.ctx->api;
		api->at = NCCL_AT(2, 28, 3);
		api->AllReduce = ask_AllReduce;
		api->AllGather = ask_AllGather;
		api->ReduceScatter = ask_ReduceScatter;
		api->Broadcast = ask_Broadcast;
		api->Reduce = ask_Reduce;
		api->AlltoAll = ask_AlltoAll;
		api->Gather = ask_Gather;
		api->Scatter = ask_Scatter;
		strcpy(rig.trial.settings.api, "native");
		rig.cell.op = OP_SUM;
		asked.what = "nothing";
		assert_int_equal(nccl_take_cell(rig.ctx, &rig.cell, &st), 0);
		nccl_issue(rig.ctx, 1, 1);
		assert_string_equal(asked.what, right[i].what);
		assert_int_equal(asked.count, 4 * 480 / 4 / (right[i].part ? 4 : 1));
		assert_int_equal(asked.root, right[i].rooted ? 3 : -1);
		assert_ptr_equal(asked.from, rig.ctx->places[1].send + rig.cell.bytes);
		assert_ptr_equal(asked.to, rig.ctx->places[1].recv + rig.cell.bytes);
		assert_int_equal(nsends, 0);
		rig_free(&rig);
	}
}

TEST(all_that_is_moved_arrives_where_it_belongs)
{
	static const enum dtype dtypes[] = {DTYPE_INT8, DTYPE_FLOAT16, DTYPE_FLOAT64};
	EACH_MOVED(c)
	{
		for (unsigned n = 2; n <= MAX_RANKS; n++)
			for (unsigned d = 0; d < 3 && !coll_refuses(moved[c], n); d++) {
				struct rig rig;
				rig_make(&rig, n, moved[c], dtypes[d]);
				run(&rig);
				rig_free(&rig);
			}
	}
}

TEST(in_place_too)
{
	EACH_MOVED(c)
	{
		struct rig rig;
		if (!(coll_info(moved[c])->is & COLL_IN_PLACE))
			continue;
		rig_make(&rig, 4, moved[c], DTYPE_INT32);
		rig.cell.in_place = true;
		for (rig.cell.root = 0; rig.cell.root < 4; rig.cell.root++)
			run(&rig);
		/* Nothing is copied that is already in place; without a GPU that would fail. */
		assert_int_equal(rig.ctx->cuda_failed, cudaSuccess);
		rig_free(&rig);
	}
}

/* In one group for all, a round would send data that has not arrived yet. */
TEST(rounds_are_groups_of_their_own)
{
	struct rig rig;
	rig_make(&rig, 8, COLL_HYPERCUBE, DTYPE_INT32);
	run(&rig);
	assert_int_equal(groups, 2 * 3); /* calls × log2(8) */
	rig_free(&rig);
	rig_make(&rig, 8, COLL_PINGPONG, DTYPE_INT32);
	run(&rig);
	assert_int_equal(groups, 2 * 2); /* there and back */
	rig_free(&rig);
}

static struct {
	ncclDataType_t type;
	int residence;
	uint64_t scalar;
} made;

static ncclResult_t make_op(ncclRedOp_t *op, void *scalar, ncclDataType_t type, int residence,
                            ncclComm_t comm)
{
	made.type = type;
	made.residence = residence;
	made.scalar = 0;
	memcpy(&made.scalar, scalar, element);
	*op = (ncclRedOp_t)(20 + (int)rank_of(comm));
	return ncclSuccess;
}

static unsigned destroyed;

static ncclResult_t destroy_op(ncclRedOp_t op, ncclComm_t comm)
{
	assert_int_equal((int)op, 20 + (int)rank_of(comm));
	destroyed++;
	return ncclSuccess;
}

TEST(premulsum_has_an_operation_for_each_rank)
{
	struct rig rig;
	struct status st = {0};
	rig_make(&rig, 2, COLL_ALL_REDUCE, DTYPE_BFLOAT16);
	rig.ctx->api.RedOpCreatePreMulSum = make_op;
	rig.ctx->api.RedOpDestroy = destroy_op;
	rig.cell.op = OP_PREMULSUM;
	assert_int_equal(nccl_take_cell(rig.ctx, &rig.cell, &st), 0);
	assert_int_equal((int)made.type, 9);
	assert_int_equal(made.residence, 1);
	assert_int_equal(made.scalar, 0x4000); /* 2.0, of rank 1 */
	assert_int_equal((int)rig.ctx->places[1].op, 21);
	rig.cell.op = OP_AVG;
	assert_int_equal(nccl_take_cell(rig.ctx, &rig.cell, &st), 0);
	assert_int_equal(destroyed, 2);
	assert_int_equal((int)rig.ctx->places[1].op, 4);
	rig_free(&rig);
}

/* From first to last: 70 of 100, 80 of 200, 10 of 300; in between it does not count. */
TEST(memory_is_of_the_gpu_that_used_most)
{
	static const size_t left[][READINGS] = {
	    {100, 20, 20, 20, 30}, {200, 190, 180, 150, 120}, {300, 299, 298, 10, 290}};
	struct backend_ctx *ctx = calloc(1, sizeof *ctx + 3 * sizeof ctx->places[0]);
	assert_non_null(ctx);
	assert_null(nccl_fullest(ctx));
	ctx->count = 3;
	assert_null(nccl_fullest(ctx)); /* none has a reading */
	for (unsigned i = 0; i < 3; i++)
		memcpy(ctx->places[i].free_bytes, left[i], sizeof left[i]);
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[1]);
	ctx->places[1].free_bytes[READ_END] = 0;
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[0]);
	ctx->places[0].free_bytes[READ_BARE] = 0;
	ctx->places[2].free_bytes[READ_END] = 400; /* others gave back: all that is known */
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[2]);
	free(ctx);
}

TESTS(.begin = find_moved);

#else
TEST(sends_and_receives)
{
	skip();
}
#endif
