/* What each picture of curves shows, as its title. For a collective at a pace: how variants compare
 * with the reference, what launching takes, how long the tail of calls is, and which rank ends
 * farthest from the mean, where that is beyond the margin, the scatter of trials and what polling
 * resolves. The sentences are texts of the table `captions`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/calls.h"
#include "../analysis/contrast.h"
#include "../analysis/plot_order.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
#include "run.h"

#define NAMED     3   /* a longer list gives this many by name */
#define LONG      160 /* bytes; beyond this, several variants are counted and not named */
#define FAR_APART 1.5

/* A picture's group; the order is that of the groups in run.gp. */
struct row {
	const char *collective, *pace;
	const char *said, *launch_said, *tail_said, *ranks_said;
	unsigned group;
};

/* A figure of a variant's curve at one size; or its rank that ends farthest from the mean of all,
 * and how far, as a share of the call. */
struct figure {
	const char *collective, *pace, *variant, *what, *late;
	size_t asked_bytes;
	double value;
	unsigned rank, group;
};

/* Of how many collectives and variants there are pictures. */
struct limits {
	unsigned collectives, each, detail, curves, when;
};
enum { NO_OWN = 1, NO_DETAIL = 2, FEW_CURVES = 4 };

/* The variants of one verdict. Without variants: what the regime cannot decide, or why. */
struct clause {
	const char *collective, *pace, *verdict;
	const char *variants, *verb;  /* "a, b and c", "are" */
	unsigned n;                   /* of them */
	const char *against, *speeds; /* "threads from 16 MiB up", "1.27 to 1.28" */
	const char *margin, *unseen, *why;
	enum verdict_kind kind;
	unsigned group;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN(struct row, said, "variants", "", TEXT),
    COLUMN(struct row, launch_said, "launch", "", TEXT),
    COLUMN(struct row, tail_said, "tail", "", TEXT),
    COLUMN(struct row, ranks_said, "ranks", "", TEXT),
};
static const struct column limits_columns[] = {
    COLUMN(struct limits, collectives, "collectives", "", COUNT),
    COLUMN(struct limits, each, "most with pictures of their own", "", COUNT),
    COLUMN(struct limits, detail, "most with pictures of details", "", COUNT),
    COLUMN(struct limits, curves, "variants that are drawn", "", COUNT),
};
static const struct story_form limits_form =
    STORY_FORM(struct limits, limits_columns, .name = "drawn", .title = "What is drawn", .when = offsetof(struct limits, when), .hidden = true);

static const struct sentence limits_sentences[] = {
    {STORY_ABOVE_PICTURES, NO_OWN, "The run has {collectives} collectives: more than {each} have no pictures of their own."},
    {STORY_ABOVE_PICTURES, NO_DETAIL, "The run has {collectives} collectives: of more than {detail}, launch cost, ranks, single calls and timelines are not drawn."},
    {STORY_ABOVE_PICTURES, FEW_CURVES, "Curves are of {curves} variants, as more cannot be distinguished: the reference and its twin, the ends of the gap, and the first of each mode. The tables have all."},
};

static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "captions", .title = "Captions", .when = STORY_NO_WHEN, .hidden = true, .drawn = STORY_ARRAYS);

static const struct column figure_columns[] = {
    COLUMN(struct figure, collective, "collective", "", TEXT),
    COLUMN(struct figure, pace, "pace", "", TEXT),
    COLUMN(struct figure, asked_bytes, "size", "", BYTES),
    COLUMN(struct figure, what, "what", "", TEXT),
    COLUMN(struct figure, variant, "variant", "", TEXT),
    COLUMN(struct figure, value, "value", "", NUMBER),
    COLUMN(struct figure, rank, "rank", "", COUNT),
    COLUMN(struct figure, late, "off the mean, of the call", "", TEXT),
};
static const struct story_form figure_form =
    STORY_FORM(struct figure, figure_columns, .name = "caption_figures", .title = "Figures of captions", .when = STORY_NO_WHEN, .hidden = true);

static const struct column clause_columns[] = {
    COLUMN(struct clause, collective, "collective", "", TEXT),
    COLUMN(struct clause, pace, "pace", "", TEXT),
    COLUMN(struct clause, verdict, "verdict", "", WORD),
    COLUMN(struct clause, variants, "variants", "", TEXT),
    COLUMN(struct clause, n, "how many", "", COUNT),
    COLUMN(struct clause, verb, "is", "", TEXT),
    COLUMN(struct clause, against, "against", "", TEXT),
    COLUMN(struct clause, speeds, "speeds", "", TEXT),
    COLUMN(struct clause, margin, "margin", "", TEXT),
    COLUMN(struct clause, unseen, "not seen", "", TEXT),
    COLUMN(struct clause, why, "why undecided", "", TEXT),
};
static const struct story_form clause_form =
    STORY_FORM(struct clause, clause_columns, .name = "caption_verdicts", .title = "Verdicts of captions", .when = STORY_NO_WHEN, .hidden = true);

