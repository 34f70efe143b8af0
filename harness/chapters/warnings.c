#include "warnings.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/hosts.h"
#include "../analysis/sessions.h"
#include "../story/format.h"
#include "../config/claim.h"
#include "../trial/path.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

/* A quiet machine shows these too: drivers fault in a page now and then (2 in 100 calls seen), and
 * a kernel thread takes its turn (20 a second seen on an idle machine of 64 cores). Half of a
 * quantile's calls, or another program on the core, are far above. */
#define QUIET_FAULTS_PER_CALL 0.05
#define QUIET_SWITCHES_PER_S  50.0
/* A load that leaves this share of the cores free, with one program at most, does not count as
 * another load. */
#define QUIET_LOAD 0.1
/* A clock that runs below this share of its maximum. */
#define SLOW_CLOCK 0.97

/* The first rows are slower by at least this, in trials that chance would give so rarely; a few
 * rows of many are slower by chance. */
#define EARLY_LEAST 1.05
#define EARLY_P     0.02
#define EARLY_SHARE 0.04
/* An end seen late by more than this share of the time. */
#define COARSE 0.05

#define MOST_ERRORS 40 /* that are reported; the record has all */

// clang-format off
static const struct column columns[] = {
    COLUMN_AS(struct warning, name, "kind", "kind", "", TEXT, 0),
    COLUMN(struct warning, variant, "variant", "", TEXT),
    COLUMN(struct warning, where, "where", "", TEXT),
    COLUMN(struct warning, block, "block, from 1", "", COUNT),
    COLUMN(struct warning, rank, "rank", "", COUNT),
    COLUMN(struct warning, line, "line of the record", "", COUNT),
    COLUMN(struct warning, n, "affected", "", COUNT),
    COLUMN(struct warning, of, "of", "", COUNT),
    COLUMN(struct warning, events, "events", "", COUNT),
    COLUMN(struct warning, value, "value", "", NUMBER),
    COLUMN(struct warning, bound, "of a value", "", NUMBER),
    COLUMN(struct warning, share, "share", "", SHARE),
    COLUMN(struct warning, ratio, "ratio", "", RATIO),
    COLUMN(struct warning, asked, "asked", "", TEXT),
    COLUMN(struct warning, found, "found", "", TEXT),
    COLUMN(struct warning, text, "why, or what to do", "", TEXT),
};
static const struct story_form form =
    STORY_FORM(struct warning, columns, .name = "warnings", .title = "Warnings", .when = STORY_NO_WHEN, .hidden = true);

