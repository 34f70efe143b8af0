/* A chapter that is a text: its tables by SQL, its sentences as templates over their rows.
 *
 *   chapter memory | Memory             its name, and the title of its section
 *   place appendix                      first, front, body, appendix (story.h)
 *   -- What it answers.
 *
 *   view NAME                           rows that several queries share, kept as a table
 *     SELECT …
 *   table NAME | title | option …       a line for each column, then the query
 *     key:kind | head | unit | only
 *     SELECT …
 *   pivot TABLE: DOWN by ACROSS show VALUE [beside N] [where …]
 *     Its heading, or nothing.
 *   ROLE, ROLE TABLE [together] [where …] [order by …]
 *     A template, of one or several lines; without one that of the sentence before; of `and` too.
 *   and TABLE [by KEY] [where …]
 *     How the sentence before goes on, for all these rows; by: for those with its KEY. The name
 *     may have a {KEY} of that sentence's row.
 *   also TABLE …                        the same, as one of several with "; " between them
 *   each TABLE by KEY [where …]
 *   end                                 What is between is repeated for the rows of each KEY: a
 *                                       table has its value as name, a column's text as title
 *   fill TABLE KEY [where …]
 *     What becomes the text of that column in each of these rows. A sentence, but for where it is.
 *   write TABLE NAME.conf [where …]
 *     Lines of a file, row after row; [|] is an empty one, \ at its end has it go on in the next.
 *     Its name may have a {KEY}.
 *   heading TABLE [where …]             and code, files, lead, unasked, settles, picture, front: as
 *     Its text.                         story.h has it, if a row is so; lead: these rows;
 *                                       picture, front: one or several names
 *
 * A line that does not begin with a blank begins a part. Options: hidden, file=NAME.csv,
 * common=WORDS, bars=KEY, arrays, block (struct story_form); like=TABLE: with the columns and bars
 * of one above. kind: text (which need not be said), word, count, bytes, flag, number, share;
 * spread and ratio, which take key_lo and key_hi too, ratio key_blocks. head: "-" is none. only:
 * files, people, filled (column.h). A title or head that is "{COLUMN}" is what the first row has
 * there. A text without placeholders, and a picture, may name a view in place of a table: if that
 * has a row. ROLE: say (in its section), headline, answer, caption, trust … (enum story_role). It
 * says the sentence of each row that is so (where and what follows it may go on in the next line);
 * together: once of all of them, in their order; without a placeholder once if there is a row.
 * Queries ask the view story, one row, what chapters before have said: answered, settled.
 *
 * A pivot has a line for each value of DOWN; with at most N lines they become its columns. Within
 * each the value begins its heading. */
#pragma once

#include "../data/db.h"
#include "story.h"

#define CHAPTER_ROWS 100000u /* of a table */

enum chapter_mark {
	MARK_HEADING,
	MARK_CODE,
	MARK_FILES,
	MARK_LEAD,
	MARK_UNASKED,
	MARK_SETTLES,
	MARK_PICTURE,
	MARK_FRONT,
};

struct chapter_part {
	enum chapter_part_kind {
		PART_VIEW,
		PART_TABLE,
		PART_PIVOT,
		PART_SENTENCE,
		PART_AND, /* goes on with the sentence before */
		PART_MARK,
		PART_EACH,
		PART_END,
	} kind;
	const char *name; /* of the view or table */
	unsigned line;
	struct db_source query;            /* of a sentence: where and order; "": of every row */
	struct story_form form;            /* of a table, but for where its values are */
	const char *down, *across, *value; /* of a pivot */
	const char *by;                    /* of PART_AND and PART_EACH */
	unsigned beside;
	unsigned roles;
	enum chapter_mark mark;
	bool together, also;
	bool view;         /* about a view: if that has a row */
	const char *fills; /* of a sentence: the column that it is the text of; or NULL */
	const char *file;  /* what it is lines of; or NULL */
	const char *text;
};

struct chapter_file {
	const char *file, *text; /* its name, and all of it */
	struct chapter chapter;
	struct chapter_part *parts;
	unsigned nparts;
};

/* Whether a chapter may write a file of that name: beside the report, and nothing of the record. */
bool chapter_may_write(const char *name);
#define CHAPTER_WRITES "a chapter writes NAME.csv and NAME.conf, not "

/* Whether a table of that form has each column that a part's text names, of a kind that can be said
 * so: "{1.key:word}". */
int chapter_check(const struct chapter_file *f, const struct chapter_part *part,
                  const struct story_form *form, struct arena *arena, struct status *st);

/* All in the arena, but for the text. -1: "FILE:LINE:COLUMN: what is wrong". */
int chapter_read(const char *file, const char *text, struct arena *arena, struct chapter_file *out,
                 struct status *st);
