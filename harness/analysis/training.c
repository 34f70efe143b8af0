#include "training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/routing.h"
#include "words.h"

enum part { STEP, COMPUTE, COMMUNICATION, PARTS };

/* A kind of step, and what it is held against. */
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

/* Isolated calls, each after a meeting, are what a step takes; a stream of them only where
 * there are no others. */
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

static bool is_shown(const struct summary *s, unsigned variant)
{
	return s->variants[variant].measured && summary_is_asked(s, variant);
}

static bool is_routed(const struct summary_group *g)
{
	return coll_info(g->cell.coll)->is & COLL_ROUTED;
}

static unsigned ranks_of(const struct summary_group *g)
{
	return g->cell.comm_ranks ? g->cell.comm_ranks : g->nranks;
}

/* The place of a step's part, or INDEX_NONE. */
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

/* The location of differences, with its interval: on a scale on which no exponential overflows.
 */
static struct stats_interval location(const double *x, unsigned n, double confidence,
                                      double *logs)
{
	double most = 0;
	for (unsigned i = 0; i < n; i++)
		most = fmax(most, fabs(x[i]));
	if (!(most > 0))
		return (struct stats_interval){n ? 0 : NAN, NAN, NAN};
	for (unsigned i = 0; i < n; i++)
		logs[i] = x[i] / most;
	struct stats_ratio r = stats_ratio_of_logs(logs, n, confidence);
	return (struct stats_interval){most * log(r.estimate), most * log(r.lo),
	                               most * log(r.hi)};
}

/* µs of all parts in the blocks that have them. Returns how many. */
static unsigned blocks_of(const struct summary *s, unsigned variant,
                          const unsigned places[PARTS], double *us[PARTS])
{
	unsigned n = 0;
	for (unsigned b = 0; b < s->index.nblocks; b++) {
		bool all = true;
		for (unsigned p = 0; p < PARTS && all; p++) {
			const struct summary_trial *t =
			    places[p] == INDEX_NONE ? NULL
			                            : index_timed(s, variant, places[p], b);
			all = t && t->time_ns > 0;
			if (all)
				us[p][n] = t->time_ns / 1000;
		}
		n += all;
	}
	return n;
}

static const struct stats_interval none = {NAN, NAN, NAN};

/* us: room for a number a block each, and for two more lists. */
static void row_make(const struct summary *s, unsigned variant, const unsigned places[PARTS],
                     double *us[PARTS + 2], struct training_row *row)
{
	const double confidence = s->looks.confidence;
	const struct summary_row *step = index_row(s, variant, places[STEP]);
	struct stats_interval *times[] = {&row->step_us, &row->compute_us,
	                                  &row->communication_us};
	double *exposed = us[PARTS], *scratch = us[PARTS + 1];
	row->exposed_us = row->overlap = none;
	for (unsigned p = 0; p < PARTS; p++) {
		const struct summary_row *r =
		    places[p] == INDEX_NONE ? NULL : index_row(s, variant, places[p]);
		unsigned n = 0;
		for (unsigned i = 0; r && i < r->ntrials; i++)
			scratch[n++] = r->trials[i].time_ns / 1000;
		*times[p] = n ? stats_quantile_interval(scratch, n, 0.5, confidence) : none;
	}
	row->speed = step ? step->ratio : STATS_NO_RATIO;
	row->blocks = blocks_of(s, variant, places, us);
	for (unsigned b = 0; b < row->blocks; b++)
		exposed[b] = us[STEP][b] - us[COMPUTE][b];
	if (!row->blocks)
		return;
	row->exposed_us = location(exposed, row->blocks, confidence, scratch);
	struct stats_ratio share =
	    stats_share(exposed, us[COMMUNICATION], row->blocks, confidence);
	if (is_routed(&s->groups[row->group])) /* nothing is there to overlap */
		return;
	if (isnan(share.estimate)) /* too few blocks: no interval, but a figure */
		share = (struct stats_ratio){.estimate = row->exposed_us.estimate /
		                                         row->communication_us.estimate,
		                             .lo = NAN,
		                             .hi = NAN};
	row->overlap = (struct stats_interval){1 - share.estimate, 1 - share.hi, 1 - share.lo};
}

/* "all_reduce 16, ddp_step 24": the number behind the word, or NaN. */
static double launched_of(const char *text, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = text; at && (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && at[n] == ' ')
			return atof(at + n);
	return NAN;
}

static void launched(const struct summary *s, const struct summary_group *g,
                     struct training_row *row)
{
	const char *text = summary_fact(s, row->variant, 0, "launched_ctas");
	const char *sms = summary_fact(s, row->variant, 0, "sms");
	row->ctas = row->sms_share = NAN;
	if (!text || !sms || !(atof(sms) > 0))
		return;
	row->ctas = launched_of(text, coll_info(g->cell.coll)->name);
	row->sms_share = row->ctas / atof(sms);
}

