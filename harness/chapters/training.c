/* Steps of training, in each variant and at each size: the time of a step, of its compute alone, of
 * its communication alone, and how much of the communication compute hides.
 *
 * All three are cells of one trial, so that each block has the three of them close in time. A
 * block's exposed communication is step − compute. It may exceed the communication alone if both
 * compete for resources, and be less than 0 by noise. Overlap is 1 − exposed ÷ communication.
 * Exposed has the signed-rank interval of its blocks, overlap that of a share (stats_share), times
 * the exact interval of a median. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/plot_order.h"
#include "../analysis/traced.h"
#include "../coll/routing.h"
#include "../story/format.h"
#include "chapters.h"
#include "run.h"

#define CAPTION_GROUPS 3
#define LEAD_ROWS      12
#define NO_SPREAD      ((struct stats_interval){NAN, NAN, NAN})

/* A variant at a size; in the order of groups, sizes, variants. */
struct row {
	size_t bytes; /* as asked: of a bucket; of a mixture of experts: sent by a rank */
	const char *variant, *size, *what, *shown;
	struct stats_interval step_ms, compute_ms, communication_ms, exposed_ms, overlap_percent;
	double imbalance;         /* experts: what the busiest rank gets ÷ the mean; else NaN */
	double tokens;            /* experts: the bytes as tokens; NaN if that is no whole number */
	struct stats_ratio speed; /* of the step compared with the reference's */
	unsigned blocks;
	/* Thread blocks of the step's largest communication kernel, and how many of all SMs that is
	 * if each has its own; NaN if the device's trace does not say. */
	double ctas, sms_percent;
	/* In sentences. */
	const char *kind, *sent, *overlap, *communication_share;
	double exposed_share; /* of the step */
	double busiest;       /* the imbalance, if there is any */
	/* In the picture: a row's panel, its group of bars there, and the key in which the groups
	 * differ. */
	const char *panel, *bars, *axis;
	double drawn_overlap;
	unsigned v, group, when;
};

/* Of a row: it is at its group's size that sentences name; what its step is of. Of the facts: what
 * some step is of, or has. */
enum { TOLD = 1, BUCKETS = 2, EXPERTS = 4, TENSOR = 8, CTAS = 16 };

// clang-format off
#define NOWHERE (ONLY_FILES | ONLY_PEOPLE) /* except in sentences and report.json */
static const struct column columns[] = {
    COLUMN_AS(struct row, bytes, "bytes", "", "", BYTES, ONLY_FILES),
    COLUMN_AS(struct row, variant, "variant", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, size, "size", "size, variant", "", TEXT, ONLY_PEOPLE),
    COLUMN_AS(struct row, what, "what", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, shown, "shown", "what", "", TEXT, ONLY_PEOPLE),
    COLUMN(struct row, step_ms, "step", "ms", SPREAD),
    COLUMN(struct row, compute_ms, "compute", "ms", SPREAD),
    COLUMN(struct row, communication_ms, "communication", "ms", SPREAD),
    COLUMN(struct row, exposed_ms, "exposed", "ms", SPREAD),
    COLUMN(struct row, overlap_percent, "overlap", "%", SPREAD),
    COLUMN(struct row, imbalance, "imbalance", "", NUMBER),
    COLUMN(struct row, tokens, "tokens", "", NUMBER),
    COLUMN(struct row, speed, "speed", "", RATIO),
    COLUMN(struct row, blocks, "blocks", "", COUNT),
    COLUMN(struct row, ctas, "NCCL's CTAs", "", NUMBER),
    COLUMN(struct row, sms_percent, "of all SMs", "%", NUMBER),
    COLUMN_AS(struct row, kind, "kind", "", "", TEXT, NOWHERE),
    COLUMN_AS(struct row, sent, "sent", "", "", TEXT, NOWHERE),
    COLUMN_AS(struct row, exposed_share, "exposed_share", "", "", SHARE, NOWHERE),
    COLUMN_AS(struct row, busiest, "busiest", "", "", NUMBER, NOWHERE),
    COLUMN_AS(struct row, overlap, "overlap", "", "", TEXT, NOWHERE),
    COLUMN_AS(struct row, communication_share, "communication_share", "", "", TEXT, NOWHERE),
};
static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "training", .title = "Steps of training", .when = offsetof(struct row, when), .file = "training.csv");

