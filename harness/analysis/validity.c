#include "validity.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../config/claim.h"
#include "../trial/path.h"
#include "doubts.h"
#include "outliers.h"
#include "sessions.h"
#include "unfinished.h"
#include "words.h"

/* What a quiet machine shows too: drivers fault in a page now and then (2 in 100 calls seen),
 * and a kernel thread takes its turn (20 a second seen on an idle machine of 64 cores). Half of
 * a quantile's calls, or another program on the core, lie far above. */
#define QUIET_FAULTS_PER_CALL 0.05
#define QUIET_SWITCHES_PER_S  50.0
/* A load that leaves this share of the cores free, and one program at most, is no other load.
 */
#define QUIET_LOAD 0.1
/* A clock that runs at less than this share of what it may. */
#define SLOW_CLOCK 0.97

/* The first rows are slower by this at least, in trials that chance would give so seldom; a few
 * rows of many do so by chance. */
#define EARLY_LEAST 1.05
#define EARLY_P     0.02
#define EARLY_SHARE 0.04
/* An end seen late by more than this share of the time. */
#define COARSE 0.05

struct name {
	char text[256];
};

/* "threads, alltoall 4 KiB, stream". */
static struct name row_name(const struct summary *s, const struct summary_row *row)
{
	struct name name;
	snprintf(name.text, sizeof name.text, "%s, %s %s, %s", s->variants[row->variant].name,
	         coll_word(&row->cell, row->nranks).text,
	         words_size(row->cell.asked_bytes).text, coll_pace_name(row->cell.pace));
	return name;
}

static void name_dependents(const struct claim_list *asked, const char *variant, char *text,
                            size_t bytes)
{
	for (unsigned i = 0, n = 0; i < asked->nclaims; i++)
		if (!strcmp(asked->claims[i].left, variant) ||
		    !strcmp(asked->claims[i].right, variant))
			words_add(text, bytes, "%s%s", n++ ? ", " : ", claim ",
			          asked->claims[i].name);
	for (unsigned i = 0, n = 0; i < asked->nfactors; i++)
		if (!strcmp(asked->factors[i].from, variant) ||
		    !strcmp(asked->factors[i].to, variant))
			words_add(text, bytes, "%s%s", n++ ? ", " : ", factor ",
			          asked->factors[i].name);
	if (!strcmp(asked->gap.from, variant) || !strcmp(asked->gap.to, variant))
		words_add(text, bytes, ", the gap");
}

static void warn_path(const struct record_path *taken, const struct claim_list *asked,
                      struct warnings *w)
{
	struct path path;
	struct status why = {""};
	char text[256] = "one that cannot be read", rests[384] = "its times, ratios and advice";
	if (!path_from_json(taken->path, &path, &why)) {
		path_text(&path, text, sizeof text);
		path_free(&path);
	}
	name_dependents(asked, taken->variant, rests, sizeof rests);
	warnings_add(w,
	             "%s: expect = %.80s, but the path taken is %s. What rests on it is not "
	             "what the file meant: %s. Find out why (the evidence has the paths of all "
	             "variants), or correct expect.",
	             taken->variant, taken->expect, text, rests);
}

/* A variant that took another path than its experiment file says: its figures are of something
 * else than was meant, and so is all that rests on them. */
static void warn_paths(const struct summary *s, struct warnings *w)
{
	struct claim_list *asked = calloc(1, sizeof *asked);
	struct status ignored = {""}; /* damaged claims are refused elsewhere */
	if (!asked || claim_list_take(s->run->environment, asked, &ignored)) {
		free(asked);
		asked = NULL;
	}
	for (unsigned i = 0; asked && i < s->run->npaths; i++)
		if (!s->run->paths[i].as_expected)
			warn_path(&s->run->paths[i], asked, w);
	free(asked);
}

static void warn_blocks(const struct summary *s, bool torn, struct warnings *w)
{
	long long asked = record_blocks_asked(s->run);
	const char *end = s->run->end.reason;
	char command[640];
	bool enough =
	    !strcmp(end, "precision") || !strcmp(end, "budget") || !strcmp(end, "search");
	unfinished_command(s, command, sizeof command);
	if (torn)
		warnings_add(
		    w, "The last line of the record was cut off and is left out: the run was "
		       "stopped while it wrote.");
	if (s->nblocks < asked && !enough)
		warnings_add(
		    w,
		    "%u of the %lld blocks asked for were measured: the run was stopped, or "
		    "trials failed. %s",
		    s->nblocks, asked, command);
	if (!strcmp(end, "budget"))
		warnings_add(
		    w,
		    "The time budget ended the run before its precision was reached: %.400s "
		    "Give it more (budget = …), or add blocks (launchgap resume %s).",
		    s->run->end.text, s->run->folder);
	else if (s->nblocks < STATS_MIN_BLOCKS && s->nblocks >= asked)
		warnings_add(w,
		             "%u block%s: below %d there are no intervals, and no gap is "
		             "distinguishable from noise. %s",
		             s->nblocks, words_plural(s->nblocks), STATS_MIN_BLOCKS, command);
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
		             first, r->first_block + 1, r->launchgap);
		return;
	}
}

