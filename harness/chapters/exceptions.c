/* Sizes with a verdict that no mean reports: it differs from the mean over their regime's sizes, or
 * they are in no regime.
 *
 * Each size of each collective is judged by itself. Its estimate has to be beyond the margin, and
 * the whole interval over the blocks beyond what the reference's twin shows at that size (A/A). A
 * regime is judged as in the answer (regime.h). If a run has several versions of the library, each
 * variant is also compared with itself on the next version. Sizes below the large ones are in no
 * regime. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "run.h"

#define ANSWERS 2 /* sentences on top; the table has all */

enum {
	HIDDEN = 1,  /* by the mean of its regime */
	LIBRARY = 2, /* two versions, in no regime */
	BETWEEN = 4, /* in no regime */
	MANY = 64,   /* the same, in a run of several collectives */
	FASTER = 8,
	SLOWER = 16,
	ON_TOP = 32,
	AGAINST = 128, /* the mean is decided the other way */
};

struct row {
	const char *collective, *pace;
	size_t bytes;
	const char *variant, *against;
	struct stats_ratio speed;
	const char *verdict;
	const char *mean;     /* the regime's verdict that it contradicts; NULL: it is in none */
	const char *versions; /* "2.21.5 is slower than 2.28.3", else NULL */
	unsigned when;
};

static const struct column columns[] = {
    COLUMN(struct row, collective, "collective", "", TEXT),
    COLUMN(struct row, pace, "pace", "", TEXT),
    COLUMN_AS(struct row, bytes, "asked_bytes", "size", "", BYTES, 0),
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, against, "against", "", TEXT),
    COLUMN(struct row, speed, "speed", "", RATIO),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN_AS(struct row, mean, "mean", "over its regime", "", WORD, ONLY_FILLED),
    COLUMN_AS(struct row, versions, "versions", "", "", TEXT, ONLY_FILES),
};

static const struct story_form form =
    STORY_FORM(struct row, columns, .name = "exceptions", .title = "Sizes that no mean tells",
               .when = offsetof(struct row, when));

static const struct sentence sentences[] = {
    {STORY_ANSWER | STORY_MORE, ON_TOP | HIDDEN,
     "At {asked_bytes} ({collective}, {pace}) {verdict} than {against}, where the mean over "
     "the "
     "regime's sizes is {mean}: {variant:list}, {speed:range} times the speed."},
    {STORY_ANSWER | STORY_MORE, ON_TOP | LIBRARY,
     "At {asked_bytes} ({collective}, {pace}), a size of no regime, NCCL {versions}: "
     "{variant:list}, {speed:range} times the speed."},
    {STORY_ANSWER | STORY_MORE, ON_TOP | BETWEEN,
     "At {asked_bytes} ({collective}, {pace}), a size of no regime, {verdict} than {against}: "
     "{variant:list}, {speed:range} times the speed."},
    {STORY_ANSWER | STORY_MORE, ON_TOP | MANY,
     "At {asked_bytes} ({pace}), a size of no regime, {verdict} than {against}: {variant} in "
     "{collective:list}, {speed:range} times the speed."},
};

struct teller {
	const struct analysis *a;
	struct arena *arena;
	struct row *rows;
	unsigned n;
	bool many; /* collectives */
};

static struct contrast judge(const struct teller *t, unsigned group, unsigned size, unsigned left,
                             unsigned right)
{
	const struct summary_group *g = &t->a->s->groups[group];
	const size_t asked = g->asked_bytes[size];
	const struct contrast_select select = {.bytes = {asked, asked},
	                                       .pace = (int)g->cell.pace,
	                                       .coll = (int)g->cell.coll,
	                                       .group = g};
	return contrast_make(t->a->s, left, right, METRIC_TIME, &select);
}

/* How far the A/A line of a size is from 1, as a log; NaN without one. */
static double line_of(const struct teller *t, unsigned group, unsigned size)
{
	const struct summary *s = t->a->s;
	const struct contrast c = judge(t, group, size, (unsigned)s->twin, (unsigned)s->reference);
	return fmax(fabs(log(c.verdict.ratio.lo)), fabs(log(c.verdict.ratio.hi)));
}

/* 1, -1: faster, slower beyond the line; 0: not decided. */
static int side_of(const struct contrast *c, double line)
{
	const struct stats_ratio *r = &c->verdict.ratio;
	if (!(fabs(log(r->estimate)) > log1p(c->verdict.margin)))
		return 0;
	return log(r->lo) > line ? 1 : log(r->hi) < -line ? -1 : 0;
}

