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
#include "../coll/routing.h"
#include "../sanitize.h"

/* --- aggregates over numbers --- */

#define LEVELS 4 /* of nested variances */

struct numbers {
	double *x, *second; /* second: the other argument of each */
	size_t n, room;
	bool failed;
};

static void add(struct numbers *of, double x, double second)
{
	if (of->n == of->room) {
		const size_t room = 2 * of->room + 16;
		double *more = realloc(of->x, room * sizeof *more);
		of->x = more ? more : of->x;
		double *beside = realloc(of->second, room * sizeof *beside);
		of->second = beside ? beside : of->second;
		of->failed = of->failed || !more || !beside;
		if (of->failed)
			return;
		of->room = room;
	}
	of->second[of->n] = second;
	of->x[of->n++] = x;
}

static void add_number(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	if (of && sqlite3_value_type(values[0]) != SQLITE_NULL)
		add(of, sqlite3_value_double(values[0]),
		    n > 1 ? sqlite3_value_double(values[1]) : 0);
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

static int ascending(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

typedef struct stats_ratio (*making)(struct arena *arena, const struct looks *looks,
                                     const struct numbers *of);

/* An interval that is being made, in an arena of its own: no lack of memory leaves SQLite halfway. */
struct maker {
	const struct looks *looks;
	const struct numbers *of;
	making makes;
	struct stats_ratio made;
};

static void make(struct arena *arena, void *what)
{
	struct maker *m = what;
	m->made = m->makes(arena, m->looks, m->of);
}

static struct stats_ratio made_by(making makes, const struct looks *looks, struct numbers *of)
{
	struct maker m = {looks, of, makes, STATS_NO_RATIO};
	struct arena *arena = NULL;
	of->failed = arena_run(make, &m, &arena) < 0;
	arena_free(arena);
	return m.made;
}

static struct stats_ratio make_ratio(struct arena *arena, const struct looks *looks,
                                     const struct numbers *of)
{
	const unsigned n = (unsigned)of->n;
	unsigned *blocks = ARENA_ARRAY(arena, unsigned, n);
	for (unsigned i = 0; i < n; i++)
		blocks[i] = (unsigned)of->second[i];
	qsort(blocks, n, sizeof *blocks, ascending);
	return stats_ratio_of_logs(arena, of->x, n, looks_confidence(looks, blocks, n));
}

static struct stats_ratio interval_of(const struct looks *looks, struct numbers *of)
{
	return made_by(make_ratio, looks, of);
}

/* As logarithms of a ratio, on a scale on which no exponential overflows. */
static struct stats_ratio make_pseudomedian(struct arena *arena, const struct looks *looks,
                                            const struct numbers *of)
{
	double *logs = ARENA_ARRAY(arena, double, of->n), most = 0;
	for (size_t i = 0; i < of->n; i++)
		most = fmax(most, fabs(of->x[i]));
	if (!(most > 0))
		return (struct stats_ratio){.lo = NAN, .hi = NAN};
	for (size_t i = 0; i < of->n; i++)
		logs[i] = of->x[i] / most;
	struct stats_ratio r = stats_ratio_of_logs(arena, logs, (unsigned)of->n, looks->confidence);
	return (struct stats_ratio){
	    .estimate = most * log(r.estimate), .lo = most * log(r.lo), .hi = most * log(r.hi)};
}

static struct stats_ratio pseudomedian(const struct looks *looks, struct numbers *of)
{
	return made_by(make_pseudomedian, looks, of);
}

static struct stats_ratio make_share(struct arena *arena, const struct looks *looks,
                                     const struct numbers *of)
{
	return stats_share(arena, of->x, of->second, (unsigned)of->n, looks->confidence);
}

static struct stats_ratio share(const struct looks *looks, struct numbers *of)
{
	return made_by(make_share, looks, of);
}

static struct stats_interval around_median(const struct looks *looks, struct numbers *of)
{
	return stats_quantile_interval(of->x, of->n, 0.5, looks->confidence);
}

/* Of each row its number and its LEVELS keys follow each other; second: the level that is asked. */
static void add_leaf(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	for (int i = 1; of && i < n; i++)
		add(of, sqlite3_value_double(values[i]), sqlite3_value_double(values[0]));
}

static double component(const struct looks *looks, struct numbers *of)
{
	const size_t n = of->n / (LEVELS + 1), level = (size_t)of->second[0];
	double *y = calloc(n + 1, sizeof *y), variances[LEVELS];
	unsigned *keys = calloc(n * LEVELS + 1, sizeof *keys);
	(void)looks;
	of->failed = of->failed || !y || !keys;
	for (size_t i = 0; i < n && !of->failed; i++) {
		y[i] = of->x[i * (LEVELS + 1)];
		for (size_t k = 0; k < LEVELS; k++)
			keys[i * LEVELS + k] = (unsigned)of->x[i * (LEVELS + 1) + 1 + k];
	}
	if (!of->failed)
		anova_nested(y, keys, (unsigned)n, LEVELS, variances);
	free(y);
	free(keys);
	return !of->failed && level >= 1 && level <= LEVELS ? variances[level - 1] : NAN;
}

/* An end of an interval, or its estimate, as an aggregate. */
#define TAKES(name, value)                                                                         \
	static double name##_of(const struct looks *looks, struct numbers *of)                     \
	{                                                                                          \
		return value;                                                                      \
	}                                                                                          \
	static void take_##name(sqlite3_context *context)                                          \
	{                                                                                          \
		take(context, name##_of);                                                          \
	}
TAKES(median, ((void)looks, stats_median(of->x, of->n)))
TAKES(median_lo, around_median(looks, of).lo)
TAKES(median_hi, around_median(looks, of).hi)
TAKES(component, component(looks, of))
TAKES(quantile, ((void)looks, stats_quantile(of->x, of->n, of->second[of->n - 1])))
TAKES(ratio, interval_of(looks, of).estimate)
TAKES(ratio_lo, interval_of(looks, of).lo)
TAKES(ratio_hi, interval_of(looks, of).hi)
TAKES(pseudomedian, pseudomedian(looks, of).estimate)
TAKES(pseudomedian_lo, pseudomedian(looks, of).lo)
TAKES(pseudomedian_hi, pseudomedian(looks, of).hi)
TAKES(share, share(looks, of).estimate)
TAKES(share_lo, share(looks, of).lo)
TAKES(share_hi, share(looks, of).hi)
TAKES(trend, ((void)looks, stats_trend_probability(of->x, (unsigned)of->n)))

static void withstands(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct looks *looks = sqlite3_user_data(context);
	const struct stats_walsh of = STATS_WALSH_OF((unsigned)sqlite3_value_int(values[0]));
	(void)n;
	sqlite3_result_int64(context, stats_withstands(&of, looks->confidence));
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

static void imbalance(sqlite3_context *context, int n, sqlite3_value **values)
{
	(void)n;
	sqlite3_result_double(context, routing_imbalance((unsigned)sqlite3_value_int64(values[0]),
	                                                 (unsigned)sqlite3_value_int64(values[1])));
}

static void shell_word(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *word = (const char *)sqlite3_value_text(values[0]);
	const size_t bytes = SANITIZE_WORD(word ? strlen(word) : 0);
	char *text = word ? sqlite3_malloc64(bytes) : NULL;
	(void)n;
	if (!text)
		return;
	sanitize_word(word, text, bytes);
	sqlite3_result_text(context, text, -1, sqlite3_free);
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
	    {"median_lo", 1, NULL, add_number, take_median_lo},
	    {"median_hi", 1, NULL, add_number, take_median_hi},
	    {"quantile", 2, NULL, add_number, take_quantile},
	    {"ratio", 2, NULL, add_number, take_ratio},
	    {"ratio_lo", 2, NULL, add_number, take_ratio_lo},
	    {"ratio_hi", 2, NULL, add_number, take_ratio_hi},
	    {"pseudomedian", 1, NULL, add_number, take_pseudomedian},
	    {"pseudomedian_lo", 1, NULL, add_number, take_pseudomedian_lo},
	    {"pseudomedian_hi", 1, NULL, add_number, take_pseudomedian_hi},
	    {"share", 2, NULL, add_number, take_share},
	    {"share_lo", 2, NULL, add_number, take_share_lo},
	    {"share_hi", 2, NULL, add_number, take_share_hi},
	    {"imbalance", 2, imbalance, NULL, NULL},
	    {"component", LEVELS + 2, NULL, add_leaf, take_component},
	    {"shell_word", 1, shell_word, NULL, NULL},
	    {"version", 1, version, NULL, NULL},
	    {"student", 2, student, NULL, NULL},
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
