#include "validity.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../config/claim.h"
#include "../record/path.h"
#include "sessions.h"
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

/* Standard deviations, by 1.4826 × the median absolute deviation (right for normal noise), and
 * how much a trial has to be off to matter at all. */
#define FAR       5.0
#define FAR_LEAST 0.05
/* A whole block may be off by less, and a drift by half of what a verdict takes for nothing. */
#define BLOCK_LEAST 0.02
#define DRIFT_LEAST 0.01
#define DRIFT_P     0.01

#define NAMED 4 /* outliers that are named; the others are counted */

void validity_add(struct validity *w, const char *format, ...)
{
	if (w->count == VALIDITY_MAX) {
		snprintf(
		    w->text[VALIDITY_MAX - 1], VALIDITY_BYTES,
		    "There are more warnings than fit here: see the errors in trials.jsonl.");
		return;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(w->text[w->count++], VALIDITY_BYTES, format, args);
	va_end(args);
}

/* "alltoall, stream". */
struct name {
	char text[256];
};
static struct name group_name(const struct summary *s, unsigned group)
{
	struct name name;
	const struct cell *cell = &s->groups[group].cell;
	snprintf(name.text, sizeof name.text, "%s, %s",
	         coll_word(cell, s->groups[group].nranks).text, coll_pace_name(cell->pace));
	return name;
}

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
                      struct validity *w)
{
	struct path path;
	struct status why = {""};
	char text[256] = "one that cannot be read", rests[384] = "its times, ratios and advice";
	if (!path_from_json(taken->path, &path, &why)) {
		path_text(&path, text, sizeof text);
		path_free(&path);
	}
	name_dependents(asked, taken->variant, rests, sizeof rests);
	validity_add(w,
	             "%s: expect = %.80s, but the path taken is %s. What rests on it is not "
	             "what the file meant: %s. Find out why (the evidence has the paths of all "
	             "variants), or correct expect.",
	             taken->variant, taken->expect, text, rests);
}

/* A variant that took another path than its experiment file says: its figures are of something
 * else than was meant, and so is all that rests on them. */
static void warn_paths(const struct summary *s, struct validity *w)
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

static void warn_blocks(const struct summary *s, bool torn, struct validity *w)
{
	long long asked = record_blocks_asked(s->run);
	const char *end = s->run->end.reason;
	bool enough =
	    !strcmp(end, "precision") || !strcmp(end, "budget") || !strcmp(end, "search");
	if (torn)
		validity_add(
		    w, "The last line of the record was cut off and is left out: the run was "
		       "stopped while it wrote. Measure again for the rest.");
	if (s->nblocks < asked && !enough)
		validity_add(
		    w,
		    "%u of the %lld blocks asked for were measured: the run was stopped, or "
		    "trials failed. Run it again for all of them.",
		    s->nblocks, asked);
	if (!strcmp(end, "budget"))
		validity_add(
		    w,
		    "The time budget ended the run before its precision was reached: %.400s "
		    "Give it more (budget = …), or add blocks (launchgap resume DIR).",
		    s->run->end.text);
	if (s->nblocks < STATS_MIN_BLOCKS)
		validity_add(
		    w,
		    "%u block%s: below %d there are no intervals, and no gap can be told from "
		    "noise. Measure with BLOCKS=10 or more.",
		    s->nblocks, s->nblocks == 1 ? "" : "s", STATS_MIN_BLOCKS);
}

/* Sessions of one run by different builds. */
static void warn_builds(const struct summary *s, struct validity *w)
{
	const char *first =
	    json_string_value(json_object_get(s->run->environment, "launchgap"));
	for (unsigned i = 0; i < s->run->nresumes; i++) {
		const struct record_resume *r = &s->run->resumes[i];
		if (!r->json || !strcmp(r->launchgap, first))
			continue;
		validity_add(w,
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
static void warn_machines(const struct summary *s, struct validity *w)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	for (unsigned i = 0; i < s->run->nresumes; i++) {
		const struct record_resume *r = &s->run->resumes[i];
		if (!is_elsewhere(machine, r->machine))
			continue;
		validity_add(w,
		             "From block %u on the run was made on another machine, or on this "
		             "one after a restart. Ratios pair within blocks; values mix the "
		             "two. Measure again at one go if values matter.",
		             r->first_block + 1);
		return;
	}
}

/* A block whose trials are not close in time. */
static void warn_pauses(const struct summary *s, struct validity *w)
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
		validity_add(w,
		             "Block %u is not close in time: %u of its %u trials were measured "
		             "in one session, the others %s in another. What changed in between "
		             "is in its ratios. Measure again at one go where a verdict is "
		             "narrow.",
		             p.block + 1, p.begun, p.trials, after);
	}
}