/* Whether two sessions' machines are surely not one, or not one start of it. */
static bool is_elsewhere(const json_t *a, const json_t *b)
{
	const char *here = json_string_value(json_object_get(a, "boot"));
	const char *there = json_string_value(json_object_get(b, "boot"));
	return here && there && *here && *there && strcmp(here, there);
}

/* Sessions of one run on several machines. */
static void warn_machines(const struct summary *s, struct warnings *w)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	for (unsigned i = 0; i < s->run->nresumes; i++) {
		const struct record_resume *r = &s->run->resumes[i];
		if (!is_elsewhere(machine, r->machine))
			continue;
		warnings_add(w,
		             "From block %u on the run was made on another machine, or on this "
		             "one after a restart. Ratios pair within blocks; values mix the "
		             "two. Measure again at one go if values matter.",
		             r->first_block + 1);
		return;
	}
}

/* A block whose trials are not close in time. */
static void warn_pauses(const struct summary *s, struct warnings *w)
{
	for (unsigned i = 0; i < s->run->nresumes; i++) {
		struct session_pause p;
		char after[128] = "at a time that is not recorded";
		if (!session_paused(s->run, i, &p) || !p.far)
			continue;
		const bool hours = p.pause_s >= 3600;
		if (!isnan(p.pause_s))
			snprintf(after, sizeof after, "%s%s later",
			         words_number(hours ? p.pause_s / 3600 : p.pause_s).text,
			         hours ? " h" : " s");
		warnings_add(
		    w,
		    "Block %u is not close in time: %u of its %u trials were measured "
		    "in one session, the others %s in another. What changed in between "
		    "is in its ratios. Measure again at one go where a verdict is "
		    "narrow.",
		    p.block + 1, p.begun, p.trials, after);
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

/* What is looked at in a row: 0 or NaN where there is nothing of it. */
typedef double row_fn(const struct summary *s, const struct summary_row *row);

/* The rows that have something of it, of those with a time, and the one with the most. */
struct affected {
	unsigned rows, of;
	double sum, most;
	const struct summary_row *worst;
};

static struct affected rows_with(const struct summary *s, row_fn *amount)
{
	struct affected a = {0};
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT)
			continue; /* a ceiling, and the driver's own work is part of it */
		double x = amount(s, row);
		a.of += row->ntrials > 0;
		if (!(x > 0))
			continue;
		a.rows++;
		a.sum += x;
		if (x > a.most) {
			a.most = x;
			a.worst = row;
		}
	}
	return a;
}

static double faults_of(const struct summary *s, const struct summary_row *row)
{
	double n = (double)row->faults;
	(void)s;
	return n >= 10 && n > QUIET_FAULTS_PER_CALL * (double)row->ncalls ? n : 0;
}

static double switches_of(const struct summary *s, const struct summary_row *row)
{
	double n = (double)row->switches;
	(void)s;
	return n >= 10 && n > QUIET_SWITCHES_PER_S * row->watched_s ? n : 0;
}

static const char faults_usual[] = "Give the machine more free memory, or ask for smaller "
                                   "sizes; if it stays, it is a bug of the "
                                   "backend.";

static void warn_disturbed(const struct summary *s, struct warnings *w)
{
	struct affected faults = rows_with(s, faults_of), switches = rows_with(s, switches_of);
	const char *advice =
	    faults.worst ? s->variants[faults.worst->variant].traits->faults_advice : NULL;
	if (faults.worst)
		warnings_add(
		    w,
		    "Page faults in timed calls: %.0f, in %u of %u rows, most in %s. Those "
		    "times hold the kernel's work too. %s",
		    faults.sum, faults.rows, s->nrows, row_name(s, faults.worst).text,
		    advice ? advice : faults_usual);
	if (switches.worst)
		warnings_add(
		    w,
		    "Involuntary context switches in timed calls: %.0f, in %u of %u rows, most "
		    "in %s. Something else had the core meanwhile. Stop what else runs, take "
		    "fewer ranks, or use bind = core.",
		    switches.sum, switches.rows, s->nrows, row_name(s, switches.worst).text);
}

/* Rows that were left out, over all passes: what a rank that did not run leaves of them is no
 * result (record/stall.h). */