/* The variants side by side. How much of a step is communication: for experts, which cannot overlap
 * anything, the communication alone; a step's time beyond its compute is the less certain figure. */
#define A_STEP "{variant} {step_ms} ms a step[, its communication alone {communication_ms} ms ({communication_share} of it)]" \
               "[, {exposed_share} of it exposed communication ({overlap})]"
static const struct sentence answers[] = {
    {STORY_ANSWER, TOLD | BUCKETS, "{kind}, fastest with {bytes}: [" A_STEP "|; " A_STEP "]."},
    {STORY_ANSWER, TOLD | EXPERTS, "{kind}, {sent} from each rank[, the busiest gets {busiest} times the mean|]: [" A_STEP "|; " A_STEP "]."},
};

static const struct column drawn_columns[] = {
    COLUMN(struct row, panel, "panel", "", TEXT),
    COLUMN(struct row, bars, "bars", "", TEXT),
    COLUMN(struct row, axis, "axis", "", TEXT),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN_AS(struct row, step_ms.estimate, "step", "", "ms", NUMBER, 0),
    COLUMN_AS(struct row, step_ms.lo, "lo", "", "ms", NUMBER, 0),
    COLUMN_AS(struct row, step_ms.hi, "hi", "", "ms", NUMBER, 0),
    COLUMN_AS(struct row, compute_ms.estimate, "compute", "", "ms", NUMBER, 0),
    COLUMN_AS(struct row, drawn_overlap, "overlap", "", "%", NUMBER, 0),
};
static const struct story_form drawn_form =
    STORY_FORM(struct row, drawn_columns, .name = "steps", .title = "Bars of the steps", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);

/* The model, if there is one. */
struct facts {
	const char *model, *parameters, *gflop;
	int routed;
	unsigned when;
};
static const struct column fact_columns[] = {
    COLUMN(struct facts, model, "model", "", TEXT),
    COLUMN(struct facts, parameters, "parameters", "millions", TEXT),
    COLUMN(struct facts, gflop, "a sample's backward pass", "GFLOP", TEXT),
    COLUMN(struct facts, routed, "experts", "", FLAG),
};
static const struct story_form fact_form =
    STORY_FORM(struct facts, fact_columns, .name = "trained", .title = "What is trained", .when = offsetof(struct facts, when), .hidden = true, .drawn = STORY_ARRAYS);

static const struct sentence methods[] = {
    {STORY_BODY, BUCKETS,
     "Size: at which a bucket is full. Step: the backward pass, and its gradients reduced in buckets as they become ready. "
     "Compute, communication: each alone, in the same trials. Exposed: what a step takes beyond its compute, block by block. "
     "Overlap: the share of the communication that compute hides, 1 − exposed ÷ communication; it is below 0 where the two slow "
     "each other down by more than they hide."},
    {STORY_BODY, EXPERTS,
     "Of a mixture of experts, size: what each rank sends. Step: tokens to the ranks of their experts, are worked on there, and "
     "go back. Exposed: what a step takes beyond the work. Imbalance: what the busiest rank gets ÷ the mean, in bytes as in "
     "tokens; work is as uneven. zipf1.2_of16: of 16 experts the e-th is wanted in proportion to 1 ÷ e^1.2."},
    {STORY_BODY, TENSOR,
     "With tensor = yes communication holds the activations' reductions too. The work after each waits for it: these are exposed "
     "whatever the buckets do."},
    {STORY_BODY, CTAS,
     "NCCL's CTAs: thread blocks of the step's largest communication kernel, by CUPTI. Each occupies an SM while it runs: so many "
     "per cent of all SMs then work for the communication."},
};
static const struct sentence of_model = {STORY_BODY, 0,
     "[Model: {model}, {parameters} million parameters, {gflop} GFLOP in a sample's backward pass.]"};

/* A piece of one step, in a lane of a rank. */
struct span {
	const char *variant, *what;
	unsigned rank, lane;
	size_t bytes;
	double start_us, end_us;
};
static const struct column span_columns[] = {
    COLUMN(struct span, variant, "variant", "", TEXT),
    COLUMN(struct span, what, "what", "", TEXT),
    COLUMN(struct span, rank, "rank", "", COUNT),
    COLUMN(struct span, lane, "lane", "", COUNT),
    COLUMN(struct span, bytes, "size", "", BYTES),
    COLUMN(struct span, start_us, "start", "µs", NUMBER),
    COLUMN(struct span, end_us, "end", "µs", NUMBER),
};
static const struct story_form span_form =
    STORY_FORM(struct span, span_columns, .name = "spans", .title = "One step, lane by lane", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_BLOCK);
