/* Contrasts and what they say, as functions of SQL (functions.h). */
#include <sqlite3.h>

#include "../analysis/pooled.h"
#include "verdict_text.h"
#include "verdicts.h"

/* --- a contrast, as JSON --- */

/* Members without a value are missing. */
static const char *with(struct arena *arena, const char *text, const char *key, double x)
{
	return isfinite(x) ? arena_text(arena, "%s, \"%s\": %#.17g", text, key, x) : text;
}

/* The probabilities if the log ratio is `at`, made larger for the looks at the run, as they make
 * the interval wider. */
static struct stats_tails tails_at(const struct stats_walsh *of, double at, double confidence)
{
	const double dearer = (1 - VERDICT_CONFIDENCE) / (1 - confidence);
	const struct stats_tails p = stats_signed_rank_tails(of, at);
	return (struct stats_tails){fmin(dearer * p.under, 1), fmin(dearer * p.over, 1)};
}

static const char *const tail_keys[][2] = {
    {"under_less", "over_less"}, {"under_one", "over_one"}, {"under_more", "over_more"}};

/* Where a claim's outcomes part, as a log ratio. */
static double limit(double by, double times, int i)
{
	return log(times > 0 ? times : 1) + (i - 1) * log1p(by);
}

static const char *with_tails(struct arena *arena, const char *text, int i, struct stats_tails p)
{
	text = with(arena, text, tail_keys[i][0], p.under);
	return with(arena, text, tail_keys[i][1], p.over);
}

static const char *with_ends(struct arena *arena, const char *text, struct stats_ratio both,
                             struct stats_ratio bounds)
{
	text = with(arena, text, "ratio", both.estimate);
	text = with(arena, text, "lo", both.lo);
	text = with(arena, text, "hi", both.hi);
	text = with(arena, text, "confidence", both.confidence);
	text = with(arena, text, "bound_lo", bounds.lo);
	return with(arena, text, "bound_hi", bounds.hi);
}

const char *verdicts_contrast(struct arena *arena, const struct looks *looks,
                              const struct verdicts_blocks *of, double by, double times)
{
	const struct stats_walsh walsh = stats_walsh_of(arena, of->x, of->again, of->n);
	const double confidence = looks_confidence(looks, of->blocks, of->n);
	const struct stats_ratio both = stats_walsh_ratio(&walsh, confidence),
	                         bounds = stats_walsh_ratio(&walsh, 2 * confidence - 1);
	double *logs = ARENA_ARRAY(arena, double, of->n);
	for (unsigned i = 0; i < of->n; i++)
		logs[i] = of->again ? (of->x[i] + of->again[i]) / 2 : of->x[i];
	const struct verdict_odd odd =
	    verdict_find_odd(arena, logs, of->blocks, &walsh, confidence);
	const char *text = arena_text(arena, "{\"blocks\": %u", of->n);
	text = with_ends(arena, text, both, bounds);
	for (int i = 0; i < 3; i++)
		text =
		    with_tails(arena, text, i, tails_at(&walsh, limit(by, times, i), confidence));
	text = with(arena, text, "odd_block", odd.block ? odd.block : NAN);
	text = with(arena, text, "odd", odd.ratio);
	text = with(arena, text, "odd_lo", odd.lo);
	text = with(arena, text, "odd_hi", odd.hi);
	return arena_text(arena, "%s}", text);
}

const char *verdicts_pooled(struct arena *arena, const struct stats_ratio *runs, unsigned n,
                            double by, double times)
{
	const struct pooled p = pooled_of(runs, n, VERDICT_CONFIDENCE);
	const char *text =
	    arena_text(arena, "{\"runs\": %u, \"blocks\": %u", p.runs, p.ratio.blocks);
	text = with_ends(arena, text, p.ratio, p.bounds);
	text = with(arena, text, "bound_confidence", p.bounds.confidence);
	text = with(arena, text, "scatter", p.scatter);
	for (int i = 0; i < 3; i++)
		text = with_tails(arena, text, i, pooled_tails(&p, limit(by, times, i)));
	/* Without an interval it would repeat the ratio. */
	if (isnan(p.next.lo))
		return arena_text(arena, "%s}", text);
	text = with(arena, text, "next", p.next.estimate);
	text = with(arena, text, "next_lo", p.next.lo);
	text = with(arena, text, "next_hi", p.next.hi);
	return arena_text(arena, "%s}", text);
}

