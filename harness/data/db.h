/* SQLite, as far as a run's tables need it: a database in memory, filled once (load.h), then asked.
 *
 * It reads and writes nothing else: files, ATTACH and extensions are refused. Once db_seal was
 * called it takes nothing but queries, and temporary tables of them. A statement ends as an error
 * after DB_SECONDS of CPU time. All memory is SQLite's; the arena frees it. */
#pragma once

#include "../analysis/looks.h"
#include "../arena.h"

#define DB_SECONDS     5
#define DB_VALUE_BYTES (1 << 26)          /* of one text */
#define DB_BYTES       (INT64_C(1) << 30) /* of all */
/* Of a statement that is not ours: of one text (our records have none above 100 kB), of what LIKE
 * looks for. */
#define DB_THEIR_BYTES   (1 << 18)
#define DB_PATTERN_BYTES 1000

struct db;

/* Empty, with the functions of functions.h. Closed with the arena, or by arena_undo. */
struct db *db_open(struct arena *arena);
/* The looks at the run, for which intervals are made (functions.h). */
void db_looks(struct db *db, const struct looks *looks);
/* The run whose stamps it may ask for (stamps.h), which has to live as long. */
void db_stamps(struct db *db, const struct record_run *run);
/* Ends what fills it: from now on the tables stay as they are. */
void db_seal(struct db *db);
/* Whether the statements from now on are a user's: their values are short, and memory that
 * one of them lacks is its own error. */
void db_theirs(struct db *db, bool theirs);
/* The whole database as a file for other programs, which must not be there; what they could not ask
 * is rows in it. */
int db_save(struct db *db, const char *file, struct status *st);

/* SQL of a file, from a line of it on. Errors begin "FILE:LINE:COLUMN: ". */
struct db_source {
	const char *file, *sql;
	unsigned line;
	int shift; /* how much further to the right the file has its first line */
};

/* Carries out the statements of a file that is part of the program (texts.h). */
int db_run_text(struct db *db, const char *path, struct status *st);
/* Keeps a query's rows as a temporary table. name: its columns may follow, in parentheses. */
int db_keep(struct db *db, const char *name, const struct db_source *query, struct status *st);
/* An index, so that rows of one value are found fast; nothing if there is no such column. */
void db_index(struct db *db, const char *table, const char *column);
/* Drops what was kept. */
void db_drop(struct db *db);

/* --- to ask: one statement that only reads --- */

struct db_rows;
/* NULL: it cannot be asked. db_end ends it. */
struct db_rows *db_ask(struct db *db, const struct db_source *query, struct status *st);
/* The next row. false: there are no more, or an error, which db_end says. */
bool db_next(struct db_rows *rows);
int db_end(struct db_rows *rows, struct status *st);
unsigned db_ncolumns(const struct db_rows *rows);
const char *db_name(const struct db_rows *rows, unsigned column);
/* A value of the row; without one NULL, NaN. A text is the row's, until the next one. */
const char *db_text(const struct db_rows *rows, unsigned column);
double db_real(const struct db_rows *rows, unsigned column);
/* Whether it is a number that is not whole by its type. Ask before its text. */
bool db_is_real(const struct db_rows *rows, unsigned column);

/* --- to fill --- */

/* Adds a row. `kinds` has a letter for each value that follows, in the order of the columns:
 *
 *   t   text; NULL: none      i   int, unsigned or bool; DB_NONE: none
 *   j   const json_t *        l   whole number of 64 bits
 *   d   double; NaN: none     s   struct stats_interval: three columns
 *                             r   struct stats_ratio: four, with its blocks
 *
 * Of JSON numbers and texts are as they are, true is 1, a list or an object is its text. Ends the
 * work as if memory were out unless it went in: schema.sql's tables have no other error. */
#define DB_NONE UINT_MAX
void db_add(struct db *db, const char *table, const char *kinds, ...);