/* As many as the bytes come to, of the variant's width. */
static double tokens_of(const struct summary *s, const struct training_row *row)
{
	const struct summary_group *g = &s->groups[row->group];
	size_t token = s->settings[row->variant].hidden * coll_dtype_bytes(g->cell.dtype);
	return is_routed(g) && token && row->bytes % token == 0 ? (double)(row->bytes / token)
	                                                        : NAN;
}

static unsigned room_of(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		n += is_taken(s, &s->groups[g]) ? s->groups[g].nsizes * s->nvariants : 0;
	return n;
}

static void rows_make(const struct summary *s, double *us[PARTS + 2], struct training *out)
{
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		const enum coll_kind *kind = kind_of(group);
		for (unsigned k = 0; is_taken(s, group) && k < group->nsizes; k++) {
			unsigned places[PARTS];
			for (unsigned p = 0; p < PARTS; p++)
				places[p] = place_of(s, group, group->asked_bytes[k], kind[p]);
			for (unsigned v = 0; v < s->nvariants; v++) {
				const struct summary_row *step = index_row(s, v, places[STEP]);
				if (!is_shown(s, v) || !step || !step->ntrials)
					continue;
				struct training_row *row = &out->rows[out->n++];
				row->variant = v;
				row->group = g;
				row->bytes = group->asked_bytes[k];
				row->tokens = tokens_of(s, row);
				row->imbalance =
				    is_routed(group)
				        ? routing_imbalance(group->cell.root, ranks_of(group))
				        : NAN;
				row_make(s, v, places, us, row);
				launched(s, group, row);
			}
		}
	}
}

int training_make(const struct summary *s, struct training *out, struct status *st)
{
	const json_t *model = json_object_get(s->run->environment, "model");
	const char *name = json_string_value(json_object_get(model, "name"));
	unsigned room = room_of(s), most = 1;
	double *us[PARTS + 2], *all;
	*out = (struct training){.model = name ? name : ""};
	if (!room)
		return 0;
	for (unsigned i = 0; i < s->nrows; i++)
		most = s->rows[i].ntrials > most ? s->rows[i].ntrials : most;
	most = s->index.nblocks > most ? s->index.nblocks : most;
	all = calloc((size_t)(PARTS + 2) * most, sizeof *all);
	out->rows = calloc(room, sizeof *out->rows);
	if (!all || !out->rows) {
		free(all);
		training_free(out);
		return status_set(st, "out of memory for the steps of training");
	}
	for (unsigned p = 0; p < PARTS + 2; p++)
		us[p] = all + (size_t)p * most;
	rows_make(s, us, out);
	free(all);
	return 0;
}

void training_free(struct training *t)
{
	free(t->rows);
	t->rows = NULL;
	t->n = 0;
}

bool training_tells_overlap(const struct training_row *row)
{
	const struct stats_interval *o = &row->overlap;
	return isnan(o->lo) ? fabs(o->estimate) <= 1 : o->hi - o->lo <= 1;
}

/* The size at which the reference, or else the first variant there is, has the fastest step. */
static size_t fastest(const struct training *t, const struct summary *s, unsigned i,
                      unsigned end)
{
	const struct training_row *best = &t->rows[i];
	for (unsigned k = i; k < end; k++) {
		const struct training_row *row = &t->rows[k];
		bool better = (int)row->variant == s->reference
		                  ? (int)best->variant != s->reference ||
		                        row->step_us.estimate < best->step_us.estimate
		                  : false;
		best = better ? row : best;
	}
	return best->bytes;
}

static unsigned group_end(const struct training *t, unsigned i)
{
	unsigned end = i;
	while (end < t->n && t->rows[end].group == t->rows[i].group)
		end++;
	return end;
}

/* The size at which a group's steps are told: see training_say. */
static size_t told_at(const struct training *t, const struct summary *s, unsigned i,
                      unsigned end)
{
	return is_routed(&s->groups[t->rows[i].group]) ? t->rows[end - 1].bytes
	                                               : fastest(t, s, i, end);
}

/* "8192 tokens (64 MiB)", or the size alone. */
static struct words sent_text(const struct training_row *row)
{
	struct words words = {""};
	if (isnan(row->tokens))
		return words_size(row->bytes);
	words_add(words.text, sizeof words.text, "%.0f token%s (%s)", row->tokens,
	          row->tokens == 1 ? "" : "s", words_size(row->bytes).text);
	return words;
}

/* "Zipf 1.2 over 16 experts in bfloat16". */
static struct words routing_text(const struct summary_group *g)
{
	const unsigned skew = routing_skew(g->cell.root),
	               experts = routing_experts(g->cell.root);
	struct words words = {""};
	if (skew)
		words_add(words.text, sizeof words.text, "Zipf %u.%u", skew / 10, skew % 10);
	else
		words_add(words.text, sizeof words.text, "Even routing");
	words_add(words.text, sizeof words.text, " over %u experts in %s",
	          experts ? experts : ranks_of(g), coll_dtype_name(g->cell.dtype));
	return words;
}

