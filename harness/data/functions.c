#include "functions.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/stats.h"
#include "../arena.h"
#include "../coll/coll.h"

/* --- aggregates over numbers --- */

struct numbers {
	double *x, *second; /* second: the other argument of each */
	size_t n, room;
	bool failed;
};

static void add_number(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	if (!of || sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	if (of->n == of->room) {
		const size_t room = 2 * of->room + 16;
		double *x = realloc(of->x, room * sizeof *x);
		of->x = x ? x : of->x;
		double *second = realloc(of->second, room * sizeof *second);
		of->second = second ? second : of->second;
		of->failed = of->failed || !x || !second;
		if (of->failed)
			return;
		of->room = room;
	}
	of->second[of->n] = n > 1 ? sqlite3_value_double(values[1]) : 0;
	of->x[of->n++] = sqlite3_value_double(values[0]);
}

/* What of them the query asks for; NaN: nothing. */
static void take(sqlite3_context *context,
                 double (*of_numbers)(const struct looks *looks, struct numbers *of))
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	if (!of)
		return;
	const double x = of->n ? of_numbers(sqlite3_user_data(context), of) : NAN;
	if (of->failed)
		sqlite3_result_error_nomem(context);
	else
		sqlite3_result_double(context, x);
	free(of->x);
	free(of->second);
}

static double quantile_of(const struct looks *looks, struct numbers *of)
{
	(void)looks;
	return stats_quantile(of->x, of->n, of->second[of->n - 1]);
}

static double median_of(const struct looks *looks, struct numbers *of)
{
	(void)looks;
	return stats_median(of->x, of->n);
}

static int ascending(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* A ratio that is being made, in an arena of its own: no lack of memory leaves SQLite halfway. */
struct maker {
	const struct looks *looks;
	const struct numbers *of;
	struct stats_ratio ratio;
};

static void make_ratio(struct arena *arena, void *what)
{
	struct maker *m = what;
	const unsigned n = (unsigned)m->of->n;
	unsigned *blocks = ARENA_ARRAY(arena, unsigned, n);
	for (unsigned i = 0; i < n; i++)
		blocks[i] = (unsigned)m->of->second[i];
	qsort(blocks, n, sizeof *blocks, ascending);
	m->ratio = stats_ratio_of_logs(arena, m->of->x, n, looks_confidence(m->looks, blocks, n));
}

static struct stats_ratio interval_of(const struct looks *looks, struct numbers *of)
{
	struct maker m = {looks, of, STATS_NO_RATIO};
	struct arena *arena = NULL;
	of->failed = arena_run(make_ratio, &m, &arena) < 0;
	arena_free(arena);
	return m.ratio;
}

static double ratio_of(const struct looks *looks, struct numbers *of)
{
	return interval_of(looks, of).estimate;
}

static double lo_of(const struct looks *looks, struct numbers *of)
{
	return interval_of(looks, of).lo;
}

static double hi_of(const struct looks *looks, struct numbers *of)
{
	return interval_of(looks, of).hi;
}

static double trend_of(const struct looks *looks, struct numbers *of)
{
	(void)looks;
	return stats_trend_probability(of->x, (unsigned)of->n);
}

#define TAKES(name)                                                                                \
	static void take_##name(sqlite3_context *context)                                          \
	{                                                                                          \
		take(context, name##_of);                                                          \
	}
TAKES(median)
TAKES(quantile)
TAKES(ratio)
TAKES(lo)
TAKES(hi)
TAKES(trend)

static void withstands(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct looks *looks = sqlite3_user_data(context);
	(void)n;
	sqlite3_result_int64(
	    context, stats_withstands((unsigned)sqlite3_value_int(values[0]), looks->confidence));
}

/* --- texts --- */

static void add_value(sqlite3_str *text, const json_t *value)
{
	size_t i;
	const char *key, *between = "";
	json_t *member;
	json_array_foreach((json_t *)value, i, member)
	{
		sqlite3_str_appendall(text, i ? "; " : "");
		add_value(text, member);
	}
	json_object_foreach((json_t *)value, key, member)
	{
		if (json_is_string(member) && !*json_string_value(member))
			continue;
		sqlite3_str_appendf(text, "%s%s=", between, key);
		add_value(text, member);
		between = ", ";
	}
	if (json_is_string(value)) {
		sqlite3_str_appendall(text, json_string_value(value));
	} else if (!json_is_array(value) && !json_is_object(value)) {
		char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
		sqlite3_str_appendall(text, dumped ? dumped : "?");
		free(dumped);
	}
}

static void size(sqlite3_context *context, int n, sqlite3_value **values)
{
	char text[32];
	(void)n;
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	coll_size_label((size_t)sqlite3_value_int64(values[0]), text, sizeof text);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void in_line(sqlite3_context *context, int n, sqlite3_value **values)
{
	const bool real = sqlite3_value_type(values[0]) == SQLITE_FLOAT;
	const char *text = (const char *)sqlite3_value_text(values[0]);
	const bool nested = text && (*text == '{' || *text == '[');
	json_t *value = real     ? json_real(sqlite3_value_double(values[0]))
	                : nested ? json_loads(text, 0, NULL)
	                         : NULL;
	(void)n;
	if (!value) {
		sqlite3_result_value(context, values[0]);
		return;
	}
	sqlite3_str *out = sqlite3_str_new(NULL);
	add_value(out, value);
	json_decref(value);
	sqlite3_result_text(context, sqlite3_str_finish(out), -1, sqlite3_free);
}

/* 2.9 before 2.28. */
static int by_version(void *none, int na, const void *a, int nb, const void *b)
{
	char left[64], right[64];
	(void)none;
	snprintf(left, sizeof left, "%.*s", na, (const char *)a);
	snprintf(right, sizeof right, "%.*s", nb, (const char *)b);
	return strverscmp(left, right);
}

bool functions_add(struct sqlite3 *lite, struct looks *looks)
{
	static const struct {
		const char *name;
		int arguments;
		void (*one)(sqlite3_context *context, int n, sqlite3_value **values);
		void (*step)(sqlite3_context *context, int n, sqlite3_value **values);
		void (*end)(sqlite3_context *context);
	} all[] = {
	    {"median", 1, NULL, add_number, take_median},
	    {"quantile", 2, NULL, add_number, take_quantile},
	    {"ratio", 2, NULL, add_number, take_ratio},
	    {"ratio_lo", 2, NULL, add_number, take_lo},
	    {"ratio_hi", 2, NULL, add_number, take_hi},
	    {"trend", 1, NULL, add_number, take_trend},
	    {"withstands", 1, withstands, NULL, NULL},
	    {"size", 1, size, NULL, NULL},
	    {"in_line", 1, in_line, NULL, NULL},
	};
	bool added = true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		added = added &&
		        sqlite3_create_function(lite, all[i].name, all[i].arguments,
		                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, looks,
		                                all[i].one, all[i].step, all[i].end) == SQLITE_OK;
	return added && sqlite3_create_collation(lite, "version", SQLITE_UTF8, NULL, by_version) ==
	                    SQLITE_OK;
}
