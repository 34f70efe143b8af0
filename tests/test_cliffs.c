/* Cliffs are named where they exist, and nowhere on a smooth or a noisy curve. */
#include "made.h"

#include "../harness/analysis/channels.h"
#include "../harness/backend/nccl/nccl_log.h"
#include "scratch.h"

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
	json_assert_one_says(json_section(report, "cliffs"), words);
}

static void has_a_switch(json_t *environment)
{
	json_object_set_new(made_variant_of(environment, MADE_PROCESSES), "env",
	                    json_pack("[s]", "NCCL_P2P_DISABLE=1"));
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
	json_assert_one_says(json_section(report, "do_this"),
	                     "Split alltoall into calls of 64 KiB");
	/* A variant with a switch that explains it is not advice: the reference may have none. */
	m.environment = has_a_switch;
	assert_true(find(&m, &report) >= 1);
	assert_false(json_one_says(json_section(report, "do_this"), "Split alltoall"));
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

#define HEAD "node:71:71 [0] NCCL INFO "
#define LINK HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n"
/* As NCCL 2.28.3 and 2.21.5 write them on 8 H100 and H200. */
#define CHANNELS                                                                                   \
	HEAD "16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 16 "        \
	     "p2p channels per peer\n"
#define CHUNK HEAD "P2P Chunksize set to 524288\n"
#define MIB   ((size_t)1 << 20)

static bool rule_of(const char *log, unsigned nranks, struct channels *out)
{
	struct nccl_log read = {0};
	struct status st = {""};
	assert_int_equal(nccl_log_parse(log, strlen(log), &read, &st), 0);
	bool known = channels_rule(&read.path, nranks, out);
	nccl_log_free(&read);
	return known;
}

/* On 8 ranks a pair has 4 channels, and more from 64 MiB and 128 MiB on: where 8 H200 jump. */
TEST(the_log_gives_the_rule)
{
	struct channels c;
	assert_true(rule_of(LINK CHANNELS CHUNK, 8, &c));
	assert_int_equal(c.start, 4);
	assert_int_equal(channels_of(&c, 64 * MIB), 4);
	assert_int_equal(channels_of(&c, 64 * MIB + 1), 8);
	assert_int_equal(channels_of(&c, 128 * MIB + 8), 16);
	assert_int_equal(channels_of(&c, 1024 * MIB), 16); /* all that a pair gets */
	assert_int_equal(channels_of(&c, 65536), 1);
	assert_int_equal(channels_bound(&c, 4096), 64 * MIB);
	assert_int_equal(channels_bound(&c, 65 * MIB), 128 * MIB);
	assert_int_equal(channels_bound(&c, 129 * MIB), 0);
	assert_true(rule_of(LINK CHANNELS CHUNK, 4, &c));
	assert_int_equal(channels_bound(&c, 4096), 128 * MIB);
	assert_true(rule_of(LINK CHANNELS CHUNK, 2, &c));
	assert_int_equal(channels_bound(&c, 4096), 0);
	/* A quarter of the chunk, a quarter of the size. */
	assert_true(rule_of(LINK CHANNELS HEAD "P2P Chunksize set to 131072\n", 8, &c));
	assert_int_equal(channels_bound(&c, 4096), 16 * MIB);
}

TEST(no_rule_without_its_lines)
{
	struct channels c;
	assert_false(rule_of(LINK CHANNELS, 8, &c));
	assert_false(rule_of(LINK CHUNK, 8, &c));
	/* Between nodes NCCL has another one. */
	assert_false(rule_of(
	    HEAD "Channel 00/0 : 1[1] -> 0[0] [send] via NET/Socket/0\n" CHANNELS CHUNK, 8, &c));
	assert_int_equal(channels_parts(COLL_ALLTOALL, 8), 8);
	assert_int_equal(channels_parts(COLL_ALL_REDUCE, 8), 0);
}

static size_t chunk;

static void is_sendrecv(json_t *line, const struct made_place *p)
{
	if (p->variant != MADE_LIMIT)
		json_object_set_new(line, "collective", json_string("sendrecv"));
}

static void has_paths(FILE *out)
{
	static const char *const names[] = {"single", "threads", "processes"};
	for (unsigned v = 0; v < 3; v++)
		made_data_path(out, names[v], "staged",
		               json_pack("{s:i, s:i, s:i, s:I}", "coll_channels", 16,
		                         "p2p_channels", 32, "p2p_channels_per_peer", 16,
		                         "p2p_chunk_bytes", (json_int_t)chunk));
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
	m.line = is_sendrecv;
	m.more = has_paths;
	return m;
}

/* The same jump with unchanged channels: they do not cause it. */
TEST(a_cliff_without_a_step_is_not_theirs)
{
	struct made m = eight();
	chunk = 2 << 20;
	const json_t *report = made_report(&m);
	says(report, "Channels do not explain it");
}

/* What the terminal has of them when it gets another program's columns. */
TEST(they_are_noted_beside_other_columns)
{
	struct status st = {""};
	struct model *m = model_make(scratch(), "results/reference/2x-h200/cliffs", NULL, &st);
	if (!m)
		fail_msg("%s", st.text);
	const struct story_sentence *first = story_said(&m->story, STORY_NOTICE, 0);
	assert_non_null(first);
	assert_says(first->text, "jumps from 64.6 GB/s");
}

TESTS(.begin = made_begin, .end = made_end);
