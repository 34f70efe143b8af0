/* A GPU fills and checks as the CPU would, and one flipped bit is found, placed and named. */
#include <stdlib.h>
#include <string.h>

#include "../harness/status.h"
#include "test.h"

#ifdef HAVE_CUDA_NCCL
#include "../harness/backend/device/device.h"

#define RANKS       4
#define ARENA_BYTES ((size_t)8 << 20)
#define UNTOUCHED   0x5A

/* One rank with its arenas, and both again in the CPU's memory. */
struct bench {
	struct buffers b;
	struct cell cell;
	unsigned char *send, *recv;
	size_t bytes; /* of an arena, that are looked at: a buffer more than is used */
	cudaStream_t stream;
	struct status st;
};

static int set_up(void **state)
{
	struct bench *bench = calloc(1, sizeof *bench);
	assert_non_null(bench);
	*state = bench;
	bench->send = malloc(ARENA_BYTES);
	bench->recv = malloc(ARENA_BYTES);
	assert_true(bench->send && bench->recv);
	assert_int_equal(cudaMalloc((void **)&bench->b.send, ARENA_BYTES), cudaSuccess);
	assert_int_equal(cudaMalloc((void **)&bench->b.recv, ARENA_BYTES), cudaSuccess);
	assert_int_equal(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking),
	                 cudaSuccess);
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;
	cudaStreamDestroy(bench->stream);
	cudaFree(bench->b.send);
	cudaFree(bench->b.recv);
	free(bench->send);
	free(bench->recv);
	free(bench);
	return 0;
}

/* More for rank 1 than for others. */
static const struct value_weights weights = {3, 3, {1, 4, 1, 2, 0, 1, 0, 3, 1}};

static void ask(struct bench *bench, struct cell cell, unsigned rank, unsigned slots)
{
	bench->cell = cell;
	bench->b.question = (struct value_question){
	    .coll = cell.coll,
	    .dtype = cell.dtype,
	    .op = cell.op,
	    .nranks = RANKS,
	    .rank = rank,
	    .root = cell.root,
	    .seed = 77 + cell.dtype,
	    .count = cell.bytes / coll_dtype_bytes(cell.dtype),
	};
	bench->b.question.parts = coll_parts(&cell, &weights, RANKS);
	bench->b.span = coll_span(&cell, &bench->b.question.parts, RANKS, rank);
	bench->b.in_place = cell.in_place;
	bench->b.slots = slots;
	bench->bytes = cell.bytes * (slots + 1);
	assert_true(cell.bytes * slots <= ARENA_BYTES);
	if (bench->bytes > ARENA_BYTES)
		bench->bytes = ARENA_BYTES;
}

static uint64_t load(const struct bench *bench, const unsigned char *arena, uint64_t at)
{
	size_t element = coll_dtype_bytes(bench->cell.dtype);
	uint64_t bits = 0;
	memcpy(&bits, arena + at * element, element);
	return bits;
}

static void copy_back(struct bench *bench)
{
	assert_int_equal(
	    cudaMemcpy(bench->send, bench->b.send, bench->bytes, cudaMemcpyDeviceToHost), 0);
	assert_int_equal(
	    cudaMemcpy(bench->recv, bench->b.recv, bench->bytes, cudaMemcpyDeviceToHost), 0);
}

/* A byte of an arena after prepare: of the send side, poison, or what was there before. */
static void is_as_prepared(const struct bench *bench, const unsigned char *arena, size_t byte)
{
	const struct coll_span *span = &bench->b.span;
	size_t element = coll_dtype_bytes(bench->cell.dtype), in = byte % bench->cell.bytes;
	bool used = byte < bench->b.slots * bench->cell.bytes;
	bool sends = used && (arena == bench->recv) == bench->cell.in_place &&
	             in >= span->send_at && in < span->send_at + span->send_bytes;
	if (sends) {
		size_t base = byte - in;
		uint64_t bits = value_input(&bench->b.question, bench->b.question.rank,
		                            (base + in - span->send_at) / element);
		assert_int_equal(arena[byte], bits >> in % element * 8 & 0xFF);
	} else {
		assert_int_equal(arena[byte],
		                 used && arena == bench->recv ? VALUE_POISON_BYTE : UNTOUCHED);
	}
}

