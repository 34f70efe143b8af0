#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "../terminal.h"
#include "runner.h"

/* --- what is left --- */

/* The mean of a variant's own trials: of those with the same passes, else with the fewest. */
static double step_ns(const struct progress *p, unsigned variant, enum plan_kind kind,
                      double otherwise)
{
	const struct progress_steps *own = &p->steps[kind][variant];
	for (int k = PLAN_KINDS; !own->n && k--;)
		own = &p->steps[k][variant];
	return own->n ? (double)own->ns / own->n : otherwise;
}

int64_t progress_left_ns(const struct progress *p, const struct plan *plan, unsigned next,
                         unsigned count)
{
	struct progress_steps all = {0, 0};
	double left = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		for (int kind = 0; kind < PLAN_KINDS; kind++) {
			all.n += p->steps[kind][v].n;
			all.ns += p->steps[kind][v].ns;
		}
	if (!all.n)
		return -1;
	const double mean_ns = (double)all.ns / all.n;
	for (unsigned i = next; i < next + count; i++) {
		const struct plan_trial *t = i < plan->ntrials ? &plan->trials[i] : NULL;
		/* A search has planned only its next block. */
		left += t ? step_ns(p, t->variant, plan_kind(plan, t->variant, t->block), mean_ns)
		          : mean_ns;
	}
	return (int64_t)left;
}

int progress_begin(struct runner *r, struct status *st)
{
	r->progress = calloc(1, sizeof *r->progress);
	if (!r->progress)
		return status_set(st, "out of memory for the progress");
	r->progress->since_ns = clock_now_ns();
	return 0;
}

void progress_end(struct runner *r)
{
	free(r->progress);
	r->progress = NULL;
	status_progress_end();
}

/* --- the line --- */

void progress_trial(struct runner *r, unsigned index)
{
	struct progress *p = r->progress;
	const struct plan_trial *t = &r->plan.trials[index];
	const int64_t now = clock_now_ns();
	struct progress_steps *own =
	    &p->steps[plan_kind(&r->plan, t->variant, t->block)][t->variant];
	own->n++;
	own->ns += now - p->since_ns;
	p->since_ns = now;
}

void progress_pause(struct runner *r)
{
	if (r->progress)
		r->progress->since_ns = clock_now_ns();
}

void progress_say(const struct runner *r, unsigned next, unsigned total, const char *what,
                  bool begins)
{
	const struct progress *p = r->progress;
	const unsigned count = total > r->ndone ? total - r->ndone : 0;
	char left[48] = "";
	const int64_t ns = p ? progress_left_ns(p, &r->plan, next, count) : -1;
	if (r->request->quiet || (!begins && !terminal_redraws()))
		return;
	if (ns >= 0) {
		strcpy(left, ", about ");
		status_span(ns, left + strlen(left), sizeof left - strlen(left));
		strcat(left, " left");
	}
	status_progress("[%u/%u] %s%s", r->ndone, total, what, left);
}
