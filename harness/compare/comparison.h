/* Compares two sides: which cells both have, the ratios and verdicts of these as tables (compared.sql), and
 * what they say (compare.chapter). Terminal, JSON, JUnit and page are written from it, and decide nothing. */
#ifndef LAUNCHGAP_COMPARISON_H
#define LAUNCHGAP_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "../analysis/verdict.h"
#include "../data/db.h"
#include "../story/story.h"
#include "result.h"

struct comparison {
	struct arena *arena;
	struct result left, right;
	double margin;
	const char *refused; /* why nothing is compared, or NULL */
	struct db *db;
	struct story story;
	bool counted; /* a cell in common, but the limit's */
	bool moved;   /* the limit differs: the machine changed, and all else is undecided */
	bool worse;   /* B is slower somewhere */
};

/* compared.c: tables of what was loaded of the two sides, however little. */
void comparison_fill(struct comparison *c);
/* Of NCCL's variables those that differ become facts. */
void comparison_variables(struct comparison *c);
/* Adds the verdicts. */
int comparison_judge(struct comparison *c, struct status *st);
/* Why the two sides share no cell but the limit's: "dtype is float32 in A, float16 in B; …", the
 * fewest keys in which two cells differ, or what a side lacks; cut to fit. */
void comparison_apart(const struct comparison *c, char *out, size_t bytes);

/* compared.c: fills the story; the last step. */
void comparison_tell(struct comparison *c);
/* The rows of a table, or of none, that have a text in a column. */
struct story_table comparison_rows(struct arena *arena, const struct story_table *table,
                                   const char *key, const char *text);
const char *comparison_text(const struct story_table *table, unsigned row, const char *key);
/* The facts of both sides, without their paths. */
struct story_table comparison_facts(const struct comparison *c);
/* "h800_alltoall: B compared with A". */
const char *comparison_title(const struct comparison *c);
/* For cells of one kind after the other: their title and rows. */
void comparison_each_kind(const struct comparison *c, const struct story_table *cells,
                          void (*put)(void *to, const char *title, const struct story_table *cells),
                          void *to);
/* What the two tables are of. */
extern const char comparison_method[], comparison_cells_are[];

/* compared_page.c: all of it, what differs first; unless page->whole only the answer and the first
 * differences. All of its tables, as JSON. */
struct page;
void compared_page(struct page *page, const void *comparison);
json_t *compared_tables(const void *comparison);
/* junit.c: JUnit's XML, as the readers of Jenkins, GitLab and GitHub take it: a suite for each verdict,
 * with a case for it and for each of its cells. Slower is a failure; what is undecided or not compared is
 * skipped. Of what was refused it says why. */
void junit_write(const struct comparison *c, FILE *out);

#endif
