#include "comparison.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../story/format.h"
#include "../story/verdict_text.h"
#include "../report/page.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- output ------------------------------------------------------------------------------ */

struct note {
	const char *side, *text;
};

struct shown {
	const struct comparison *c;
	FILE *out;
	struct arena *arena;
	json_t *tables; /* NULL: text goes out at once */
	struct note *notes;
	unsigned nnotes;
};

/* A paragraph. Nothing with JSON. */
static void say(struct shown *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct shown *s, const char *format, ...)
{
	char text[1400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!s->tables)
		page_wrap(s->out, "", 2, text);
}

static void skip_line(struct shown *s)
{
	if (!s->tables)
		fputc('\n', s->out);
}

/* A line on one side, 'A' or 'B', or on both, '-'. */
static void note(struct shown *s, char side, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void note(struct shown *s, char side, const char *format, ...)
{
	char text[1200], name[2] = {side == '-' ? '\0' : side, '\0'};
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (!s->tables)
		page_wrap(s->out, side == 'A' ? "- A: " : side == 'B' ? "- B: " : "- ", 2, text);
	s->notes = arena_more(s->arena, s->notes, s->nnotes, sizeof *s->notes);
	s->notes[s->nnotes++] =
	    (struct note){arena_copy(s->arena, name), arena_copy(s->arena, text)};
}

/* Programs get all columns; people get those with a value. */
static void put_table(struct shown *s, const struct story_form *form, const void *rows, unsigned n)
{
	const struct story_table told = {form, rows, n};
	struct table shown;
	char common[160] = "";
	if (s->tables) {
		json_array_append_new(s->tables, table_to_json(&told));
		return;
	}
	table_less(&told, ONLY_FILES, &shown);
	table_drop_common(&shown, common, sizeof common);
	table_drop_empty(&shown);
	table_write_text(s->arena, &shown.told, s->out, 0, PAGE_COLUMNS);
	if (common[0])
		say(s, "%s: %s.", form->common, common);
}

/* --- the answer -------------------------------------------------------------------------- */

/* In the order in which they matter. */
static const struct {
	enum verdict_kind kind;
	const char *lead, *margin;
} kinds[] = {{VERDICT_SLOWER, "B is slower", "beyond"},
             {VERDICT_FASTER, "B is faster", "beyond"},
             {VERDICT_UNDECIDED, "Undecided", "at"},
             {VERDICT_LITTLE_SLOWER, "B is slower", "by under"},
             {VERDICT_LITTLE_FASTER, "B is faster", "by under"},
             {VERDICT_NO_DIFFERENCE, "No difference", "within"}};

struct answer {
	const char *verdict;
	unsigned cells, of_cells;
	double speed_least, speed_most, threshold;
};

static const struct column answer_columns[] = {
    COLUMN(struct answer, verdict, "B is", "", WORD),
    COLUMN(struct answer, cells, "cells", "", COUNT),
    COLUMN(struct answer, of_cells, "of", "", COUNT),
    COLUMN(struct answer, speed_least, "least", "", NUMBER),
    COLUMN(struct answer, speed_most, "most", "", NUMBER),
    COLUMN(struct answer, threshold, "threshold", "", NUMBER)};
static const struct story_form answer_form =
    STORY_FORM(struct answer, answer_columns, .name = "answer", .title = "How B compares with A",
               .when = STORY_NO_WHEN);

/* The verdicts of one kind, gathered. */
struct gathered {
	struct answer row;
	double detectable;
	unsigned more_blocks;
};

static struct gathered gather(const struct comparison *c, enum verdict_kind kind)
{
	struct gathered all = {.row = {verdict_word(kind), 0, 0, NAN, NAN, c->margin},
	                       .detectable = NAN};
	for (unsigned g = 0; g < c->ngroups; g++) {
		const struct comparison_group *group = &c->groups[g];
		const struct verdict *v = &group->verdict;
		if (group->of->limit)
			continue;
		all.row.of_cells += group->npoints;
		if (v->kind != kind)
			continue;
		all.row.cells += group->npoints;
		if (v->more_blocks > all.more_blocks)
			all.more_blocks = v->more_blocks;
		all.detectable = fmax(all.detectable, v->detectable);
		all.row.speed_least = fmin(all.row.speed_least, v->ratio.estimate);
		all.row.speed_most = fmax(all.row.speed_most, v->ratio.estimate);
	}
	return all;
}

static void say_gathered(struct shown *s, const struct gathered *all, const char *lead,
                         const char *margin)
{
	const struct answer *row = &all->row;
	const unsigned more = all->more_blocks;
	char range[64] = "", needs[64] = "", unseen[64];
	if (row->speed_most - row->speed_least >= 0.0005)
		snprintf(range, sizeof range, ", %.3f to %.3f times A's speed", row->speed_least,
		         row->speed_most);
	else if (isfinite(row->speed_least))
		snprintf(range, sizeof range, ", %.3f times A's speed", row->speed_least);
	if (more > VERDICT_MOST_MORE)
		snprintf(needs, sizeof needs,
		         "; to tell takes more than %d more blocks on each side",
		         VERDICT_MOST_MORE);
	else if (more)
		snprintf(needs, sizeof needs, "; up to %u more block%s on each side would tell",
		         more, format_plural(more));
	verdict_unseen_text(more ? all->detectable : NAN, unseen, sizeof unseen);
	say(s, "%s in %u of %u cells%s, %s %.3g %%%s%s%s.", lead, row->cells, row->of_cells, range,
	    margin, row->threshold * 100, *unseen ? "; " : "", unseen, needs);
}

/* A sentence and a row for each kind of verdict that there is. */
static void put_answer(struct shown *s)
{
	struct answer rows[COUNT(kinds)];
	unsigned n = 0;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct gathered all = gather(s->c, kinds[i].kind);
		if (!all.row.cells)
			continue;
		say_gathered(s, &all, kinds[i].lead, kinds[i].margin);
		rows[n++] = all.row;
	}
	if (s->tables)
		put_table(s, &answer_form, rows, n);
}

