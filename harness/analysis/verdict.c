#include "verdict.h"

#include <math.h>
#include <stdio.h>

/* How wide an interval from n blocks is, up to a factor: 1 ÷ √n, times what Student's quantile
 * is wider than the normal one (Cornish and Fisher's first term at 97.5 %: (z² + 1) ÷ 4). */
static double width_at(double n)
{
	return (1 + 1.21 / (n - 1)) / sqrt(n);
}

unsigned verdict_more_blocks(const struct stats_ratio *r, double reach)
{
	double half = log(r->hi / r->lo) / 2;
	if (isnan(half))
		return r->blocks < STATS_MIN_BLOCKS ? STATS_MIN_BLOCKS - r->blocks : 1;
	double scale = half / width_at(r->blocks);
	unsigned more = 1;
	while (more <= VERDICT_MOST_MORE && !(scale * width_at(r->blocks + more) < reach))
		more++;
	/* "About": what it rests on is not known to three digits. */
	if (more > 100 && more <= VERDICT_MOST_MORE)
		more = (more + 9) / 10 * 10;
	return more;
}

struct verdict verdict_of(struct stats_ratio ratio, double margin)
{
	struct verdict v = {.kind = VERDICT_UNDECIDED, .ratio = ratio, .margin = margin};
	double edge = log1p(margin), lo = log(ratio.lo), hi = log(ratio.hi);
	/* To the margin's nearer end. */
	double reach = fabs(fabs(log(ratio.estimate)) - edge);
	if (isnan(lo) || isnan(hi))
		v.more_blocks = verdict_more_blocks(&ratio, reach);
	else if (lo > edge)
		v.kind = VERDICT_FASTER;
	else if (hi < -edge)
		v.kind = VERDICT_SLOWER;
	else if (lo >= -edge && hi <= edge)
		v.kind = VERDICT_NO_DIFFERENCE;
	else
		v.more_blocks = verdict_more_blocks(&ratio, reach);
	return v;
}

struct verdict verdict_make(const double *log_ratios, unsigned n, double margin)
{
	return verdict_of(stats_ratio_of_logs(log_ratios, n, VERDICT_CONFIDENCE), margin);
}

bool verdict_effect(const struct verdict *v)
{
	return v->kind == VERDICT_FASTER || v->kind == VERDICT_SLOWER;
}

void verdict_text(const struct verdict *v, char *out, size_t bytes)
{
	unsigned more = v->more_blocks;
	switch (v->kind) {
	case VERDICT_FASTER:
		snprintf(out, bytes, "faster");
		return;
	case VERDICT_SLOWER:
		snprintf(out, bytes, "slower");
		return;
	case VERDICT_NO_DIFFERENCE:
		snprintf(out, bytes, "no difference within %.3g %%", 100 * v->margin);
		return;
	case VERDICT_UNDECIDED:
		break;
	}
	if (more > VERDICT_MOST_MORE)
		snprintf(out, bytes, "undecided, needs more than %d more blocks",
		         VERDICT_MOST_MORE);
	else
		snprintf(out, bytes, "undecided, needs about %u more block%s", more,
		         more == 1 ? "" : "s");
}

bool verdict_looks_after(unsigned blocks)
{
	return blocks >= VERDICT_FIRST_LOOK &&
	       (blocks - VERDICT_FIRST_LOOK) % VERDICT_LOOK_EVERY == 0;
}

double verdict_half_width(const struct stats_ratio *ratio)
{
	return expm1(log(ratio->hi / ratio->lo) / 2);
}
