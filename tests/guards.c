#include "guards.h"

#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define ROUNDING 0.01 /* of two digits or more */

/* --- what guards.sql asks of texts --- */

static bool is_near(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmax(fabs(b), 0.1);
}

/* "0.812", "1/398"; end: after it. */
static double number_at(const char *text, char **end)
{
	const bool fraction = !strncmp(text, "1/", 2);
	const double x = strtod(text + (fraction ? 2 : 0), end);
	return fraction ? 1 / x : x;
}

/* Whether a text has "LO to HI", or LO alone if they are the same. */
static bool has_range(const char *text, double lo, double hi)
{
	for (const char *at = text; *at; at++) {
		char *end;
		if (!isdigit((unsigned char)*at) ||
		    (at > text && (isalnum((unsigned char)at[-1]) || strchr("./", at[-1]))))
			continue;
		const double a = number_at(at, &end),
		             b = strncmp(end, " to ", 4) ? a : number_at(end + 4, &end);
		if (isfinite(lo) && is_near(a, lo) && is_near(b, hi))
			return true;
	}
	return false;
}

static bool is_size(const char *text)
{
	char unit[4] = "";
	return sscanf(text, "%*f %3[KMGTiB]", unit) == 1 && strchr(unit, 'B');
}

/* "16 MiB to 256 MiB", "from 16 MiB up", "up to 64 KiB". */
static bool has_sizes(const char *text)
{
	for (const char *at = text; (at = strstr(at, " to ")); at++)
		if (is_size(at + 4) && at > text + 2 &&
		    (at[-1] == 'B' || !strncmp(at - 3, " up", 3)))
			return true;
	return strstr(text, "iB up");
}

/* "1.25", "1/398", and no version. */
static bool has_figure(const char *text)
{
	for (const char *at = text; *at; at += strspn(at, "0123456789.")) {
		at += strcspn(at, "0123456789");
		const char *point = at + strspn(at, "0123456789");
		if ((*point == '.' || *point == '/') && isdigit((unsigned char)point[1]) &&
		    point[1 + strspn(point + 1, "0123456789")] != '.')
			return true;
	}
	return false;
}

static bool has_ratio(const char *text)
{
	return strstr(text, " GB/s") || strstr(text, "times the ") || strstr(text, "times as ") ||
	       strstr(text, "times that of ") || strstr(text, " % of threads'") ||
	       strstr(text, " % of the bandwidth") || strstr(text, ": a step takes ");
}

/* What a page begins with names the sizes of a ratio; below that the ends of these are enough. */
static bool place_told(const char *role, const char *text)
{
	const bool first = !strcmp(role, "headline");
	bool is = !(first || !strcmp(role, "answer") || !strcmp(role, "caption")) ||
	          !has_ratio(text) || (!first && strstr(text, " size"));
	for (const char *at = text; *at && !is; at++)
		is = isdigit((unsigned char)*at) && is_size(at);
	return is;
}

/* In one sentence of a text. Of a run that is cut off means are shown, and no verdict. */
static bool has_ratio_over_sizes(const char *text)
{
	char one[4096];
	for (const char *end; *text; text = end + strspn(end, ". ")) {
		end = strstr(text, ". ");
		end = end ? end : text + strlen(text);
		snprintf(one, sizeof one, "%.*s", (int)(end - text), text);
		if (has_sizes(one) && !strstr(one, "means over") && has_ratio(one))
			return true;
	}
	return false;
}

/* What follows a quantity; a share of threads' bandwidth is a factor. */
static bool is_unit(const char *after)
{
	return (*after == '.' && isdigit((unsigned char)after[1])) || !strncmp(after, " µs", 4) ||
	       !strncmp(after, " ns", 3) || !strncmp(after, " ms", 3) ||
	       (*after == ' ' && strchr("GKM", after[1])) ||
	       (!strncmp(after, " %", 2) && strncmp(after, " % of threads'", 14) != 0);
}

