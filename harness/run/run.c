#include "run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../clock.h"
#include "folder.h"
#include "job.h"
#include "../machine.h"
#include "../record/record.h"

#define GIVE_UP 2 /* failures in a row after which a variant is not tried again */

struct runner {
	const struct run_request *request;
	struct spec spec;
	struct plan plan;
	struct folder folder;
	json_t *environment;
	char why[256];                      /* why this backend and not the first choice */
	unsigned first_block;               /* 0, or behind the blocks that a resumed run has */
	unsigned failed[PLAN_MAX_VARIANTS]; /* in a row */
	unsigned nfailed;
};

static json_t *describe_variants(const struct plan *plan)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < plan->nvariants; i++) {
		const struct plan_variant *v = &plan->variants[i];
		const struct settings *s = &v->settings;
		char layout[48];
		json_t *env = json_array();
		for (unsigned e = 0; e < s->nenv; e++)
			json_array_append_new(env, json_string(s->env[e]));
		snprintf(layout, sizeof layout, "%ux%ux%u", s->layout.processes,
		         s->layout.threads, s->layout.ranks_per_thread);
		json_array_append_new(
		    list,
		    json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:i, "
		              "s:o, s:s}",
		              "name", v->name, "role", v->role, "mode", s->mode, "layout",
		              layout, "backend", s->backend, "nccl", s->nccl, "path", s->path,
		              "api", s->api, "bind", trial_bind_name(s->bind), "delay_ns",
		              (json_int_t)s->delay_ns, "extra_ns", (json_int_t)s->extra_ns,
		              "delay_rank", s->delay_rank, "env", env, "skip", v->skip));
	}
	return list;
}

static json_t *describe_run(const struct runner *r)
{
	const struct spec *spec = &r->spec;
	json_t *command = json_array(), *bytes = json_array(), *colls = json_array();
	char created[32], seed[32];
	time_t now = time(NULL);
	struct tm utc;
	gmtime_r(&now, &utc);
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(seed, sizeof seed, "%llx", (unsigned long long)r->plan.seed);
	for (int i = 0; i < r->request->argc; i++)
		json_array_append_new(command, json_string(r->request->argv[i]));
	for (unsigned i = 0; i < spec->nsizes; i++)
		json_array_append_new(bytes, json_integer((json_int_t)spec->sizes[i]));
	for (unsigned i = 0; i < spec->ncolls; i++)
		json_array_append_new(colls, json_string(coll_info(spec->colls[i])->name));
	return json_pack(
	    "{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:i, s:i, s:i, s:i, "
	    "s:i, s:o, s:o, s:I, s:o, s:o}",
	    "experiment", spec->name, "title", spec->title, "question", spec->question,
	    "command", command, "created", created, "launchgap", LAUNCHGAP_COMMIT, "backend",
	    r->plan.variants[0].settings.backend, "backend_why", r->why, "ranks",
	    (int)r->plan.nranks, "seed", seed, "reference", spec->reference, "blocks",
	    (int)spec->blocks, "warmup", (int)spec->warmup, "stretches", (int)spec->stretches,
	    "calls", (int)spec->calls, "isolated_calls", (int)spec->isolated_calls,
	    "collectives", colls, "bytes", bytes, "arena_bytes",
	    (json_int_t)r->plan.arena_bytes, "variants", describe_variants(&r->plan), "machine",
	    machine_describe());
}

static int load_spec(struct runner *r, struct status *st)
{
	const struct run_request *q = r->request;
	const char *backend;
	if (spec_load(q->file, q->noverrides, q->overrides, NULL, machine_env, &r->spec, st))
		return -1;
	backend = plan_backend(&r->spec, q->machine, r->why, sizeof r->why);
	return spec_load(q->file, q->noverrides, q->overrides, backend, machine_env, &r->spec,
	                 st);
}

/* A resumed run goes on behind the blocks it has, with its own seed. */
static int read_resumed(struct runner *r, json_t **before, uint64_t *seed, struct status *st)
{
	struct record_run run;
	bool torn;
	if (record_load(r->request->resume, &run, &torn, st))
		return -1;
	for (unsigned i = 0; i < run.ncells; i++)
		if (run.cells[i].block >= r->first_block)
			r->first_block = run.cells[i].block + 1;
	for (unsigned i = 0; i < run.nfailures; i++)
		if (run.failures[i].block >= r->first_block)
			r->first_block = run.failures[i].block + 1;
	*before = json_incref(run.environment);
	*seed = strtoull(json_string_value(json_object_get(run.environment, "seed")), NULL, 16);
	r->spec.blocks += r->first_block;
	r->spec.seed = *seed;
	record_free(&run);
	return 0;
}

