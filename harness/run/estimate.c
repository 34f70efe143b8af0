#include "estimate.h"

#include <stdlib.h>
#include <string.h>

#include "../analysis/spent.h"
#include "describe.h"
#include "progress.h"

/* Typical of a run; its trials: plan_cost. */
#define SET_UP_S 0.1
#define REPORT_S 3.0 /* with its pictures */

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
	double seconds; /* that the plan would take, by what it took */
};

static int take_jobs(struct arena *arena, void *of)
{
	struct former *f = of;
	const struct spent_sum sum = spent_sum(f->run, arena);
	struct progress *p = ARENA_NEW(arena, struct progress);
	unsigned njobs;
	spent_jobs(f->run, arena, &njobs);
	for (unsigned i = 0; i < f->run->nspent; i++) {
		const struct record_spent *j = &f->run->spent[i];
		const struct plan_variant *variant = plan_find(f->plan, j->variant);
		if (j->on != SPENT_ON_TRIAL || !variant)
			continue;
		const unsigned v = (unsigned)(variant - f->plan->variants);
		struct progress_steps *steps = &p->steps[plan_kind(f->plan, v, j->block)][v];
		steps->ns += j->to_ns - j->from_ns;
		steps->n++;
	}
	f->seconds = sum.s[SPENT_PART_SET_UP] / (f->run->nresumes + 1) + sum.s[SPENT_PART_PATH] +
	             (sum.s[SPENT_PART_REPORT] > 0 ? sum.s[SPENT_PART_REPORT] : REPORT_S) +
	             f->plan->ntrials * sum.s[SPENT_PART_REST] / njobs +
	             1e-9 * (double)progress_left_ns(p, f->plan, 0, f->plan->ntrials);
	return njobs ? 0 : 1;
}

static void take_former(const struct run_request *q, const struct plan *plan, struct estimate *out)
{
	struct record_run run;
	struct status why = {""};
	char dir[PATH_MAX], path[PATH_MAX];
	snprintf(dir, sizeof dir, "%s/%s/latest", q->results, plan->spec->name);
	if (!realpath(dir, path) || record_load(path, &run, &why))
		return;
	struct former f = {.plan = plan, .run = &run};
	json_t *now = describe_run(plan, q->argc, q->argv, "");
	if (now && !resume_same(run.environment, now, &why) &&
	    !arena_work(take_jobs, &f, "the estimate", &why)) {
		out->seconds = f.seconds;
		snprintf(out->from, sizeof out->from, "the last run here, %s/%s", plan->spec->name,
		         strrchr(path, '/') + 1);
	}
	json_decref(now);
	record_free(&run);
}

struct estimate estimate_make(const struct run_request *q, const struct plan *plan)
{
	const struct plan_cost typical = plan_cost(plan, PLAN_KINDS);
	struct estimate e = {.seconds = SET_UP_S + REPORT_S + typical.seconds,
	                     .bytes = typical.bytes,
	                     .from = "typical figures"};
	if (!plan->machine->imagined)
		take_former(q, plan, &e);
	return e;
}
