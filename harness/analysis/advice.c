#include "advice.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "verdict.h"

#define SMALL_TO   ((size_t)64 << 10)
#define LARGE_FROM ((size_t)16 << 20)
#define LARGE_ELSE ((size_t)1 << 20) /* if nothing so large was measured */

/* What a rule requires of a variant. */
enum trait {
	SINGLE = 1,
	SEVERAL = 2, /* workers */
	THREADS = 4,
	PROCESSES = 8,
	LAUNCHES = 16, /* if nothing is launched, one worker moves all ranks' data: its low speed
	                  says nothing about launching */
	REGISTERED = 32,
	GRAPH = 64,
	GROUPED = 128,
	NATIVE = 256,
	BOUND = 512
};

/* Which sizes. */
enum reach { SMALL, LARGE, EVERY };

/* Two variants that differ in `setting` alone: what each has and lacks, what is measured of
 * them, and what to do when the second is faster beyond the margin (equal: when they are equal
 * within it). */
struct rule {
	const char *setting;
	unsigned from, from_lacks, to, to_lacks;
	enum metric metric; /* latency: time where no isolated calls were measured */
	enum reach reach;
	bool equal;
	bool plain; /* of variants that differ from the reference only in mode and library */
	enum advice_what advice;
};

// clang-format off
static const struct rule rules[] = {
    {"register", 0, REGISTERED, REGISTERED, 0, METRIC_BUSBW, LARGE, false, false, ADVICE_REGISTER},
    {"mode", PROCESSES, 0, THREADS, 0, METRIC_BUSBW, LARGE, false, true, ADVICE_THREADS},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, false, true, ADVICE_PROCESSES},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, true, true, ADVICE_EITHER},
    {"mode", SINGLE | LAUNCHES, 0, SEVERAL, 0, METRIC_LATENCY, SMALL, false, true, ADVICE_SEVERAL},
    {"graph", SINGLE, GRAPH, SINGLE | GRAPH, 0, METRIC_TIME, SMALL, false, false, ADVICE_GRAPH},
    {"api", SINGLE | GROUPED, 0, SINGLE | NATIVE, 0, METRIC_TIME, SMALL, false, false, ADVICE_NATIVE},
    {"bind", 0, BOUND, BOUND, 0, METRIC_TIME, EVERY, false, false, ADVICE_BIND},
};
// clang-format on

static unsigned traits_of(const struct settings *s, const struct backend_traits *backend)
{
	static const unsigned placed[] = {[PLACED_ALONE] = SINGLE,
	                                  [PLACED_THREADS] = THREADS | SEVERAL,
	                                  [PLACED_PROCESSES] = PROCESSES | SEVERAL};
	return placed[layout_placing(s->layout)] | (backend->launches ? LAUNCHES : 0) |
	       (s->registration != REGISTER_NONE ? REGISTERED : 0) | (s->graph ? GRAPH : 0) |
	       (!strcmp(s->api, "grouped") ? GROUPED : 0) |
	       (!strcmp(s->api, "native") ? NATIVE : 0) | (s->bind != BIND_NONE ? BOUND : 0);
}

static bool has(unsigned traits, unsigned all, unsigned none)
{
	return (traits & all) == all && !(traits & none);
}

/* What the rules are applied to. */
struct scene {
	const struct summary *s;
	const struct regimes *regimes; /* or NULL */
	struct arena *arena;
	struct advice *out;
};

static bool is_judged(const struct summary *s, unsigned v)
{
	return s->variants[v].measured && s->variants[v].settings && summary_is_asked(s, v);
}

static bool is_of(const struct scene *scene, unsigned variant, unsigned all, unsigned none)
{
	const struct summary_variant *v = &scene->s->variants[variant];
	return has(traits_of(v->settings, v->traits), all, none);
}

static bool differ_only_in(const struct scene *scene, unsigned a, unsigned b, const char *key)
{
	char keys[512];
	return settings_differ(scene->s->variants[a].settings, scene->s->variants[b].settings, keys,
	                       sizeof keys) == 1 &&
	       !strcmp(keys, key);
}

/* Whether a collective was measured from this size up, the limit omitted. */
static bool has_size(const struct summary *s, enum coll_kind coll, size_t from)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == coll && !s->groups[g].limit &&
		    s->groups[g].asked_bytes[s->groups[g].nsizes - 1] >= from)
			return true;
	return false;
}

static struct claim_range range_of(const struct summary *s, enum coll_kind coll, enum reach reach)
{
	if (reach == SMALL)
		return (struct claim_range){0, SMALL_TO};
	if (reach == EVERY)
		return (struct claim_range){0, SIZE_MAX};
	return (struct claim_range){has_size(s, coll, LARGE_FROM) ? LARGE_FROM : LARGE_ELSE,
	                            SIZE_MAX};
}

/* How much faster the second of a pair is than the first, above 1 is faster. */
static struct stats_ratio gain(const struct scene *scene, enum metric metric,
                               const struct contrast_select *select, const unsigned pair[2])
{
	return contrast_make(scene->s, pair[1], pair[0], metric, select).verdict.ratio;
}

