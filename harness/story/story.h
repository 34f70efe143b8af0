/* A report's content, before it has a format: chapters of tables, sentences and pictures.
 *
 * A chapter passes rows, and sentences as templates over them. The story keeps both; terminal,
 * Markdown, HTML, JSON, CSV and gnuplot are written from it by code that knows no chapter. So a
 * figure is defined once, and no sentence can differ from its row in number or verdict.
 *
 * All memory is the story's arena (arena.h); rows, columns and texts that are passed have to live
 * in it, or as long. Nothing here fails: if memory runs out, the whole report fails. */
#pragma once

#include "../data/db.h"
#include "column.h"

/* Where a sentence appears; several places form a set. */
enum story_role {
	STORY_ANSWER = 1,  /* on top of the report */
	STORY_CAPTION = 2, /* below the chapter's picture */
	STORY_ADVICE = 4,  /* "Do this"; after all of it STORY_HINT */
	STORY_WARNING = 8,
	STORY_ITEM = 16,   /* in the chapter's section, one item of a list */
	STORY_BODY = 32,   /* there as a paragraph */
	STORY_STRESS = 64, /* the same in bold */
	/* Also on top: instead of all answers, before them, and after them. */
	STORY_INSTEAD = 128,   /* why there are no answers */
	STORY_CAVEAT = 256,    /* what limits them */
	STORY_OPEN = 512,      /* what they leave open */
	STORY_TRUST = 1024,    /* whether the run can be believed: one paragraph of all chapters */
	STORY_IN_A_ROW = 2048, /* nowhere: it is the text of a row, which a picture shows */
	STORY_DOUBT = 4096,    /* a warning of the record itself: on page 1 too */
	/* In the paragraph of the sentence before it, of the same chapter and roles. */
	STORY_MORE = 8192,
	STORY_NOTICE = 16384,   /* also on stderr if the terminal gets another program's columns */
	STORY_MEASURED = 32768, /* below all answers: on what, and when */
	STORY_HEADLINE = 65536, /* the answer in 25 words, if the first one is longer */
	STORY_ABOVE_PICTURES = 131072, /* at the report's end, if there are any */
	STORY_NAMES = 262144, /* below the chapter's table on page 1: what its names mean */
	STORY_HINT = 524288,  /* advice without a confirmed gain */
};

/* --- tables --- */

/* What gnuplot gets from a table. */
enum story_drawn {
	STORY_NOT_DRAWN,
	STORY_BLOCK,  /* a data block $name, and name_rows */
	STORY_ARRAYS, /* and of each column an array name_key of its numbers (of intervals the
	                 estimates), or of texts as people read them */
};

/* One definition of a table, for all formats. */
struct story_form {
	const char *name, *title; /* name: unique in a report, of JSON and gnuplot's data block */
	const struct column *columns;
	unsigned ncolumns;
	unsigned width;     /* entries of a row, of which there may be more than columns */
	const char *file;   /* "factors.csv": its own file; or NULL */
	const char *common; /* "All variants": columns that say the same in each row are said
	                       so, in a sentence below, and shown to programs alone; or NULL */
	bool hidden;        /* not for people: rows from which sentences, files or pictures are
	                     * made */
	const char *bars;   /* the key of a ratio that a terminal draws at a run's end, in place of
	                     * the columns after it; or NULL */
	unsigned bar; /* what is drawn of it, on one scale: the place of the column `bar` + 1 */
	enum story_drawn drawn;
};
/* A table of the story. */
struct story_table {
	const struct story_form *form;
	struct entry *rows;
	unsigned nrows;
};
struct entry *story_row(const struct story_table *table, unsigned row);
/* A column by its key, or NULL. */
const struct column *story_column(const struct story_table *table, const char *key);
/* Of a row in a column that is there. */
struct entry *story_entry(const struct story_table *table, unsigned row, const char *key);

/* --- sentences --- */

/* `text` is a template over one row, or several:
 *
 *   {key}         the column of that key
 *   {key:word}    the same in another manner (column.h's entry_say)
 *   {key:list}    each row's, once: "a, b and c"
 *   {key:range}   from the least to the most, "2.29 to 2.55"; of one ratio with its interval
 *   {key:range percent}   the same as "1.2 to 3.4 %"
 *   {0.key}       the first row's; {1.key} the second's
 *   [part]        once for each row that has a value for all keys of the part, with commas: so of
 *                 one row what may be missing. It may have parts itself. An {key:interval} is
 *                 missing without its ends
 *   [one|next|last]   the same, `next` for each such row after the first, `last` for the last of
 *                 several; words alone go before `one` again: [{key}|, | and ]
 *   {{            a brace
 *
 * A key that does not exist is a defect of the chapter: the text shows it between << and >>, and
 * a test looks for these. */

/* The data that a sentence uses: rows of a table. */
struct story_basis {
	const struct story_table *table;
	const unsigned *rows;
	unsigned n;
};

struct story_sentence {
	unsigned roles;
	const char *text;
	const struct story_basis *bases; /* NULL if it has no figures */
	unsigned nbases;
};

/* --- chapters --- */

enum chapter_place {
	CHAPTER_FIRST,    /* of page 1 */
	CHAPTER_FRONT,    /* on the terminal at a run's end, as those before */
	CHAPTER_BODY,     /* in the report */
	CHAPTER_APPENDIX, /* at its end */
};

