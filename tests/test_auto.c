/* blocks = auto, end to end: what ends a run, that it says so, and that it can go on. */
#include "made.h"

#include "../harness/run/stop.h"
#include "here.h"

/* One worker, so that a busy machine has no threads to put out of step. */
#define QUIET(delay)                                                                               \
	"; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = null\n"             \
	"limit = no\nranks = 2\nblocks = auto\npace = isolated\nwarmup = 1\n"                      \
	"isolated_calls = 5\ndelay = " delay "\n[variant s]\nmode = single\n"

static struct cli run(const char *text, const char *precision, const char *budget)
{
	return here_run(text, "--no-report", precision, budget, NULL);
}

static unsigned blocks_of(const struct record_run *record)
{
	unsigned most = 0;
	for (unsigned i = 0; i < record->ncells; i++)
		if (record->cells[i].block >= most)
			most = record->cells[i].block + 1;
	return most;
}

TEST(a_quiet_device_ends_by_precision_and_goes_on)
{
	char path[512];
	/* So long that its median is far from any noise worth ±50 %. */
	cli_expect(run(QUIET("20ms"), "precision=50%", "budget=1h"), 0,
	           "Ended by precision. After 10 blocks");
	strcpy(path, here_path(""));
	struct record_run record = cli_record(path);
	assert_int_equal(blocks_of(&record), 10);
	assert_string_equal(record.end.reason, "precision");
	assert_says(record.end.text, "(small: s-again against s)");
	json_t *env = record.environment;
	assert_int_equal(json_integer_value(json_object_get(env, "blocks")), 0);
	assert_true(json_real_value(json_object_get(env, "precision")) == 0.5);
	assert_int_equal(json_integer_value(json_object_get(env, "budget_s")), 3600);
	/* Already narrow enough: nothing is added. */
	const char *again[] = {"run",         "--file",        file, "--resume", path,
	                       "--no-report", "precision=50%", NULL};
	cli_expect(cli_run(folder, again), 0, "Ended by precision. After 10 blocks");
	/* A fixed number is added after it, and the end is the new one. */
	const char *fixed[] = {"run", "--file",      file,       "--resume",
	                       path,  "--no-report", "blocks=1", NULL};
	cli_expect(cli_run(folder, fixed), 0, ": 2 ranks on null, 1 block, into");
	record = cli_record(path);
	assert_int_equal(blocks_of(&record), 11);
	assert_string_equal(record.end.reason, "blocks");
}

TEST(a_tiny_budget_ends_it_and_says_so)
{
	char path[512];
	cli_write(folder, "t.exp", QUIET("1ms"));
	/* A block is 2 trials of 6 calls of 50 ms: 6 blocks take 3.6 s at the least. */
	const char *args[] = {"run",           "--file",    file,         "--results", results,
	                      "precision=50%", "budget=1s", "delay=50ms", NULL};
	cli_expect(cli_run(folder, args), 0,
	           "Ended by budget. After 6 blocks the time budget of 1 s has no room");
	strcpy(path, here_path(""));
	struct record_run record = cli_record(path);
	assert_int_equal(blocks_of(&record), 6); /* there is an interval in any case */
	assert_string_equal(record.end.reason, "budget");
	assert_says(record.end.text, "half of the widest interval is ");
}

/* A line that is followed by more is not the run's end. */
TEST(an_end_holds_only_at_the_end)
{
	char path[512], name[600];
	cli_expect(run(QUIET("1ms"), "blocks=1", "precision=1%"), 0,
	           ": 2 ranks on null, 1 block, into");
	strcpy(path, here_path(""));
	snprintf(name, sizeof name, "%s/trials.jsonl", path);
	char *text = cli_read(name);
	cli_unsum(text);
	char *end = strstr(text, "{\"schema\":1,\"kind\":\"end\"");
	assert_non_null(end);
	size_t bytes = strlen(text);
	char *more = malloc(2 * bytes);
	assert_non_null(more);
	char *cell = strstr(text, "{\"schema\":1,\"kind\":\"cell\"");
	snprintf(more, 2 * bytes, "%s%.*s", text, (int)(strchr(cell, '\n') + 1 - cell), cell);
	memcpy(strstr(more + bytes, "\"block\":0"), "\"block\":7", 9);
	cli_write(path, "trials.jsonl", more);
	struct record_run record = cli_record(path);
	assert_string_equal(record.end.reason, "");
	/* Damage is an error with its line. */
	struct status st = {""};
	memcpy(strstr(end, "reason"), "raison", 6);
	cli_write(path, "trials.jsonl", text);
	assert_int_equal(record_load(path, &record, &st), -1);
	assert_says(st.text, "\"reason\"");
	free(more);
}

static struct record_end consider(struct stop_state now)
{
	struct record_end end = {.reason = ""};
	struct status st = {""};
	assert_works(stop_consider(&now, &end, &st), st);
	return end;
}

