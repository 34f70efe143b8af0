#include "combine.h"

#include <math.h>
#include <string.h>

#include "../report/json.h"
#include "../report/page.h"
#include "../story/format.h"
#include "../story/verdict_text.h"

struct printing {
	const struct combined *c;
	struct arena *arena;
	struct page *page;
	json_t *tables; /* NULL: a page */
};

/* --- tables ------------------------------------------------------------------------------ */

/* What all of a question's rows have after what they are about. */
struct found {
	const char *verdict;
	struct stats_ratio ratio, next;
	double scatter;
	unsigned runs, blocks;
	struct stats_ratio of[POOLED_MOST];
};

struct claim_row {
	const char *claim, *text;
	int primary;
	double confidence, p, p_adjusted;
	struct found found;
};

struct speed_row {
	const char *regime, *variant, *what, *pace;
	size_t bytes;
	struct found found;
};

// clang-format off
static const struct column claim_columns[] = {
    COLUMN(struct claim_row, text, "the claim", "", TEXT),
    COLUMN_AS(struct claim_row, claim, "claim", "", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct claim_row, primary, "primary", "", "", FLAG, ONLY_FILES),
    COLUMN_AS(struct claim_row, found.verdict, "verdict", "verdict", "", WORD, 0),
    COLUMN_AS(struct claim_row, found.ratio, "ratio", "left ÷ right", "", RATIO, 0),
    COLUMN_AS(struct claim_row, confidence, "confidence", "", "", SHARE, ONLY_FILES),
    COLUMN(struct claim_row, p, "p", "", NUMBER),
    COLUMN(struct claim_row, p_adjusted, "p, family", "", NUMBER),
};
static const struct column regime_columns[] = {
    COLUMN(struct speed_row, regime, "sizes", "", TEXT),
    COLUMN(struct speed_row, variant, "variant", "", TEXT),
    COLUMN_AS(struct speed_row, found.verdict, "verdict", "verdict", "", WORD, 0),
    COLUMN_AS(struct speed_row, found.ratio, "speed", "speed", "", RATIO, 0),
};
static const struct column cell_columns[] = {
    COLUMN(struct speed_row, variant, "variant", "", TEXT),
    COLUMN(struct speed_row, what, "cells", "", TEXT),
    COLUMN(struct speed_row, pace, "pace", "", TEXT),
    COLUMN(struct speed_row, bytes, "size", "", BYTES),
    COLUMN_AS(struct speed_row, found.ratio, "speed", "speed", "", RATIO, 0),
};
static const struct column found_columns[] = {
    COLUMN(struct found, scatter, "between runs", "", SHARE),
    COLUMN(struct found, next, "next run", "", RATIO),
    COLUMN_AS(struct found, runs, "runs", "runs", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct found, blocks, "blocks", "blocks", "", COUNT, ONLY_FILES),
};
// clang-format on
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The columns of a table, those that all tables have, and one of each run. */
static void put(struct printing *p, const char *name, const char *title, const struct column *own,
                unsigned n, size_t found, size_t row_bytes, const void *rows, unsigned nrows)
{
	struct column *list =
	    ARENA_ARRAY(p->arena, struct column, n + COUNT(found_columns) + POOLED_MOST);
	struct table shown;
	memcpy(list, own, n * sizeof *own);
	for (unsigned i = 0; i < COUNT(found_columns); i++) {
		list[n] = found_columns[i];
		list[n++].offset += found;
	}
	for (unsigned i = 0; i < p->c->nruns; i++) {
		const char *letter = p->c->runs[i].letter;
		list[n++] = (struct column){
		    letter,
		    letter,
		    "",
		    KIND_RATIO,
		    found + offsetof(struct found, of) + i * sizeof(struct stats_ratio),
		    0};
	}
	const struct story_form form = {.name = name,
	                                .title = title,
	                                .columns = list,
	                                .ncolumns = n,
	                                .row_bytes = row_bytes,
	                                .when = STORY_NO_WHEN};
	const struct story_table told = {&form, rows, nrows};
	if (p->tables) {
		json_array_append_new(p->tables, table_to_json(&told));
		return;
	}
	table_less(&told, ONLY_FILES, &shown);
	table_drop_empty(&shown);
	page_table(p->page, &shown.told);
}

static struct found found_of(const struct combined *c, const struct combined_ratio *r,
                             const char *verdict, struct stats_ratio shown)
{
	struct found f = {.verdict = verdict,
	                  .ratio = shown,
	                  .next = r->pooled.next,
	                  .scatter = r->pooled.scatter,
	                  .runs = r->pooled.runs,
	                  .blocks = shown.blocks};
	/* Without its interval it would repeat the ratio. */
	if (isnan(f.next.lo))
		f.next = STATS_NO_RATIO;
	memcpy(f.of, r->runs, c->nruns * sizeof *r->runs);
	return f;
}