/* --- the tables -------------------------------------------------------------------------- */

/* What a row describes. */
struct of {
	const char *variant, *what, *pace, *collective, *dtype, *op;
	unsigned root;
	int in_place, counted;
};

static struct of of_series(struct shown *s, const struct result_series *series, const char *more)
{
	const struct cell *cell = &series->cell;
	const struct coll_info *info = coll_info(cell->coll);
	return (struct of){.variant = arena_text(s->arena, "%s%s", series->variant, more),
	                   .what = arena_copy(s->arena, coll_word(cell, series->nranks).text),
	                   .pace = coll_pace_name(cell->pace),
	                   .collective = info->name,
	                   .dtype = coll_dtype_name(cell->dtype),
	                   .op = info->is & COLL_REDUCES ? coll_op_name(cell->op) : "",
	                   .root = info->is & COLL_ROOTED ? (unsigned)cell->root : ENTRY_NO_COUNT,
	                   .in_place = cell->in_place,
	                   .counted = !series->limit};
}

struct judged {
	struct of of;
	const char *verdict;
	struct stats_ratio speed;
	unsigned sizes, of_sizes, more_blocks;
	double detectable;
	unsigned trials_a, trials_b;
};

struct timed {
	struct of of;
	size_t bytes;
	double a_us, b_us;
	struct stats_ratio speed;
};

// clang-format off
/* People need only the first three, and of cells only the name. */
#define OF_COLUMNS(type, only) \
    COLUMN_AS(type, of.variant, "variant", "variant", "", TEXT, 0), \
    COLUMN_AS(type, of.what, "what", "cells", "", TEXT, only), \
    COLUMN_AS(type, of.pace, "pace", "pace", "", TEXT, only), \
    COLUMN_AS(type, of.collective, "collective", "collective", "", TEXT, ONLY_FILES), \
    COLUMN_AS(type, of.dtype, "dtype", "dtype", "", TEXT, ONLY_FILES), \
    COLUMN_AS(type, of.op, "op", "op", "", TEXT, ONLY_FILES), \
    COLUMN_AS(type, of.root, "root", "root", "", COUNT, ONLY_FILES), \
    COLUMN_AS(type, of.in_place, "in_place", "in place", "", FLAG, ONLY_FILES), \
    COLUMN_AS(type, of.counted, "counted", "counted", "", FLAG, ONLY_FILES)