/* --- what it says --- */

static double member(const json_t *of, const char *key)
{
	const json_t *value = json_object_get(of, key);
	return json_is_number(value) ? json_number_value(value) : NAN;
}

static struct stats_ratio ratio_of(const json_t *c, const char *lo, const char *hi)
{
	return (struct stats_ratio){member(c, "ratio"), member(c, lo), member(c, hi),
	                            (unsigned)json_integer_value(json_object_get(c, "blocks")),
	                            member(c, "confidence")};
}

static struct verdict_odd odd_of(const json_t *c)
{
	const double block = member(c, "odd_block");
	if (isnan(block))
		return (struct verdict_odd){.block = 0};
	return (struct verdict_odd){.block = (unsigned)block,
	                            .ratio = member(c, "odd"),
	                            .lo = member(c, "odd_lo"),
	                            .hi = member(c, "odd_hi")};
}

static json_t *read(sqlite3_value *value)
{
	const char *text = (const char *)sqlite3_value_text(value);
	return text ? json_loads(text, 0, NULL) : NULL;
}

static double x(sqlite3_value *value)
{
	return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

static void say(sqlite3_context *context, const char *text)
{
	if (*text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void verdict_word_of(sqlite3_context *context, int n, sqlite3_value **values)
{
	const struct stats_ratio r = {.lo = x(values[0]), .hi = x(values[1])};
	(void)n;
	say(context, verdict_word(verdict_kind_of(&r, x(values[2]))));
}

/* What an A/A line lets through: beyond its own effects if it does not tell; else all but what is
 * within the margin and not beyond the line. */
static void verdict_heard(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *word = (const char *)sqlite3_value_text(values[0]);
	const double lo = x(values[1]), hi = x(values[2]), line = 1 + x(values[4]),
	             least = 1 + x(values[5]);
	const struct verdict v = {.kind = verdict_by_word(word ? word : "undecided")};
	const bool tells = !(x(values[3]) < 1),
	           little = verdict_within(&v) && lo <= least && hi * least >= 1,
	           withheld = !tells && !isnan(lo) &&
	                      !(verdict_effect(&v) && (lo > line || hi * line < 1));
	(void)n;
	say(context, withheld ? "undecided" : tells && little ? "no difference" : word ? word : "");
}

/* Of a time 1 ÷ each: speed. */
static void speed_of(const json_t *c, bool is_time, struct stats_ratio *r, struct verdict_odd *odd)
{
	*r = ratio_of(c, "lo", "hi");
	*odd = odd_of(c);
	if (!is_time)
		return;
	*r = (struct stats_ratio){1 / r->estimate, 1 / r->hi, 1 / r->lo, r->blocks, r->confidence};
	if (odd->block)
		*odd = (struct verdict_odd){odd->block, 1 / odd->ratio, 1 / odd->hi, 1 / odd->lo};
}

static void verdict_said(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *as = (const char *)sqlite3_value_text(values[0]);
	json_t *c = read(values[1]);
	const bool is_time = sqlite3_value_int(values[2]), more = sqlite3_value_int(values[5]);
	struct stats_ratio ratio;
	struct verdict_odd odd;
	char text[VERDICT_TEXT_BYTES];
	(void)n;
	if (as && c) {
		speed_of(c, is_time, &ratio, &odd);
		struct verdict v = verdict_of(ratio, x(values[3]));
		v.kind = verdict_by_word(as);
		v.odd = odd;
		v.detectable = x(values[4]);
		v.more_blocks = more ? v.more_blocks : 0;
		verdict_text(&v, text, sizeof text);
		say(context, text);
	}
	json_decref(c);
}

static void odd_said(sqlite3_context *context, int n, sqlite3_value **values)
{
	json_t *c = read(values[0]);
	struct stats_ratio ratio;
	struct verdict_odd odd;
	char text[VERDICT_TEXT_BYTES];
	(void)n;
	speed_of(c, sqlite3_value_int(values[1]), &ratio, &odd);
	verdict_odd_text(&odd, text, sizeof text);
	say(context, text);
	json_decref(c);
}

/* --- a claim --- */

struct claiming {
	sqlite3_value **values;
	const char *text;
};

static enum claim_test test_of(const char *name)
{
	enum claim_test test = CLAIM_LESS;
	while (test < CLAIM_NEEDS && (!name || strcmp(claim_test_name(test), name)))
		test++;
	return test;
}

static struct stats_tails tails_of(const json_t *c, int i)
{
	return (struct stats_tails){member(c, tail_keys[i][0]), member(c, tail_keys[i][1])};
}

static void forget(void *json)
{
	json_decref(json);
}

static void claim_make(struct arena *arena, void *what)
{
	static const char *const outcomes[] = {[CLAIMS_HOLD] = "holds",
	                                       [CLAIMS_LITTLE] = "little",
	                                       [CLAIMS_FAIL] = "fails",
	                                       [CLAIMS_UNDECIDED] = "undecided",
	                                       [CLAIMS_UNTESTED] = "untested"};
	struct claiming *m = what;
	char limits[VERDICT_TEXT_BYTES];
	sqlite3_value **of = m->values;
	json_t *c = read(of[3]);
	const struct claim claim = {.test = test_of((const char *)sqlite3_value_text(of[0])),
	                            .by = sqlite3_value_double(of[1]),
	                            .of = sqlite3_value_double(of[2])};
	struct claims_result r = {
	    .claim = &claim,
	    .ratio = {ratio_of(c, "bound_lo", "bound_hi"), ratio_of(c, "lo", "hi")},
	    .odd = odd_of(c),
	    .opposed = sqlite3_value_int(of[4]),
	    .tails = {tails_of(c, 0), tails_of(c, 1), tails_of(c, 2)},
	    .outcome = CLAIMS_UNTESTED,
	    .detectable = NAN,
	    .p = NAN};
	arena_defer(arena, forget, c);
	if (c)
		claims_judge(&r, x(of[5]));
	if (json_object_get(c, "runs")) /* they decide, and not blocks */
		r.more_blocks = 0;
	const char *text = arena_text(arena, "{\"outcome\": \"%s\", \"verdict\": \"%s\"",
	                              outcomes[r.outcome], verdict_claim_text(arena, &r));
	text = with(arena, text, "detectable", r.detectable);
	text = with(arena, text, "more", r.more_blocks);
	verdict_claim_limits(&claim, limits, sizeof limits);
	if (*limits)
		text = arena_text(arena, "%s, \"limits\": \"%s\"", text, limits);
	m->text = arena_text(arena, "%s}", with(arena, text, "p", r.p));
}

static void claim_judged(sqlite3_context *context, int n, sqlite3_value **values)
{
	struct claiming m = {.values = values};
	struct arena *arena = NULL;
	(void)n;
	if (arena_run(claim_make, &m, &arena) < 0)
		sqlite3_result_error_nomem(context);
	else
		say(context, m.text);
	arena_free(arena);
}

const struct verdicts_function verdicts_functions[] = {
    {"verdict_word", 3, verdict_word_of}, {"verdict_heard", 6, verdict_heard},
    {"verdict_said", 6, verdict_said},    {"odd_said", 2, odd_said},
    {"claim_judged", 6, claim_judged},    {NULL, 0, NULL}};