// clang-format on

struct teller {
	const struct summary *s;
	struct arena *arena;
	struct row *rows;
	unsigned n;
	double *us[5]; /* room for one number per block or trial: of the parts, and two more */
	struct facts facts;
};

/* --- what was measured --- */

enum part { STEP, COMPUTE, COMMUNICATION, PARTS };

/* A kind of step, and its parts to compare it with. */
static const enum coll_kind kinds[][PARTS] = {
    {COLL_DDP_STEP, COLL_DDP_COMPUTE, COLL_DDP_COMMUNICATION},
    {COLL_MOE_STEP, COLL_MOE_COMPUTE, COLL_MOE_COMMUNICATION},
};

#define NKINDS (sizeof kinds / sizeof *kinds)

static const enum coll_kind *kind_of(const struct summary_group *g)
{
	for (unsigned k = 0; k < NKINDS; k++)
		if (g->cell.coll == kinds[k][STEP] && !g->limit)
			return kinds[k];
	return NULL;
}

/* A step's time is that of isolated calls, each after a meeting; of a stream only if there are no
 * others. */
static bool is_taken(const struct summary *s, const struct summary_group *g)
{
	if (!kind_of(g))
		return false;
	for (unsigned i = 0; i < s->ngroups && g->cell.pace == PACE_STREAM; i++) {
		struct cell twin = g->cell;
		twin.pace = PACE_ISOLATED;
		if (index_same_group(&twin, &s->groups[i].cell))
			return false;
	}
	return true;
}

static bool is_routed(const struct summary_group *g)
{
	return coll_info(g->cell.coll)->is & COLL_ROUTED;
}

static unsigned ranks_of(const struct summary_group *g)
{
	return g->cell.comm_ranks ? g->cell.comm_ranks : g->nranks;
}

/* The index of a step's part, or INDEX_NONE. */
static unsigned place_of(const struct summary *s, const struct summary_group *g, size_t bytes,
                         enum coll_kind coll)
{
	for (unsigned i = 0; i < s->ngroups; i++) {
		const struct summary_group *of = &s->groups[i];
		if (of->cell.coll != coll || of->cell.root != g->cell.root ||
		    of->cell.dtype != g->cell.dtype || of->cell.pace != g->cell.pace ||
		    of->cell.comm_ranks != g->cell.comm_ranks ||
		    (of->cell.op != g->cell.op && of->cell.op != OP_NONE))
			continue;
		for (unsigned k = 0; k < of->nsizes; k++)
			if (of->asked_bytes[k] == bytes)
				return index_place(s, i, k);
	}
	return INDEX_NONE;
}

/* The location of differences, with its interval: on a scale on which no exponential overflows. */
static struct stats_interval location(struct arena *arena, const double *x, unsigned n,
                                      double confidence, double *logs)
{
	double most = 0;
	for (unsigned i = 0; i < n; i++)
		most = fmax(most, fabs(x[i]));
	if (!(most > 0))
		return (struct stats_interval){n ? 0 : NAN, NAN, NAN};
	for (unsigned i = 0; i < n; i++)
		logs[i] = x[i] / most;
	struct stats_ratio r = stats_ratio_of_logs(arena, logs, n, confidence);
	return (struct stats_interval){most * log(r.estimate), most * log(r.lo), most * log(r.hi)};
}

/* µs of all parts in the blocks that have them. Returns how many. */
static unsigned blocks_of(const struct teller *t, unsigned variant, const unsigned places[PARTS])
{
	unsigned n = 0;
	for (unsigned b = 0; b < t->s->index.nblocks; b++) {
		bool all = true;
		for (unsigned p = 0; p < PARTS && all; p++) {
			const struct summary_trial *trial =
			    places[p] == INDEX_NONE ? NULL
			                            : index_timed(t->s, variant, places[p], b);
			all = trial && trial->time_ns > 0;
			if (all)
				t->us[p][n] = trial->time_ns / 1000;
		}
		n += all;
	}
	return n;
}

