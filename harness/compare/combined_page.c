#include "combine.h"

#include <string.h>

#include "../report/page.h"
#include "../data/format.h"
#include "../story/verdict_text.h"

/* --- tables ------------------------------------------------------------------------------ */

// clang-format off
static const struct column claim_columns[] = {
    COLUMN(struct combined_claim, text, "the claim", "", TEXT),
    COLUMN_AS(struct combined_claim, name, "claim", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct combined_claim, primary, "primary", "", "", FLAG, ONLY_FILES),
    COLUMN(struct combined_claim, verdict, "verdict", "", WORD),
    COLUMN_AS(struct combined_claim, of.ratio, "ratio", "left ÷ right", "", RATIO, 0),
    COLUMN_AS(struct combined_claim, of.ratio.confidence, "confidence", "", "", SHARE, ONLY_FILES),
    COLUMN_AS(struct combined_claim, result.p, "p", "p", "", NUMBER, 0),
    COLUMN_AS(struct combined_claim, result.p_adjusted, "p_adjusted", "p, family", "", NUMBER, 0),
};
static const struct column regime_columns[] = {
    COLUMN_AS(struct combined_speed, sizes, "regime", "sizes", "", TEXT, 0),
    COLUMN(struct combined_speed, variant, "variant", "", TEXT),
    COLUMN_AS(struct combined_speed, said, "verdict", "verdict", "", WORD, 0),
    COLUMN_AS(struct combined_speed, of.ratio, "speed", "speed", "", RATIO, 0),
};
static const struct column cell_columns[] = {
    COLUMN(struct combined_speed, variant, "variant", "", TEXT),
    COLUMN(struct combined_speed, what, "cells", "", TEXT),
    COLUMN(struct combined_speed, pace, "pace", "", TEXT),
    COLUMN(struct combined_speed, bytes, "size", "", BYTES),
    COLUMN_AS(struct combined_speed, of.ratio, "speed", "speed", "", RATIO, 0),
};
/* Of all three, whose rows begin with it. */
static const struct column ratio_columns[] = {
    COLUMN_AS(struct combined_ratio, pooled.scatter, "scatter", "between runs", "", SHARE, 0),
    COLUMN_AS(struct combined_ratio, pooled.next, "next", "next run", "", RATIO, 0),
    COLUMN_AS(struct combined_ratio, pooled.runs, "runs", "runs", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct combined_ratio, ratio.blocks, "blocks", "blocks", "", COUNT, ONLY_FILES),
};
static const struct column run_columns[] = {
    COLUMN_AS(struct combined_run, letter, "run", "run", "", TEXT, 0),
    COLUMN(struct combined_run, blocks, "blocks", "", COUNT),
    COLUMN(struct combined_run, measured, "measured", "", TEXT),
    COLUMN(struct combined_run, machine, "machine", "", TEXT),
    COLUMN(struct combined_run, gpus, "GPUs", "", TEXT),
    COLUMN(struct combined_run, library, "library", "", TEXT),
    COLUMN_AS(struct combined_run, boot, "boot", "boot", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct combined_run, program, "program", "program", "", TEXT, ONLY_FILES),
    COLUMN(struct combined_run, doubt, "cannot tell alone", "", TEXT),
    COLUMN_AS(struct combined_run, path, "path", "path", "", TEXT, ONLY_FILES),
};
static const struct story_form claim_form = STORY_FORM(struct combined_claim, claim_columns, .name = "claims", .title = "Claims"),
    regime_form = STORY_FORM(struct combined_speed, regime_columns, .name = "verdicts", .title = "Speed compared with the reference"),
    cell_form = STORY_FORM(struct combined_speed, cell_columns, .name = "cells", .title = "The same by size"),
    run_form = STORY_FORM(struct combined_run, run_columns, .name = "runs", .title = "The runs");
// clang-format on
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The columns of a form, those that all tables of ratios have, and one of each run. */
static struct story_table ratios_of(const struct combined *c, const struct story_form *of,
                                    const void *rows, unsigned n)
{
	struct story_form *form = ARENA_NEW(c->arena, struct story_form);
	struct column *list = ARENA_ARRAY(c->arena, struct column,
	                                  of->ncolumns + COUNT(ratio_columns) + POOLED_MOST),
	              *next = list + of->ncolumns + COUNT(ratio_columns);
	memcpy(list, of->columns, of->ncolumns * sizeof *list);
	memcpy(list + of->ncolumns, ratio_columns, sizeof ratio_columns);
	for (unsigned i = 0; i < c->nruns; i++)
		*next++ = (struct column){c->runs[i].letter,
		                          c->runs[i].letter,
		                          "",
		                          KIND_RATIO,
		                          offsetof(struct combined_ratio, runs) +
		                              i * sizeof(struct stats_ratio),
		                          0};
	*form = *of;
	form->columns = list;
	form->ncolumns = (unsigned)(next - list);
	return (struct story_table){form, rows, n};
}

/* Where a verdict is. */
enum part { ALL, DIFFERENT, OPEN, SAME, UNCOUNTED };

static enum part part_of(const struct combined_speed *s)
{
	return s->twin                                    ? UNCOUNTED
	       : s->verdict.kind == VERDICT_UNDECIDED     ? OPEN
	       : s->verdict.kind == VERDICT_NO_DIFFERENCE ? SAME
	                                                  : DIFFERENT;
}

