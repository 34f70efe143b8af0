/* Cliffs are named where they are, and nowhere on a smooth or a noisy curve. */
#include "made.h"

#include "../harness/analysis/channels.h"
#include "../harness/backend/nccl/nccl_log.h"

static double factor; /* what the curve is multiplied with from that size on */
static unsigned from_size = 3;
static bool limit_too, in_one;
static double processes_more = 1; /* their factor is as many times as large */
static double noise;

/* 10 µs and 100 GB/s, as smooth as a curve is. */
static void curve(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 10000 + bytes / 100;
	bool has = p->variant == MADE_LIMIT ? limit_too
	           : in_one                 ? p->variant == MADE_PROCESSES
	                                    : true;
	if (p->size >= from_size && has)
		ns /= factor * (p->variant == MADE_PROCESSES ? processes_more : 1);
	ns *= 1 + noise * made_noise(p->variant + 10 * p->size, p->block, 1);
	out[1] = 100;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static const struct made plain = {.backend = "nccl",
                                  .ranks = 2,
                                  .blocks = 10,
                                  .sizes = 7,
                                  .rows = 5,
                                  .cores = 16,
                                  .stamps = curve};

static unsigned find(const struct made *m, char *text, size_t bytes)
{
	struct made_loaded l;
	struct cliff *cliffs;
	struct status st = {""};
	unsigned count;
	made_load(m, &l);
	assert_int_equal(cliffs_find(&l.summary, &cliffs, &count, &st), 0);
	text[0] = 0;
	if (count)
		cliffs_say(&l.summary, &cliffs[0], "", text, bytes);
	free(cliffs);
	made_unload(&l);
	return count;
}

static void smooth_curves_have_none(void **state)
{
	char text[1024];
	(void)state;
	factor = 1;
	noise = 0.02;
	assert_int_equal(find(&plain, text, sizeof text), 0);
	/* Noise alone makes none either, however large. */
	noise = 0.5;
	assert_int_equal(find(&plain, text, sizeof text), 0);
}

static void a_jump_is_named(void **state)
{
	char text[1024];
	(void)state;
	factor = 2;
	noise = 0.02;
	limit_too = in_one = false;
	assert_int_equal(find(&plain, text, sizeof text), 1);
	made_says(text, "alltoall jumps from ");
	made_says(text, " GB/s at 64 KiB to ");
	made_says(text, " at 256 KiB in every variant (figures of ");
	made_says(text, "Plain copies of the same sizes show none of it.");
	made_says(text, "NCCL_DEBUG_SUBSYS=TUNING,P2P");
	made_says(text, "BYTES='64K..256K +32K'");
	/* The reference's figures, though another's jump is higher. */
	processes_more = 1.5;
	assert_int_equal(find(&plain, text, sizeof text), 1);
	made_says(text, " in every variant (figures of threads)");
	processes_more = 1;
}

static void a_fall_is_named(void **state)
{
	char text[1024];
	(void)state;
	/* At 256 KiB the curve would rise to 3.3 times its value; a fifth is less. */
	factor = 0.2;
	noise = 0.02;
	in_one = true;
	limit_too = false;
	unsigned count = find(&plain, text, sizeof text);
	assert_true(count >= 1);
	made_says(text, "alltoall falls from ");
	made_says(text, " in processes (figures of processes)");
	made_says(text, "% less");
	in_one = false;
}

static void the_machines_own_is_told(void **state)
{
	char text[1024];
	(void)state;
	factor = 2;
	noise = 0.02;
	limit_too = true;
	assert_int_equal(find(&plain, text, sizeof text), 1);
	made_says(text, "Plain copies show it too");
	limit_too = false;
}

static void few_blocks_name_none(void **state)
{
	struct made m = plain;
	char text[1024];
	(void)state;
	factor = 3;
	noise = 0;
	m.blocks = 5;
	assert_int_equal(find(&m, text, sizeof text), 0);
}

/* --- channels --- */

#define HEAD "node:71:71 [0] NCCL INFO "
#define LINK HEAD "Channel 00/1 : 0[0] -> 1[1] via P2P/CUMEM\n"
/* As NCCL 2.28.3 and 2.21.5 write them on 8 H100 and H200. */
#define CHANNELS                                                                               \
	HEAD "16 coll channels, 16 collnet channels, 0 nvls channels, 32 p2p channels, 16 "    \
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

/* Of 8 ranks a pair has 4 channels, and more from 64 MiB and 128 MiB on: where 8 H200 jump. */
static void the_log_gives_the_rule(void **state)
{
	struct channels c;
	(void)state;
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

static void no_rule_without_its_lines(void **state)
{
	struct channels c;
	(void)state;
	assert_false(rule_of(LINK CHANNELS, 8, &c));
	assert_false(rule_of(LINK CHUNK, 8, &c));
	/* Between nodes NCCL has another one. */
	assert_false(rule_of(HEAD "Channel 00/0 : 1[1] -> 0[0] [send] via NET/Socket/0\n" CHANNELS
	                          CHUNK,
	                     8, &c));
	assert_int_equal(channels_parts(COLL_ALLTOALL, 8), 8);
	assert_int_equal(channels_parts(COLL_ALL_REDUCE, 8), 0);
}

static size_t chunk;

static void is_sendrecv(json_t *line, const struct made_place *p)
{
	if (p->variant != MADE_LIMIT)
		json_object_set_new(line, "collective", json_string("sendrecv"));
	if (p->variant == MADE_THREADS && p->block == 1)
		json_object_set_new(line, "facts",
		                    json_pack("[{s:s}]", "launched_ctas", "sendrecv 8"));
}

static void has_paths(FILE *out)
{
	for (unsigned v = 0; v < 3; v++)
		made_line(out,
		          json_pack("{s:i, s:s, s:s, s:s, s:i, s:i, s:s, s:b, s:{s:s, s:[], s:b, "
		                    "s:s, s:b, s:s, s:s, s:i, s:i, s:i, s:I}}",
		                    "schema", 1, "kind", "path", "experiment", "x", "variant",
		                    made_names[v], "block", 0, "order", 99 + (int)v, "expect", "",
		                    "as_expected", 1, "path", "transport", "P2P/CUMEM", "links",
		                    "registered", 0, "registered_why", "", "copy_engine", 0,
		                    "data_path", "staged", "why", "", "coll_channels", 16,
		                    "p2p_channels", 32, "p2p_channels_per_peer", 16,
		                    "p2p_chunk_bytes", (json_int_t)chunk));
}

/* 4 KiB to 256 MiB on 8 ranks, with a jump behind 64 MiB. */
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

static const json_t *cliff_of(const json_t *report)
{
	const json_t *one;
	size_t i;
	json_array_foreach(json_object_get(report, "findings"), i, one)
	{
		const char *type = json_string_value(json_object_get(one, "type"));
		if (!strcmp(type, "cliff"))
			return one;
	}
	fail_msg("there is no cliff");
	return NULL;
}

static void a_cliff_has_its_cause(void **state)
{
	struct made m = eight();
	(void)state;
	chunk = 512 << 10;
	const json_t *report = made_report(&m);
	const json_t *cliff = cliff_of(report);
	json_assert_says(cliff, "cause",
	                 "a pair of ranks has 4 of 32 up to 64 MiB, and 16 at 256 MiB (chunks "
	                 "of 512 KiB");
	json_assert_says(cliff, "cause", "There is no further step: 16 are all");
	json_assert_says(cliff, "text", "Its cause is the number of channels");
	const json_t *table = json_table(report, "channels");
	json_keys row = {"variant", "threads", "found", "a jump", NULL};
	json_assert_number(json_cell(table, row, "bound_bytes"), "", 64 * MIB, 0);
	json_assert_number(json_cell(table, row, "before"), "", 4, 0);
	json_assert_number(json_cell(table, row, "after"), "", 16, 0);
	json_keys threads = {"variant", "threads", NULL};
	json_assert_text(json_cell(json_table(report, "paths"), threads, "launched_ctas"), "",
	                 "sendrecv 8");
	/* Four times as many, but no more than plain copies reach. */
	json_assert_number(json_cell(table, row, "predicted_gbs"), "", 100, 5);
}

/* The same jump where the channels stay as they are: it is not theirs. */
static void a_cliff_without_a_step_is_not_theirs(void **state)
{
	struct made m = eight();
	(void)state;
	chunk = 2 << 20;
	const json_t *report = made_report(&m);
	const json_t *cliff = cliff_of(report);
	json_assert_says(cliff, "cause", "Channels do not explain it");
	json_keys row = {"variant", "threads", NULL};
	const json_t *table = json_table(report, "channels");
	json_assert_text(json_cell(table, row, "found"), "", "not measured");
	json_assert_number(json_cell(table, row, "bound_bytes"), "", 256 * MIB, 0);
	/* And a step without a jump is said to have none. */
	chunk = 512 << 10;
	factor = 1;
	report = made_report(&m);
	table = json_table(report, "channels");
	json_assert_text(json_cell(table, row, "found"), "", "no break");
}

/* The real one: sendrecv of 4 H200, and none in the alltoall beside it. */
static void the_known_one_is_found(void **state)
{
	static const struct {
		const char *dir;
		unsigned count;
	} runs[] = {{"results/reference/4x-h200/h800_sendrecv", 1},
	            {"results/reference/4x-h200/h800_alltoall", 0}};
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct record_run run;
		struct summary s;
		struct status st = {""};
		struct cliff *cliffs;
		unsigned count;
		char text[1024];
		bool torn;
		if (access(runs[i].dir, R_OK))
			skip();
		assert_int_equal(record_load(runs[i].dir, &run, &torn, &st), 0);
		assert_int_equal(summary_make(&run, &s, &st), 0);
		assert_int_equal(cliffs_find(&s, &cliffs, &count, &st), 0);
		assert_int_equal(count, runs[i].count);
		if (count) {
			cliffs_say(&s, &cliffs[0], "", text, sizeof text);
			made_says(text, "sendrecv jumps from ");
			made_says(text, " GB/s at 64 MiB to ");
			made_says(text, " at 256 MiB in ");
		}
		free(cliffs);
		summary_free(&s);
		record_free(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(smooth_curves_have_none),
	    cmocka_unit_test(a_jump_is_named),
	    cmocka_unit_test(a_fall_is_named),
	    cmocka_unit_test(the_machines_own_is_told),
	    cmocka_unit_test(few_blocks_name_none),
	    cmocka_unit_test(the_log_gives_the_rule),
	    cmocka_unit_test(no_rule_without_its_lines),
	    cmocka_unit_test(a_cliff_has_its_cause),
	    cmocka_unit_test(a_cliff_without_a_step_is_not_theirs),
	    cmocka_unit_test(the_known_one_is_found),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
