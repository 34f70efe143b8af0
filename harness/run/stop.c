#include "stop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../analysis/summary.h"
#include "../analysis/verdict.h"

/* The widest of the intervals that verdicts rest on: of every variant against the reference,
 * the reference's twin included, for each collective and pace. */
struct width {
	unsigned compared; /* intervals that there have to be */
	unsigned blocks;   /* the fewest that one of them rests on */
	double half;       /* relative: 0.01 is ±1 %; NaN while one is missing */
	char of[160];      /* whose it is */
};

/* A missing interval is the widest of all. */
static void widen(struct width *width, const struct summary *s, unsigned group,
                  unsigned variant)
{
	const struct summary_group *g = &s->groups[group];
	const struct stats_ratio *gap = &g->gaps[variant];
	double half = verdict_half_width(gap);
	if (width->compared == 0 || gap->blocks < width->blocks)
		width->blocks = gap->blocks;
	width->compared++;
	if (width->compared > 1 && (isnan(width->half) || half <= width->half))
		return;
	width->half = half;
	snprintf(width->of, sizeof width->of, "%s, %s %s", s->variants[variant].name,
	         coll_info(g->cell.coll)->name, coll_pace_name(g->cell.pace));
}

/* A variant counts in a group where it has a time. */
static bool has_times(const struct summary *s, unsigned group, unsigned variant)
{
	for (unsigned i = 0; i < s->groups[group].nsizes; i++) {
		const struct summary_row *row = index_row(s, variant, index_place(s, group, i));
		if (row && row->ntrials)
			return true;
	}
	return false;
}

static int measure_width(const struct stop_state *now, struct width *out, struct status *st)
{
	struct width width = {.half = NAN};
	struct record_run run;
	struct summary s;
	bool torn;
	if (record_load(now->folder, &run, &torn, st))
		return -1;
	if (summary_make(&run, &s, st)) {
		record_free(&run);
		return -1;
	}
	bool comparable = !s.trouble[0] && s.reference >= 0 && !now->given_up[s.reference];
	for (unsigned g = 0; comparable && g < s.ngroups; g++)
		for (unsigned v = 0; v < s.nvariants; v++)
			if ((int)v != s.reference && s.variants[v].role != ROLE_LIMIT &&
			    !now->given_up[v] && has_times(&s, g, v))
				widen(&width, &s, g, v);
	summary_free(&s);
	record_free(&run);
	*out = width;
	return 0;
}

bool stop_over_budget(unsigned blocks, unsigned measured, int64_t elapsed_ns, int64_t budget_ns)
{
	if (blocks < STATS_MIN_BLOCKS || measured == 0)
		return false;
	return elapsed_ns + elapsed_ns / measured > budget_ns;
}

/* "the widest interval is ±0.8 % (processes, alltoall stream), wanted is ±1 %" */
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
	char text[320];
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