/* For the first clause, and for those after it. */
static const char *const says[VERDICT_KINDS][2] = {
    [VERDICT_FASTER] = {" {verb} {speeds} times as fast as {against}", " {verb} {speeds} times as fast"},
    [VERDICT_SLOWER] = {" {verb} {speeds} times as fast as {against}", " {verb} {speeds} times as fast"},
    [VERDICT_LITTLE_FASTER] = {" {verb} faster than {against}, by under {margin}", " {verb} faster, by under {margin}"},
    [VERDICT_LITTLE_SLOWER] = {" {verb} slower than {against}, by under {margin}", " {verb} slower, by under {margin}"},
    [VERDICT_NO_DIFFERENCE] = {" {verb} as fast as {against}, within {margin}", " {verb} as fast, within {margin}"},
    [VERDICT_UNDECIDED] = {" against {against}: undecided, {unseen}", ": undecided, {unseen}"},
};
// clang-format on

struct teller {
	const struct analysis *a;
	struct story *story;
	struct arena *arena;
	struct plot_order order;
	struct row *rows;
	struct figure *figures;
	struct clause *clauses;
	unsigned n, nfigures, nclauses;
	const struct story_table *in_figures, *in_clauses;
};

/* --- figures --- */

/* Over all calls, as the picture has them: blocks scatter, and the median of each block's p95 would
 * be off the curve. */
static double tail_of(const struct summary *s, const struct summary_row *row)
{
	const struct arena_mark mark = arena_mark(s->arena);
	double *calls = calls_room(s, s->arena);
	const double p95 = stats_quantile(calls, calls_sorted(s, row, calls), 0.95);
	arena_release(s->arena, mark);
	return p95;
}

/* What a picture says about one size, variant by variant. */
static const struct kind {
	const char *what, *says;
	size_t field; /* of the summary's row; 0: of its single calls */
} bandwidth = {"bandwidth", "At {asked_bytes} bus bandwidth is {value} GB/s in {variant}",
               offsetof(struct summary_row, busbw_gbs)},
  call = {"call", "At {asked_bytes} a call takes {value} µs in {variant}",
          offsetof(struct summary_row, time_us)},
  launch = {"launch", "At {asked_bytes} launching takes {value} µs in {variant}",
            offsetof(struct summary_row, launch_us)},
  tail = {"tail", "At {asked_bytes} 95 % of all calls take at most {value} µs in {variant}", 0},
  after = {"after the mean",
           "Rank {rank} of {variant} ends {late} of the call after the mean of all ranks at "
           "{asked_bytes}",
           0},
  before = {"before the mean",
            "Rank {rank} of {variant} ends {late} of the call before the mean of all ranks at "
            "{asked_bytes}",
            0},
  within = {"within", "All ranks end within {late} of the call of their mean", 0};

/* Rounds to the digits of a sentence: the six digits in report.json would round 12318.52
 * differently. */
static double as_said(double value)
{
	return strtod(format_number(value).text, NULL);
}

static void see(struct teller *t, const struct row *row, const struct kind *kind, unsigned size)
{
	const struct summary *s = t->a->s;
	for (unsigned i = 0; i < t->order.main; i++) {
		const unsigned v = t->order.variants[i];
		const struct summary_row *at = index_at(s, v, row->group, size);
		double value = at && !kind->field ? tail_of(s, at) : NAN;
		if (at && kind->field)
			memcpy(&value, (const char *)at + kind->field, sizeof value);
		if (isfinite(value))
			t->figures[t->nfigures++] =
			    (struct figure){.collective = row->collective,
			                    .pace = row->pace,
			                    .variant = s->variants[v].name,
			                    .what = kind->what,
			                    .asked_bytes = s->groups[row->group].asked_bytes[size],
			                    .value = as_said(value),
			                    .rank = ENTRY_NO_COUNT,
			                    .group = row->group};
	}
}

