/* The calls, from an experiment file to cells: datatypes, operations, roots, places, counts,
 * cycles; and communicators that are split. */
#include "spec_file.h"

/* Plans an experiment of 4 ranks on host with these lines. */
static int make(const char *lines)
{
	char *text =
	    test_text("[experiment]\nbackend = host\nranks = 4\nbytes = 4K, 64K\npace = stream\n"
	              "limit = no\nblocks = 1\n%s\n[variant threads]\nmode = threads\n",
	              lines);
	return read_text(text, "host", NULL) || plan_it() ? -1 : 0;
}

static void planned(const char *lines, unsigned ncells)
{
	assert_works(make(lines));
	assert_int_equal(plan.ncells, ncells);
}

static void refused(const char *lines, const char *why)
{
	assert_refused(make(lines), why);
}

/* So many of the plan's cells c are so. */
#define assert_cells(N, IS)                                                                        \
	do {                                                                                       \
		unsigned n_ = 0;                                                                   \
		for (const struct cell *c = plan.cells; c < plan.cells + plan.ncells; c++)         \
			n_ += (IS);                                                                \
		assert_int_equal(n_, N);                                                           \
	} while (0)

static struct trial *trial; /* the plan's first */

static void plan_first(void)
{
	trial_free(trial);
	trial = plan_trial(&plan, 0);
}

TEST(lists_multiply_where_they_apply)
{
	planned("collective = all_reduce", 2);
	planned("collective = all_reduce\ndtype = all\nop = all", 2 * 12 * 6);
	planned("collective = alltoall\ndtype = int8, float64", 2 * 2);
	assert_cells(4, c->op == OP_NONE);
	planned("collective = all_reduce, alltoall\nop = sum, max", 2 * 2 + 2);
	assert_cells(2, c->op == OP_NONE);
	refused("collective = alltoall, sendrecv\nop = all",
	        "op = all is used by no collective of the experiment: none of alltoall, "
	        "sendrecv reduces");
	refused("collective = alltoall\nroot = 1", "none of alltoall has a root");
	planned("collective = broadcast, all_gather\nroot = all", 2 * 4 + 2);
	assert_cells(2, c->root == 2);
	planned("collective = broadcast\nroot = 1, 2", 2 * 2);
	assert_cells(2, c->root == 2);
	planned("collective = all_reduce, alltoall\nin_place = both", 2 * 2 + 2);
	assert_cells(2, c->in_place);
	/* A collective without such a form is measured in the one that it has. */
	planned("collective = all_reduce, alltoall\nin_place = yes", 2 + 2);
	assert_cells(2, c->in_place);
}

/* A cell that is omitted, or not in the requested form, is reported; it is an error if all are. */
TEST(what_cannot_be_is_said)
{
	planned("collective = all_reduce, hypercube\nin_place = both", 2 * 2 * 2);
	assert_int_equal(plan.nnotes, 0);
	planned("collective = hypercube\nin_place = yes", 2);
	assert_cells(2, c->in_place);
	planned("collective = all_reduce, alltoall, sendrecv\nin_place = yes", 3 * 2);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "out of place only: alltoall, sendrecv: ");
	planned("collective = alltoallv\nin_place = both", 2);
	assert_says(plan.notes[0], "out of place only: alltoallv: ");
	refused("collective = alltoall, sendrecv\nin_place = yes",
	        "in_place = yes, but alltoall, sendrecv has no such form");
	planned("collective = all_reduce, init", 2);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "left out: init: backend host has no comm");
	refused("collective = init", "allowed is pace = isolated");
}

/* Cells that the reference cannot run are omitted: elements of 8 bytes cannot begin at an offset of
 * 4, and the limit's copies are not for slots. If nothing is left, it is an error. */
TEST(what_the_reference_cannot_do_is_left_out)
{
	planned("collective = alltoall, all_gather\ndtype = all\noffset = 4", 2 * 2 * 9);
	assert_cells(0, coll_dtype_bytes(c->dtype) == 8);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "left out: int64, uint64, float64, where it cannot "
	                           "be: host: offset = 4 is not a whole number");
	planned("collective = all_gather, copy\npath = fifo", 2);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "left out: copy: host: the limit is copied");
	refused("collective = copy\npath = fifo", "cannot run here");
	refused("collective = alltoall\ndtype = int64\noffset = 4", "cannot run here");
	planned("collective = alltoall\ndtype = all", 2 * 12);
	assert_int_equal(plan.nnotes, 0);
}

