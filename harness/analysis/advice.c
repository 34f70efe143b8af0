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
     "Register the user buffers for large sizes"},
    {"mode", PROCESSES, 0, THREADS, 0, METRIC_BUSBW, LARGE, false, true,
     "Use one process with a thread per rank rather than a process per rank for large sizes, "
     "with this library and path"},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, false, true,
     "Use a process per rank rather than threads for large sizes, with this library and path"},
    {"mode", THREADS, 0, PROCESSES, 0, METRIC_BUSBW, LARGE, true, true,
     "Threads or processes make no difference for large sizes here: choose by convenience"},
    {"mode", SINGLE | LAUNCHES, 0, SEVERAL, 0, METRIC_LATENCY, SMALL, false, true,
     "Launch from several workers rather than from one thread for small sizes"},
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
	bool threads = !strcmp(s->mode, "threads"), processes = !strcmp(s->mode, "processes");
	return (!strcmp(s->mode, "single") ? SINGLE : 0) | (threads ? THREADS | SEVERAL : 0) |
	       (processes ? PROCESSES | SEVERAL : 0) | (backend->launches ? LAUNCHES : 0) |
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
	struct settings *settings; /* per variant */
	struct advice *out;
};

static void add(struct advice *r, const char *text)
{
	if (r->count == ADVICE_MAX) {
		r->more++;
		return;
	}
	snprintf(r->text[r->count++], ADVICE_BYTES, "%s", text);
}

/* A variant's settings; what the record of an older launchgap does not say is the default. */
static int settings_of(const struct summary *s, unsigned variant, struct settings *out)
{
	const json_t *v =
	    json_array_get(json_object_get(s->run->environment, "variants"), variant);
	struct status ignored = {""};
	settings_default(out);
	json_t *all = settings_to_json(out);
	if (!all)
		return -1;
	json_object_update_existing(all, (json_t *)(uintptr_t)v);
	/* What cannot be read stays the default: then no rule is about it. */
	if (settings_from_json(all, out, &ignored))
		settings_default(out);
	json_decref(all);
	return 0;
}

static bool is_judged(const struct summary *s, unsigned v)
{
	return s->variants[v].measured &&
	       (s->variants[v].role == ROLE_VARIANT || s->variants[v].role == ROLE_REFERENCE);
}

static bool is_of(const struct scene *scene, unsigned variant, unsigned all, unsigned none)
{
	return has(traits_of(&scene->settings[variant], scene->s->variants[variant].traits),
	           all, none);
}

static bool differ_only_in(const struct scene *scene, unsigned a, unsigned b, const char *key)
{
	char keys[512];
	return settings_differ(&scene->settings[a], &scene->settings[b], keys, sizeof keys) ==
	           1 &&
	       !strcmp(keys, key);
}

static bool has_size(const struct summary *s, enum coll_kind coll, size_t from)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == coll &&
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
			if (verdict_of(ratio, s->margin).kind != VERDICT_FASTER)
				break;
			*out = size;
		}
		return 0;
	}
	return 0;
}

static void range_words(struct claim_range range, char *text, size_t bytes)
{
	char label[32];
	if (range.hi != SIZE_MAX) {
		coll_size_label(range.hi, label, sizeof label);
		snprintf(text, bytes, "sizes up to %s", label);
	} else if (range.lo) {
		coll_size_label(range.lo, label, sizeof label);
		snprintf(text, bytes, "sizes from %s up", label);
	} else {
		snprintf(text, bytes, "all sizes");
	}
}

