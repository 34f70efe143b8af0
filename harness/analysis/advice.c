#include "advice.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "verdict.h"
#include "words.h"

#define SMALL_TO   ((size_t)64 << 10)
#define LARGE_FROM ((size_t)16 << 20)
#define LARGE_ELSE ((size_t)1 << 20) /* where nothing so large was measured */

/* What a rule asks of a variant. */
enum trait {
	SINGLE = 1,
	SEVERAL = 2, /* workers */
	THREADS = 4,
	PROCESSES = 8,
	LAUNCHES = 16, /* where nothing is launched one worker moves all ranks' data: that it is
	                  slow says nothing of launching */
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
	bool plain; /* of variants that are the reference but for mode and library alone */
	const char *advice;
};

// clang-format off
static const struct rule rules[] = {
    {"register", 0, REGISTERED, REGISTERED, 0, METRIC_BUSBW, LARGE, false, false,
     "Register the user buffers"},
    {"mode", PROCESSES, 0, THREADS, 0, METRIC_BUSBW, LARGE, false, true,
     "Use one process with a thread per rank rather than a process per rank"},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, false, true,
     "Use a process per rank rather than threads"},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, true, true,
     "Threads or processes: choose by convenience"},
    {"mode", SINGLE | LAUNCHES, 0, SEVERAL, 0, METRIC_LATENCY, SMALL, false, true,
     "Launch from several workers rather than from one thread"},
    {"graph", SINGLE, GRAPH, SINGLE | GRAPH, 0, METRIC_TIME, SMALL, false, false,
     "Replay small calls from a CUDA graph where one thread launches for all ranks"},
    {"api", SINGLE | GROUPED, 0, SINGLE | NATIVE, 0, METRIC_TIME, SMALL, false, false,
     "Call the library's native collective rather than grouped sends and receives where one "
     "thread launches for all ranks"},
    {"bind", 0, BOUND, BOUND, 0, METRIC_TIME, EVERY, false, false,
     "Bind the workers to cores"},
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

/* What the rules are held against. */
struct scene {
	const struct summary *s;
	const struct regimes *regimes; /* or NULL */
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
	return settings_differ(scene->s->variants[a].settings, scene->s->variants[b].settings,
	                       keys, sizeof keys) == 1 &&
	       !strcmp(keys, key);
}

/* Whether a collective was measured at sizes so large, the limit left out. */
static bool has_size(const struct summary *s, enum coll_kind coll, size_t from)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == coll && !s->groups[g].limit &&
		    s->groups[g].asked_bytes[s->groups[g].nsizes - 1] >= from)
			return true;
	return false;
}

static struct claim_range range_of(const struct summary *s, enum coll_kind coll,
                                   enum reach reach)
{
	if (reach == SMALL)
		return (struct claim_range){0, SMALL_TO};
	if (reach == EVERY)
		return (struct claim_range){0, SIZE_MAX};
	return (struct claim_range){has_size(s, coll, LARGE_FROM) ? LARGE_FROM : LARGE_ELSE,
	                            SIZE_MAX};
}

/* How much faster the second of a pair is than the first, above 1 is faster. */
static int gain(const struct summary *s, enum metric metric,
                const struct contrast_select *select, const unsigned pair[2],
                struct stats_ratio *out, struct status *st)
{
	struct contrast c;
	if (contrast_make(s, pair[1], pair[0], metric, select, &c, st))
		return -1;
	*out = c.verdict.ratio;
	return 0;
}

/* The size up to which each smaller one has its own interval beyond the margin; 0: none. */
static int faster_up_to(const struct summary *s, enum metric metric, enum coll_kind coll,
                        const unsigned pair[2], size_t *out, struct status *st)
{
	*out = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		const struct summary_group *group = &s->groups[g];
		if (group->cell.coll != coll ||
		    (int)group->cell.pace != metric_info(metric)->pace)
			continue;
		for (unsigned i = 0; i < group->nsizes; i++) {
			size_t size = group->asked_bytes[i];
			const struct contrast_select one = {
			    .bytes = {size, size}, .pace = CLAIM_ANY_PACE, .coll = (int)coll};
			struct stats_ratio ratio;
			if (gain(s, metric, &one, pair, &ratio, st))
				return -1;
			struct verdict verdict = verdict_of(ratio, s->margin);
			if (verdict_beyond(&verdict) <= 0)
				break;
			*out = size;
		}
		return 0;
	}
	return 0;
}