static void put_claims(struct printing *p)
{
	const struct combined *c = p->c;
	struct claim_row *rows = ARENA_ARRAY(p->arena, struct claim_row, c->nclaims);
	for (unsigned i = 0; i < c->nclaims; i++) {
		const struct claims_result *r = &c->claims[i].result;
		const struct stats_ratio *shown = claims_interval(r);
		rows[i] = (struct claim_row){
		    .claim = r->claim->name,
		    .text = r->claim->text,
		    .primary = r->primary,
		    .confidence = shown->confidence,
		    .p = r->p,
		    .p_adjusted = r->p_adjusted,
		    .found = found_of(c, &c->claims[i].ratio, verdict_claim_text(p->arena, r, true),
		                      *shown)};
	}
	put(p, "claims", "Claims", claim_columns, COUNT(claim_columns),
	    offsetof(struct claim_row, found), sizeof *rows, rows, c->nclaims);
}

static const char *word_of(const struct printing *p, const struct combined_speed *s)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(&s->verdict, text, sizeof text);
	return arena_copy(p->arena, text);
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
static unsigned put_regimes(struct printing *p, enum part part, const char *heading)
{
	const struct combined *c = p->c;
	struct speed_row *rows = ARENA_ARRAY(p->arena, struct speed_row, c->nregimes + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < c->nregimes; i++) {
		const struct combined_speed *s = &c->regimes[i];
		if (part == ALL || part == part_of(s))
			rows[n++] = (struct speed_row){
			    .regime = s->regime->label,
			    .variant = s->variant,
			    .found = found_of(c, &s->ratio, word_of(p, s), s->verdict.ratio)};
	}
	if (n && heading)
		page_heading(p->page, 2, "%s", heading);
	put(p, "verdicts", "Speed compared with the reference", regime_columns,
	    COUNT(regime_columns), offsetof(struct speed_row, found), sizeof *rows, rows, n);
	return n;
}

static void put_cells(struct printing *p)
{
	const struct combined *c = p->c;
	struct speed_row *rows = ARENA_ARRAY(p->arena, struct speed_row, c->ncells);
	for (unsigned i = 0; i < c->ncells; i++) {
		const struct combined_speed *s = &c->cells[i];
		const struct cell *cell = &s->cell->cell;
		rows[i] = (struct speed_row){
		    .variant = s->variant,
		    .what = arena_copy(p->arena, coll_word(cell, s->cell->nranks).text),
		    .pace = coll_pace_name(cell->pace),
		    .bytes = cell->asked_bytes,
		    .found = found_of(c, &s->ratio, NULL, s->verdict.ratio)};
	}
	put(p, "cells", "The same by size", cell_columns, COUNT(cell_columns),
	    offsetof(struct speed_row, found), sizeof *rows, rows, c->ncells);
}

/* --- the runs ---------------------------------------------------------------------------- */

struct run_row {
	const char *run, *path, *machine, *gpus, *boot, *library, *measured, *program;
	unsigned blocks;
	const char *doubt; /* regimes in which the run alone cannot distinguish variants */
};

// clang-format off
static const struct column run_columns[] = {
    COLUMN(struct run_row, run, "run", "", TEXT),
    COLUMN(struct run_row, blocks, "blocks", "", COUNT),
    COLUMN(struct run_row, measured, "measured", "", TEXT),
    COLUMN(struct run_row, machine, "machine", "", TEXT),
    COLUMN(struct run_row, gpus, "GPUs", "", TEXT),
    COLUMN(struct run_row, library, "library", "", TEXT),
    COLUMN_AS(struct run_row, boot, "boot", "boot", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct run_row, program, "program", "program", "", TEXT, ONLY_FILES),
    COLUMN(struct run_row, doubt, "cannot tell alone", "", TEXT),
    COLUMN_AS(struct run_row, path, "path", "path", "", TEXT, ONLY_FILES),
};
static const struct story_form run_form =
    STORY_FORM(struct run_row, run_columns, .name = "runs", .title = "The runs", .when = STORY_NO_WHEN);
// clang-format on

static const char *doubt_of(const struct combined_run *run, struct arena *arena)
{
	const struct regimes *r = &run->analysis->regimes;
	const char *all = NULL;
	for (unsigned i = 0; i < r->n; i++)
		if (!r->list[i].tells)
			all = arena_text(arena, "%s%s%s", all ? all : "", all ? ", " : "",
			                 r->list[i].label);
	return all;
}

static void put_paths(struct printing *p)
{
	for (unsigned i = 0; i < p->c->nruns; i++)
		page_item(p->page, "%s: %s", p->c->runs[i].letter, p->c->runs[i].facts.path);
	page_end_list(p->page);
}

