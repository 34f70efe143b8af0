/* Cliffs are named where they exist, and nowhere on a smooth or a noisy curve. */
#include "made.h"

#include "query.h"

static double factor; /* factor on the curve from that size on */
static unsigned from_size = 3;
static bool limit_too, in_one;
static double noise;

/* 10 µs and 100 GB/s, as smooth as a curve is. */
static void curve(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 10000 + bytes / 100;
	bool has = p->variant == MADE_LIMIT ? limit_too
	           : in_one                 ? p->variant == MADE_PROCESSES
	                                    : true;
	if (p->size >= from_size && has)
		ns /= factor;
	ns *= 1 + noise * made_noise(p->variant + 10 * p->size, p->block, 1);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static const struct made plain = {.blocks = 10, .sizes = 7, .rows = 5, .stamps = curve};

/* How many cliffs a new report has. */
static size_t find(const struct made *m, const json_t **report)
{
	*report = made_report(m);
	return json_count(*report, "cliffs");
}

static void says(const json_t *report, const char *words)
{
	json_says(report, "cliffs", words);
}

static void has_a_switch(json_t *environment)
{
	made_set(made_variant_of(environment, MADE_PROCESSES), "{'env':['NCCL_P2P_DISABLE=1']}");
}

TEST(a_fall_is_named)
{
	const json_t *report;
	struct made m = plain;
	/* At 256 KiB the curve would rise to 3.3 times its value; a fifth is less. */
	factor = 0.2;
	noise = 0.02;
	in_one = true;
	limit_too = false;
	assert_true(find(&m, &report) >= 1);
	says(report, "alltoall falls from ");
	says(report, " in processes (figures of processes)");
	says(report, "% less");
	json_says(report, "do_this", "Split alltoall into calls of 64 KiB");
	/* A variant with a switch that explains it is not advice: the reference may have none. */
	m.environment = has_a_switch;
	assert_true(find(&m, &report) >= 1);
	json_lacks(report, "do_this", "Split alltoall");
	in_one = false;
}

TEST(the_machines_own_is_told)
{
	const json_t *report;
	factor = 2;
	noise = 0.02;
	limit_too = true;
	assert_int_equal(find(&plain, &report), 1);
	says(report, "Plain copies show it too");
	limit_too = false;
}

TEST(few_blocks_name_none)
{
	struct made m = plain;
	const json_t *report;
	factor = 3;
	noise = 0;
	m.blocks = 5;
	assert_int_equal(find(&m, &report), 0);
}

/* --- channels --- */

#define MIB ((size_t)1 << 20)

static size_t chunk;

static const char *transport = "P2P/CUMEM";

/* As NCCL 2.28.3 and 2.21.5 say it on 8 H100 and H200; chunk 0: they do not. */
static const char *logs(void)
{
	const char *one = test_text("{'transport':'%s','coll_channels':16,'p2p_channels':32,"
	                            "'p2p_channels_per_peer':16,'p2p_chunk_bytes':%zu}",
	                            transport, chunk);
	return test_text("{'single':%s,'threads':%s,'processes':%s}", one, one, one);
}

/* The channels of a pair, by size, where the next bound is, and how many there are beyond. */
static const char *channels_of(unsigned ranks, const char *collective)
{
	const struct made_call calls[] = {{collective, 65536, .op = "none"},
	                                  {collective, 64 * MIB, .op = "none"},
	                                  {collective, 64 * MIB + 128, .op = "none"},
	                                  {collective, 128 * MIB + 128, .op = "none"},
	                                  {collective, 1024 * MIB, .op = "none"}};
	const struct made m = {.blocks = 1,
	                       .sizes = LENGTH(calls),
	                       .ranks = ranks,
	                       .calls = calls,
	                       .no_limit = true,
	                       .logs = logs(),
	                       .stamps = curve};
	struct db *db = made_tables(&m, NULL);
	return query(db, "SELECT channels, bound_bytes >> 20, beyond FROM pair_channels "
	                 "WHERE variant = 1 AND place IN "
	                 "(SELECT id FROM place WHERE pace = 'stream') ORDER BY place");
}

/* On 8 ranks a pair has 4 channels, and more from 64 MiB and 128 MiB on: where 8 H200 jump. */
TEST(the_log_gives_the_rule)
{
	factor = 1;
	chunk = MIB / 2;
	assert_string_equal(channels_of(8, "sendrecv"), "1 64 8; 4 64 8; 8 128 16; 16 0 -; 16 0 -");
	assert_string_equal(channels_of(4, "sendrecv"),
	                    "1 128 16; 8 128 16; 8 128 16; 16 0 -; 16 0 -");
	assert_string_equal(channels_of(2, "sendrecv"), "1 0 -; 16 0 -; 16 0 -; 16 0 -; 16 0 -");
	/* A rank sends each an eighth. */
	assert_string_equal(channels_of(8, "alltoall"),
	                    "1 512 8; 4 512 8; 4 512 8; 4 512 8; 8 1024 16");
	/* A quarter of the chunk, a quarter of the size. */
	chunk = MIB / 8;
	assert_string_equal(channels_of(8, "sendrecv"), "4 16 8; 16 0 -; 16 0 -; 16 0 -; 16 0 -");
}

/* Between nodes NCCL has another one. */
TEST(no_rule_without_what_it_needs)
{
	chunk = 0;
	assert_string_equal(channels_of(8, "sendrecv"), "");
	chunk = MIB / 2;
	assert_string_equal(channels_of(8, "all_reduce"), "");
	transport = "NET/Socket";
	assert_string_equal(channels_of(8, "sendrecv"), "");
	transport = "P2P/CUMEM";
}

/* 4 KiB to 256 MiB on 8 ranks, with a jump after 64 MiB. */
static struct made eight(void)
{
	struct made m = plain;
	factor = 3;
	from_size = 8;
	noise = 0.01;
	limit_too = in_one = false;
	m.ranks = 8;
	m.sizes = 9;
	m.more_of_cells = "{'collective':'sendrecv'}";
	return m;
}

/* The same jump with unchanged channels: they do not cause it. */
TEST(a_cliff_without_a_step_is_not_theirs)
{
	struct made m = eight();
	chunk = 2 << 20;
	m.logs = logs();
	const json_t *report = made_report(&m);
	says(report, "Channels do not explain it");
}

/* What the terminal has of them when it gets another program's columns. */
TEST(they_are_noted_beside_other_columns)
{
	struct model *m = model_make(scratch(), "results/reference/2x-h200/cliffs", NULL, WHY);
	if (!m)
		fail_msg("%s", because());
	const struct story_sentence *first = story_said(&m->story, STORY_NOTICE, 0);
	assert_non_null(first);
	assert_says(first->text, "jumps from 64.6 GB/s");
}

TESTS(.begin = made_begin, .end = made_end);
