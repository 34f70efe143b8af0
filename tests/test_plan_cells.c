/* The cells of a plan: collectives, sizes and paces, and the passes after them. */
#include "made_plan.h"

/* Every collective × size × pace, once. */
static void expect_all_cells(const struct trial *t)
{
	assert_int_equal(t->ncells, t->block ? 12 : 12 + 2);
	for (unsigned c = 0; c < 2; c++)
		for (unsigned s = 0; s < 3; s++)
			for (unsigned p = 0; p < PACE_KINDS; p++)
				assert_int_equal(count_cells(t, spec.colls[c], spec.sizes[s], p),
				                 1);
	/* The timeline's pass comes last, in the first block, once a collective. */
	for (unsigned i = 12; i < t->ncells; i++) {
		assert_int_equal(t->cells[i].pass, PASS_TIMELINE);
		assert_int_equal(t->cells[i].pace, PACE_ISOLATED);
		assert_int_equal(t->cells[i].coll, spec.colls[i - 12]);
		assert_int_equal(t->cells[i].bytes, spec.sizes[0]);
	}
}

TEST(test_cells)
{
	make(3);
	struct trial *first[10] = {NULL};
	unsigned differ = 0;
	uint64_t data = 0;
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		assert_int_equal(t->order, i);
		assert_string_equal(t->experiment, "x");
		data = i ? data : t->seed;
		assert_true(t->seed == data); /* all trials move the same data */
		assert_true(t->seed < (uint64_t)1 << 53);
		if (!is_limit(t)) {
			expect_all_cells(t);
			first[t->block] = first[t->block] ? first[t->block] : t;
			assert_true(same_cells(t, first[t->block]));
		}
	}
	for (unsigned b = 1; b < 10; b++)
		differ += !same_cells(first[b], first[0]);
	assert_int_equal(differ, 9);
}

/* One more variant must not move the cells of the others. */
TEST(test_cells_do_not_depend_on_variants)
{
	make(3);
	struct trial *few = NULL, *many = NULL;
	for (unsigned i = 0; !few; i++)
		if (plan.trials[i].variant == find("single"))
			few = trial_at(i);
	variant_add("more", "single");
	make(3);
	for (unsigned i = 0; !many; i++)
		if (plan.trials[i].variant == find("single"))
			many = trial_at(i);
	assert_true(same_cells(few, many));
}

TEST(test_sizes_are_rounded)
{
	spec.ranks = 3; /* alltoall: multiples of 48; sendrecv: of 4 */
	spec.sizes[0] = 90;
	spec.sizes[1] = 95;
	spec.sizes[2] = 1000;
	make(1);
	assert_int_equal(plan.ncells, 2 * 2 + 2 * 3);
	assert_int_equal(plan.nnotes, 0);
	for (unsigned i = 0; i < plan.ncells; i++) {
		const struct cell *c = &plan.cells[i];
		if (c->coll == COLL_SENDRECV) {
			assert_int_equal(c->bytes, c->asked_bytes / 4 * 4);
			continue;
		}
		/* 90 and 95 are the same once rounded. */
		assert_int_equal(c->asked_bytes, c->bytes == 48 ? 90 : 1000);
		assert_true(c->bytes == 48 || c->bytes == 960);
	}
	assert_true(plan.arena_bytes >= 1000);
}

/* A size that comes to 0 bytes is omitted and reported; an error if nothing is left. */
TEST(test_small_sizes)
{
	spec.ranks = 3;
	spec.ndtypes = 2;
	spec.dtypes[0] = DTYPE_INT8;
	spec.dtypes[1] = DTYPE_FLOAT64;
	spec.sizes[0] = 5;
	spec.sizes[1] = 47;
	spec.sizes[2] = 48;
	make(1);
	for (unsigned i = 0; i < plan.ncells; i++)
		assert_true(plan.cells[i].bytes > 0);
	/* alltoall: 48 in two types; sendrecv: 5, 47, 48 and 40, 48. Each in two paces. */
	assert_int_equal(plan.ncells, 2 * (2 + 3 + 2));
	assert_int_equal(plan.nnotes, 2);
	assert_says(plan.notes[0], "left out: alltoall of less than 48 bytes");
	assert_says(plan.notes[1], "left out: sendrecv of less than 8 bytes");
	spec.ncolls = spec.ndtypes = 1;
	make(1);
	assert_int_equal(plan.ncells, 2);
	assert_int_equal(plan.nnotes, 1);
	spec.nsizes = 2;
	refuse("bytes = 47 is too small");
	refuse("the smallest for 3 ranks is 48");
}

TEST(test_arena)
{
	make(1);
	assert_true(plan.arena_bytes == 8 << 20); /* beyond a core's own cache */
	spec.sizes[2] = 64 << 20;
	make(1);
	assert_true(plan.arena_bytes == 64 << 20);
	struct trial *t = trial_at(0);
	assert_true(t->arena_bytes == 64 << 20);
}

/* Copies differ in size only, whatever else is varied. */
TEST(test_limit_of_many_cells)
{
	spec.colls[0] = COLL_ALL_REDUCE;
	spec.dtypes[1] = DTYPE_INT8;
	spec.ops[1] = OP_MAX;
	spec.ndtypes = spec.nops = 2;
	spec.in_place = PLACES_BOTH;
	make(1);
	assert_string_equal(plan.variants[find("limit")].skip, "");
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		for (unsigned c = 0; is_limit(t) && c < t->ncells; c++) {
			assert_int_equal(t->ncells, spec.nsizes);
			assert_false(t->cells[c].in_place);
			assert_int_equal(t->cells[c].op, OP_NONE);
		}
	}
}

