#include "shown.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../analysis/words.h"
#include "../report/page.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- where it goes ----------------------------------------------------------------------- */

struct shown {
	const struct comparison *c;
	FILE *out;
	json_t *tables; /* NULL: text goes out at once */
	struct table *notes;
	bool failed;
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
		page_wrap(s->out,
		          side == 'A'   ? "- A: "
		          : side == 'B' ? "- B: "
		                        : "- ",
		          2, text);
	TABLE_ROW(s->notes, CELL(name), CELL(text));
}

/* Shows and frees. */
static void put_table(struct shown *s, struct table *table)
{
	s->failed = s->failed || table_failed(table);
	if (s->tables)
		json_array_append_new(s->tables, table_to_json(table));
	else
		table_write_text(table, s->out, PAGE_COLUMNS);
	table_free(table);
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

static const struct table_column answer_columns[] = {
    {"verdict", "B is", "", TABLE_VERDICT},   {"cells", "cells", "", TABLE_COUNT},
    {"of_cells", "of", "", TABLE_COUNT},      {"speed_least", "least", "", TABLE_NUMBER},
    {"speed_most", "most", "", TABLE_NUMBER}, {"threshold", "threshold", "", TABLE_NUMBER}};

/* A sentence and a row for each kind of verdict that there is. */
static void put_answer(struct shown *s)
{
	const struct comparison *c = s->c;
	unsigned all = 0;
	struct table *table = table_of("answer", "How B is, held against A", answer_columns,
	                               COUNT(answer_columns));
	for (unsigned g = 0; g < c->ngroups; g++)
		all += c->groups[g].of->limit ? 0 : c->groups[g].npoints;
	for (size_t i = 0; i < COUNT(kinds); i++) {
		double least = NAN, most = NAN, detectable = NAN;
		unsigned cells = 0, more = 0;
		char range[64] = "", needs[64] = "", unseen[64];
		for (unsigned g = 0; g < c->ngroups; g++) {
			const struct comparison_group *group = &c->groups[g];
			if (group->of->limit || group->verdict.kind != kinds[i].kind)
				continue;
			cells += group->npoints;
			if (group->verdict.more_blocks > more)
				more = group->verdict.more_blocks;
			detectable = fmax(detectable, group->verdict.detectable);
			least = fmin(least, group->verdict.ratio.estimate);
			most = fmax(most, group->verdict.ratio.estimate);
		}
		if (!cells)
			continue;
		if (most - least >= 0.0005)
			snprintf(range, sizeof range, ", %.3f to %.3f times A's speed", least,
			         most);
		else if (isfinite(least))
			snprintf(range, sizeof range, ", %.3f times A's speed", least);
		if (more > VERDICT_MOST_MORE)
			snprintf(needs, sizeof needs,
			         "; to tell takes more than %d more blocks on each side",
			         VERDICT_MOST_MORE);
		else if (more)
			snprintf(needs, sizeof needs,
			         "; up to %u more block%s on each side would tell", more,
			         words_plural(more));
		verdict_unseen_text(more ? detectable : NAN, unseen, sizeof unseen);
		say(s, "%s in %u of %u cells%s, %s %.3g %%%s%s%s.", kinds[i].lead, cells, all,
		    range, kinds[i].margin, c->margin * 100, *unseen ? "; " : "", unseen,
		    needs);
		TABLE_ROW(table, CELL(verdict_word(kinds[i].kind)), CELL(cells), CELL(all),
		          CELL(least), CELL(most), CELL(c->margin));
	}
	if (s->tables)
		put_table(s, table);
	else
		table_free(table);
}

/* --- the tables -------------------------------------------------------------------------- */

/* What a row is of; people need no more than the first three. */
static const struct table_column of_columns[] = {
    {"variant", "variant", "", TABLE_TEXT}, {"what", "cells", "", TABLE_TEXT},
    {"pace", "pace", "", TABLE_TEXT},       {"collective", "collective", "", TABLE_TEXT},
    {"dtype", "dtype", "", TABLE_TEXT},     {"op", "op", "", TABLE_TEXT},
    {"root", "root", "", TABLE_COUNT},      {"in_place", "in place", "", TABLE_FLAG},
    {"counted", "counted", "", TABLE_FLAG}};

static void put_of(struct table *table, const struct side_series *of, const char *more)
{
	const struct coll_info *info = coll_info(of->cell.coll);
	table_text(table, "%s%s", of->variant, more);
	TABLE_PUT(table, CELL(coll_word(&of->cell, of->nranks).text),
	          CELL(coll_pace_name(of->cell.pace)), CELL(info->name),
	          CELL(coll_dtype_name(of->cell.dtype)),
	          CELL(info->is & COLL_REDUCES ? coll_op_name(of->cell.op) : ""),
	          table_of_known(info->is & COLL_ROOTED, of->cell.root),
	          CELL(of->cell.in_place), CELL(!of->limit));
}

static void drop_of(struct table *table)
{
	TABLE_DROP(table, "collective", "dtype", "op", "root", "in_place", "counted");
}

/* The last four are for programs. */
static const struct table_column verdict_columns[] = {
    {"verdict", "B is", "", TABLE_VERDICT},
    {"speed", "speed", "", TABLE_RATIO},
    {"sizes", "sizes", "", TABLE_COUNT},
    {"of_sizes", "of", "", TABLE_COUNT},
    {"more_blocks", "more blocks", "", TABLE_COUNT},
    {"detectable", "could be seen from", "", TABLE_NUMBER},
    {"trials_a", "trials A", "", TABLE_COUNT},
    {"trials_b", "trials B", "", TABLE_COUNT}};

static void put_verdicts(struct shown *s)
{
	struct table *table =
	    table_of("verdicts", "B held against A", of_columns, COUNT(of_columns));
	char common[160] = "";
	table_columns(table, verdict_columns, COUNT(verdict_columns));
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct comparison_group *g = &s->c->groups[i];
		table_row(table);
		put_of(table, g->of, g->of->limit && !s->tables ? " (not counted)" : "");
		TABLE_PUT(table, CELL(verdict_word(g->verdict.kind)), CELL(&g->verdict.ratio),
		          CELL(g->npoints),
		          table_of_known(s->tables || g->nsizes != g->npoints, g->nsizes),
		          CELL(g->verdict.more_blocks), CELL(g->verdict.detectable),
		          CELL(g->nleft), CELL(g->nright));
	}
	if (!s->tables) {
		drop_of(table);
		TABLE_DROP(table, "more_blocks", "detectable", "trials_a", "trials_b");
		table_drop_common(table, common, sizeof common);
		table_drop_empty(table);
	}
	put_table(s, table);
	if (common[0])
		say(s, "All rows: %s.", common);
}

