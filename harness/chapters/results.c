/* Each variant compared with the reference: by regime (regime.h), and over all sizes at once.
 * Settings that did nothing are marked in place. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/format.h"
#include "chapters.h"
#include "run.h"

#define OPEN_NAMED 4   /* undecided variants in a sentence */
#define FAR_SLOWER 0.1 /* below this, a speed has leading zeros to count */

/* The verdict on a variant in a regime. */
enum said { SAID_FASTER, SAID_SLOWER, SAID_ALIKE, SAID_ODD, SAID_OPEN, SAID_NOTHING };

struct row {
	const char *variant; /* as the table has it */
	double value;
	struct stats_ratio speed;
	const char *verdict;
	const char *name, *regime, *reference, *metric;
	int twin;
	double detectable;
	struct stats_ratio time; /* the inverse of the speed */
	const char *odd, *idle;
	enum said said;
};

/* A regime. */
struct about {
	const char *regime, *label, *about, *reference, *unseen;
	double margin;
	unsigned more; /* undecided, and not named */
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, variant, "variant", "", TEXT),
    COLUMN(struct row, value, "", "", NUMBER), /* the unit is the regime's */
    COLUMN(struct row, speed, "speed", "", RATIO),
    COLUMN(struct row, verdict, "verdict", "", WORD),
    COLUMN_AS(struct row, name, "name", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, regime, "regime", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, reference, "reference", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, metric, "metric", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, twin, "twin", "", "", FLAG, ONLY_FILES),
    COLUMN_AS(struct row, detectable, "detectable", "", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct row, time, "time", "", "", RATIO, ONLY_FILES),
    COLUMN_AS(struct row, odd, "odd", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct row, idle, "idle", "", "", TEXT, ONLY_FILES),
};
#define NCOLUMNS (sizeof columns / sizeof *columns)

static const struct column about_columns[] = {
    COLUMN(struct about, regime, "regime", "", TEXT),
    COLUMN(struct about, label, "called", "", TEXT),
    COLUMN(struct about, about, "sizes and metric", "", TEXT),
    COLUMN(struct about, reference, "reference", "", TEXT),
    COLUMN(struct about, unseen, "what cannot be seen", "", TEXT),
    COLUMN(struct about, margin, "margin", "", SHARE),
    COLUMN(struct about, more, "undecided, not named", "", COUNT),
};
static const struct story_form about_form =
    STORY_FORM(struct about, about_columns, .name = "regimes", .title = "Regimes", .when = STORY_NO_WHEN, .hidden = true);

/* Over all sizes. */
struct over {
	const char *collective, *pace, *variant;
	struct stats_ratio speed;
	unsigned blocks;
	struct verdict verdict;
};
static const struct column over_columns[] = {
    COLUMN(struct over, collective, "collective", "", TEXT),
    COLUMN(struct over, pace, "pace", "", TEXT),
    COLUMN(struct over, variant, "variant", "", TEXT),
    COLUMN(struct over, speed, "speed", "", RATIO),
    COLUMN(struct over, blocks, "blocks", "", COUNT),
    COLUMN(struct over, verdict, "verdict", "", VERDICT),
};
static const struct story_form over_form =
    STORY_FORM(struct over, over_columns, .name = "gaps", .title = "Speed against the reference over all sizes", .when = STORY_NO_WHEN);
// clang-format on

/* --- rows --- */

static enum said said_of(const struct analysis *a, const struct regime *g, unsigned variant)
{
	const struct evidence_path *path = &a->evidence->paths[variant];
	const struct verdict *v = &g->contrasts[variant].verdict;
	const int beyond = g->tells ? verdict_beyond(v) : regime_beyond(g, &v->ratio);
	if ((int)variant == g->twin)
		return SAID_NOTHING;
	if (beyond)
		return beyond > 0 ? SAID_FASTER : SAID_SLOWER;
	/* A setting that did nothing is reported separately. */
	if (isnan(v->ratio.lo) || (path->idle[0] && (int)path->idle_as == a->s->reference))
		return SAID_NOTHING;
	if (v->odd.block)
		return SAID_ODD;
	return g->tells && verdict_within(v) ? SAID_ALIKE : SAID_OPEN;
}

