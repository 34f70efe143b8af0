/* --quick: an experiment cut down to its primary claim, from its plan to its report. */
#include <glob.h>

#include "json.h"
#include "spec_file.h"

#define HEAD                                                                                       \
	"; Which?\n[experiment]\ncollective = alltoall, sendrecv\n"                                \
	"bytes = 4K, 64K, 256K, 1M\nranks = 2\nbackend = null\nblocks = 8\nwarmup = 1\n"           \
	"stretches = 2\ncalls = 2\nisolated_calls = 5\nconnections = 2\ncounters = yes\n"          \
	"gap = processes, threads\n"
#define MODES                                                                                      \
	"[variant single]\nmode = single\n[variant threads]\nmode = threads\n"                     \
	"[variant processes]\nmode = processes\n[variant here]\nmode = threads\nnccl_below = "     \
	"2.0\n"
#define CLAIM(NAME, LEFT, RIGHT, METRIC, MORE)                                                     \
	"[claim " NAME "]\ntext = It is so\nleft = " LEFT "\nright = " RIGHT "\nmetric = " METRIC  \
	"\nis = less by 2%\n" MORE
#define CLAIMS                                                                                     \
	CLAIM("bandwidth", "processes", "threads", "busbw", "collective = sendrecv\n")             \
	CLAIM("latency", "processes", "single", "latency", "")                                     \
	CLAIM("copied", "processes", "threads", "copies", "")                                      \
	"[claim more]\ntext = That too\nneeds = what is not here\n"                                \
	"[factor f]\nfrom = single\nto = threads\n"

/* The text, cut down: its primary claim, and what the command line says ("" for nothing). */
static int cut(const char *text, char *said)
{
	char *const overrides[] = {said};
	const struct spec_source from = {file, said[0] != '\0', overrides, lookup, NULL, false};
	cli_write(folder, "t.exp", text);
	assert_works(plan_load(&from, &machine, &spec, WHY));
	return plan_quick(&from, &machine, &spec, WHY) || plan_it() ? -1 : 0;
}

static void cuts(const char *text, char *said)
{
	assert_works(cut(text, said));
}

static void refuses(const char *text, const char *why)
{
	assert_int_equal(cut(text, (char[]){""}), -1);
	assert_begins(because(), file);
	assert_says(because(), why);
}

TEST(only_what_the_primary_claim_compares_is_planned)
{
	cuts(HEAD "reference = single\nprimary = bandwidth\n" MODES CLAIMS, (char[]){""});
	assert_int_equal(plan.nvariants, 3);
	assert_string_equal(plan_find(&plan, "threads")->role, "reference");
	assert_string_equal(plan_find(&plan, "processes")->role, "variant");
	assert_string_equal(plan_find(&plan, "threads-again")->role, "again");
	assert_int_equal(plan.ncells, 2);
	for (unsigned i = 0; i < plan.ncells; i++) {
		assert_int_equal(plan.cells[i].coll, COLL_SENDRECV);
		assert_int_equal(plan.cells[i].pace, PACE_STREAM);
		assert_int_equal(plan.cells[i].asked_bytes, (i ? 1024 : 256) * 1024);
	}
	assert_int_equal(spec.connections, 1);
	assert_false(spec.counters);
	assert_int_equal(spec.blocks, 8);
	assert_int_equal(spec.asked.nclaims, 1);
	assert_int_equal(spec.asked.nfactors, 0);
	assert_string_equal(plan.asked.gap.from, "");
	assert_string_equal(spec.quick.claim, "bandwidth");
	assert_int_equal(spec.quick.variants, 1);
	assert_int_equal(spec.quick.claims, 2);
	assert_int_equal(spec.quick.sizes, 2);
	assert_true(spec.quick.seconds > 0);
	assert_true(spec.quick.trial_seconds > 0);
	bool noted = false;
	for (unsigned i = 0; i < plan.nnotes; i++)
		noted |= strstr(plan.notes[i], "the primary claim alone, bandwidth") != NULL;
	assert_true(noted);
}

/* Latency is of small sizes and isolated calls, of both collectives. The reference is one of the
 * two: it stays. */
TEST(each_claim_has_its_own_cells)
{
	cuts(HEAD "reference = processes\nprimary = latency\n" MODES CLAIMS, (char[]){""});
	assert_string_equal(plan_find(&plan, "processes")->role, "reference");
	assert_string_equal(plan_find(&plan, "single")->role, "variant");
	assert_int_equal(plan.ncells, 2);
	for (unsigned i = 0; i < plan.ncells; i++) {
		assert_int_equal(plan.cells[i].pace, PACE_ISOLATED);
		assert_int_equal(plan.cells[i].asked_bytes, 4096);
	}
}

TEST(counters_are_read_for_a_claim_about_them)
{
	cuts(HEAD "primary = copied\n" MODES CLAIMS, (char[]){""});
	assert_true(spec.counters);
	assert_int_equal(spec.nsizes, 4);
	assert_true(spec.paces[PACE_STREAM]);
	assert_false(spec.paces[PACE_ISOLATED]);
}

TEST(the_command_line_wins)
{
	const char *text = HEAD "primary = bandwidth\n" MODES CLAIMS;
	cuts(text, (char[]){"blocks=3"});
	assert_int_equal(spec.blocks, 3);
	cuts(text, (char[]){"connections=5"});
	assert_int_equal(spec.connections, 5);
	cuts(HEAD "primary = bandwidth\nconnection_bytes = 4K..64K\n" MODES CLAIMS,
	     (char[]){"connections=5"});
	assert_int_equal(spec.connections, 1);
	cuts(HEAD "primary = latency\nconnection_bytes = 4K..64K\n" MODES CLAIMS, (char[]){""});
	assert_int_equal(spec.connections, 2);
	cuts(text, (char[]){"null.counters=yes"});
	assert_true(spec.counters);
	cuts(text, (char[]){"bytes=512K"});
	assert_int_equal(spec.nsizes, 1);
	assert_int_equal(spec.sizes[0], 512 * 1024);
}

