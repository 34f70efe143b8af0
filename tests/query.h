/* What a query says of a run's tables. */
#pragma once

#include "../harness/chapters/figures.h"
#include "scratch.h"
#include "test.h"

/* The rows: values with blanks between them, rows with "; "; or what is wrong. */
static inline const char *query(struct db *db, const char *sql)
{
	const struct db_source source = {.file = "q", .sql = sql, .line = 1};
	const char *all = "";
	struct db_rows *rows = db_ask(db, &source, WHY);
	while (rows && db_next(rows)) {
		all = arena_text(scratch(), "%s%s", all, *all ? "; " : "");
		for (unsigned i = 0; i < db_ncolumns(rows); i++)
			all = arena_text(scratch(), "%s%s%s", all, i ? " " : "",
			                 db_text(rows, i) ? db_text(rows, i) : "-");
	}
	return !rows || db_end(rows, WHY) ? arena_copy(scratch(), because()) : all;
}

#define query_gives(DB, SQL, WANTED) assert_string_equal(query(DB, SQL), WANTED)

/* The only value; NaN: there is none. */
static inline double query_number(struct db *db, const char *sql)
{
	const char *text = query(db, sql);
	char *end;
	const double x = strtod(text, &end);
	if (*end && strcmp(text, "-"))
		fail_msg("%s: %s", sql, text);
	return end == text ? NAN : x;
}
