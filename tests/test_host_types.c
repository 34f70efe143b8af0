/* The host backend in every datatype, operation and place, with skewed counts, in groups and off
 * alignment; roots and what only moves are test_steps' and test_conformance's. */
#include "host_rig.h"

static const char *const paths[] = {"direct", "fifo", "shared"};

static void run_rig(struct rig *rig)
{
	rig_raise(rig);
	rig_run(rig);
	rig_assert_right(rig);
}

static void add_types(struct rig *rig, enum coll_kind coll, bool in_place, size_t bytes)
{
	bool reduces = coll_info(coll)->is & COLL_REDUCES;

	for (int d = 0; d < DTYPE_KINDS; d++)
		for (int op = 0; op < (reduces ? OP_NONE : 1); op++)
			rig_add_cell(rig, (struct cell){.coll = coll,
			                                .dtype = (enum dtype)d,
			                                .op = reduces ? (enum op)op : OP_NONE,
			                                .in_place = in_place,
			                                .bytes = bytes});
}

static void check_reductions(struct layout layout, const char *path, bool in_place)
{
	static const enum coll_kind colls[] = {COLL_ALL_REDUCE, COLL_REDUCE_SCATTER, COLL_REDUCE};
	static struct rig rig;

	rig_init(&rig, layout, path);
	for (unsigned c = 0; c < 3; c++)
		add_types(&rig, colls[c], in_place, 1200);
	for (int d = 0; d < DTYPE_KINDS; d++) /* across the borders of pieces */
		rig_add_cell(&rig, (struct cell){.coll = COLL_ALL_REDUCE,
		                                 .dtype = (enum dtype)d,
		                                 .op = (enum op)(d % OP_NONE),
		                                 .in_place = in_place,
		                                 .bytes = 300000});
	rig.slots = rig.calls = 2; /* in place, a second call on a buffer finds other data */
	run_rig(&rig);
	rig_lower(&rig);
}

TEST(every_datatype_in_every_operation)
{
	for (int place = 0; place < 2; place++) {
		for (unsigned n = 1; n <= 4; n++)
			check_reductions((struct layout){1, 1, n}, paths[n % 3], place);
		for (unsigned p = 0; p < 3; p++)
			check_reductions((struct layout){1, 3, 1}, paths[p], place);
		check_reductions((struct layout){2, 1, 2}, "fifo", place);
		check_reductions((struct layout){2, 1, 1}, "shared", place);
	}
}

TEST(counts_may_differ)
{
	static const struct value_weights weights[] = {
	    {0},
	    {3, 1, {1, 2, 4}},
	    {4, 1, {0, 0, 0, 1}},
	    {2, 1, {0, 7}},
	    {5, 1, {65535, 0, 1, 3, 0}},
	    {4, 4, {0, 9, 1, 1, 1, 0, 1, 1, 0, 30, 0, 0, 1, 1, 1, 0}},
	    {3, 3, {0, 1, 0, 0, 1, 0, 0, 1, 0}}};
	static struct rig rig;

	for (unsigned w = 0; w < sizeof weights / sizeof *weights; w++)
		for (unsigned p = 0; p < 3; p++) {
			rig_init(&rig, (struct layout){1, p % 2 ? 1 : 2, p % 2 ? 4 : 3}, paths[p]);
			rig.trial.weights = weights[w];
			add_types(&rig, COLL_ALLTOALLV, false, 960);
			rig_add(&rig, COLL_ALLTOALLV, 700000);
			rig.slots = rig.calls = 3;
			run_rig(&rig);
			rig_lower(&rig);
		}
}

static void check_offset(struct layout layout, const char *path, unsigned offset)
{
	static struct rig rig;

	rig_init(&rig, layout, path);
	rig.trial.settings.offset_bytes = offset;
	for (int c = 0; c < COLL_COPY; c++)
		for (int d = 0; d < DTYPE_KINDS; d++) {
			struct cell cell = rig_cell_of((enum coll_kind)c, 8192);

			cell.dtype = (enum dtype)d;
			if (offset % coll_dtype_bytes(cell.dtype) == 0)
				rig_add_cell(&rig, cell);
		}
	rig.slots = rig.calls = 3;
	run_rig(&rig);
	rig_lower(&rig);
}

/* 4096 and whole arenas: the data after the offset ends on the last byte of a page. */
TEST(buffers_need_not_be_aligned)
{
	static const unsigned offsets[] = {1, 2, 4, 8, 24, 4088, 4096};

	for (unsigned o = 0; o < sizeof offsets / sizeof *offsets; o++) {
		check_offset((struct layout){1, 2, 2}, paths[o % 3], offsets[o]);
		check_offset((struct layout){2, 1, 1}, o % 2 ? "fifo" : "shared", offsets[o]);
	}
}

/* Groups of a split, each with its own data; in the order of ranks, their digests. */
static void check_split(struct layout layout, const char *path, struct split split,
                        uint64_t digests[8])
{
	static struct rig rig;
	unsigned n = layout_ranks(layout);

	rig_init(&rig, layout, path);
	rig.trial.settings.split = split;
	for (int c = 0; c < COLL_INIT; c++) {
		struct cell cell = rig_cell_of((enum coll_kind)c, 12000);

		cell.root = coll_info(cell.coll)->is & COLL_ROOTED ? 1 : 0;
		if (c != COLL_COPY && !coll_refuses(cell.coll, trial_comm_ranks(&rig.trial)))
			rig_add_cell(&rig, cell);
	}
	rig.slots = rig.calls = 3;
	run_rig(&rig);
	for (unsigned r = 0; r < n; r++)
		digests[r] = rig.results[r].digest;
	rig_lower(&rig);
}

TEST(groups_work_in_parallel)
{
	static const struct split splits[] = {
	    {SPLIT_MOD, 2}, {SPLIT_DIV, 2}, {SPLIT_AND, 1}, {SPLIT_MOD, 1}};
	uint64_t first[8], other[8], all[8];

	check_split((struct layout){1, 1, 4}, "direct", (struct split){SPLIT_NONE, 0}, all);
	for (unsigned s = 0; s < sizeof splits / sizeof *splits; s++) {
		check_split((struct layout){1, 1, 4}, "direct", splits[s], first);
		check_split((struct layout){1, 4, 1}, "fifo", splits[s], other);
		assert_memory_equal(first, other, 4 * sizeof *first);
		check_split((struct layout){2, 1, 2}, "shared", splits[s], other);
		assert_memory_equal(first, other, 4 * sizeof *first);
		check_split((struct layout){4, 1, 1}, "fifo", splits[s], other);
		assert_memory_equal(first, other, 4 * sizeof *first);
		/* No rank has the data of another, in its group or in all. */
		for (unsigned r = 0; r < 4; r++) {
			assert_true(first[r] != all[r]);
			assert_true(first[r] != first[(r + 1) % 4]);
		}
	}
	check_split((struct layout){1, 1, 6}, "shared", (struct split){SPLIT_MOD, 3}, first);
	check_split((struct layout){1, 2, 3}, "fifo", (struct split){SPLIT_MOD, 3}, other);
	assert_memory_equal(first, other, 6 * sizeof *first);
}

TESTS(.slow = true);
