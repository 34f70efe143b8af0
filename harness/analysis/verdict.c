#include "verdict.h"

#include <math.h>
#include <stdio.h>

#include "format.h"

/* How wide an interval from n blocks is, up to a factor: 1 ÷ √n, times what Student's quantile
 * is wider than the normal one (Cornish and Fisher's first term at 97.5 %: (z² + 1) ÷ 4). */
static double width_at(double n)
{
	return (1 + 1.21 / (n - 1)) / sqrt(n);
}

/* How much wider an interval is at the second look than at the first (looks.h): the normal
 * quantiles of 98.75 and 95 %. From there on less. */
#define NEXT_LOOK (2.498 / 1.960)

unsigned verdict_more_blocks(const struct stats_ratio *r, double reach)
{
	double half = NEXT_LOOK * log(r->hi / r->lo) / 2;
	if (isnan(half))
		return r->blocks < STATS_MIN_BLOCKS ? STATS_MIN_BLOCKS - r->blocks : 1;
	double scale = half / width_at(r->blocks);
	unsigned more = 1;
	while (more <= VERDICT_MOST_MORE && !(scale * width_at(r->blocks + more) < reach))
		more++;
	/* "About": the data that it uses is not known to three digits. */
	if (more > 100 && more <= VERDICT_MOST_MORE)
		more = (more + 9) / 10 * 10;
	return more;
}

/* Normal quantiles of an interval's end, and of a power of 80 %. */
#define Z_INTERVAL 1.96
#define Z_POWER    0.84

double verdict_detectable(const struct stats_ratio *r, double margin)
{
	double half = log(r->hi / r->lo) / 2;
	return expm1(log1p(margin) + half * (Z_INTERVAL + Z_POWER) / Z_INTERVAL);
}

int verdict_direction(const struct stats_ratio *r)
{
	return r->lo > 1 ? 1 : r->hi < 1 ? -1 : 0;
}

static enum verdict_kind kind_of(const struct stats_ratio *r, double edge)
{
	double lo = log(r->lo), hi = log(r->hi);
	if (lo > edge)
		return VERDICT_FASTER;
	if (hi < -edge)
		return VERDICT_SLOWER;
	if (!(lo >= -edge && hi <= edge)) /* also if there is no interval */
		return VERDICT_UNDECIDED;
	int direction = verdict_direction(r);
	return direction > 0   ? VERDICT_LITTLE_FASTER
	       : direction < 0 ? VERDICT_LITTLE_SLOWER
	                       : VERDICT_NO_DIFFERENCE;
}

struct verdict verdict_of(struct stats_ratio ratio, double margin)
{
	double edge = log1p(margin);
	struct verdict v = {.kind = kind_of(&ratio, edge),
	                    .ratio = ratio,
	                    .margin = margin,
	                    .detectable = verdict_detectable(&ratio, margin)};
	/* To the margin's nearer end. */
	double reach = fabs(fabs(log(ratio.estimate)) - edge);
	if (!verdict_decided(&v))
		v.more_blocks = verdict_more_blocks(&ratio, reach);
	return v;
}

struct verdict verdict_make(const double *log_ratios, unsigned n, double margin)
{
	return verdict_of(stats_ratio_of_logs(log_ratios, n, VERDICT_CONFIDENCE), margin);
}

int verdict_beyond(const struct verdict *v)
{
	return v->kind == VERDICT_FASTER ? 1 : v->kind == VERDICT_SLOWER ? -1 : 0;
}

bool verdict_effect(const struct verdict *v)
{
	return verdict_beyond(v) != 0;
}

bool verdict_decided(const struct verdict *v)
{
	return v->kind != VERDICT_UNDECIDED;
}

bool verdict_within(const struct verdict *v)
{
	return verdict_decided(v) && !verdict_effect(v);
}

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

/* From the median block, 5 % at least, and three times as far as any other. */
#define ODD_FAR   3.0
#define ODD_LEAST 0.05

struct verdict_odd verdict_find_odd(const double *logs, const unsigned *blocks, unsigned n,
                                    double confidence)
{
	struct verdict_odd odd = {.lo = INFINITY, .hi = -INFINITY};
	const double median = stats_median(logs, n);
	double second = 0;
	unsigned at = 0;
	if (n < STATS_MIN_BLOCKS || stats_withstands(n, confidence))
		return (struct verdict_odd){.block = 0};
	for (unsigned i = 1; i < n; i++)
		if (fabs(logs[i] - median) > fabs(logs[at] - median))
			at = i;
	for (unsigned i = 0; i < n; i++) {
		if (i == at)
			continue;
		second = fmax(second, fabs(logs[i] - median));
		odd.lo = fmin(odd.lo, exp(logs[i]));
		odd.hi = fmax(odd.hi, exp(logs[i]));
	}
	odd.ratio = exp(logs[at]);
	odd.others = n - 1;
	if (fabs(logs[at] - median) > fmax(ODD_FAR * second, log1p(ODD_LEAST)))
		odd.block = blocks[at] + 1;
	return odd;
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

void verdict_undecided_text(const char *direction, double detectable, unsigned more_blocks,
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
		verdict_undecided_text(word, v->detectable, v->more_blocks, &v->odd, out, bytes);
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