/* Variants that were left out for one reason, told at the first of them. */
static void warn_left_out(const struct summary *s, unsigned first, struct validity *w)
{
	char names[800] = "";
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (strcmp(s->variants[v].skip, s->variants[first].skip))
			continue;
		if (v < first)
			return;
		status_list(names, sizeof names, s->variants[v].name);
	}
	validity_add(w, "Left out: %s: %s", names, s->variants[first].skip);
}

static void warn_variants(const struct summary *s, struct validity *w)
{
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct summary_variant *variant = &s->variants[v];
		if (*variant->skip)
			warn_left_out(s, v, w);
		else if (!variant->measured)
			validity_add(
			    w,
			    "%s has no times at all: its trials failed or did not run. Their "
			    "errors, if any, follow.",
			    variant->name);
	}
	if (s->reference < 0 || !s->variants[s->reference].measured)
		validity_add(
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

static void warn_disturbed(const struct summary *s, struct validity *w)
{
	struct affected faults = rows_with(s, faults_of), switches = rows_with(s, switches_of);
	const char *advice =
	    faults.worst ? s->variants[faults.worst->variant].traits->faults_advice : NULL;
	if (faults.worst)
		validity_add(
		    w,
		    "Page faults in timed calls: %.0f, in %u of %u rows, most in %s. Those "
		    "times hold the kernel's work too. %s",
		    faults.sum, faults.rows, s->nrows, row_name(s, faults.worst).text,
		    advice ? advice : faults_usual);
	if (switches.worst)
		validity_add(
		    w,
		    "Involuntary context switches in timed calls: %.0f, in %u of %u rows, most "
		    "in %s. Something else had the core meanwhile. Stop what else runs, take "
		    "fewer ranks, or use bind = core.",
		    switches.sum, switches.rows, s->nrows, row_name(s, switches.worst).text);
}

/* Rows that were left out, over all passes: what a rank that did not run leaves of them is no
 * result (record/stall.h). */
static void warn_stalls(const struct summary *s, struct validity *w)
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
		validity_add(
		    w,
		    "Disturbed: %u timed call%s or stretch%s of %u cell%s left out of all "
		    "figures, for a rank did not run in them, most in %s, block %u: rank %u "
		    "was off its core for %.1f s in %s %s, %s. Something stopped it: a signal, "
		    "a debugger, a suspended machine, swapping. The record keeps them.",
		    rows, rows == 1 ? "" : "s", rows == 1 ? "" : "es", cells,
		    rows == 1 ? " is" : "s are", worst->variant, worst->block + 1,
		    worst->stall.rank, 1e-9 * (double)worst->stall.off_ns,
		    coll_word(&worst->cell, worst->nranks).text,
		    words_size(worst->cell.asked_bytes).text, coll_pace_name(worst->cell.pace));
}

static void warn_cores(const struct summary *s, struct validity *w)
{
	if (s->uncompared[0] && !s->trouble[0])
		validity_add(w,
		             "No speed is compared: %s. The run says which data was right, and "
		             "which way it took. Take a GPU for each rank for more.",
		             s->uncompared);
	if (s->oversubscribed)
		validity_add(
		    w,
		    "There are more ranks than the %u core%s, so that waiting yields and the "
		    "scheduler decides: no claim on latency can rest on this run. Take at "
		    "most %u rank%s (RANKS=%u) for that.",
		    s->ncores, words_plural(s->ncores), s->ncores, words_plural(s->ncores),
		    s->ncores);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured && !s->variants[v].traits->launches &&
		    !strcmp(s->variants[v].mode, "single")) {
			validity_add(
			    w,
			    "On the %s backend %s moves all ranks' data with one worker: it "
			    "has one core's bandwidth at every size. Do not read that gap as "
			    "launch cost; on GPUs the device moves the data.",
			    s->variants[v].backend, s->variants[v].name);
			break;
		}
}

