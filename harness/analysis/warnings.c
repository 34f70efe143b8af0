#include "warnings_parts.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void warnings_add(struct warnings *w, const char *format, ...)
{
	if (w->count == WARNINGS_MAX) {
		snprintf(
		    w->text[WARNINGS_MAX - 1], WARNINGS_BYTES,
		    "There are more warnings than fit here: see the errors in trials.jsonl.");
		return;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(w->text[w->count++], WARNINGS_BYTES, format, args);
	va_end(args);
}

struct warnings_name warnings_group(const struct summary *s, unsigned group)
{
	struct warnings_name name;
	const struct cell *cell = &s->groups[group].cell;
	snprintf(name.text, sizeof name.text, "%s, %s",
	         coll_word(cell, s->groups[group].nranks).text, coll_pace_name(cell->pace));
	return name;
}

struct warnings_name warnings_row(const struct summary *s, const struct summary_row *row)
{
	struct warnings_name name;
	char size[32];
	coll_size_label(row->cell.asked_bytes, size, sizeof size);
	snprintf(name.text, sizeof name.text, "%s, %s %s, %s", s->variants[row->variant].name,
	         coll_word(&row->cell, row->nranks).text, size, coll_pace_name(row->cell.pace));
	return name;
}

static void warn_blocks(const struct summary *s, bool torn, struct warnings *w)
{
	long long asked = record_blocks_asked(s->run);
	const char *end = s->run->end.reason;
	bool enough = !strcmp(end, "precision") || !strcmp(end, "budget");
	if (torn)
		warnings_add(
		    w, "The last line of the record was cut off and is left out: the run was "
		       "stopped while it wrote. Measure again for the rest.");
	if (s->nblocks < asked && !enough)
		warnings_add(
		    w,
		    "%u of the %lld blocks asked for were measured: the run was stopped, or "
		    "trials failed. Run it again for all of them.",
		    s->nblocks, asked);
	if (!strcmp(end, "budget"))
		warnings_add(
		    w,
		    "The time budget ended the run before its precision was reached: %.400s "
		    "Give it more (budget = …), or add blocks with --resume.",
		    s->run->end.text);
	if (s->nblocks < STATS_MIN_BLOCKS)
		warnings_add(
		    w,
		    "%u block%s: below %d there are no intervals, and no gap can be told from "
		    "noise. Measure with BLOCKS=10 or more.",
		    s->nblocks, s->nblocks == 1 ? "" : "s", STATS_MIN_BLOCKS);
}

/* Sessions of one run by different builds. */
static void warn_builds(const struct summary *s, struct warnings *w)
{
	const char *first =
	    json_string_value(json_object_get(s->run->environment, "launchgap"));
	for (unsigned i = 0; i < s->run->nresumes; i++) {
		const struct record_resume *r = &s->run->resumes[i];
		if (!r->json || !strcmp(r->launchgap, first))
			continue;
		warnings_add(w,
		             "The run was not made by one build: launchgap %.40s began it, and "
		             "from block %u on it was %.40s. Ratios pair within blocks; values "
		             "mix the two. If one could differ from the other in what is "
		             "measured, measure again with one.",
		             first, r->first_block, r->launchgap);
		return;
	}
}

/* Variants that were left out for one reason, told at the first of them. */
static void warn_left_out(const struct summary *s, unsigned first, struct warnings *w)
{
	char names[800] = "";
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (strcmp(s->variants[v].skip, s->variants[first].skip))
			continue;
		if (v < first)
			return;
		status_list(names, sizeof names, s->variants[v].name);
	}
	warnings_add(w, "Left out: %s: %s", names, s->variants[first].skip);
}

static void warn_variants(const struct summary *s, struct warnings *w)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_variant *variant = &s->variants[v];
		if (*variant->skip)
			warn_left_out(s, v, w);
		else if (!variant->measured)
			warnings_add(
			    w,
			    "%s has no times at all: its trials failed or did not run. Their "
			    "errors, if any, follow.",
			    variant->name);
	}
	if (s->reference < 0 || !s->variants[s->reference].measured)
		warnings_add(
		    w, "The reference was not measured, so that there are no ratios. Name "
		       "another one (reference = …) or see why it failed.");
}

/* Each error once per variant, with how often it came. */
static void warn_cells(const struct summary *s, struct warnings *w)
{
	const struct record_run *run = s->run;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		unsigned same = 0;
		bool said = false;
		if (!c->error[0])
			continue;
		for (unsigned k = 0; k < run->ncells; k++)
			if (!strcmp(run->cells[k].error, c->error) &&
			    !strcmp(run->cells[k].variant, c->variant)) {
				said = said || k < i;
				same++;
			}
		if (!said)
			warnings_add(w, "%s, block %u: %u cell%s not measured: %s", c->variant,
			             c->block, same, same == 1 ? " was" : "s were", c->error);
	}
	for (unsigned i = 0; i < run->nfailures; i++)
		warnings_add(w, "%s, block %u: the trial failed: %s", run->failures[i].variant,
		             run->failures[i].block, run->failures[i].error);
}

/* The reference against itself has to give 1; where it does not, neither do the others count.
 */
static void warn_twin(const struct summary *s, struct warnings *w)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct stats_ratio *gap = &s->groups[g].gaps[v];
			if (s->variants[v].role != ROLE_AGAIN || isnan(gap->lo) ||
			    (gap->lo <= 1 && gap->hi >= 1))
				continue;
			warnings_add(
			    w,
			    "The reference differs from itself in %s: %.3f (%.3f to %.3f), "
			    "the A/A line. One run in twenty does by chance; otherwise "
			    "something "
			    "drifts. Trust no gap of that size here, and measure again with "
			    "more "
			    "blocks.",
			    warnings_group(s, g).text, gap->estimate, gap->lo, gap->hi);
		}
}

void warnings_collect(const struct summary *s, bool torn, struct warnings *out)
{
	out->count = 0;
	warnings_of_paths(s, out); /* first: whatever else there is, these are not cut off */
	warn_blocks(s, torn, out);
	warn_builds(s, out);
	warn_variants(s, out);
	warnings_of_machine(s, out);
	warnings_of_trials(s, out);
	warnings_of_rows(s, out);
	warn_twin(s, out);
	warn_cells(s, out);
}
