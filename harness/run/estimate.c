#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/spent.h"
#include "describe.h"

/* Typical of a run; its trials: plan_cost. */
#define SET_UP_S 0.1
#define REPORT_S 3.0 /* with its pictures */

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

/* The last run of the experiment here. */
struct former {
	const struct plan *plan;
	const struct record_run *run;
	double jobs_s[PLAN_KINDS];  /* the mean of its jobs of a kind; NaN: it has none */
	double between_s, others_s; /* between two jobs; set-up, paths and report */
};

static int take_jobs(struct arena *arena, void *of)
{
	struct former *f = of;
	const struct spent_sum sum = spent_sum(f->run, arena);
	unsigned njobs, n[PLAN_KINDS] = {0};
	double s[PLAN_KINDS] = {0};
	spent_jobs(f->run, arena, &njobs);
	for (unsigned i = 0; i < f->run->nspent; i++) {
		const struct record_spent *j = &f->run->spent[i];
		const struct plan_variant *v = plan_find(f->plan, j->variant);
		if (j->on != SPENT_ON_TRIAL || !v)
			continue;
		const enum plan_kind kind =
		    plan_kind(f->plan, (unsigned)(v - f->plan->variants), j->block);
		s[kind] += 1e-9 * (double)(j->to_ns - j->from_ns);
		n[kind]++;
	}
	for (unsigned kind = 0; kind < PLAN_KINDS; kind++)
		f->jobs_s[kind] = n[kind] ? s[kind] / n[kind] : NAN;
	f->between_s = sum.s[SPENT_PART_REST] / njobs;
	f->others_s = sum.s[SPENT_PART_SET_UP] / (f->run->nresumes + 1) + sum.s[SPENT_PART_PATH] +
	              (sum.s[SPENT_PART_REPORT] > 0 ? sum.s[SPENT_PART_REPORT] : REPORT_S);
	return njobs ? 0 : 1;
}

/* What it says of the plan's jobs: of a kind that it has not, by how typical figures of the others
 * compare. */
static double jobs_s(const struct former *f)
{
	double known = 0, as_known = 0, rest = 0;
	for (unsigned kind = 0; kind < PLAN_KINDS; kind++) {
		unsigned n = 0;
		for (unsigned i = 0; i < f->plan->ntrials; i++)
			n += plan_kind(f->plan, f->plan->trials[i].variant,
			               f->plan->trials[i].block) == kind;
		const double typical = plan_cost(f->plan, kind).seconds;
		known += isnan(f->jobs_s[kind]) ? 0 : n * f->jobs_s[kind];
		*(isnan(f->jobs_s[kind]) ? &rest : &as_known) += typical;
	}
	return known + (as_known > 0 ? rest * known / as_known : rest);
}

static void take_former(const struct estimate_request *q, struct estimate *out)
{
	struct record_run run;
	struct status why = {""};
	char dir[PATH_MAX], path[PATH_MAX];
	snprintf(dir, sizeof dir, "%s/%s/latest", q->results, q->plan->spec->name);
	if (!realpath(dir, path) || record_load(path, &run, &why))
		return;
	struct former f = {.plan = q->plan, .run = &run};
	json_t *now = describe_run(q->plan, q->argc, q->argv, "");
	if (now && !resume_same(run.environment, now, &why) &&
	    !arena_work(take_jobs, &f, "the estimate", &why)) {
		out->seconds = f.others_s + q->plan->ntrials * f.between_s + jobs_s(&f);
		snprintf(out->from, sizeof out->from, "the last run here, %s/%s",
		         q->plan->spec->name, strrchr(path, '/') + 1);
	}
	json_decref(now);
	record_free(&run);
}

struct estimate estimate_make(const struct estimate_request *q)
{
	const struct plan_cost typical = plan_cost(q->plan, PLAN_KINDS);
	struct estimate e = {.seconds = SET_UP_S + REPORT_S + typical.seconds,
	                     .bytes = typical.bytes,
	                     .from = "typical figures"};
	if (!q->plan->machine->imagined)
		take_former(q, &e);
	return e;
}