/* All roots are those that each variant's communicators have. */
TEST(all_roots_are_the_communicators)
{
	planned("collective = broadcast\nroot = all\nsplit = MOD:2", 2 * 2);
	assert_cells(2, c->root == 1);
	assert_string_equal(plan.variants[0].skip, "");
	planned("collective = broadcast\nroot = all\n[variant halves]\nmode = threads\n"
	        "split = DIV:2",
	        2 * 2);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "root = all is 0 to 1");
	planned("collective = broadcast\nroot = all\nsplit = MOD:1", 2 * 4);
	assert_int_equal(plan.nnotes, 0);
}

TEST(slips_are_refused)
{
	refused("collective = all_reduce\ndtype = float7", "float8_e5m2, or all");
	refused("collective = all_reduce\nop = sum, sum", "op names 'sum' twice");
	refused("collective = reduce\nroot = 4", "root = 4, but ranks are 0 to 3");
	refused("collective = reduce\nroot = 1, 2, 1", "root names 1 twice");
	refused("collective = reduce\nroot = -1", "root = '-1' is not allowed");
	refused("collective = reduce\nin_place = maybe", "allowed is no, yes, both");
	refused("collective = alltoallv\ncounts = 0:0", "not all of them 0");
	refused("collective = alltoallv\ncounts = 1:70000", "weights from 0 to 65535");
	refused("collective = alltoall\nsplit = XOR:1", "AND, OR, MOD or DIV");
	refused("collective = alltoall\nsplit = MOD:0", "AND, OR, MOD or DIV");
	refused("collective = alltoall\nflip = 1", "allowed is RANK:BYTE");
	refused("collective = alltoall\nflip = 4:0", "flip: rank = 4, but ranks are 0 to 3");
	refused("collective = alltoall\naggregate = 8", "allowed are multiples of 8");
	refused("collective = alltoall\nregister = all", "allowed is none, local, window");
}

TEST(a_soak_repeats_all_cells)
{
	refused("collective = all_reduce, reduce\ndtype = all\nop = all\nroot = all\n"
	        "in_place = both\ncycles = 1000",
	        "1440 cells 1000 times each are 1440000 in a trial; allowed are 720000");
	planned("collective = alltoall\ncycles = 3\ntimeout = 20", 2);
	assert_int_equal(spec.timeout_s, 20);
	planned("collective = alltoall\ncycles = 3", 2);
	assert_int_equal(spec.timeout_s, 900);
	plan_first();
	assert_int_equal(trial->ncells, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(trial->cells[i].cycle, i / 2);
		assert_int_equal(trial->cells[i].bytes, trial->cells[i % 2].bytes);
	}
}

TEST(cells_are_nested_in_connections)
{
	refused("collective = alltoall\nallocations = 101", "100");
	refused("collective = alltoall\ncycles = 2\nconnections = 2", "allowed is one of the two");
	planned("collective = alltoall\nconnections = 3\nallocations = 2\ncounters = yes", 2);
	assert_int_equal(spec.timeout_s, 6 * 300);
	plan_first();
	assert_true(trial->ncells > 12);
	for (unsigned i = 0; i < trial->ncells; i++) {
		const struct cell *cell = &trial->cells[i];
		assert_int_equal(cell->connection, i < 12 ? i / 4 : 2);
		assert_int_equal(cell->allocation, i < 12 ? i / 2 % 2 : 1);
		assert_int_equal(cell->pass == PASS_TIMED, i < 12);
	}
}

/* The first connection measures all sizes, the others those that were asked for. */
TEST(later_connections_may_have_some_sizes_alone)
{
	refused("collective = alltoall\nconnection_bytes = 4K..1K", "allowed is LO..HI");
	planned("collective = alltoall\nconnections = 3\nallocations = 2\n"
	        "connection_bytes = 2K..16K\nhost.bytes = 1K, 4K, 64K",
	        3);
	assert_int_equal(spec.timeout_s, 2 * 300 + 300);
	plan_first();
	assert_int_equal(trial->ncells, 2 * 3 + 2 * 2);
	for (unsigned i = 0; i < trial->ncells; i++) {
		const struct cell *cell = &trial->cells[i];
		assert_int_equal(cell->connection, i < 6 ? 0 : 1 + (i - 6) / 2);
		assert_int_equal(cell->allocation, i < 6 ? i / 3 : i % 2);
		assert_true(i < 6 || cell->asked_bytes == 4096);
	}
	planned("collective = alltoall\nconnections = 3\nconnection_bytes = 1M..2M", 2);
	assert_int_equal(spec.connections, 1);
}