static double scale_of(const struct regime *g)
{
	return contrast_is_time(g->metric) ? 1e-3 : 1; /* times are in ns */
}

static struct row row_of(const struct analysis *a, const struct regime *g, struct arena *arena,
                         unsigned v)
{
	const struct contrast *c = &g->contrasts[v];
	const struct stats_ratio *r = &c->verdict.ratio;
	const struct evidence_path *path = &a->evidence->paths[v];
	const bool twin = (int)v == g->twin;
	char verdict[VERDICT_TEXT_BYTES], odd[128] = "";
	regime_verdict_text(g, v, verdict, sizeof verdict);
	if (c->verdict.odd.block)
		verdict_odd_text(&c->verdict.odd, odd, sizeof odd);
	struct row row = {.name = a->s->variants[v].name,
	                  .value = c->left_side.value * scale_of(g),
	                  .speed = *r,
	                  .regime = g->name,
	                  .reference = a->s->variants[a->s->reference].name,
	                  .metric = metric_info(g->metric)->name,
	                  .twin = twin,
	                  .detectable = c->verdict.detectable,
	                  .time = {1 / r->estimate, 1 / r->hi, 1 / r->lo, r->blocks, NAN},
	                  .odd = arena_copy(arena, odd),
	                  .idle = path->idle,
	                  .said = said_of(a, g, v)};
	row.variant = twin ? arena_text(arena, "A/A: %s again", row.reference) : row.name;
	row.verdict = twin ? "" : arena_copy(arena, verdict);
	if (*row.verdict && path->idle[0])
		row.verdict = arena_text(arena, "%s; the same as %s: %s", verdict,
		                         a->s->variants[path->idle_as].name, path->idle);
	return row;
}

static bool is_compared(const struct contrast *c)
{
	return !c->why[0] && !isnan(c->ratio.estimate);
}

/* The reference itself: its side of the A/A line if there is one, else of any other. */
static double reference_of(const struct regime *g)
{
	double value = NAN;
	for (unsigned v = 0; v < g->nvariants; v++)
		if (is_compared(&g->contrasts[v]) && (isnan(value) || (int)v == g->twin))
			value = g->contrasts[v].right_side.value;
	return value * scale_of(g);
}

static const struct story_form *form_of(const struct regime *g, struct arena *arena,
                                        const char *about)
{
	struct column *list = ARENA_ARRAY(arena, struct column, NCOLUMNS);
	struct story_form *out = ARENA_NEW(arena, struct story_form);
	memcpy(list, columns, sizeof columns);
	list[1].head = metric_info(g->metric)->unit;
	*out = (struct story_form){.name = arena_text(arena, "verdicts_%s", g->name),
	                           .title = arena_text(arena, "%s: %s", g->label, about),
	                           .columns = list,
	                           .ncolumns = NCOLUMNS,
	                           .row_bytes = sizeof(struct row),
	                           .when = STORY_NO_WHEN};
	return out;
}

/* --- the sentence of a regime --- */

struct saying {
	const struct story_table *rows, *about;
	const struct about *regime;
	bool any;
};

static unsigned count(const struct story_table *t, enum said said)
{
	const struct row *rows = t->rows;
	unsigned n = 0;
	for (unsigned i = 0; i < t->nrows; i++)
		n += rows[i].said == said;
	return n;
}

/* "slower than threads: single (0.810 times the speed, 0.790 to 0.838) and b"; in times if one is
 * far slower, so that they can be compared. */