static struct stats_interval in_ms(struct stats_interval us)
{
	return (struct stats_interval){us.estimate / 1000, us.lo / 1000, us.hi / 1000};
}

static struct stats_interval median_of(const struct teller *t, unsigned variant, unsigned place)
{
	const struct summary_row *r = place == INDEX_NONE ? NULL : index_row(t->s, variant, place);
	double *us = t->us[PARTS];
	for (unsigned i = 0; r && i < r->ntrials; i++)
		us[i] = r->trials[i].time_ns / 1000;
	return r && r->ntrials
	           ? in_ms(stats_quantile_interval(us, r->ntrials, 0.5, t->s->looks.confidence))
	           : NO_SPREAD;
}

/* A step's time beyond its compute, block by block. */
static void expose(const struct teller *t, const unsigned places[PARTS], struct row *row)
{
	const double confidence = t->s->looks.confidence;
	double *exposed = t->us[PARTS];
	row->exposed_ms = row->overlap_percent = NO_SPREAD;
	row->blocks = blocks_of(t, row->v, places);
	for (unsigned b = 0; b < row->blocks; b++)
		exposed[b] = t->us[STEP][b] - t->us[COMPUTE][b];
	if (!row->blocks)
		return;
	row->exposed_ms =
	    in_ms(location(t->s->arena, exposed, row->blocks, confidence, t->us[PARTS + 1]));
	struct stats_ratio share =
	    stats_share(t->s->arena, exposed, t->us[COMMUNICATION], row->blocks, confidence);
	if (is_routed(&t->s->groups[row->group])) /* there is nothing to overlap */
		return;
	if (isnan(share.estimate)) /* too few blocks: a figure without an interval */
		share = (struct stats_ratio){.estimate = row->exposed_ms.estimate /
		                                         row->communication_ms.estimate,
		                             .lo = NAN,
		                             .hi = NAN};
	row->overlap_percent = (struct stats_interval){100 * (1 - share.estimate),
	                                               100 * (1 - share.hi), 100 * (1 - share.lo)};
}

/* "all_reduce 16, ddp_step 24": the number after the word, or NaN. */
static double launched_of(const char *text, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = text; at && (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && at[n] == ' ')
			return atof(at + n);
	return NAN;
}

static void launched(const struct summary *s, struct row *row)
{
	const char *text = summary_fact(s, row->v, 0, "launched_ctas");
	const char *sms = summary_fact(s, row->v, 0, "sms");
	row->ctas = row->sms_percent = NAN;
	if (!text || !sms || !(atof(sms) > 0))
		return;
	row->ctas = launched_of(text, coll_info(s->groups[row->group].cell.coll)->name);
	row->sms_percent = 100 * row->ctas / atof(sms);
}

/* The bytes as tokens, by the variant's width. */
static double tokens_of(const struct summary *s, const struct row *row)
{
	const struct summary_group *g = &s->groups[row->group];
	const size_t token =
	    s->run->variants[row->v].settings.hidden * coll_dtype_bytes(g->cell.dtype);
	return is_routed(g) && token && row->bytes % token == 0 ? (double)(row->bytes / token)
	                                                        : NAN;
}

/* --- a row in words --- */

/* Whether its overlap is known well enough: its interval is no wider than 100 %. If there is none,
 * as blocks are too few, the overlap is within -100 to 100 %. */
static bool tells_overlap(const struct row *row)
{
	const struct stats_interval *o = &row->overlap_percent;
	return isnan(o->lo) ? fabs(o->estimate) <= 100 : o->hi - o->lo <= 100;
}

/* "75 % overlapped", only if the interval supports it; with too few blocks the figure alone. */
static const char *overlap_text(struct arena *arena, const struct stats_interval *o)
{
	if (o->lo > 0 || (isnan(o->lo) && o->estimate > 0))
		return arena_text(arena, "%.0f %% overlapped", o->estimate);
	if (o->hi < 0.5) /* compute slows down by as much as is hidden, or more */
		return "overlap gains nothing";
	if (isnan(o->lo))
		return arena_text(arena, "overlap %.0f %%", round(o->estimate) + 0.0);
	return arena_text(arena, "overlap undecided: %.0f %%, %.0f to %.0f", o->estimate, o->lo,
	                  o->hi);
}

