/* SQLite, as far as a run's tables need it: a database in memory, filled once (load.h), then asked.
 *
 * It reads and writes nothing else: files, ATTACH and extensions are refused. Once db_seal was called it
 * takes nothing but queries, and temporary tables and views of them. A statement ends as an error after
 * DB_SECONDS. All memory is SQLite's; the arena frees it. */
#ifndef LAUNCHGAP_DB_H
#define LAUNCHGAP_DB_H

#include <jansson.h>
#include <stdbool.h>

#include "../arena.h"

#define DB_SECONDS 5

struct db;

/* Empty, with the statistics as functions (functions.h). Closed with the arena, or by arena_undo. */
struct db *db_open(struct arena *arena);
/* From now on the tables stay as they are. */
void db_seal(struct db *db);
/* The whole database as a file for other programs, which must not be there. */
int db_save(struct db *db, const char *file, struct status *st);

/* SQL of a file, from a line of it on. Sentences of what is wrong with it begin "FILE:LINE:COLUMN: ". */
struct db_source {
	const char *file, *sql;
	unsigned line;
};

/* Carries out statements. */
int db_run(struct db *db, const struct db_source *source, struct status *st);
/* Keeps a query as a temporary "TABLE" or "VIEW". */
int db_keep(struct db *db, const char *kind, const char *name, const struct db_source *query,
            struct status *st);

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

/* --- to fill: a row of a table, its values in order --- */

struct db_row;
/* Kept for the table's next row. */
struct db_row *db_row(struct db *db, const char *table);
/* NULL, NaN: no value. */
void db_put_text(struct db_row *row, const char *text);
void db_put_real(struct db_row *row, double x);
void db_put_whole(struct db_row *row, long long n);
/* Numbers and texts as they are, true as 1; a list or an object as its JSON. */
void db_put_json(struct db_row *row, const json_t *value);
/* Ends the work as if memory were out unless it went in: of the schema's own tables no other error is
 * left. */
void db_put(struct db_row *row);

#endif
