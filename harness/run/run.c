#include "runner.h"

#include <sys/stat.h>

#include "../clock.h"
#include "../config/search.h"
#include "../memory.h"
#include "../sanitize.h"
#include "../terminal.h"
#include "tune.h"

/* --- what a run in progress says: how far it is, and what is left; not what it shows so far, which
 * would invite to stop there --- */

int64_t run_left_ns(const int64_t *steps_ns, const struct plan *plan, unsigned next, unsigned count)
{
	int64_t all = 0, known = 0, left = 0;
	for (unsigned v = 0; v < plan->nvariants; v++) {
		all += steps_ns[v];
		known += steps_ns[v] > 0;
	}
	for (unsigned i = next; known && i < next + count; i++) {
		/* A search has planned only its next block. */
		const int64_t own = i < plan->ntrials ? steps_ns[plan->trials[i].variant] : 0;
		left += own ? own : all / known;
	}
	return known ? left : -1;
}

static void say_progress(const struct runner *r, unsigned next, unsigned total, const char *what,
                         bool begins)
{
	const unsigned count = total > r->ndone ? total - r->ndone : 0;
	const int64_t ns = run_left_ns(r->steps_ns, &r->plan, next, count);
	char left[48] = "";
	if (r->request->quiet || (!begins && !terminal_redraws()))
		return;
	if (ns >= 0) {
		strcpy(left, ", about ");
		status_span(ns, left + strlen(left), sizeof left - strlen(left));
		strcat(left, " left");
	}
	status_progress("[%u/%u] %s%s", r->ndone, total, what, left);
}

/* --- trials --- */

/* What the job left: its lines, or why there are none. 1: the trial failed. */
static int collect(struct runner *r, const struct trial *trial, const struct job *job,
                   struct status *st)
{
	const struct job_result *result = &job->result;
	struct record_spent spent = {.on = SPENT_ON_TRIAL,
	                             .block = trial->block,
	                             .order = trial->order,
	                             .from_ns = job->from_ns,
	                             .to_ns = job->to_ns};
	struct stat info;
	bool wrote = !stat(job->lines, &info) && info.st_size > 0;
	bool ok = result->end == JOB_EXITED && (result->code == 0 || job->ended) && wrote;
	char why[1024] = "";
	if (!ok)
		job_error(result, r->spec.timeout_s, job->log, why, sizeof why);
	strcpy(spent.variant, trial->variant);
	if ((wrote ? folder_append(&r->folder, job->lines, st)
	           : record_write_failure(r->folder.trials, trial, why, st)) ||
	    record_write_spent(r->folder.trials, &spent, st) || folder_commit(&r->folder, st))
		return -1;
	remove(job->lines);
	if (ok)
		return 0;
	status_progress_end();
	status_say("%s, block %u: %s", trial->variant, trial->block + 1, why);
	if (!r->first_why[0])
		snprintf(r->first_why, sizeof r->first_why, "%s: %s", trial->variant, why);
	return 1;
}

static int start(struct runner *r, unsigned index, struct run_ahead *out, struct status *st)
{
	if (!out->trial)
		out->trial = plan_trial(&r->plan, index);
	out->begun = !job_begin(out->trial, r->request->self, r->folder.scratch,
	                        index % PLAN_MAX_VARIANTS, &out->job, st);
	return out->begun ? 0 : -1;
}

/* What passed until all were ready for their first turns is the first one's time. */
static void share_start(struct runner *r)
{
	const int64_t now = clock_now_ns();
	bool first = true;
	for (unsigned i = 0; i < r->nturns; i++) {
		struct job *job = &r->turns[i].job;
		if (!r->turns[i].begun)
			continue;
		job->gave_ns = now;
		if (!first)
			job->from_ns = now;
		first = false;
	}
}

/* Each job that is not through has a turn; in round 0 each gets ready for its first one. False: all
 * are, or a signal came. */
static bool turn_each(struct runner *r, unsigned round)
{
	bool more = false;
	for (unsigned i = 0; i < r->nturns; i++) {
		struct run_ahead *now = &r->turns[i];
		if (!now->begun || now->over)
			continue;
		now->over = !(round ? job_turn : job_ready)(&now->job, r->spec.timeout_s);
		if (now->job.result.end == JOB_INTERRUPTED)
			return false;
		more |= !now->over;
	}
	if (!round)
		share_start(r);
	return more;
}

/* The jobs of a block side by side: they start and close together, and between, when all have
 * connected, one goes on at a time, until it gives the others their turn. If one does not begin, or
 * after a signal, those that are not through stop. */
