/* Far more ranks than cores, in every mode: a trial ends, and its record is right. On null, which
 * takes no memory and no time. */
#include "../harness/machine.h"
#include "../harness/run/job.h"
#include "../modes/launcher.h"
#include "../modes/mode.h"
#include "here.h"
#include "json.h"

/* A sanitizer takes some 100 MB for each process. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define RANKS 32
#else
#define RANKS 64
#endif
#define CALLS 3
#define HANGS 600 /* s */

static struct cell cells[] = {{.coll = COLL_ALLTOALL,
                               .dtype = DTYPE_FLOAT32,
                               .op = OP_NONE,
                               .bytes = 4096,
                               .asked_bytes = 4096,
                               .pace = PACE_ISOLATED},
                              {.coll = COLL_ALLTOALL,
                               .dtype = DTYPE_FLOAT32,
                               .op = OP_NONE,
                               .bytes = 4096,
                               .asked_bytes = 4096,
                               .pace = PACE_STREAM}};

/* One job, as the runner starts it; its lines. */
static char *run_job(const struct mode *mode, const struct launcher *by)
{
	struct trial trial = {.experiment = "x",
	                      .variant = "v",
	                      .yield = true,
	                      .stretches = CALLS,
	                      .calls = 2,
	                      .isolated_calls = CALLS,
	                      .arena_bytes = 4096,
	                      .ncells = 2,
	                      .cells = cells};
	struct job job;
	settings_default(&trial.settings);
	strcpy(trial.settings.backend, "null");
	trial.settings.layout = mode->spread(RANKS);
	snprintf(trial.settings.mode, sizeof trial.settings.mode, "%s", mode->name);
	snprintf(trial.settings.launcher, sizeof trial.settings.launcher, "%s", by->name);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* Open MPI's */
	job_hold_signals();
	assert_works(job_run(&trial, getenv("LAUNCHGAP"), folder, HANGS, &job, WHY));
	job_release_signals();
	if (job.result.end != JOB_EXITED || job.result.code) {
		char *log = cli_read(job.log);
		fail_msg("%s by %s ended with %d: %s", mode->name, by->name, job.result.code,
		         log ? log : "");
	}
	return cli_read(job.lines);
}

static json_int_t stamp(const json_t *cell, const char *key, unsigned rank, unsigned row)
{
	const json_t *rows = json_array_get(json_object_get(cell, key), rank);
	assert_int_equal(json_array_size(json_object_get(cell, key)), RANKS);
	assert_int_equal(json_array_size(rows), CALLS);
	return json_integer_value(json_array_get(rows, row));
}

/* All ranks meet before each row, so that none begins before the last one is through. */
static void expect_order(const json_t *cell)
{
	for (unsigned row = 0; row < CALLS; row++) {
		json_int_t first = INT64_MAX, last = 0;
		for (unsigned r = 0; r < RANKS; r++) {
			json_int_t start = stamp(cell, "start_ns", r, row);
			json_int_t issued = stamp(cell, "issued_ns", r, row);
			json_int_t idle = stamp(cell, "idle_ns", r, row);
			assert_true(start <= issued && issued <= idle);
			first = row + 1 < CALLS && stamp(cell, "start_ns", r, row + 1) < first
			            ? stamp(cell, "start_ns", r, row + 1)
			            : first;
			last = idle > last ? idle : last;
		}
		assert_true(last <= first);
	}
}

/* The first worker of each process reports what its process holds. */
static void expect_shares(const json_t *workers, struct layout layout)
{
	const json_t *facts;
	size_t w;
	assert_int_equal(json_array_size(workers), layout_workers(layout));
	if (machine_memory_share(1) < 0)
		return;
	json_array_foreach(workers, w, facts)
	{
		bool says = json_object_get(facts, "process_share_bytes") != NULL;
		assert_int_equal(says, w % layout.threads == 0);
	}
}

static void run_with(const struct mode *mode, const struct launcher *by)
{
	const struct layout layout = mode->spread(RANKS);
	char *text = run_job(mode, by), *rest = text, *line;
	unsigned n = 0;
	assert_non_null(text);
	while ((line = strsep(&rest, "\n")) && *line) {
		json_t *cell = json_loads(line, 0, NULL);
		assert_non_null(cell);
		assert_true(json_is_null(json_object_get(cell, "error")));
		assert_int_equal(json_integer_value(json_object_get(cell, "ranks")), RANKS);
		if (n++ == 0)
			expect_shares(json_object_get(cell, "facts"), layout);
		expect_order(cell);
		json_decref(cell);
	}
	assert_int_equal(n, 2);
}

/* Each mode, by each launcher that starts it here. */
TEST(each_mode_carries_far_more_ranks_than_cores)
{
	unsigned n = 0;
	for (const struct mode *const *m = mode_table; *m; m++)
		for (const struct launcher *const *l = launcher_table; *l; l++) {
			struct settings set;
			struct status why = {""};
			settings_default(&set);
			strcpy(set.launcher, (*l)->name);
			set.layout = (*m)->spread(RANKS);
			if (launcher_supports(*l, &set, &why))
				continue;
			run_with(*m, *l);
			n++;
		}
	assert_true(n >= 3);
}

TESTS(.slow = true, .before = set_up, .after = tear_down);
