#include "evidence.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../backend/table.h"
#include "../config/plan.h"
#include "../trial/path.h"
#include "../record/record.h"
#include "judge.h"
#include "launch.h"

#define LOG_PREFIX "path."

bool evidence_wanted(const struct plan *plan, unsigned variant)
{
	const struct plan_variant *v = &plan->variants[variant];
	bool moves = false;
	for (unsigned i = 0; i < plan->ncells; i++)
		moves = moves || !(coll_info(plan->cells[i].coll)->is & (COLL_PSEUDO | COLL_LOCAL));
	return moves && !v->skip[0] && backend_find(v->settings.backend)->is.logs_path &&
	       (!strcmp(v->role, "variant") || !strcmp(v->role, "reference"));
}

/* The pass sets three at most beside those of an experiment file. */
_Static_assert(TRIAL_MAX_ENV >= SPEC_MAX_ENV + 3, "the path's pass has room");

/* Logs of a job before must not be taken for this one's. */
static void remove_logs(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, LOG_PREFIX, sizeof LOG_PREFIX - 1))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

static int write_path(const struct evidence_request *q, const struct trial *trial,
                      const struct path *path, struct status *st)
{
	const char *expect = trial->settings.expect;
	bool as_expected = !expect[0] || path_matches(path, expect);
	char text[512];
	for (unsigned i = 0; i < path->nsettings; i++) {
		if (path->settings[i].act == PATH_ACTED)
			continue;
		path_setting_text(&path->settings[i], text, sizeof text);
		status_progress_end();
		status_say("%s: %s is not as asked: %s", trial->variant, path->settings[i].key,
		           text);
	}
	if (record_write_path(q->trials, trial, path_to_json(path), as_expected, st))
		return -1;
	if (as_expected)
		return EVIDENCE_DONE;
	path_text(path, text, sizeof text);
	status_set(st, "%s: expect = %s, but the path taken is %s%s%s%s", trial->variant,
	           expect, text, path->why[0] ? " (" : "", path->why, path->why[0] ? ")" : "");
	return EVIDENCE_UNEXPECTED;
}

static int keep_failure(const struct evidence_request *q, const struct trial *trial,
                        struct status *st)
{
	return record_write_failure(q->trials, trial, st->text, st) ? -1 : EVIDENCE_NONE;
}

static int ask(const struct evidence_request *q, struct trial *trial, struct status *st)
{
	struct launched launched = {0};
	struct path path = {0};
	const struct backend *backend = backend_find(trial->settings.backend);
	char why[512];
	int result;
	remove_logs(q->scratch);
	if (backend->log_ask(&trial->settings, q->scratch, LOG_PREFIX, st) ||
	    launch_trial(trial, q->self, q->scratch, q->timeout_s, &launched, st))
		return -1;
	if (launched.job.end == JOB_INTERRUPTED)
		return EVIDENCE_INTERRUPTED;
	if (launched.job.end != JOB_EXITED || (launched.job.code && !launched.ended)) {
		judge_job(&launched.job, q->timeout_s, launched.log, why, sizeof why);
		status_set(st, "%s: its path cannot be told: %s", trial->variant, why);
		return keep_failure(q, trial, st);
	}
	if (backend->log_path(&trial->settings, q->scratch, LOG_PREFIX, &path, st))
		result = keep_failure(q, trial, st);
	else
		result = write_path(q, trial, &path, st);
	path_free(&path);
	remove_logs(q->scratch);
	return result;
}

int evidence_collect(const struct evidence_request *q, struct status *st)
{
	struct trial *trial = plan_path_trial(q->plan, q->machine, q->variant, q->order, st);
	if (!trial)
		return -1;
	int result = ask(q, trial, st);
	trial_free(trial);
	return result;
}
