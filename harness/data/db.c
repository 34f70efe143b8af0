#include "db.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "functions.h"

#define TABLES 24

struct db_row {
	struct db *db;
	const char *table;
	sqlite3_stmt *insert;
	int next; /* the value's place, from 1 */
};

struct db {
	struct arena *arena;
	sqlite3 *lite;
	bool sealed;
	int64_t until_ns; /* when the statement ends as an error */
	unsigned nrows;
	struct db_row rows[TABLES];
};

struct db_rows {
	struct db *db;
	const struct db_source *source;
	sqlite3_stmt *query;
	int code; /* of the last step */
};

static void close_it(void *what)
{
	struct db *db = what;
	for (unsigned i = 0; i < db->nrows; i++)
		sqlite3_finalize(db->rows[i].insert);
	sqlite3_close(db->lite);
}

/* What a statement may do. */
static int may(void *of, int action, const char *a, const char *b, const char *database,
               const char *view)
{
	const struct db *db = of;
	(void)a;
	(void)view;
	switch (action) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
	case SQLITE_PRAGMA:
		return SQLITE_DENY;
	case SQLITE_FUNCTION:
		return strcmp(b, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
	case SQLITE_CREATE_TEMP_TABLE:
	case SQLITE_CREATE_TEMP_VIEW:
		return SQLITE_OK;
	default: /* in making a temporary one it writes into the list of these */
		return !db->sealed || (database && !strcmp(database, "temp")) ? SQLITE_OK
		                                                              : SQLITE_DENY;
	}
}

static int too_long(void *of)
{
	const struct db *db = of;
	return clock_now_ns() > db->until_ns;
}

static void begin(struct db *db)
{
	db->until_ns = clock_now_ns() + DB_SECONDS * INT64_C(1000000000);
}

struct db *db_open(struct arena *arena)
{
	struct db *db = ARENA_NEW(arena, struct db);
	db->arena = arena;
	const int code = sqlite3_open(":memory:", &db->lite);
	arena_defer(arena, close_it, db);
	arena_need(arena, code == SQLITE_OK && functions_add(db->lite));
	sqlite3_set_authorizer(db->lite, may, db);
	sqlite3_progress_handler(db->lite, 10000, too_long, db);
	return db;
}

void db_seal(struct db *db)
{
	db->sealed = true;
}

/* -1, with the place: at a byte of the source; below 0: at its begin. */
static int refuse(struct db *db, const struct db_source *source, int code, int at,
                  struct status *st)
{
	unsigned line = source->line, column = 1;
	arena_need(db->arena, code != SQLITE_NOMEM);
	for (int i = 0; i < at && source->sql[i]; i++) {
		column = source->sql[i] == '\n' ? 1 : column + 1;
		line += source->sql[i] == '\n';
	}
	return status_set(st, "%s:%u:%u: %s", source->file, line, column,
	                  code == SQLITE_INTERRUPT ? "it takes longer than a query may"
	                  : code == SQLITE_OK      ? "one SELECT is allowed, and nothing else"
	                                           : sqlite3_errmsg(db->lite));
}

int db_run(struct db *db, const struct db_source *source, struct status *st)
{
	const char *sql = source->sql;
	int code = SQLITE_OK;
	while (code == SQLITE_OK && *sql) {
		const char *rest = sql;
		sqlite3_stmt *statement;
		begin(db);
		code = sqlite3_prepare_v2(db->lite, sql, -1, &statement, &rest);
		const int at = (int)(sql - source->sql) + sqlite3_error_offset(db->lite);
		if (code != SQLITE_OK)
			return refuse(db, source, code, at, st);
		if (statement)
			sqlite3_step(statement);
		code = sqlite3_finalize(statement);
		if (code != SQLITE_OK)
			return refuse(db, source, code, (int)(sql - source->sql), st);
		sql = rest;
	}
	return 0;
}

int db_save(struct db *db, const char *file, struct status *st)
{
	sqlite3_stmt *query;
	begin(db);
	sqlite3_set_authorizer(db->lite, NULL, NULL);
	int code = sqlite3_prepare_v2(db->lite, "VACUUM INTO ?", -1, &query, NULL);
	if (code == SQLITE_OK) {
		sqlite3_bind_text(query, 1, file, -1, SQLITE_STATIC);
		sqlite3_step(query);
		code = sqlite3_finalize(query);
	}
	sqlite3_set_authorizer(db->lite, may, db);
	return code == SQLITE_OK
	           ? 0
	           : status_set(st, "cannot write %s: %s", file, sqlite3_errmsg(db->lite));
}

/* --- to ask --- */