static void add(struct teller *t, unsigned group, unsigned size, const struct contrast *c,
                unsigned when, const char *mean, const char *versions, int side)
{
	const struct summary *s = t->a->s;
	const struct summary_group *g = &s->groups[group];
	t->rows = arena_more(t->arena, t->rows, t->n, sizeof *t->rows);
	t->rows[t->n++] = (struct row){.collective = run_collective(t->arena, g),
	                               .pace = coll_pace_name(g->cell.pace),
	                               .bytes = g->asked_bytes[size],
	                               .variant = s->variants[c->left].name,
	                               .against = s->variants[c->right].name,
	                               .speed = c->verdict.ratio,
	                               .verdict = side > 0 ? "faster" : "slower",
	                               .mean = mean,
	                               .versions = versions,
	                               .when = when | (side > 0 ? FASTER : SLOWER)};
}

static const struct regime *regime_of(const struct teller *t, const struct summary_group *g,
                                      size_t asked)
{
	for (unsigned i = 0; i < t->a->regimes.n; i++) {
		const struct regime *r = &t->a->regimes.list[i];
		if (r->pace == (int)g->cell.pace && asked >= r->range.lo && asked <= r->range.hi)
			return r;
	}
	return NULL;
}

static bool has_figures(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && summary_is_asked(s, v);
}

/* Whether the size is neither in a regime nor among the large ones, at whatever pace. */
static bool is_between(const struct teller *t, const struct summary_group *g, size_t asked)
{
	const struct regime *large = regimes_find(&t->a->regimes, REGIME_LARGE);
	return !regime_of(t, g, asked) && !(large && asked >= large->range.lo);
}

/* 1, -1: the verdict on a variant over a regime's sizes; 0: neither. */
static int said_of(const struct regime *r, unsigned v)
{
	const struct verdict *verdict = &r->contrasts[v].verdict;
	return r->tells ? verdict_beyond(verdict) : regime_beyond(r, &verdict->ratio);
}

/* Whether every regime has the same verdict on a variant: then it is no news in between. */
static bool all_say(const struct regimes *regimes, unsigned v, int side)
{
	for (unsigned i = 0; i < regimes->n; i++)
		if (said_of(&regimes->list[i], v) != side)
			return false;
	return regimes->n > 0;
}

/* Each variant compared with the reference, at one size. */
static void tell_variants(struct teller *t, unsigned group, unsigned size, double line)
{
	const struct summary *s = t->a->s;
	const struct summary_group *g = &s->groups[group];
	const struct regime *r = regime_of(t, g, g->asked_bytes[size]);
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!has_figures(s, v) || (int)v == s->reference ||
		    (r && r->contrasts[v].ncells < 2))
			continue;
		const struct contrast c = judge(t, group, size, v, (unsigned)s->reference);
		const int side = side_of(&c, line), said = r ? said_of(r, v) : 0;
		if (!side || (r ? said == side : all_say(&t->a->regimes, v, side)))
			continue;
		add(t, group, size, &c,
		    r         ? HIDDEN | (said ? AGAINST : 0)
		    : t->many ? MANY
		              : BETWEEN,
		    !r         ? NULL
		    : said     ? verdict_word(said > 0 ? VERDICT_FASTER : VERDICT_SLOWER)
		    : r->tells ? verdict_word(r->contrasts[v].verdict.kind)
		               : verdict_word(VERDICT_UNDECIDED),
		    NULL, side);
	}
}

/* The variant that differs only in the library, which has the next version; or -1. */
static int next_version(const struct summary *s, unsigned v)
{
	int next = -1;
	char keys[256];
	for (unsigned w = 0; w < s->nvariants && *s->variants[v].library; w++) {
		const char *version = s->variants[w].library;
		if (!has_figures(s, w) || !*version ||
		    settings_differ(&s->run->variants[v].settings, &s->run->variants[w].settings,
		                    keys, sizeof keys) != 1 ||
		    !strcmp(s->run->variants[v].settings.nccl, s->run->variants[w].settings.nccl) ||
		    strverscmp(s->variants[v].library, version) >= 0)
			continue;
		if (next < 0 || strverscmp(version, s->variants[next].library) < 0)
			next = (int)w;
	}
	return next;
}

/* Each variant compared with the same one on the next version of the library. */
static void tell_versions(struct teller *t, unsigned group, unsigned size, double line)
{
	const struct summary *s = t->a->s;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const int next = has_figures(s, v) ? next_version(s, v) : -1;
		if (next < 0)
			continue;
		const struct contrast c = judge(t, group, size, v, (unsigned)next);
		const int side = side_of(&c, line);
		if (side)
			add(t, group, size, &c, LIBRARY, NULL,
			    arena_text(t->arena, "%s is %s than %s", s->variants[v].library,
			               side > 0 ? "faster" : "slower", s->variants[next].library),
			    side);
	}
}