static void warn_stalls(const struct summary *s, struct warnings *w)
{
	const struct record_cell *worst = NULL;
	unsigned rows = 0, cells = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!c->stall.rows)
			continue;
		rows += c->stall.rows;
		cells++;
		if (!worst || c->stall.off_ns > worst->stall.off_ns)
			worst = c;
	}
	if (worst)
		warnings_add(
		    w,
		    "Disturbed: %u timed call%s or stretch%s of %u cell%s left out of all "
		    "figures, for a rank did not run in them, most in %s, block %u: rank %u "
		    "was off its core for %.1f s in %s %s, %s. Something stopped it: a signal, "
		    "a debugger, a suspended machine, swapping. The record keeps them.",
		    rows, words_plural(rows), rows == 1 ? "" : "es", cells,
		    rows == 1 ? " is" : "s are", worst->variant, worst->block + 1,
		    worst->stall.rank, 1e-9 * (double)worst->stall.off_ns,
		    coll_word(&worst->cell, worst->nranks).text,
		    words_size(worst->cell.asked_bytes).text, coll_pace_name(worst->cell.pace));
}

static void warn_cores(const struct summary *s, struct warnings *w)
{
	if (s->uncompared[0] && !s->trouble[0])
		warnings_add(w,
		             "No speed is compared: %s. The run says which data was right, and "
		             "which way it took. Take a GPU for each rank for more.",
		             s->uncompared);
	if (s->oversubscribed)
		warnings_add(
		    w,
		    "There are more ranks than the %u core%s, so that waiting yields and the "
		    "scheduler decides: no claim on latency can rest on this run. Take at "
		    "most %u rank%s (RANKS=%u) for that.",
		    s->ncores, words_plural(s->ncores), s->ncores, words_plural(s->ncores),
		    s->ncores);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured && !s->variants[v].traits->launches &&
		    s->variants[v].placing == PLACED_ALONE) {
			warnings_add(
			    w,
			    "On the %s backend %s moves all ranks' data with one worker: it "
			    "has one core's bandwidth at every size. Do not read that gap as "
			    "launch cost; on GPUs the device moves the data.",
			    s->variants[v].backend, s->variants[v].name);
			break;
		}
}

static void warn_load(const struct summary *s, struct warnings *w)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	double load = json_number_value(json_object_get(machine, "load1"));
	if (s->ncores && load > 1 && load > QUIET_LOAD * s->ncores)
		warnings_add(
		    w,
		    "The machine was busy when the run began: a load of %.1f in the minute "
		    "before, on %u cores. Stop what else runs; if it was only the build, "
		    "measure again now.",
		    load, s->ncores);
}

/* The least of the numbers in a text such as "1980 1965", NaN when there is none. */
static double least_number(const json_t *facts, const char *key)
{
	const json_t *value = json_object_get(facts, key);
	const char *text = json_string_value(value);
	double least = json_is_number(value) ? json_number_value(value) : NAN;
	while (text && *text) {
		char *end;
		double x = strtod(text, &end);
		if (end == text)
			end++;
		else if (!(x >= least))
			least = x;
		text = end;
	}
	return least;
}

static bool says_throttled(const json_t *facts)
{
	const char *text = json_string_value(json_object_get(facts, "throttle"));
	return text && *text && strcmp(text, "none") && strcmp(text, "0");
}

/* Trials whose devices ran slower than they may, as far as the backend said. */
static void warn_clocks(const struct summary *s, struct warnings *w)
{
	const struct record_cell *worst = NULL;
	unsigned slow = 0, trials = 0;
	double lowest = INFINITY, most = NAN;
	const char *why = "";
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		const json_t *list = json_object_get(c->json, "facts"), *facts;
		bool held = false;
		size_t k;
		/* Facts are the trial's, the same in each of its cells. */
		if (i && s->run->cells[i - 1].order == c->order)
			continue;
		trials++;
		json_array_foreach(list, k, facts)
		{
			double now = least_number(facts, "clock_sm_mhz");
			double may = least_number(facts, "clock_sm_max_mhz");
			bool below = now < SLOW_CLOCK * may, said = says_throttled(facts);
			if (said && !*why)
				why = json_string_value(json_object_get(facts, "throttle"));
			held = held || below || said;
			if ((below || said) && (!worst || now < lowest)) {
				worst = c;
				lowest = now;
				most = may;
			}
		}
		slow += held;
	}
	if (!worst)
		return;
	char clocks[96] = "";
	if (lowest < most)
		snprintf(clocks, sizeof clocks, ", at the least %.0f of %.0f MHz", lowest,
		         most);
	warnings_add(
	    w,
	    "GPU clocks were held down in %u of %u trials, most in %s, block %u%s%s%.80s. "
	    "Those times are the power or heat limit's. Look at nvidia-smi -q -d PERFORMANCE, "
	    "cool or wait, or lock a clock that the GPU holds (nvidia-smi -lgc).",
	    slow, trials, worst->variant, worst->block + 1, clocks, *why ? "; it says: " : "",
	    why);
}

