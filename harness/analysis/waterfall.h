/* The waterfall: how much of the gap the factors explain. Pure. */
#ifndef LAUNCHGAP_WATERFALL_H
#define LAUNCHGAP_WATERFALL_H

#include "contrast.h"
#include "regime.h"

#define WATERFALL_MAX_STEPS (2 * CLAIM_MAX + 1)

/* One step from a variant to another. */
struct waterfall_step {
	const char *name;     /* the factor's, borrowed, or "rest" */
	bool rest, backwards; /* backwards: the factor from its to to its from */
	bool placebo;
	unsigned from, to;       /* variants, of the way */
	double from_gbs, to_gbs; /* geometric means over blocks and cells */
	double log;              /* mean over blocks of ln(to ÷ from) */
	/* Of speed. Also undecided if its estimate and the mean point in opposite directions
	 * (at_odds): then the ratio is the mean's, without an interval, and there is no share. */
	struct verdict verdict;
	bool at_odds;
	struct stats_ratio ratio;
	struct stats_ratio share; /* of the gap: 0.5 is a half (stats_share); NaN without a gap */
	bool counts;              /* as explaining: a factor, no placebo, and faster or slower */
};

/* From gap.from to gap.to over factors, one after the other. Each step is taken over the gap's
 * cells in the blocks that hold all of its variants, so that the logs add up to the gap's. The way
 * is the shortest over factors taken in either direction, of equal ones the one with the factors
 * that come first; a factor that is the gap itself explains nothing and is omitted. If no way leads
 * through, those from both ends are followed as far as they go, and what is between them is the
 * rest. If the rest is no less than the gap, the gap is left whole. Another order of the same steps
 * may give other shares.
 *
 * Shares add up to 1 by arithmetic wherever a way closes, noise included. So a step explains only
 * if its own interval is beyond the margin and it is no placebo; the sum of all others is left or
 * undecided. A share is a ratio of two numbers that vary together from block to block; its interval
 * is Fieller's set, made with the signed-rank test (stats_share).
 *
 * How often that holds the true share, in per cent, and half its width (median), compared with what
 * else was tried: Fieller's set with Student's t; bootstraps over blocks, percentile and BCa (Efron
 * 1987), 999 each. 8000 simulated gaps a row, of 10 %, and of 3 % that just clears the margin:
 * "judged" of them are decided beyond it, and those alone have shares. The truth is 100 % and 70 %
 * alternately; noise of one side 1 % (verdict.h); `make simulate` (tests/sim_explains.c, fixed
 * seeds; two standard errors are 0.5, of the seldom judged 1.1).
 *
 * noise      gap blocks   judged  percentile         BCa     Fieller       ranks
 * normal    10 %      6    100 %    85.5 ±9      85.7 ±9      95.0 ±13     96.7 ±17
 * normal    10 %     10    100 %    89.8 ±7      89.5 ±8      94.8 ±9      94.9 ±9
 * normal    10 %     20    100 %    92.6 ±6      92.2 ±6      95.0 ±6      95.3 ±6
 * normal     3 %      6     20 %    82.7 ±25     83.2 ±26     93.6 ±38     95.9 ±49
 * normal     3 %     10     51 %    90.0 ±23     89.9 ±23     95.0 ±29     94.9 ±29
 * normal     3 %     20     85 %    93.0 ±18     93.1 ±19     95.0 ±20     95.0 ±21
 * skewed    10 %      6     94 %    83.8 ±12     80.3 ±13     96.4 ±18     96.4 ±25
 * skewed    10 %     10     99 %    87.5 ±11     82.7 ±12     96.0 ±14     94.5 ±14
 * skewed    10 %     20    100 %    90.3 ±9      85.9 ±10     95.3 ±10     93.8 ±8
 * skewed     3 %      6     22 %    78.2 ±28     74.8 ±29     96.0 ±44     95.1 ±56
 * skewed     3 %     10     38 %    86.8 ±28     81.0 ±29     96.2 ±36     95.1 ±34
 * skewed     3 %     20     68 %    92.1 ±29     87.2 ±30     96.6 ±32     95.2 ±23
 * spikes    10 %      6     80 %    84.9 ±14     80.3 ±14     97.4 ±21     96.7 ±26
 * spikes    10 %     10     95 %    87.7 ±16     80.5 ±18     97.5 ±21     95.2 ±21
 * spikes    10 %     20    100 %    89.6 ±15     82.5 ±16     96.8 ±16     95.1 ±9
 * spikes     3 %      6     18 %    82.5 ±31     78.4 ±31     96.5 ±61     95.1 ±58
 * spikes     3 %     10     34 %    87.4 ±36     81.9 ±37     97.6 ±54     94.8 ±45
 * spikes     3 %     20     62 %    90.9 ±44     84.0 ±47     97.1 ±51     95.0 ±28
 *
 * Bootstraps of 6 to 20 blocks are too narrow by a third and hold the truth in 75 to 93 %.
 * Student's set holds the truth as often as it says but is wide if tails are heavy, and need not
 * end if the gap is judged by ranks; the set by ranks ends whenever the gap is decided. */
struct waterfall {
	unsigned nsteps; /* 0: none, see why */
	struct waterfall_step steps[WATERFALL_MAX_STEPS];
	struct verdict gap; /* bandwidth of gap.to ÷ gap.from; above the margin or below: */
	double log;         /* mean over blocks of its log */
	struct stats_ratio explained; /* share that the steps that count make up; NaN: no gap */
	unsigned ncells, nblocks;
	struct reason why; /* there is none, or there are no shares */
};

/* If the regime of large sizes cannot distinguish variants, gap and steps count only beyond its A/A
 * line; without regimes (NULL) everywhere. */
struct waterfall waterfall_make(const struct summary *summary, const struct regimes *regimes,
                                const struct claim_list *asked);

#endif
