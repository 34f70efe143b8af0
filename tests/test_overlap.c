/* A job starts while the one before closes, and none of its calls is made before that one has left.
 * A script is the job here: it runs the real worker, and closes as slowly as a test wants. */

#include "../harness/run/runner.h"
#include "here.h"

/* Each writes a line at its start, where `me` is its number. $3 is its order. */
#define BEGINS                                                                                     \
	"#!/bin/sh\nhere=${0%/*}\necho begins >>$here/log\nme=$(wc -l <$here/log)\n"               \
	"begun() { wc -l <$here/log; }\nexits() { read t _ </proc/uptime; echo $t >$here/$me; }\n"
/* For 20 s, so that a test fails and does not hang. */
#define WAITS(WHAT) "i=0; until " WHAT " || [ $((i += 1)) -gt 400 ]; do sleep .05; done\n"
#define NEXT_CAME   WAITS("[ $(begun) -gt $me ]") WAITS("! ls ${3%/*}/*.gate 2>/dev/null >&2")

static unsigned capacity(const char *backend, struct status *st)
{
	(void)backend, (void)st;
	return 2;
}

static const struct plan_machine machine = {.cores = 64, .capacity = capacity};
static char self[96], worker[4096];

static int run(const char *keys, const char *script)
{
	static char *const argv[] = {"launchgap", "run", NULL};
	char path[PATH_MAX];
	const struct run_request request = {.from = {.file = file},
	                                    .results = results,
	                                    .self = self,
	                                    .argc = 2,
	                                    .argv = argv,
	                                    .machine = &machine,
	                                    .quiet = true};
	snprintf(self, sizeof self, "%s/self", folder);
	char *text =
	    test_text("; A test.\n[experiment]\nbackend = null\ncollective = alltoall\nbytes = 4K\n"
	              "ranks = 2\npace = stream\nstretches = 2\ncalls = 2\nwarmup = 1\nlimit = no\n"
	              "twin = no\n%s\n[variant s]\nmode = single\n[variant t]\nmode = threads\n",
	              keys);
	cli_write(folder, "t.exp", text);
	snprintf(worker, sizeof worker, "%s%s", BEGINS, script);
	cli_write(folder, "self", worker);
	assert_int_equal(chmod(self, 0755), 0);
	setenv("LAUNCHGAP", "build/launchgap", 0);
	return run_experiment(&request, path, WHY);
}

static unsigned begun(void)
{
	return cli_lines(test_text("%s/log", folder));
}

/* When the job of this number left, ns; rounded down to 10 ms. */
static int64_t left_ns(const char *job)
{
	char *at = test_text("%s/%s", folder, job);
	char *text = cli_read(at);
	assert_non_null(text);
	const int64_t ns = llround(100 * strtod(text, NULL)) * 10000000;
	return ns;
}

static const struct record_cell *cell_of(const struct record_run *run, unsigned order)
{
	for (unsigned i = 0; i < run->ncells; i++)
		if (run->cells[i].order == order)
			return &run->cells[i];
	fail_msg("trial %u has no cell", order);
	return NULL;
}

/* The jobs of trials, in their order. */
static void jobs_of(const struct record_run *run, unsigned n, const struct record_spent *jobs[])
{
	unsigned found = 0;
	for (unsigned i = 0; i < run->nspent; i++)
		if (run->spent[i].on == SPENT_ON_TRIAL && found < n)
			jobs[found++] = &run->spent[i];
	assert_int_equal(found, n);
}

/* The last job has none after it. */
TEST(no_call_is_made_while_another_job_lives)
{
	const struct record_spent *jobs[6];
	assert_works(run("blocks = 3",
	                 "$LAUNCHGAP \"$@\"; code=$?\n[ $me = 6 ] || {\n" NEXT_CAME
	                 "sleep .5; ls ${3%/*}/*.lines | grep -v $3.lines >>$here/early; }\n"
	                 "exits; exit $code\n"));
	assert_int_equal(begun(), 6);
	struct record_run record = cli_record(here_path(""));
	jobs_of(&record, 6, jobs);
	for (unsigned i = 0; i + 1 < 6; i++) {
		const struct record_cell *own = cell_of(&record, i);
		int64_t over_ns = own->spent.from_ns;
		for (unsigned p = 0; p < SPENT_PHASES; p++)
			over_ns += own->spent.ns[p];
		assert_true(over_ns <= jobs[i + 1]->from_ns);
		/* Time counts once. */
		assert_int_equal(jobs[i]->to_ns, jobs[i + 1]->from_ns);
	}
	snprintf(self, sizeof self, "%s/early", folder);
	char *early = cli_read(self);
	assert_string_equal(early, ""); /* lines of a job whose time had not come */
}

TEST(without_overlap_each_waits_for_the_one_before)
{
	const struct record_spent *jobs[4];
	assert_works(
	    run("blocks = 2\noverlap = no", "$LAUNCHGAP \"$@\"; code=$?; exits; exit $code\n"));
	struct record_run record = cli_record(here_path(""));
	jobs_of(&record, 4, jobs);
	for (unsigned i = 0; i + 1 < 4; i++)
		assert_true(left_ns(test_text("%u", i + 1)) <= jobs[i + 1]->from_ns);
}

/* Jobs that start together know each other by their order's number: 0 and 1, then 2 and 3. */
#define TURNS "blocks = 2\nturns = 4K..4K\n"
#define NTH   "${3##*.}"
#define RUNS  "$LAUNCHGAP \"$@\" "

/* Each gives twice what it was given; none has a line to show for it. Who yields its core takes
 * turns too. */
