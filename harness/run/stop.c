#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/regime.h"
#include "../analysis/summary.h"
#include "../analysis/verdict.h"

/* The widest of the intervals that have to be narrow. */
struct width {
	unsigned compared; /* intervals that there have to be */
	unsigned blocks;   /* the fewest that one of them rests on */
	double half;       /* relative: 0.01 is ±1 %; NaN while one is missing */
	char of[256];      /* whose it is: "large: processes against threads" */
};

/* A missing interval is the widest of all. One without a cell is none that can come. */
static void widen(struct width *width, const struct summary *s, const char *where,
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
	snprintf(width->of, sizeof width->of, "%s: %s against %s", where,
	         s->variants[c->left].name, s->variants[c->right].name);
}

static bool is_going_on(const struct stop_state *now, int variant)
{
	return variant >= 0 && !now->given_up[variant];
}

/* What the gap is judged by, of bandwidth; without a cell where nobody asks about one, or one
 * of its ends is given up. */
static int gap_make(const struct stop_state *now, const struct summary *s, struct contrast *out,
                    struct status *st)
{
	struct claim_list *asked = malloc(sizeof *asked);
	int rc = 0;
	*out = contrast_none(0, 0, METRIC_BUSBW, "");
	if (!asked)
		return status_set(st, "out of memory for the widths");
	if (claim_list_take(s->run->environment, asked, st) || regimes_settle(s, asked, st)) {
		free(asked);
		return -1;
	}
	int from = index_variant(s, asked->gap.from), to = index_variant(s, asked->gap.to);
	const struct contrast_select select = {
	    .bytes = asked->gap.bytes, .pace = PACE_STREAM, .coll = CLAIM_ANY_COLL};
	if (is_going_on(now, from) && is_going_on(now, to))
		rc = contrast_make(s, (unsigned)to, (unsigned)from, METRIC_BUSBW, &select, out,
		                   st);
	free(asked);
	return rc;
}

/* The gap and the A/A line of its regime, which says whether the gap can be seen; without one
 * every variant in every regime. */
static int widths_find(const struct stop_state *now, const struct summary *s,
                       struct width *width, struct status *st)
{
	struct regimes regimes;
	struct contrast gap;
	if (gap_make(now, s, &gap, st) || regimes_make(s, &regimes, st))
		return -1;
	widen(width, s, "the gap", &gap);
	for (unsigned i = 0; i < regimes.n; i++) {
		const struct regime *r = &regimes.list[i];
		for (unsigned v = 0; v < r->nvariants; v++) {
			bool asked =
			    !gap.ncells || (r->kind == REGIME_LARGE && (int)v == r->twin);
			if (asked && is_going_on(now, (int)v))
				widen(width, s, r->name, &r->contrasts[v]);
		}
	}
	regimes_free(&regimes);
	return 0;
}

static int measure_width(const struct stop_state *now, struct width *out, struct status *st)
{
	struct width width = {.half = NAN};
	struct record_run run;
	struct summary s;
	bool torn;
	if (record_load(now->folder, &run, &torn, st))
		return -1;
	int rc = summary_make(&run, &s, st);
	if (!rc) {
		/* Figures of different work, or without their reference, are no comparison. */
		if (!s.trouble[0] && is_going_on(now, s.reference))
			rc = widths_find(now, &s, &width, st);
		summary_free(&s);
	}
	record_free(&run);
	*out = width;
	return rc;
}

bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns, int64_t budget_ns)
{
	if (blocks < STATS_MIN_BLOCKS || measured == 0)
		return false;
	return elapsed_ns + elapsed_ns / measured > budget_ns;
}

/* "the widest interval is ±0.8 % (large: processes against threads), wanted is ±1 %" */
static void width_text(const struct width *width, double precision, char *out, size_t bytes)
{
	if (!width->compared)
		snprintf(out, bytes, "there is nothing that can be compared");
	else if (isnan(width->half))
		snprintf(out, bytes, "there is no interval yet for %s", width->of);
	else
		snprintf(out, bytes, "the widest interval is ±%.2g %% (%s), wanted is ±%.3g %%",
		         100 * width->half, width->of, 100 * precision);
}

/* -1, or whether the widths are reason enough. */
static int enough(const struct stop_state *now, struct width *width, struct status *st)
{
	if (measure_width(now, width, st))
		return -1;
	return !width->compared ||
	       (width->blocks >= VERDICT_FIRST_LOOK && width->half < now->precision);
}

int stop_consider(const struct stop_state *now, struct record_end *end, struct status *st)
{
	struct width width;
	char text[400];
	bool over = stop_over_budget(now->blocks, now->measured, now->elapsed_ns,
	                             (int64_t)now->budget_s * 1000000000);
	bool looks = verdict_looks_after(now->blocks);
	if (!over && !looks)
		return 0;
	int rc = enough(now, &width, st);
	if (rc < 0)
		return -1;
	width_text(&width, now->precision, text, sizeof text);
	if (rc && looks) {
		strcpy(end->reason, width.compared ? "precision" : "blocks");
		snprintf(end->text, sizeof end->text, "After %u blocks %s", now->blocks, text);
	} else if (over) {
		strcpy(end->reason, "budget");
		snprintf(end->text, sizeof end->text,
		         "After %u blocks the time budget of %u s has no room for one more; %s",
		         now->blocks, now->budget_s, text);
	} else {
		status_progress_end();
		status_say("After %u blocks %s", now->blocks, text);
	}
	return 0;
}