static int run_turns(struct runner *r, unsigned first, unsigned n, struct status *st)
{
	r->nturns = n;
	r->turns = memory_more(r->turns, n, sizeof *r->turns);
	memset(r->turns, 0, n * sizeof *r->turns);
	for (unsigned i = 0; i < n && !st->text[0]; i++)
		if (r->failed[r->plan.trials[first + i].variant] < GIVE_UP)
			start(r, first + i, &r->turns[i], st);
	for (unsigned round = 0; !st->text[0] && turn_each(r, round); round++)
		continue;
	for (unsigned i = 0; i < n; i++)
		if (r->turns[i].job.pid && r->turns[i].over)
			job_release(&r->turns[i].job);
	for (unsigned i = 0; i < n; i++) {
		struct run_ahead *now = &r->turns[i];
		if (now->begun)
			(now->over ? job_end : job_drop)(&now->job);
		if (!now->over)
			now->job.result.end = JOB_INTERRUPTED;
		now->over = true;
	}
	return st->text[0] ? -1 : 0;
}

/* The job of the next trial starts as soon as this one only closes, and waits to be measured until
 * this one is gone and its lines are kept. `next` < 0: there is none. from: its own, if it began
 * before. 0: measured. 1: failed, and said so. 2: interrupted. -1: the run cannot go on. */
static int run_trial(struct runner *r, unsigned index, int next, struct run_ahead *from,
                     struct status *st)
{
	struct run_ahead now = *from;
	struct status ignored = {""};
	*from = (struct run_ahead){.trial = NULL};
	if (!now.begun && start(r, index, &now, st)) {
		trial_free(now.trial);
		return -1;
	}
	if (!now.over && job_measure(&now.job, r->spec.timeout_s) && next >= 0) {
		r->ahead.trial = plan_trial(&r->plan, (unsigned)next);
		if (plan_overlaps(&r->plan, r->ahead.trial))
			start(r, (unsigned)next, &r->ahead, &ignored);
	}
	if (!now.over)
		job_end(&now.job);
	if (r->ahead.begun) /* from here on time is the next one's */
		now.job.to_ns = r->ahead.job.from_ns;
	const int result =
	    now.job.result.end == JOB_INTERRUPTED ? 2 : collect(r, now.trial, &now.job, st);
	if (result >= 0) {
		const int64_t ns = clock_now_ns();
		r->steps_ns[r->plan.trials[index].variant] =
		    now.over ? now.job.to_ns - now.job.from_ns : ns - r->since_ns;
		r->since_ns = ns;
	}
	trial_free(now.trial);
	return result;
}

/* What failed too often need not be tried. The record has a failure for it all the same, because a
 * block of a search is whole with a line of each variant. */
static int skip_trial(struct runner *r, unsigned index, struct status *st)
{
	struct trial *trial = plan_trial(&r->plan, index);
	char why[64];
	snprintf(why, sizeof why, "not tried: %d trials before failed", GIVE_UP);
	int result =
	    record_write_failure(r->folder.trials, trial, why, st) || folder_commit(&r->folder, st);
	trial_free(trial);
	return -result;
}

static unsigned expect_trials(const struct runner *r)
{
	const unsigned in_block = r->plan.ntrials / r->spec.blocks;
	return r->plan.search.nkeys ? search_trials(&r->plan).all
	                            : (r->spec.blocks - r->first_block) * in_block - r->begun;
}

/* The command that resumes the run, for so many more blocks; 0: those that it was begun with. */
static void command_text(const struct runner *r, unsigned blocks, char *text, size_t bytes)
{
	char self[SANITIZE_WORD(PATH_MAX)], folder[SANITIZE_WORD(PATH_MAX)];
	sanitize_word(r->request->argv[0], self, sizeof self);
	sanitize_word(r->folder.path, folder, sizeof folder);
	text[0] = '\0';
	status_add(text, bytes, "%s resume %s", self, folder);
	if (blocks)
		status_add(text, bytes, " blocks=%u", blocks);
}

/* "4 blocks and 2 of 9 trials of the next are kept". Resuming completes a block that has some of
 * its trials. If none is missing, as while the path jobs run, resuming means one more block. How
 * long that takes, the report says. */