static void add_kind(struct phrase *p, struct saying *s, enum said said, const char *begin)
{
	static const char *const figures[][2] = {
	    {"{name} ({speed} times the speed)",
	     "{name} ({speed} times the speed, {speed:interval})"},
	    {"{name} ({time} times the time)", "{name} ({time} times the time, {time:interval})"}};
	const struct row *rows = s->rows->rows;
	const unsigned all = count(s->rows, said);
	unsigned n = 0;
	bool far = false;
	for (unsigned i = 0; i < s->rows->nrows; i++)
		far |= rows[i].said == said && rows[i].speed.estimate < FAR_SLOWER;
	if (!all)
		return;
	phrase_words(p, s->any ? "; " : "");
	phrase_add_row(p, s->about, s->regime, begin);
	for (unsigned i = 0; i < s->rows->nrows; i++) {
		if (rows[i].said != said ||
		    (s->regime->more && said == SAID_OPEN && n == OPEN_NAMED - 1))
			continue;
		const bool last = n + 1 == all;
		phrase_words(p, !n ? "" : last && said != SAID_ODD ? " and " : ", ");
		phrase_add_row(p, s->rows, &rows[i],
		               said == SAID_ODD     ? "{name} ({odd})"
		               : said >= SAID_ALIKE ? "{name}"
		                                    : figures[far][!isnan(rows[i].speed.lo)]);
		n++;
	}
	s->any = true;
}

static void say_regime(const struct analysis *a, struct story *story,
                       const struct story_table *rows, const struct story_table *about,
                       const struct about *regime)
{
	struct saying s = {.rows = rows, .about = about, .regime = regime};
	struct phrase p = phrase_begin(story);
	const bool open = count(rows, SAID_OPEN);
	if (!count(rows, SAID_FASTER) && !count(rows, SAID_SLOWER) && !count(rows, SAID_ALIKE) &&
	    !count(rows, SAID_ODD) && !(open && regimes_tell(a->regimes)))
		return;
	phrase_add_row(&p, about, regime, "At {label} sizes ({about}) ");
	add_kind(&p, &s, SAID_FASTER, "faster than {reference}: ");
	add_kind(&p, &s, SAID_SLOWER, "slower than {reference}: ");
	add_kind(&p, &s, SAID_ALIKE, "as fast as {reference} within {margin}: ");
	add_kind(&p, &s, SAID_ODD, "undecided by one block: ");
	add_kind(&p, &s, SAID_OPEN, "undecided: ");
	if (open)
		phrase_add_row(&p, about, regime,
		               regime->more ? " and {more} more; {unseen}" : "; {unseen}");
	phrase_words(&p, ".");
	phrase_end(&p, STORY_ANSWER);
}

/* The smallest effect that all of the undecided ones would have shown. */
static const char *unseen_of(const struct analysis *a, const struct regime *g, struct arena *arena)
{
	char text[64];
	double most = 0;
	for (unsigned v = 0; v < g->nvariants; v++)
		if (said_of(a, g, v) == SAID_OPEN)
			most = fmax(most, verdict_detectable(&g->contrasts[v].verdict.ratio,
			                                     fmax(g->least_effect, a->s->margin)));
	verdict_unseen_text(most, text, sizeof text);
	return arena_copy(arena, text);
}

/* --- all of it --- */

/* A regime's table, and the rows that its sentence uses. */
static const struct story_table *rows_of(const struct analysis *a, const struct regime *g,
                                         struct story *story, struct about *about)
{
	struct row *rows = ARENA_ARRAY(story->arena, struct row, g->nvariants + 1);
	const double reference = reference_of(g);
	unsigned n = 0;
	*about = (struct about){.regime = g->name,
	                        .label = g->label,
	                        .about = arena_copy(story->arena, regime_about(g).text),
	                        .reference = a->s->variants[a->s->reference].name,
	                        .unseen = unseen_of(a, g, story->arena),
	                        .margin = a->s->margin};
	if (!isnan(reference))
		rows[n++] = (struct row){.variant = about->reference,
		                         .value = reference,
		                         .speed = STATS_NO_RATIO,
		                         .time = STATS_NO_RATIO,
		                         .twin = ENTRY_NO_FLAG,
		                         .detectable = NAN,
		                         .said = SAID_NOTHING};
	for (unsigned v = 0; v < g->nvariants; v++)
		if (is_compared(&g->contrasts[v]))
			rows[n++] = row_of(a, g, story->arena, v);
	const struct story_table *t =
	    story_rows(story, form_of(g, story->arena, about->about), rows, n);
	const unsigned open = count(t, SAID_OPEN);
	about->more = open > OPEN_NAMED ? open - (OPEN_NAMED - 1) : 0;
	return t;
}