/* "At 4 KiB launching takes 9.1 µs in threads, 16 in single". */
static const char *say(const struct teller *t, const struct row *row, const struct kind *kind)
{
	struct phrase p = phrase_begin(t->story);
	for (unsigned i = 0; i < t->nfigures; i++)
		if (t->figures[i].group == row->group && t->figures[i].what == kind->what)
			phrase_add(&p, t->in_figures, &i, 1,
			           p.used ? ", {value} in {variant}" : kind->says);
	phrase_end(&p, STORY_IN_A_ROW);
	return p.text;
}

/* Whether a rank's distance from the mean is beyond the margin in nearly all trials, and more than the
 * poll round that saw its end. */
static bool is_apart(const struct summary *s, const struct summary_row *at, unsigned rank)
{
	const struct summary_rank *r = &at->ranks[rank];
	return fabs(r->late_sure_us) > s->margin * at->time_us &&
	       fabs(r->late_us) * at->calls > at->resolution_us;
}

/* Of ranks that are surely apart, the one that ends farthest from the mean, over the group's variants
 * and sizes; or by how much all of them are at most off it, where that is within the margin. */
static void see_rank(struct teller *t, const struct row *row)
{
	const struct summary *s = t->a->s;
	const struct summary_group *g = &s->groups[row->group];
	struct figure *found = &t->figures[t->nfigures];
	double most = 0, apart = 0;
	*found = (struct figure){.collective = row->collective,
	                         .pace = row->pace,
	                         .what = within.what,
	                         .asked_bytes = ENTRY_NO_BYTES,
	                         .value = NAN,
	                         .rank = ENTRY_NO_COUNT,
	                         .late = arena_text(t->arena, "%.3g %%", 100 * s->margin),
	                         .group = row->group};
	for (unsigned i = 0; i < t->order.n * g->nsizes; i++) {
		const unsigned v = t->order.variants[i / g->nsizes];
		const struct summary_row *at = index_at(s, v, row->group, i % g->nsizes);
		const bool ranks = at && at->ranks && s->variants[v].role != ROLE_AGAIN;
		for (unsigned r = 0; ranks && r < at->nranks; r++) {
			const double share = at->ranks[r].late_us / at->time_us;
			most = fmax(most, fabs(share));
			if (!(fabs(share) > apart) || !is_apart(s, at, r))
				continue;
			apart = fabs(share);
			found->variant = s->variants[v].name;
			found->what = share > 0 ? after.what : before.what;
			found->asked_bytes = g->asked_bytes[i % g->nsizes];
			found->rank = r;
			found->late = arena_text(t->arena, "%.2g %%", 100 * apart);
		}
	}
	if (apart > 0 || (most > 0 && most <= s->margin))
		t->nfigures++;
}

/* --- against the reference --- */

/* The sizes that judge a group's pace: large ones for streams, small ones for isolated calls, if it
 * has any of them; else all sizes, and false. */
static bool range_of(const struct summary_group *g, const struct regime *regime,
                     struct claim_range *range)
{
	*range = (struct claim_range){0, SIZE_MAX};
	for (unsigned i = 0; regime && i < g->nsizes; i++)
		if (g->asked_bytes[i] >= regime->range.lo &&
		    g->asked_bytes[i] <= regime->range.hi) {
			*range = regime->range;
			return true;
		}
	return false;
}

/* For a regime that cannot distinguish small differences: keeps what is still beyond its noise. */
static void keep_beyond(const struct regime *regime, struct verdict *v)
{
	const int beyond = isnan(v->ratio.lo) ? 0 : regime_beyond(regime, &v->ratio);
	v->kind = beyond > 0 ? VERDICT_FASTER : VERDICT_SLOWER;
	if (!beyond)
		v->ratio.estimate = NAN;
}

/* For each variant that is drawn; NaN if it has none. */
static const struct verdict *verdicts_of(const struct teller *t, const struct summary_group *g,
                                         const struct regime *regime, struct claim_range range)
{
	const struct summary *s = t->a->s;
	struct verdict *out = ARENA_ARRAY(t->arena, struct verdict, t->order.n + 1);
	for (unsigned i = 0; i < t->order.n; i++) {
		const unsigned v = t->order.variants[i];
		out[i].ratio.estimate = NAN;
		if (s->variants[v].role != ROLE_VARIANT)
			continue;
		out[i] = contrast_against(s, v, g, range);
		if (regime && !regime->tells)
			keep_beyond(regime, &out[i]);
	}
	return out;
}

static double distance(const struct verdict *verdicts, unsigned at)
{
	return fabs(log(verdicts[at].ratio.estimate));
}

