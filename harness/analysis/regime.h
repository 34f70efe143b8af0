/* Regimes: ranges of sizes that are judged by themselves. Pure.
 *
 *           on GPUs                                  where ranks are no GPUs
 *   small   latency (p50 of isolated calls),         the same, up to 4 KiB
 *           up to 64 KiB
 *   large   bus bandwidth of streams, from 16 MiB    the same, from 256 KiB up
 *           up
 *
 * Without isolated calls small is the time per call of streams, and without data large is that
 * too. Without streams large is the latency of isolated calls, as of steps of training. A cell
 * belongs to one regime: a size that would be both is large. Where a run has no such size, the
 * smallest or largest third of its sizes takes the place, as far as it lies on that regime's
 * side of the other one: sizes that are all large make no small regime. A regime that then has
 * no cell is left out.
 *
 * Each variant is held against the reference over all of the regime's cells, the reference's
 * twin included: the A/A line, which says what the run can see. A regime cannot tell when that
 * line has no interval, excludes 1 or reaches beyond the margin; when a bandwidth lies above
 * the measured limit; and when there are more ranks than cores. Verdicts, cliffs and advice are
 * given in regimes alone that can. */
#ifndef LAUNCHGAP_REGIME_H
#define LAUNCHGAP_REGIME_H

#include "contrast.h"
#include "format.h"

#define REGIME_MOST      8
#define REGIME_WHY_BYTES 384

struct regime {
	const char *name;  /* "small", "large" */
	const char *label; /* the same; of a third "the smallest", "the largest" */
	enum regime_kind kind;
	struct claim_range range; /* as asked; hi = SIZE_MAX: no end */
	bool third;               /* the range is a third of the run's sizes, not the usual one */
	int pace;
	enum metric metric;
	struct claim_range sizes; /* that it holds, as asked */
	unsigned nvariants;
	/* Per variant of the summary: left it, right the reference. Of the reference itself,
	 * the limit, and variants without figures here `why` is set, and there is no ratio. */
	struct contrast *contrasts;
	int twin; /* the variant that is the reference's twin, or -1: no A/A line */
	/* The smallest effect that this regime can show: the farther end of the A/A interval,
	 * or the margin where that is more; 0.07 is 7 %. NaN without an interval. */
	double least_effect;
	bool tells;
	char why[REGIME_WHY_BYTES]; /* why it cannot tell, a sentence with its point; or "" */
};

struct regimes {
	unsigned n; /* 0: nothing is compared, as without a reference or with wrong data */
	struct regime list[REGIME_MOST];
};

/* The caller frees with regimes_free; *out borrows from the summary. -1 only when memory is
 * out. */
int regimes_make(const struct summary *summary, struct regimes *out, struct status *st);
void regimes_free(struct regimes *regimes);
/* Gives each range of what is asked that names no sizes those of a regime: a claim its own
 * (claim_regime), the gap the large ones, a factor the large ones for bandwidth and the small
 * ones for latency. Of a regime that has no cell here it is the usual range. Claims on counters
 * keep all sizes, unless they name a regime. -1 only when memory is out. */
int regimes_settle(const struct summary *summary, struct claim_list *asked, struct status *st);
/* The regime of a kind, or NULL; of NULL too. */
const struct regime *regimes_find(const struct regimes *regimes, enum regime_kind kind);
/* Whether a cell of the record is one of the regime's: measured, timed, of its pace and sizes.
 */
bool regime_holds(const struct summary *summary, const struct regime *regime,
                  const struct record_cell *cell);
/* 1, -1: the whole interval of a ratio lies above, below 1 by more than that effect; else 0. */
int regime_beyond(const struct regime *regime, const struct stats_ratio *ratio);
/* Whether any can tell variants apart. */
bool regimes_tell(const struct regimes *regimes);
/* Whether a variant lies beyond what the A/A line shows, and so has a verdict in any case. */
bool regime_has_beyond(const struct regime *regime);
/* The word for a variant: as verdict_text; where the regime's A/A line is too wide, a word only
 * for what lies beyond it, else "undecided: effects under 12 % cannot be seen here"; "" where
 * nothing can be said. */
void regime_verdict_text(const struct regime *regime, unsigned variant, char *text, size_t bytes);
/* Where a regime (or NULL: none) cannot tell: makes a decided verdict undecided, but for an
 * effect beyond what its A/A line shows. `least`: the effect from which the smallest one that
 * could have been seen is reckoned. Whether it did. */
bool regime_withhold(const struct regime *regime, double least, struct verdict *verdict);
/* "4 KiB to 64 KiB, p50 of isolated calls". */
struct formatted regime_about(const struct regime *regime);

#endif
