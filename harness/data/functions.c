#include "functions.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/anova.h"
#include "../analysis/stats.h"
#include "../arena.h"
#include "../coll/coll.h"

/* --- aggregates over numbers --- */

struct numbers {
	double *x, *second; /* second: the other argument of each */
	size_t n, room;
	bool failed;
};

static void add(struct numbers *of, double one, double too)
{
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
	of->second[of->n] = too;
	of->x[of->n++] = one;
}

static void add_number(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	if (of && sqlite3_value_type(values[0]) != SQLITE_NULL)
		add(of, sqlite3_value_double(values[0]),
		    n > 1 ? sqlite3_value_double(values[1]) : 0);
}

/* A level, a value and its keys. */
static void add_leaf(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	for (int i = 1; of && i < n; i++)
		add(of, sqlite3_value_double(values[i]), sqlite3_value_double(values[0]));
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

static double deviation_of(const struct looks *looks, struct numbers *of)
{
	const double median = median_of(looks, of);
	for (size_t i = 0; i < of->n; i++)
		of->x[i] = 1.4826 * fabs(of->x[i] - median);
	return median_of(looks, of);
}

static double trend_of(const struct looks *looks, struct numbers *of)
{
	(void)looks;
	return stats_trend_probability(of->x, (unsigned)of->n);
}

static double slope_of(const struct looks *looks, struct numbers *of)
{
	double *slopes = malloc((of->n * of->n / 2 + 1) * sizeof *slopes);
	(void)looks;
	of->failed = of->failed || !slopes;
	const double slope =
	    of->n > 1 && slopes ? stats_trend_slope(of->x, (unsigned)of->n, slopes) : NAN;
	free(slopes);
	return slope;
}

#define LEVELS 4

static double component_of(const struct looks *looks, struct numbers *of)
{
	const size_t n = of->n / (LEVELS + 1), level = (size_t)of->second[0];
	double *y = malloc(n * sizeof *y), variances[LEVELS + 1] = {NAN};
	unsigned *keys = malloc(n * LEVELS * sizeof *keys);
	(void)looks;
	of->failed = of->failed || !y || !keys;
	for (size_t i = 0; i < of->n && !of->failed; i++)
		if (i % (LEVELS + 1))
			keys[i / (LEVELS + 1) * LEVELS + i % (LEVELS + 1) - 1] = (unsigned)of->x[i];
		else
			y[i / (LEVELS + 1)] = of->x[i];
	if (!of->failed)
		anova_nested(y, keys, (unsigned)n, LEVELS, variances + 1);
	free(y);
	free(keys);
	return variances[level <= LEVELS ? level : 0];
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

#define TAKES(name)                                                                                \
	static void take_##name(sqlite3_context *context)                                          \
	{                                                                                          \
		take(context, name##_of);                                                          \
	}
TAKES(median)
TAKES(quantile)
TAKES(deviation)
TAKES(trend)
TAKES(slope)
TAKES(component)
TAKES(ratio)
TAKES(lo)
TAKES(hi)

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

/* 2.28.3 as 22803; 0: it is none. */
static void version(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *text = (const char *)sqlite3_value_text(values[0]);
	unsigned major = 0, minor = 0, patch = 0;
	(void)n;
	sscanf(text ? text : "", "%2u.%2u.%2u", &major, &minor, &patch);
	sqlite3_result_int(context, (int)(major * 10000 + minor * 100 + patch));
}

static void student(sqlite3_context *context, int n, sqlite3_value **values)
{
	const int df = sqlite3_value_int(values[1]);
	(void)n;
	if (df > 0)
		sqlite3_result_double(
		    context, stats_student_quantile(sqlite3_value_double(values[0]), (unsigned)df));
}

static void withstands(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	sqlite3_result_int(context, (int)stats_withstands((unsigned)sqlite3_value_int(values[0]),
	                                                  sqlite3_value_double(values[1])));
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
	    {"deviation", 1, NULL, add_number, take_deviation},
	    {"trend", 1, NULL, add_number, take_trend},
	    {"slope", 1, NULL, add_number, take_slope},
	    {"component", LEVELS + 2, NULL, add_leaf, take_component},
	    {"withstands", 2, withstands, NULL, NULL},
	    {"version", 1, version, NULL, NULL},
	    {"student", 2, student, NULL, NULL},
	    {"size", 1, size, NULL, NULL},
	    {"in_line", 1, in_line, NULL, NULL},
	};
	bool added = true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		added = added &&
		        sqlite3_create_function(lite, all[i].name, all[i].arguments,
		                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, looks,
		                                all[i].one, all[i].step, all[i].end) == SQLITE_OK;
	return added;
}
