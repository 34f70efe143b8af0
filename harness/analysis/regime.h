/* Regimes: ranges of sizes that are judged separately. Pure.
 *
 *           on GPUs                                  where ranks are no GPUs
 *   small   latency (p50 of isolated calls),         the same, up to 4 KiB
 *           up to 64 KiB
 *   large   bus bandwidth of streams, from 16 MiB    the same, from 256 KiB up
 *           up
 *
 * Without isolated calls small is the time per call of streams, and without data large is that too.
 * Without streams large is the latency of isolated calls, as of steps of training. A cell belongs
 * to one regime: a size that would be both is large. Where a run has no such size, the smallest or
 * largest third of its sizes is used instead, as far as it is on that regime's side of the other
 * one: sizes that are all large make no small regime. A regime that then has no cell is omitted.
 *
 * Each variant is compared with the reference over all of the regime's cells. The reference's twin
 * is included: that is the A/A line, which shows what the run can see. A regime cannot distinguish
 * variants if that line has no interval or reaches beyond the margin; if a bandwidth is
 * above the measured limit; if there are more ranks than cores; and if cores were measured while
 * other programs used them. Verdicts, cliffs and advice are
 * given only in regimes that can. A line that excludes 1 inside the margin leaves variants equal
 * within it; none is then faster or slower by less. */
#ifndef LAUNCHGAP_REGIME_H
#define LAUNCHGAP_REGIME_H

#include "contrast.h"

#define REGIME_MOST 8

/* Why a regime cannot distinguish variants. */
enum regime_doubt {
	DOUBT_NONE,
	DOUBT_CORES,       /* fewer than ranks */
	DOUBT_BUSY,        /* other programs used the cores that were measured */
	DOUBT_ABOVE_LIMIT, /* a variant is */
	DOUBT_NO_LINE,     /* the reference was measured once */
	DOUBT_NO_FIGURE,   /* of the A/A line */
	DOUBT_FEW_BLOCKS,  /* for an interval */
	DOUBT_DIFFERS,     /* the reference from itself, not within the margin */
	DOUBT_WIDE,        /* the A/A line, beyond the margin */
};

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
	/* Per variant of the summary: left is the variant, right the reference. For the reference
	 * itself, the limit, and variants without figures here `why` is set, and there is no
	 * ratio. */
	struct contrast *contrasts;
	int twin; /* the variant that is the reference's twin, or -1: no A/A line */
	/* The smallest effect that this regime can show: the farther end of the A/A interval, or
	 * the margin if that is larger; 0.07 is 7 %. NaN without an interval, and where no effect
	 * is one of the variants: ranks share cores, or a bandwidth cannot be. */
	double least_effect;
	/* Of a line inside the margin that excludes 1: its farther end, 0.006 is 0.6 %; else 0. */
	double off;
	bool tells;
	enum regime_doubt doubt; /* why it does not */
	unsigned above;          /* the variant above the limit */
	double above_share;      /* of the limit; 1.2 is 120 % */
};

struct regimes {
	unsigned n; /* 0: nothing is compared, as without a reference or with wrong data */
	struct regime list[REGIME_MOST];
};

/* *out borrows from the summary, and its memory is that one's arena. */
void regimes_make(const struct summary *summary, struct regimes *out);
/* Gives each question without sizes the sizes of a regime: a claim its own (claim_regime), the gap
 * the large ones, a factor the large ones for bandwidth and the small ones for latency. If that
 * regime has no cell here, it is the usual range. Claims on counters keep all sizes, unless they
 * name a regime. */
void regimes_settle(const struct summary *summary, struct claim_list *asked);
/* The regime of a kind, or NULL. */
const struct regime *regimes_find(const struct regimes *regimes, enum regime_kind kind);
/* An A/A line alone: what it can distinguish. */
struct regime regime_of_line(const struct stats_ratio *line, double margin);
/* Whether no verdict counts, whatever its line: ranks share cores, or a busy machine's were measured.
 */
bool regime_disturbed(const struct summary *summary);
/* The same of the A/A line of a group at its sizes within a range: nothing if that is disturbed. */
struct regime regime_of_twin(const struct summary *summary, const struct summary_group *group,
                             struct claim_range bytes);
/* 1, -1, 0: a verdict of the regime is faster, slower, neither. If it cannot distinguish variants,
 * what is beyond its noise; never of cells that go both ways. */
int regime_direction(const struct regime *regime, const struct verdict *verdict);
/* If a regime (NULL: none) cannot distinguish variants: makes a decided verdict undecided, except
 * for an effect beyond its A/A line. If its line is off: none is faster or slower by little. `least`: the effect from which the smallest one that could
 * have been seen is computed. Returns whether it did. */
bool regime_withhold(const struct regime *regime, double least, struct verdict *verdict);

#endif