#define NO_SUM ": a changed figure would not be noticed. Older launchgaps wrote none; otherwise compare the record with its original."
static const struct {
	const char *name, *says;
} kinds[WARN_KINDS] = {
    [WARN_ZEROS] = {"no_length", "Calls of 0 ns are in {n} of {of} timed cells, first in {variant}, block {block} (line {line} of the record). No call takes no time: the clock is too coarse, or the record was changed. Do not use these figures."},
    [WARN_BEYOND] = {"beyond_limit", "Far beyond the limit: {n} row{n:s} {n:has} more than {of} times the bandwidth of plain copies in this run, most {variant} in {where}, {value} times. Times, calls or limit are wrong. Do not use these figures."},
    [WARN_NO_SUM] = {"no_checksum", "No line of the record has a checksum" NO_SUM},
    [WARN_FEW_SUMS] = {"few_checksums", "{n} of {of} lines of the record have no checksum" NO_SUM},
    [WARN_PATH] = {"path", "{variant}: expect = {asked}, but the path taken is {found}. What rests on it is not what the file meant: {text}. Find out why (the evidence has the paths of all variants), or correct expect."},
    [WARN_INHERITED] = {"inherited", "NCCL read what {variant} does not ask for: {found}. A shell, /etc/nccl.conf or ~/.nccl.conf brought it along. Unset it, or say it as env.NAME."},
    [WARN_TORN] = {"torn", "The last line of the record was cut off and is left out: the run was stopped while it wrote."},
    [WARN_FEW_BLOCKS] = {"few_blocks", "{n} of the {of} blocks asked for were measured: the run was stopped, or trials failed. {text}"},
    [WARN_BUDGET] = {"budget", "The time budget ended the run before its precision was reached: {found} Give it more (budget = …), or add blocks (launchgap resume {text})."},
    [WARN_NO_INTERVAL] = {"no_interval", "{n} block{n:s}: below {of} there are no intervals, and no gap is distinguishable from noise. {text}"},
    [WARN_BUILDS] = {"builds", "The run was not made by one build: launchgap {asked} began it, and from block {block} on it was {found}. Ratios pair within blocks; values mix the two. If one could differ from the other in what is measured, measure again with one."},
    [WARN_MACHINES] = {"machines", "From block {block} on the run was made on another machine, or on this one after a restart. Ratios pair within blocks; values mix the two. Measure again at one go if values matter."},
    [WARN_PAUSE] = {"pause", "Block {block} is not close in time: {n} of its {of} trials were measured in one session, the others {text} in another. What changed in between is in its ratios. Measure again at one go where a verdict is narrow."},
    [WARN_LEFT_OUT] = {"left_out", "Left out: {found}: {text}"},
    [WARN_ABSENT] = {"absent", "{variant} has no times at all: its trials failed or did not run. Their errors, if any, follow."},
    [WARN_NO_REFERENCE] = {"no_reference", "The reference was not measured, so that there are no ratios. Name another one (reference = …) or see why it failed."},
    [WARN_UNCOMPARED] = {"uncompared", "No speed is compared: {text}. The run says which data was right, and which way it took. Take a GPU for each rank for more."},
    [WARN_OVERSUBSCRIBED] = {"oversubscribed", "There are more ranks than the {n} core{n:s}, so that waiting yields and the scheduler decides: no claim on latency can rest on this run. Take at most {n} rank{n:s} (RANKS={n}) for that."},
    [WARN_ONE_WORKER] = {"one_worker", "On the {asked} backend {variant} moves all ranks' data with one worker: it has one core's bandwidth at every size. Do not read that gap as launch cost; on GPUs the device moves the data."},
    [WARN_LOAD] = {"load", "The machine was busy when the run began: a load of {value} in the minute before, on {n} core{n:s}. Stop what else runs. A build or a run that had ended by then disturbs nothing."},
    [WARN_STALLS] = {"stalls", "Disturbed: {events} timed call{events:s} or stretch{events:es} of {n} cell{n:s} {n:is} left out of all figures, for a rank did not run in them, most in {variant}, block {block}: rank {rank} was off its core for {value} s in {where}. Something stopped it: a signal, a debugger, a suspended machine, swapping. The record keeps them."},
    [WARN_FAULTS] = {"page_faults", "Page faults in timed calls: {events}, in {n} of {of} rows, most in {where}. Those times hold the kernel's work too. {text}"},
    [WARN_SWITCHES] = {"switches", "Involuntary context switches in timed calls: {events}, in {n} of {of} rows, most in {where}. Something else had the core meanwhile. Stop what else runs, take fewer ranks, or use bind = core."},
    [WARN_CLOCKS] = {"clocks", "GPU clocks were held down in {n} of {of} trials, most in {where}. Those times are the power or heat limit's. Look at nvidia-smi -q -d PERFORMANCE, cool or wait, or lock a clock that the GPU holds (nvidia-smi -lgc)."},
    [WARN_FIRST_BLOCK] = {"first_block", "The first block was slow in {where}: {share} slower than the others, over all variants. Files, clocks and drivers were cold. Ratios pair within the block and hardly suffer; for the values let the machine warm up (a short run before this one), and take more blocks."},
    [WARN_OUTLIERS] = {"outliers", "Trials far from their variant's others in {where}: {found}"},
    [WARN_DRIFT] = {"drift", "Times drift in {where}: over the {n} trials of the run all variants became {share:percent} {found}"},
    [WARN_ONE_DRIFTS] = {"one_drifts", "{variant} alone drifts in {where}: it became {share:percent} {found} over its {n} trials, and its ratio with it. Something that only this variant uses changes meanwhile; run it again, and trust the ratio if it comes out the same."},
    [WARN_WARMUP] = {"warmup", "Warm-up was not finished: in {n} of {of} rows the first timed calls are slower than the later ones in nearly every trial, most in {where}, by {share}. Medians hardly change by it; p95 and p99 do. Set a longer warm-up (warmup = {events} here)."},
    [WARN_CLOCK_STEP] = {"clock_step", "The clock is coarse: it steps by {value} µs, more than {share} of the time in {n} of {of} rows, most in {where}, where a row takes {bound} µs. Use a finer clock source (tsc), or more calls in a stretch."},
    [WARN_RESOLUTION] = {"resolution", "Timer resolution: in {n} of {of} rows the end may be seen late by more than {share} of the time, most in {where}, where a poll round takes {value} of {bound} µs. Do not trust smaller differences there. Streams of calls, which poll at their end only, resolve them better."},
    [WARN_RELEASE] = {"release", "Several hosts: in {n} of {of} rows hosts begin a call apart by up to more than {share} of the time, most in {where}, by {value} of {bound} µs. Do not trust smaller differences there. Streams of calls, which meet at their begin only, resolve them better; so does a quieter network, or a quieter machine."},
    [WARN_TWIN] = {"twin", "The reference differs from itself in {where}: {ratio:full}, the A/A line. One run in twenty does by chance; otherwise something drifts. Trust no gap of that size here, and measure again with more blocks."},
    [WARN_CELLS] = {"cells", "{variant}, block {block}: {n} cell{n:s} {n:was} not measured: {text}"},
    [WARN_TRIAL] = {"trial", "{variant}, block {block}: the trial failed: {text}"},
    [WARN_MORE] = {"more", "There are {n} more errors: see trials.jsonl."},
};
// clang-format on