static void add_steps(const struct training *t, const struct summary *s, unsigned i, char *text,
                      size_t bytes)
{
	const struct summary_group *g = &s->groups[t->rows[i].group];
	unsigned end = group_end(t, i), said = 0;
	size_t at = told_at(t, s, i, end);
	words_add(text, bytes, "%s", text[0] ? "; " : "");
	if (!is_routed(g) && t->model[0] && group_end(t, 0) == t->n)
		words_add(text, bytes, "%s in %s", t->model, coll_dtype_name(g->cell.dtype));
	else
		words_add(text, bytes, "%s",
		          is_routed(g) ? routing_text(g).text
		                       : coll_word(&g->cell, g->nranks).text);
	words_add(text, bytes, ", %s%s: ", words_size(at).text, is_routed(g) ? "" : " buckets");
	for (unsigned k = i; k < end; k++)
		if (t->rows[k].bytes == at)
			words_add(text, bytes, "%s%s %s", said++ ? ", " : "",
			          s->variants[t->rows[k].variant].name,
			          words_number(t->rows[k].step_us.estimate / 1000).text);
	words_add(text, bytes, " ms a step");
}

#define CAPTION_GROUPS 3

void training_caption(const struct training *t, const struct summary *s, char *text,
                      size_t bytes)
{
	unsigned groups = 0, n = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < t->n; i = group_end(t, i))
		groups++;
	for (unsigned i = 0; i < t->n; i = group_end(t, i), n++)
		if (n + 1 < CAPTION_GROUPS || n + 1 == groups)
			add_steps(t, s, i, text, bytes);
}

/* "75 % overlapped", only as far as the interval has it; of too few blocks the figure alone. */
static void add_overlap(const struct stats_interval *o, char *text, size_t bytes)
{
	if (o->lo > 0 || (isnan(o->lo) && o->estimate > 0))
		words_add(text, bytes, "%.0f %% overlapped", 100 * o->estimate);
	else if (o->hi < 0.005) /* work slows down by as much as is hidden, or more */
		words_add(text, bytes, "overlap gains nothing");
	else if (isnan(o->lo))
		words_add(text, bytes, "overlap %.0f %%", round(100 * o->estimate) + 0.0);
	else
		words_add(text, bytes, "overlap undecided: %.0f %%, %.0f to %.0f",
		          100 * o->estimate, 100 * o->lo, 100 * o->hi);
}

/* How much of a step is communication: of experts, where nothing is to overlap, what that takes
 * alone; what a step has beyond its compute is the less certain figure. */
static void add_share(bool routed, const struct training_row *row, char *text, size_t bytes)
{
	const double step = row->step_us.estimate, alone = row->communication_us.estimate;
	if (routed && alone > 0)
		words_add(text, bytes, ", its communication alone %s ms (%s %% of it)",
		          words_number(alone / 1000).text, words_percent(alone / step).text);
	if (routed || !training_tells_overlap(row))
		return;
	words_add(text, bytes, ", %.0f %% of it exposed communication (",
	          100 * row->exposed_us.estimate / step);
	add_overlap(&row->overlap, text, bytes);
	words_add(text, bytes, ")");
}

unsigned training_say(const struct training *t, const struct summary *s, unsigned i, char *text,
                      size_t bytes)
{
	const struct summary_group *g = &s->groups[t->rows[i].group];
	unsigned end = group_end(t, i), said = 0;
	size_t at = told_at(t, s, i, end);
	text[0] = '\0';
	if (is_routed(g))
		words_add(text, bytes, "%s, %s from each rank", routing_text(g).text,
		          sent_text(&t->rows[end - 1]).text);
	if (is_routed(g) && t->rows[i].imbalance > 1.005)
		words_add(text, bytes, ", the busiest gets %.3g times the mean",
		          t->rows[i].imbalance);
	if (is_routed(g))
		words_add(text, bytes, ": ");
	else
		snprintf(text, bytes, "%s in %s, fastest with %s: ",
		         t->model[0] ? t->model : coll_info(g->cell.coll)->name,
		         coll_dtype_name(g->cell.dtype), words_size(at).text);
	for (unsigned k = i; k < end; k++) {
		const struct training_row *row = &t->rows[k];
		if (row->bytes != at)
			continue;
		words_add(text, bytes, "%s%s %s ms a step", said++ ? "; " : "",
		          s->variants[row->variant].name,
		          words_number(row->step_us.estimate / 1000).text);
		add_share(is_routed(g), row, text, bytes);
	}
	return end;
}
