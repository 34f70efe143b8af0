/* The path's job: one more per variant, in which the library logs the path that its data takes.
 * Nothing in it is timed, and the variants' own jobs log nothing. */
#include "runner.h"

#include <dirent.h>
#include <unistd.h>

#include "../trial/path.h"

#define LOG_PREFIX "path."

bool path_job_wanted(const struct plan *plan, unsigned variant)
{
	const struct plan_variant *v = &plan->variants[variant];
	bool moves = false;
	for (unsigned i = 0; i < plan->ncells; i++)
		moves = moves || !(coll_info(plan->cells[i].coll)->is &
		                   (COLL_PSEUDO | COLL_LOCAL | COLL_RAW));
	return moves && !v->skip[0] && backend_find(v->settings.backend)->is.logs_path &&
	       (!strcmp(v->role, "variant") || !strcmp(v->role, "reference"));
}

/* The job adds up to three variables to those of an experiment file. */
_Static_assert(TRIAL_MAX_ENV >= SPEC_MAX_ENV + 3, "the path's job has room");

/* Logs of an earlier job must not be mistaken for this one's. */
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

static int write_path(struct runner *r, const struct trial *trial, const struct path *path,
                      struct status *st)
{
	char text[512];
	for (unsigned i = 0; i < path->nsettings; i++) {
		if (path->settings[i].act == PATH_ACTED)
			continue;
		path_setting_text(&path->settings[i], text, sizeof text);
		status_progress_end();
		status_say("%s: %s is not as asked: %s", trial->variant, path->settings[i].key,
		           text);
	}
	return record_write_path(r->folder.trials, trial, path_to_json(path), st) ? -1
	                                                                          : PATH_JOB_DONE;
}

static int keep_failure(struct runner *r, const struct trial *trial, struct status *st)
{
	return record_write_failure(r->folder.trials, trial, st->text, st) ? -1 : PATH_JOB_NONE;
}

static int ask(struct runner *r, struct trial *trial, struct status *st)
{
	struct job job = {0};
	struct path path = {0};
	const struct backend *backend = backend_find(trial->settings.backend);
	char why[512];
	int result;
	remove_logs(r->folder.scratch);
	if (backend->log_ask(&trial->settings, r->folder.scratch, LOG_PREFIX, st) ||
	    job_run(trial, r->request->self, r->folder.scratch, r->spec.timeout_s, &job, st))
		return -1;
	if (job.result.end == JOB_INTERRUPTED)
		return PATH_JOB_INTERRUPTED;
	struct record_spent spent = {
	    .on = SPENT_ON_PATH, .from_ns = job.from_ns, .to_ns = job.to_ns};
	strcpy(spent.variant, trial->variant);
	if (record_write_spent(r->folder.trials, &spent, st))
		return -1;
	if (job.result.end != JOB_EXITED || (job.result.code && !job.ended)) {
		job_error(&job.result, r->spec.timeout_s, job.log, why, sizeof why);
		status_set(st, "%s: its path is unknown: %s", trial->variant, why);
		return keep_failure(r, trial, st);
	}
	if (backend->log_path(&trial->settings, r->folder.scratch, LOG_PREFIX, &path, st))
		result = keep_failure(r, trial, st);
	else
		result = write_path(r, trial, &path, st);
	path_free(&path);
	remove_logs(r->folder.scratch);
	return result;
}

int path_job_run(struct runner *r, unsigned variant, unsigned order, struct status *st)
{
	struct trial *trial = plan_path_trial(&r->plan, variant, order);
	int result = ask(r, trial, st);
	trial_free(trial);
	return result;
}