struct warning *warnings_add(struct warnings *w, enum warning_kind kind)
{
	w->rows = arena_more(w->arena, w->rows, w->n, sizeof *w->rows);
	struct warning *row = &w->rows[w->n++];
	story_clear(&form, row);
	row->kind = kind;
	row->name = kinds[kind].name;
	return row;
}

static const char *cell_name(struct warnings *w, const struct cell *cell, unsigned nranks)
{
	return arena_text(w->arena, "%s %s, %s", coll_word(cell, nranks).text,
	                  format_size(cell->asked_bytes).text, coll_pace_name(cell->pace));
}

/* "threads, alltoall 4 KiB, stream". */
static const char *row_name(struct warnings *w, const struct summary_row *row)
{
	return arena_text(w->arena, "%s, %s", w->s->variants[row->variant].name,
	                  cell_name(w, &row->cell, row->nranks));
}

/* --- what was asked for, and what was not measured --- */

static void name_dependents(const struct claim_list *asked, const char *variant, char *text,
                            size_t bytes)
{
	for (unsigned i = 0, n = 0; i < asked->nclaims; i++)
		if (!strcmp(asked->claims[i].left, variant) ||
		    !strcmp(asked->claims[i].right, variant))
			status_add(text, bytes, "%s%s", n++ ? ", " : ", claim ",
			           asked->claims[i].name);
	for (unsigned i = 0, n = 0; i < asked->nfactors; i++)
		if (!strcmp(asked->factors[i].from, variant) ||
		    !strcmp(asked->factors[i].to, variant))
			status_add(text, bytes, "%s%s", n++ ? ", " : ", factor ",
			           asked->factors[i].name);
	if (!strcmp(asked->gap.from, variant) || !strcmp(asked->gap.to, variant))
		status_add(text, bytes, ", the gap");
}

/* A variant that took another path than its experiment file says: its figures, and results that use
 * them, do not test what was intended. */
