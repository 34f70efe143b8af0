#include "functions.h"

#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/anova.h"
#include "../analysis/stats.h"
#include "../coll/coll.h"

/* --- aggregates over numbers --- */

struct numbers {
	double *x;
	size_t n, room;
	double p; /* the second argument */
	bool failed;
};

static void add(struct numbers *of, double x)
{
	if (of->n == of->room) {
		const size_t room = 2 * of->room + 16;
		double *more = realloc(of->x, room * sizeof *more);
		of->failed = of->failed || !more;
		if (!more)
			return;
		of->x = more;
		of->room = room;
	}
	of->x[of->n++] = x;
}

static void add_number(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	if (!of || sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	add(of, sqlite3_value_double(values[0]));
	of->p = n > 1 ? sqlite3_value_double(values[1]) : 0.5;
}

static void take_quantile(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	if (of && of->failed)
		sqlite3_result_error_nomem(context);
	else if (of && of->n)
		sqlite3_result_double(context, stats_quantile(of->x, of->n, of->p));
	free(of ? of->x : NULL);
}

static void take_median(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	if (of && of->failed)
		sqlite3_result_error_nomem(context);
	else if (of && of->n)
		sqlite3_result_double(context, stats_median(of->x, of->n));
	free(of ? of->x : NULL);
}

static void take_deviation(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	const double median = of && of->n && !of->failed ? stats_median(of->x, of->n) : 0;
	for (size_t i = 0; of && i < of->n; i++)
		of->x[i] = 1.4826 * fabs(of->x[i] - median);
	take_median(context);
}

static void take_trend(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	if (of && of->failed)
		sqlite3_result_error_nomem(context);
	else if (of && of->n)
		sqlite3_result_double(context, stats_trend_probability(of->x, (unsigned)of->n));
	free(of ? of->x : NULL);
}

static void take_slope(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	double *slopes = of ? calloc(of->n * of->n / 2 + 1, sizeof *slopes) : NULL;
	if (of && (!slopes || of->failed))
		sqlite3_result_error_nomem(context);
	else if (of && of->n > 1)
		sqlite3_result_double(context, stats_trend_slope(of->x, (unsigned)of->n, slopes));
	free(slopes);
	free(of ? of->x : NULL);
}

static void withstands(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	sqlite3_result_int(context, (int)stats_withstands((unsigned)sqlite3_value_int(values[0]),
	                                                  sqlite3_value_double(values[1])));
}

/* --- variance components --- */

#define LEVELS 4

/* p: the level. */
static void add_leaf(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	for (int i = 1; of && i < n; i++)
		add(of, sqlite3_value_double(values[i]));
	if (of)
		of->p = sqlite3_value_double(values[0]);
}

static void take_component(sqlite3_context *context)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	const size_t n = of ? of->n / (LEVELS + 1) : 0;
	double *y = calloc(n + 1, sizeof *y), variances[LEVELS];
	unsigned *keys = calloc(n * LEVELS + 1, sizeof *keys);
	const bool failed = !y || !keys || (of && of->failed);
	for (size_t i = 0; i < n && !failed; i++) {
		y[i] = of->x[i * (LEVELS + 1)];
		for (size_t k = 0; k < LEVELS; k++)
			keys[i * LEVELS + k] = (unsigned)of->x[i * (LEVELS + 1) + 1 + k];
	}
	if (failed) {
		sqlite3_result_error_nomem(context);
	} else if (n && of->p >= 1 && of->p <= LEVELS) {
		anova_nested(y, keys, (unsigned)n, LEVELS, variances);
		sqlite3_result_double(context, variances[(unsigned)of->p - 1]);
	}
	free(y);
	free(keys);
	free(of ? of->x : NULL);
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

bool functions_add(struct sqlite3 *lite)
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
	    {"deviation", 1, NULL, add_number, take_deviation},
	    {"trend", 1, NULL, add_number, take_trend},
	    {"slope", 1, NULL, add_number, take_slope},
	    {"withstands", 2, withstands, NULL, NULL},
	    {"component", LEVELS + 2, NULL, add_leaf, take_component},
	    {"size", 1, size, NULL, NULL},
	    {"version", 1, version, NULL, NULL},
	    {"student", 2, student, NULL, NULL},
	    {"in_line", 1, in_line, NULL, NULL},
	};
	bool added = true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		added = added &&
		        sqlite3_create_function(lite, all[i].name, all[i].arguments,
		                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
		                                all[i].one, all[i].step, all[i].end) == SQLITE_OK;
	return added;
}
