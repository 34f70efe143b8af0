#include "evidence.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../record/path.h"
#include "../record/record.h"
#include "judge.h"
#include "launch.h"

#define LOG_PREFIX "path."

bool evidence_wanted(const struct plan *plan, unsigned variant)
{
	const struct plan_variant *v = &plan->variants[variant];
	bool moves = false;
	for (unsigned i = 0; i < plan->ncells; i++)
		moves = moves || !(coll_info(plan->cells[i].coll)->is & COLL_PSEUDO);
	return moves && !v->skip[0] && !strcmp(v->settings.backend, "nccl") &&
	       (!strcmp(v->role, "variant") || !strcmp(v->role, "reference"));
}

static const char *env_value(const struct settings *s, const char *name)
{
	size_t n = strlen(name);
	for (unsigned i = 0; i < s->nenv; i++)
		if (!strncmp(s->env[i], name, n) && s->env[i][n] == '=')
			return s->env[i] + n + 1;
	return NULL;
}

/* The pass sets three at most beside those of an experiment file. */
_Static_assert(TRIAL_MAX_ENV >= SPEC_MAX_ENV + 3, "the path's pass has room");

/* Sets KEY=value in place of the variant's own. */
static void env_set(struct settings *s, const char *name, const char *value)
{
	size_t n = strlen(name);
	unsigned i = 0;
	while (i < s->nenv && (strncmp(s->env[i], name, n) || s->env[i][n] != '='))
		i++;
	snprintf(s->env[i], sizeof s->env[i], "%s=%s", name, value);
	if (i >= s->nenv)
		s->nenv = i + 1;
}

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

static int read_path(const struct evidence_request *q, const struct settings *set,
                     struct path_evidence *path, struct status *st)
{
	const struct path_settings settings = {
	    .direct_disable = env_value(set, "NCCL_P2P_DIRECT_DISABLE"),
	    .read_enable = env_value(set, "NCCL_P2P_READ_ENABLE"),
	};
	if (path_read_files(q->scratch, LOG_PREFIX, path, st))
		return -1;
	path_model(&settings, path);
	return 0;
}

static int write_path(const struct evidence_request *q, const struct trial *trial,
                      const struct path_evidence *path, struct status *st)
{
	const char *expect = trial->settings.expect;
	bool as_expected = !expect[0] || path_matches(path, expect);
	char text[512];
	if (record_write_path(q->trials, trial, path_to_json(path), as_expected, st))
		return -1;
	if (as_expected)
		return EVIDENCE_DONE;
	path_text(path, text, sizeof text);
	status_set(st, "%s: expect = %s, but the path taken is %s%s%s%s", trial->variant,
	           expect, text, path->why[0] ? " (" : "", path->why, path->why[0] ? ")" : "");
	return EVIDENCE_ASTRAY;
}

static int keep_failure(const struct evidence_request *q, const struct trial *trial,
                        struct status *st)
{
	return record_write_failure(q->trials, trial, st->text, st) ? -1 : EVIDENCE_NONE;
}

static int ask(const struct evidence_request *q, struct trial *trial, struct status *st)
{
	struct launched launched = {0};
	struct path_evidence path = {0};
	char file[128], why[512];
	int result;
	snprintf(file, sizeof file, "%s/" LOG_PREFIX "%%h.%%p", q->scratch);
	env_set(&trial->settings, "NCCL_DEBUG", "INFO");
	env_set(&trial->settings, "NCCL_DEBUG_SUBSYS", PATH_LOG_SUBSYS);
	env_set(&trial->settings, "NCCL_DEBUG_FILE", file);
	remove_logs(q->scratch);
	if (launch_trial(trial, q->self, q->scratch, q->timeout_s, &launched, st))
		return -1;
	if (launched.job.end == JOB_INTERRUPTED)
		return EVIDENCE_INTERRUPTED;
	if (launched.job.end != JOB_EXITED || launched.job.code) {
		judge_job(&launched.job, q->timeout_s, launched.log, why, sizeof why);
		status_set(st, "%s: its path cannot be told: %s", trial->variant, why);
		return keep_failure(q, trial, st);
	}
	if (read_path(q, &trial->settings, &path, st))
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
