/* What fills and checks buffers in CPU memory: every wrong element is counted, wherever it is. */
#include "../harness/core/buffers.h"
#include "test.h"

#define COUNT 67 /* elements of a buffer: no multiple of anything */
#define SLOTS 3

/* The buffers of rank 1 of 3, with what it has to receive. */
static void give_answers(struct buffers *b, enum coll_kind coll, enum dtype dtype, enum op op)
{
	const struct cell cell = {.coll = coll, .dtype = dtype, .op = op};
	const size_t element = coll_dtype_bytes(dtype);
	b->question =
	    (struct value_question){coll, dtype, op, 3, 1, 0, 21, COUNT, {{0}, 0, 0, 0, 0}};
	b->span = coll_span(&cell, &b->question.parts, 3, 1);
	b->span.recv_bytes = b->span.send_bytes = COUNT * element;
	b->slots = SLOTS;
	for (uint64_t slot = 0; slot < SLOTS; slot++)
		for (uint64_t i = 0; i < COUNT; i++) {
			uint64_t bits = value_expected(&b->question, slot * COUNT, i);
			memcpy(b->recv + (slot * COUNT + i) * element, &bits, element);
		}
}

static void assert_each_is_found(const struct buffers *b, unsigned bit)
{
	const size_t element = coll_dtype_bytes(b->question.dtype);
	struct backend_verdict verdict;
	assert_int_equal(buffers_check(b, &verdict, NULL), 0);
	assert_int_equal(verdict.wrong, 0);
	for (unsigned at = 0; at < SLOTS * COUNT; at++) {
		char *byte = b->recv + at * element + bit / 8 % element;
		*byte ^= (char)(1 << bit % 8);
		buffers_check(b, &verdict, NULL);
		assert_int_equal(verdict.wrong, 1);
		assert_int_equal(verdict.wrong_at, at);
		assert_int_equal(verdict.got ^ verdict.expected, UINT64_C(1)
		                                                     << bit % (8 * element));
		*byte ^= (char)(1 << bit % 8);
	}
}

TEST(each_wrong_element_is_found)
{
	static char send[SLOTS * COUNT * 8], recv[sizeof send];
	struct buffers b = {.send = send, .recv = recv};
	unsigned bit = 0;
	for (unsigned d = 0; d < DTYPE_KINDS; d++)
		for (unsigned op = 0; op < OP_KINDS; op++) {
			give_answers(&b, op == OP_NONE ? COLL_BROADCAST : COLL_ALL_REDUCE, d, op);
			assert_each_is_found(&b, bit++ % 64);
		}
}

TEST(all_that_is_wrong_is_counted)
{
	static char send[SLOTS * COUNT * 8], recv[sizeof send];
	struct buffers b = {.send = send, .recv = recv};
	for (unsigned d = 0; d < DTYPE_KINDS; d++)
		for (unsigned op = 0; op < OP_KINDS; op++) {
			struct backend_verdict verdict;
			give_answers(&b, op == OP_NONE ? COLL_BROADCAST : COLL_ALL_REDUCE, d, op);
			buffers_fill(&b, NULL); /* poisons the answers */
			buffers_check(&b, &verdict, NULL);
			assert_int_equal(verdict.wrong, SLOTS * COUNT);
			assert_int_equal(verdict.wrong_at, 0);
			for (uint64_t i = 0; i < SLOTS * COUNT; i++) {
				const size_t element = coll_dtype_bytes(d);
				uint64_t bits = 0;
				memcpy(&bits, send + i * element, element);
				assert_int_equal(bits, value_input(&b.question, 1, i));
			}
		}
}