/* What an interval has to lie beyond, as a log: the margin, or where the regime's A/A line is
 * wider, that. NaN: nothing can be told there. */
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
static int judge(const struct scene *scene, const struct rule *rule, enum coll_kind coll,
                 const unsigned pair[2], struct status *st)
{
	const struct summary *s = scene->s;
	const struct contrast_select select = {
	    .bytes = range_of(s, coll, rule->reach), .pace = CLAIM_ANY_PACE, .coll = (int)coll};
	enum metric metric = rule->metric;
	struct stats_ratio ratio;
	size_t up_to = 0;
	if (metric_info(metric)->waits && s->oversubscribed)
		return 0;
	if (gain(s, metric, &select, pair, &ratio, st))
		return -1;
	if (metric == METRIC_LATENCY && !ratio.blocks) {
		metric = METRIC_TIME;
		if (gain(s, metric, &select, pair, &ratio, st))
			return -1;
	}
	const struct verdict verdict = verdict_of(ratio, s->margin);
	double beyond = hurdle(scene, rule->reach);
	if (!(rule->equal ? verdict_within(&verdict) : verdict_beyond(&verdict) > 0) ||
	    (rule->equal ? beyond > log1p(s->margin) || isnan(beyond)
	                 : !(log(ratio.lo) > beyond)))
		return 0;
	const struct stats_ratio expect = rule->equal ? ratio : stats_chosen(&ratio, beyond);
	if (rule->reach == SMALL && faster_up_to(s, metric, coll, pair, &up_to, st))
		return -1;
	if (scene->out->nitems == ADVICE_MAX) {
		scene->out->more++;
		return 0;
	}
	scene->out->items[scene->out->nitems++] = (struct advice_item){.what = rule->advice,
	                                                               .equal = rule->equal,
	                                                               .coll = coll,
	                                                               .range = select.bytes,
	                                                               .metric = metric,
	                                                               .from = pair[0],
	                                                               .to = pair[1],
	                                                               .ratio = ratio,
	                                                               .expect = expect,
	                                                               .up_to = up_to};
	return 0;
}

/* Whether a variant is the reference but for who launches and for the library. Others turn one
 * more switch to explain something: what is true of them need not be of what they explain,
 * least of all where that was not measured. */
static bool is_plain(const struct scene *scene, unsigned variant)
{
	const struct summary *s = scene->s;
	return s->reference >= 0 && summary_like(s, variant, (unsigned)s->reference);
}

static int apply(const struct scene *scene, const struct rule *rule, struct status *st)
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
				if (has_size(scene->s, (enum coll_kind)c, 0) &&
				    judge(scene, rule, (enum coll_kind)c, pair, st))
					return -1;
		}
	return 0;
}

/* --- in words --- */

static bool say_together(const struct summary *s, const struct advice_item *a,
                         const struct advice_item *b)
{
	return a->what == b->what && a->metric == b->metric &&
	       (a->coll != b->coll ||
	        (a->range.lo == b->range.lo && a->range.hi == b->range.hi)) &&
	       !strcmp(s->variants[a->to].library, s->variants[b->to].library);
}

static bool same_pair(const struct advice_item *a, const struct advice_item *b)
{
	return a->from == b->from && a->to == b->to;
}

/* Whether what to expect is less than what was measured by so much that one may wonder. */
static bool is_corrected(const struct advice_item *item)
{
	double gain = fabs(log(item->ratio.estimate));
	return log(item->ratio.estimate / item->expect.estimate) > 0.05 * gain;
}

/* Whether the figure to expect is its interval's lower end: that the pair was chosen says as
 * much, and nothing says how much more it gains. */
static bool is_at_end(const struct advice_item *item)
{
	const struct stats_ratio *r = &item->expect;
	return !item->equal && log(r->estimate / r->lo) < 0.02 * log(r->hi / r->lo);
}

/* "1.28", or "1.11 to 1.70" where nothing is known within. */
static struct words expected(const struct advice_item *item)
{
	const struct stats_ratio *r = &item->expect;
	struct words words = {""};
	words_add(words.text, sizeof words.text, item->equal ? "%.3f" : "%.2f", r->estimate);
	if (is_at_end(item))
		words_add(words.text, sizeof words.text, " to %.2f", r->hi);
	return words;
}

