#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/claims.h"
#include "../analysis/summary.h"
#include "../arena.h"
#include "../clock.h"
#include "../terminal.h"
#include "runner.h"
#include "stop.h"

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

/* --- the aim so far --- */

/* Without a primary claim or a gap: the first variant against the reference, by bandwidth or else by
 * latency. */
static struct contrast first_of(const struct summary *s, const struct progress *p)
{
	struct claim claim = {.test = CLAIM_WITHIN,
	                      .metric = METRIC_BUSBW,
	                      .bytes = {0, SIZE_MAX},
	                      .regime = CLAIM_ANY_REGIME,
	                      .pace = CLAIM_ANY_PACE,
	                      .coll = CLAIM_ANY_COLL};
	strcpy(claim.left, p->left);
	strcpy(claim.right, p->right);
	struct contrast c = claims_judge(s, &claim).contrast;
	if (c.ncells)
		return c;
	claim.metric = METRIC_LATENCY;
	return claims_judge(s, &claim).contrast;
}

static int show(struct arena *arena, void *of)
{
	struct runner *r = of;
	struct progress *p = r->progress;
	struct summary s;
	struct aim aim;
	struct status ignored = {""};
	char half[32] = "";
	summary_make(&p->seen, arena, &s);
	p->aim[0] = '\0';
	if (s.uncompared.kind || aim_take(&s, r->failed, &aim, &ignored))
		return 0;
	if (!p->asked && index_variant(&s, p->left) >= 0 && index_variant(&s, p->right) >= 0)
		aim.contrast = first_of(&s, p);
	const struct contrast *c = &aim.contrast;
	if (!aim_is(&aim) || isnan(c->ratio.estimate))
		return 0;
	if (!isnan(c->ratio.lo))
		snprintf(half, sizeof half, " (%.3g to %.3g)", c->ratio.lo, c->ratio.hi);
	snprintf(p->aim, sizeof p->aim, "%s %.32s ÷ %.32s %.3g%s after %u block%s",
	         metric_info(c->metric)->name, s.variants[c->left].name, s.variants[c->right].name,
	         c->ratio.estimate, half, c->nblocks, c->nblocks == 1 ? "" : "s");
	return 0;
}

void progress_block(struct runner *r)
{
	struct status ignored = {""};
	if (r->progress->follows)
		arena_work(show, r, "the progress", &ignored);
}

/* The variants that the primary claim or the gap compares; false: neither is asked. */
static bool name_asked(const struct claim_list *asked, struct progress *p)
{
	strcpy(p->left, asked->gap.to);
	strcpy(p->right, asked->gap.from);
	for (unsigned i = 0; i < asked->nclaims; i++)
		if (!strcmp(asked->claims[i].name, asked->primary)) {
			strcpy(p->left, asked->claims[i].left);
			strcpy(p->right, asked->claims[i].right);
		}
	return p->left[0] && p->right[0];
}

/* The first variant that runs and the reference. */
static bool name_first(const struct plan *plan, struct progress *p)
{
	const struct plan_variant *reference = plan_reference(plan);
	p->left[0] = p->right[0] = '\0';
	for (unsigned v = 0; reference && v < plan->nvariants && !p->left[0]; v++)
		if (!plan->variants[v].skip[0] && !strcmp(plan->variants[v].role, "variant")) {
			strcpy(p->left, plan->variants[v].name);
			strcpy(p->right, reference->name);
		}
	return p->left[0];
}

int progress_begin(struct runner *r, struct status *st)
{
	struct progress *p = r->progress = calloc(1, sizeof *p);
	struct status ignored = {""};
	if (!p)
		return status_set(st, "out of memory for the progress");
	p->since_ns = clock_now_ns();
	p->asked = name_asked(&r->plan.asked, p);
	p->follows = !r->plan.search.nkeys && (p->asked || name_first(&r->plan, p)) &&
	             !record_load(r->folder.path, &p->seen, &ignored);
	if (r->first_block)
		progress_block(r);
	p->since_ns = clock_now_ns();
	return 0;
}

void progress_end(struct runner *r)
{
	if (r->progress && r->progress->follows)
		record_free(&r->progress->seen);
	free(r->progress);
	r->progress = NULL;
	status_progress_end();
}

/* --- the line --- */

void progress_trial(struct runner *r, unsigned index, const char *lines)
{
	struct progress *p = r->progress;
	const struct plan_trial *t = &r->plan.trials[index];
	const struct plan_variant *v = &r->plan.variants[t->variant];
	/* The reference's twin counts with the reference. */
	const char *name = strcmp(v->role, "again") ? v->name : plan_reference(&r->plan)->name;
	struct status ignored = {""};
	if (lines && p->follows && (!strcmp(name, p->left) || !strcmp(name, p->right)) &&
	    record_load_more(lines, &p->seen, &ignored)) {
		record_free(&p->seen);
		p->follows = false;
	}
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
	const char *aim = p ? p->aim : "";
	const int64_t ns = p ? progress_left_ns(p, &r->plan, next, count) : -1;
	if (r->request->quiet || (!begins && !terminal_redraws()))
		return;
	if (ns >= 0) {
		strcpy(left, ", about ");
		status_span(ns, left + strlen(left), sizeof left - strlen(left));
		strcat(left, " left");
	}
	status_progress("[%u/%u] %s%s%s%s", r->ndone, total, what, left, *aim ? "; " : "", aim);
}
