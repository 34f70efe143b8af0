/* Disturbances between trials: one that lies far off, a slow beginning, a drift. */
#include "warnings_parts.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trend.h"
#include "trials.h"

/* Standard deviations, by 1.4826 × the median absolute deviation (right for normal noise), and
 * how much a trial has to be off to matter at all. */
#define FAR       5.0
#define FAR_LEAST 0.05
/* A whole block may be off by less, and a drift by half of what a verdict takes for nothing. */
#define BLOCK_LEAST 0.02
#define DRIFT_LEAST 0.01
#define DRIFT_P     0.01

#define NAMED 4 /* outliers that are named; the others are counted */

static double percent(double log_time)
{
	return 100 * expm1(log_time);
}

static const char *compared(double log_time)
{
	return log_time > 0 ? "slower" : "faster";
}

/* Median and spread of n values; x is left as it is. */
static void spread(const double *x, unsigned n, double *median, double *deviation)
{
	double *off = malloc((n ? n : 1) * sizeof *off);
	*median = stats_median(x, n);
	*deviation = NAN;
	for (unsigned i = 0; off && i < n; i++)
		off[i] = fabs(x[i] - *median);
	if (off)
		*deviation = 1.4826 * stats_median(off, n);
	free(off);
}

/* The numbers of one variant in order (UINT_MAX: of all). */
static unsigned of_variant(const struct trials_number *list, unsigned n, unsigned variant,
                           double *x)
{
	unsigned k = 0;
	for (unsigned i = 0; i < n; i++)
		if (variant == UINT_MAX || list[i].variant == variant)
			x[k++] = list[i].log_time;
	return k;
}

struct found {
	const struct trials_number *number;
	double off;
};

static int by_distance(const void *left, const void *right)
{
	const struct found *a = left, *b = right;
	return fabs(a->off) > fabs(b->off) ? -1 : fabs(a->off) < fabs(b->off);
}

static void name_trial(const struct summary *s, const struct found *f, unsigned first_order,
                       char *text, size_t bytes)
{
	size_t n = strlen(text);
	snprintf(text + n, bytes - n, "%s%s in block %u (trial %u%s), %.0f %% %s",
	         n ? "; " : "", s->variants[f->number->variant].name, f->number->block,
	         f->number->order, f->number->order == first_order ? ", the run's first" : "",
	         fabs(percent(f->off)), compared(f->off));
}

/* Trials far from their variant's others. `skip`: a block that was named already, or UINT_MAX.
 */
static void warn_outliers(const struct summary *s, unsigned group,
                          const struct trials_number *list, unsigned n, unsigned skip,
                          double *x, struct warnings *w)
{
	struct found *found = calloc(n ? n : 1, sizeof *found);
	unsigned count = 0;
	char names[512] = "", more[48] = "";
	for (unsigned v = 0; found && v < s->nvariants; v++) {
		double median, deviation;
		unsigned k = of_variant(list, n, v, x);
		if (k < STATS_MIN_BLOCKS)
			continue;
		spread(x, k, &median, &deviation);
		for (unsigned i = 0; i < n; i++) {
			double off = list[i].log_time - median;
			if (list[i].variant == v && list[i].block != skip &&
			    fabs(off) > FAR * deviation && fabs(percent(off)) > 100 * FAR_LEAST)
				found[count++] = (struct found){&list[i], off};
		}
	}
	if (count) {
		qsort(found, count, sizeof *found, by_distance);
		for (unsigned i = 0; i < count && i < NAMED; i++)
			name_trial(s, &found[i], list[0].order, names, sizeof names);
		if (count > NAMED)
			snprintf(more, sizeof more, "; and %u more", count - NAMED);
		warnings_add(
		    w,
		    "Trials far from their variant's others in %s: %s%s. Medians and "
		    "signed-rank intervals bear a few of them. Many: something else ran; look "
		    "for jobs by the clock (cron, backups, other users) and add blocks with "
		    "--resume.",
		    warnings_group(s, group).text, names, more);
	}
	free(found);
}