/* The variants of one verdict, in their order; the farthest first if they are far apart. */
static unsigned take_kind(const struct teller *t, const struct verdict *verdicts,
                          enum verdict_kind kind, unsigned *at, double *least, double *most)
{
	unsigned n = 0;
	*least = INFINITY;
	*most = 0;
	for (unsigned i = 0; i < t->order.n; i++) {
		const double ratio = verdicts[i].ratio.estimate;
		if (isnan(ratio) || verdicts[i].kind != kind)
			continue;
		at[n++] = i;
		*least = fmin(*least, ratio);
		*most = fmax(*most, ratio);
	}
	for (unsigned i = 1; i<n && * most> FAR_APART * *least; i++)
		for (unsigned j = i; j && distance(verdicts, at[j]) > distance(verdicts, at[j - 1]);
		     j--) {
			const unsigned nearer = at[j - 1];
			at[j - 1] = at[j];
			at[j] = nearer;
		}
	return n;
}

static struct formatted times(double ratio)
{
	return ratio < 0.1 ? format_estimate(ratio) : format_number(ratio);
}

/* "a, b and c"; of more than four "a, b, c and 4 more". */
static void add_names(const struct teller *t, const unsigned *at, struct clause *c)
{
	const unsigned named = c->n > NAMED + 1 ? NAMED : c->n;
	c->variants = "";
	for (unsigned i = 0; i < named; i++) {
		const char *name = t->a->s->variants[t->order.variants[at[i]]].name,
		           *sep = !i              ? ""
		                  : i + 1 == c->n ? " and "
		                                  : ", ";
		c->variants = arena_text(t->arena, "%s%s%.60s", c->variants, sep, name);
		c->verb = c->n > 1 ? "are" : run_are(name);
	}
	if (named < c->n)
		c->variants = arena_text(t->arena, "%s and %u more", c->variants, c->n - named);
}

static void see_kind(struct teller *t, struct clause c, const struct verdict *verdicts)
{
	unsigned *at = ARENA_ARRAY(t->arena, unsigned, t->order.n + 1);
	double least, most, unseen = 0;
	char text[64];
	c.n = take_kind(t, verdicts, c.kind, at, &least, &most);
	if (!c.n)
		return;
	for (unsigned i = 0; i < c.n; i++)
		unseen = fmax(unseen, verdicts[at[i]].detectable);
	verdict_unseen_text(unseen, text, sizeof text);
	c.unseen = arena_copy(t->arena, text);
	c.verdict = verdict_word(c.kind);
	c.speeds = strcmp(times(least).text, times(most).text)
	               ? arena_text(t->arena, "%s to %s", times(least).text, times(most).text)
	               : arena_copy(t->arena, times(least).text);
	add_names(t, at, &c);
	t->clauses[t->nclauses++] = c;
}

/* Why a regime cannot distinguish variants, without the full stop. */
static const char *reason_of(const struct teller *t, const struct regime *regime)
{
	const char *why = regime_doubt_text(t->arena, t->a->s, regime);
	return arena_text(t->arena, "%.*s", (int)strlen(why) - 1, why);
}

/* False: there is no comparison. */
static bool see_clauses(struct teller *t, const struct row *row)
{
	const struct summary *s = t->a->s;
	const struct summary_group *g = &s->groups[row->group];
	const bool large = g->cell.pace == PACE_STREAM;
	const struct regime *regime =
	    regimes_find(&t->a->regimes, large ? REGIME_LARGE : REGIME_SMALL);
	const unsigned first = t->nclauses;
	struct claim_range range, sizes = {0, SIZE_MAX};
	if (!t->a->regimes.n || s->reference < 0)
		return false;
	const bool part = range_of(g, regime, &range);
	const struct verdict *verdicts = verdicts_of(t, g, regime, range);
	*(large ? &sizes.lo : &sizes.hi) = large ? range.lo : range.hi;
	struct clause c = {.collective = row->collective,
	                   .pace = row->pace,
	                   .n = ENTRY_NO_COUNT,
	                   .against =
	                       arena_text(t->arena, "%s%s%s", s->variants[s->reference].name,
	                                  part ? " " : "", part ? format_range(sizes).text : ""),
	                   .margin = arena_text(t->arena, "%.3g %%", 100 * s->margin),
	                   .group = row->group};
	for (c.kind = 0; c.kind < VERDICT_KINDS; c.kind++)
		see_kind(t, c, verdicts);
	if (!regime || regime->tells)
		return true;
	if (t->nclauses == first)
		c.why = reason_of(t, regime);
	else if (!isnan(regime->least_effect))
		c.unseen = arena_text(t->arena, "effects under %s cannot be seen here",
		                      format_effect(regime->least_effect).text);
	t->clauses[t->nclauses++] = c;
	return true;
}