static struct story_table regimes_of(const struct combined *c, enum part part)
{
	struct combined_speed *rows = ARENA_ARRAY(c->arena, struct combined_speed, c->nregimes + 1);
	char said[VERDICT_TEXT_BYTES];
	unsigned n = 0;
	for (unsigned i = 0; i < c->nregimes; i++) {
		if (part != ALL && part != part_of(&c->regimes[i]))
			continue;
		verdict_text(&c->regimes[i].verdict, said, sizeof said);
		rows[n] = c->regimes[i];
		rows[n++].said = arena_copy(c->arena, said);
	}
	return ratios_of(c, &regime_form, rows, n);
}

static struct story_table claims_of(const struct combined *c)
{
	return ratios_of(c, &claim_form, c->claims, c->nclaims);
}

static struct story_table cells_of(const struct combined *c)
{
	return ratios_of(c, &cell_form, c->cells, c->ncells);
}

static struct story_table runs_of(const struct combined *c)
{
	return (struct story_table){&run_form, c->runs, c->nruns};
}

/* With its heading, if it has rows. */
static void put(struct page *page, const char *heading, struct story_table told)
{
	if (told.nrows)
		page_heading(page, 2, "%s", heading);
	page_table_shown(page, &told);
}

/* --- in words ---------------------------------------------------------------------------- */

/* How many different texts the runs have at a place; 0: a run does not say. */
static unsigned different(const struct combined *c, size_t place)
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->nruns; i++) {
		const char *text = *(const char *const *)((const char *)&c->runs[i] + place);
		unsigned k = 0;
		if (!*text)
			return 0;
		while (k < i &&
		       strcmp(*(const char *const *)((const char *)&c->runs[k] + place), text))
			k++;
		n += k == i;
	}
	return n;
}
#define DIFFERENT_IN(c, member) different(c, offsetof(struct combined_run, member))

/* "of 3 boots and 2 sets of GPUs": what the scatter between runs spans. */
static const char *spans_of(const struct combined *c)
{
	const unsigned boots = DIFFERENT_IN(c, boot), gpus = DIFFERENT_IN(c, gpus);
	const char *text = "";
	if (boots)
		text = arena_text(c->arena, ", of %u boot%s", boots, format_plural(boots));
	if (gpus)
		text = arena_text(c->arena, "%s%s%u set%s of GPUs", text, *text ? " and " : ", of ",
		                  gpus, format_plural(gpus));
	return text;
}

static void say_answer(struct page *page, const struct combined *c)
{
	page_say(page, "%u runs of %s on %s, %s ranks%s.", c->nruns,
	         c->runs[0].facts.facts[FACT_EXPERIMENT], c->runs[0].facts.facts[FACT_BACKEND],
	         c->runs[0].facts.facts[FACT_RANKS], spans_of(c));
	for (unsigned i = 0; i < c->nclaims; i++) {
		const struct claims_result *r = &c->claims[i].result;
		const struct pooled *pooled = &c->claims[i].of.pooled;
		if (r->primary)
			page_stress(page, "'%s' %s%s, %s; runs scatter by %s %%, %u of them.",
			            r->claim->text, r->outcome == CLAIMS_UNDECIDED ? "is " : "",
			            c->claims[i].verdict, format_ratio(&c->claims[i].of.ratio).text,
			            format_percent(pooled->scatter).text, pooled->runs);
	}
	if (DIFFERENT_IN(c, library) > 1)
		page_say(page, "The runs differ in their library: what scatters between them is "
		               "that too.");
	if (DIFFERENT_IN(c, boot) == 1)
		page_say(page,
		         "All runs are of one boot of one machine: they say little of others.");
}

static void say_method(struct page *page)
{
	page_say(page, "A run's ratio has the interval of its own blocks. The ratio of all "
	               "spans runs: what differs between them is in its interval, with "
	               "Student's quantile for so few. Between runs: the standard deviation "
	               "of the runs' true ratios; next run: where that of one more is in about 95 "
	               "of 100 cases. An end of a claim's interval is a bound of 95 %% by "
	               "itself.");
}

/* --- the page ---------------------------------------------------------------------------- */

const char *combined_title(const struct combined *c)
{
	return arena_text(c->arena, "%s: %u runs as one", c->runs[0].facts.facts[FACT_EXPERIMENT],
	                  c->nruns);
}

void combined_page(struct page *page, const void *combined)
{
	const struct combined *c = combined;
	const struct story_table different = regimes_of(c, DIFFERENT);
	page_heading(page, 1, "%s", combined_title(c));
	say_answer(page, c);
	for (unsigned i = 0; i < c->nruns; i++)
		page_item(page, "%s: %s", c->runs[i].letter, c->runs[i].path);
	page_end_list(page);
	if (!different.nrows) {
		page_heading(page, 2, "Differences from the reference");
		page_say(page, "None is decided.");
	}
	put(page, "Differences from the reference", different);
	if (!page->whole)
		return;
	put(page, "Undecided", regimes_of(c, OPEN));
	put(page, "The same", regimes_of(c, SAME));
	put(page, "The reference against itself", regimes_of(c, UNCOUNTED));
	say_method(page);
	put(page, "Claims", claims_of(c));
	put(page, "By size", cells_of(c));
	put(page, "The runs", runs_of(c));
}

json_t *combined_tables(const void *combined)
{
	const struct combined *c = combined;
	const struct story_table all[] = {claims_of(c), regimes_of(c, ALL), cells_of(c),
	                                  runs_of(c)};
	json_t *list = json_array();
	for (unsigned i = 0; i < COUNT(all); i++)
		json_array_append_new(list, table_to_json(&all[i]));
	return list;
}