/* Staged through the host a call of 1 GiB takes a second, and a timeline 20 of them; init is no
 * call; and a step of training has as many thread blocks at any size of its buckets. */
TEST(test_who_has_no_timeline)
{
	static const struct {
		enum coll_kind coll; /* in place of sendrecv */
		bool is_long, all;   /* all: on nccl, and in place of both */
	} rows[] = {
	    {COLL_SENDRECV, true, false}, {COLL_INIT, false, false}, {COLL_DDP_STEP, false, true}};
	for (unsigned r = 0; r < LENGTH(rows); r++) {
		unsigned timelines = 0;
		make(1);
		for (unsigned v = 0; v < plan.nvariants && rows[r].all; v++)
			strcpy(plan.variants[v].settings.backend, "nccl");
		for (unsigned i = 0; i < plan.ncells; i++) {
			struct cell *c = &plan.cells[i];
			if (c->coll != COLL_SENDRECV && !rows[r].all)
				continue;
			c->coll = rows[r].coll;
			c->asked_bytes = rows[r].is_long ? (size_t)1 << 30 : c->asked_bytes;
		}
		struct trial *t = trial_at(0);
		for (unsigned c = 0; c < t->ncells; c++) {
			timelines += t->cells[c].pass == PASS_TIMELINE;
			assert_false(t->cells[c].pass == PASS_TIMELINE && !rows[r].all &&
			             t->cells[c].coll == rows[r].coll);
		}
		assert_int_equal(timelines, 1);
	}
}

/* On GPUs the largest size that is not long has a timeline too, for its thread blocks: of one
 * collective that is its second of three sizes here. */
TEST(test_gpus_have_a_timeline_of_the_largest)
{
	size_t most = 0;
	make(1);
	for (unsigned v = 0; v < plan.nvariants; v++)
		strcpy(plan.variants[v].settings.backend, "nccl");
	for (unsigned i = 0; i < plan.ncells; i++)
		if (plan.cells[i].coll == COLL_SENDRECV && plan.cells[i].bytes == spec.sizes[2])
			plan.cells[i].asked_bytes = (size_t)1 << 30;
	struct trial *t = trial_at(0);
	assert_int_equal(t->ncells, 12 + 4);
	for (unsigned c = 12; c < t->ncells; c++) {
		const struct cell *cell = &t->cells[c];
		assert_int_equal(cell->pass, PASS_TIMELINE);
		assert_int_equal(cell->pace, PACE_ISOLATED);
		most = c % 2 == 0                    ? spec.sizes[0]
		       : cell->coll == COLL_SENDRECV ? spec.sizes[1]
		                                     : spec.sizes[2];
		assert_int_equal(cell->bytes, most);
	}
	assert_int_not_equal(t->cells[12].coll, t->cells[14].coll);
	t = trial_at(plan.ntrials - 1); /* the last block has none */
	for (unsigned c = 0; c < t->ncells; c++)
		assert_int_equal(t->cells[c].pass, PASS_TIMED);
}

/* The variant's connections in a block without passes. */
static unsigned connections(const char *name)
{
	struct trial *t = trial_of(name, 1);
	const unsigned n = t->cells[t->ncells - 1].connection + 1;
	return n;
}

static struct claim *claim_add(enum metric metric, const char *left, const char *right)
{
	struct claim *c = &spec.asked.claims[spec.asked.nclaims++];
	*c = (struct claim){.metric = metric,
	                    .coll = CLAIM_ANY_COLL,
	                    .pace = CLAIM_ANY_PACE,
	                    .regime = CLAIM_ANY_REGIME,
	                    .bytes = {0, SIZE_MAX}};
	strcpy(c->left, left);
	strcpy(c->right, right);
	return c;
}

/* Small sizes draw their luck with each communicator: that is of use where they are judged. */
TEST(connections_are_made_again_for_claims_about_their_sizes)
{
	static const char *const all[] = {"single", "threads", "named", "threads-again"};
	spec.connections = 3;
	spec.allocations = 1;
	spec.connection_bytes = (struct claim_range){4096, 4096};
	make(1);
	for (unsigned i = 0; i < 4; i++) /* no claims: all are compared */
		assert_int_equal(connections(all[i]), 3);
	claim_add(METRIC_LATENCY, "single", "threads");
	claim_add(METRIC_BUSBW, "named", "threads");
	claim_add(METRIC_MEMORY, "named", "threads");
	claim_add(METRIC_DRAM, "named", "threads");
	claim_add(METRIC_LATENCY, "named", "threads")->test = CLAIM_NEEDS;
	claim_add(METRIC_LATENCY, "named", "threads")->bytes = (struct claim_range){8192, SIZE_MAX};
	claim_add(METRIC_LATENCY, "named", "left-out");
	claim_add(METRIC_LATENCY, "named", "threads")->by = 0.2; /* far more than luck */
	make(1);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(connections(all[i]), strcmp(all[i], "named") ? 3 : 1);
	spec.connection_bytes.hi = spec.connection_bytes.lo = 0; /* not of some sizes alone */
	make(1);
	assert_int_equal(connections("named"), 3);
}

/* A record that could not be read back is not begun. */
TEST(test_samples_of_a_line)
{
	spec.ranks = 8;
	spec.isolated_calls = 100000;
	refuse("a cell of 100000 isolated calls on 8 ranks has 800000 samples; allowed are "
	       "500000");
}

TESTS(.begin = find_standin, .before = fresh, .after = done);