static const struct column judged_columns[] = {
    OF_COLUMNS(struct judged, 0),
    COLUMN(struct judged, verdict, "B is", "", WORD),
    COLUMN(struct judged, speed, "speed", "", RATIO),
    COLUMN(struct judged, sizes, "sizes", "", COUNT),
    COLUMN(struct judged, of_sizes, "of", "", COUNT),
    COLUMN_AS(struct judged, more_blocks, "more_blocks", "more blocks", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct judged, detectable, "detectable", "could be seen from", "", NUMBER, ONLY_FILES),
    COLUMN_AS(struct judged, trials_a, "trials_a", "trials A", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct judged, trials_b, "trials_b", "trials B", "", COUNT, ONLY_FILES)};
static const struct story_form judged_form =
    STORY_FORM(struct judged, judged_columns, .name = "verdicts", .title = "B compared with A", .when = STORY_NO_WHEN, .common = "All rows");
static const struct column timed_columns[] = {
    OF_COLUMNS(struct timed, ONLY_FILES),
    COLUMN(struct timed, bytes, "size", "", BYTES),
    COLUMN(struct timed, a_us, "A", "µs", NUMBER),
    COLUMN(struct timed, b_us, "B", "µs", NUMBER),
    COLUMN(struct timed, speed, "speed", "", RATIO)};
static const struct story_form timed_form =
    STORY_FORM(struct timed, timed_columns, .name = "cells", .title = "Medians of the time per call", .when = STORY_NO_WHEN);
// clang-format on

static void put_verdicts(struct shown *s)
{
	struct judged *rows = ARENA_ARRAY(s->arena, struct judged, s->c->ngroups);
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct comparison_group *g = &s->c->groups[i];
		rows[i] = (struct judged){
		    .of = of_series(s, g->of, g->of->limit && !s->tables ? " (not counted)" : ""),
		    .verdict = verdict_word(g->verdict.kind),
		    .speed = g->verdict.ratio,
		    .sizes = g->npoints,
		    .of_sizes = s->tables || g->nsizes != g->npoints ? g->nsizes : ENTRY_NO_COUNT,
		    .more_blocks = g->verdict.more_blocks,
		    .detectable = g->verdict.detectable,
		    .trials_a = g->nleft,
		    .trials_b = g->nright};
	}
	put_table(s, &judged_form, rows, s->c->ngroups);
}

/* One row per cell, of all groups or of those of one kind; then rows omit the kind. */
static void put_cells(struct shown *s, const struct result_series *kind)
{
	struct timed *rows = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct comparison_group *g = &s->c->groups[i];
		if (kind && !result_same_kind(&g->of->cell, &kind->cell))
			continue;
		for (unsigned p = 0; p < g->npoints; p++) {
			const struct comparison_point *point = &g->points[p];
			rows = arena_more(s->arena, rows, n, sizeof *rows);
			rows[n++] =
			    (struct timed){of_series(s, g->of, ""), point->left->cell.asked_bytes,
			                   point->left_us, point->right_us, point->ratio};
		}
	}
	put_table(s, &timed_form, rows, n);
}

static void put_kinds(struct shown *s)
{
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct result_series *of = s->c->groups[i].of;
		unsigned k = 0;
		while (!result_same_kind(&s->c->groups[k].of->cell, &of->cell))
			k++;
		if (k < i)
			continue;
		skip_line(s);
		say(s, "%s", coll_title(&of->cell, of->nranks).text);
		skip_line(s);
		put_cells(s, of);
	}
}

/* --- the two sides ----------------------------------------------------------------------- */

static const char *const fact_names[FACT_KINDS] = {"experiment", "program", "measured", "backend",
                                                   "ranks",      "counts",  "library",  "machine"};