static void prepare(struct bench *bench)
{
	assert_int_equal(cudaMemset(bench->b.send, UNTOUCHED, bench->bytes), cudaSuccess);
	assert_int_equal(cudaMemset(bench->b.recv, UNTOUCHED, bench->bytes), cudaSuccess);
	assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
	assert_int_equal(device_prepare(0, &bench->b, bench->stream, &bench->st), 0);
}

TEST(the_gpu_writes_what_the_cpu_would)
{
	static const enum coll_kind colls[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER, COLL_BROADCAST,
	                                       COLL_SCATTER};
	struct bench *bench = *state;
	for (unsigned i = 0; i < DTYPE_KINDS * OP_KINDS * 8; i++) {
		struct cell cell = {.coll = colls[i / 2 % 4], .in_place = i % 2, .root = 1};
		cell.dtype = i / 8 % DTYPE_KINDS;
		cell.op = i / 8 / DTYPE_KINDS;
		cell.bytes = RANKS * 16 * 11;
		ask(bench, cell, 1 + cell.dtype % 2, 3);
		prepare(bench);
		copy_back(bench);
		for (size_t byte = 0; byte < 4 * cell.bytes; byte++) {
			is_as_prepared(bench, bench->send, byte);
			is_as_prepared(bench, bench->recv, byte);
		}
	}
}

/* Writes the right answers to the receive sides. */
static void answer(struct bench *bench)
{
	size_t element = coll_dtype_bytes(bench->cell.dtype);
	size_t at = bench->b.span.recv_at, n = bench->b.span.recv_bytes / element;
	copy_back(bench);
	for (unsigned slot = 0; slot < bench->b.slots; slot++)
		for (size_t i = 0; i < n; i++) {
			uint64_t bits =
			    value_expected(&bench->b.question, slot * bench->b.question.count, i);
			memcpy(bench->recv + slot * bench->cell.bytes + at + i * element, &bits,
			       element);
		}
	assert_int_equal(
	    cudaMemcpy(bench->b.recv, bench->recv, bench->bytes, cudaMemcpyHostToDevice), 0);
}

static struct backend_verdict check(struct bench *bench)
{
	struct backend_verdict v;
	assert_int_equal(device_check(0, &bench->b, bench->stream, &v, &bench->st), 0);
	return v;
}

static void turn(struct bench *bench, size_t byte)
{
	char *at = bench->b.recv + byte;
	assert_int_equal(device_corrupt(0, at, bench->stream, &bench->st), 0);
}

/* Right, then wrong at a byte of some slot, then at the last byte of all too. */
static void find_flips(struct bench *bench)
{
	const struct coll_span *span = &bench->b.span;
	size_t element = coll_dtype_bytes(bench->cell.dtype), all = bench->b.slots;
	size_t slot = all / 2, first = slot * bench->cell.bytes + span->recv_at;
	size_t last = (all - 1) * bench->cell.bytes + span->recv_at + span->recv_bytes - 1;
	struct backend_verdict v;
	prepare(bench);
	v = check(bench);
	if (!bench->cell.in_place) { /* nothing has been written yet */
		assert_int_equal(v.wrong, all * (span->recv_bytes / element));
		assert_int_equal(v.wrong_at, 0);
	}
	answer(bench);
	v = check(bench);
	assert_int_equal(v.wrong, 0);
	if (span->recv_bytes == 0)
		return;
	first += value_mix(bench->cell.dtype) % (span->recv_bytes - element);
	turn(bench, first);
	v = check(bench);
	assert_int_equal(v.wrong, 1);
	assert_int_equal(v.wrong_at, first / element);
	assert_int_equal(v.expected, load(bench, bench->recv, first / element));
	assert_int_equal(v.got, v.expected ^ (uint64_t)1 << first % element * 8);
	turn(bench, last);
	v = check(bench);
	assert_int_equal(v.wrong, 2);
	assert_int_equal(v.wrong_at, first / element);
	turn(bench, first);
	assert_int_equal(check(bench).wrong_at, last / element);
}