static int same_run(const json_t *before, const json_t *now, struct status *st)
{
	static const char *const plan[] = {"experiment", "backend",        "ranks",
	                                   "reference",  "warmup",         "stretches",
	                                   "calls",      "isolated_calls", "collectives",
	                                   "bytes",      "arena_bytes",    "variants",
	                                   NULL};
	static const char *const machine[] = {"host", "cpu", "cores", "driver", "gpus", NULL};
	for (unsigned i = 0; plan[i]; i++)
		if (!json_equal(json_object_get(before, plan[i]),
		                json_object_get(now, plan[i])))
			return status_set(
			    st, "cannot resume: `%s` is not what that run was made with",
			    plan[i]);
	before = json_object_get(before, "machine");
	now = json_object_get(now, "machine");
	for (unsigned i = 0; machine[i]; i++)
		if (!json_equal(json_object_get(before, machine[i]),
		                json_object_get(now, machine[i])))
			return status_set(
			    st, "cannot resume: that run comes from another machine (%s)",
			    machine[i]);
	return 0;
}

static uint64_t draw_seed(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return value_mix((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec);
}

static int set_up(struct runner *r, struct status *st)
{
	const struct run_request *q = r->request;
	json_t *before = NULL;
	uint64_t seed = draw_seed();
	int result = -1;
	if (load_spec(r, st) || (q->resume && read_resumed(r, &before, &seed, st)))
		return -1;
	if (plan_make(&r->spec, q->machine, seed, &r->plan, st))
		goto out;
	r->environment = describe_run(r);
	if (!r->environment) {
		status_set(st, "out of memory for the record");
		goto out;
	}
	if (before && same_run(before, r->environment, st))
		goto out;
	if (folder_open(q->results, r->spec.name, q->resume, &r->folder, st))
		goto out;
	if (!q->resume && (record_write_environment(r->folder.trials, r->environment, st) ||
	                   folder_commit(&r->folder, st)))
		goto out;
	result = 0;
out:
	json_decref(before);
	return result;
}

static void announce(const struct runner *r)
{
	const struct plan *plan = &r->plan;
	if (r->why[0])
		status_say("%s", r->why);
	for (unsigned i = 0; i < plan->nvariants; i++)
		if (plan->variants[i].skip[0])
			status_say("%s is left out: %s", plan->variants[i].name,
			           plan->variants[i].skip);
	status_say("%s: %u ranks on %s, %u blocks, into %s", r->spec.name, plan->nranks,
	           plan->variants[0].settings.backend, r->spec.blocks - r->first_block,
	           r->folder.path);
}

/* The last line that the job printed, for want of a better word from it. */
static void last_words(const char *log, char *text, size_t bytes)
{
	char line[512];
	FILE *f = fopen(log, "re");
	text[0] = '\0';
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "launchgap: ", 11)) {
			snprintf(text, bytes, "%s", line + 11);
			break; /* our own sentence beats mpirun's epilogue */
		}
		if (line[0] && line[0] != '-')
			snprintf(text, bytes, "%s", line);
	}
	if (f)
		fclose(f);
}

static void judge(const struct job_result *job, unsigned timeout_s, const char *log, char *text,
                  size_t bytes)
{
	char words[512];
	last_words(log, words, sizeof words);
	if (job->end == JOB_TIMED_OUT)
		snprintf(text, bytes, "no end after %u s (timeout = …); last said: %s",
		         timeout_s, words);
	else if (job->end == JOB_KILLED)
		snprintf(text, bytes, "killed by signal %d (%s); last said: %s", job->code,
		         strsignal(job->code), words);
	else
		snprintf(text, bytes, "%s", words[0] ? words : "the job ended without a word");
}