static int say_interrupted(struct runner *r, struct status *st)
{
	const unsigned in_block = r->plan.ntrials / r->spec.blocks;
	const unsigned trials = (r->spec.blocks - r->first_block) * in_block - r->begun;
	const bool searches = r->plan.search.nkeys, all = !searches && r->ndone >= trials;
	const unsigned done = r->first_block * in_block + r->begun + r->ndone,
	               n = searches ? r->ndone : done / in_block,
	               more = searches ? 0 : done % in_block;
	char next[64] = "", command[900];
	command_text(r, all, command, sizeof command);
	status_progress_end();
	r->interrupted = true;
	if (more)
		snprintf(next, sizeof next, " and %u of %u trials of the next", more, in_block);
	return status_set(st, "interrupted; %u %s%s%s %s kept. To go on: %s", n,
	                  searches ? "trial" : "block", n == 1 ? "" : "s", next,
	                  n == 1 && !more ? "is" : "are", command);
}

static void say_trial(const struct runner *r, unsigned index, unsigned total, bool begins)
{
	const struct plan_trial *trial = &r->plan.trials[index];
	const char *variant = r->plan.variants[trial->variant].name;
	const unsigned block = trial->block;
	char what[160];
	if (r->stage[0])
		snprintf(what, sizeof what, "%s: %s", r->stage, variant);
	else
		snprintf(what, sizeof what, "block %u of %u: %s", block + 1, r->spec.blocks,
		         variant);
	say_progress(r, index, total, what, begins);
}

/* The trial whose job may start while the one before closes; -1: none may. */
static int next_of(const struct runner *r, unsigned i)
{
	const struct plan_trial *next = &r->plan.trials[i + 1];
	return i + 1 < r->plan.ntrials && !r->failed[next->variant] &&
	               (next->block == next[-1].block || !r->asks)
	           ? (int)i + 1
	           : -1;
}

int run_block(struct runner *r, unsigned block, unsigned first, unsigned in_block,
              struct status *st)
{
	const struct plan *plan = &r->plan;
	const unsigned total = expect_trials(r);
	unsigned measured = r->begun && block == r->first_block; /* by an earlier session */
	bool lacks = false;
	if (r->plan.turns.hi && run_turns(r, first, in_block, st))
		return -1;
	for (unsigned i = first; i < first + in_block; i++) {
		const unsigned variant = plan->trials[i].variant;
		const char *name = plan->variants[variant].name;
		int result = 0;
		say_trial(r, i, total, i == first);
		if (plan->search.nkeys && r->failed[variant] >= GIVE_UP) {
			if (skip_trial(r, i, st))
				return -1;
			r->ndone++;
			continue;
		}
		if (r->failed[variant] < GIVE_UP)
			result = run_trial(r, i, r->nturns ? -1 : next_of(r, i),
			                   r->nturns ? &r->turns[i - first] : &r->ahead, st);
		r->ndone += result == 0 || result == 1;
		if (result == 2 || job_interrupted())
			return say_interrupted(r, st);
		if (result < 0)
			return -1;
		if (result)
			r->failed[variant]++;
		else if (r->failed[variant] < GIVE_UP)
			r->failed[variant] = 0;
		r->nfailed += result > 0;
		lacks = lacks || r->failed[variant];
		measured += !result && r->failed[variant] < GIVE_UP &&
		            strcmp(plan->variants[variant].role, "limit") != 0;
		if (result && r->failed[variant] == GIVE_UP)
			status_say("%s is not tried again", name);
	}
	r->nlack += lacks;
	if (measured)
		return 0;
	status_progress_end();
	return status_set(st, "every trial of block %u failed, so the run ends here; the first: %s",
	                  block + 1, r->first_why);
}

static bool asks_path(const struct runner *r, unsigned variant)
{
	return !r->has_path[variant] && path_job_wanted(&r->plan, variant) &&
	       r->failed[variant] < GIVE_UP;
}

int run_path_jobs(struct runner *r, struct status *st)
{
	const unsigned in_block = r->plan.ntrials / r->spec.blocks;
	unsigned order = r->plan.ntrials;
	for (unsigned v = 0; v < r->plan.nvariants; v++) {
		struct status why = {""};
		char what[160];
		if (!asks_path(r, v))
			continue;
		snprintf(what, sizeof what, "path of %s", r->plan.variants[v].name);
		/* A search has planned no further than it has run. */
		say_progress(r,
		             r->plan.search.nkeys ? r->plan.ntrials
		                                  : r->first_block * in_block + r->begun + r->ndone,
		             expect_trials(r), what, false);
		int result = path_job_run(r, v, order, &why);
		if (result == PATH_JOB_INTERRUPTED || job_interrupted())
			return say_interrupted(r, st);
		if (result < 0 || folder_commit(&r->folder, st)) {
			if (result < 0)
				*st = why;
			return -1;
		}
		if (result) {
			status_progress_end();
			status_say("%s", why.text);
			r->nfailed++;
		}
		order++;
	}
	r->since_ns = clock_now_ns();
	return 0;
}

