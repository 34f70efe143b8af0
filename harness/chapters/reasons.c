#include "reasons.h"

#include <string.h>

#include "../data/format.h"

/* What stands in a sentence in place of {key}; the last one has no key. */
struct word {
	const char *key, *text;
};

static const char *fill(struct arena *arena, const char *sentence, const struct word *words)
{
	const char *text = "", *key;
	while ((key = strchr(sentence, '{'))) {
		const size_t bytes = strcspn(key + 1, "}");
		const struct word *w = words;
		while (w->key && (strncmp(w->key, key + 1, bytes) || w->key[bytes]))
			w++;
		text = arena_text(arena, "%s%.*s%s", text, (int)(key - sentence), sentence,
		                  w->text ? w->text : "");
		sentence = key + bytes + 2;
	}
	return arena_text(arena, "%s%s", text, sentence);
}

static const char *number(struct arena *arena, unsigned n)
{
	return arena_text(arena, "%u", n);
}

/* --- why there is no figure --- */

// clang-format off
static const char *const reasons[REASONS] = {
    [REASON_NONE]                 = "",
    [REASON_OTHER_BACKEND]        = "it is about another backend",
    [REASON_NEEDS]                = "it needs {detail}",
    [REASON_UNKNOWN]              = "{of} is not in this record",
    [REASON_SKIPPED]              = "{of} was skipped: {detail}",
    [REASON_NO_TRIAL]             = "{of} has no trial that went through",
    [REASON_UNCOMPARED]           = "it was not measured",
    [REASON_TROUBLE]              = "the variants did not do the same work",
    [REASON_SHARED_GPU]           = "{n} ranks share a GPU in {of}, where their kernels take turns",
    [REASON_OVERSUBSCRIBED]       = "more ranks than cores: waiting workers share them, so that {summary} is the scheduler's",
    [REASON_FEW_CALLS]            = "{metric} needs {least_calls} isolated calls, this run has {n}",
    [REASON_NO_DATA]              = "this backend carries no data",
    [REASON_NO_CELL]              = "no cell of it was measured here ({range})",
    [REASON_NO_BLOCK]             = "no block holds all of its cells in each of the variants",
    [REASON_NO_WORKER]            = "the record does not have it of each of the variants: {summary}",
    [REASON_NO_COUNTERS]          = "no counters were read in this run, which it needs for: {summary}",
    [REASON_NO_COUNTERS_OF]       = "no counters were read of {of}, which it needs for: {summary}",
    [REASON_NO_COUNTERS_TOGETHER] = "no cell of it has in each of the variants the counters for: {summary}",
    [REASON_NO_LAUNCH]            = "nothing is launched on host: its workers move the data themselves",
    [REASON_SHORT_ISSUE]          = "issuing is too short here for a CPU's clock",
    [REASON_NO_COUNTER]           = "{detail}",
    [REASON_NO_FIGURE_OF]         = "the counters of {of} have no figure for: {summary}",
};
// clang-format on

static const char *margin_of(struct arena *arena, double margin)
{
	return arena_text(arena, "%.3g %%", 100 * margin);
}

const char *reason_text(struct arena *arena, const struct reason *why)
{
	const struct metric_info *metric = metric_info(why->metric);
	const struct formatted range = format_range(why->range);
	const struct word words[] = {{"of", why->of},
	                             {"detail", why->detail},
	                             {"metric", metric->name},
	                             {"summary", metric->summary},
	                             {"range", range.text},
	                             {"n", number(arena, why->n)},
	                             {"least_calls", number(arena, metric->least_calls)},
	                             {NULL, NULL}};
	return fill(arena, reasons[why->kind], words);
}

/* --- wrong data --- */

static long long number_at(const json_t *at, const char *key)
{
	return (long long)json_integer_value(json_object_get(at, key));
}

static const char *bits_at(const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));
	return text ? text : "?";
}

const char *trouble_text(struct arena *arena, const struct trouble *t)
{
	const char *where = arena_text(arena, "%s of %zu bytes: %s (block %u)", t->collective,
	                               t->bytes, t->variant, t->block);
	if (!t->wrong)
		return "";
	const char *delivered = arena_text(arena, "%s delivered %llu wrong element%s", where,
	                                   t->wrong, format_plural(t->wrong));
	return !t->at ? delivered
	              : arena_text(arena,
	                           "%s, the first on rank %lld at element %lld (byte %lld): "
	                           "expected %.24s, got %.24s",
	                           delivered, number_at(t->at, "rank"), number_at(t->at, "element"),
	                           number_at(t->at, "byte"), bits_at(t->at, "expected"),
	                           bits_at(t->at, "got"));
}

/* --- why a regime cannot distinguish variants --- */

// clang-format off
static const char *const doubts[] = {
    [DOUBT_NONE]        = "",
    [DOUBT_CORES]       = "There are more ranks than the {cores} core{s}, which waiting workers share: take fewer ranks.",
    [DOUBT_BUSY]        = "The machine was busy (a load of {load} on {cores} core{s}), and timed calls lost their cores: run it again when nothing else runs.",
    [DOUBT_ABOVE_LIMIT] = "{above} reaches {share} of the measured copy limit: distrust both.",
    [DOUBT_NO_LINE]     = "The run has no A/A line: the reference was not measured a second time.",
    [DOUBT_NO_FIGURE]   = "The A/A line has no figure: {no_figure}.",
    [DOUBT_FEW_BLOCKS]  = "{blocks} block{s}: below {least_blocks} there are no intervals, and no gap can be distinguished from noise.",
    [DOUBT_DIFFERS]     = "The reference differs from itself: the A/A line is {line}.",
    [DOUBT_WIDE]        = "Effects under {effect} cannot be distinguished from noise here: the A/A line is {line}, wider than the margin of {margin}.",
};
// clang-format on

const char *regime_doubt_text(struct arena *arena, const struct summary *s, const struct regime *r)
{
	const struct contrast *twin = r->twin < 0 ? NULL : &r->contrasts[r->twin];
	const struct stats_ratio line = twin ? twin->verdict.ratio : STATS_NO_RATIO;
	const unsigned n = r->doubt == DOUBT_FEW_BLOCKS ? line.blocks : s->ncores;
	const struct word words[] = {
	    {"cores", number(arena, s->ncores)},
	    {"blocks", number(arena, line.blocks)},
	    {"s", format_plural(n)},
	    {"load", arena_copy(arena, format_number(s->load).text)},
	    {"above", r->doubt == DOUBT_ABOVE_LIMIT ? s->variants[r->above].name : ""},
	    {"share", arena_text(arena, "%s %%", format_percent(r->above_share).text)},
	    {"no_figure", twin ? reason_text(arena, &twin->why) : ""},
	    {"line", arena_copy(arena, format_ratio(&line).text)},
	    {"least_blocks", number(arena, STATS_MIN_BLOCKS)},
	    {"effect", arena_copy(arena, format_effect(r->least_effect).text)},
	    {"margin", margin_of(arena, s->margin)},
	    {NULL, NULL}};
	return fill(arena, doubts[r->doubt], words);
}
