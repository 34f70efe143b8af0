#include "combine.h"

#include <string.h>

#include "../report/json.h"
#include "../report/page.h"
#include "../data/format.h"
#include "../story/verdict_text.h"

struct printing {
	const struct combined *c;
	struct page *page;
	json_t *tables; /* NULL: a page */
};

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

static void put(const struct printing *p, const struct story_table *told)
{
	struct table shown;
	if (p->tables) {
		json_array_append_new(p->tables, table_to_json(told));
		return;
	}
	table_less(told, ONLY_FILES, &shown);
	table_drop_empty(&shown);
	page_table(p->page, &shown.told);
}

/* The columns of a form, those that all tables of ratios have, and one of each run. */
static void put_ratios(const struct printing *p, const struct story_form *of, const void *rows,
                       unsigned n)
{
	struct story_form form = *of;
	struct column *list = ARENA_ARRAY(p->c->arena, struct column,
	                                  of->ncolumns + COUNT(ratio_columns) + POOLED_MOST),
	              *next = list + of->ncolumns + COUNT(ratio_columns);
	memcpy(list, of->columns, of->ncolumns * sizeof *list);
	memcpy(list + of->ncolumns, ratio_columns, sizeof ratio_columns);
	for (unsigned i = 0; i < p->c->nruns; i++)
		*next++ = (struct column){p->c->runs[i].letter,
		                          p->c->runs[i].letter,
		                          "",
		                          KIND_RATIO,
		                          offsetof(struct combined_ratio, runs) +
		                              i * sizeof(struct stats_ratio),
		                          0};
	form.columns = list;
	form.ncolumns = (unsigned)(next - list);
	put(p, &(struct story_table){&form, rows, n});
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

/* Returns how many rows there are. */
static unsigned put_regimes(const struct printing *p, enum part part, const char *heading)
{
	const struct combined *c = p->c;
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
	if (n && heading)
		page_heading(p->page, 2, "%s", heading);
	put_ratios(p, &regime_form, rows, n);
	return n;
}

static void put_claims(const struct printing *p)
{
	put_ratios(p, &claim_form, p->c->claims, p->c->nclaims);
}

static void put_cells(const struct printing *p)
{
	put_ratios(p, &cell_form, p->c->cells, p->c->ncells);
}

/* --- the runs ---------------------------------------------------------------------------- */

static void put_paths(const struct printing *p)
{
	for (unsigned i = 0; i < p->c->nruns; i++)
		page_item(p->page, "%s: %s", p->c->runs[i].letter, p->c->runs[i].path);
	page_end_list(p->page);
}

static void put_runs(const struct printing *p)
{
	if (!p->tables && p->page->kind == PAGE_TERMINAL)
		put_paths(p);
	put(p, &(struct story_table){&run_form, p->c->runs, p->c->nruns});
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
static const char *spans_of(const struct printing *p)
{
	const unsigned boots = DIFFERENT_IN(p->c, boot), gpus = DIFFERENT_IN(p->c, gpus);
	const char *text = "";
	if (boots)
		text = arena_text(p->c->arena, ", of %u boot%s", boots, format_plural(boots));
	if (gpus)
		text = arena_text(p->c->arena, "%s%s%u set%s of GPUs", text,
		                  *text ? " and " : ", of ", gpus, format_plural(gpus));
	return text;
}

static void say_answer(const struct printing *p)
{
	const struct combined *c = p->c;
	struct page *page = p->page;
	page_say(page, "%u runs of %s on %s, %s ranks%s.", c->nruns,
	         c->runs[0].facts.facts[FACT_EXPERIMENT], c->runs[0].facts.facts[FACT_BACKEND],
	         c->runs[0].facts.facts[FACT_RANKS], spans_of(p));
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

static void say_method(const struct printing *p)
{
	page_say(p->page,
	         "A run's ratio has the interval of its own blocks. The ratio of all "
	         "spans runs: what differs between them is in its interval, with "
	         "Student's quantile for so few. Between runs: the standard deviation "
	         "of the runs' true ratios; next run: where that of one more is in about 95 "
	         "of 100 cases. An end of a claim's interval is a bound of 95 %% by "
	         "itself.");
}

static void put_all(const struct printing *p)
{
	if (!p->tables)
		say_answer(p);
	put_claims(p);
	put_regimes(p, ALL, NULL);
	if (!p->tables)
		say_method(p);
	put_cells(p);
	put_runs(p);
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
	struct printing p = {.c = c, .page = page};
	page_heading(page, 1, "%s", combined_title(c));
	say_answer(&p);
	put_paths(&p);
	if (!put_regimes(&p, DIFFERENT, "Differences from the reference")) {
		page_heading(page, 2, "Differences from the reference");
		page_say(page, "None is decided.");
	}
	if (!page->whole)
		return;
	put_regimes(&p, OPEN, "Undecided");
	put_regimes(&p, SAME, "The same");
	put_regimes(&p, UNCOUNTED, "The reference against itself");
	say_method(&p);
	if (c->nclaims)
		page_heading(page, 2, "Claims");
	put_claims(&p);
	if (c->ncells)
		page_heading(page, 2, "By size");
	put_cells(&p);
	page_heading(page, 2, "The runs");
	put_runs(&p);
}

void print_combined(const struct combined *c, enum compare_form form, FILE *out)
{
	json_t *all = json_keep(c->arena, form == COMPARE_JSON
	                                      ? json_pack("{s:i, s:[]}", "schema", 1, "tables")
	                                      : NULL);
	struct page page = {.kind = form == COMPARE_MARKDOWN ? PAGE_MARKDOWN : PAGE_TERMINAL,
	                    .out = out,
	                    .arena = c->arena,
	                    .whole = true};
	struct printing p = {.c = c, .page = &page};
	p.tables = json_object_get(all, "tables");
	arena_need(c->arena, form != COMPARE_JSON || p.tables);
	if (form == COMPARE_MARKDOWN)
		combined_page(&page, c);
	else
		put_all(&p);
	arena_need(c->arena,
	           !all || (!json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF));
}