TEST(one_turned_bit_is_found)
{
	struct bench *bench = *state;
	for (enum coll_kind c = 0; c < COLL_INIT; c++)
		for (enum dtype d = 0; d < DTYPE_KINDS; d++) {
			bool reduces = coll_info(c)->is & COLL_REDUCES;
			enum op op = reduces ? d % OP_NONE : OP_NONE;
			struct cell cell = {.coll = c, .dtype = d, .op = op, .root = 2};
			cell.in_place = coll_info(c)->is & COLL_IN_PLACE && d % 2;
			cell.bytes = RANKS * 16 * 21;
			ask(bench, cell, d / 2 % RANKS, 3);
			find_flips(bench);
		}
}

TEST(every_operation_is_checked)
{
	struct cell cell = {.coll = COLL_REDUCE_SCATTER, .bytes = RANKS * 16 * 21};
	for (cell.dtype = 0; cell.dtype < DTYPE_KINDS; cell.dtype++)
		for (cell.op = 0; cell.op < OP_NONE; cell.op++) {
			ask(*state, cell, 3, 2);
			find_flips(*state);
		}
}

/* With any stride: all elements, and nothing after them. */
TEST(strided_access_copies_all)
{
	struct bench *bench = *state;
	for (unsigned stride = 1; stride <= 40; stride += stride < 3 ? 1 : 13)
		for (unsigned d = 0; d < DTYPE_KINDS; d++) {
			const size_t n = 70001, bytes = n * coll_dtype_bytes((enum dtype)d);
			for (size_t i = 0; i < bytes; i++)
				bench->send[i] = (unsigned char)(i * 2654435761u >> 13);
			assert_int_equal(
			    cudaMemcpy(bench->b.send, bench->send, bytes, cudaMemcpyHostToDevice),
			    cudaSuccess);
			assert_int_equal(cudaMemset(bench->b.recv, UNTOUCHED, bytes + 64),
			                 cudaSuccess);
			assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
			assert_int_equal(device_launch_access(bench->b.recv, bench->b.send,
			                                      (enum dtype)d, n, stride,
			                                      bench->stream),
			                 cudaSuccess);
			assert_int_equal(cudaStreamSynchronize(bench->stream), cudaSuccess);
			assert_int_equal(cudaMemcpy(bench->recv, bench->b.recv, bytes + 64,
			                            cudaMemcpyDeviceToHost),
			                 cudaSuccess);
			assert_memory_equal(bench->recv, bench->send, bytes);
			for (size_t i = bytes; i < bytes + 64; i++)
				assert_int_equal(bench->recv[i], UNTOUCHED);
		}
}

#else
static unsigned device_count(struct status *st)
{
	status_set(st, "built without CUDA");
	return 0;
}
#endif

/* Without a GPU this is all, and the test says so. */
TEST_WITH(there_is_a_gpu_or_a_reason, NULL, NULL)
{
	struct status st = {0};
	if (device_count(&st) == 0)
		print_message("no GPU, nothing was filled or checked: %s\n", st.text);
	assert_true(device_count(&st) > 0 || st.text[0]);
}

static bool without_a_gpu(const char *name)
{
	struct status st = {0};
	return strcmp(name, "there_is_a_gpu_or_a_reason") && device_count(&st) == 0;
}

#ifdef HAVE_CUDA_NCCL
TESTS(.before = set_up, .after = tear_down, .leave_out = without_a_gpu);
#else
TESTS(.leave_out = without_a_gpu);
#endif