/* A question of the report. */
struct chapter {
	const char *name, *title; /* of its section and its object in report.json */
	enum chapter_place place;
};

/* The content of a chapter's section, in this order. */
struct story_block {
	enum story_block_kind {
		STORY_TABLE,
		STORY_PIVOT,
		STORY_SENTENCE,
		STORY_PART,  /* a heading within the section */
		STORY_CODE,  /* lines as they are: a command, ready to copy */
		STORY_FILES, /* of its tables, if they have any: "what: factors.csv" */
		STORY_FILE,
	} kind;
	const struct story_table *table; /* of a pivot: as people read it */
	const struct story_sentence *sentence;
	const char *text; /* the heading, the code; of files: what they are; of a file: all of it */
	const char *name; /* of a file */
};

struct story_chapter {
	const struct chapter *chapter;
	const struct story_block *blocks;
	unsigned nblocks;
	bool unasked; /* leads if none is asked for: a run that has data for it was made for it */
	const struct story_table *lead; /* the first page's table if it leads, or NULL */
	const char *lead_keys;
};

/* Pictures with files that end in _name. */
struct story_picture {
	const char *name;
	/* Of those in front that were drawn, the first of the chapter that says the headline is on
	 * page 1; none if that has some, but too little to draw; else the first. */
	bool front;
	const struct chapter *chapter;
};

struct story {
	struct arena *arena;            /* borrowed */
	struct story_chapter *chapters; /* those that reported something, in their order */
	unsigned nchapters;
	const struct story_chapter *lead;  /* answers first; or NULL */
	const struct story_chapter *strip; /* has the table of the first page; or NULL */
	bool settled; /* a chapter has said how variants compare, so that later ones need not */
	struct story_picture *pictures; /* that show the chapters' findings, in their order */
	unsigned npictures;
};

/* --- tell.c: chapters that are texts (chapter_file.h) tell --- */

/* Lets each of the chapters, harness/chapters/NAME.chapter, report of the run's tables; those with
 * nothing to say are omitted. */
void story_make(struct db *db, const char *const *names, unsigned n, struct arena *arena,
                struct story *out);

/* Adds a chapter that is a text, and where it is from. One of its name before it is omitted then,
 * unless this one is wrong. */
void story_add(struct story *story, struct db *db, const char *file, const char *text);

/* --- what was said --- */

/* The chapter of that name if it reported something, or NULL. */
const struct story_chapter *story_find(const struct story *story, const char *name);
/* Chooses the chapter that answers first, of those with a table for the first page: the one of that
 * name, else the first that leads unasked; none if there is none. On the first page is its table,
 * unless it has no bars and another has; without one that of a chapter of page 1. */
void story_choose_lead(struct story *story, const char *name);
const struct story_table *story_find_table(const struct story *story, const char *name);
/* The i-th sentence that has the role, over all chapters; NULL after the last. */
const struct story_sentence *story_said(const struct story *story, enum story_role role,
                                        unsigned i);

/* The i-th sentence of the report's answer: caveats, the answers of the leading chapter, then those
 * of all others in the order of the chapters, and what is open; or the sentences that replace
 * them. */
const struct story_sentence *story_answer(const struct story *story, unsigned i);
/* The answer in one sentence: the leading chapter's headline or first answer, else the first
 * headline of any, else the first of the answer; NULL if there is none. */
const struct story_sentence *story_headline(const struct story *story);
bool story_says_headline(const struct story *story, const struct chapter *chapter);

/* --- for chapters --- */

const struct story_table *story_rows(struct story *story, const struct story_form *form,
                                     struct entry *rows, unsigned n);
/* Adds it to the chapter that is telling. */
void story_add_block(struct story *story, struct story_block block);
/* Some of a table's rows for people: a row for each value of the column `down`, a column for
 * each of the column `across`, in the order of the rows, and entries of the column `value`:
 * variants by size. Programs read the table itself. */
const struct story_table *story_pivot(struct story *story, const struct story_table *table,
                                      const unsigned *rows, unsigned n, const char *down,
                                      const char *across, const char *value);
/* A sentence without figures: method, definitions, links. */
void story_note(struct story *story, unsigned roles, const char *text);
/* A file for other programs next to the report; STORY_FILES names it, also on a terminal. With the
 * name of the block before it more lines of that file. */
void story_file(struct story *story, const char *name, const char *text);

/* A sentence of several parts, if logic chooses them: each part is a template over a row. */
struct phrase {
	struct story *story;
	char *text;
	size_t used, room;
	struct story_basis *bases;
	unsigned nbases;
};
struct phrase phrase_begin(struct story *story);
/* Over the named rows. */
void phrase_add(struct phrase *phrase, const struct story_table *table, const unsigned *rows,
                unsigned n, const char *text);
/* Plain words, after a part: nothing if no part was added. */
void phrase_words(struct phrase *phrase, const char *words);
/* Adds the sentence; nothing if no part was added. */
void phrase_end(struct phrase *phrase, unsigned roles);
/* A template over a row that is in no story: the text of one of a table's entries. */
const char *phrase_row(struct arena *arena, const struct story_table *table, unsigned row,
                       const char *text);
/* A template over one row without its lists, ranges and parts: rows that give the same text share a
 * sentence. */
const char *phrase_common(struct story *story, const struct story_table *table, unsigned row,
                          const char *text);