struct db_rows *db_ask(struct db *db, const struct db_source *query, struct status *st)
{
	struct db_rows *rows = ARENA_NEW(db->arena, struct db_rows);
	const char *rest = "";
	*rows = (struct db_rows){.db = db, .source = query};
	begin(db);
	const int code = sqlite3_prepare_v2(db->lite, query->sql, -1, &rows->query, &rest);
	if (code != SQLITE_OK) {
		refuse(db, query, code, sqlite3_error_offset(db->lite), st);
		return NULL;
	}
	rest += strspn(rest, " \t\n;");
	if (*rest || !rows->query || !sqlite3_stmt_readonly(rows->query)) {
		sqlite3_finalize(rows->query);
		refuse(db, query, SQLITE_OK, (int)(rest - query->sql), st);
		return NULL;
	}
	return rows;
}

bool db_next(struct db_rows *rows)
{
	rows->code = sqlite3_step(rows->query);
	return rows->code == SQLITE_ROW;
}

int db_end(struct db_rows *rows, struct status *st)
{
	const bool right = rows->code == SQLITE_ROW || rows->code == SQLITE_DONE || !rows->code;
	const int result = right ? 0 : refuse(rows->db, rows->source, rows->code, -1, st);
	sqlite3_finalize(rows->query);
	return result;
}

int db_keep(struct db *db, const char *kind, const char *name, const struct db_source *query,
            struct status *st)
{
	struct db_rows *alone = db_ask(db, query, st);
	if (!alone || db_end(alone, st))
		return -1;
	const char *sql = arena_text(db->arena, "CREATE TEMP %s %s AS %s", kind, name, query->sql);
	begin(db);
	const int code = sqlite3_exec(db->lite, sql, NULL, NULL, NULL);
	return code == SQLITE_OK ? 0 : refuse(db, query, code, -1, st);
}

unsigned db_ncolumns(const struct db_rows *rows)
{
	return (unsigned)sqlite3_column_count(rows->query);
}

const char *db_name(const struct db_rows *rows, unsigned column)
{
	return sqlite3_column_name(rows->query, (int)column);
}

const char *db_text(const struct db_rows *rows, unsigned column)
{
	return (const char *)sqlite3_column_text(rows->query, (int)column);
}

double db_real(const struct db_rows *rows, unsigned column)
{
	return sqlite3_column_type(rows->query, (int)column) == SQLITE_NULL
	           ? NAN
	           : sqlite3_column_double(rows->query, (int)column);
}

/* --- to fill --- */

struct db_row *db_row(struct db *db, const char *table)
{
	for (unsigned i = 0; i < db->nrows; i++)
		if (!strcmp(db->rows[i].table, table))
			return &db->rows[i];
	struct db_row *row = &db->rows[db->nrows++];
	char sql[256];
	sqlite3_stmt *all;
	snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
	arena_need(db->arena, sqlite3_prepare_v2(db->lite, sql, -1, &all, NULL) == SQLITE_OK);
	int used = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", table);
	for (int n = sqlite3_column_count(all); n > 1; n--)
		used += snprintf(sql + used, sizeof sql - (size_t)used, ",?");
	snprintf(sql + used, sizeof sql - (size_t)used, ")");
	sqlite3_finalize(all);
	*row = (struct db_row){.db = db, .table = table, .next = 1};
	arena_need(db->arena,
	           sqlite3_prepare_v2(db->lite, sql, -1, &row->insert, NULL) == SQLITE_OK);
	return row;
}

void db_put_text(struct db_row *row, const char *text)
{
	sqlite3_bind_text(row->insert, row->next++, text, -1, SQLITE_TRANSIENT);
}

void db_put_real(struct db_row *row, double x)
{
	sqlite3_bind_double(row->insert, row->next++, x); /* NaN is NULL */
}

void db_put_whole(struct db_row *row, long long n)
{
	sqlite3_bind_int64(row->insert, row->next++, n);
}

void db_put_json(struct db_row *row, const json_t *value)
{
	if (json_is_string(value)) {
		db_put_text(row, json_string_value(value));
	} else if (json_is_integer(value) || json_is_boolean(value)) {
		db_put_whole(row, json_is_integer(value) ? json_integer_value(value)
		                                         : json_is_true(value));
	} else if (json_is_real(value)) {
		db_put_real(row, json_real_value(value));
	} else if (value && !json_is_null(value)) {
		char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
		arena_need(row->db->arena, text != NULL);
		db_put_text(row, text);
		free(text);
	} else {
		db_put_text(row, NULL);
	}
}

void db_put(struct db_row *row)
{
	const bool all = row->next == sqlite3_bind_parameter_count(row->insert) + 1;
	const int code = sqlite3_step(row->insert);
	row->next = 1;
	sqlite3_reset(row->insert);
	arena_need(row->db->arena, all && code == SQLITE_DONE);
}