/* The sentence with its figures. */
static void say(const struct scene *scene, const struct rule *rule, enum metric metric,
                enum coll_kind coll, const unsigned pair[2], const struct stats_ratio *ratio,
                size_t up_to)
{
	const struct summary_variant *from = &scene->s->variants[pair[0]];
	const struct summary_variant *to = &scene->s->variants[pair[1]];
	char text[ADVICE_BYTES], range[64], size[32], end[128] = "";
	range_words(range_of(scene->s, coll, rule->reach), range, sizeof range);
	coll_size_label(up_to, size, sizeof size);
	if (up_to)
		snprintf(end, sizeof end, " It is faster at every size up to %s.", size);
	snprintf(text, sizeof text,
	         "%s: %s of %s is %.3f (%.3f to %.3f) times that of %s (%s, %s, %u "
	         "blocks%s%.40s).%s",
	         rule->advice, metric == METRIC_BUSBW ? "the bandwidth" : "the speed", to->name,
	         ratio->estimate, ratio->lo, ratio->hi, from->name, coll_info(coll)->name,
	         range, ratio->blocks, *to->library ? ", library " : "", to->library, end);
	add(scene->out, text);
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
	if (metric_info(metric)->waits && summary_oversubscribed(s))
		return 0;
	if (gain(s, metric, &select, pair, &ratio, st))
		return -1;
	if (metric == METRIC_LATENCY && !ratio.blocks) {
		metric = METRIC_TIME;
		if (gain(s, metric, &select, pair, &ratio, st))
			return -1;
	}
	enum verdict_kind kind = verdict_of(ratio, s->margin).kind;
	if (kind != (rule->equal ? VERDICT_NO_DIFFERENCE : VERDICT_FASTER))
		return 0;
	if (rule->reach == SMALL && faster_up_to(s, metric, coll, pair, &up_to, st))
		return -1;
	say(scene, rule, metric, coll, pair, &ratio, up_to);
	return 0;
}

/* Collectives that were measured, the limit's left out. */
static bool was_measured(const struct summary *s, enum coll_kind coll)
{
	for (unsigned g = 0; g < s->ngroups; g++)
		if (s->groups[g].cell.coll == coll && !summary_is_limit(s, &s->groups[g]))
			return true;
	return false;
}

/* Whether a variant is the reference but for who launches and for the library. Others turn one
 * more switch to explain something: what is true of them need not be of what they explain,
 * least of all where that was not measured. */
static bool is_plain(const struct scene *scene, unsigned variant)
{
	char keys[512];
	if (scene->s->reference < 0)
		return false;
	struct settings like = scene->settings[scene->s->reference];
	const struct settings *s = &scene->settings[variant];
	memcpy(like.mode, s->mode, sizeof like.mode);
	memcpy(like.nccl, s->nccl, sizeof like.nccl);
	like.layout = s->layout;
	return !settings_differ(&like, s, keys, sizeof keys);
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
				if (was_measured(scene->s, (enum coll_kind)c) &&
				    judge(scene, rule, (enum coll_kind)c, pair, st))
					return -1;
		}
	return 0;
}

/* A cliff's interval lies beyond its own bounds already (cliffs.h). */
static void add_cliff(const struct scene *scene, const struct cliff *c)
{
	const struct summary_group *g = &scene->s->groups[c->group];
	char text[ADVICE_BYTES], from[32], to[32], low[32], high[32];
	words_number(c->from_gbs, low, sizeof low);
	words_number(c->to_gbs, high, sizeof high);
	coll_size_label(g->asked_bytes[c->from], from, sizeof from);
	coll_size_label(g->asked_bytes[c->to], to, sizeof to);
	bool jump = c->kind == CLIFF_JUMP;
	snprintf(text, sizeof text,
	         "%s %s into calls of %s%s where the program allows it: between %s and %s bus "
	         "bandwidth %s from %s to %s GB/s (%s).",
	         jump ? "Gather" : "Split", coll_info(g->cell.coll)->name, jump ? to : from,
	         jump ? " and more" : "", from, to, jump ? "jumps" : "falls", low, high,
	         scene->s->variants[c->variant].name);
	add(scene->out, text);
}

int advice_make(const struct summary *s, const struct cliff *cliffs, unsigned ncliffs,
                struct advice *out, struct status *st)
{
	struct scene scene = {s, calloc(s->nvariants, sizeof *scene.settings), out};
	int rc = scene.settings ? 0 : -1;
	*out = (struct advice){.count = 0};
	for (unsigned v = 0; v < s->nvariants && rc == 0; v++)
		rc = settings_of(s, v, &scene.settings[v]);
	for (size_t i = 0; i < sizeof rules / sizeof *rules && rc == 0 && !s->trouble[0]; i++)
		rc = apply(&scene, &rules[i], st);
	for (unsigned i = 0; i < ncliffs && rc == 0; i++)
		add_cliff(&scene, &cliffs[i]);
	free(scene.settings);
	return rc ? status_set(st, "out of memory for the recommendations") : 0;
}
