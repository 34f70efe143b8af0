/* A result, as its files are read: its times by variant and cell, and what it states about itself,
 * go into tables (sides.sql, compared.sql). */
#pragma once

#include "../data/db.h"
#include "../record/record.h"
#include "../status.h"
#include "../trial/trial.h"

#define SIDE_FACT_BYTES 96

struct side {
	struct arena *arena;
	struct db *db;
	const char *letter; /* A, B … */
	const char *path;   /* borrowed */
	bool is_record;
	bool knows;      /* NCCL's variables of the environment */
	bool torn;       /* a record's last line, or the end of nccl-tests' file */
	unsigned failed; /* cells of trials that have no time */
	unsigned nfiles; /* of nccl-tests */
};

/* Asks tables of it, or of its record; errors are defects of ours. */
struct db_rows *side_ask(struct arena *arena, struct db *db, const char *sql);
/* Ends it, with what is not of a cell. */
void side_end(const struct side *side);
/* Adds a time to a variant's cell; limit: of the machine, shown, but no verdict uses it. Several of
 * one block (nccl-tests' -N cycles) are no separate trials. */
void side_add(const struct side *side, const char *variant, const struct cell *cell,
              unsigned nranks, bool limit, unsigned block, double time_us);
/* Adds what it says of a fact (sides.sql), cleaned. */
void side_says(const struct side *side, const char *fact, const char *text);
/* Keeps NCCL's variables alone: others may be secrets. */
void side_variable(struct side *side, const char *name, const char *value);
/* A copy for pages and files of all kinds, without what sanitize_text replaces. */
const char *side_plain(struct arena *arena, const char *text);
/* Copies, cut to fit; control characters become '?': records come from anywhere. */
void side_clean(const char *text, char *out, size_t bytes);

/* source.c: a record with its results, or with all verdicts if it is judged (chapters/figures.h);
 * they live as long as the arena. */
struct source_record {
	struct record_run run;
	struct db *db;
};
/* A file of our own, or a folder that has one; else it is nccl-tests', or not there. */
bool source_is_record(const char *path);
/* -1 with the sentence, as for wrong results. */
int source_open(const char *path, bool judged, struct arena *arena, struct source_record *out,
                struct status *st);
/* The facts that a record states. */
void source_facts(struct side *side, const struct source_record *record);
/* Loads what its path names: a run's folder or record, or nccl-tests' JSON (a file, a list with
 * commas, a folder); each file is a trial. variant: of nccl-tests' times; NULL: their layout. */
int source_load(struct side *side, const char *variant, struct status *st);
/* nccl_text.c: its text as that object, new; NULL: it is no such text. */
json_t *nccl_text_read(FILE *in, const char *file);
/* nccl_tests.c: JSON of nccl-tests (option -J), as its version 2.19.6 writes it. Adds one file's
 * rows to the side as the trial `trial`, in pace stream. The variant is named `variant`, or, when
 * that is NULL, after the layout. Of the file's dump of the environment it keeps alltoallv's counts
 * and NCCL's variables. */
int nccl_tests_read(const char *file, const char *variant, unsigned trial, struct side *side,
                    struct status *st);
