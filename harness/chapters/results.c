/* Each variant compared with the reference: by regime (regime.h). Settings that did nothing are marked in place. */
#include <math.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "chapters.h"
#include "reasons.h"
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

/* The verdicts of a kind in a regime's sentence, and each variant with one; far: if one of them is
 * far slower. */
static const struct kind {
	enum said said;
	const char *begin, *each, *far;
} kinds[] = {
#define IN_SPEED "{name} ({speed} times the speed[, {speed:interval}])"
#define IN_TIME  "{name} ({time} times the time[, {time:interval}])"
    {SAID_FASTER, "faster than {reference}: ", IN_SPEED, NULL},
    {SAID_SLOWER, "slower than {reference}: ", IN_SPEED, IN_TIME},
    {SAID_ALIKE, "as fast as {reference} within {margin}: ", "{name}", NULL},
    {SAID_ODD, "undecided by one block: ", "{name} ({odd})", NULL},
    {SAID_OPEN, "undecided: ", "{name}", NULL},
};
#define NKINDS (sizeof kinds / sizeof *kinds)
// clang-format on

/* --- rows --- */

static enum said said_of(const struct analysis *a, const struct regime *g, unsigned variant)
{
	const struct evidence_path *path = &a->evidence.paths[variant];
	const struct verdict *v = &g->contrasts[variant].verdict;
	const int beyond = g->tells ? verdict_beyond(v) : regime_beyond(g, &v->ratio);
	if ((int)variant == g->twin)
		return SAID_NOTHING;
	if (beyond)
		return beyond > 0 ? SAID_FASTER : SAID_SLOWER;
	/* A setting that did nothing is reported separately. */
	if (isnan(v->ratio.lo) || (path->nidle && (int)path->idle_as == a->s->reference))
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
	const struct evidence_path *path = &a->evidence.paths[v];
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
	                  .idle = idle_text(arena, path),
	                  .said = said_of(a, g, v)};
	row.variant = twin ? arena_text(arena, "A/A: %s again", row.reference) : row.name;
	row.verdict = twin ? "" : arena_copy(arena, verdict);
	if (*row.verdict && path->nidle)
		row.verdict = arena_text(arena, "%s; the same as %s: %s", verdict,
		                         a->s->variants[path->idle_as].name, row.idle);
	return row;
}

static bool is_compared(const struct contrast *c)
{
	return !c->why.kind && !isnan(c->ratio.estimate);
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
	                           .bars = "speed",
	                           .row_bytes = sizeof(struct row),
	                           .when = STORY_NO_WHEN};
	return out;
}

/* --- the sentence of a regime --- */

/* The rows of a kind of verdict. */
static unsigned find(const struct story_table *t, enum said said, unsigned *out)
{
	const struct row *rows = t->rows;
	unsigned n = 0;
	for (unsigned i = 0; i < t->nrows; i++)
		if (rows[i].said == said)
			out[n++] = i;
	return n;
}

/* "slower than threads: single (0.810 times the speed, 0.790 to 0.838) and b"; in times if one is
 * far slower, so that they can be compared. */
static void add_kind(struct phrase *p, const struct story_table *t, const struct kind *kind,
                     const unsigned *rows, unsigned n, unsigned more)
{
	const struct row *all = t->rows;
	bool far = false;
	for (unsigned i = 0; i < n; i++)
		far |= all[rows[i]].speed.estimate < FAR_SLOWER;
	for (unsigned i = 0; i < n - more; i++) {
		const bool last = i + 1 == n && kind->said != SAID_ODD;
		phrase_words(p, !i ? "" : last ? " and " : ", ");
		phrase_add(p, t, &rows[i], 1, far && kind->far ? kind->far : kind->each);
	}
}

static void say_regime(const struct analysis *a, struct story *story,
                       const struct story_table *rows, const struct story_table *about,
                       const struct about *regime)
{
	unsigned *of = ARENA_ARRAY(story->arena, unsigned, rows->nrows + 1), told = 0;
	struct phrase p = phrase_begin(story);
	for (size_t k = 0; k < NKINDS; k++)
		if (kinds[k].said != SAID_OPEN || regimes_tell(&a->regimes))
			told += find(rows, kinds[k].said, of);
	for (size_t k = 0; k < NKINDS && told; k++) {
		const bool open = kinds[k].said == SAID_OPEN;
		const unsigned n = find(rows, kinds[k].said, of);
		if (!n)
			continue;
		phrase_words(&p, "; ");
		if (!p.used)
			phrase_add_row(&p, about, regime, "At {label} sizes ({about}) ");
		phrase_add_row(&p, about, regime, kinds[k].begin);
		add_kind(&p, rows, &kinds[k], of, n, open ? regime->more : 0);
		if (open)
			phrase_add_row(&p, about, regime,
			               regime->more ? " and {more} more; {unseen}" : "; {unseen}");
	}
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
			                                     fmax(g->least_effect, a->s->margin),
			                                     VERDICT_BOTH_ENDS));
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
	const struct story_form *form = form_of(g, story->arena, about->about);
	if (!isnan(reference)) {
		story_clear(form, rows);
		rows[n++].variant = about->reference;
		rows->value = reference;
		rows->said = SAID_NOTHING;
	}
	for (unsigned v = 0; v < g->nvariants; v++)
		if (is_compared(&g->contrasts[v]))
			rows[n++] = row_of(a, g, story->arena, v);
	const struct story_table *t = story_rows(story, form, rows, n);
	const unsigned open = find(t, SAID_OPEN, ARENA_ARRAY(story->arena, unsigned, n + 1));
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
	const struct regimes *r = &a->regimes;
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
	if (!r->n || !run_compares(a->s))
		return;
	story_link(story);
	story_say(story, STORY_BODY, run_facts(story), NULL, 0,
	          "Speed: how many times as fast as {reference}; below 1 is slower. It is a "
	          "paired estimate over the blocks, and no quotient of "
	          "the values beside it. A value is the geometric mean over blocks, sizes and "
	          "collectives; By size has medians.");
	if (undecided)
		story_note(story, STORY_BODY | STORY_NOT_AT_END,
		           "Of effects as large as the one that an undecided row names, a run like "
		           "this one finds four in five; of smaller ones fewer.");
}

const struct chapter chapter_results = {"results", "Results", CHAPTER_FRONT, tell};
