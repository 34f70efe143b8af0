#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/spent.h"
#include "../record/record.h"
#include "describe.h"
#include "resume.h"

/* Typical of a run; its trials: plan_cost. */
#define SET_UP_S 0.1
#define REPORT_S 3.0 /* with its pictures */

/* What the jobs of each variant take; NaN: not known. */
struct jobs {
	double s[PLAN_KINDS][PLAN_MAX_VARIANTS];
	double between_s, set_up_s, path_s, report_s; /* path_s: of all */
};

bool estimate_of_cores(const char *backend)
{
	struct status ignored = {""};
	return backend_capacity(backend, &ignored) == UINT_MAX;
}

#define LOAD_UNSEEN 0.5 /* cores: a shell, a daemon */

void estimate_load(double load, unsigned cores, unsigned ranks, char *text, size_t bytes)
{
	const unsigned wanted = ranks < cores ? ranks : cores;
	text[0] = '\0';
	if (load - LOAD_UNSEEN > (double)(cores - wanted))
		snprintf(
		    text, bytes,
		    "this machine is busy (load %.1f on %u core%s, of which the run wants %u): "
		    "while it is, the run takes longer, and its times scatter more",
		    load, cores, cores == 1 ? "" : "s", wanted);
}

/* --- typical figures --- */

static double typical_s(const struct estimate_request *q, unsigned variant, unsigned block)
{
	struct status ignored = {""};
	struct trial *t = plan_order_trial(q->plan, variant, block, 0, &ignored);
	double s = t ? plan_trial_cost(q->plan, t).seconds : 0;
	trial_free(t);
	return s;
}

/* What is not known of a block's job: as much as what is known of the variant's others, by how typical
 * figures of the two compare; else those. */
static void take_typical(const struct estimate_request *q, unsigned variant, unsigned block,
                         struct jobs *jobs)
{
	const enum plan_kind kind = plan_kind(q->plan, variant, block);
	double *s = &jobs->s[kind][variant];
	if (!isnan(*s))
		return;
	*s = typical_s(q, variant, block);
	for (unsigned other = 0; other < q->plan->spec->blocks; other++) {
		const enum plan_kind of = plan_kind(q->plan, variant, other);
		if (of == kind || isnan(jobs->s[of][variant]))
			continue;
		*s *= jobs->s[of][variant] / typical_s(q, variant, other);
		return;
	}
}

/* --- a run before --- */

struct former {
	const struct estimate_request *request;
	const struct record_run *run;
	struct jobs *jobs;
};

/* The mean over a variant's jobs of a kind; NaN: there is none. */
static double mean_s(const struct former *f, unsigned variant, enum plan_kind kind)
{
	const struct plan *plan = f->request->plan;
	double s = 0;
	unsigned n = 0;
	for (unsigned i = 0; i < f->run->nspent; i++) {
		const struct record_spent *j = &f->run->spent[i];
		if (j->on != SPENT_ON_TRIAL || strcmp(j->variant, plan->variants[variant].name) ||
		    plan_kind(plan, variant, j->block) != kind)
			continue;
		s += 1e-9 * (double)(j->to_ns - j->from_ns);
		n++;
	}
	return n ? s / n : NAN;
}

/* 1: some variant has no job there. */
static int take_jobs(struct arena *arena, void *of)
{
	const struct former *f = of;
	const struct plan *plan = f->request->plan;
	const struct spent_sum sum = spent_sum(f->run, arena);
	unsigned njobs;
	spent_jobs(f->run, arena, &njobs);
	for (unsigned v = 0; v < plan->nvariants; v++) {
		if (plan->variants[v].skip[0])
			continue;
		bool none = true;
		for (int kind = 0; kind < PLAN_KINDS; kind++) {
			f->jobs->s[kind][v] = mean_s(f, v, (enum plan_kind)kind);
			none &= isnan(f->jobs->s[kind][v]);
		}
		if (none)
			return 1;
	}
	f->jobs->between_s = sum.s[SPENT_PART_REST] / njobs;
	f->jobs->set_up_s = sum.s[SPENT_PART_SET_UP] / (f->run->nresumes + 1);
	f->jobs->path_s = sum.s[SPENT_PART_PATH];
	if (sum.s[SPENT_PART_REPORT] > 0)
		f->jobs->report_s = sum.s[SPENT_PART_REPORT];
	return 0;
}

static void take_former(const struct estimate_request *q, struct jobs *jobs, char *from,
                        size_t bytes)
{
	struct record_run run;
	struct status why = {""};
	struct jobs taken = *jobs;
	char dir[PATH_MAX], path[PATH_MAX];
	snprintf(dir, sizeof dir, "%s/%s/latest", q->results, q->plan->spec->name);
	if (!realpath(dir, path) || record_load(path, &run, &why))
		return;
	struct former f = {q, &run, &taken};
	json_t *now = describe_run(q->plan, q->argc, q->argv, "");
	if (now && !resume_same(run.environment, now, &why) &&
	    !arena_work(take_jobs, &f, "the estimate", &why)) {
		*jobs = taken;
		snprintf(from, bytes, "the last run here, %s/%s", q->plan->spec->name,
		         strrchr(path, '/') + 1);
	}
	json_decref(now);
	record_free(&run);
}

/* --- all of it --- */

int estimate_make(const struct estimate_request *q, struct estimate *out, struct status *st)
{
	const struct plan *plan = q->plan;
	struct estimate e = {.bytes = plan_cost(plan).bytes, .from = "typical figures"};
	struct jobs *jobs = malloc(sizeof *jobs);
	if (!jobs)
		return status_set(st, "out of memory for the estimate");
	*jobs = (struct jobs){.set_up_s = SET_UP_S, .report_s = REPORT_S};
	for (unsigned i = 0; i < PLAN_KINDS * PLAN_MAX_VARIANTS; i++)
		jobs->s[i / PLAN_MAX_VARIANTS][i % PLAN_MAX_VARIANTS] = NAN;
	if (!plan->machine->imagined)
		take_former(q, jobs, e.from, sizeof e.from);
	e.seconds = jobs->set_up_s + jobs->path_s + jobs->report_s;
	for (unsigned i = 0; i < plan->ntrials; i++) {
		const struct plan_trial *t = &plan->trials[i];
		take_typical(q, t->variant, t->block, jobs);
		e.seconds +=
		    jobs->between_s + jobs->s[plan_kind(plan, t->variant, t->block)][t->variant];
	}
	*out = e;
	free(jobs);
	return 0;
}