/* "Zipf 1.2 over 16 experts in bfloat16"; "resnet50 in bfloat16". */
static const char *kind_text(const struct teller *t, const struct summary_group *g)
{
	const unsigned skew = routing_skew(g->cell.root), experts = routing_experts(g->cell.root);
	const char *dtype = coll_dtype_name(g->cell.dtype);
	if (!is_routed(g))
		return arena_text(t->arena, "%s in %s",
		                  t->facts.model ? t->facts.model : coll_info(g->cell.coll)->name,
		                  dtype);
	const char *routing =
	    skew ? arena_text(t->arena, "Zipf %u.%u", skew / 10, skew % 10) : "Even routing";
	return arena_text(t->arena, "%s over %u experts in %s", routing,
	                  experts ? experts : ranks_of(g), dtype);
}

static void say_row(const struct teller *t, struct row *row)
{
	const struct summary_group *g = &t->s->groups[row->group];
	const char *size = arena_copy(t->arena, format_size(row->bytes).text);
	const double alone = row->communication_ms.estimate, step = row->step_ms.estimate;
	const bool routed = is_routed(g);
	row->size = arena_text(t->arena, "%s %s", size, row->variant);
	row->what = row->shown = run_collective(t->arena, g);
	row->kind = kind_text(t, g);
	row->sent = isnan(row->tokens) ? size
	                               : arena_text(t->arena, "%.0f token%s (%s)", row->tokens,
	                                            row->tokens == 1 ? "" : "s", size);
	row->exposed_share = row->drawn_overlap = NAN;
	row->busiest = row->imbalance > 1.005 ? row->imbalance : NAN;
	if (routed && alone > 0)
		row->communication_share =
		    arena_text(t->arena, "%s %%", format_percent(alone / step).text);
	if (!routed && tells_overlap(row)) {
		row->exposed_share = row->exposed_ms.estimate / step;
		row->overlap = overlap_text(t->arena, &row->overlap_percent);
	}
	if (tells_overlap(row))
		row->drawn_overlap = row->overlap_percent.estimate;
	row->panel =
	    routed ? arena_text(t->arena, "%s in %s, %s from each rank",
	                        coll_info(g->cell.coll)->name, coll_dtype_name(g->cell.dtype), size)
	           : row->what;
	row->bars = routed ? arena_text(t->arena, "%.3g", row->imbalance) : size;
	row->axis = routed ? "what the busiest rank gets ÷ the mean" : "a bucket is full at";
}

static void row_add(struct teller *t, unsigned group, unsigned size, unsigned v,
                    const unsigned places[PARTS])
{
	const struct summary *s = t->s;
	const struct summary_group *g = &s->groups[group];
	const struct summary_row *step = index_row(s, v, places[STEP]);
	if (!s->variants[v].measured || !summary_is_asked(s, v) || !step || !step->ntrials)
		return;
	t->rows = arena_more(t->arena, t->rows, t->n, sizeof *t->rows);
	struct row *row = &t->rows[t->n++];
	*row = (struct row){.bytes = g->asked_bytes[size],
	                    .variant = s->variants[v].name,
	                    .imbalance =
	                        is_routed(g) ? routing_imbalance(g->cell.root, ranks_of(g)) : NAN,
	                    .speed = step->ratio,
	                    .v = v,
	                    .group = group,
	                    .when = is_routed(g) ? EXPERTS : BUCKETS};
	row->step_ms = median_of(t, v, places[STEP]);
	row->compute_ms = median_of(t, v, places[COMPUTE]);
	row->communication_ms = median_of(t, v, places[COMMUNICATION]);
	row->tokens = tokens_of(s, row);
	expose(t, places, row);
	launched(s, row);
	say_row(t, row);
	t->facts.when |= row->when | (s->run->variants[v].settings.tensor ? TENSOR : 0) |
	                 (isnan(row->ctas) ? 0 : CTAS);
}