static bool counts(const struct summary *s, const struct summary_group *g)
{
	return !g->limit && !index_is_part(s, g->cell.coll) &&
	       !(coll_info(g->cell.coll)->is & (COLL_PSEUDO | COLL_PAIRS)) &&
	       !(s->oversubscribed && g->cell.pace == PACE_ISOLATED);
}

/* A sentence that may be in the answer, of the rows that share it. */
struct candidate {
	const char *text; /* without its lists */
	double effect;    /* the largest, as a log */
	bool against;
};

static bool is_stronger(const struct candidate *a, const struct candidate *b)
{
	return a->against != b->against ? a->against : a->effect > b->effect;
}

/* The sentence of a row; NULL if its kind is not among those of the answer. */
static const char *text_of(struct story *story, const struct story_table *table, unsigned row,
                           unsigned kinds)
{
	const struct row *rows = table->rows;
	unsigned at = 0;
	if (!(rows[row].when & kinds))
		return NULL;
	while (!(sentences[at].when & rows[row].when & kinds))
		at++;
	return phrase_common(story, table, row, sentences[at].text);
}

/* The strongest sentences are in the answer: those that say the opposite of a decided mean, then
 * those with the largest effects. Returns whether that is all. */
static bool choose_answers(struct story *story, const struct story_table *table, struct row *rows,
                           unsigned kinds)
{
	struct candidate *all = ARENA_ARRAY(story->arena, struct candidate, table->nrows);
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, table->nrows), n = 0;
	for (unsigned i = 0; i < table->nrows; i++) {
		const char *text = text_of(story, table, i, kinds);
		unsigned k = 0;
		while (text && k < n && strcmp(all[k].text, text))
			k++;
		of[i] = text ? k : UINT_MAX;
		if (!text)
			continue;
		if (k == n)
			all[n++] = (struct candidate){.text = text};
		all[k].effect = fmax(all[k].effect, fabs(log(rows[i].speed.estimate)));
		all[k].against |= rows[i].when & AGAINST;
	}
	for (unsigned i = 0; i < table->nrows; i++) {
		unsigned stronger = 0;
		for (unsigned k = 0; of[i] != UINT_MAX && k < n; k++)
			stronger +=
			    k != of[i] && (is_stronger(&all[k], &all[of[i]]) ||
			                   (k < of[i] && !is_stronger(&all[of[i]], &all[k])));
		rows[i].when |= of[i] != UINT_MAX && stronger < ANSWERS ? ON_TOP : 0;
	}
	return n <= ANSWERS;
}

static void tell_sizes(struct teller *t, unsigned group)
{
	const struct summary_group *g = &t->a->s->groups[group];
	for (unsigned i = 0; i < g->nsizes && counts(t->a->s, g); i++) {
		const double line = line_of(t, group, i);
		const bool between = is_between(t, g, g->asked_bytes[i]);
		if (isnan(line))
			continue;
		if (between)
			tell_versions(t, group, i, line);
		if (between || regime_of(t, g, g->asked_bytes[i]))
			tell_variants(t, group, i, line);
	}
}

/* Whether the run has more than one collective to report. */
static bool has_many(const struct summary *s)
{
	int first = -1;
	for (unsigned g = 0; g < s->ngroups; g++) {
		if (!counts(s, &s->groups[g]))
			continue;
		if (first >= 0 && s->groups[g].cell.coll != s->groups[first].cell.coll)
			return true;
		first = first < 0 ? (int)g : first;
	}
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct teller t = {.a = a, .arena = story->arena, .many = has_many(s)};
	if (s->uncompared.kind || s->reference < 0 || s->twin < 0 || s->run->search)
		return;
	for (unsigned g = 0; g < s->ngroups; g++)
		tell_sizes(&t, g);
	const struct story_table *table = story_table(story, &form, t.rows, t.n);
	if (!t.n)
		return;
	const bool between = !run_by_version(a, story->arena) && !a->asked.gap.from[0];
	const bool all =
	    choose_answers(story, table, t.rows, HIDDEN | LIBRARY | (between ? BETWEEN | MANY : 0));
	STORY_TELL(story, table, sentences);
	if (!all)
		story_note(story, STORY_ANSWER | STORY_MORE,
		           "The section Sizes that no mean tells has more of them.");
	story_note(
	    story, STORY_BODY,
	    "Sizes that go another way than the mean over their regime, and sizes below the "
	    "large ones in no regime. Each is judged by itself (pointwise): its estimate is "
	    "beyond the margin, and its interval beyond what the A/A line shows at that size. "
	    "Speed: above 1 is faster.");
}

const struct chapter chapter_exceptions = {"exceptions", "Sizes that no mean tells", CHAPTER_BODY,
                                           tell};
