/* A block that was begun: a resume measures its missing trials, and no other; the report says which
 * came later, and warns if that was much later. */

#include "here.h"
#include "json.h"

#define BLOCKS 3
#define TRIALS 3 /* s, t and s-again */

static char run[256], record[300];

static const char text[] = "; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\n"
                           "backend = null\nlimit = no\nranks = 2\nblocks = 3\n"
                           "pace = isolated\nisolated_calls = 5\n"
                           "[variant s]\nmode = single\n[variant t]\nmode = threads\n";

/* Measures all blocks, and then cuts the record after so many trials. */
static void measure(unsigned trials)
{
	cli_expect(here_run(text, "--no-report", NULL), 0, "block 3 of 3");
	cli_result(folder, "t", "", run, sizeof run);
	snprintf(record, sizeof record, "%s/trials.jsonl", run);
	char *all = cli_read(record), *line = strchr(all, '\n') + 1;
	for (; trials; line = strchr(line, '\n') + 1) {
		char *timed = strstr(line, "\"pass\":\"timed\"");
		trials -= timed && timed < strchr(line, '\n');
	}
	*line = '\0';
	cli_write(run, "trials.jsonl", all);
}

static struct cli resume(const char *more)
{
	return cli_call(folder, "resume", run, "--no-report", more, NULL);
}

/* Every trial of the plan once, of s, t and s-again in each block. */
static void assert_whole(unsigned blocks)
{
	struct record_run r = cli_record(run);
	unsigned found[BLOCKS * TRIALS] = {0}, of[BLOCKS][256] = {{0}}, timed = 0;
	for (unsigned i = 0; i < r.ncells; i++) {
		const struct record_cell *c = &r.cells[i];
		if (c->cell.pass != PASS_TIMED)
			continue;
		timed++;
		assert_true(c->order < blocks * TRIALS && c->block == c->order / TRIALS);
		found[c->order]++;
		of[c->block][(unsigned char)c->variant[strlen(c->variant) - 1]]++;
	}
	assert_int_equal(timed, blocks * TRIALS);
	for (unsigned i = 0; i < timed; i++)
		assert_int_equal(found[i], 1);
	for (unsigned b = 0; b < blocks; b++)
		assert_true(of[b]['s'] == 1 && of[b]['t'] == 1 && of[b]['n'] == 1);
	assert_int_equal(record_begun(&r), 0);
}

TEST(the_last_block_is_completed)
{
	measure((BLOCKS - 1) * TRIALS + 1);
	struct record_run r = cli_record(run);
	assert_int_equal(record_begun(&r), 1);
	cli_expect(resume(NULL), 0, "block 3 has 1 of its 3 trials");
	assert_whole(BLOCKS);
	r = cli_record(run);
	assert_prints("1: 1 trial of block 2, 1 block", "%u: %u trial of block %u, %u block",
	              r.nresumes, r.resumes[0].begun, r.resumes[0].first_block,
	              r.resumes[0].blocks);
	cli_expect(resume(NULL), 1, "has all 3 blocks");
}

/* The one that was begun is one of them. */
TEST(so_many_are_measured_as_are_said)
{
	measure(TRIALS + 2);
	cli_expect(resume("blocks=1"), 0, "block 2 of 2");
	assert_whole(2);
	cli_expect(resume("blocks=1"), 0, "block 3 of 3");
	assert_whole(BLOCKS);
}

/* A run that ended by itself lacks the trials that were given up; a foreign record may number its
 * trials as it likes. */
TEST(some_blocks_are_left_as_they_are)
{
	static const struct {
		unsigned order, begun;
	} cases[] = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {UINT_MAX, 0}};
	measure(1);
	struct record_run r = cli_record(run);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		r.cells[0].order = cases[i].order;
		assert_int_equal(record_begun(&r), cases[i].begun);
	}
	r.cells[0].order = 0;
	strcpy(r.end.reason, "blocks");
	assert_int_equal(record_begun(&r), 0);
	r.end.reason[0] = '\0';
	r.cells[0].block = 1;
	assert_int_equal(record_begun(&r), 0);
}

static json_int_t now, pause_s;

static bool set_time(json_t *line, const char *kind)
{
	if (strcmp(kind, "spent"))
		now += strcmp(kind, "resume") ? 100 : pause_s - 100;
	if (json_object_get(line, "written_s"))
		json_object_set_new(line, "written_s", json_integer(now));
	if (pause_s <= 0)
		json_object_del(line, "written_s");
	return true;
}

/* As if a trial took 100 s, and the second session began so much later. 0 and less: as an older
 * program writes it. */
static void set_times(long paused_s)
{
	now = 1000000;
	pause_s = paused_s;
	cli_edit(record, set_time);
}

static json_t *report(void)
{
	cli_expect(cli_call(folder, "report", run, NULL), 0, "");
	return json_report(test_text("%s/report.json", run));
}