TEST(counters_come_last)
{
	planned("collective = alltoall, sendrecv\ncounters = yes\nhost.bytes = 1K, 4K, 64K", 6);
	plan_first();
	assert_int_equal(trial->ncells, 10);
	unsigned seen = 0;
	for (unsigned i = 0; i < 10; i++) {
		const struct cell *c = &trial->cells[i];
		assert_int_equal(c->pass, i < 6 ? PASS_TIMED : PASS_COUNTERS);
		if (i < 6)
			continue;
		assert_true(c->bytes == 4 << 10 || c->bytes == 64 << 10);
		assert_int_equal(c->asked_bytes, c->bytes);
		seen |= 1u << (2 * (c->coll == COLL_SENDRECV) + (c->bytes == 64 << 10));
	}
	assert_int_equal(seen, 0xF);
}

/* No claim is about them here. */
TEST(counters_are_read_in_the_first_blocks)
{
	planned("collective = alltoall", 2);
	assert_false(plan_counts(&plan, 0, 0));
	planned("collective = alltoall\ncounters = yes", 2);
	assert_true(plan_counts(&plan, 0, PLAN_COUNTED_BLOCKS - 1));
	assert_false(plan_counts(&plan, 0, PLAN_COUNTED_BLOCKS));
	spec.first_plan = 8; /* a run that goes on, with more blocks than it was begun with */
	assert_false(plan_counts(&plan, 0, 7));
	assert_true(plan_counts(&plan, 0, 8));
}

TEST(groups_of_a_split)
{
	static const struct {
		const char *text;
		unsigned size, color_of_5, index_of_5;
	} cases[] = {{"none", 8, 0, 5},  {"MOD:2", 4, 1, 2}, {"DIV:4", 4, 1, 1},
	             {"AND:1", 4, 1, 2}, {"AND:6", 2, 4, 1}, {"OR:3", 4, 7, 1}};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct split split;
		char text[32];
		unsigned size;
		assert_int_equal(split_parse(cases[i].text, &split, WHY), 0);
		split_text(split, text, sizeof text);
		assert_string_equal(text, cases[i].text);
		assert_int_equal(split_size(split, 8, &size, WHY), 0);
		assert_int_equal(size, cases[i].size);
		struct split_place place = split_place(split, 8, 5);
		assert_int_equal(place.color, cases[i].color_of_5);
		assert_int_equal(place.index, cases[i].index_of_5);
		assert_int_equal(split_peer(split, 8, place.color, place.index), 5);
		assert_int_equal(split_peer(split, 8, place.color, size), 8);
	}
}

/* As NCCL_TESTS_SPLIT is written. */
TEST(splits_of_nccl_tests_are_read)
{
	static const struct {
		const char *text, *same;
	} cases[] = {{"mod:2", "MOD:2"}, {"Mod 8", "MOD:8"},  {"AND 0x7", "AND:7"},
	             {"&0x7", "AND:7"},  {"|3", "OR:3"},      {"% 2", "MOD:2"},
	             {"/8", "DIV:8"},    {"DIV0b10", "DIV:2"}};
	static const char *const wrong[] = {"mod", "mod:",   "mod: 2", "%x",     "MOD:2x",
	                                    "0b2", "AND:-1", "/0",     "DIV:0b2"};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct split split;
		char text[32];
		assert_works(split_parse(cases[i].text, &split, WHY));
		split_text(split, text, sizeof text);
		assert_string_equal(text, cases[i].same);
	}
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		struct split split;
		assert_refused(split_parse(wrong[i], &split, WHY), wrong[i]);
	}
}

TEST(uneven_groups_are_refused)
{
	unsigned size;
	assert_refused(split_size((struct split){SPLIT_DIV, 3}, 8, &size, WHY), "different sizes");
	assert_refused(split_size((struct split){SPLIT_MOD, 8}, 8, &size, WHY), "one rank");
}

TEST(words_name_what_is_called)
{
	struct cell cell = {.coll = COLL_ALL_REDUCE, .dtype = DTYPE_FLOAT32, .op = OP_SUM};
	assert_string_equal(coll_word(&cell, 4).text, "all_reduce");
	cell.dtype = DTYPE_FLOAT16;
	cell.op = OP_MAX;
	cell.in_place = true;
	cell.comm_ranks = 2;
	assert_string_equal(coll_word(&cell, 4).text, "all_reduce_float16_max_in_place_of2");
}

FIXTURE(done)
{
	trial_free(trial);
	plan_free(&plan);
	tear_down();
}

TESTS(.begin = set_up, .end = done);
