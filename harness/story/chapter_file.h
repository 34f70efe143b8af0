/* A chapter that is a text: its tables by SQL, its sentences as templates over their rows.
 *
 *   chapter memory | Memory             its name, and the title of its section
 *   place appendix                      first, front, body, appendix (story.h)
 *   -- What it answers.
 *
 *   view NAME                           rows that several queries share
 *     SELECT …
 *   table NAME | title | option …       a line for each column, then the query
 *     key:kind | head | unit | only
 *     SELECT …
 *   pivot TABLE: DOWN by ACROSS show VALUE [each KEY [by ORDER]] [beside N] [where …]
 *     Its heading, or nothing.
 *   ROLE, ROLE TABLE [together] [unsettled] [where …] [order by …]
 *     A template, of one or several lines.
 *   and TABLE [by KEY] [where …]
 *     How the sentence before goes on, told of all these rows; by: of those with the KEY of its own.
 *   heading TABLE [where …]             and link, files, lead, unasked, settles, picture, front: what
 *     Its text.                         story.h has of that name, if a row is so; lead: these rows
 *
 * A line that does not begin with a blank begins a part. Options: hidden, file=NAME.csv, common=WORDS, bars=KEY,
 * arrays, block (struct story_form). kind: text (which need not be said), word, count, bytes, flag, number, share; spread and
 * ratio, which take key_lo and key_hi too, ratio key_blocks. head: -: none. only: files, people, filled, wide (column.h), or several.
 * ROLE: say (in its section), answer, caption, trust … (enum story_role). The sentence is told of each row that
 * is so (where and what follows it may go on in the next line); together: once of all of them, in their order; without a placeholder once if there is a row.
 * unsettled: unless a chapter before has said how variants compare (settles).
 *
 * A pivot has a line for each value of DOWN. each: one for each value of KEY, which begins its heading; pivots
 * that follow each other are told value by value. beside: with at most N lines they become its columns. */
#ifndef LAUNCHGAP_CHAPTER_FILE_H
#define LAUNCHGAP_CHAPTER_FILE_H

#include "../data/db.h"
#include "story.h"

enum chapter_mark {
	MARK_HEADING,
	MARK_LINK,
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
	} kind;
	const char *name; /* of the view or table */
	unsigned line;
	struct db_source query; /* of a sentence: where and order; "": of every row */
	struct story_form form; /* of a table, but for where its values are */
	const char *down, *across, *value, *each,
	    *by; /* of a pivot; each: NULL without; by: of PART_AND too */
	unsigned beside;
	unsigned roles;
	enum chapter_mark mark;
	bool together, unsettled;
	const char *text;
};

struct chapter_file {
	struct chapter chapter;
	struct chapter_part *parts;
	unsigned nparts;
};

/* All in the arena. -1: "FILE:LINE: what is wrong". */
int chapter_read(const char *file, const char *text, struct arena *arena, struct chapter_file *out,
                 struct status *st);

#endif
