/* The table of modes: the requirements on every row of it, whatever rows there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/trial/trial.h"
#include "../modes/mode.h"
#include "cli.h"
#include "standin.h"
#include "test.h"

TEST(each_layout_implies_a_mode_that_can_place_it)
{
	for (unsigned p = 1; p <= 4; p++)
		for (unsigned t = 1; t <= 4; t++)
			for (unsigned r = 1; r <= 4; r++) {
				const struct layout layout = {p, t, r};
				const struct mode *mode = mode_for_layout(layout);
				assert_non_null(mode);
				assert_true(mode->owns(layout));
				assert_ptr_equal(mode_pick("", layout), mode);
				assert_ptr_equal(mode_pick(mode->name, layout), mode);
			}
}

TEST(each_mode_is_found_by_its_name_and_places_its_own_layout)
{
	for (const struct mode *const *m = mode_table; *m; m++) {
		const struct layout layout = (*m)->spread(8);
		assert_ptr_equal(mode_find((*m)->name), *m);
		assert_int_equal(layout_ranks(layout), 8);
		assert_ptr_equal(mode_pick((*m)->name, layout), *m);
		assert_true(strlen((*m)->name) < TRIAL_NAME_BYTES);
		assert_non_null((*m)->summary);
		assert_non_null((*m)->command);
		assert_non_null((*m)->enter);
	}
}

TEST(a_name_decides_and_a_wrong_layout_is_no_mode)
{
	assert_null(mode_pick("teams", (struct layout){1, 2, 1}));
	assert_null(mode_pick("single", (struct layout){1, 2, 1}));
	assert_null(mode_pick("threads", (struct layout){2, 1, 1}));
}

/* The job looks its mode up by the name in its trial. */
TEST(a_job_refuses_a_mode_that_is_none)
{
	static const char *const wrong[] = {"teams", "single"};
	struct trial trial = {.experiment = "x", .variant = "v"};
	char folder[64], file[128];
	struct status st = {""};
	cli_folder(folder);
	snprintf(file, sizeof file, "%s/trial.json", folder);
	settings_default(&trial.settings);
	strcpy(trial.settings.backend, "null");
	trial.settings.layout = (struct layout){1, 2, 1};
	trial.warmup = trial.stretches = trial.calls = trial.isolated_calls = 1;
	trial.arena_bytes = 4096;
	trial.ncells = 1;
	trial.cells = &(struct cell){.coll = COLL_ALLTOALL,
	                             .dtype = DTYPE_FLOAT32,
	                             .op = OP_NONE,
	                             .asked_bytes = 1024,
	                             .bytes = 1024};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char words[64];
		strcpy(trial.settings.mode, wrong[i]);
		snprintf(words, sizeof words, "mode '%s' has no such layout", wrong[i]);
		assert_int_equal(trial_save(&trial, file, &st), 0);
		struct cli cli = cli_call(folder, "worker", file, NULL);
		assert_int_equal(cli.code, 1);
		assert_non_null(strstr(cli.out, words));
		free(cli.out);
	}
	strcpy(trial.settings.mode, "threads");
	assert_int_equal(trial_save(&trial, file, &st), 0);
	cli_expect(cli_call(folder, "worker", file, NULL), 0, "");
	cli_clean(folder);
}

/* What was measured of an experiment of every mode, and why its variant `forked` was not. */
static void run_forked(const char *backend, bool measured, const char *why)
{
	char folder[64], file[128], of[64], path[600];
	char *record, *list;
	bool right = false;
	cli_folder(folder);
	snprintf(file, sizeof file, "%s/four.exp", folder);
	snprintf(path, sizeof path,
	         "[experiment]\ntitle = four\ncollective = alltoall\nbytes = 4K\nblocks = 1\n"
	         "pace = isolated\nwarmup = 1\nstretches = 1\nisolated_calls = 2\nlimit = no\n"
	         "reference = processes\n[variant single]\nmode = single\n[variant threads]\n"
	         "mode = threads\n[variant processes]\nmode = processes\n[variant forked]\n"
	         "mode = forked\n");
	cli_write(folder, "four.exp", path);
	snprintf(of, sizeof of, "backend=%s", backend);
	cli_expect(cli_call(folder, "run", "--file", file, "--results", folder, "--no-report",
	                    "ranks=4", of, NULL),
	           0, why);
	snprintf(path, sizeof path, "%s/four/latest/trials.jsonl", folder);
	record = list = cli_read(path);
	assert_non_null(record);
	while ((list = strstr(list, "\"variant\":\"forked\""))) {
		const char *end = strchr(list, '\n'), *wrong = strstr(list, "\"wrong\":0");
		right |= wrong && end && wrong < end;
		list++;
	}
	assert_int_equal(right, measured);
	free(record);
	cli_clean(folder);
}

/* A mode needs only its row: it places ranks, delivers right data, and is omitted with its reason
 * if a backend's data go in MPI's messages. */
TEST(a_fourth_mode_needs_its_row_alone)
{
	char forked[STANDIN_BYTES], was[PATH_MAX];
	assert_int_equal(standin_find_named("../forked", forked), 0);
	snprintf(was, sizeof was, "%s", getenv("LAUNCHGAP"));
	setenv("LAUNCHGAP", forked, 1);
	run_forked("host", true, "");
	run_forked("mpi", false, "backend mpi sends MPI's messages, and mode forked starts no MPI");
	setenv("LAUNCHGAP", was, 1);
}