/* As many blocks as there is time for, of those that the file has, as few as have an interval. */
TEST(blocks_fit_the_time)
{
	cuts(HEAD "primary = bandwidth\n" MODES CLAIMS, (char[]){"calls=100000"});
	assert_int_equal(spec.blocks, CLAIM_BLOCKS);
}

TEST(without_such_a_claim_it_says_so)
{
	refuses(HEAD MODES CLAIMS, "the primary claim alone, and the experiment has none");
	refuses(HEAD "primary = more\n" MODES CLAIMS,
	        "the primary claim, more, cannot be tested here: it needs what is not here");
	refuses(HEAD "primary = old\n" MODES CLAIM("old", "here", "threads", "busbw", ""),
	        "the primary claim, old, cannot be tested here: here is left out: ");
	refuses(HEAD "pace = stream\nprimary = latency\n" MODES CLAIMS,
	        "cannot be tested here: pace isolated is not measured");
	refuses("; Which?\n[experiment]\ncollective = alltoall\nbytes = 4K\nranks = 2\n"
	        "backend = null\n[variant a]\nmode = threads\n[search]\naggregate = 2, 4\n",
	        "a search has none");
}

/* From the command line to the answer, and on. */
TEST(its_report_says_what_the_full_run_adds)
{
	char path[512];
	cli_expect(here_run(HEAD "primary = bandwidth\n" MODES CLAIMS, "--quick", "blocks=6", NULL),
	           0, "--quick: the primary claim alone, bandwidth",
	           "A quick run: one claim alone.",
	           "The full run would add 1 variant, 2 claims, 2 sizes: ", "t.exp", ", about ");
	strcpy(path, here_path(""));
	struct record_run record = cli_record(path);
	const json_t *quick = json_object_get(record.environment, "quick");
	assert_string_equal(json_string_value(json_object_get(quick, "claim")), "bandwidth");
	assert_int_equal(record.nvariants, 3);
	/* The record knows that it is quick: what goes on with it is. */
	cli_expect(here_call(test_text("resume %s blocks=1 --no-report", path)), 0,
	           "1 block, into");
	cli_expect(here_call(test_text("run --file %s --resume %s", file, path)), 1,
	           "cannot resume: `quick` is not what");
	char *report = here_read("report.json");
	assert_says(report, "\"quick\"");
	cli_expect(here_call(test_text("compare %s %s", path, path)), 0, "t --quick");
	cli_expect(
	    here_run("; Which?\n[experiment]\ncollective = alltoall\nbytes = 1M\nranks = 2\n"
	             "backend = null\npace = stream\nlimit = no\nprimary = bandwidth\n"
	             "[variant threads]\nmode = threads\n[variant processes]\n"
	             "mode = processes\n" CLAIM("bandwidth", "processes", "threads", "busbw", ""),
	             "--quick", "blocks=1", NULL),
	    0, "one claim alone. The full run: ");
}

/* Of a run whose trials took ten times as long as is typical, the full one takes as much longer. */
static bool slower_than_typical(json_t *line, const char *kind)
{
	json_t *quick = json_object_get(line, "quick");
	(void)kind;
	if (quick) {
		const double typical = json_number_value(json_object_get(quick, "trial_seconds"));
		json_object_set_new(quick, "trial_seconds", json_real(typical / 10));
	}
	return true;
}

static double full_run_takes(void)
{
	char *text = here_read("report.json");
	json_t *report = json_loads(text, 0, NULL);
	const json_t *takes =
	    json_cell(json_table(report, "quick"), JSON_IS("claim", "bandwidth"), "seconds");
	const double seconds = json_number_value(takes);
	json_decref(report);
	return seconds;
}

TEST(the_full_run_is_estimated_by_the_quick_ones_trials)
{
	cli_expect(here_run(HEAD "primary = bandwidth\n" MODES CLAIMS, "--quick", "blocks=2", NULL),
	           0, "A quick run");
	const double before = full_run_takes();
	assert_true(before > 0);
	cli_edit(here_path("trials.jsonl"), slower_than_typical);
	cli_expect(here_call(test_text("report %s", here_path(""))), 0, "A quick run");
	assert_true(fabs(full_run_takes() / before - 10) < 0.01);
}

/* In each experiment that is here. */
TEST(every_experiment_has_a_quick_run_or_says_why_not)
{
	static const char *const backends[] = {"host", "nccl"};
	glob_t found;
	unsigned planned = 0, refused = 0;
	assert_int_equal(glob("experiments/*.exp", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		for (unsigned b = 0; b < 2; b++) {
			char *command = test_text("run --file %s --quick --dry-run backend=%s",
			                          found.gl_pathv[i], backends[b]);
			struct cli cli = here_call(command);
			text_unwrap(cli.out);
			bool plans =
			    !cli.code && strstr(cli.out, "--quick: the primary claim alone, ");
			bool says = cli.code == 1 && strstr(cli.out, "--quick");
			/* As an experiment of several hosts does without --quick. */
			bool cannot = cli.code == 1 && strstr(cli.out, "cannot run here");
			if (!plans && !says && !cannot)
				fail_msg("%s: %d, %s", command, cli.code, cli.out);
			planned += plans;
			refused += says;
		}
	globfree(&found);
	assert_true(planned > 0 && refused > 0);
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