TEST(the_report_says_which_came_later)
{
	static const struct {
		long pause_s;
		const char *warning;
	} cases[] = {{250, NULL},
	             {350, "Block 2 is not close in time: 2 of its 3 trials were measured in "
	                   "one session, the others 350 s later in another."},
	             {7200, "the others 2.00 h later in another"},
	             {0, "the others at a time that is not recorded in another"}};
	measure(TRIALS + 2);
	cli_expect(resume(NULL), 0, "");
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		set_times(cases[i].pause_s);
		json_t *r = report();
		const json_t *method = json_section(r, "method"),
		             *warnings = json_object_get(r, "warnings"),
		             *later = json_array_get(json_object_get(r, "sessions"), 1);
		json_assert_one_says(method, "Block 1, trials 1 to 2 of block 2, 20");
		json_assert_one_says(method, "Trial 3 of block 2, block 3, as planned, 20");
		assert_int_equal(json_one_says(warnings, "is not close in time"),
		                 cases[i].warning != NULL);
		if (cases[i].warning)
			json_assert_one_says(warnings, cases[i].warning);
		json_assert_number(later, "begun", 2, 0);
		if (cases[i].pause_s)
			json_assert_number(later, "pause_s", (double)cases[i].pause_s, 0);
		else
			json_assert_null(later, "pause_s");
		json_assert_number(r, "looks.n", 1, 0);
	}
}

/* One count of blocks, of whole ones: 1 of 3, for any number of trials of the next. */
TEST(only_whole_blocks_count)
{
	measure(TRIALS + 2);
	set_times(250);
	json_t *r = report();
	const json_t *answer = json_object_get(r, "answer");
	json_assert_number(r, "blocks", 1, 0);
	json_assert_says(r, "trust", "1 block (repetition) and part of another.");
	json_says(r, "measured", "2 ranks, 1 block and part of another,");
	json_says(r, "method", "Blocks measured: 1 of 3; seed ");
	char *drawn = cli_read(test_text("%s/plots/run.gp", run));
	assert_non_null(drawn);
	assert_says(drawn, "\nblocks = 1\n");
	json_assert_says(json_array_get(answer, 0), "",
	                 "Not finished: 1 of 3 blocks, and 2 of the 3 trials of the next.");
	json_assert_one_says(answer, "in the one whole block: t ");
	/* 5 blocks more of 300 s, of which 200 s are there. */
	char *go_on = test_text("To go on (about 22 min): launchgap resume %s blocks=5", run);
	json_assert_one_says(answer, go_on);
	json_says(r, "warnings", go_on);
	/* Whole, but too few for a verdict. */
	cli_expect(resume(NULL), 0, "");
	r = report();
	answer = json_object_get(r, "answer");
	json_assert_number(r, "blocks", BLOCKS, 0);
	assert_false(json_one_says(answer, "Not finished"));
	json_assert_one_says(answer, "in each of the 3 blocks: t ");
	json_assert_one_says(answer, "blocks=3");
	assert_false(json_one_says(answer, "This run cannot"));
}

/* A line that is followed by more is not the run's end. */
TEST(an_end_holds_only_at_the_end)
{
	char path[512];
	cli_expect(here_run("; A test.\n[experiment]\ncollective = alltoall\nbytes = 4K\n"
	                    "backend = null\nlimit = no\nranks = 2\nblocks = 1\n"
	                    "pace = isolated\nisolated_calls = 15\n[variant s]\nmode = single\n",
	                    "--no-report", NULL),
	           0, ": 2 ranks on null, 1 block, into");
	strcpy(path, here_path(""));
	char *name = test_text("%s/trials.jsonl", path);
	char *lines = cli_read(name);
	cli_unsum(lines);
	char *end = strstr(lines, "{\"schema\":1,\"kind\":\"end\"");
	assert_non_null(end);
	size_t bytes = strlen(lines);
	char *cell = strstr(lines, "{\"schema\":1,\"kind\":\"cell\""),
	     *more = test_text("%s%.*s", lines, (int)(strchr(cell, '\n') + 1 - cell), cell);
	memcpy(strstr(more + bytes, "\"block\":0"), "\"block\":7", 9);
	char *stamp =
	    strstr(more + bytes, "\"start_ns\":[[") + 13; /* the same 32 twice were a copy */
	stamp += strspn(stamp, "0123456789") - 1;
	*stamp = *stamp == '0' ? '1' : '0';
	cli_write(path, "trials.jsonl", more);
	struct record_run loaded = cli_record(path);
	assert_string_equal(loaded.end.reason, "");
	/* Damage is an error with its line. */
	memcpy(strstr(end, "reason"), "raison", 6);
	cli_write(path, "trials.jsonl", lines);
	assert_refused(record_load(path, &loaded, WHY), "\"reason\"");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