static void put_runs(struct printing *p)
{
	const struct combined *c = p->c;
	struct run_row *rows = ARENA_ARRAY(p->arena, struct run_row, c->nruns);
	struct table shown;
	for (unsigned i = 0; i < c->nruns; i++) {
		const struct combined_run *run = &c->runs[i];
		rows[i] = (struct run_row){.run = run->letter,
		                           .path = run->facts.path,
		                           .machine = run->facts.facts[FACT_MACHINE],
		                           .gpus = run->gpus,
		                           .boot = run->boot,
		                           .library = run->facts.facts[FACT_LIBRARY],
		                           .measured = run->facts.facts[FACT_MEASURED],
		                           .program = run->facts.facts[FACT_PROGRAM],
		                           .blocks = run->record->s.nblocks,
		                           .doubt = doubt_of(run, p->arena)};
	}
	const struct story_table told = {&run_form, rows, c->nruns};
	if (p->tables) {
		json_array_append_new(p->tables, table_to_json(&told));
		return;
	}
	if (p->page->kind == PAGE_TERMINAL)
		put_paths(p);
	table_less(&told, ONLY_FILES, &shown);
	table_drop_empty(&shown);
	page_table(p->page, &shown.told);
}

/* --- in words ---------------------------------------------------------------------------- */

/* How many different texts the runs have; 0: a run does not say. */
static unsigned different(const struct combined *c, const char *(*of)(const struct combined_run *))
{
	unsigned n = 0;
	for (unsigned i = 0; i < c->nruns; i++) {
		const char *text = of(&c->runs[i]);
		unsigned k = 0;
		if (!*text)
			return 0;
		while (k < i && strcmp(of(&c->runs[k]), text))
			k++;
		n += k == i;
	}
	return n;
}

static const char *boot_of(const struct combined_run *run)
{
	return run->boot;
}

static const char *gpus_of(const struct combined_run *run)
{
	return run->gpus;
}

static const char *library_of(const struct combined_run *run)
{
	return run->facts.facts[FACT_LIBRARY];
}

/* "of 3 boots and 2 sets of GPUs": what the scatter between runs spans. */
static const char *spans_of(const struct printing *p)
{
	const unsigned boots = different(p->c, boot_of), gpus = different(p->c, gpus_of);
	const char *text = "";
	if (boots)
		text = arena_text(p->arena, ", of %u boot%s", boots, format_plural(boots));
	if (gpus)
		text = arena_text(p->arena, "%s%s%u set%s of GPUs", text, *text ? " and " : ", of ",
		                  gpus, format_plural(gpus));
	return text;
}

static void say_answer(struct printing *p)
{
	const struct combined *c = p->c;
	struct page *page = p->page;
	page_say(page, "%u runs of %s on %s, %s ranks%s.", c->nruns,
	         c->runs[0].facts.facts[FACT_EXPERIMENT], c->runs[0].facts.facts[FACT_BACKEND],
	         c->runs[0].facts.facts[FACT_RANKS], spans_of(p));
	for (unsigned i = 0; i < c->nclaims; i++) {
		const struct claims_result *r = &c->claims[i].result;
		const struct pooled *pooled = &c->claims[i].ratio.pooled;
		if (r->primary)
			page_stress(page, "'%s' %s%s, %s; ±%s %% between %u runs.", r->claim->text,
			            r->outcome == CLAIMS_UNDECIDED ? "is " : "",
			            verdict_claim_text(p->arena, r, true),
			            format_ratio(claims_interval(r), true).text,
			            format_percent(pooled->scatter).text, pooled->runs);
	}
	if (different(c, library_of) > 1)
		page_say(page, "The runs differ in their library: what scatters between them is "
		               "that too.");
	if (different(c, boot_of) == 1)
		page_say(page,
		         "All runs are of one boot of one machine: they say little of others.");
}

static void say_method(struct printing *p)
{
	page_say(p->page,
	         "A run's ratio has the interval of its own blocks. The ratio of all "
	         "spans runs: what differs between them is in its interval, with "
	         "Student's quantile for so few. Between runs: the standard deviation "
	         "of the runs' true ratios; next run: where that of one more is in about 95 "
	         "of 100 cases. An end of a claim's interval is a bound of 95 %% by "
	         "itself.");
}

static void put_all(struct printing *p)
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
	struct printing p = {.c = c, .arena = c->arena, .page = page};
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
	struct printing p = {.c = c, .arena = c->arena, .page = &page};
	p.tables = json_object_get(all, "tables");
	arena_need(c->arena, form != COMPARE_JSON || p.tables);
	if (form == COMPARE_MARKDOWN)
		combined_page(&page, c);
	else
		put_all(&p);
	arena_need(c->arena,
	           !all || (!json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF));
}