static void warn_paths(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	struct claim_list *asked = ARENA_NEW(w->arena, struct claim_list);
	struct warning *inherited = NULL;
	struct status ignored = {""}; /* damaged claims are refused elsewhere */
	if (claim_list_take(run->environment, asked, &ignored))
		return;
	for (unsigned i = 0; i < run->npaths; i++) {
		const struct record_path *taken = &run->paths[i];
		struct path path;
		char text[256] = "one that cannot be read",
		     rests[384] = "its times, ratios and advice";
		const char *found = json_string_value(json_object_get(taken->path, "inherited"));
		if (found && *found && !inherited) { /* what is of the machine is of all */
			inherited = warnings_add(w, WARN_INHERITED);
			inherited->variant = taken->variant;
			inherited->found = arena_text(w->arena, "%.255s", found);
		}
		if (taken->as_expected)
			continue;
		if (!path_from_json(taken->path, &path, &ignored)) {
			path_text(&path, text, sizeof text);
			path_free(&path);
		}
		name_dependents(asked, taken->variant, rests, sizeof rests);
		struct warning *row = warnings_add(w, WARN_PATH);
		row->variant = taken->variant;
		row->asked = arena_text(w->arena, "%.80s", taken->expect);
		row->found = arena_copy(w->arena, text);
		row->text = arena_copy(w->arena, rests);
	}
}

static void warn_blocks(struct warnings *w)
{
	const struct summary *s = w->s;
	const long long asked = record_blocks_asked(s->run);
	const char *end = s->run->end.reason;
	const bool budget = !strcmp(end, "budget"),
	           enough = !strcmp(end, "precision") || budget || !strcmp(end, "search");
	struct warning *row;
	if (s->run->torn)
		warnings_add(w, WARN_TORN);
	if (s->nblocks < asked && !enough) {
		row = warnings_add(w, WARN_FEW_BLOCKS);
		row->n = s->nblocks;
		row->of = (unsigned)asked;
		row->text = run_command(s, w->arena);
	}
	if (budget) {
		row = warnings_add(w, WARN_BUDGET);
		row->found = arena_text(w->arena, "%.400s", s->run->end.text);
		row->text = s->run->folder;
	} else if (s->nblocks < STATS_MIN_BLOCKS && s->nblocks >= asked && run_compares(s)) {
		row = warnings_add(w, WARN_NO_INTERVAL);
		row->n = s->nblocks;
		row->of = STATS_MIN_BLOCKS;
		row->text = run_command(s, w->arena);
	}
}

/* Whether two sessions surely ran on different machines, or on different boots of one. */
static bool is_elsewhere(const json_t *a, const json_t *b)
{
	const char *here = json_string_value(json_object_get(a, "boot"));
	const char *there = json_string_value(json_object_get(b, "boot"));
	return here && there && *here && *there && strcmp(here, there);
}

/* Sessions of one run by different builds, or on several machines: the first of each. */
static void warn_sessions(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	const json_t *machine = json_object_get(run->environment, "machine");
	const char *first = run_text(run, "launchgap");
	bool builds = false, machines = false;
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		if (!builds && r->json && strcmp(r->launchgap, first)) {
			struct warning *row = warnings_add(w, WARN_BUILDS);
			row->block = r->first_block + 1;
			row->asked = arena_text(w->arena, "%.40s", first);
			row->found = arena_text(w->arena, "%.40s", r->launchgap);
			builds = true;
		}
		if (!machines && is_elsewhere(machine, r->machine)) {
			warnings_add(w, WARN_MACHINES)->block = r->first_block + 1;
			machines = true;
		}
	}
}

/* A block with trials that are not close in time. */
static void warn_pauses(struct warnings *w)
{
	for (unsigned i = 0; i < w->s->run->nresumes; i++) {
		struct session_pause p;
		if (!session_paused(w->s->run, i, &p) || !p.far)
			continue;
		const bool hours = p.pause_s >= 3600;
		struct warning *row = warnings_add(w, WARN_PAUSE);
		row->block = p.block + 1;
		row->n = p.begun;
		row->of = p.trials;
		row->text =
		    isnan(p.pause_s)
		        ? "at a time that is not recorded"
		        : arena_text(w->arena, "%s %s later",
		                     format_number(hours ? p.pause_s / 3600 : p.pause_s).text,
		                     hours ? "h" : "s");
	}
}

/* Variants that were omitted for one reason, reported at the first of them. */
static void warn_left_out(struct warnings *w, unsigned first)
{
	const struct summary_variant *variants = w->s->variants;
	char names[800] = "";
	for (unsigned v = 0; v < w->s->nvariants; v++) {
		if (strcmp(variants[v].skip, variants[first].skip))
			continue;
		if (v < first)
			return;
		status_list(names, sizeof names, variants[v].name);
	}
	struct warning *row = warnings_add(w, WARN_LEFT_OUT);
	row->found = arena_copy(w->arena, names);
	row->text = variants[first].skip;
}

