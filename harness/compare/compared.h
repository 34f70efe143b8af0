/* What a comparison says, of two results or of several runs, before it has a form: the tables and
 * sentences of a chapter over a database of both, and the sections of its page. */
#pragma once

#include "../data/db.h"
#include "../report/page.h"

/* Rows of a table, a section; without a title it belongs to the section before. */
struct compared_section {
	const char *title, *table;
	const char *where; /* which of its rows, in which order; as SQL */
	const char
	    *none; /* said in their place, if anything was compared; NULL: then it is left out */
	unsigned most; /* rows, unless the page is whole; 0: all */
	bool in_short; /* on a page that is not whole too */
	bool kinds;    /* rows of one title have it as their heading, of the section before */
	bool items;    /* rows are notes of a side: items of a list */
	bool says;     /* no table, but what the chapter says below its tables */
};

struct compared {
	struct arena *arena;
	const char *title, *refused; /* why nothing was compared, or NULL */
	const char *const *paths;    /* of A, B … */
	unsigned npaths;
	bool links;                              /* the page has links to its sections */
	const struct compared_section *sections; /* the last has neither table nor says */
	const char *const *tables;               /* that are data, up to NULL */
	struct db *db;
	struct story story;
};

/* Ends the database, lets the chapter tell of it. -1: a defect of the chapter. */
int compared_tell(struct compared *c, const char *file, const char *chapter, struct status *st);
/* What the first row of a query is; NULL: it has none. */
const char *compared_text(const struct compared *c, const char *query);
/* All of it, what differs first; or only the answer and the first differences. */
void compared_page(const struct compared *c, enum page_kind kind, bool whole, FILE *out);
/* Its tables that have rows. */
json_t *compared_tables(const struct compared *c);
