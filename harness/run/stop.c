#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/regime.h"
#include "../analysis/summary.h"
#include "../analysis/verdict.h"
#include "../arena.h"
#include "aim.h"

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

static bool is_going_on(const bool *given_up, int variant)
{
	return variant >= 0 && !given_up[variant];
}

/* The aim and the A/A line of its regime; without an aim every variant in every regime. */
static int widths_find(const struct summary *s, const bool *given_up, struct stop_width *width,
                       struct status *st)
{
	struct regimes regimes;
	struct aim aim;
	if (aim_take(s, given_up, &aim, st))
		return -1;
	regimes_make(s, &regimes);
	widen(width, s, aim.name, &aim.contrast);
	for (unsigned i = 0; i < regimes.n; i++) {
		const struct regime *r = &regimes.list[i];
		for (unsigned v = 0; v < r->nvariants; v++) {
			bool asked = !aim_is(&aim) || (r->kind == aim.regime && (int)v == r->twin);
			if (asked && is_going_on(given_up, (int)v))
				widen(width, s, r->name, &r->contrasts[v]);
		}
	}
	return 0;
}

int stop_widest(const struct summary *s, const bool *given_up, struct stop_width *out,
                struct status *st)
{
	struct stop_width width = {.half = NAN};
	/* Figures of different work, or without a reference, cannot be compared. */
	if (!s->uncompared.kind && is_going_on(given_up, s->reference) &&
	    widths_find(s, given_up, &width, st))
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
	const bool *given_up;
	struct stop_width *out;
	struct status *st;
};

static int measure(struct arena *arena, void *of)
{
	const struct measuring *m = of;
	struct summary s;
	summary_make(m->run, arena, &s);
	return stop_widest(&s, m->given_up, m->out, m->st);
}

static int measure_width(const struct stop_state *now, struct stop_width *out, struct status *st)
{
	struct record_run run;
	struct measuring m = {&run, now->given_up, out, st};
	if (record_load(now->folder, &run, st))
		return -1;
	const int rc = arena_work(measure, &m, "the widths", st);
	record_free(&run);
	return rc;
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
	char text[400];
	bool over = stop_over_budget(now->blocks, now->measured, now->elapsed_ns,
	                             (int64_t)now->budget_s * 1000000000);
	bool looks = verdict_looks_after(now->blocks);
	if (!over && !looks)
		return 0;
	if (measure_width(now, &width, st))
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