static void rows_make(struct teller *t)
{
	const struct summary *s = t->s;
	unsigned most = s->index.nblocks + 1;
	for (unsigned i = 0; i < s->nrows; i++)
		most = s->rows[i].ntrials > most ? s->rows[i].ntrials : most;
	for (unsigned p = 0; p < PARTS + 2; p++)
		t->us[p] = ARENA_ARRAY(t->arena, double, most);
	for (unsigned g = 0; g < s->ngroups; g++) {
		const enum coll_kind *kind = kind_of(&s->groups[g]);
		for (unsigned k = 0; is_taken(s, &s->groups[g]) && k < s->groups[g].nsizes; k++) {
			unsigned places[PARTS];
			for (unsigned p = 0; p < PARTS; p++)
				places[p] = place_of(s, &s->groups[g], s->groups[g].asked_bytes[k],
				                     kind[p]);
			for (unsigned v = 0; v < s->nvariants; v++)
				row_add(t, g, k, v, places);
		}
	}
}

/* --- in sentences --- */

static unsigned group_end(const struct teller *t, unsigned i)
{
	unsigned end = i;
	while (end < t->n && t->rows[end].group == t->rows[i].group)
		end++;
	return end;
}

/* Sentences use one size of a group. For experts: the largest. Else: the size with the fastest step
 * of the reference, or of the first variant if there is no reference. Returns the group's end. */
static unsigned choose_told(const struct teller *t, unsigned i)
{
	const unsigned end = group_end(t, i);
	const struct row *best = &t->rows[i];
	for (unsigned k = i; k < end; k++) {
		const struct row *row = &t->rows[k];
		if ((int)row->v == t->s->reference &&
		    ((int)best->v != t->s->reference ||
		     row->step_ms.estimate < best->step_ms.estimate))
			best = row;
	}
	if (best->when & EXPERTS)
		best = &t->rows[end - 1];
	for (const size_t bytes = best->bytes; i < end; i++)
		t->rows[i].when |= t->rows[i].bytes == bytes ? TOLD : 0;
	return end;
}

/* The time of a step in the first groups and in the last one. */
static void caption(const struct teller *t, struct story *story, const struct story_table *table)
{
	unsigned *told = ARENA_ARRAY(t->arena, unsigned, t->n);
	struct phrase p = phrase_begin(story);
	for (unsigned i = 0, end, nth = 0; i < t->n; i = end, nth++) {
		unsigned n = 0;
		end = group_end(t, i);
		for (unsigned k = i; k < end; k++)
			if (t->rows[k].when & TOLD)
				told[n++] = k;
		if (nth + 1 >= CAPTION_GROUPS && end < t->n)
			continue;
		phrase_words(&p, "; ");
		phrase_add(&p, table, told, n,
		           t->rows[i].when & EXPERTS
		               ? "{kind}, {bytes}: [{variant} {step_ms}] ms a step"
		           : group_end(t, 0) == t->n && t->facts.model
		               ? "{kind}, {bytes} buckets: [{variant} {step_ms}] ms a step"
		               : "{what}, {bytes} buckets: [{variant} {step_ms}] ms a step");
	}
	phrase_end(&p, STORY_CAPTION);
}

/* For the first page: if there are many rows, those that the sentences use. */
static void lead(const struct teller *t, struct story *story)
{
	struct row *first = ARENA_ARRAY(t->arena, struct row, t->n);
	unsigned n = 0;
	for (unsigned i = 0; i < t->n; i++)
		if (t->n <= LEAD_ROWS || t->rows[i].when & TOLD)
			first[n++] = t->rows[i];
	story_lead(story, story_rows(story, &form, first, n),
	           "size shown step_ms exposed_ms speed");
	story_leads_unasked(story);
}

/* --- pictures --- */

/* Panel by panel: the groups as they are; for experts size by size, as steps differ by more than
 * one scale can show. */
static void tell_bars(const struct teller *t, struct story *story)
{
	struct row *drawn = ARENA_ARRAY(t->arena, struct row, t->n + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < t->n; i++) {
		bool again = !plot_order_has(t->s, t->rows[i].v);
		for (unsigned k = 0; k < i && t->facts.routed; k++)
			again = again || t->rows[k].bytes == t->rows[i].bytes;
		if (!t->facts.routed && !again)
			drawn[n++] = t->rows[i];
		for (unsigned k = i; k < t->n && t->facts.routed && !again; k++)
			if (t->rows[k].bytes == t->rows[i].bytes &&
			    plot_order_has(t->s, t->rows[k].v))
				drawn[n++] = t->rows[k];
	}
	story_table(story, &drawn_form, drawn, n);
}

