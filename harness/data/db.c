#include "db.h"

#include <sqlite3.h>
#include <stdarg.h>

#include "../clock.h"
#include "../analysis/stamps.h"
#include "../analysis/stats.h"
#include "../texts.h"
#include "functions.h"
#include "words.h"

#define TABLES 64

/* A table that is filled. */
struct fill {
	const char *table;
	sqlite3_stmt *insert;
};

struct db {
	struct arena *arena;
	struct looks looks;
	sqlite3 *lite;
	bool sealed, theirs;
	int64_t until_ns; /* when the statement ends as an error */
	unsigned nfills;
	struct fill fills[TABLES];
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
	sqlite3_stmt *open; /* an insertion, or a query that memory ended */
	while ((open = sqlite3_next_stmt(db->lite, NULL)))
		sqlite3_finalize(open);
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
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		return strcmp(a, "table_info") ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_FUNCTION:
		return strcmp(b, "load_extension") ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
	case SQLITE_CREATE_TEMP_TABLE:
		return SQLITE_OK;
	default: /* in making a temporary one it writes into the list of these */
		return !db->sealed || (database && !strcmp(database, "temp")) ? SQLITE_OK
		                                                              : SQLITE_DENY;
	}
}

static int too_long(void *of)
{
	const struct db *db = of;
	return clock_cpu_ns() > db->until_ns;
}

static void begin(struct db *db)
{
	db->until_ns = clock_cpu_ns() + DB_SECONDS * INT64_C(1000000000);
}

