/* All that a report says: the record, its tables, and what chapters tell. Made once;
 * code that writes from it computes nothing. */
#ifndef LAUNCHGAP_MODEL_H
#define LAUNCHGAP_MODEL_H

#include "../data/db.h"
#include "../story/story.h"

#define MODEL_PICTURES 64

struct model_picture {
	char name[128];    /* of its files within plots/, without .png and .svg */
	char title[256];   /* what is plotted */
	unsigned shown;    /* its place on the page, from 1; 0: it is only named */
	char caption[512]; /* what it shows, in a sentence without a full stop; or "" */
};

struct model_pictures {
	unsigned npictures;
	struct model_picture pictures[MODEL_PICTURES]; /* those on the page first, in its order */
	int answer;        /* the picture of the experiment's finding, 0; -1: there is none */
	char warning[512]; /* why a picture is missing, or "" */
};

struct model {
	struct arena *arena; /* the report's: holds the model and all that is in it */
	struct record_run run;
	struct db *db; /* the run's tables with what the analysis found (chapters/figures.h) */
	struct story story;
	unsigned verdicts, intervals; /* the verdicts that have one, and all intervals */
	unsigned blocks;              /* whole ones */
	bool measured;                /* any place has a time */
	double margin;                /* of verdicts */
	const char *reference,
	    *trouble; /* with what others are compared, or ""; what is wrong, or NULL */
	struct model_pictures drawn;
};

/* The record in `dir` and its tables; no story. NULL: it cannot be read. */
struct model *model_read(struct arena *arena, const char *dir, struct status *st);
/* From the record in `dir`, all but pictures, with those NAME.chapter of another folder (NULL:
 * none). NULL: one of them cannot be read. */
struct model *model_make(struct arena *arena, const char *dir, const char *own, struct status *st);

/* Prints what is wrong with chapters: warnings that have a place in one. */
void model_say_defects(const struct story *story);

/* Adds a table of a query, and the temporary tables and views of a file of SQL that is part of the
 * program, to the model's tables alone: what was added before is gone. */
int model_ask(const struct model *model, const char *table, const char *query, const char *file,
              struct status *st);

/* The i-th warning, or NULL: doubts about the record, why a picture is missing, all others. */
const char *model_warning(const struct model *model, unsigned i);
/* The text next to a picture: its caption, or what is plotted if it has none or only repeats why a
 * regime cannot decide. */
const char *model_caption(const struct model *model, const struct model_picture *picture);

#endif
