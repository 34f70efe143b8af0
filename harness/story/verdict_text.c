#include "verdict_text.h"

#include <math.h>
#include <stdio.h>

#include "../arena.h"
#include "../status.h"

const char *verdict_word(enum verdict_kind kind)
{
	static const char *const words[VERDICT_KINDS] = {
	    [VERDICT_FASTER] = "faster",
	    [VERDICT_SLOWER] = "slower",
	    [VERDICT_LITTLE_FASTER] = "faster by little",
	    [VERDICT_LITTLE_SLOWER] = "slower by little",
	    [VERDICT_NO_DIFFERENCE] = "no difference",
	    [VERDICT_UNDECIDED] = "undecided"};
	return words[kind];
}

void verdict_unseen_text(double detectable, char *out, size_t bytes)
{
	out[0] = '\0';
	if (!isnan(detectable))
		snprintf(out, bytes, "effects under %.24s cannot be seen here",
		         format_effect(detectable).text);
}

void verdict_odd_text(const struct verdict_odd *odd, char *out, size_t bytes)
{
	const struct stats_ratio others = {.estimate = odd->lo, .lo = odd->lo, .hi = odd->hi};
	out[0] = '\0';
	if (odd->block)
		snprintf(out, bytes, "block %u has %.20s, the other %u have %.40s", odd->block,
		         format_estimate(odd->ratio).text, odd->others,
		         format_interval(&others).text);
}

/* The text of an undecided verdict. direction: "slower", or "". more_blocks 0: they are not
 * mentioned. With a block that is far off, the text has that block's and the others' ratios
 * instead: no width is known then. */
static void undecided_text(const char *direction, double detectable, unsigned more_blocks,
                           const struct verdict_odd *odd, char *out, size_t bytes)
{
	char effect[128], more[64] = "";
	if (odd->block) {
		verdict_odd_text(odd, effect, sizeof effect);
		snprintf(out, bytes, "undecided: %s", effect);
		return;
	}
	verdict_unseen_text(detectable, effect, sizeof effect);
	if (more_blocks > VERDICT_MOST_MORE)
		snprintf(more, sizeof more, "needs more than %d more blocks", VERDICT_MOST_MORE);
	else if (more_blocks)
		snprintf(more, sizeof more, "needs about %u more block%s", more_blocks,
		         more_blocks == 1 ? "" : "s");
	snprintf(out, bytes, "undecided%s%s%s%s%s%s%s", *direction ? " (" : "", direction,
	         *direction ? ")" : "", *effect || *more ? ": " : "", effect,
	         *effect && *more ? "; " : "", more);
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
		undecided_text(word, v->detectable, v->more_blocks, &v->odd, out, bytes);
}

void regime_verdict_text(const struct regime *r, unsigned variant, char *text, size_t bytes)
{
	const struct verdict *v = &r->contrasts[variant].verdict;
	const int beyond = regime_beyond(r, &v->ratio);
	text[0] = '\0';
	if (isnan(v->ratio.estimate) || (!r->tells && isnan(r->least_effect)))
		return;
	if (r->tells)
		verdict_text(v, text, bytes);
	else if (beyond)
		snprintf(text, bytes, "%s", beyond > 0 ? "faster" : "slower");
	else
		undecided_text("",
		               verdict_detectable(&v->ratio, r->least_effect, VERDICT_BOTH_ENDS), 0,
		               &v->odd, text, bytes);
}

struct formatted regime_about(const struct regime *r)
{
	struct formatted words = format_range(r->sizes);
	status_add(words.text, sizeof words.text, ", %s", metric_info(r->metric)->summary);
	return words;
}

const char *verdict_claim_text(struct arena *arena, const struct claims_result *r, bool alone)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	const int direction = verdict_direction(claims_interval(r));
	const char *word = direction > 0 ? "more" : direction < 0 ? "less" : "";
	const char *taken = r->alone && alone ? " (taken alone)" : "";
	char text[VERDICT_TEXT_BYTES];
	if (r->outcome == CLAIMS_LITTLE)
		return arena_text(arena, "%s, by under %.3g %%%s", word, 100 * r->claim->by, taken);
	if (r->outcome != CLAIMS_UNDECIDED)
		return arena_text(arena, "%s%s", texts[r->outcome], taken);
	undecided_text(word, r->detectable, r->more_blocks, &r->contrast.odd, text, sizeof text);
	return arena_copy(arena, text);
}