TEST(jobs_of_a_block_take_turns)
{
	assert_int_equal(run(TURNS "wait = yield\n",
	                     "for turn in 1 2; do printf '\\10' >$3.said\n"
	                     "dd bs=1 count=1 <$3.gate >/dev/null 2>&1\n"
	                     "echo " NTH " >>$here/turns; done; exit 1\n"),
	                 1);
	assert_string_equal(cli_read(test_text("%s/turns", folder)), "0\n1\n0\n1\n");
}

/* Calls that warm a turn up take buffers too: none may find what an earlier call left in place of
 * its input. */
TEST(turns_warm_up_on_buffers_of_their_own)
{
	struct cell cell = {
	    .coll = COLL_ALL_REDUCE, .in_place = true, .bytes = 1, .asked_bytes = 1};
	struct trial trial = {
	    .stretches = 2, .calls = 3, .warmup = 5, .arena_bytes = 1 + 5 + 2 * 3};
	assert_false(trial_spoils(&trial, &cell));
	trial.turns_to = 1;
	assert_true(trial_spoils(&trial, &cell));
	trial.arena_bytes += 2 * 5;
	assert_false(trial_spoils(&trial, &cell));
}

/* Before the first one's first row the second one starts and connects; that is no time of the first
 * one's. */
TEST(a_worker_gives_the_others_their_turns)
{
	const struct record_spent *jobs[4];
	assert_works(run(TURNS, RUNS));
	struct record_run record = cli_record(here_path(""));
	jobs_of(&record, 4, jobs);
	for (unsigned order = 0; order < 4; order += 2) {
		const struct record_cell *first = cell_of(&record, order),
		                         *second = cell_of(&record, order + 1);
		const int64_t row_ns = first->spent.from_ns + first->spent.ns[SPENT_CONNECT] +
		                       first->spent.ns[SPENT_PREPARE] +
		                       first->samples[0].start_ns;
		assert_true(row_ns > second->spent.from_ns + second->spent.ns[SPENT_CONNECT]);
		assert_true(second->spent.from_ns >= jobs[order + 1]->from_ns);
		int64_t own_ns = first->spent.from_ns - jobs[order]->from_ns;
		for (unsigned p = 0; p < SPENT_PHASES; p++)
			own_ns += first->spent.ns[p];
		assert_true(own_ns <= jobs[order]->to_ns - jobs[order]->from_ns);
	}
}

/* The first one too, whatever the size of its first cell. */
TEST(a_turn_begins_when_all_have_connected)
{
	assert_works(run("blocks = 1\nturns = 1M..1M\n",
	                 "if [ " NTH " = 1 ]; then sleep .2; me=late; exits; fi\n" RUNS));
	struct record_run record = cli_record(here_path(""));
	assert_true(cell_of(&record, 0)->spent.from_ns > left_ns("late"));
}

TEST(a_job_that_dies_leaves_the_others_their_turns)
{
	assert_int_equal(
	    run(TURNS,
	        "if [ " NTH " = 0 ]; then " RUNS "&\n" WAITS(
	            "! ls $3.gate 2>/dev/null >&2") "kill -9 $!; touch $here/killed; exit 1; fi\n"
	                                            "if [ " NTH " = 1 ]; then " WAITS(
	                                                "[ -e $here/killed ]") "fi\n" RUNS),
	    1);
	struct record_run record = cli_record(here_path(""));
	assert_int_equal(record.ncells, 3);
	assert_int_equal(record.nfailures, 1);
}

TEST(turns_are_of_jobs_that_can_be_side_by_side)
{
	assert_works(run(TURNS "overlap = no", RUNS));
	struct record_run record = cli_record(here_path(""));
	assert_null(json_object_get(record.environment, "turns"));
	assert_says(
	    json_string_value(json_array_get(json_object_get(record.environment, "notes"), 0)),
	    "left out: turns: no other job can run beside one of s");
}

/* Neither is left, and what was measured before is kept. */
static void interrupt_both(const char *keys, const char *script, unsigned kept)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
	const struct timespec tick = {0, 50000000};
	for (unsigned i = 0; i < LENGTH(signals); i++) {
		int status = 0;
		tear_down();
		set_up();
		char *came = test_text("%s/came", folder);
		pid_t runner = fork();
		if (runner == 0)
			_exit(run(keys, script));
		for (unsigned k = 0; k < 600 && !cli_lines(came); k++)
			nanosleep(&tick, NULL);
		assert_int_equal(cli_lines(came), 1);
		char *scratch = cli_read(came);
		scratch[strcspn(scratch, "\n")] = '\0';
		kill(runner, signals[i]);
		assert_int_equal(waitpid(runner, &status, 0), runner);
		const bool killed = signals[i] == SIGKILL; /* it cannot wait for them, or tidy up */
		assert_int_equal(status, killed ? SIGKILL : RUN_INTERRUPTED << 8);
		for (unsigned k = 0; k < 400 && cli_processes(scratch); k++)
			nanosleep(&tick, NULL);
		assert_int_equal(cli_processes(scratch), 0);
		assert_true(killed || access(scratch, F_OK));
		cli_clean(scratch);
		struct record_run record = cli_record(here_path(""));
		assert_int_equal(record.ncells, kept);
	}
}

TEST(an_interruption_ends_both)
{
	interrupt_both("blocks = 2",
	               "$LAUNCHGAP \"$@\"; code=$?\n[ $me = 1 ] && exit $code\n" NEXT_CAME
	               "echo ${3%/*} >$here/came; exec sleep 1000\n",
	               1);
	interrupt_both(TURNS,
	               "[ " NTH " = 0 ] && exec " RUNS "\n"
	               "echo ${3%/*} >$here/came; exec sleep 1000\n",
	               0);
}

TESTS(.before = set_up, .after = tear_down);
