#include "functions.h"

#include <sqlite3.h>

#include "../analysis/anova.h"
#include "../analysis/stats.h"
#include "../analysis/verdict.h"
#include "../arena.h"
#include "../coll/coll.h"
#include "../coll/routing.h"
#include "../markup.h"
#include "../sanitize.h"
#include "format.h"
#include "verdicts.h"

/* --- aggregates over numbers --- */

#define LEVELS 4 /* of nested variances */

struct numbers {
	double *x, *second;   /* second: the other argument of each */
	double third, fourth; /* further arguments, the same for each */
	char end; /* of an interval, as 'lo' or 'hi' that is the last argument; 0: none */
	size_t n, room;
	bool failed;
};

static double number_of(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

static void add(struct numbers *of, double x, double second)
{
	if (of->n == of->room) {
		const size_t room = 2 * of->room + 16;
		double *more = realloc(of->x, room * sizeof *more);
		if (more)
			of->x = more;
		double *beside = realloc(of->second, room * sizeof *beside);
		if (beside)
			of->second = beside;
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
	if (of && n > 1 && sqlite3_value_type(values[n - 1]) == SQLITE_TEXT) {
		const char *end = (const char *)sqlite3_value_text(values[--n]);
		of->end = *end;
		if (strcmp(end, "lo") && strcmp(end, "hi"))
			sqlite3_result_error(context, "the ends of an interval are 'lo' and 'hi'",
			                     -1);
	}
	if (of && n > 2)
		of->third = sqlite3_value_double(values[2]);
	if (of && n > 3)
		of->fourth = sqlite3_value_double(values[3]);
	if (of && sqlite3_value_type(values[0]) != SQLITE_NULL)
		add(of, sqlite3_value_double(values[0]),
		    n > 1 ? sqlite3_value_double(values[1]) : 0);
}

/* None is NaN. */
static void add_any(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	if (of && n > 1)
		add(of, number_of(values[0]), sqlite3_value_double(values[1]));
}

/* What a query asks of its rows: a number, NaN is none, or a text. */
typedef double take_number(struct arena *arena, const struct looks *looks, struct numbers *of);
typedef const char *take_text(struct arena *arena, const struct looks *looks, struct numbers *of);

/* Made in an arena: no lack of memory leaves SQLite halfway. */
struct taking {
	const struct looks *looks;
	struct numbers *of;
	take_number *number;
	take_text *text;
	double x;
	const char *told;
};

static void make(struct arena *arena, void *what)
{
	struct taking *t = what;
	if (t->text)
		t->told = t->text(arena, t->looks, t->of);
	else if (t->of->n)
		t->x = t->number(arena, t->looks, t->of);
}

static void take(sqlite3_context *context, take_number *number, take_text *text)
{
	struct numbers *of = sqlite3_aggregate_context(context, 0);
	struct taking t = {sqlite3_user_data(context), of, number, text, NAN, NULL};
	struct arena *arena = NULL;
	if (!of)
		return;
	if (of->failed || arena_run(make, &t, &arena) < 0)
		sqlite3_result_error_nomem(context);
	else if (t.told)
		sqlite3_result_text(context, t.told, -1, SQLITE_TRANSIENT);
	else
		sqlite3_result_double(context, t.x);
	arena_free(arena);
	free(of->x);
	free(of->second);
}

struct in_block {
	unsigned block;
	double x;
};

static int by_block(const void *a, const void *b)
{
	const struct in_block *x = a, *y = b;
	return (x->block > y->block) - (x->block < y->block);
}

/* A block has one number, or two: against each trial of the reference (stats_walsh). */
static struct verdicts_blocks blocks_of(struct arena *arena, const struct numbers *of)
{
	struct in_block *all = ARENA_ARRAY(arena, struct in_block, of->n);
	unsigned n = 0, *blocks = ARENA_ARRAY(arena, unsigned, of->n);
	double *x = ARENA_ARRAY(arena, double, of->n), *again = ARENA_ARRAY(arena, double, of->n);
	for (size_t i = 0; i < of->n; i++)
		all[i] = (struct in_block){(unsigned)of->second[i], of->x[i]};
	qsort(all, of->n, sizeof *all, by_block);
	for (size_t i = 0; i < of->n; i++) {
		if (n && blocks[n - 1] == all[i].block) {
			again[n - 1] = all[i].x;
			continue;
		}
		blocks[n] = all[i].block;
		x[n] = again[n] = all[i].x;
		n++;
	}
	return (struct verdicts_blocks){x, n < of->n ? again : NULL, blocks, n};
}

static struct stats_walsh walsh_of(struct arena *arena, const struct verdicts_blocks *of)
{
	return stats_walsh_of(arena, of->x, of->again, of->n);
}

static const char *contrast(struct arena *arena, const struct looks *looks, struct numbers *of)
{
	const struct verdicts_blocks blocks = blocks_of(arena, of);
	return verdicts_contrast(arena, looks, &blocks, of->third, of->fourth);
}

/* Of each row (ratio, lo, hi, blocks, confidence, by, times). */
static const char *pooled(struct arena *arena, const struct looks *looks, struct numbers *of)
{
	const unsigned n = (unsigned)of->n / 6;
	struct stats_ratio *runs = ARENA_ARRAY(arena, struct stats_ratio, n);
	(void)looks;
	for (unsigned i = 0; i < n; i++) {
		const double *x = &of->x[6 * i];
		runs[i] = (struct stats_ratio){of->second[6 * i], x[0], x[1], (unsigned)x[2], x[3]};
	}
	return verdicts_pooled(arena, runs, n, of->x[4], of->x[5]);
}

static struct stats_ratio ratio(struct arena *arena, const struct looks *looks,
                                const struct numbers *of)
{
	const struct verdicts_blocks blocks = blocks_of(arena, of);
	const struct stats_walsh walsh = walsh_of(arena, &blocks);
	return stats_walsh_ratio(&walsh, looks_confidence(looks, blocks.blocks, blocks.n));
}

static struct stats_ratio chosen(struct arena *arena, const struct looks *looks,
                                 const struct numbers *of)
{
	const struct stats_ratio r = ratio(arena, looks, of);
	return stats_chosen(&r, of->third);
}

static double beyond(struct arena *arena, const struct numbers *of)
{
	const struct verdicts_blocks blocks = blocks_of(arena, of);
	const struct stats_walsh walsh = walsh_of(arena, &blocks);
	return stats_signed_rank_tails(&walsh, of->third).over;
}

/* As logarithms of a ratio, on a scale on which no exponential overflows. */
static struct stats_ratio pseudomedian(struct arena *arena, const struct looks *looks,
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

static struct stats_ratio median(const struct looks *looks, struct numbers *of)
{
	const double own = of->second[0];
	if (!of->end)
		return (struct stats_ratio){.estimate = stats_median(of->x, of->n)};
	const struct stats_interval around =
	    stats_quantile_interval(of->x, of->n, 0.5, own > 0 ? own : looks->confidence);
	return (struct stats_ratio){.lo = around.lo, .hi = around.hi};
}

/* Of each row its number and its LEVELS keys follow each other; second: the level that is asked. */
static void add_leaf(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct numbers *of = sqlite3_aggregate_context(context, sizeof *of);
	for (int i = 1; of && i < n; i++)
		add(of, sqlite3_value_double(values[i]), sqlite3_value_double(values[0]));
}

static double component(struct arena *arena, const struct numbers *of)
{
	const size_t n = of->n / (LEVELS + 1), level = (size_t)of->second[0];
	double *y = ARENA_ARRAY(arena, double, n), variances[LEVELS];
	unsigned *keys = ARENA_ARRAY(arena, unsigned, n *LEVELS);
	for (size_t i = 0; i < n; i++) {
		y[i] = of->x[i * (LEVELS + 1)];
		for (size_t k = 0; k < LEVELS; k++)
			keys[i * LEVELS + k] = (unsigned)of->x[i * (LEVELS + 1) + 1 + k];
	}
	anova_nested(y, keys, (unsigned)n, LEVELS, variances);
	return level >= 1 && level <= LEVELS ? variances[level - 1] : NAN;
}

/* Of each row (lo, hi, blocks, confidence). */
static double by_chance(struct arena *arena, const struct numbers *of)
{
	const unsigned n = (unsigned)of->n / 3;
	struct stats_ratio *ratios = ARENA_ARRAY(arena, struct stats_ratio, n);
	for (unsigned i = 0; i < n; i++)
		ratios[i] = (struct stats_ratio){.lo = of->second[3 * i],
		                                 .hi = of->x[3 * i],
		                                 .blocks = (unsigned)of->x[3 * i + 1],
		                                 .confidence = of->x[3 * i + 2]};
	return stats_largest_by_chance(ratios, n);
}

/* What is asked of an interval: an end, or its estimate. */
static double part_of(const struct numbers *of, struct stats_ratio r)
{
	return of->end == 'l' ? r.lo : of->end ? r.hi : r.estimate;
}

/* Geometric if any is asked so and all can have it; of one itself. */
static double mean_of_all(const struct numbers *of)
{
	double sum = 0, logs = 0;
	bool geometric = false;
	for (size_t i = 0; i < of->n; i++) {
		sum += of->x[i];
		logs += log(of->x[i]);
		geometric |= of->second[i] > 0;
	}
	return geometric && of->n > 1 && isfinite(logs) ? exp(logs / (double)of->n)
	                                                : sum / (double)of->n;
}
#define TAKES(name, value)                                                                         \
	static double name##_of(struct arena *arena, const struct looks *looks,                    \
	                        struct numbers *of)                                                \
	{                                                                                          \
		(void)arena, (void)looks;                                                          \
		return value;                                                                      \
	}                                                                                          \
	static void take_##name(sqlite3_context *context)                                          \
	{                                                                                          \
		take(context, name##_of, NULL);                                                    \
	}
#define TAKES_TEXT(name)                                                                           \
	static void take_##name(sqlite3_context *context)                                          \
	{                                                                                          \
		take(context, NULL, name);                                                         \
	}
TAKES(mean, mean_of_all(of))
TAKES(median, part_of(of, median(looks, of)))
TAKES(component, component(arena, of))
TAKES(by_chance, by_chance(arena, of))
TAKES(quantile, stats_quantile(of->x, of->n, of->second[of->n - 1]))
TAKES(ratio, part_of(of, ratio(arena, looks, of)))
TAKES(chosen, part_of(of, chosen(arena, looks, of)))
TAKES(pseudomedian, part_of(of, pseudomedian(arena, looks, of)))
TAKES(share, part_of(of, stats_share(arena, of->x, of->second, (unsigned)of->n, looks->confidence)))
TAKES(beyond, beyond(arena, of))
TAKES(trend, stats_trend_probability(of->x, (unsigned)of->n))
TAKES_TEXT(contrast)
TAKES_TEXT(pooled)

static void verdict(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct stats_ratio r = {.lo = number_of(values[0]), .hi = number_of(values[1])};
	const enum verdict_kind kind = verdict_kind_of(&r, number_of(values[2]));
	(void)n;
	sqlite3_result_text(context, verdict_effect_name(kind), -1, SQLITE_STATIC);
}

/* A number that is made of numbers, x(0) and so on. */
#define NUMBER(name, value)                                                                        \
	static void name(sqlite3_context *context, int n, sqlite3_value **values)                  \
	{                                                                                          \
		(void)n;                                                                           \
		sqlite3_result_double(context, value);                                             \
	}
#define x(i) number_of(values[i])
NUMBER(imbalance, routing_imbalance((unsigned)x(0), (unsigned)x(1)))
NUMBER(sign_test, stats_sign_probability((unsigned)x(0), (unsigned)x(1)))
NUMBER(student, x(1) >= 1 ? stats_student_quantile(x(0), (unsigned)x(1)) : NAN)
NUMBER(detectable,
       verdict_detectable(&(struct stats_ratio){.lo = x(0), .hi = x(1)}, x(2), VERDICT_BOTH_ENDS))

/* --- texts --- */

/* A number as sentences and tables have it (format.h). */
#define TEXT(name, made)                                                                           \
	static void name(sqlite3_context *context, int n, sqlite3_value **values)                  \
	{                                                                                          \
		(void)n;                                                                           \
		if (sqlite3_value_type(values[0]) != SQLITE_NULL)                                  \
			sqlite3_result_text(context, (made).text, -1, SQLITE_TRANSIENT);           \
	}
TEXT(number, format_number(x(0)))
TEXT(estimate, format_estimate(x(0)))
TEXT(effect, format_effect(x(0)))
TEXT(shares, format_shares(x(0), x(1)))
TEXT(with_interval, format_ratio(&((struct stats_ratio){x(0), x(1), x(2), 0, NAN})))
TEXT(interval, format_interval(&((struct stats_ratio){x(0), x(1), x(2), 0, NAN})))
#undef x

/* Of one size, or from one to another. */
static void size(sqlite3_context *context, int n, sqlite3_value **values)
{
	const bool open = sqlite3_value_type(values[n - 1]) == SQLITE_NULL;
	const int64_t lo = sqlite3_value_int64(values[0]), hi = sqlite3_value_int64(values[n - 1]);
	char text[80];
	if (sqlite3_value_type(values[0]) == SQLITE_NULL)
		return;
	coll_range_label((size_t)lo, open || hi == INT64_MAX ? SIZE_MAX : (size_t)hi, text,
	                 sizeof text);
	sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void shell_word(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *word = (const char *)sqlite3_value_text(values[0]);
	const size_t bytes = SANITIZE_WORD(word ? strlen(word) : 0);
	char *text = word ? sqlite3_malloc64(bytes) : NULL;
	(void)n;
	if (text)
		sanitize_word(word, text, bytes);
	sqlite3_result_text(context, text, -1, sqlite3_free);
}

static void xml(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *from = (const char *)sqlite3_value_text(values[0]);
	char *text = NULL;
	size_t bytes;
	FILE *out = from ? open_memstream(&text, &bytes) : NULL;
	(void)n;
	if (!out)
		return;
	markup_escape(out, from);
	fclose(out);
	sqlite3_result_text(context, text, -1, free);
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
	    {"median", 2, NULL, add_number, take_median},
	    {"median", 3, NULL, add_number, take_median},
	    {"mean", 2, NULL, add_any, take_mean},
	    {"quantile", 2, NULL, add_number, take_quantile},
	    {"ratio", 2, NULL, add_number, take_ratio},
	    {"ratio", 3, NULL, add_number, take_ratio},
	    {"chosen", 3, NULL, add_number, take_chosen},
	    {"chosen", 4, NULL, add_number, take_chosen},
	    {"pseudomedian", 1, NULL, add_number, take_pseudomedian},
	    {"pseudomedian", 2, NULL, add_number, take_pseudomedian},
	    {"share", 2, NULL, add_number, take_share},
	    {"share", 3, NULL, add_number, take_share},
	    {"contrast", 4, NULL, add_number, take_contrast},
	    {"pooled", 7, NULL, add_leaf, take_pooled},
	    {"beyond", 3, NULL, add_number, take_beyond},
	    {"imbalance", 2, imbalance, NULL, NULL},
	    {"component", LEVELS + 2, NULL, add_leaf, take_component},
	    {"by_chance", 4, NULL, add_leaf, take_by_chance},
	    {"shell_word", 1, shell_word, NULL, NULL},
	    {"xml", 1, xml, NULL, NULL},
	    {"version", 1, version, NULL, NULL},
	    {"sign_test", 2, sign_test, NULL, NULL},
	    {"student", 2, student, NULL, NULL},
	    {"trend", 1, NULL, add_number, take_trend},
	    {"verdict", 3, verdict, NULL, NULL},
	    {"detectable", 3, detectable, NULL, NULL},
	    {"size", 1, size, NULL, NULL},
	    {"size", 2, size, NULL, NULL},
	    {"shares", 2, shares, NULL, NULL},
	    {"interval", 3, interval, NULL, NULL},
	    {"number", 1, number, NULL, NULL},
	    {"estimate", 1, estimate, NULL, NULL},
	    {"estimate", 3, with_interval, NULL, NULL},
	    {"effect", 1, effect, NULL, NULL},
	};
	bool added = true;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		added = added &&
		        sqlite3_create_function(lite, all[i].name, all[i].arguments,
		                                SQLITE_UTF8 | SQLITE_DETERMINISTIC, looks,
		                                all[i].one, all[i].step, all[i].end) == SQLITE_OK;
	for (const struct verdicts_function *f = verdicts_functions; f->name; f++)
		added = added && sqlite3_create_function(lite, f->name, f->arguments,
		                                         SQLITE_UTF8 | SQLITE_DETERMINISTIC, looks,
		                                         f->one, NULL, NULL) == SQLITE_OK;
	return added;
}