static void warn_variants(struct warnings *w)
{
	const struct summary *s = w->s;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (*s->variants[v].skip)
			warn_left_out(w, v);
		else if (!s->variants[v].measured)
			warnings_add(w, WARN_ABSENT)->variant = s->variants[v].name;
	const int twin = s->twin; /* ratios are to it as well */
	if ((s->reference < 0 || !s->variants[s->reference].measured) &&
	    (twin < 0 || !s->variants[twin].measured))
		warnings_add(w, WARN_NO_REFERENCE);
}

/* --- the machine --- */

static void warn_cores(struct warnings *w)
{
	const struct summary *s = w->s;
	if (s->uncompared.kind && !s->trouble.kind)
		warnings_add(w, WARN_UNCOMPARED)->text = reason_text(w->arena, &s->uncompared);
	if (s->oversubscribed)
		warnings_add(w, WARN_OVERSUBSCRIBED)->n = s->ncores;
	for (unsigned v = 0; v < s->nvariants && run_compares(s); v++) {
		const struct summary_variant *variant = &s->variants[v];
		if (!variant->measured || variant->traits->launches ||
		    variant->placing != PLACED_ALONE)
			continue;
		struct warning *row = warnings_add(w, WARN_ONE_WORKER);
		row->variant = variant->name;
		row->asked = variant->backend;
		return;
	}
}

static void warn_load(struct warnings *w)
{
	const json_t *machine = json_object_get(w->s->run->environment, "machine");
	const double load = json_number_value(json_object_get(machine, "load1"));
	if (!w->s->ncores || !(load > 1 && load > QUIET_LOAD * w->s->ncores))
		return;
	struct warning *row = warnings_add(w, WARN_LOAD);
	row->value = load;
	row->n = w->s->ncores;
}

/* Omitted rows, over all passes: what a rank that did not run leaves of them does not count
 * (record/stall.h). */
static void warn_stalls(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	const struct record_cell *worst = NULL;
	unsigned rows = 0, cells = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		if (!c->stall.rows)
			continue;
		rows += c->stall.rows;
		cells++;
		if (!worst || c->stall.off_ns > worst->stall.off_ns)
			worst = c;
	}
	if (!worst)
		return;
	struct warning *row = warnings_add(w, WARN_STALLS);
	row->events = rows;
	row->n = cells;
	row->variant = worst->variant;
	row->block = worst->block + 1;
	row->rank = worst->stall.rank;
	row->value = 1e-9 * (double)worst->stall.off_ns;
	row->where = cell_name(w, &worst->cell, worst->nranks);
}

/* The least of the numbers in a text such as "1980 1965", NaN if there is none. */
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