static void warn_load(const struct summary *s, struct validity *w)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	double load = json_number_value(json_object_get(machine, "load1"));
	if (s->ncores && load > 1 && load > QUIET_LOAD * s->ncores)
		validity_add(
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
static void warn_clocks(const struct summary *s, struct validity *w)
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
	validity_add(
	    w,
	    "GPU clocks were held down in %u of %u trials, most in %s, block %u%s%s%.80s. "
	    "Those times are the power or heat limit's. Look at nvidia-smi -q -d PERFORMANCE, "
	    "cool or wait, or lock a clock that the GPU holds (nvidia-smi -lgc).",
	    slow, trials, worst->variant, worst->block + 1, clocks, *why ? "; it says: " : "",
	    why);
}

/* How one trial stands against the others of its variant. */
struct trial_number {
	unsigned variant, block, order;
	/* The mean over the group's sizes of log(time ÷ the variant's median time): 0.02 is
	 * 2 % slower than its variant's usual. */
	double log_time;
};

static int by_order(const void *left, const void *right)
{
	const struct trial_number *a = left, *b = right;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

/* What is looked at in one group: its trials, limits left out, in the order in which they ran;
 * x has room for a number of each. */
struct look {
	const struct summary *s;
	unsigned group, n;
	struct trial_number *list;
	double *x;
	struct validity *w;
};

static void numbers_take(struct look *l)
{
	const struct summary *s = l->s;
	for (unsigned i = 0; i < s->nvariants * s->index.nblocks; i++) {
		struct trial_number one = {.variant = i / s->index.nblocks};
		unsigned sizes = 0, first = index_place(s, l->group, 0);
		if (s->variants[one.variant].role == ROLE_LIMIT)
			continue;
		for (unsigned at = first; at < first + s->groups[l->group].nsizes; at++) {
			const struct summary_trial *t =
			    index_timed(s, one.variant, at, i % s->index.nblocks);
			if (!t)
				continue;
			one.block = t->block;
			one.order = t->order;
			one.log_time +=
			    log(t->time_ns / 1000 / index_row(s, one.variant, at)->time_us);
			sizes++;
		}
		one.log_time /= sizes;
		if (sizes)
			l->list[l->n++] = one;
	}
	qsort(l->list, l->n, sizeof *l->list, by_order);
}

static double percent(double log_time)
{
	return 100 * expm1(log_time);
}

static const char *compared(double log_time)
{
	return log_time > 0 ? "slower" : "faster";
}

/* Median and spread of n values; x is left as it is. */
static void spread(const double *x, unsigned n, double *median, double *deviation)
{
	double *off = malloc((n ? n : 1) * sizeof *off);
	*median = stats_median(x, n);
	*deviation = NAN;
	for (unsigned i = 0; off && i < n; i++)
		off[i] = fabs(x[i] - *median);
	if (off)
		*deviation = 1.4826 * stats_median(off, n);
	free(off);
}

/* Puts the numbers of one variant in order into x (UINT_MAX: of all). */
static unsigned of_variant(const struct look *l, unsigned variant)
{
	unsigned k = 0;
	for (unsigned i = 0; i < l->n; i++)
		if (variant == UINT_MAX || l->list[i].variant == variant)
			l->x[k++] = l->list[i].log_time;
	return k;
}

struct found {
	const struct trial_number *number;
	double off;
};

static int by_distance(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	return fabs(a->off) > fabs(b->off) ? -1 : fabs(a->off) < fabs(b->off);
}

static void name_trial(const struct summary *s, const struct found *f, unsigned first_order,
                       char *text, size_t bytes)
{
	words_add(text, bytes, "%s%s in block %u (trial %u%s), %.0f %% %s", *text ? "; " : "",
	          s->variants[f->number->variant].name, f->number->block + 1,
	          f->number->order + 1,
	          f->number->order == first_order ? ", the run's first" : "",
	          fabs(percent(f->off)), compared(f->off));
}

/* Trials far from their variant's others. `skip`: a block that was named already, or UINT_MAX.
 */
static void warn_outliers(const struct look *l, unsigned skip)
{
	const struct summary *s = l->s;
	struct found *found = calloc(l->n, sizeof *found);
	unsigned count = 0;
	char names[512] = "";
	for (unsigned v = 0; found && v < s->nvariants; v++) {
		double median, deviation;
		unsigned k = of_variant(l, v);
		if (k < STATS_MIN_BLOCKS)
			continue;
		spread(l->x, k, &median, &deviation);
		for (unsigned i = 0; i < l->n; i++) {
			double off = l->list[i].log_time - median;
			if (l->list[i].variant == v && l->list[i].block != skip &&
			    fabs(off) > FAR * deviation && fabs(percent(off)) > 100 * FAR_LEAST)
				found[count++] = (struct found){&l->list[i], off};
		}
	}
	if (count)
		qsort(found, count, sizeof *found, by_distance);
	for (unsigned i = 0; i < count && i < NAMED; i++)
		name_trial(s, &found[i], l->list[0].order, names, sizeof names);
	if (count > NAMED)
		words_add(names, sizeof names, "; and %u more", count - NAMED);
	if (count)
		validity_add(
		    l->w,
		    "Trials far from their variant's others in %s: %s. A few of them move "
		    "neither medians nor signed-rank intervals much. If they are many, "
		    "something else ran: look for scheduled jobs and other users (cron, "
		    "backups), and add blocks (launchgap resume DIR).",
		    group_name(s, l->group).text, names);
	free(found);
}

/* The mean over a block's trials; NaN unless the block's first trial is the i-th. */
static double block_mean(const struct look *l, unsigned i)
{
	double sum = 0;
	unsigned k = 0;
	for (unsigned j = 0; j < l->n; j++) {
		if (l->list[j].block != l->list[i].block)
			continue;
		if (j < i)
			return NAN;
		sum += l->list[j].log_time;
		k++;
	}
	return sum / k;
}

/* The first block against the others. The block's number when it is off, else UINT_MAX. */
static unsigned warn_first(const struct look *l)
{
	unsigned blocks = 0;
	double rest, deviation;
	for (unsigned i = 1; i < l->n; i++) {
		double mean = block_mean(l, i);
		if (!isnan(mean))
			l->x[blocks++] = mean;
	}
	if (blocks + 1 < STATS_MIN_BLOCKS)
		return UINT_MAX;
	spread(l->x, blocks, &rest, &deviation);
	double off = block_mean(l, 0) - rest;
	if (!(off > FAR * deviation && percent(off) > 100 * BLOCK_LEAST))
		return UINT_MAX;
	validity_add(
	    l->w,
	    "The first block was slow in %s: %.0f %% slower than the others, over all "
	    "variants. Files, clocks and drivers were cold. Ratios pair within the block and "
	    "hardly suffer; for the values let the machine warm up (a short run before this "
	    "one), and take more blocks.",
	    group_name(l->s, l->group).text, percent(off));
	return l->list[0].block;
}

/* The trend of n values over the run; false when there is none to speak of. */
static bool drifts(const double *x, unsigned n, double p, double least, double *total)
{
	if (n < STATS_MIN_BLOCKS || !(stats_trend_probability(x, n) < p))
		return false;
	*total = stats_trend_slope(x, n) * (n - 1);
	return fabs(percent(*total)) > 100 * least;
}

static void warn_drift(const struct look *l)
{
	const struct summary *s = l->s;
	const struct name where = group_name(s, l->group);
	unsigned k = of_variant(l, UINT_MAX);
	double total;
	if (drifts(l->x, k, DRIFT_P / s->ngroups, DRIFT_LEAST, &total)) {
		validity_add(
		    l->w,
		    "Times drift in %s: over the %u trials of the run all variants became "
		    "%.1f %% %s. Clocks, heat, or another load that grows. Ratios pair within "
		    "blocks and hardly suffer, the values do: lock the clocks (nvidia-smi -lgc "
		    "on GPUs, the performance governor on CPUs), or warm up longer before.",
		    where.text, k, fabs(percent(total)), compared(total));
		return;
	}
	for (unsigned v = 0; v < s->nvariants; v++) {
		k = of_variant(l, v);
		if (drifts(l->x, k, DRIFT_P / (s->ngroups * s->nvariants), 2 * DRIFT_LEAST,
		           &total))
			validity_add(
			    l->w,
			    "%s alone drifts in %s: it became %.1f %% %s over its %u trials, "
			    "and its ratio with it. Something that only this variant uses "
			    "changes meanwhile; run it again, and trust the ratio if it comes "
			    "out the same.",
			    s->variants[v].name, where.text, fabs(percent(total)),
			    compared(total), k);
	}
}

static void warn_trials(const struct summary *s, struct validity *w)
{
	size_t most = (size_t)s->nvariants * s->index.nblocks + 1;
	struct look l = {.s = s, .w = w};
	l.list = malloc(most * sizeof *l.list);
	l.x = malloc(most * sizeof *l.x);
	for (l.group = 0; l.list && l.x && l.group < s->ngroups; l.group++) {
		l.n = 0;
		if (!s->groups[l.group].limit)
			numbers_take(&l);
		if (!l.n)
			continue;
		warn_outliers(&l, warn_first(&l));
		warn_drift(&l);
	}
	free(l.x);
	free(l.list);
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

static void warn_warmup(const struct summary *s, struct validity *w)
{
	struct affected early = rows_with(s, early_of);
	if (!early.worst || early.rows <= 1 + EARLY_SHARE * early.of)
		return;
	validity_add(
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

static void warn_resolution(const struct summary *s, struct validity *w)
{
	struct affected step = rows_with(s, step_share), poll = rows_with(s, poll_share);
	if (step.worst)
		validity_add(
		    w,
		    "The clock is coarse: it steps by %s µs, more than %.0f %% of the time in "
		    "%u of %u rows, most in %s, where a row takes %s µs. Use a finer clock "
		    "source (tsc), or more calls in a stretch.",
		    words_number(step_us(step.worst)).text, 100 * COARSE, step.rows, step.of,
		    row_name(s, step.worst).text,
		    words_number(step.worst->time_us * step.worst->calls).text);
	if (poll.worst)
		validity_add(
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
static void warn_cells(const struct summary *s, struct validity *w)
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
			validity_add(w, "%s, block %u: %u cell%s not measured: %s", c->variant,
			             c->block + 1, same, same == 1 ? " was" : "s were",
			             c->error);
	}
	for (unsigned i = 0; i < run->nfailures; i++)
		validity_add(w, "%s, block %u: the trial failed: %s", run->failures[i].variant,
		             run->failures[i].block + 1, run->failures[i].error);
}

/* The reference against itself has to give 1; where it does not, neither do the others count.
 */
static void warn_twin(const struct summary *s, struct validity *w)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct stats_ratio *gap = &s->groups[g].gaps[v];
			if (s->variants[v].role != ROLE_AGAIN || isnan(gap->lo) ||
			    (gap->lo <= 1 && gap->hi >= 1))
				continue;
			validity_add(
			    w,
			    "The reference differs from itself in %s: %.3f (%.3f to %.3f), "
			    "the A/A line. One run in twenty does by chance; otherwise "
			    "something "
			    "drifts. Trust no gap of that size here, and measure again with "
			    "more "
			    "blocks.",
			    group_name(s, g).text, gap->estimate, gap->lo, gap->hi);
		}
}

void validity_collect(const struct summary *s, bool torn, struct validity *out)
{
	out->count = 0;
	warn_paths(s, out); /* first: whatever else there is, these are not cut off */
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
	warn_trials(s, out);
	warn_warmup(s, out);
	warn_resolution(s, out);
	warn_twin(s, out);
	warn_cells(s, out);
}

void validity_promote(struct validity *w, unsigned first)
{
	char text[VALIDITY_BYTES];
	for (unsigned i = first, to = 0; i < w->count; i++, to++) {
		memcpy(text, w->text[i], sizeof text);
		memmove(w->text[to + 1], w->text[to], (i - to) * sizeof w->text[0]);
		memcpy(w->text[to], text, sizeof text);
	}
}
