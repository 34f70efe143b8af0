#include "warnings.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bysize.h"

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

/* What a quiet machine shows too: drivers fault in a page now and then (2 in 100 calls seen),
 * and a kernel thread takes its turn (20 a second seen on an idle machine of 64 cores). Half of
 * a quantile's calls, or another program on the core, lie far above. */
#define QUIET_FAULTS_PER_CALL 0.05
#define QUIET_SWITCHES_PER_S  50.0

/* The sum of one count over all rows, how many rows have it, and the row with the most. */
struct tallied {
	uint64_t sum, most;
	unsigned rows;
	const struct summary_row *worst;
};

static void tally(struct tallied *t, const struct summary_row *row, uint64_t count,
                  double quiet)
{
	if (count < 10 || (double)count <= quiet)
		return;
	t->sum += count;
	t->rows++;
	if (count > t->most) {
		t->most = count;
		t->worst = row;
	}
}

static void name_row(const struct summary *s, const struct summary_row *row, char *text,
                     size_t bytes)
{
	char size[32];
	bysize_label(row->cell.asked_bytes, size, sizeof size);
	snprintf(text, bytes, "%s, %s %s, %s", s->variants[row->variant].name,
	         coll_info(row->cell.coll)->name, size, coll_pace_name(row->cell.pace));
}

static void warn_disturbed(const struct summary *s, struct warnings *w)
{
	struct tallied faults = {0}, switches = {0};
	char where[256];
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT)
			continue; /* a ceiling, and the driver's own work is part of it */
		tally(&faults, row, row->faults, QUIET_FAULTS_PER_CALL * (double)row->ncalls);
		tally(&switches, row, row->switches, QUIET_SWITCHES_PER_S * row->watched_s);
	}
	if (faults.sum) {
		name_row(s, faults.worst, where, sizeof where);
		warnings_add(
		    w,
		    "Page faults in timed calls: %llu, in %u of %u rows, most in %s. Those "
		    "times hold the kernel's work too. Give the machine more free memory, or "
		    "ask for smaller sizes; if it stays, it is a bug of the backend.",
		    (unsigned long long)faults.sum, faults.rows, s->nrows, where);
	}
	if (switches.sum) {
		name_row(s, switches.worst, where, sizeof where);
		warnings_add(
		    w,
		    "Involuntary context switches in timed calls: %llu, in %u of %u rows, most "
		    "in %s. Something else had the core meanwhile. Stop what else runs, take "
		    "fewer ranks, or use bind = core.",
		    (unsigned long long)switches.sum, switches.rows, s->nrows, where);
	}
}

static void warn_machine(const struct summary *s, struct warnings *w)
{
	if (summary_crowded(s))
		warnings_add(
		    w,
		    "There are more ranks than the %u cores, so that waiting yields and the "
		    "scheduler decides: no claim on latency can rest on this run. Take at "
		    "most %u ranks (RANKS=%u) for that.",
		    s->ncores, s->ncores, s->ncores);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured && !strcmp(s->variants[v].backend, "host") &&
		    !strcmp(s->variants[v].mode, "single")) {
			warnings_add(
			    w,
			    "On the host backend %s moves all ranks' data with one worker: it "
			    "has one core's bandwidth at every size. Do not read that gap as "
			    "launch cost; on GPUs the device moves the data.",
			    s->variants[v].name);
			break;
		}
}

static void warn_blocks(const struct summary *s, bool torn, struct warnings *w)
{
	long long asked = json_integer_value(json_object_get(s->run->environment, "blocks"));
	if (torn)
		warnings_add(
		    w, "The last line of the record was cut off and is left out: the run was "
		       "stopped while it wrote. Measure again for the rest.");
	if (s->nblocks < asked)
		warnings_add(
		    w,
		    "%u of the %lld blocks asked for were measured: the run was stopped, or "
		    "trials failed. Run it again for all of them.",
		    s->nblocks, asked);
	if (s->nblocks < STATS_MIN_BLOCKS)
		warnings_add(
		    w,
		    "%u block%s: below %d there are no intervals, and no gap can be told from "
		    "noise. Measure with BLOCKS=10 or more.",
		    s->nblocks, s->nblocks == 1 ? "" : "s", STATS_MIN_BLOCKS);
}

static void warn_variants(const struct summary *s, struct warnings *w)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_variant *variant = &s->variants[v];
		if (*variant->skip)
			warnings_add(w, "%s was left out: %s", variant->name, variant->skip);
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
			    "The reference differs from itself in %s, %s: %.3f (%.3f to %.3f), "
			    "the A/A line. One run in twenty does by chance; otherwise "
			    "something "
			    "drifts. Trust no gap of that size here, and measure again with "
			    "more "
			    "blocks.",
			    coll_info(s->groups[g].cell.coll)->name,
			    coll_pace_name(s->groups[g].cell.pace), gap->estimate, gap->lo,
			    gap->hi);
		}
}

void warnings_collect(const struct summary *s, bool torn, struct warnings *out)
{
	out->count = 0;
	warn_blocks(s, torn, out);
	warn_variants(s, out);
	warn_machine(s, out);
	warn_disturbed(s, out);
	warn_twin(s, out);
	warn_cells(s, out);
}