/* How much slower the first rows are, the median over trials; NaN unless it is systematic. */
static double early_of(const struct summary *s, const struct summary_row *row)
{
	double median = NAN, *x = malloc((row->ntrials ? row->ntrials : 1) * sizeof *x);
	unsigned n = 0, slower = 0;
	(void)s;
	for (unsigned i = 0; x && i < row->ntrials; i++)
		if (!isnan(row->trials[i].early)) {
			x[n++] = row->trials[i].early;
			slower += row->trials[i].early > 1;
		}
	if (n >= STATS_MIN_BLOCKS && stats_sign_probability(slower, n) < EARLY_P)
		median = stats_median(x, n);
	free(x);
	return median > EARLY_LEAST ? median : NAN;
}

static void warn_warmup(const struct summary *s, struct warnings *w)
{
	struct affected early = rows_with(s, early_of);
	if (!early.worst || early.rows <= 1 + EARLY_SHARE * early.of)
		return;
	warnings_add(
	    w,
	    "Warm-up was not finished: in %u of %u rows the first timed calls are slower than "
	    "the later ones in nearly every trial, most in %s, by %.0f %%. Medians hardly "
	    "change by it; p95 and p99 do. Set a longer warm-up (warmup = %lld here).",
	    early.rows, early.of, row_name(s, early.worst).text, 100 * (early.most - 1),
	    4 * (long long)json_integer_value(json_object_get(s->run->environment, "warmup")));
}

/* The share of a row's time by which its end may be seen late, where that is too much. */
static double coarse_share(const struct summary_row *row, double late_us)
{
	double share = late_us / (row->time_us * row->calls);
	return share > COARSE ? share : 0;
}

static double step_us(const struct summary_row *row)
{
	double step = 0;
	for (unsigned i = 0; i < row->ntrials; i++)
		step = fmax(step, row->trials[i].step_ns);
	return step / 1000;
}

static double step_share(const struct summary *s, const struct summary_row *row)
{
	(void)s;
	return coarse_share(row, step_us(row));
}

static double poll_share(const struct summary *s, const struct summary_row *row)
{
	/* There the worker's own copying is in the round, so that it bounds nothing. */
	bool bounds = s->variants[row->variant].traits->launches;
	return bounds ? coarse_share(row, row->resolution_us) : 0;
}

static void warn_resolution(const struct summary *s, struct warnings *w)
{
	struct affected step = rows_with(s, step_share), poll = rows_with(s, poll_share);
	if (step.worst)
		warnings_add(
		    w,
		    "The clock is coarse: it steps by %s µs, more than %.0f %% of the time in "
		    "%u of %u rows, most in %s, where a row takes %s µs. Use a finer clock "
		    "source (tsc), or more calls in a stretch.",
		    words_number(step_us(step.worst)).text, 100 * COARSE, step.rows, step.of,
		    row_name(s, step.worst).text,
		    words_number(step.worst->time_us * step.worst->calls).text);
	if (poll.worst)
		warnings_add(
		    w,
		    "Timer resolution: in %u of %u rows the end may be seen late by more than "
		    "%.0f %% of the time, most in %s, where a poll round takes %s of %s µs. "
		    "Do not trust smaller differences there. Streams of calls, which poll at "
		    "their end only, resolve them better.",
		    poll.rows, poll.of, 100 * COARSE, row_name(s, poll.worst).text,
		    words_number(poll.worst->resolution_us).text,
		    words_number(poll.worst->time_us * poll.worst->calls).text);
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
			             c->block + 1, same, same == 1 ? " was" : "s were",
			             c->error);
	}
	for (unsigned i = 0; i < run->nfailures; i++)
		warnings_add(w, "%s, block %u: the trial failed: %s", run->failures[i].variant,
		             run->failures[i].block + 1, run->failures[i].error);
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
			    coll_title(&s->groups[g].cell, s->groups[g].nranks).text,
			    gap->estimate, gap->lo, gap->hi);
		}
}

void validity_collect(const struct summary *s, bool torn, struct warnings *out)
{
	out->count = 0;
	doubts_collect(s, out);
	warn_paths(s, out); /* early: whatever else there is, these are not cut off */
	warn_blocks(s, torn, out);
	warn_builds(s, out);
	warn_machines(s, out);
	warn_pauses(s, out);
	warn_variants(s, out);
	warn_cores(s, out);
	warn_load(s, out);
	warn_stalls(s, out);
	warn_disturbed(s, out);
	warn_clocks(s, out);
	outliers_collect(s, out);
	warn_warmup(s, out);
	warn_resolution(s, out);
	warn_twin(s, out);
	warn_cells(s, out);
}
