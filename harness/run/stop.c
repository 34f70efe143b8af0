#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/claims.h"
#include "../analysis/summary.h"
#include "../arena.h"

/* --- what the run is about --- */

static bool is_going_on(const unsigned *failed, int variant)
{
	return variant >= 0 && failed[variant] < GIVE_UP;
}

bool aim_is(const struct aim *aim)
{
	return aim->contrast.ncells;
}

static void at_claim(const struct summary *s, const struct claim_list *asked,
                     const unsigned *failed, struct aim *aim)
{
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *claim = &asked->claims[i];
		if (strcmp(claim->name, asked->primary) ||
		    !is_going_on(failed, index_variant(s, claim->left)) ||
		    !is_going_on(failed, index_variant(s, claim->right)))
			continue;
		aim->contrast = claims_judge(s, claim).contrast;
		aim->regime = claim_regime(claim) == CLAIM_ANY_REGIME
		                  ? REGIME_LARGE
		                  : (enum regime_kind)claim_regime(claim);
		snprintf(aim->name, sizeof aim->name, "claim %s", claim->name);
	}
}

static void at_gap(const struct summary *s, const struct gap *gap, const unsigned *failed,
                   struct aim *aim)
{
	const struct contrast_select select = {
	    .bytes = gap->bytes, .pace = PACE_STREAM, .coll = CLAIM_ANY_COLL};
	int from = index_variant(s, gap->from), to = index_variant(s, gap->to);
	if (!is_going_on(failed, from) || !is_going_on(failed, to))
		return;
	aim->regime = REGIME_LARGE;
	strcpy(aim->name, "the gap");
	aim->contrast = contrast_make(s, (unsigned)to, (unsigned)from, METRIC_BUSBW, &select);
}

int aim_take(const struct summary *s, const unsigned *failed, struct aim *aim, struct status *st)
{
	struct claim_list *asked = ARENA_NEW(s->arena, struct claim_list);
	*aim = (struct aim){
	    .contrast = contrast_none(0, 0, METRIC_BUSBW, (struct reason){.kind = REASON_NONE})};
	if (claim_list_take(s->run->environment, asked, st))
		return -1;
	regimes_settle(s, asked);
	at_claim(s, asked, failed, aim);
	if (!aim_is(aim))
		at_gap(s, &asked->gap, failed, aim);
	return 0;
}

/* --- its widths --- */

/* A missing interval is the widest of all. A contrast without a cell will never have one. */
static void widen(struct stop_width *width, const struct summary *s, const char *where,
                  const struct contrast *c)
{
	double half = verdict_half_width(&c->ratio);
	if (!c->ncells)
		return;
	if (width->compared == 0 || c->nblocks < width->blocks)
		width->blocks = c->nblocks;
	width->compared++;
	if (width->compared > 1 && (isnan(width->half) || half <= width->half))
		return;
	width->half = half;
	snprintf(width->of, sizeof width->of, "%s: %s against %s", where, s->variants[c->left].name,
	         s->variants[c->right].name);
}

/* The aim and the A/A line of its regime; without an aim every variant in every regime. */
static int widths_find(const struct summary *s, const unsigned *failed, struct stop_width *width,
                       struct status *st)
{
	struct regimes regimes;
	struct aim aim;
	if (aim_take(s, failed, &aim, st))
		return -1;
	regimes_make(s, &regimes);
	widen(width, s, aim.name, &aim.contrast);
	for (unsigned i = 0; i < regimes.n; i++) {
		const struct regime *r = &regimes.list[i];
		for (unsigned v = 0; v < r->nvariants; v++) {
			bool asked = !aim_is(&aim) || (r->kind == aim.regime && (int)v == r->twin);
			if (asked && is_going_on(failed, (int)v))
				widen(width, s, r->name, &r->contrasts[v]);
		}
	}
	return 0;
}

int stop_widest(const struct summary *s, const unsigned *failed, struct stop_width *out,
                struct status *st)
{
	struct stop_width width = {.half = NAN};
	/* Figures of different work, or without a reference, cannot be compared. */
	if (!s->uncompared.kind && is_going_on(failed, s->reference) &&
	    widths_find(s, failed, &width, st))
		return -1;
	*out = width;
	return 0;
}

bool stop_is_precise(const struct stop_width *width, double precision)
{
	return !width->compared || (width->blocks >= VERDICT_FIRST_LOOK && width->half < precision);
}

struct measuring {
	const struct record_run *run;
	const unsigned *failed;
	struct stop_width *out;
	struct status *st;
};

static int measure(struct arena *arena, void *of)
{
	const struct measuring *m = of;
	struct summary s;
	summary_make(m->run, arena, &s);
	return stop_widest(&s, m->failed, m->out, m->st);
}

bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns, int64_t budget_ns)
{
	if (blocks < STATS_MIN_BLOCKS || measured == 0)
		return false;
	return elapsed_ns + elapsed_ns / measured > budget_ns;
}

/* "half of the widest interval is 0.8 % (large: processes against threads); the aim is 1 %" */
static void width_text(const struct stop_width *width, double precision, char *out, size_t bytes)
{
	if (!width->compared)
		snprintf(out, bytes, "nothing can be compared");
	else if (isnan(width->half))
		snprintf(out, bytes, "there is no interval yet for %s", width->of);
	else
		snprintf(out, bytes,
		         "half of the widest interval is %.2g %% (%s); the aim is %.3g %%",
		         100 * width->half, width->of, 100 * precision);
}

int stop_consider(const struct stop_state *now, struct record_end *end, struct status *st)
{
	struct stop_width width = {0};
	struct record_run run;
	struct measuring m = {&run, now->failed, &width, st};
	char text[400];
	bool over = stop_over_budget(now->blocks, now->measured, now->elapsed_ns,
	                             (int64_t)now->budget_s * 1000000000);
	bool looks = verdict_looks_after(now->blocks);
	if (!over && !looks)
		return 0;
	if (record_load(now->folder, &run, st))
		return -1;
	const int rc = arena_work(measure, &m, "the widths", st);
	record_free(&run);
	if (rc)
		return -1;
	width_text(&width, now->precision, text, sizeof text);
	if (looks && stop_is_precise(&width, now->precision)) {
		strcpy(end->reason, width.compared ? "precision" : "blocks");
		snprintf(end->text, sizeof end->text, "After %u blocks %s", now->blocks, text);
	} else if (over) {
		strcpy(end->reason, "budget");
		snprintf(end->text, sizeof end->text,
		         "After %u blocks the time budget of %u s has no room for one more; %s",
		         now->blocks, now->budget_s, text);
	} else if (!now->quiet) {
		status_progress_end();
		status_say("After %u blocks %s", now->blocks, text);
	}
	return 0;
}