/* "1.28 times the bandwidth in threads-registered against threads (1.27 to 1.30)" */
static void say_item(const struct summary *s, const struct advice_item *item, char *text)
{
	const char *what = item->metric == METRIC_BUSBW ? "bandwidth" : "speed";
	const char *from = s->variants[item->from].name, *to = s->variants[item->to].name;
	const struct stats_ratio *r = &item->expect;
	if (item->equal) {
		words_add(text, ADVICE_BYTES, "%s and %s have the same %s (%.3f, %.3f to %.3f)",
		          from, to, what, r->estimate, r->lo, r->hi);
		return;
	}
	words_add(text, ADVICE_BYTES, "%s times the %s in %s against %s (", expected(item).text,
	          what, to, from);
	if (!is_at_end(item))
		words_add(text, ADVICE_BYTES, "%.2f to %.2f%s", r->lo, r->hi,
		          is_corrected(item) ? ", " : "");
	if (is_corrected(item))
		words_add(text, ADVICE_BYTES, "corrected for selection; measured: %.2f",
		          item->ratio.estimate);
	if (item->up_to)
		words_add(text, ADVICE_BYTES, ", faster at every size up to %s",
		          words_size(item->up_to).text);
	words_add(text, ADVICE_BYTES, ")");
}

/* Of several collectives: "threads against single: 1.56 in all_reduce, 1.57 in all_gather" */
static void say_pair(const struct summary *s, const struct advice *a, unsigned first,
                     char *text)
{
	const struct advice_item *item = &a->items[first];
	const char *sep = ": ";
	words_add(text, ADVICE_BYTES, "%s against %s", s->variants[item->to].name,
	          s->variants[item->from].name);
	for (unsigned i = first; i < a->nitems; i++) {
		const struct advice_item *other = &a->items[i];
		if (!say_together(s, item, other) || !same_pair(item, other))
			continue;
		words_add(text, ADVICE_BYTES, "%s%s in %s", sep, expected(other).text,
		          coll_info(other->coll)->name);
		sep = ", ";
	}
}

/* The sentence of an item and of all that are said with it. */
static void say(const struct summary *s, struct advice *a, unsigned first)
{
	const struct advice_item *item = &a->items[first];
	const char *library = s->variants[item->to].library;
	char *text = a->text[a->count++];
	bool several = false, corrected = false;
	for (unsigned i = first; i < a->nitems; i++)
		several |=
		    say_together(s, item, &a->items[i]) && a->items[i].coll != item->coll;
	text[0] = '\0';
	words_add(text, ADVICE_BYTES, "%s (%s%s%s%s%.40s): ", item->what,
	          several ? "" : coll_info(item->coll)->name, several ? "" : ", ",
	          words_range(item->range).text, *library ? ", NCCL " : "", library);
	if (several)
		words_add(text, ADVICE_BYTES, "times the %s, ",
		          item->metric == METRIC_BUSBW ? "bandwidth" : "speed");
	for (unsigned i = first; i < a->nitems; i++) {
		bool said = !say_together(s, item, &a->items[i]);
		for (unsigned k = first; k < i && several; k++)
			said |= say_together(s, item, &a->items[k]) &&
			        same_pair(&a->items[k], &a->items[i]);
		if (said)
			continue;
		words_add(text, ADVICE_BYTES, "%s", i == first ? "" : "; ");
		if (several)
			say_pair(s, a, i, text);
		else
			say_item(s, &a->items[i], text);
	}
	for (unsigned i = first; i < a->nitems; i++)
		corrected |= say_together(s, item, &a->items[i]) && is_corrected(&a->items[i]);
	words_add(text, ADVICE_BYTES, "%s.",
	          several && corrected ? "; corrected for selection" : "");
}

static void say_all(const struct summary *s, struct advice *a)
{
	for (unsigned i = 0; i < a->nitems; i++) {
		unsigned first = 0;
		while (!say_together(s, &a->items[first], &a->items[i]))
			first++;
		if (first == i)
			say(s, a, i);
	}
}

int advice_make(const struct summary *s, const struct regimes *regimes, struct advice *out,
                struct status *st)
{
	struct scene scene = {s, regimes, out};
	int rc = 0;
	*out = (struct advice){.nitems = 0};
	for (size_t i = 0; i < sizeof rules / sizeof *rules && rc == 0 && !s->uncompared[0];
	     i++)
		rc = apply(&scene, &rules[i], st);
	say_all(s, out);
	return rc ? status_set(st, "out of memory for the recommendations") : 0;
}