/* Whether a clause says what its range is over: by size, by variant. */
static bool is_by(const char *text)
{
	const char *by = strstr(text, " by ");
	unsigned within = 1;
	for (; by && text < by && (within > 1 || !strchr(".;", *text) || text[1] != ' '); text++)
		within += *text == '(' ? 1u : *text == ')' && within > 1 ? -1u : 0u;
	return by && text == by;
}

/* "1.25 to 1.35", which is no interval, no change and no quantity, nor of a block's two trials of
 * the reference, in a clause that does not go on with what that is by. */
static bool has_bare_range(const char *text)
{
	unsigned within = 0;
	for (const char *at = text; *at; at++) {
		within += *at == '(' ? 1u : *at == ')' && within ? -1u : 0u;
		char *to, *end;
		if (at == text || !strchr(" (", at[-1]) || !isdigit((unsigned char)*at))
			continue;
		number_at(at, &to);
		if (strncmp(to, " to ", 4) || !isdigit((unsigned char)to[4]))
			continue;
		number_at(to + 4, &end);
		const bool times = !strncmp(end, " times", 6),
		           whole = !strchr("./", at[strspn(at, "0123456789")]),
		           change = at - text >= 5 && !strncmp(at - 5, "from ", 5);
		if ((times || !(within || whole)) && !is_unit(end) && !change &&
		    !strstr(text, " goes from ") && !strstr(text, " in each of the ") &&
		    !strstr(text, " in the one whole block") && !is_by(end))
			return true;
	}
	return false;
}

/* At which ratios a claim holds: "below 0.980", "0.980 to 1.020". One end of them; NaN: no such
 * text. */
static double limit_of(const char *limits, bool upper)
{
	const bool below = !strncmp(limits, "below ", 6), above = !strncmp(limits, "above ", 6);
	char *end;
	const double x = number_at(limits + (below || above ? 6 : 0), &end);
	if (below || above)
		return below == upper ? x : below ? 0 : INFINITY;
	return strncmp(end, " to ", 4) ? NAN : upper ? number_at(end + 4, &end) : x;
}

/* The share of "above 4.5 %" and of "above a factor of 2.5"; NaN: it has no number. */
static double bound_of(const char *text)
{
	const char *at = text + strcspn(text, "0123456789");
	char *end;
	const double x = strtod(at, &end);
	return !*at ? NAN : !strncmp(end, " %", 2) ? x / 100 : x - 1;
}

/* Whether a number is written so, as far as its digits go. */
static bool is_written(double x, const char *as)
{
	if (!strncmp(as, "1/", 2))
		return is_written(1 / x, as + 2);
	const size_t n = strspn(as, "0123456789"), point = as[n] == '.' ? 1 : 0;
	const size_t digits = point ? strspn(as + n + 1, "0123456789") : 0;
	return n && fabs(x - strtod(as, NULL)) <= 1.001 * pow(10, -(double)digits) / 2;
}

/* --- the queries --- */

enum asked { RANGE, SIZES, FIGURE, PLACE, LIMIT, BOUND, BARE, NEAR, WRITTEN, FUNCTIONS };

static const struct function {
	const char *name;
	int arguments;
} functions[FUNCTIONS] = {
    [RANGE] = {"has_range", 3},     [SIZES] = {"has_ratio_over_sizes", 1},
    [FIGURE] = {"has_figure", 1},   [PLACE] = {"place_told", 2},
    [LIMIT] = {"limit_of", 2},      [BOUND] = {"bound_of", 1},
    [BARE] = {"has_bare_range", 1}, [NEAR] = {"is_near", 2},
    [WRITTEN] = {"is_written", 2},
};

/* Of values that are all there; NaN is NULL. */
static void answer(sqlite3_context *context, int n, sqlite3_value **values)
{
	const enum asked of =
	    (enum asked)((const struct function *)sqlite3_user_data(context) - functions);
	const char *text[3];
	double x[3];
	for (int i = 0; i < n; i++) {
		text[i] = (const char *)sqlite3_value_text(values[i]);
		x[i] = sqlite3_value_double(values[i]);
		if (!text[i])
			return;
	}
	sqlite3_result_double(context, of == RANGE     ? has_range(text[0], x[1], x[2])
	                               : of == SIZES   ? has_ratio_over_sizes(text[0])
	                               : of == FIGURE  ? has_figure(text[0])
	                               : of == PLACE   ? place_told(text[0], text[1])
	                               : of == LIMIT   ? limit_of(text[0], x[1] > 0)
	                               : of == BOUND   ? bound_of(text[0])
	                               : of == BARE    ? has_bare_range(text[0])
	                               : of == NEAR    ? is_near(x[0], x[1])
	                               : of == WRITTEN ? is_written(x[0], text[1])
	                                               : NAN);
}

