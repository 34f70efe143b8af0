#include "comparison.h"

#include <math.h>
#include <string.h>

#include "../arena.h"
#include "../record/member.h"
#include "../story/verdict_text.h"
#include "../texts.h"
#include "unpaired.h"

#define CHAPTER "harness/compare/compare.chapter"

/* --- the two sides ----------------------------------------------------------------------- */

static void put_settings(struct db *db, const char *side, const json_t *variants)
{
	size_t i;
	const json_t *variant;
	json_array_foreach((json_t *)(uintptr_t)variants, i, variant)
	{
		const char *key;
		json_t *value;
		char name[TRIAL_NAME_BYTES], clean[TRIAL_NAME_BYTES];
		result_clean(member_or_empty(variant, "name"), name, sizeof name);
		json_object_foreach((json_t *)(uintptr_t)variant, key, value)
		{
			result_clean(key, clean, sizeof clean);
			db_add(db, "setting", "tttj", side, name, clean, value);
		}
	}
}

static void put_side(struct db *db, struct arena *arena, const char *side, const struct result *r)
{
	db_add(db, "side", "ttiitiii", side, r->path, r->nfiles, r->average, r->others,
	       r->unchecked, r->torn, r->failed);
	for (unsigned i = 0; i < r->nabsent; i++)
		db_add(db, "absent", "ttit", side, r->absent[i].variant, r->absent[i].failed,
		       r->absent[i].why);
	for (unsigned i = 0; i < r->nseries; i++) {
		const struct result_series *s = &r->series[i];
		const struct cell *c = &s->cell;
		const struct coll_info *info = coll_info(c->coll);
		db_add(db, "series",
		       "itttilltttttti"
		       "ii",
		       i, side, result_kind(arena, c), s->variant, !s->limit, c->bytes,
		       c->asked_bytes, coll_title(c, s->nranks).text, coll_word(c, s->nranks).text,
		       coll_pace_name(c->pace), info->name, coll_dtype_name(c->dtype),
		       info->is & COLL_REDUCES ? coll_op_name(c->op) : NULL,
		       info->is & COLL_ROOTED ? (unsigned)c->root : DB_NONE, c->in_place, c->root);
	}
	put_settings(db, side, r->variants);
}

static void put_facts(struct db *db, const struct result *a, const struct result *b)
{
	static const char *const names[FACT_KINDS] = {
	    "experiment", "program", "measured", "backend", "ranks",  "counts",
	    "library",    "machine", "driver",   "load",    "layout", "NCCL variables"};
	for (enum result_fact i = 0; i < FACT_KINDS; i++) {
		const bool variables = i == FACT_VARIABLES;
		db_add(db, "fact", "ttti", names[i],
		       variables && !a->variables ? NULL : a->facts[i],
		       variables && !b->variables ? NULL : b->facts[i], i >= FACT_LIBRARY);
	}
}

void comparison_fill(struct comparison *c)
{
	struct status st;
	c->db = db_open(c->arena);
	arena_need(c->arena, !db_run_text(c->db, "harness/compare/compared.sql", &st));
	put_side(c->db, c->arena, "A", &c->left);
	put_side(c->db, c->arena, "B", &c->right);
}

struct point {
	const struct result_series *left, *right;
};

/* --- ratios and verdicts of cells -------------------------------------------------------- */

/* Shift of log times, converted back to a ratio: time of A ÷ time of B, above 1 is faster. */
static struct stats_ratio ratio_of(struct arena *arena, const double *left, unsigned nleft,
                                   const double *right, unsigned nright)
{
	struct unpaired shift =
	    unpaired_shift(arena, left, nleft, right, nright, VERDICT_CONFIDENCE);
	/* With this many trials on each side the interval would be as wide. */
	double both = nleft + nright ? 2.0 * nleft * nright / (nleft + nright) : 0;
	return (struct stats_ratio){.estimate = exp(shift.shift),
	                            .lo = exp(shift.lo),
	                            .hi = exp(shift.hi),
	                            .blocks = both < 2 ? 2 : (unsigned)lround(both),
	                            .confidence = shift.confidence};
}

static double time_in(const struct result_series *s, unsigned block)
{
	for (unsigned i = 0; i < s->ntrials; i++)
		if (s->trials[i].block == block)
			return s->trials[i].time_us;
	return NAN;
}

