/* The table of modes: the requirements on every row of it, whatever rows there are. */
#include "../modes/launcher.h"
#include "../modes/mode.h"
#include "here.h"
#include "standin.h"

TEST(a_name_decides_and_a_wrong_layout_is_no_mode)
{
	assert_null(mode_pick("teams", (struct layout){1, 2, 1}, 1));
	assert_null(mode_pick("single", (struct layout){1, 2, 1}, 1));
	assert_null(mode_pick("threads", (struct layout){2, 1, 1}, 1));
}

/* What a mode places is a host's part, but that hosts with a rank each have a process per rank. */
TEST(each_host_has_its_part_of_a_layout)
{
	assert_string_equal(mode_pick("", (struct layout){2, 3, 1}, 2)->name, "threads");
	assert_string_equal(mode_pick("", (struct layout){2, 1, 3}, 2)->name, "single");
	assert_string_equal(mode_pick("", (struct layout){4, 2, 1}, 2)->name, "processes");
	assert_string_equal(mode_pick("", (struct layout){2, 1, 1}, 2)->name, "processes");
	assert_null(mode_pick("processes", (struct layout){2, 3, 1}, 2));
	assert_null(mode_pick("processes", (struct layout){1, 1, 1}, 1));
}

static struct cell cell = {.coll = COLL_ALLTOALL,
                           .dtype = DTYPE_FLOAT32,
                           .op = OP_NONE,
                           .asked_bytes = 1024,
                           .bytes = 1024};

/* A job of one call on null. */
static struct trial trial_of(struct layout layout)
{
	struct trial trial = {.experiment = "x",
	                      .variant = "v",
	                      .warmup = 1,
	                      .stretches = 1,
	                      .calls = 1,
	                      .isolated_calls = 1,
	                      .arena_bytes = 4096,
	                      .ncells = 1,
	                      .cells = &cell};
	settings_default(&trial.settings);
	strcpy(trial.settings.backend, "null");
	trial.settings.layout = layout;
	return trial;
}

/* The job looks its mode up by the name in its trial. */
TEST(a_job_refuses_a_mode_that_is_none)
{
	static const char *const wrong[] = {"teams", "single"};
	struct trial trial = trial_of((struct layout){1, 2, 1});
	struct status st = {""};
	for (unsigned i = 0; i < LENGTH(wrong); i++) {
		strcpy(trial.settings.mode, wrong[i]);
		assert_int_equal(trial_save(&trial, file, &st), 0);
		cli_expect(cli_call(folder, "worker", "alone", file, "1", "spin", NULL), 1,
		           test_text("mode '%s' has no such layout", wrong[i]));
	}
	strcpy(trial.settings.mode, "threads");
	assert_int_equal(trial_save(&trial, file, &st), 0);
	cli_expect(cli_call(folder, "worker", "alone", file, "1", "spin", NULL), 0, "");
}

/* A launcher that MPI does not know starts N worlds of one: none of them measures anything. */
TEST(worlds_of_one_say_so)
{
	struct trial trial = trial_of((struct layout){2, 1, 1});
	struct status st = {""};
	if (launcher_supports(launcher_find("mpirun"), &trial.settings, &st))
		skip();
	assert_works(trial_save(&trial, file, &st), st);
	/* Not by mpirun: MPI takes it for a world of its own. */
	cli_expect(cli_call(folder, "worker", "mpirun", file, "2", "spin", NULL), 1,
	           "mpirun started 2 processes that are 2 worlds of one");
}

/* What was measured of an experiment of every mode, and why its variant `forked` was not. */
static void run_forked(const char *backend, bool measured, const char *why)
{
	unsigned right[2] = {0};
	cli_expect(
	    here_run("[experiment]\ntitle = four\ncollective = alltoall\nbytes = 4K\nblocks = 1\n"
	             "pace = isolated\nwarmup = 1\nstretches = 1\nisolated_calls = 2\nlimit = no\n"
	             "reference = processes\n[variant single]\nmode = single\n[variant threads]\n"
	             "mode = threads\n[variant processes]\nmode = processes\n[variant forked]\n"
	             "mode = processes\nlauncher = forked\n[variant forked-pairs]\nmode = pairs\n"
	             "launcher = forked\n",
	             "--no-report", "ranks=4", test_text("backend=%s", backend), NULL),
	    0, why);
	char *list = cli_read(test_text("%s/t/latest/trials.jsonl", results));
	assert_non_null(list);
	while ((list = strstr(list, "\"variant\":\"forked"))) {
		const char *end = strchr(list, '\n'), *wrong = strstr(list, "\"wrong\":0");
		const bool pairs = !strncmp(list + strlen("\"variant\":\"forked"), "-pairs", 6);
		right[pairs] += wrong && end && wrong < end;
		list++;
	}
	assert_int_equal(right[0] > 0, measured);
	assert_int_equal(right[1] > 0, measured);
}

/* A mode and a launcher need only their row: ranks are placed, data is right, and what a backend cannot
 * do is omitted with its reason. */
TEST(a_fourth_mode_and_a_launcher_need_their_row_alone)
{
	char forked[STANDIN_BYTES];
	standin_find_named("../forked", forked);
	char *was = test_text("%s", getenv("LAUNCHGAP"));
	setenv("LAUNCHGAP", forked, 1);
	run_forked("host", true, "");
	run_forked("mpi", false,
	           "backend mpi sends MPI's messages, and launcher forked starts no MPI");
	setenv("LAUNCHGAP", was, 1);
}

TESTS(.before = set_up, .after = tear_down);