/* A statement; why: what its first row has. */
static bool holds(sqlite3 *lite, const char **sql, char *why, size_t bytes)
{
	sqlite3_stmt *one = NULL;
	const char *rest = *sql + strlen(*sql);
	int code = sqlite3_prepare_v2(lite, *sql, -1, &one, &rest);
	code = one ? sqlite3_step(one) : code;
	if (code == SQLITE_ROW)
		sqlite3_snprintf((int)bytes, why, "%s: %s", sqlite3_column_text(one, 0),
		                 sqlite3_column_text(one, 1));
	else if (code != SQLITE_DONE && code != SQLITE_OK)
		snprintf(why, bytes, "guards.sql: %s: %.300s", sqlite3_errmsg(lite), *sql);
	sqlite3_finalize(one);
	*sql = rest;
	return code == SQLITE_DONE || code == SQLITE_OK;
}

/* A value of a statement, which is then carried out. */
static bool put(sqlite3 *lite, const char *sql, const char *table, size_t nth, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT);
	sqlite3_stmt *one = NULL;
	const bool right = text && !sqlite3_prepare_v2(lite, sql, -1, &one, NULL) &&
	                   !sqlite3_bind_text(one, 1, text, -1, SQLITE_STATIC) &&
	                   (!table || (!sqlite3_bind_text(one, 2, table, -1, SQLITE_STATIC) &&
	                               !sqlite3_bind_int64(one, 3, (sqlite3_int64)nth))) &&
	                   sqlite3_step(one) == SQLITE_DONE;
	sqlite3_finalize(one);
	free(text);
	json_decref(value);
	return right;
}

static bool put_rows(sqlite3 *lite, const json_t *table)
{
	const json_t *row, *column, *columns = json_object_get(table, "columns");
	bool right = true;
	size_t i, c;
	json_array_foreach(json_object_get(table, "rows"), i, row)
	{
		json_t *one = json_object();
		json_array_foreach(columns, c, column) json_object_set(
		    one, json_string_value(json_object_get(column, "key")), json_array_get(row, c));
		right = right && put(lite, "INSERT INTO one VALUES (?2, ?3, ?1)",
		                     json_string_value(json_object_get(table, "name")), i, one);
	}
	return right;
}

bool guards_right(const json_t *report, char *why, size_t bytes)
{
	const char *sql = cli_read("tests/guards.sql");
	const json_t *chapter, *table;
	size_t k, n;
	sqlite3 *lite = NULL;
	bool right = sql && !sqlite3_open(":memory:", &lite);
	for (size_t i = 0; right && i < FUNCTIONS; i++)
		right =
		    !sqlite3_create_function(lite, functions[i].name, functions[i].arguments,
		                             SQLITE_UTF8 | SQLITE_DETERMINISTIC,
		                             (void *)(uintptr_t)&functions[i], answer, NULL, NULL);
	snprintf(why, bytes, "guards.sql: cannot be asked");
	right = right && !sqlite3_exec(lite, "CREATE TABLE one (tab, nth, o)", NULL, NULL, NULL) &&
	        put(lite, "CREATE TEMP TABLE given AS SELECT ? doc", NULL, 0,
	            json_incref((json_t *)(uintptr_t)report));
	json_array_foreach(json_object_get(report, "chapters"), k, chapter)
	    json_array_foreach(json_object_get(chapter, "tables"), n, table) right =
	        right && put_rows(lite, table);
	while (right && *sql)
		right = holds(lite, &sql, why, bytes);
	sqlite3_close(lite);
	return right;
}
