#include "reasons.h"

#include <string.h>

#include "../story/format.h"
#include "../story/story.h"

/* --- why there is no figure --- */

struct row {
	const char *of, *detail, *metric, *summary, *range, *margin;
	unsigned n, least_calls;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct row, of, "variant", "", TEXT),
    COLUMN(struct row, detail, "detail", "", TEXT),
    COLUMN(struct row, metric, "metric", "", TEXT),
    COLUMN(struct row, summary, "what it is", "", TEXT),
    COLUMN(struct row, range, "sizes", "", TEXT),
    COLUMN(struct row, margin, "margin", "", TEXT),
    COLUMN(struct row, n, "number", "", COUNT),
    COLUMN(struct row, least_calls, "calls that it needs", "", COUNT),
};
static const struct story_form form = STORY_FORM(struct row, columns, .name = "reason", .when = STORY_NO_WHEN);

static const char *const reasons[REASONS] = {
    [REASON_NONE]                 = "",
    [REASON_OTHER_BACKEND]        = "it is about another backend",
    [REASON_NEEDS]                = "it needs {detail}",
    [REASON_IS_REFERENCE]         = "it is the reference",
    [REASON_IS_LIMIT]             = "it is the limit",
    [REASON_OTHER_RANKS]          = "it has other ranks than the reference",
    [REASON_UNKNOWN]              = "{of} is not in this record",
    [REASON_SKIPPED]              = "{of} was skipped: {detail}",
    [REASON_NO_TRIAL]             = "{of} has no trial that went through",
    [REASON_UNMEASURED]           = "it was not measured",
    [REASON_NO_MODE]              = "no variant of {detail} is like {of} there",
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
    [REASON_NO_GAP]               = "there is no gap to explain: it is within {margin}",
    [REASON_AT_ODDS]              = "few blocks lie so far off that the gap's mean and its estimate point two ways",
    [REASON_GAP_UNDECIDED]        = "the gap itself is undecided, so that shares of it would mean nothing",
    [REASON_GAP_IN_NOISE]         = "the gap does not reach beyond what the A/A line shows",
};
// clang-format on

static const char *margin_of(struct arena *arena, double margin)
{
	return arena_text(arena, "%.3g %%", 100 * margin);
}

const char *reason_text(struct arena *arena, const struct reason *why)
{
	const struct metric_info *metric = metric_info(why->metric);
	const struct row row = {.of = why->of,
	                        .detail = why->detail,
	                        .metric = metric->name,
	                        .summary = metric->summary,
	                        .range = arena_copy(arena, format_range(why->range).text),
	                        .margin = margin_of(arena, why->margin),
	                        .n = why->n,
	                        .least_calls = metric->least_calls};
	return phrase_row(arena, &form, &row, reasons[why->kind]);
}

/* --- wrong data --- */

struct wrong {
	const char *collective, *variant, *bytes, *digest, *other, *other_digest, *elements;
	const char *rank, *element, *byte, *expected, *got;
	unsigned block;
};

// clang-format off
static const struct column wrong_columns[] = {
    COLUMN(struct wrong, collective, "collective", "", TEXT),
    COLUMN(struct wrong, variant, "variant", "", TEXT),
    COLUMN(struct wrong, bytes, "bytes", "", TEXT),
    COLUMN(struct wrong, block, "block", "", COUNT),
    COLUMN(struct wrong, digest, "digest", "", TEXT),
    COLUMN(struct wrong, other, "against", "", TEXT),
    COLUMN(struct wrong, other_digest, "its digest", "", TEXT),
    COLUMN(struct wrong, elements, "wrong", "", TEXT),
    COLUMN(struct wrong, rank, "rank", "", TEXT),
    COLUMN(struct wrong, element, "element", "", TEXT),
    COLUMN(struct wrong, byte, "byte", "", TEXT),
    COLUMN(struct wrong, expected, "expected", "", TEXT),
    COLUMN(struct wrong, got, "got", "", TEXT),
};
static const struct story_form wrong_form = STORY_FORM(struct wrong, wrong_columns, .name = "wrong", .when = STORY_NO_WHEN);

#define WRONG "{collective} of {bytes} bytes: {variant} (block {block}) "
static const char *const troubles[] = {
    [TROUBLE_NONE]   = "",
    [TROUBLE_DIGEST] = WRONG "got the digest {digest} where {other} got {other_digest} from the same data",
    [TROUBLE_WRONG]  = WRONG "delivered {elements}",
};
// clang-format on

static const char *number_at(struct arena *arena, const json_t *at, const char *key)
{
	return arena_text(arena, "%lld", (long long)json_integer_value(json_object_get(at, key)));
}