static const struct table_column cell_columns[] = {{"bytes", "size", "", TABLE_BYTES},
                                                   {"a_us", "A", "µs", TABLE_NUMBER},
                                                   {"b_us", "B", "µs", TABLE_NUMBER},
                                                   {"speed", "speed", "", TABLE_RATIO}};

/* One row per cell, of all groups, or of those of one kind, where it need not be said. */
static void put_cells(struct shown *s, const struct side_series *kind)
{
	struct table *table =
	    table_of("cells", "Medians of the time per call", of_columns, COUNT(of_columns));
	table_columns(table, cell_columns, COUNT(cell_columns));
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct comparison_group *g = &s->c->groups[i];
		if (kind && !side_same_kind(&g->of->cell, &kind->cell))
			continue;
		for (unsigned p = 0; p < g->npoints; p++) {
			const struct comparison_point *point = &g->points[p];
			table_row(table);
			put_of(table, g->of, "");
			TABLE_PUT(table, CELL(point->left->cell.asked_bytes),
			          CELL(point->left_us), CELL(point->right_us),
			          CELL(&point->ratio));
		}
	}
	if (!s->tables) {
		drop_of(table);
		TABLE_DROP(table, "what", "pace");
	}
	put_table(s, table);
}

static void put_kinds(struct shown *s)
{
	for (unsigned i = 0; i < s->c->ngroups; i++) {
		const struct side_series *of = s->c->groups[i].of;
		unsigned k = 0;
		while (!side_same_kind(&s->c->groups[k].of->cell, &of->cell))
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

static const char *const fact_names[FACT_KINDS] = {
    "experiment", "program", "measured", "backend", "ranks", "counts", "library", "machine"};

/* A fact is shown where it bears on what is compared. */
static bool is_shown(const struct comparison *c, enum side_fact fact)
{
	bool shown = fact != FACT_COUNTS;
	for (unsigned g = 0; g < c->ngroups; g++)
		shown = shown || c->groups[g].of->cell.coll == COLL_ALLTOALLV;
	return shown;
}

/* The names of the facts in which the sides differ; `figures`: with what each has. */
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

/* Two machines or libraries are compared as often as two runs of one: what differs stands with
 * the answer. */
static void put_unlike(struct shown *s)
{
	char unlike[1200];
	unlike_facts(s->c, true, unlike, sizeof unlike);
	if (unlike[0])
		say(s, "A and B are not alike in %s.", unlike);
}

static void put_fact(struct table *table, const char *name, const char *a, const char *b)
{
	TABLE_ROW(table, CELL(name), CELL(a), CELL(b));
}

/* "6", "2 to 8": trials behind the verdicts. */
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

static void put_facts(struct shown *s)
{
	static const struct table_column columns[] = {{"fact", "", "", TABLE_TEXT},
	                                              {"a", "A", "", TABLE_TEXT},
	                                              {"b", "B", "", TABLE_TEXT}};
	const struct comparison *c = s->c;
	char a[32], b[32], unlike[160];
	struct table *table = table_of("sides", "The two sides", columns, COUNT(columns));
	if (s->tables)
		put_fact(table, "result", c->left.path, c->right.path);
	else
		fprintf(s->out, "\nA: %s\nB: %s\n", c->left.path, c->right.path);
	for (unsigned i = 0; i < FACT_KINDS; i++) {
		if (!is_shown(c, i))
			continue;
		put_fact(table, fact_names[i], c->left.facts[i], c->right.facts[i]);
	}
	unlike_facts(c, false, unlike, sizeof unlike);
	trials_text(c, false, a, sizeof a);
	trials_text(c, true, b, sizeof b);
	put_fact(table, "trials", a, b);
	put_table(s, table);
	if (unlike[0])
		note(s, '-', "Not the same: %s.", unlike);
	else
		note(s, '-', "All the same but the time.");
}

/* nccl-tests' own words for -a. */
static const char *average_name(int average)
{
	static const char *const names[] = {"rank 0's", "the mean over ranks (its default)",
	                                    "the shortest of any rank"};
	return average >= 0 && average < 3 ? names[average] : "of a kind not known here";
}

static void put_side(struct shown *s, char letter, const struct side *side,
                     const struct side *other)
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
		     words_plural(side->failed));
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
		side_clean(name, clean, sizeof clean);
		side_list(names, sizeof names, clean);
		json_object_set_new(unlike, key, json_string(names));
	}
}