static bool is_any_undecided(const struct story_table *t)
{
	const struct row *rows = t->rows;
	for (unsigned i = 0; i < t->nrows; i++)
		if (rows[i].verdict && !strncmp(rows[i].verdict, "undecided", 9))
			return true;
	return false;
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct regimes *r = a->regimes;
	const struct story_table *rows[REGIME_MOST];
	struct about *abouts = ARENA_ARRAY(story->arena, struct about, REGIME_MOST);
	bool undecided = false;
	for (unsigned i = 0; i < r->n; i++) {
		rows[i] = rows_of(a, &r->list[i], story, &abouts[i]);
		undecided |= is_any_undecided(rows[i]);
	}
	const struct story_table *about = story_table(story, &about_form, abouts, r->n);
	for (unsigned i = r->n; i-- > 0;) {
		if (rows[i]->nrows)
			story_part(story, arena_text(story->arena, "%s: against %s",
			                             rows[i]->form->title, abouts[i].reference));
		story_show(story, rows[i]);
	}
	/* The large sizes first, unless they are only the largest third of small ones. */
	for (int third = 0; third < 2 && !story->settled; third++)
		for (unsigned i = r->n; i-- > 0;)
			if (r->list[i].third == third)
				say_regime(a, story, rows[i], about, &abouts[i]);
	if (!r->n)
		return;
	story_link(story);
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          "Speed: how many times as fast as {reference}; below 1 is slower. It is a "
	          "paired estimate over the blocks, and no quotient of "
	          "the values beside it. A value is the geometric mean over blocks, sizes and "
	          "collectives; By size has medians.");
	if (undecided)
		story_note(story, STORY_BODY,
		           "Of effects as large as the one that an undecided row names, a run like "
		           "this one finds four in five; of smaller ones fewer.");
}

static void tell_all_sizes(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	struct over *rows =
	    ARENA_ARRAY(story->arena, struct over, (size_t)s->ngroups * s->nvariants + 1);
	unsigned n = 0;
	if (s->reference < 0 || s->uncompared[0] || !run_few_groups(s))
		return;
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned v = 0; v < s->nvariants; v++) {
			const struct stats_ratio *speed = &s->groups[g].gaps[v];
			if (!summary_has_ratio(s, v) || isnan(speed->estimate))
				continue;
			rows[n++] =
			    (struct over){.collective = run_collective(story->arena, &s->groups[g]),
			                  .pace = coll_pace_name(s->groups[g].cell.pace),
			                  .variant = arena_text(
			                      story->arena, "%s%s", s->variants[v].name,
			                      s->variants[v].role == ROLE_AGAIN ? " (A/A)" : ""),
			                  .speed = *speed,
			                  .blocks = speed->blocks,
			                  .verdict = verdict_of(*speed, s->margin)};
		}
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          "One number per block: the geometric mean over all sizes, small and large. "
	          "The A/A line is the reference against itself: its distance from 1 is noise. "
	          "Margin {margin}.");
	story_table(story, &over_form, rows, n);
}

const struct chapter chapter_results = {"results", "Results", CHAPTER_FRONT, tell},
                     chapter_all_sizes = {"all_sizes", "Over all sizes", CHAPTER_APPENDIX,
                                          tell_all_sizes};