/* The size up to which each smaller one has its own interval beyond the margin; 0: none. */
static size_t faster_up_to(const struct scene *scene, enum metric metric, enum coll_kind coll,
                           const unsigned pair[2])
{
	const struct summary *s = scene->s;
	size_t up_to = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		if (group->cell.coll != coll || (int)group->cell.pace != metric_info(metric)->pace)
			continue;
		for (unsigned i = 0; i < group->nsizes; i++) {
			size_t size = group->asked_bytes[i];
			const struct contrast_select one = {
			    .bytes = {size, size}, .pace = CLAIM_ANY_PACE, .coll = (int)coll};
			const struct verdict verdict =
			    verdict_of(gain(scene, metric, &one, pair), s->margin);
			if (verdict_beyond(&verdict) <= 0)
				break;
			up_to = size;
		}
		break;
	}
	return up_to;
}

/* The bound that an interval must be beyond, as a log: the margin, or the regime's A/A line if that
 * is wider. NaN: nothing can be decided there. */
static double hurdle(const struct scene *scene, enum reach reach)
{
	const double margin = log1p(scene->s->margin);
	double most = margin;
	for (unsigned i = 0; scene->regimes && i < scene->regimes->n; i++) {
		const struct regime *r = &scene->regimes->list[i];
		if (reach != EVERY && (reach == SMALL) != (r->kind == REGIME_SMALL))
			continue;
		if (!r->tells && !(log1p(r->least_effect) <= most))
			most = log1p(r->least_effect);
	}
	return most;
}

/* One rule on one pair of variants and one collective. */
static void judge(const struct scene *scene, const struct rule *rule, enum coll_kind coll,
                  const unsigned pair[2])
{
	const struct summary *s = scene->s;
	const struct contrast_select select = {
	    .bytes = range_of(s, coll, rule->reach), .pace = CLAIM_ANY_PACE, .coll = (int)coll};
	enum metric metric = rule->metric;
	if (metric_info(metric)->waits && s->oversubscribed)
		return;
	struct stats_ratio ratio = gain(scene, metric, &select, pair);
	if (metric == METRIC_LATENCY && !ratio.blocks) {
		metric = METRIC_TIME;
		ratio = gain(scene, metric, &select, pair);
	}
	const struct verdict verdict = verdict_of(ratio, s->margin);
	double beyond = hurdle(scene, rule->reach);
	if (!(rule->equal ? verdict_within(&verdict) : verdict_beyond(&verdict) > 0) ||
	    (rule->equal ? beyond > log1p(s->margin) || isnan(beyond) : !(log(ratio.lo) > beyond)))
		return;
	struct advice *out = scene->out;
	out->items = arena_more(scene->arena, out->items, out->nitems, sizeof *out->items);
	out->items[out->nitems++] = (struct advice_item){
	    .what = rule->advice,
	    .equal = rule->equal,
	    .coll = coll,
	    .range = select.bytes,
	    .metric = metric,
	    .from = pair[0],
	    .to = pair[1],
	    .ratio = ratio,
	    .expect = rule->equal ? ratio : stats_chosen(&ratio, beyond),
	    .up_to = rule->reach == SMALL ? faster_up_to(scene, metric, coll, pair) : 0};
}

/* Whether a variant is the reference except for who launches and for the library. Other variants
 * change one more setting to explain something: what is true of them need not be true of what they
 * explain, least of all if that was not measured. */
static bool is_plain(const struct scene *scene, unsigned variant)
{
	const struct summary *s = scene->s;
	return s->reference >= 0 && summary_like(s, variant, (unsigned)s->reference);
}

static void apply(const struct scene *scene, const struct rule *rule)
{
	for (unsigned a = 0; a < scene->s->nvariants; a++)
		for (unsigned b = 0; b < scene->s->nvariants; b++) {
			const unsigned pair[] = {a, b};
			if (!is_judged(scene->s, a) || !is_judged(scene->s, b) ||
			    !is_of(scene, a, rule->from, rule->from_lacks) ||
			    !is_of(scene, b, rule->to, rule->to_lacks) ||
			    !differ_only_in(scene, a, b, rule->setting) ||
			    (rule->plain && !(is_plain(scene, a) && is_plain(scene, b))))
				continue;
			for (unsigned c = 0; c < COLL_KINDS; c++)
				if (has_size(scene->s, (enum coll_kind)c, 0))
					judge(scene, rule, (enum coll_kind)c, pair);
		}
}

struct advice advice_make(const struct summary *s, const struct regimes *regimes,
                          struct arena *arena)
{
	struct advice out = {.nitems = 0};
	const struct scene scene = {s, regimes, arena, &out};
	for (size_t i = 0; i < sizeof rules / sizeof *rules && !s->uncompared.kind; i++)
		apply(&scene, &rules[i]);
	return out;
}