/* A fact is shown if it matters to the comparison. */
static bool is_shown(const struct comparison *c, enum result_fact fact)
{
	bool shown = fact != FACT_COUNTS;
	for (unsigned g = 0; g < c->ngroups; g++)
		shown = shown || c->groups[g].of->cell.coll == COLL_ALLTOALLV;
	return shown;
}

/* The names of the facts in which the sides differ; `figures`: with each side's value. */
static void unlike_facts(const struct comparison *c, bool figures, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < FACT_KINDS; i++) {
		char one[300];
		const char *a = c->left.facts[i], *b = c->right.facts[i];
		if (!is_shown(c, i) || i == FACT_MEASURED || !strcmp(a, b))
			continue;
		snprintf(one, sizeof one, figures ? "%s (A: %.120s; B: %.120s)" : "%s",
		         fact_names[i], a, b);
		status_list(text, bytes, one);
	}
}

/* Runs of two machines or libraries are compared too: the answer names the differences. */
static void put_unlike(struct shown *s)
{
	char unlike[1200];
	unlike_facts(s->c, true, unlike, sizeof unlike);
	if (unlike[0])
		say(s, "A and B differ in %s.", unlike);
}

/* "6", "2 to 8": trials that the verdicts use. */
static void trials_text(const struct comparison *c, bool right, char *text, size_t bytes)
{
	unsigned least = -1u, most = 0;
	for (unsigned g = 0; g < c->ngroups; g++) {
		unsigned n = right ? c->groups[g].nright : c->groups[g].nleft;
		least = n < least ? n : least;
		most = n > most ? n : most;
	}
	snprintf(text, bytes, least == most ? "%u" : "%u to %u", least, most);
}

struct fact {
	const char *fact, *a, *b;
};

static const struct column fact_columns[] = {COLUMN(struct fact, fact, "", "", TEXT),
                                             COLUMN(struct fact, a, "A", "", TEXT),
                                             COLUMN(struct fact, b, "B", "", TEXT)};
static const struct story_form fact_form = STORY_FORM(
    struct fact, fact_columns, .name = "sides", .title = "The two sides", .when = STORY_NO_WHEN);

static void put_facts(struct shown *s)
{
	const struct comparison *c = s->c;
	char a[32], b[32], unlike[160];
	struct fact rows[FACT_KINDS + 2];
	unsigned n = 0;
	if (s->tables)
		rows[n++] = (struct fact){"result", c->left.path, c->right.path};
	else
		fprintf(s->out, "\nA: %s\nB: %s\n", c->left.path, c->right.path);
	for (unsigned i = 0; i < FACT_KINDS; i++)
		if (is_shown(c, i))
			rows[n++] =
			    (struct fact){fact_names[i], c->left.facts[i], c->right.facts[i]};
	unlike_facts(c, false, unlike, sizeof unlike);
	trials_text(c, false, a, sizeof a);
	trials_text(c, true, b, sizeof b);
	rows[n++] = (struct fact){"trials", a, b};
	put_table(s, &fact_form, rows, n);
	if (unlike[0])
		note(s, '-', "Not the same: %s.", unlike);
	else
		note(s, '-', "All the same but the time.");
}

/* nccl-tests' names for its -a. */
static const char *average_name(int average)
{
	static const char *const names[] = {"rank 0's", "the mean over ranks (its default)",
	                                    "the shortest of any rank"};
	return average >= 0 && average < 3 ? names[average] : "of a kind not known here";
}

static void put_side(struct shown *s, char letter, const struct result *side,
                     const struct result *other)
{
	char only[1000];
	if (side->nfiles && side->average != 3 &&
	    (!other->nfiles || other->average != side->average))
		note(s, letter,
		     "nccl-tests' time is %s (-a %d), where the other side's is not; "
		     "launchgap's is the latest end of any rank less the earliest start, which "
		     "-a 3 comes nearest to.",
		     average_name(side->average), side->average);
	if (side->others[0] && strcmp(side->others, other->others))
		note(s, letter, "nccl-tests was given %s.", side->others);
	if (side->unchecked)
		note(s, letter, "nccl-tests did not check the data (-c 0).");
	if (side->torn)
		note(s, letter, "the record's last line was cut off and is left out.");
	if (side->failed)
		note(s, letter, "%u cell%s of its trials have no time.", side->failed,
		     format_plural(side->failed));
	for (unsigned i = 0; i < side->nabsent; i++)
		note(s, letter, "%s %s%s%s.", side->absent[i].variant,
		     side->absent[i].failed ? "failed" : "was left out",
		     side->absent[i].why[0] ? ": " : "", side->absent[i].why);
	comparison_only(side, other, only, sizeof only);
	if (only[0])
		note(s, '-', "Only in %c: %s.", letter, only);
}

