#include "verdict_text.h"

#include "../arena.h"

static const char *const words[VERDICT_KINDS] = {[VERDICT_FASTER] = "faster",
                                                 [VERDICT_SLOWER] = "slower",
                                                 [VERDICT_LITTLE_FASTER] = "faster by little",
                                                 [VERDICT_LITTLE_SLOWER] = "slower by little",
                                                 [VERDICT_NO_DIFFERENCE] = "no difference",
                                                 [VERDICT_UNDECIDED] = "undecided"};

const char *verdict_word(enum verdict_kind kind)
{
	return words[kind];
}

enum verdict_kind verdict_by_word(const char *word)
{
	unsigned kind = 0;
	while (kind < VERDICT_KINDS && strcmp(words[kind], word))
		kind++;
	return (enum verdict_kind)kind;
}

static void unseen_text(double detectable, char *out, size_t bytes)
{
	out[0] = '\0';
	if (!isnan(detectable))
		snprintf(out, bytes, "differences under %.24s cannot be seen",
		         format_effect(detectable).text);
}

void verdict_odd_text(const struct verdict_odd *odd, char *out, size_t bytes)
{
	const struct stats_ratio others = {.estimate = odd->lo, .lo = odd->lo, .hi = odd->hi};
	out[0] = '\0';
	if (odd->block)
		snprintf(out, bytes, "block %u differs (%.20s; the others %.40s)", odd->block,
		         format_estimate(odd->ratio).text, format_interval(&others).text);
}

/* What else decides if so many blocks do not: less scatter, if that is what leaves it open, and
 * other words, which the caller knows. */
static const char *instead_of_blocks(bool scatters, const char *other)
{
	return scatters && *other ? ": a quieter machine, or "
	       : scatters         ? ": a quieter machine"
	       : *other           ? ", or "
	                          : "";
}

/* "needs about 7 more blocks". more_blocks 0: nothing. */
static void blocks_text(unsigned more_blocks, bool scatters, const char *other, char *out,
                        size_t bytes)
{
	out[0] = '\0';
	if (more_blocks > VERDICT_MOST_MORE)
		snprintf(out, bytes, "needs more than %d more blocks%s%s", VERDICT_MOST_MORE,
		         instead_of_blocks(scatters, other), other);
	else if (more_blocks)
		snprintf(out, bytes, "needs about %u more block%s", more_blocks,
		         format_plural(more_blocks));
}

/* "a margin of 7 %": what the interval is within. */
static void margin_text(const struct stats_ratio *ratio, char *out, size_t bytes)
{
	const double margin = verdict_wide_margin(ratio);
	out[0] = '\0';
	if (!isnan(margin))
		snprintf(out, bytes, "a margin of %.2g %%", 100 * margin);
}

/* The text of an undecided verdict. direction: "slower", or "". more: of blocks, or "". With a
 * block that is far off, the text has that block's and the others' ratios instead: no width is
 * known then. */
static void undecided_text(const char *direction, double detectable, const char *more,
                           const struct verdict_odd *odd, char *out, size_t bytes)
{
	char effect[128];
	if (odd->block) {
		verdict_odd_text(odd, effect, sizeof effect);
		snprintf(out, bytes, "undecided: %s", effect);
		return;
	}
	unseen_text(detectable, effect, sizeof effect);
	snprintf(out, bytes, "undecided%s%s%s%s%s%s", *direction ? ", probably " : "", direction,
	         *effect || *more ? ": " : "", effect, *effect && *more ? "; " : "", more);
}

static void open_verdict_text(const struct verdict *v, const char *direction, char *out,
                              size_t bytes)
{
	char more[96], margin[32];
	margin_text(&v->ratio, margin, sizeof margin);
	blocks_text(v->more_blocks, verdict_scatters(&v->ratio, v->margin, VERDICT_BOTH_ENDS),
	            margin, more, sizeof more);
	undecided_text(direction, v->detectable, more, &v->odd, out, bytes);
}

/* The end of what a claim holds at, below or above: X of its test, times what it expects. */
static struct formatted limit_of(const struct claim *c, bool above)
{
	const double of = c->of ? c->of : 1;
	return format_estimate(above ? of * (1 + c->by) : of / (1 + c->by));
}

void verdict_claim_limits(const struct claim *c, char *out, size_t bytes)
{
	const struct formatted below = limit_of(c, false), above = limit_of(c, true);
	out[0] = '\0';
	if (c->test == CLAIM_LESS)
		snprintf(out, bytes, "below %.40s", below.text);
	else if (c->test == CLAIM_MORE)
		snprintf(out, bytes, "above %.40s", above.text);
	else if (c->test == CLAIM_WITHIN)
		snprintf(out, bytes, "%.40s to %.40s", below.text, above.text);
}

/* Of a claim that is no more than within, a wider limit decides; of others one that the ratio is
 * not at. */
static void open_claim_text(const struct claims_result *r, const char *direction, char *out,
                            size_t bytes)
{
	const struct claim *c = r->claim;
	char more[96], other[48];
	const bool within = c->test == CLAIM_WITHIN;
	if (within)
		margin_text(&r->tested.both, other, sizeof other);
	else
		snprintf(other, sizeof other, "a limit other than %.20s",
		         limit_of(c, c->test == CLAIM_MORE).text);
	blocks_text(r->more_blocks, verdict_scatters(&r->tested.bounds, c->by, VERDICT_ONE_END),
	            other, more, sizeof more);
	undecided_text(direction, r->detectable, more, &r->odd, out, bytes);
}

void verdict_text(const struct verdict *v, char *out, size_t bytes)
{
	int direction = verdict_direction(&v->ratio);
	const char *word = direction > 0 ? "faster" : direction < 0 ? "slower" : "";
	if (v->kind == VERDICT_NO_DIFFERENCE)
		snprintf(out, bytes, "no difference within %.3g %%", 100 * v->margin);
	else if (verdict_within(v))
		snprintf(out, bytes, "%s, by under %.3g %%", word, 100 * v->margin);
	else if (verdict_decided(v))
		snprintf(out, bytes, "%s", word);
	else
		open_verdict_text(v, word, out, bytes);
}

const char *verdict_claim_text(struct arena *arena, const struct claims_result *r)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	const int direction = verdict_direction(claims_interval(r));
	const char *word = direction > 0 ? "more" : direction < 0 ? "less" : "";
	char text[VERDICT_TEXT_BYTES];
	if (r->outcome == CLAIMS_LITTLE) {
		verdict_claim_limits(r->claim, text, sizeof text);
		return arena_text(arena, "%s, but not %s", word, text);
	}
	if (r->outcome != CLAIMS_UNDECIDED)
		return texts[r->outcome];
	open_claim_text(r, word, text, sizeof text);
	return arena_copy(arena, text);
}