/* One number for each trial that has all of the n points: the mean of the logs. */
static unsigned means_of(const struct point *points, unsigned n, bool right, double *logs)
{
	const struct result_series *first = right ? points->right : points->left;
	unsigned nlogs = 0;
	for (unsigned i = 0; i < first->ntrials; i++) {
		double sum = 0;
		for (unsigned p = 0; p < n; p++)
			sum += log(time_in(right ? points[p].right : points[p].left,
			                   first->trials[i].block));
		if (!isnan(sum))
			logs[nlogs++] = sum / n;
	}
	return nlogs;
}

/* nth 0: over all n sizes. left, right: room for a number for each trial. */
static struct verdict put_judged(struct comparison *c, unsigned pair, unsigned nth,
                                 const struct point *points, unsigned n, double *left,
                                 double *right)
{
	const unsigned nleft = means_of(points, n, false, left),
	               nright = means_of(points, n, true, right);
	const struct stats_ratio ratio = ratio_of(c->arena, left, nleft, right, nright);
	const bool open = c->moved && !points->left->limit;
	struct verdict v = verdict_of(ratio, c->margin);
	const enum verdict_kind kind = open ? VERDICT_UNDECIDED : v.kind;
	const double wide = verdict_wide_margin(&ratio);
	char words[VERDICT_TEXT_BYTES], unseen[64];
	if (!nth) {
		v.kind = kind;
		if (isnan(ratio.lo))
			v.more_blocks = unpaired_lacks(c->arena, nleft, nright, VERDICT_CONFIDENCE);
		v.more_blocks = open ? 0 : v.more_blocks; /* none would help */
	}
	verdict_text(&v, words, sizeof words);
	verdict_unseen_text(v.detectable, unseen, sizeof unseen);
	db_add(c->db, "judged", "iilddrttttidtdtiii", pair, nth,
	       nth ? (int64_t)points->left->cell.asked_bytes : 0,
	       nth ? exp(stats_median(left, nleft)) : NAN,
	       nth ? exp(stats_median(right, nright)) : NAN, ratio,
	       isnan(ratio.estimate) ? NULL : format_ratio(&ratio).text, verdict_word(kind),
	       verdict_word(v.kind), words, v.more_blocks, v.detectable, unseen, wide,
	       arena_text(c->arena, "%.2g%%", 100 * wide),
	       verdict_scatters(&ratio, c->margin, VERDICT_BOTH_ENDS), nleft, nright);
	return v;
}

static void judge(struct comparison *c, unsigned pair, const struct point *points, unsigned n,
                  double *left, double *right)
{
	if (!n)
		return;
	const struct verdict v = put_judged(c, pair, 0, points, n, left, right);
	const bool limit = points->left->limit;
	c->moved |= limit && verdict_effect(&v);
	c->worse |= !limit && verdict_beyond(&v) < 0;
	c->counted |= !limit;
	for (unsigned i = 0; i < n; i++)
		put_judged(c, pair, i + 1, points + i, 1, left, right);
}

static unsigned most_trials(const struct result *side)
{
	unsigned most = 0;
	for (unsigned i = 0; i < side->nseries; i++)
		if (side->series[i].ntrials > most)
			most = side->series[i].ntrials;
	return most;
}

/* The limit's pairs first: if one of them differs, all others are undecided. */
int comparison_judge(struct comparison *c, struct status *st)
{
	static const struct db_source query = {
	    .file = "comparison.c",
	    .sql = "SELECT pair, a, b FROM point ORDER BY counted, pair, size"};
	double *left = ARENA_ARRAY(c->arena, double, most_trials(&c->left)),
	       *right = ARENA_ARRAY(c->arena, double, most_trials(&c->right));
	struct point *points = ARENA_ARRAY(c->arena, struct point, c->left.nseries);
	struct db_rows *rows = db_ask(c->db, &query, st);
	unsigned n = 0, pair = 0;
	while (rows && db_next(rows)) {
		const unsigned now = (unsigned)db_real(rows, 0);
		if (now != pair) {
			judge(c, pair, points, n, left, right);
			n = 0;
		}
		pair = now;
		points[n++] = (struct point){&c->left.series[(unsigned)db_real(rows, 1)],
		                             &c->right.series[(unsigned)db_real(rows, 2)]};
	}
	judge(c, pair, points, n, left, right);
	return rows ? db_end(rows, st) : -1;
}

/* --- variables --------------------------------------------------------------------------- */