static void put_settings(struct shown *s)
{
	const json_t *left = s->c->left.variants, *right = s->c->right.variants;
	json_t *unlike = json_object(), *names;
	const char *key;
	for (size_t i = 0; i < json_array_size(left); i++)
		for (size_t k = 0; k < json_array_size(right); k++) {
			const json_t *a = json_array_get(left, i),
			             *b = json_array_get(right, k);
			if (json_equal(json_object_get(a, "name"), json_object_get(b, "name")))
				add_settings(unlike, a, b);
		}
	json_object_foreach(unlike, key, names)
	{
		char clean[TRIAL_NAME_BYTES];
		side_clean(key, clean, sizeof clean);
		note(s, '-', "%s is not set alike in %s.", clean, json_string_value(names));
	}
	json_decref(unlike);
}

int shown_put(const struct comparison *c, bool json, FILE *out, struct status *st)
{
	static const struct table_column columns[] = {{"side", "side", "", TABLE_TEXT},
	                                              {"text", "text", "", TABLE_TEXT}};
	struct shown s = {.c = c, .out = out, .tables = json ? json_array() : NULL};
	s.notes = table_of("notes", "What to know of the two sides", columns, COUNT(columns));
	put_answer(&s);
	put_unlike(&s);
	skip_line(&s);
	put_verdicts(&s);
	skip_line(&s);
	say(&s, "The speed of B is A's time divided by B's: below 1, B is slower. A row has "
	        "one number per trial (nccl-tests: per file), the geometric mean over the "
	        "sizes that both have. Trials of two runs are not paired: what changed on the "
	        "machine between them is in it.");
	skip_line(&s);
	say(&s, "µs per call, medians over trials; intervals are of one size.");
	if (s.tables)
		put_cells(&s, NULL);
	else
		put_kinds(&s);
	put_facts(&s);
	put_side(&s, 'A', &c->left, &c->right);
	put_side(&s, 'B', &c->right, &c->left);
	put_settings(&s);
	if (s.tables) {
		put_table(&s, s.notes);
		json_t *all = json_pack("{s:i, s:o}", "schema", 1, "tables", s.tables);
		s.failed = s.failed || !all || json_dumpf(all, out, JSON_INDENT(1)) ||
		           fputc('\n', out) == EOF;
		json_decref(all);
	} else {
		table_free(s.notes);
	}
	return s.failed ? status_set(st, "out of memory for the comparison") : 0;
}
