#include "comparison.h"

#include <string.h>

#include "../arena.h"
#include "../story/tell.h"
#include "../texts.h"
#include "../record/member.h"

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
		       i, side,
		       arena_text(arena, "%d %d %d %d %d %u", c->coll, c->pace, c->dtype, c->op,
		                  c->in_place, c->root),
		       s->variant, !s->limit, c->bytes, c->asked_bytes,
		       coll_title(c, s->nranks).text, coll_word(c, s->nranks).text,
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

/* --- what they say ----------------------------------------------------------------------- */

const char comparison_method[] =
    "The speed of B is A's time divided by B's: below 1, B is slower. A row has one number per "
    "trial (nccl-tests: per file), the geometric mean over the sizes that both have. Trials of two "
    "runs are not paired: what changed on the machine between them is in it.";
const char comparison_cells_are[] = "µs per call, medians over trials; intervals are of one size.";

void comparison_tell(struct comparison *c)
{
	put_facts(c->db, &c->left, &c->right);
	db_add(c->db, "given", "dtit", c->margin, arena_text(c->arena, "%.3g %%", c->margin * 100),
	       VERDICT_MOST_MORE, c->refused);
	db_seal(c->db);
	story_make(c->db, NULL, 0, c->arena, &c->story);
	story_add(&c->story, c->db, CHAPTER, texts_find(CHAPTER));
	arena_need(c->arena, story_find_table(&c->story, "sides") != NULL);
}

const char *comparison_text(const struct story_table *table, unsigned row, const char *key)
{
	const struct entry entry = column_entry(story_column(table, key), story_row(table, row));
	return entry.text;
}

struct story_table comparison_rows(struct arena *arena, const struct story_table *table,
                                   const char *key, const char *text)
{
	if (!table)
		return (struct story_table){.nrows = 0};
	const struct column *column = story_column(table, key);
	const size_t bytes = table->form->row_bytes;
	char *rows = arena_array(arena, table->nrows + 1, bytes);
	unsigned n = 0;
	for (unsigned i = 0; i < table->nrows; i++) {
		const struct entry entry = column_entry(column, story_row(table, i));
		if (!strcmp(entry.text, text))
			memcpy(rows + n++ * bytes, story_row(table, i), bytes);
	}
	return (struct story_table){table->form, rows, n};
}

struct story_table comparison_facts(const struct comparison *of)
{
	const struct story_table *sides = story_find_table(&of->story, "sides");
	return (struct story_table){sides->form, story_row(sides, 1), sides->nrows - 1};
}

void comparison_each_kind(const struct comparison *of, const struct story_table *cells,
                          void (*put)(void *to, const char *title, const struct story_table *cells),
                          void *to)
{
	bool *done = ARENA_ARRAY(of->arena, bool, cells->nrows + 1);
	const struct column *column = story_column(cells, "title");
	for (unsigned i = 0; i < cells->nrows; i++) {
		const struct entry title = column_entry(column, story_row(cells, i));
		if (done[i])
			continue;
		const struct story_table kind =
		    comparison_rows(of->arena, cells, "title", title.text);
		put(to, title.text, &kind);
		for (unsigned k = i; k < cells->nrows; k++) {
			const struct entry other = column_entry(column, story_row(cells, k));
			done[k] |= !strcmp(other.text, title.text);
		}
	}
}

const char *comparison_title(const struct comparison *of)
{
	const char *a = of->left.facts[FACT_EXPERIMENT], *b = of->right.facts[FACT_EXPERIMENT];
	return arena_text(of->arena, "%s%sB compared with A", strcmp(a, b) ? "" : a,
	                  strcmp(a, b) || !*a ? "" : ": ");
}