static const char *bits_at(struct arena *arena, const json_t *at, const char *key)
{
	const char *text = json_string_value(json_object_get(at, key));
	return arena_text(arena, "%.24s", text ? text : "?");
}

const char *trouble_text(struct arena *arena, const struct trouble *t)
{
	const struct wrong row = {.collective = t->collective,
	                          .variant = t->variant,
	                          .bytes = arena_text(arena, "%zu", t->bytes),
	                          .block = t->block,
	                          .digest = t->digest,
	                          .other = t->other,
	                          .other_digest = t->other_digest,
	                          .elements = arena_text(arena, "%llu wrong element%s", t->wrong,
	                                                 format_plural(t->wrong)),
	                          .rank = number_at(arena, t->at, "rank"),
	                          .element = number_at(arena, t->at, "element"),
	                          .byte = number_at(arena, t->at, "byte"),
	                          .expected = bits_at(arena, t->at, "expected"),
	                          .got = bits_at(arena, t->at, "got")};
	return phrase_row(arena, &wrong_form, &row,
	                  t->at ? WRONG
	                      "delivered {elements}, the first on rank {rank} at element {element} "
	                      "(byte {byte}): expected {expected}, got {got}"
	                        : troubles[t->kind]);
}

/* --- why a regime cannot distinguish variants --- */

struct doubt {
	unsigned cores, blocks, least_blocks;
	const char *above, *no_figure, *effect, *margin;
	double share, load;
	struct stats_ratio line;
};

// clang-format off
static const struct column doubt_columns[] = {
    COLUMN(struct doubt, cores, "cores", "", COUNT),
    COLUMN(struct doubt, load, "load", "", NUMBER),
    COLUMN(struct doubt, above, "above the limit", "", TEXT),
    COLUMN(struct doubt, share, "of the limit", "", SHARE),
    COLUMN(struct doubt, no_figure, "why no A/A", "", TEXT),
    COLUMN(struct doubt, blocks, "blocks", "", COUNT),
    COLUMN(struct doubt, least_blocks, "blocks for an interval", "", COUNT),
    COLUMN(struct doubt, line, "A/A", "", RATIO),
    COLUMN(struct doubt, effect, "least effect", "", TEXT),
    COLUMN(struct doubt, margin, "margin", "", TEXT),
};
static const struct story_form doubt_form = STORY_FORM(struct doubt, doubt_columns, .name = "doubt", .when = STORY_NO_WHEN);

static const char *const doubts[] = {
    [DOUBT_NONE]        = "",
    [DOUBT_CORES]       = "There are more ranks than the {cores} core{cores:s}: waiting workers share them, and the scheduler decides.",
    [DOUBT_BUSY]        = "The machine was busy when the run began, with a load of {load} on {cores} core{cores:s}, and timed calls lost their cores: run it again when nothing else runs.",
    [DOUBT_ABOVE_LIMIT] = "{above} reaches {share} of the measured copy limit: distrust both.",
    [DOUBT_NO_LINE]     = "The run has no A/A line: the reference was not measured a second time.",
    [DOUBT_NO_FIGURE]   = "The A/A line has no figure: {no_figure}.",
    [DOUBT_FEW_BLOCKS]  = "{blocks} block{blocks:s}: below {least_blocks} there are no intervals, and no gap can be distinguished from noise.",
    [DOUBT_DIFFERS]     = "The reference differs from itself: the A/A line is {line:full}.",
    [DOUBT_WIDE]        = "Effects under {effect} cannot be distinguished from noise here: the A/A line is {line:full}, wider than the margin of {margin}.",
};
// clang-format on

const char *regime_doubt_text(struct arena *arena, const struct summary *s, const struct regime *r)
{
	const struct contrast *twin = r->twin < 0 ? NULL : &r->contrasts[r->twin];
	const struct doubt row = {
	    .cores = s->ncores,
	    .load = s->load,
	    .above = r->doubt == DOUBT_ABOVE_LIMIT ? s->variants[r->above].name : NULL,
	    .share = r->above_share,
	    .no_figure = twin ? reason_text(arena, &twin->why) : NULL,
	    .line = twin ? twin->verdict.ratio : STATS_NO_RATIO,
	    .blocks = twin ? twin->verdict.ratio.blocks : 0,
	    .least_blocks = STATS_MIN_BLOCKS,
	    .effect = arena_copy(arena, format_effect(r->least_effect).text),
	    .margin = margin_of(arena, s->margin)};
	return phrase_row(arena, &doubt_form, &row, doubts[r->doubt]);
}