/* The earliest start of any rank, ns; INT64_MAX if the cell has no spans. */
static int64_t earliest(const struct record_cell *cell)
{
	int64_t first = INT64_MAX, start, end;
	for (unsigned k = 0; k < LANES * cell->nranks; k++)
		for (size_t i = 0; traced_span(cell, k % LANES, k / LANES, i, &start, &end); i++)
			first = start < first ? start : first;
	return first;
}

static struct span *spans_add(struct arena *arena, const struct record_cell *cell,
                              struct span *spans, unsigned *n)
{
	const int64_t from = earliest(cell);
	const char *what = arena_copy(arena, coll_word(&cell->cell, cell->nranks).text);
	for (unsigned k = 0; k < LANES * cell->nranks; k++) {
		const unsigned lane = k / cell->nranks, rank = k % cell->nranks;
		int64_t start, end;
		for (size_t i = 0; traced_span(cell, lane, rank, i, &start, &end); i++) {
			spans = arena_more(arena, spans, *n, sizeof *spans);
			spans[(*n)++] = (struct span){.variant = cell->variant,
			                              .what = what,
			                              .rank = rank,
			                              .lane = lane,
			                              .bytes = cell->cell.asked_bytes,
			                              .start_us = (double)(start - from) / 1000,
			                              .end_us = (double)(end - from) / 1000};
		}
	}
	return spans;
}

/* One step of each variant, if its lanes are known. */
static void tell_spans(const struct summary *s, struct story *story)
{
	const struct record_run *run = s->run;
	struct span *spans = NULL;
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		bool done = s->variants[v].role == ROLE_AGAIN;
		for (unsigned c = 0; c < run->ncells && !done; c++) {
			const struct record_cell *cell = &run->cells[c];
			if (cell->cell.pass != PASS_TIMELINE || cell->error[0] ||
			    strcmp(cell->variant, s->variants[v].name) ||
			    earliest(cell) == INT64_MAX)
				continue;
			spans = spans_add(story->arena, cell, spans, &n);
			done = true;
		}
	}
	story_table(story, &span_form, spans, n);
}

/* --- the section --- */

static struct facts facts_of(const struct teller *t)
{
	const json_t *model = json_object_get(t->s->run->environment, "model");
	const char *name = json_string_value(json_object_get(model, "name"));
	const double parameters = (double)json_integer_value(json_object_get(model, "parameters")),
	             flops = (double)json_integer_value(json_object_get(model, "flops"));
	return (struct facts){.model = name && *name ? name : NULL,
	                      .parameters = arena_text(t->arena, "%.4g", parameters / 1e6),
	                      .gflop = arena_text(t->arena, "%.4g", flops / 1e9)};
}

static void tell(const struct analysis *a, struct story *story)
{
	struct teller t = {.s = a->s, .arena = story->arena};
	bool common = true;
	t.facts = facts_of(&t);
	rows_make(&t);
	if (!t.n)
		return;
	struct facts *facts = ARENA_NEW(t.arena, struct facts);
	t.facts.routed = is_routed(&t.s->groups[t.rows[0].group]);
	*facts = t.facts;
	for (unsigned i = 0; i < t.n; i++)
		common &= !strcmp(t.rows[i].what, t.rows[0].what);
	for (unsigned i = 0; i < t.n && t.n > 1 && common; i++)
		t.rows[i].shown = NULL;
	const struct story_table *table = story_table(story, &form, t.rows, t.n),
	                         *fact = story_table(story, &fact_form, facts, 1);
	for (unsigned i = 0; i < t.n;)
		i = choose_told(&t, i);
	STORY_TELL(story, table, answers);
	caption(&t, story, table);
	lead(&t, story);
	story_picture(story, "training", true);
	story_picture(story, "training_step", true);
	STORY_TELL(story, fact, methods);
	if (t.n > 1 && common)
		story_say_row(story, STORY_BODY, table, t.rows, "All rows are of {what}.");
	story_tell(story, fact, &of_model, 1);
	story_files(story, "As a file");
	if (plot_order_count(t.s)) {
		tell_bars(&t, story);
		tell_spans(t.s, story);
	}
}

const struct chapter chapter_training = {"training", "Training step", CHAPTER_FRONT, tell};