struct db *db_open(struct arena *arena)
{
	struct db *db = ARENA_NEW(arena, struct db);
	db->arena = arena;
	const int code = sqlite3_open(":memory:", &db->lite);
	arena_defer(arena, close_it, db);
	arena_need(arena, code == SQLITE_OK && functions_add(db->lite, &db->looks));
	/* They declare themselves at their first use, which a sealed database would refuse. */
	sqlite3_exec(db->lite,
	             "SELECT 1 FROM json_each('[]'), json_tree('[]'), pragma_table_info('')", NULL,
	             NULL, NULL);
	sqlite3_exec(db->lite, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
	sqlite3_limit(db->lite, SQLITE_LIMIT_LENGTH, DB_VALUE_BYTES);
	sqlite3_hard_heap_limit64(DB_BYTES);
	sqlite3_set_authorizer(db->lite, may, db);
	sqlite3_progress_handler(db->lite, 10000, too_long, db);
	sqlite3_exec(db->lite, "BEGIN", NULL, NULL, NULL);
	return db;
}

void db_looks(struct db *db, const struct looks *looks)
{
	db->looks = *looks;
}

void db_stamps(struct db *db, const struct record_run *run)
{
	arena_need(db->arena, stamps_add(db->lite, run));
}

void db_seal(struct db *db)
{
	sqlite3_exec(db->lite, "COMMIT", NULL, NULL, NULL);
	db->sealed = true;
}

/* What they cannot take stays for the report after them. Within one function nothing asks for the
 * time: a search of one value in another, which takes as long as both lengths multiplied, ends soon
 * because they are short. */
void db_theirs(struct db *db, bool theirs)
{
	db->theirs = theirs;
	sqlite3_limit(db->lite, SQLITE_LIMIT_LENGTH, theirs ? DB_THEIR_BYTES : DB_VALUE_BYTES);
	sqlite3_limit(db->lite, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, DB_PATTERN_BYTES);
	sqlite3_hard_heap_limit64(theirs ? DB_BYTES / 2 : DB_BYTES);
}

/* -1, with the place: at a byte of the source; below 0: at its begin. */
static int refuse(struct db *db, const struct db_source *source, int code, int at,
                  struct status *st)
{
	unsigned line = source->line, column = 1;
	arena_need(db->arena, db->theirs || code != SQLITE_NOMEM);
	for (int i = 0; i < at && source->sql[i]; i++) {
		column = source->sql[i] == '\n' ? 1 : column + 1;
		line += source->sql[i] == '\n';
	}
	const int own = (int)column + (line == source->line && at >= 0 ? source->shift : 0);
	return status_set(st, "%s:%u:%d: %s", source->file, line, own > 0 ? own : 1,
	                  code == SQLITE_INTERRUPT ? "it takes longer than a query may"
	                  : code == SQLITE_OK      ? "one SELECT is allowed, and nothing else"
	                  : code == sqlite3_errcode(db->lite) ? sqlite3_errmsg(db->lite)
	                                                      : sqlite3_errstr(code));
}

/* The byte of the source at which its statement from `from` on is wrong. SQLite says it of most;
 * else the word that its message ends with shows it, in the statement or in a view that it asks. */
static int place_of(const struct db *db, const char *sql, int from)
{
	const int offset = sqlite3_error_offset(db->lite);
	const char *word = strrchr(sqlite3_errmsg(db->lite), ' '), *found = NULL;
	if (offset >= 0)
		return from + offset;
	if (word && *++word && strchr(word, '.') && !strchr(word, '('))
		word = strrchr(word, '.') + 1; /* "main.t" of a view */
	if (word)
		found = words_find(sql + from, word);
	if (word && !found)
		found = words_find(sql, word);
	return found ? (int)(found - sql) : from;
}

static int run_all(struct db *db, const struct db_source *source, struct status *st)
{
	const char *sql = source->sql;
	int code = SQLITE_OK;
	while (code == SQLITE_OK && *sql) {
		const char *rest = sql;
		sqlite3_stmt *statement;
		begin(db);
		code = sqlite3_prepare_v2(db->lite, sql, -1, &statement, &rest);
		const int from = (int)(sql - source->sql);
		if (code != SQLITE_OK)
			return refuse(db, source, code, place_of(db, source->sql, from), st);
		if (statement)
			sqlite3_step(statement);
		code = sqlite3_finalize(statement);
		if (code != SQLITE_OK)
			return refuse(db, source, code, from, st);
		sql = rest;
	}
	return 0;
}

int db_run_text(struct db *db, const char *path, struct status *st)
{
	const struct db_source source = {.file = path, .sql = texts_find(path), .line = 1};
	return run_all(db, &source, st);
}

/* Views of the file that ask for our functions, which other programs lack, become tables. plain:
 * the file as these have it. */
static int keep_views(struct db *db, sqlite3 *plain)
{
	sqlite3_stmt *views = NULL;
	int code = sqlite3_prepare_v2(db->lite,
	                              "SELECT name FROM main.sqlite_master WHERE type = 'view' "
	                              "ORDER BY rowid",
	                              -1, &views, NULL);
	while (code == SQLITE_OK && sqlite3_step(views) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(views, 0);
		sqlite3_stmt *as_theirs = NULL;
		if (sqlite3_prepare_v2(plain, arena_text(db->arena, "SELECT * FROM [%s]", name), -1,
		                       &as_theirs, NULL) != SQLITE_OK) {
			begin(db);
			code = sqlite3_exec(
			    db->lite,
			    arena_text(db->arena,
			               "DROP VIEW saved.[%s]; CREATE TABLE saved.[%s] AS "
			               "SELECT * FROM main.[%s]",
			               name, name, name),
			    NULL, NULL, NULL);
		}
		sqlite3_finalize(as_theirs);
	}
	sqlite3_finalize(views);
	return code;
}

static int make_plain(struct db *db, const char *file)
{
	sqlite3 *plain = NULL;
	int code = sqlite3_open(file, &plain);
	char *attach = sqlite3_mprintf("ATTACH %Q AS saved", file);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db->lite, attach, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = keep_views(db, plain);
	sqlite3_close(plain);
	sqlite3_free(attach);
	if (code == SQLITE_OK)
		code = sqlite3_exec(db->lite, "DETACH saved", NULL, NULL, NULL);
	return code;
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
	if (code == SQLITE_OK)
		code = make_plain(db, file);
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
		refuse(db, query, code, place_of(db, query->sql, 0), st);
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

int db_keep(struct db *db, const char *name, const struct db_source *query, struct status *st)
{
	const int bare = (int)strcspn(name, "(");
	const char *rows = query->sql, *rest = "";
	if (name[bare])
		rows = arena_text(db->arena, "WITH %s AS (%s) SELECT * FROM %.*s", name, rows, bare,
		                  name);
	const char *sql = arena_text(db->arena, "CREATE TEMP TABLE %.*s AS %s", bare, name, rows);
	sqlite3_stmt *create = NULL;
	begin(db);
	int code = sqlite3_prepare_v2(db->lite, sql, -1, &create, &rest);
	if (code == SQLITE_OK && !rest[strspn(rest, " \t\n;")])
		code = sqlite3_step(create);
	sqlite3_finalize(create);
	if (code == SQLITE_DONE)
		return 0;
	/* By itself it says where it is wrong. */
	struct db_rows *alone = db_ask(db, query, st);
	return !alone || db_end(alone, st) ? -1 : refuse(db, query, code, -1, st);
}

void db_index(struct db *db, const char *table, const char *column)
{
	static const char sql[] = "CREATE INDEX IF NOT EXISTS temp.[%s %s] ON [%s]([%s])";
	begin(db);
	sqlite3_exec(db->lite, arena_text(db->arena, sql, table, column, table, column), 0, 0, 0);
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

bool db_is_real(const struct db_rows *rows, unsigned column)
{
	return sqlite3_column_type(rows->query, (int)column) == SQLITE_FLOAT;
}

void db_drop(struct db *db)
{
	char *drops = NULL;
	sqlite3_stmt *all;
	const char *sql = "SELECT group_concat('DROP TABLE temp.' || name, ';') FROM "
	                  "sqlite_temp_master WHERE type = 'table'";
	arena_need(db->arena, sqlite3_prepare_v2(db->lite, sql, -1, &all, NULL) == SQLITE_OK);
	if (sqlite3_step(all) == SQLITE_ROW)
		drops = sqlite3_mprintf("%s", sqlite3_column_text(all, 0));
	sqlite3_finalize(all);
	sqlite3_exec(db->lite, drops ? drops : "", NULL, NULL, NULL);
	sqlite3_free(drops);
}

/* --- to fill --- */

/* The table's statement, made once. */
static sqlite3_stmt *insert_of(struct db *db, const char *table)
{
	for (unsigned i = 0; i < db->nfills; i++)
		if (!strcmp(db->fills[i].table, table))
			return db->fills[i].insert;
	struct fill *fill = &db->fills[db->nfills];
	const char *sql = arena_text(db->arena, "SELECT * FROM %s", table);
	sqlite3_stmt *all = NULL;
	arena_need(db->arena, db->nfills < TABLES &&
	                          sqlite3_prepare_v2(db->lite, sql, -1, &all, NULL) == SQLITE_OK);
	sql = arena_text(db->arena, "INSERT INTO %s VALUES(?", table);
	for (int n = sqlite3_column_count(all); n > 1; n--)
		sql = arena_text(db->arena, "%s,?", sql);
	sqlite3_finalize(all);
	sql = arena_text(db->arena, "%s)", sql);
	*fill = (struct fill){.table = table};
	arena_need(db->arena,
	           sqlite3_prepare_v2(db->lite, sql, -1, &fill->insert, NULL) == SQLITE_OK);
	db->nfills++;
	return fill->insert;
}

static void bind_json(struct db *db, sqlite3_stmt *insert, int at, const json_t *value)
{
	if (json_is_string(value)) {
		sqlite3_bind_text(insert, at, json_string_value(value), -1, SQLITE_STATIC);
	} else if (json_is_integer(value) || json_is_boolean(value)) {
		sqlite3_bind_int64(insert, at,
		                   json_is_integer(value) ? json_integer_value(value)
		                                          : json_is_true(value));
	} else if (json_is_real(value)) {
		sqlite3_bind_double(insert, at, json_real_value(value));
	} else if (value && !json_is_null(value)) {
		char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
		arena_need(db->arena, text != NULL);
		sqlite3_bind_text(insert, at, text, -1, SQLITE_TRANSIENT);
		free(text);
	} else {
		sqlite3_bind_null(insert, at);
	}
}

/* NaN is NULL. */
static int bind_interval(sqlite3_stmt *insert, int at, double x, double lo, double hi)
{
	sqlite3_bind_double(insert, at, x);
	sqlite3_bind_double(insert, at + 1, lo);
	sqlite3_bind_double(insert, at + 2, hi);
	return at + 3;
}

static int bind_ratio(sqlite3_stmt *insert, int at, struct stats_ratio r)
{
	at = bind_interval(insert, at, r.estimate, r.lo, r.hi);
	sqlite3_bind_int64(insert, at, r.blocks);
	return at + 1;
}

void db_add(struct db *db, const char *table, const char *kinds, ...)
{
	sqlite3_stmt *insert = insert_of(db, table);
	va_list values;
	int at = 1;
	sqlite3_clear_bindings(insert);
	va_start(values, kinds);
	for (const char *kind = kinds; *kind; kind++) {
		if (*kind == 't') {
			sqlite3_bind_text(insert, at++, va_arg(values, const char *), -1,
			                  SQLITE_TRANSIENT);
		} else if (*kind == 'i') {
			const unsigned n = va_arg(values, unsigned);
			if (n != DB_NONE)
				sqlite3_bind_int64(insert, at, (int)n);
			at++;
		} else if (*kind == 'l') {
			sqlite3_bind_int64(insert, at++, va_arg(values, int64_t));
		} else if (*kind == 'd') {
			sqlite3_bind_double(insert, at++, va_arg(values, double));
		} else if (*kind == 'j') {
			bind_json(db, insert, at++, va_arg(values, const json_t *));
		} else if (*kind == 's') {
			const struct stats_interval s = va_arg(values, struct stats_interval);
			at = bind_interval(insert, at, s.estimate, s.lo, s.hi);
		} else if (*kind == 'r') {
			at = bind_ratio(insert, at, va_arg(values, struct stats_ratio));
		}
	}
	va_end(values);
	const bool all = at == sqlite3_bind_parameter_count(insert) + 1;
	const int code = sqlite3_step(insert);
	sqlite3_reset(insert);
	arena_need(db->arena, all && code == SQLITE_DONE);
}
