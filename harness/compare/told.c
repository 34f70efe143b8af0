#include "told.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../report/json.h"
#include "../story/format.h"
#include "../story/verdict_text.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- sentences --------------------------------------------------------------------------- */

static void answer(struct told *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void answer(struct told *t, const char *format, ...)
{
	char text[1400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	t->answers = arena_more(t->arena, t->answers, t->nanswers, sizeof *t->answers);
	t->answers[t->nanswers++] = arena_copy(t->arena, text);
}

/* side: "A", "B", or "" for both. */
static void note(struct told *t, enum told_about about, const char *side, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void note(struct told *t, enum told_about about, const char *side, const char *format, ...)
{
	char text[1200];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	t->notes = arena_more(t->arena, t->notes, t->nnotes, sizeof *t->notes);
	t->notes[t->nnotes++] = (struct told_note){side, arena_copy(t->arena, text), about};
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

struct row {
	const char *verdict;
	unsigned cells, of_cells;
	double speed_least, speed_most, threshold;
};

static const struct column row_columns[] = {COLUMN(struct row, verdict, "B is", "", WORD),
                                            COLUMN(struct row, cells, "cells", "", COUNT),
                                            COLUMN(struct row, of_cells, "of", "", COUNT),
                                            COLUMN(struct row, speed_least, "least", "", NUMBER),
                                            COLUMN(struct row, speed_most, "most", "", NUMBER),
                                            COLUMN(struct row, threshold, "threshold", "", NUMBER)};
static const struct story_form row_form =
    STORY_FORM(struct row, row_columns, .name = "answer", .title = "How B compares with A",
               .when = STORY_NO_WHEN);

/* The verdicts of one kind, gathered. */
struct gathered {
	struct row row;
	double detectable, wide; /* wide: the threshold that decides all of them */
	bool scatters;           /* what leaves one of them open */
	unsigned more_blocks, groups;
};

static struct gathered gather(const struct comparison *c, enum verdict_kind kind)
{
	struct gathered all = {
	    .row = {verdict_word(kind), 0, 0, NAN, NAN, c->margin}, .detectable = NAN, .wide = 0};
	for (unsigned g = 0; g < c->ngroups; g++) {
		const struct comparison_group *group = &c->groups[g];
		const struct verdict *v = &group->verdict;
		if (group->of->limit)
			continue;
		all.row.of_cells += group->npoints;
		for (unsigned p = 0; p < group->npoints; p++) {
			const struct comparison_point *point = &group->points[p];
			if (point->kind != kind)
				continue;
			const double alone = verdict_wide_margin(&point->ratio);
			all.wide = isnan(alone) || alone > all.wide ? alone : all.wide;
			all.row.cells++;
			all.row.speed_least = fmin(all.row.speed_least, point->ratio.estimate);
			all.row.speed_most = fmax(all.row.speed_most, point->ratio.estimate);
		}
		if (v->kind != kind)
			continue;
		all.groups++;
		if (v->more_blocks > all.more_blocks)
			all.more_blocks = v->more_blocks;
		all.detectable = fmax(all.detectable, v->detectable);
		const double wide = verdict_wide_margin(&v->ratio);
		all.wide = isnan(wide) || wide > all.wide ? wide : all.wide;
		all.scatters |= verdict_scatters(&v->ratio, c->margin, VERDICT_BOTH_ENDS);
	}
	return all;
}

/* So many blocks nobody measures: what decides without them. */
static void many_blocks_text(const struct gathered *all, char *out, size_t bytes)
{
	const bool wide = !isnan(all->wide);
	snprintf(out, bytes, "; to decide takes more than %d more blocks on each side",
	         VERDICT_MOST_MORE);
	if (all->scatters)
		status_add(out, bytes, "%s a quieter machine", wide ? "," : " or");
	if (wide)
		status_add(out, bytes, "%s or --threshold %.2g%%", all->scatters ? "," : "",
		           100 * all->wide);
}

static void say_gathered(struct told *t, const struct gathered *all, const char *lead,
                         const char *margin)
{
	const struct row *row = &all->row;
	const unsigned more = all->more_blocks;
	char range[64] = "", needs[128] = "", unseen[64];
	if (row->speed_most - row->speed_least >= 0.0005)
		snprintf(range, sizeof range, ", %.3f to %.3f times A's speed", row->speed_least,
		         row->speed_most);
	else if (isfinite(row->speed_least))
		snprintf(range, sizeof range, ", %.3f times A's speed", row->speed_least);
	if (more > VERDICT_MOST_MORE)
		many_blocks_text(all, needs, sizeof needs);
	else if (more)
		snprintf(needs, sizeof needs, "; up to %u more block%s on each side would decide",
		         more, format_plural(more));
	verdict_unseen_text(more ? all->detectable : NAN, unseen, sizeof unseen);
	if (!row->cells) {
		answer(t, "%s over several sizes together, %s %.3g %%, in no cell alone.", lead,
		       margin, row->threshold * 100);
		return;
	}
	answer(t, "%s in %u of %u cells%s, %s %.3g %%%s%s%s.", lead, row->cells, row->of_cells,
	       range, margin, row->threshold * 100, *unseen ? "; " : "", unseen, needs);
}

/* A sentence and a row for each kind of verdict that there is. */
static void tell_answer(struct told *t)
{
	const struct comparison_group *moved = t->c->moved;
	if (moved)
		answer(t,
		       "The machine changed: %s, which is not of NCCL, has %.3f times A's speed in "
		       "B. So nothing is decided.",
		       moved->of->variant, moved->verdict.ratio.estimate);
	struct row *rows = ARENA_ARRAY(t->arena, struct row, COUNT(kinds));
	unsigned n = 0;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct gathered all = gather(t->c, kinds[i].kind);
		if (!all.row.cells && !all.groups)
			continue;
		say_gathered(t, &all, kinds[i].lead, kinds[i].margin);
		rows[n++] = all.row;
	}
	t->answer = (struct story_table){&row_form, rows, n};
}

/* --- the tables -------------------------------------------------------------------------- */

/* What a row describes. */
struct of {
	const char *shown, *variant, *what, *pace, *collective, *dtype, *op;
	unsigned root;
	int in_place, counted;
};

static struct of of_series(struct arena *arena, const struct result_series *series)
{
	const struct cell *cell = &series->cell;
	const struct coll_info *info = coll_info(cell->coll);
	return (struct of){.shown = arena_text(arena, "%s%s", series->variant,
	                                       series->limit ? " (not counted)" : ""),
	                   .variant = series->variant,
	                   .what = arena_copy(arena, coll_word(cell, series->nranks).text),
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
	unsigned sizes, of_shown, of_sizes, more_blocks;
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
/* People read the first four, and of cells the name alone. */
#define OF_COLUMNS(type, only) \
    COLUMN_AS(type, of.shown, "shown", "variant", "", TEXT, ONLY_PEOPLE), \
    COLUMN_AS(type, of.variant, "variant", "variant", "", TEXT, ONLY_FILES), \
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
    COLUMN_AS(struct judged, of_shown, "of_shown", "of", "", COUNT, ONLY_PEOPLE),
    COLUMN_AS(struct judged, of_sizes, "of_sizes", "of", "", COUNT, ONLY_FILES),
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

enum told_part told_part(enum verdict_kind kind, bool uncounted)
{
	return uncounted                       ? TOLD_UNCOUNTED
	       : kind == VERDICT_UNDECIDED     ? TOLD_OPEN
	       : kind == VERDICT_NO_DIFFERENCE ? TOLD_ALIKE
	                                       : TOLD_DIFFERENT;
}

static bool is_of(const struct comparison_group *g, unsigned parts)
{
	return parts & told_part(g->verdict.kind, g->of->limit);
}

/* The slowest first. */
static int by_speed(const void *a, const void *b)
{
	const double x = ((const struct judged *)a)->speed.estimate,
	             y = ((const struct judged *)b)->speed.estimate;
	return (x > y) - (x < y);
}

struct story_table told_verdicts(const struct told *t, unsigned parts)
{
	struct judged *rows = ARENA_ARRAY(t->arena, struct judged, t->c->ngroups + 1);
	unsigned n = 0;
	for (unsigned i = 0; i < t->c->ngroups; i++) {
		const struct comparison_group *g = &t->c->groups[i];
		if (!is_of(g, parts))
			continue;
		rows[n++] = (struct judged){.of = of_series(t->arena, g->of),
		                            .verdict = verdict_word(g->verdict.kind),
		                            .speed = g->verdict.ratio,
		                            .sizes = g->npoints,
		                            .of_shown = g->nsizes != g->npoints ? g->nsizes
		                                                                : ENTRY_NO_COUNT,
		                            .of_sizes = g->nsizes,
		                            .more_blocks = g->verdict.more_blocks,
		                            .detectable = g->verdict.detectable,
		                            .trials_a = g->nleft,
		                            .trials_b = g->nright};
	}
	if (parts == TOLD_DIFFERENT)
		qsort(rows, n, sizeof *rows, by_speed);
	return (struct story_table){&judged_form, rows, n};
}

static struct story_table cells_of(const struct told *t, unsigned parts,
                                   const struct result_series *kind)
{
	struct timed *rows = NULL;
	unsigned n = 0;
	for (unsigned i = 0; i < t->c->ngroups; i++) {
		const struct comparison_group *g = &t->c->groups[i];
		if (!is_of(g, parts) || (kind && !result_same_kind(&g->of->cell, &kind->cell)))
			continue;
		for (unsigned p = 0; p < g->npoints; p++) {
			const struct comparison_point *point = &g->points[p];
			rows = arena_more(t->arena, rows, n, sizeof *rows);
			rows[n] = (struct timed){of_series(t->arena, g->of),
			                         point->left->cell.asked_bytes, point->left_us,
			                         point->right_us, point->ratio};
			if (kind)
				rows[n].of.shown = g->of->variant;
			n++;
		}
	}
	return (struct story_table){&timed_form, rows, n};
}

struct story_table told_cells(const struct told *t)
{
	return cells_of(t, TOLD_ALL, NULL);
}

unsigned told_kinds(const struct told *t, unsigned parts, struct told_kind *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->c->ngroups; i++) {
		const struct result_series *of = t->c->groups[i].of;
		unsigned k = 0;
		while (k < n && !result_same_kind(&out[k].of->cell, &of->cell))
			k++;
		if (k < n || !is_of(&t->c->groups[i], parts))
			continue;
		out[n++] = (struct told_kind){
		    of, arena_copy(t->arena, coll_title(&of->cell, of->nranks).text),
		    cells_of(t, parts, of)};
	}
	return n;
}

/* --- the two sides ----------------------------------------------------------------------- */

static const char *const fact_names[FACT_KINDS] = {
    "experiment", "program", "measured", "backend", "ranks",  "counts",
    "library",    "machine", "driver",   "load",    "layout", "NCCL variables"};

/* A fact is shown if it matters to the comparison. */
static bool is_shown(const struct comparison *c, enum result_fact fact)
{
	bool shown =
	    fact != FACT_COUNTS && (fact != FACT_LAYOUT || (c->left.nfiles && c->right.nfiles));
	for (unsigned g = 0; g < c->ngroups; g++)
		shown |= fact == FACT_COUNTS && c->groups[g].of->cell.coll == COLL_ALLTOALLV;
	return shown;
}

/* Which a side does not state. A record says all that there is; equal variables have no text. */
static bool is_unknown(const struct comparison *c, enum result_fact fact)
{
	if (fact == FACT_VARIABLES)
		return !c->left.variables || !c->right.variables;
	const bool a = *c->left.facts[fact], b = *c->right.facts[fact];
	return fact >= FACT_LIBRARY && (a != b || (!a && c->left.nfiles + c->right.nfiles));
}

static void unknown_facts(const struct comparison *c, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < FACT_KINDS; i++)
		if (is_shown(c, i) && is_unknown(c, i))
			status_list(text, bytes, fact_names[i]);
}

/* The names of the facts in which the sides differ; `figures`: with each side's value. */
static void unlike_facts(const struct comparison *c, bool figures, char *text, size_t bytes)
{
	text[0] = '\0';
	for (unsigned i = 0; i < FACT_KINDS; i++) {
		char one[300];
		const char *a = c->left.facts[i], *b = c->right.facts[i];
		if (!is_shown(c, i) || i == FACT_MEASURED || i == FACT_LOAD || is_unknown(c, i) ||
		    !strcmp(a, b))
			continue;
		snprintf(one, sizeof one, figures ? "%s (A: %.120s; B: %.120s)" : "%s",
		         fact_names[i], a, b);
		status_list(text, bytes, one);
	}
}

/* Runs of two machines or libraries are compared too: the answer names the differences. */
static void tell_unlike(struct told *t)
{
	char unlike[1200];
	unlike_facts(t->c, true, unlike, sizeof unlike);
	if (unlike[0])
		answer(t, "A and B differ in %s.", unlike);
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

static void tell_facts(struct told *t)
{
	const struct comparison *c = t->c;
	char a[32], b[32], unlike[160], unknown[160];
	struct fact *rows = ARENA_ARRAY(t->arena, struct fact, FACT_KINDS + 2);
	unsigned n = 0;
	rows[n++] = (struct fact){"result", c->left.path, c->right.path};
	for (unsigned i = 0; i < FACT_KINDS; i++)
		if (is_shown(c, i))
			rows[n++] =
			    (struct fact){fact_names[i], c->left.facts[i], c->right.facts[i]};
	unlike_facts(c, false, unlike, sizeof unlike);
	trials_text(c, false, a, sizeof a);
	trials_text(c, true, b, sizeof b);
	if (c->ngroups)
		rows[n++] =
		    (struct fact){"trials", arena_copy(t->arena, a), arena_copy(t->arena, b)};
	t->sides = (struct story_table){&fact_form, rows, n};
	t->facts = (struct story_table){&fact_form, rows + 1, n - 1};
	unknown_facts(c, unknown, sizeof unknown);
	if (unlike[0])
		note(t, TOLD_OF_SIDES, "", "Not the same: %s.", unlike);
	else if (!c->refused)
		note(t, TOLD_OF_SIDES, "",
		     unknown[0] ? "What both say is the same but for the time."
		                : "All the same but the time.");
	if (unknown[0])
		note(t, TOLD_OF_SIDES, "", "Not known of both: %s.", unknown);
}

/* nccl-tests' names for its -a. */
static const char *average_name(int average)
{
	static const char *const names[] = {"rank 0's", "the mean over ranks (its default)",
	                                    "the shortest of any rank"};
	return average >= 0 && average < 3 ? names[average] : "of a kind not known here";
}

static void tell_side(struct told *t, const char *name, const struct result *side,
                      const struct result *other)
{
	char only[1000];
	if (side->nfiles && side->average != 3 &&
	    (!other->nfiles || other->average != side->average))
		note(t, TOLD_OF_SIDES, name,
		     "nccl-tests' time is %s (-a %d), where the other side's is not; "
		     "launchgap's is the latest end of any rank less the earliest start, which "
		     "-a 3 comes nearest to.",
		     average_name(side->average), side->average);
	if (side->others[0] && strcmp(side->others, other->others))
		note(t, TOLD_OF_SIDES, name, "nccl-tests was given %s.", side->others);
	if (side->unchecked)
		note(t, TOLD_OF_SIDES, name, "nccl-tests did not check the data (-c 0).");
	if (side->torn)
		note(t, TOLD_OF_SIDES, name, "the record's last line was cut off and is left out.");
	if (side->failed)
		note(t, TOLD_OF_SIDES, name, "%u cell%s of its trials have no time.", side->failed,
		     format_plural(side->failed));
	for (unsigned i = 0; i < side->nabsent; i++)
		note(t, TOLD_APART, name, "%s %s%s%s.", side->absent[i].variant,
		     side->absent[i].failed ? "failed" : "was left out",
		     side->absent[i].why[0] ? ": " : "", side->absent[i].why);
	comparison_only(side, other, only, sizeof only);
	if (only[0])
		note(t, TOLD_APART, "", "Only in %s: %s.", name, only);
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

static void tell_settings(struct told *t)
{
	const json_t *left = t->c->left.variants, *right = t->c->right.variants;
	json_t *unlike = json_keep(t->arena, json_object()), *names;
	const char *key;
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
		note(t, TOLD_OF_SIDES, "", "%s is not set the same in %s.", clean,
		     json_string_value(names));
	}
}

static const struct column note_columns[] = {COLUMN(struct told_note, side, "side", "", TEXT),
                                             COLUMN(struct told_note, text, "text", "", TEXT)};
static const struct story_form note_form =
    STORY_FORM(struct told_note, note_columns, .name = "notes",
               .title = "What to know of the two sides", .when = STORY_NO_WHEN);

struct story_table told_notes(const struct told *t)
{
	return (struct story_table){&note_form, t->notes, t->nnotes};
}

/* --- all of it --------------------------------------------------------------------------- */

const char told_method[] =
    "The speed of B is A's time divided by B's: below 1, B is slower. A row has one number per "
    "trial (nccl-tests: per file), the geometric mean over the sizes that both have. Trials of two "
    "runs are not paired: what changed on the machine between them is in it.";
const char told_cells_are[] = "µs per call, medians over trials; intervals are of one size.";

const char *told_title(const struct told *t)
{
	const char *a = t->c->left.facts[FACT_EXPERIMENT], *b = t->c->right.facts[FACT_EXPERIMENT];
	return arena_text(t->arena, "%s%sB compared with A", strcmp(a, b) ? "" : a,
	                  strcmp(a, b) || !*a ? "" : ": ");
}

void told_make(const struct comparison *c, struct told *out)
{
	*out = (struct told){.c = c, .arena = c->arena};
	tell_answer(out);
	tell_unlike(out);
	tell_facts(out);
	tell_side(out, "A", &c->left, &c->right);
	tell_side(out, "B", &c->right, &c->left);
	tell_settings(out);
}