/* "b and c are 1.27 to 1.28 times as fast as a from 16 MiB up; d is as fast, within 2 %" */
static const char *say_clauses(const struct teller *t, const struct row *row)
{
	struct phrase p = phrase_begin(t->story);
	for (unsigned i = 0; i < t->nclauses; i++) {
		const struct clause *c = &t->clauses[i];
		const bool more = p.used, several = c->n > 1 && p.used > LONG;
		if (c->group != row->group || (!c->variants && !c->why && !c->unseen))
			continue;
		phrase_words(&p, "; ");
		phrase_add(&p, t->in_clauses, &i, 1,
		           c->why         ? "{why}"
		           : !c->variants ? "{unseen}"
		           : several      ? "{n} others"
		                          : "{variants}");
		if (c->variants)
			phrase_add(&p, t->in_clauses, &i, 1, says[c->kind][more]);
	}
	phrase_end(&p, STORY_IN_A_ROW);
	return p.text;
}

/* --- all of it --- */

static struct teller begin(const struct analysis *a, struct story *story)
{
	const struct plot_order order = plot_order_make(a->s, story->arena);
	const size_t groups = a->s->ngroups + 1u;
	return (struct teller){
	    .a = a,
	    .story = story,
	    .arena = story->arena,
	    .order = order,
	    .rows = ARENA_ARRAY(story->arena, struct row, groups),
	    .figures = ARENA_ARRAY(story->arena, struct figure, 3 * groups * (order.main + 2)),
	    .clauses = ARENA_ARRAY(story->arena, struct clause, groups * (VERDICT_KINDS + 1))};
}

/* The parts of a group's sentences. */
static void see_group(struct teller *t, unsigned group)
{
	const struct summary_group *g = &t->a->s->groups[group];
	struct row *row = &t->rows[t->n++];
	*row = (struct row){.collective = run_collective(t->arena, g),
	                    .pace = coll_pace_name(g->cell.pace),
	                    .group = group};
	/* A title of figures side by side would compare them. */
	if (t->a->s->uncompared.kind)
		return;
	if (!see_clauses(t, row))
		see(t, row, g->cell.pace == PACE_STREAM ? &bandwidth : &call, g->nsizes - 1);
	see(t, row, &launch, 0);
	see(t, row, &tail, 0);
	see_rank(t, row);
}

/* What is not drawn, and why. */
static void tell_limits(const struct summary *s, struct story *story)
{
	struct limits *row = ARENA_NEW(story->arena, struct limits);
	*row = (struct limits){.collectives = plot_order_collectives(s),
	                       .each = PLOT_ORDER_EACH,
	                       .detail = PLOT_ORDER_DETAIL,
	                       .curves = plot_order_count(s)};
	row->when = (row->collectives > row->each     ? NO_OWN
	             : row->collectives > row->detail ? NO_DETAIL
	                                              : 0) |
	            (plot_order_left_out(s) ? FEW_CURVES : 0);
	STORY_TELL(story, story_table(story, &limits_form, row, 1), limits_sentences);
}

static void tell(const struct analysis *a, struct story *story)
{
	tell_limits(a->s, story);
	if (!plot_order_count(a->s) || plot_order_collectives(a->s) > PLOT_ORDER_EACH)
		return;
	struct teller t = begin(a, story);
	for (unsigned g = 0; g < a->s->ngroups; g++)
		if (plot_order_has_group(a->s, g))
			see_group(&t, g);
	t.in_figures = story_table(story, &figure_form, t.figures, t.nfigures);
	t.in_clauses = story_table(story, &clause_form, t.clauses, t.nclauses);
	for (unsigned i = 0; i < t.n; i++) {
		struct row *row = &t.rows[i];
		const char *figures = say(
		    &t, row, !strcmp(row->pace, coll_pace_name(PACE_STREAM)) ? &bandwidth : &call);
		row->said = figures ? figures : say_clauses(&t, row);
		row->launch_said = say(&t, row, &launch);
		row->tail_said = say(&t, row, &tail);
		const char *late = say(&t, row, &after), *early = say(&t, row, &before);
		row->ranks_said = late ? late : early ? early : say(&t, row, &within);
	}
	story_table(story, &form, t.rows, t.n);
	const bool front = !a->s->uncompared.kind;
	story_picture(story, "ratio", front);
	story_picture(story, "ratio_isolated", front);
	story_picture(story, "busbw", front);
	story_picture(story, "latency", front);
}

const struct chapter chapter_captions = {"captions", "", CHAPTER_BODY, tell};