/* Adds the name of a variant to each setting that two records give differently. */
static void add_settings(json_t *unlike, const json_t *a, const json_t *b)
{
	const char *name = json_string_value(json_object_get(a, "name"));
	for (void *i = json_object_iter((json_t *)(uintptr_t)a); i;
	     i = json_object_iter_next((json_t *)(uintptr_t)a, i)) {
		const char *key = json_object_iter_key(i);
		const json_t *other = json_object_get(b, key);
		if (!other || json_equal(json_object_iter_value(i), other) ||
		    !strcmp(key, "skip") || !strcmp(key, "role"))
			continue;
		char names[800], clean[TRIAL_NAME_BYTES];
		const char *before = json_string_value(json_object_get(unlike, key));
		snprintf(names, sizeof names, "%s", before ? before : "");
		result_clean(name, clean, sizeof clean);
		result_list(names, sizeof names, clean);
		json_object_set_new(unlike, key, json_string(names));
	}
}

static void put_settings(struct shown *s)
{
	const json_t *left = s->c->left.variants, *right = s->c->right.variants;
	json_t *unlike = json_object(), *names;
	const char *key;
	result_keep(s->arena, unlike);
	for (size_t i = 0; i < json_array_size(left); i++)
		for (size_t k = 0; k < json_array_size(right); k++) {
			const json_t *a = json_array_get(left, i), *b = json_array_get(right, k);
			if (json_equal(json_object_get(a, "name"), json_object_get(b, "name")))
				add_settings(unlike, a, b);
		}
	json_object_foreach(unlike, key, names)
	{
		char clean[TRIAL_NAME_BYTES];
		result_clean(key, clean, sizeof clean);
		note(s, '-', "%s is not set the same in %s.", clean, json_string_value(names));
	}
}

static const struct column note_columns[] = {COLUMN(struct note, side, "side", "", TEXT),
                                             COLUMN(struct note, text, "text", "", TEXT)};
static const struct story_form note_form =
    STORY_FORM(struct note, note_columns, .name = "notes", .title = "What to know of the two sides",
               .when = STORY_NO_WHEN);

static void put_all(struct shown *s)
{
	const struct comparison *c = s->c;
	put_answer(s);
	put_unlike(s);
	skip_line(s);
	put_verdicts(s);
	skip_line(s);
	say(s, "The speed of B is A's time divided by B's: below 1, B is slower. A row has "
	       "one number per trial (nccl-tests: per file), the geometric mean over the "
	       "sizes that both have. Trials of two runs are not paired: what changed on the "
	       "machine between them is in it.");
	skip_line(s);
	say(s, "µs per call, medians over trials; intervals are of one size.");
	if (s->tables)
		put_cells(s, NULL);
	else
		put_kinds(s);
	put_facts(s);
	put_side(s, 'A', &c->left, &c->right);
	put_side(s, 'B', &c->right, &c->left);
	put_settings(s);
	if (s->tables)
		put_table(s, &note_form, s->notes, s->nnotes);
}

void print_comparison(const struct comparison *c, bool json, FILE *out)
{
	struct shown s = {.c = c, .out = out, .arena = c->arena};
	json_t *all = json ? json_pack("{s:i, s:[]}", "schema", 1, "tables") : NULL;
	result_keep(c->arena, all);
	s.tables = json_object_get(all, "tables");
	arena_need(c->arena, !json || s.tables);
	put_all(&s);
	arena_need(c->arena,
	           !json || (!json_dumpf(all, out, JSON_INDENT(1)) && fputc('\n', out) != EOF));
}