/* Only those that differ, so that no long list is cut before them. */
static void add_variables(struct result *of, struct result *from, struct result *other)
{
	const char *name;
	json_t *value;
	if (!of->variables || !other->variables)
		return;
	json_object_foreach(from->variables, name, value)
	{
		const json_t *own = json_object_get(of->variables, name);
		char text[RESULT_FACT_BYTES];
		if (json_equal(own, json_object_get(other->variables, name)))
			continue;
		if (own)
			snprintf(text, sizeof text, "%s=%s", name, json_string_value(own));
		else
			snprintf(text, sizeof text, "%s not set", name);
		result_fact_add(of, FACT_VARIABLES, text);
	}
}

void comparison_variables(struct comparison *c)
{
	add_variables(&c->left, &c->left, &c->right);
	add_variables(&c->left, &c->right, &c->right);
	add_variables(&c->right, &c->left, &c->left);
	add_variables(&c->right, &c->right, &c->left);
}

/* --- no cell in common ------------------------------------------------------------------- */

/* "…; KEY is X in A, Y in B" */
static void put_apart(const char *name, const char *left, const char *right, char *out,
                      size_t bytes)
{
	status_add(out, bytes, "%s%s %s in A, %s in B", *out ? "; " : "", name, left, right);
}

void comparison_apart(const struct comparison *c, char *out, size_t bytes)
{
	static const struct db_source query = {
	    .file = "comparison.c",
	    .sql = "SELECT a.name, a.vals, b.vals, a.keys LIKE 'v%' FROM apart a JOIN apart b "
	           "USING (key) WHERE a.side = 'A' AND b.side = 'B' ORDER BY instr(a.keys, key)"};
	const struct result *left = &c->left, *right = &c->right;
	struct status ignored = {""};
	struct db_rows *rows = db_ask(c->db, &query, &ignored);
	bool variant = false;
	out[0] = '\0';
	while (rows && db_next(rows)) {
		put_apart(db_text(rows, 0), db_text(rows, 1), db_text(rows, 2), out, bytes);
		variant |= db_real(rows, 3) > 0;
	}
	if (rows)
		db_end(rows, &ignored);
	if (variant && left->nfiles + right->nfiles)
		status_add(out, bytes, " (--variant NAME names nccl-tests' files)");
	if (!*out)
		snprintf(out, bytes, "%s no time of any variant",
		         left->nseries ? right->nseries ? "a side has" : "B has" : "A has");
	if (strcmp(left->facts[FACT_RANKS], right->facts[FACT_RANKS]))
		put_apart("ranks:", left->facts[FACT_RANKS], right->facts[FACT_RANKS], out, bytes);
}

/* --- what they say ----------------------------------------------------------------------- */

// clang-format off
static const struct told_section sections[] = {
    {"Differences", "verdicts", "WHERE part = 'different' ORDER BY speed, rowid", "None is decided.", 12, .in_short = true},
    {NULL, "cells", "WHERE part = 'different' ORDER BY first, rowid", .kinds = true},
    {"Undecided", "verdicts", .where = "WHERE part = 'undecided'"},
    {NULL, "cells", "WHERE part = 'undecided' ORDER BY first, rowid", .kinds = true},
    {"The same", "verdicts", .where = "WHERE part = 'no difference'"},
    {NULL, "cells", "WHERE part = 'no difference' ORDER BY first, rowid", .kinds = true},
    {"The machine's limit, not counted", "verdicts", .where = "WHERE part = 'limit'"},
    {NULL, "cells", "WHERE part = 'limit' ORDER BY first, rowid", .kinds = true},
    {"Could not be compared", "notes", "WHERE part = 'apart'", .in_short = true, .items = true},
    {"The two sides", "sides", .where = "WHERE fact <> 'result'"},
    {NULL, "notes", "WHERE part = 'known'", .items = true},
    {.says = true},
    {.table = NULL}};
// clang-format on
static const char *const tables[] = {"answer", "verdicts", "cells", "sides", "notes", NULL};

int comparison_tell(struct comparison *c, struct told *t, struct status *st)
{
	const char *a = c->left.facts[FACT_EXPERIMENT], *b = c->right.facts[FACT_EXPERIMENT];
	const bool same = *a && !strcmp(a, b);
	put_facts(c->db, &c->left, &c->right);
	db_add(c->db, "given", "dtit", c->margin, arena_text(c->arena, "%.3g %%", c->margin * 100),
	       VERDICT_MOST_MORE, t->refused);
	t->title = arena_text(c->arena, "%s%sB compared with A", same ? a : "", same ? ": " : "");
	t->links = true;
	t->db = c->db;
	t->sections = sections;
	t->tables = tables;
	return told_tell(t, CHAPTER, texts_find(CHAPTER), st);
}