/* Its decision alone, on the record of a run. */
TEST(it_looks_at_what_is_left_to_compare)
{
	const double any = 1e9; /* wider than any interval: noise decides nothing */
	const unsigned none[2] = {0}, twin[2] = {0, GIVE_UP}, reference[2] = {GIVE_UP};
	char path[512];
	cli_expect(run(QUIET("1ms"), "blocks=10", "precision=1%"), 0, "10 blocks");
	strcpy(path, here_path(""));
	struct stop_state now = {.folder = path,
	                         .failed = none,
	                         .precision = any,
	                         .budget_s = 3600,
	                         .blocks = 10,
	                         .measured = 10,
	                         .elapsed_ns = 1000000000};
	assert_string_equal(consider(now).reason, "precision");
	now.precision = 1e-12;
	assert_string_equal(consider(now).reason, "");
	now.elapsed_ns *= 3590;
	assert_string_equal(consider(now).reason, "budget");
	now.precision = any;
	assert_string_equal(consider(now).reason, "precision");
	now.elapsed_ns = 1;
	now.blocks = 11; /* no look here */
	assert_string_equal(consider(now).reason, "");
	now.blocks = 10;
	now.failed = twin;
	assert_string_equal(consider(now).reason, "blocks");
	assert_says(consider(now).text, "nothing can be compared");
	now.failed = reference;
	assert_string_equal(consider(now).reason, "blocks");
}

/* The size and the pace that have noise of ±30 %. The others have ±0.1 %. */
static unsigned noisy_size;
static bool noisy_isolated;

static void noisy_there(const struct made_place *p, int64_t out[6])
{
	bool noisy = p->size == noisy_size && p->isolated == noisy_isolated;
	double by = (noisy ? 0.3 : 0.001) * made_noise(p->block, p->variant, p->size);
	out[1] = 100;
	out[2] = (int64_t)(1e6 * (1 << 2 * p->size) * (1 + by));
	out[3] = 10;
}

static void with_gap(json_t *environment)
{
	json_object_set_new(
	    environment, "gap",
	    json_pack("{s:s, s:s, s:[i, n]}", "from", "threads", "to", "processes", "bytes", 0));
}

/* 4 KiB to 16 MiB: small are the first three sizes, large is the last. */
static struct record_end consider_made(void (*environment)(json_t *environment))
{
	const unsigned none[5] = {0};
	const struct made m = {
	    .blocks = 10, .sizes = 7, .rows = 1, .environment = environment, .stamps = noisy_there};
	made_write(&m);
	return consider((struct stop_state){.folder = made_folder,
	                                    .failed = none,
	                                    .precision = 0.01,
	                                    .budget_s = 3600,
	                                    .blocks = 10,
	                                    .measured = 10,
	                                    .elapsed_ns = 1000000000});
}

/* A size that no verdict uses does not keep a run going; one that a regime has does. */
TEST_WITH(it_looks_at_regimes, NULL, NULL)
{
	noisy_size = 4;
	noisy_isolated = false;
	assert_string_equal(consider_made(NULL).reason, "precision");
	noisy_size = 6;
	assert_string_equal(consider_made(NULL).reason, "");
	noisy_size = 1;
	assert_string_equal(consider_made(NULL).reason, "precision"); /* latency is isolated */
	noisy_isolated = true;
	assert_string_equal(consider_made(NULL).reason, "");
}

/* Who asks about bandwidth does not wait for latency. */
TEST_WITH(a_gap_ends_it_by_itself, NULL, NULL)
{
	noisy_size = 1;
	noisy_isolated = true;
	assert_string_equal(consider_made(with_gap).reason, "precision");
	noisy_size = 6;
	noisy_isolated = false;
	assert_string_equal(consider_made(with_gap).reason, "");
}

static void with_claim(json_t *environment)
{
	json_object_set_new(environment, "claims",
	                    json_pack("[{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:[i, n], s:n, s:n}]",
	                              "name", "c", "text", "", "is", "less", "left", "processes",
	                              "right", "threads", "metric", "latency", "by", 0.02, "bytes",
	                              0, "pace", "collective"));
	json_object_set_new(environment, "primary", json_string("c"));
	with_gap(environment);
}

/* It counts before a gap; and with it the A/A line of its own regime. */
TEST_WITH(a_primary_claim_ends_it_by_itself, NULL, NULL)
{
	noisy_size = 6;
	noisy_isolated = false;
	assert_string_equal(consider_made(with_claim).reason, "precision");
	noisy_size = 1;
	noisy_isolated = true;
	assert_string_equal(consider_made(with_claim).reason, "");
}

TEST_WITH(a_block_is_not_begun_that_has_no_room, NULL, NULL)
{
	const int64_t s = 1000000000;
	assert_false(stop_over_budget(10, 10, 80 * s, 100 * s));
	assert_false(stop_over_budget(10, 10, 90 * s, 100 * s)); /* 9 more: to 99 */
	assert_true(stop_over_budget(10, 10, 91 * s, 100 * s));
	assert_true(stop_over_budget(6, 6, 7 * s, 1 * s));
	/* Six in any case, and one of a resumed run. */
	assert_false(stop_over_budget(5, 5, 7 * s, 1 * s));
	assert_false(stop_over_budget(12, 0, 0, 1 * s));
	assert_true(stop_over_budget(13, 1, 2 * s, 3 * s));
}

TESTS(.undrawn = true, .slow = true, .begin = made_begin, .end = made_end, .before = set_up,
      .after = tear_down);