/* The mean over a block's trials; NaN unless the block's first trial is the i-th. */
static double block_mean(const struct trials_number *list, unsigned n, unsigned i)
{
	double sum = 0;
	unsigned k = 0;
	for (unsigned j = 0; j < n; j++) {
		if (list[j].block != list[i].block)
			continue;
		if (j < i)
			return NAN;
		sum += list[j].log_time;
		k++;
	}
	return sum / k;
}

/* The first block against the others. The block's number when it is off, else UINT_MAX. */
static unsigned warn_first(const struct summary *s, unsigned group,
                           const struct trials_number *list, unsigned n, double *x,
                           struct warnings *w)
{
	unsigned first = list[0].block, blocks = 0;
	double own = block_mean(list, n, 0), rest, deviation;
	for (unsigned i = 1; i < n; i++) {
		double mean = block_mean(list, n, i);
		if (!isnan(mean))
			x[blocks++] = mean;
	}
	if (blocks + 1 < STATS_MIN_BLOCKS)
		return UINT_MAX;
	spread(x, blocks, &rest, &deviation);
	double off = own - rest;
	if (!(off > FAR * deviation && percent(off) > 100 * BLOCK_LEAST))
		return UINT_MAX;
	warnings_add(
	    w,
	    "The first block was slow in %s: %.0f %% slower than the others, over all "
	    "variants. Files, clocks and drivers were cold. Ratios pair within the block and "
	    "hardly suffer; for the values let the machine warm up (a short run before this "
	    "one), and take more blocks.",
	    warnings_group(s, group).text, percent(off));
	return first;
}

/* The trend of n values over the run; false when there is none to speak of. */
static bool drifts(const double *x, unsigned n, double p, double least, double *total)
{
	if (n < STATS_MIN_BLOCKS || !(trend_probability(x, n) < p))
		return false;
	*total = trend_slope(x, n) * (n - 1);
	return fabs(percent(*total)) > 100 * least;
}

static void warn_drift(const struct summary *s, unsigned group,
                       const struct trials_number *list, unsigned n, double *x,
                       struct warnings *w)
{
	unsigned k = of_variant(list, n, UINT_MAX, x);
	double total;
	if (drifts(x, k, DRIFT_P / s->ngroups, DRIFT_LEAST, &total)) {
		warnings_add(
		    w,
		    "Times drift in %s: over the %u trials of the run all variants became "
		    "%.1f %% %s. Clocks, heat, or another load that grows. Ratios pair within "
		    "blocks and hardly suffer, the values do: lock the clocks (nvidia-smi -lgc "
		    "on GPUs, the performance governor on CPUs), or warm up longer before.",
		    warnings_group(s, group).text, k, fabs(percent(total)), compared(total));
		return;
	}
	for (unsigned v = 0; v < s->nvariants; v++) {
		k = of_variant(list, n, v, x);
		if (drifts(x, k, DRIFT_P / (s->ngroups * s->nvariants), 2 * DRIFT_LEAST,
		           &total))
			warnings_add(
			    w,
			    "%s alone drifts in %s: it became %.1f %% %s over its %u trials, "
			    "and its ratio with it. Something that only this variant uses "
			    "changes meanwhile; run it again, and trust the ratio if it comes "
			    "out the same.",
			    s->variants[v].name, warnings_group(s, group).text,
			    fabs(percent(total)), compared(total), k);
	}
}

void warnings_of_trials(const struct summary *s, struct warnings *w)
{
	for (unsigned g = 0; g < s->ngroups; g++) {
		struct trials_number *list;
		unsigned n;
		if (summary_is_limit(s, &s->groups[g]) || trials_of(s, g, &list, &n))
			continue;
		double *x = malloc((n ? n : 1) * sizeof *x);
		if (x && n) {
			unsigned slow = warn_first(s, g, list, n, x, w);
			warn_outliers(s, g, list, n, slow, x, w);
			warn_drift(s, g, list, n, x, w);
		}
		free(x);
		free(list);
	}
}
