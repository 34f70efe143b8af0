#include "verdict.h"

#include "../arena.h"

#define ROUNDING 1e-9 /* an end that is at the margin but for this is within it */

/* Normal quantiles of an end of the interval, at the first look and at the second (looks.h): how
 * much wider it is then. From there on less. */
static const struct {
	double z, next;
} normal[] = {[VERDICT_BOTH_ENDS] = {1.960, 2.498}, [VERDICT_ONE_END] = {1.645, 2.241}};

/* How wide an interval from n blocks is, up to a factor: 1 ÷ √n, times what Student's quantile
 * is wider than the normal one (Cornish and Fisher's first term: (z² + 1) ÷ 4). */
static double width_at(double n, double z)
{
	return (1 + (z * z + 1) / 4 / (n - 1)) / sqrt(n);
}

unsigned verdict_more_blocks(const struct stats_ratio *r, double reach, enum verdict_ends ends)
{
	const double z = normal[ends].z;
	double half = normal[ends].next / z * log(r->hi / r->lo) / 2;
	if (isnan(half))
		return r->blocks < STATS_MIN_BLOCKS ? STATS_MIN_BLOCKS - r->blocks : 1;
	double scale = half / width_at(r->blocks, z);
	unsigned more = 1;
	while (more <= VERDICT_MOST_MORE && !(scale * width_at(r->blocks + more, z) < reach))
		more++;
	/* "About": the data that it uses is not known to three digits. */
	if (more > 100 && more <= VERDICT_MOST_MORE)
		more = (more + 9) / 10 * 10;
	return more;
}

bool verdict_scatters(const struct stats_ratio *r, double margin, enum verdict_ends ends)
{
	return margin > 0 && !isnan(r->lo) &&
	       verdict_more_blocks(r, log1p(margin), ends) > VERDICT_MOST_MORE;
}

double verdict_wide_margin(const struct stats_ratio *r)
{
	const double margin = fmax(r->hi, 1 / r->lo) - 1;
	const double unit = pow(10, floor(log10(margin)) - 1);
	return margin > 0 && margin <= 0.99 ? unit * ceil(margin / unit - ROUNDING) : NAN;
}

#define Z_POWER 0.84 /* the normal quantile of a power of 80 % */

double verdict_detectable(const struct stats_ratio *r, double margin, enum verdict_ends ends)
{
	double half = log(r->hi / r->lo) / 2;
	return expm1(log1p(margin) + half * (normal[ends].z + Z_POWER) / normal[ends].z);
}

int verdict_direction(const struct stats_ratio *r)
{
	return r->lo > 1 ? 1 : r->hi < 1 ? -1 : 0;
}

enum verdict_kind verdict_kind_of(const struct stats_ratio *r, double margin)
{
	const double lo = log(r->lo), hi = log(r->hi), edge = log1p(margin) + ROUNDING;
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
	struct verdict v = {.kind = verdict_kind_of(&ratio, margin),
	                    .ratio = ratio,
	                    .margin = margin,
	                    .detectable = verdict_detectable(&ratio, margin, VERDICT_BOTH_ENDS)};
	/* To the margin's nearer end. */
	double reach = fabs(fabs(log(ratio.estimate)) - edge);
	if (!verdict_decided(&v))
		v.more_blocks = verdict_more_blocks(&ratio, reach, VERDICT_BOTH_ENDS);
	return v;
}

const char *verdict_effect_name(enum verdict_kind kind)
{
	static const char *const names[VERDICT_KINDS] = {
	    [VERDICT_FASTER] = "faster",         [VERDICT_SLOWER] = "slower",
	    [VERDICT_LITTLE_FASTER] = "as fast", [VERDICT_LITTLE_SLOWER] = "as fast",
	    [VERDICT_NO_DIFFERENCE] = "as fast", [VERDICT_UNDECIDED] = "undecided"};
	return names[kind];
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

/* From the median block, 5 % at least, and three times as far as any other. */
#define ODD_FAR   3.0
#define ODD_LEAST 0.05

struct verdict_odd verdict_find_odd(struct arena *arena, const double *logs, const unsigned *blocks,
                                    const struct stats_walsh *of, double confidence)
{
	const unsigned n = of->n;
	struct verdict_odd odd = {.lo = INFINITY, .hi = -INFINITY};
	double second = 0;
	unsigned at = 0;
	if (n < STATS_MIN_BLOCKS || stats_withstands(of, confidence))
		return (struct verdict_odd){.block = 0};
	double *room = ARENA_ARRAY(arena, double, n);
	const double median = stats_median(memcpy(room, logs, n * sizeof *room), n);
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
	if (fabs(logs[at] - median) > fmax(ODD_FAR * second, log1p(ODD_LEAST)))
		odd.block = blocks[at] + 1;
	return odd;
}