/* What the job left: its lines, or why there are none. 1: the trial failed. */
static int collect(struct runner *r, const struct trial *trial, const struct job_result *job,
                   const char *lines, const char *log, struct status *st)
{
	struct stat info;
	bool wrote = !stat(lines, &info) && info.st_size > 0;
	bool ok = job->end == JOB_EXITED && job->code == 0 && wrote;
	char why[1024] = "";
	if (!ok)
		judge(job, r->spec.timeout_s, log, why, sizeof why);
	if (wrote && folder_append(&r->folder, lines, st))
		return -1;
	if (!wrote && (record_write_failure(r->folder.trials, trial, why, st) ||
	               folder_commit(&r->folder, st)))
		return -1;
	if (ok)
		return 0;
	status_progress_end();
	status_say("%s, block %u: %s", trial->variant, trial->block + 1, why);
	return 1;
}

/* 0: measured. 1: failed, and said so. 2: interrupted. -1: the run cannot go on. */
static int run_trial(struct runner *r, unsigned index, struct status *st)
{
	char order[96], lines[96], log[96];
	const char *env[TRIAL_MAX_ENV];
	struct mode_argv argv = {0};
	struct job_result job;
	int result = -1;
	struct trial *trial = plan_trial(&r->plan, r->request->machine, index, st);
	if (!trial)
		return -1;
	snprintf(order, sizeof order, "%s/trial.json", r->folder.scratch);
	snprintf(lines, sizeof lines, "%s/trial.json.lines", r->folder.scratch);
	snprintf(log, sizeof log, "%s/log", r->folder.scratch);
	remove(lines);
	for (unsigned i = 0; i < trial->settings.nenv; i++)
		env[i] = trial->settings.env[i];
	if (trial_save(trial, order, st) ||
	    plan_command(trial, r->request->self, order, r->folder.scratch, &argv, st) ||
	    job_run(argv.args, env, trial->settings.nenv, log, r->spec.timeout_s, &job, st))
		goto out;
	result = job.end == JOB_INTERRUPTED ? 2 : collect(r, trial, &job, lines, log, st);
out:
	mode_argv_free(&argv);
	trial_free(trial);
	return result;
}

static int run_trials(struct runner *r, struct status *st)
{
	unsigned total = 0, done = 0;
	int64_t begin = clock_now_ns();
	for (unsigned i = 0; i < r->plan.ntrials; i++)
		total += r->plan.trials[i].block >= r->first_block;
	for (unsigned i = 0; i < r->plan.ntrials; i++) {
		const struct plan_trial *t = &r->plan.trials[i];
		char what[160];
		int result;
		if (t->block < r->first_block)
			continue;
		snprintf(what, sizeof what, "block %u of %u: %s", t->block + 1, r->spec.blocks,
		         r->plan.variants[t->variant].name);
		status_progress(done, total, clock_now_ns() - begin, what);
		result = r->failed[t->variant] < GIVE_UP ? run_trial(r, i, st) : 0;
		if (result == 2 || job_interrupted()) {
			status_progress_end();
			return status_set(
			    st,
			    "interrupted; %u of %u trials are kept in %s (go on with "
			    "--resume)",
			    done, total, r->folder.path);
		}
		if (result < 0)
			return -1;
		r->failed[t->variant] = result ? r->failed[t->variant] + 1
		                        : r->failed[t->variant] < GIVE_UP ? 0
		                                                          : GIVE_UP;
		r->nfailed += result > 0;
		if (result && r->failed[t->variant] == GIVE_UP)
			status_say("%s is not tried again", r->plan.variants[t->variant].name);
		done++;
	}
	status_progress_end();
	return 0;
}

int run_experiment(const struct run_request *request, char *folder, struct status *st)
{
	struct runner *r = calloc(1, sizeof *r);
	int result = -1;
	if (!r)
		return status_set(st, "out of memory for the run");
	r->request = request;
	if (!set_up(r, st)) {
		snprintf(folder, PATH_MAX, "%s", r->folder.path);
		announce(r);
		job_hold_signals();
		result = run_trials(r, st) ? 1 : 0;
		job_release_signals();
		if (!result && folder_set_latest(&r->folder, st))
			result = 1;
		if (!result && r->nfailed) {
			status_set(st, "%u trials failed; the report names them", r->nfailed);
			result = 1;
		}
	}
	folder_close(&r->folder);
	json_decref(r->environment);
	plan_free(&r->plan);
	free(r);
	return result;
}