/* Trials with devices that ran slower than they may, as far as the backend reported it. */
static void warn_clocks(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	const struct record_cell *worst = NULL;
	unsigned slow = 0, trials = 0;
	double lowest = INFINITY, most = NAN;
	const char *why = NULL;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		const json_t *list = json_object_get(c->json, "facts"), *facts;
		bool held = false;
		size_t k;
		/* Facts are the trial's, the same in each of its cells. */
		if (i && run->cells[i - 1].order == c->order)
			continue;
		trials++;
		json_array_foreach(list, k, facts)
		{
			const double now = least_number(facts, "clock_sm_mhz"),
			             may = least_number(facts, "clock_sm_max_mhz");
			const bool below = now < SLOW_CLOCK * may, said = says_throttled(facts);
			if (said && !why)
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
	struct warning *row = warnings_add(w, WARN_CLOCKS);
	row->n = slow;
	row->of = trials;
	row->where = arena_text(w->arena, "%s, block %u", worst->variant, worst->block + 1);
	if (lowest < most)
		row->where = arena_text(w->arena, "%s, at the least %.0f of %.0f MHz", row->where,
		                        lowest, most);
	if (why)
		row->where = arena_text(w->arena, "%s; it says: %.80s", row->where, why);
}

/* --- rows --- */

/* The value of interest in a row: 0 or NaN if there is none. */
typedef double row_fn(const struct warnings *w, const struct summary_row *row);

/* The rows with such a value, of those with a time, and the one with the largest. */
struct affected {
	unsigned rows, of;
	double sum, most;
	const struct summary_row *worst;
};

static struct affected rows_with(const struct warnings *w, row_fn *amount)
{
	const struct summary *s = w->s;
	struct affected a = {0};
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT)
			continue; /* a ceiling, and the driver's own work is part of it */
		double x = amount(w, row);
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

static double faults_of(const struct warnings *w, const struct summary_row *row)
{
	double n = (double)row->faults;
	(void)w;
	return n >= 10 && n > QUIET_FAULTS_PER_CALL * (double)row->ncalls ? n : 0;
}

static double switches_of(const struct warnings *w, const struct summary_row *row)
{
	double n = (double)row->switches;
	(void)w;
	return n >= 10 && n > QUIET_SWITCHES_PER_S * row->watched_s ? n : 0;
}

/* Of all rows, the affected ones; NULL: there is none. */
static struct warning *warn_rows(struct warnings *w, enum warning_kind kind,
                                 const struct affected *a)
{
	if (!a->worst)
		return NULL;
	struct warning *row = warnings_add(w, kind);
	row->where = row_name(w, a->worst);
	row->n = a->rows;
	row->of = a->of;
	return row;
}

static void warn_disturbed(struct warnings *w)
{
	static const char usual[] = "Give the machine more free memory, or ask for smaller "
	                            "sizes; if it stays, it is a bug of the backend.";
	const struct summary *s = w->s;
	const struct affected faults = rows_with(w, faults_of),
	                      switches = rows_with(w, switches_of);
	struct warning *row = warn_rows(w, WARN_FAULTS, &faults);
	if (row) {
		const char *advice = s->variants[faults.worst->variant].traits->faults_advice;
		row->of = s->nrows;
		row->events = (unsigned)faults.sum;
		row->text = advice ? advice : usual;
	}
	row = warn_rows(w, WARN_SWITCHES, &switches);
	if (row) {
		row->of = s->nrows;
		row->events = (unsigned)switches.sum;
	}
}

/* How much slower the first rows are, the median over trials; NaN unless it is systematic. */
static double early_of(const struct warnings *w, const struct summary_row *row)
{
	double median = NAN, *x = ARENA_ARRAY(w->arena, double, row->ntrials + 1);
	unsigned n = 0, slower = 0;
	for (unsigned i = 0; i < row->ntrials; i++)
		if (!isnan(row->trials[i].early)) {
			x[n++] = row->trials[i].early;
			slower += row->trials[i].early > 1;
		}
	if (n >= STATS_MIN_BLOCKS && stats_sign_probability(slower, n) < EARLY_P)
		median = stats_median(x, n);
	return median > EARLY_LEAST ? median : NAN;
}

static void warn_warmup(struct warnings *w)
{
	const struct affected early = rows_with(w, early_of);
	if (early.rows <= 1 + EARLY_SHARE * early.of)
		return;
	struct warning *row = warn_rows(w, WARN_WARMUP, &early);
	row->share = early.most - 1;
	row->events = 4 * (unsigned)run_number(w->s->run, "warmup");
}

/* The share of a row's time by which its end may be seen late, if that is too much. */
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

static double step_share(const struct warnings *w, const struct summary_row *row)
{
	(void)w;
	return coarse_share(row, step_us(row));
}

static double poll_share(const struct warnings *w, const struct summary_row *row)
{
	/* A variant that does not launch has the worker's own copying in the round, so that it
	 * bounds nothing. */
	bool bounds = w->s->variants[row->variant].traits->launches;
	return bounds ? coarse_share(row, row->resolution_us) : 0;
}

static void warn_resolution(struct warnings *w, enum warning_kind kind, row_fn *share)
{
	const struct affected a = rows_with(w, share);
	struct warning *row = warn_rows(w, kind, &a);
	if (!row)
		return;
	row->share = COARSE;
	row->value = kind == WARN_CLOCK_STEP ? step_us(a.worst) : a.worst->resolution_us;
	row->bound = a.worst->time_us * a.worst->calls;
}

/* Medians bear a few late meetings. */
static double apart_share(const struct warnings *w, const struct summary_row *row)
{
	return coarse_share(row, w->apart_us[row->variant]);
}

static void warn_release(struct warnings *w)
{
	double *apart_us = ARENA_ARRAY(w->arena, double, w->s->nvariants);
	for (unsigned v = 0; v < w->s->nvariants; v++) {
		const struct hosts_use use = hosts_of(w->s, v);
		apart_us[v] = use.skew_us + (use.late_share > COARSE ? use.late_us : 0);
	}
	w->apart_us = apart_us;
	const struct affected a = rows_with(w, apart_share);
	struct warning *row = warn_rows(w, WARN_RELEASE, &a);
	if (!row)
		return;
	row->share = COARSE;
	row->value = apart_us[a.worst->variant];
	row->bound = a.worst->time_us * a.worst->calls;
}

/* The reference compared with itself has to give 1; if it does not, the others do not count
 * either. */
static void warn_twin(struct warnings *w)
{
	const struct summary *s = w->s;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct stats_ratio *gap = &s->groups[g].gaps[v];
			if (s->variants[v].role != ROLE_AGAIN || isnan(gap->lo) ||
			    (gap->lo <= 1 && gap->hi >= 1))
				continue;
			struct warning *row = warnings_add(w, WARN_TWIN);
			row->ratio = *gap;
			row->where = arena_copy(
			    w->arena, coll_title(&s->groups[g].cell, s->groups[g].nranks).text);
		}
}