static int run_blocks(struct runner *r, struct status *st)
{
	unsigned block = r->first_block;
	const unsigned in_block = r->plan.ntrials / r->spec.blocks;
	r->begin_ns = r->since_ns = clock_now_ns();
	if (r->plan.search.nkeys && tune_blocks(r, st))
		return -1;
	for (; block < r->spec.blocks && !r->plan.search.nkeys; block++) {
		r->asks = false;
		for (unsigned v = 0; v < r->plan.nvariants && block == r->first_block; v++)
			r->asks |= asks_path(r, v);
		const unsigned begun = block == r->first_block ? r->begun : 0;
		if (run_block(r, block, block * in_block + begun, in_block - begun, st) ||
		    (r->asks && run_path_jobs(r, st)))
			return -1;
	}
	status_progress_end();
	if (!r->end.reason[0]) {
		strcpy(r->end.reason, "blocks");
		snprintf(r->end.text, sizeof r->end.text, "After %u block%s, as asked", block,
		         block == 1 ? "" : "s");
	}
	if (!r->request->quiet && r->plan.search.nkeys)
		status_say("Ended by %s. %s", r->end.reason, r->end.text);
	return record_write_end(r->folder.trials, r->end.reason, r->end.text, st) ||
	               folder_commit(&r->folder, st)
	           ? -1
	           : 0;
}

/* 0 when all of it succeeded; else -1 with the run's last sentence. */
static int sum_up(const struct runner *r, struct status *st)
{
	char failed[64] = "", command[900] = "", again[1024] = "";
	if (r->nfailed)
		snprintf(failed, sizeof failed, "%u trial%s failed; the report names %s",
		         r->nfailed, r->nfailed == 1 ? "" : "s", r->nfailed == 1 ? "it" : "them");
	if (r->nlack && !r->plan.search.nkeys) {
		command_text(r, r->nlack, command, sizeof command);
		snprintf(again, sizeof again, ". To measure %u block%s instead of %s: %s", r->nlack,
		         r->nlack == 1 ? "" : "s",
		         r->nlack == 1 ? "the one that lacks a trial" : "those that lack one",
		         command);
	}
	return r->nfailed ? status_set(st, "%s%s", failed, again) : 0;
}

int run_experiment(const struct run_request *request, char *folder, struct status *st)
{
	struct runner *r = memory_take(1, sizeof *r);
	int result = -1;
	struct record_spent set_up = {.on = SPENT_ON_SET_UP, .from_ns = clock_now_ns()};
	r->request = request;
	/* Threads that a driver's library starts as it is asked take none of them either. */
	job_hold_signals();
	if (!run_set_up(r, st)) {
		snprintf(folder, PATH_MAX, "%s", r->folder.path);
		if (!request->quiet)
			run_announce(r);
		set_up.to_ns = clock_now_ns();
		/* It comes with the first trial's lines. */
		result = record_write_spent(r->folder.trials, &set_up, st) || run_blocks(r, st);
		if (r->ahead.begun)
			job_drop(&r->ahead.job);
		trial_free(r->ahead.trial);
		for (unsigned i = 0; i < r->nturns; i++)
			trial_free(r->turns[i].trial);
		free(r->turns);
		if (r->interrupted)
			result = RUN_INTERRUPTED;
		if ((!result || (r->interrupted && r->ndone)) && folder_set_latest(&r->folder, st))
			result = 1;
		if (!result && sum_up(r, st))
			result = 1;
	}
	job_release_signals();
	status_progress_end();
	folder_close(&r->folder);
	json_decref(r->environment);
	plan_free(&r->plan);
	free(r);
	return result;
}

int run_keep_report(const char *dir, int64_t from_ns, struct status *st)
{
	const struct record_spent spent = {
	    .on = SPENT_ON_REPORT, .from_ns = from_ns, .to_ns = clock_now_ns()};
	struct folder folder = {.path = ""};
	const int result = folder_reopen(dir, &folder, st) ||
	                           record_write_spent(folder.trials, &spent, st) ||
	                           folder_commit(&folder, st)
	                       ? -1
	                       : 0;
	folder_close(&folder);
	return result;
}