/* --- errors --- */

static bool is_same_error(const struct record_cell *a, const struct record_cell *b)
{
	return !strcmp(a->error, b->error) && !strcmp(a->variant, b->variant);
}

/* Each error once per variant, with its number of occurrences. */
static void warn_errors(struct warnings *w)
{
	const struct record_run *run = w->s->run;
	unsigned errors = 0;
	for (unsigned i = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		unsigned same = 0, before = 0;
		for (unsigned k = 0; k < run->ncells && c->error[0]; k++) {
			same += is_same_error(c, &run->cells[k]);
			before += k < i && is_same_error(c, &run->cells[k]);
		}
		if (!same || before || errors++ >= MOST_ERRORS)
			continue;
		struct warning *row = warnings_add(w, WARN_CELLS);
		row->variant = c->variant;
		row->block = c->block + 1;
		row->n = same;
		row->text = c->error;
	}
	for (unsigned i = 0; i < run->nfailures; i++) {
		if (errors++ >= MOST_ERRORS)
			continue;
		struct warning *row = warnings_add(w, WARN_TRIAL);
		row->variant = run->failures[i].variant;
		row->block = run->failures[i].block + 1;
		row->text = run->failures[i].error;
	}
	if (errors > MOST_ERRORS)
		warnings_add(w, WARN_MORE)->n = errors - MOST_ERRORS;
}

static void tell(const struct analysis *a, struct story *story)
{
	struct warnings w = {.s = a->s, .arena = story->arena};
	doubts_find(&w);
	warn_paths(&w); /* early: a terminal has these whatever else there is */
	warn_blocks(&w);
	warn_sessions(&w);
	warn_pauses(&w);
	warn_variants(&w);
	warn_cores(&w);
	warn_load(&w);
	warn_stalls(&w);
	warn_disturbed(&w);
	warn_clocks(&w);
	outliers_find(&w);
	warn_warmup(&w);
	warn_resolution(&w, WARN_CLOCK_STEP, step_share);
	warn_resolution(&w, WARN_RESOLUTION, poll_share);
	warn_release(&w);
	warn_twin(&w);
	warn_errors(&w);
	const struct story_table *t = story_table(story, &form, w.rows, w.n);
	for (unsigned i = 0; i < w.n; i++)
		story_say_row(story, w.rows[i].kind <= WARN_FEW_SUMS ? STORY_DOUBT : STORY_WARNING,
		              t, &w.rows[i], kinds[w.rows[i].kind].says);
}

const struct chapter chapter_warnings = {"warnings", "Warnings", CHAPTER_APPENDIX, tell};
