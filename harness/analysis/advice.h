/* Recommendations: what the measured figures say to do. Pure.
 *
 * The .c file has the rules in one table. Each is about two variants that differ in exactly one
 * setting. It applies only if the pair was measured and the whole 95 % interval of its gain is
 * beyond the run's margin (or, where equal is worth saying, inside it); in a regime that cannot
 * distinguish variants (regime.h), only where the interval is beyond its A/A line.
 *
 * What is recommended was chosen for being large, and so overstates. Choosing on some blocks and
 * reporting from the others has no interval with 6 or 10 blocks. With 20 it finds what 10 find (of
 * 5 % with scatter 4: 51 instead of 85 of 100). So all blocks decide, and the figure is the one to
 * expect given that choice (stats_chosen, beyond the margin or the A/A line). "The same" is printed
 * as measured: its interval is not long enough to overstate.
 *
 * `make simulate` (tests/sim_advice.c, fixed seeds): 20 000 comparisons a row. Scatter is that of a
 * block's ratio. chosen: per cent that are recommended. Then the mean of their figures, as gain in
 * per cent; how many of their intervals hold the truth; half the intervals' width. To the right the
 * mean figure of the largest of 30 equal ones, measured and expected. Rows with under 10
 * recommendations are omitted, as are most rows without any gain. Where the truth is short of the
 * margin a recommendation is an error, and no interval beyond the margin holds it.
 *
 *  true scatter blocks chosen   as measured         as expected         largest of 30
 *  0.0 %    4 %     6    0.10    4.36   0.0 ±2.26    2.81   0.0 ±1.92    4.36  2.81
 *  1.0 %    2 %     6    0.07    3.25   0.0 ±1.26    2.63   0.0 ±1.02    3.25  2.63
 *  1.0 %    4 %     6    0.39    4.71   0.0 ±2.81    2.92   0.0 ±2.20    4.73  2.93
 *  1.0 %    4 %    10    0.42    4.49   0.0 ±2.02    3.04   0.0 ±1.82    4.48  3.03
 *  1.0 %    4 %    20    0.14    3.88   0.0 ±1.55    2.54   0.0 ±1.31    3.88  2.54
 *  2.5 %    1 %     6   10.71    2.99  85.4 ±0.85    2.53  96.1 ±0.78    3.24  2.74
 *  2.5 %    1 %    10   27.55    2.84  90.2 ±0.61    2.50  93.1 ±0.62    3.17  2.96
 *  2.5 %    1 %    20   52.58    2.66  95.3 ±0.45    2.45  94.3 ±0.48    2.99  2.95
 *  2.5 %    2 %     6    4.46    3.75  67.0 ±1.61    2.84  95.0 ±1.41    3.96  3.00
 *  2.5 %    2 %    10   10.01    3.49  75.5 ±1.15    2.73  94.3 ±1.12    3.79  3.06
 *  2.5 %    2 %    20   17.05    3.15  85.6 ±0.86    2.58  94.4 ±0.87    3.46  3.09
 *  2.5 %    4 %     6    2.76    5.44  40.4 ±3.13    3.68  91.5 ±2.74    5.71  3.88
 *  2.5 %    4 %    10    5.50    4.86  53.2 ±2.23    3.31  93.4 ±2.10    5.25  3.67
 *  2.5 %    4 %    20    7.47    4.18  66.0 ±1.69    2.96  94.2 ±1.63    4.48  3.42
 *  5.0 %    1 %     6   98.95    5.01  96.7 ±1.26    4.90  96.6 ±1.62    5.90  5.83
 *  5.0 %    1 %    10  100.00    5.00  95.4 ±0.71    5.00  95.4 ±0.72    5.70  5.70
 *  5.0 %    1 %    20  100.00    5.00  95.4 ±0.47    5.00  95.4 ±0.47    5.49  5.49
 *  5.0 %    2 %     6   62.95    5.27  96.3 ±2.19    4.41  94.6 ±2.37    6.81  6.19
 *  5.0 %    2 %    10   97.84    5.03  95.3 ±1.41    4.85  94.1 ±1.64    6.43  6.42
 *  5.0 %    2 %    20   99.99    5.00  95.2 ±0.95    5.00  95.1 ±0.97    5.99  5.99
 *  5.0 %    4 %     6   20.57    6.53  92.2 ±3.64    4.62  95.6 ±3.48    8.27  6.36
 *  5.0 %    4 %    10   51.06    5.88  95.0 ±2.59    4.63  93.2 ±2.76    7.82  7.25
 *  5.0 %    4 %    20   85.07    5.26  96.8 ±1.87    4.74  94.1 ±2.11    7.03  7.01
 * 10.0 %    1 %     6  100.00   10.00  96.8 ±1.26   10.00  96.8 ±1.28   10.95 10.95
 * 10.0 %    1 %    10  100.00   10.00  95.1 ±0.71   10.00  95.1 ±0.71   10.74 10.74
 * 10.0 %    1 %    20  100.00   10.00  95.2 ±0.47   10.00  95.2 ±0.47   10.52 10.52
 * 10.0 %    2 %     6   99.95   10.01  96.9 ±2.53    9.96  96.9 ±3.19   11.92 11.90
 * 10.0 %    2 %    10  100.00   10.00  95.3 ±1.42   10.00  95.3 ±1.42   11.49 11.49
 * 10.0 %    2 %    20  100.00   10.00  95.1 ±0.95   10.00  95.1 ±0.95   11.04 11.04
 * 10.0 %    4 %     6   83.42   10.26  96.6 ±4.70    8.89  95.6 ±5.51   13.89 12.81
 * 10.0 %    4 %    10   99.91   10.03  95.0 ±2.85    9.95  94.8 ±3.15   13.03 13.03
 * 10.0 %    4 %    20  100.00   10.02  95.1 ±1.90   10.02  95.1 ±1.91   12.11 12.11
 *
 * If a true 2.5 % is recommended, 2.7 to 5.4 % is measured, and 2.5 to 3.7 % expected. Of the
 * intervals, 40 to 95 % hold the truth as measured, and 91 to 96 % as expected. Near the margin the
 * figure is pulled towards it: a true 5 % that one run of five finds is reported as 4.6. The
 * largest of many still overstates: that one was chosen twice. */
#ifndef LAUNCHGAP_ADVICE_H
#define LAUNCHGAP_ADVICE_H

#include "../arena.h"
#include "contrast.h"
#include "regime.h"
#include "summary.h"

/* What to do. */
enum advice_what {
	ADVICE_REGISTER, /* the user buffers */
	ADVICE_THREADS,  /* rather than processes */
	ADVICE_PROCESSES,
	ADVICE_EITHER,  /* of the two */
	ADVICE_SEVERAL, /* workers launch, rather than one thread */
	ADVICE_GRAPH,
	ADVICE_NATIVE, /* collectives, rather than grouped sends and receives */
	ADVICE_BIND,   /* workers to cores */
	ADVICES
};

/* One rule on one pair. */
struct advice_item {
	enum advice_what what;
	enum coll_kind coll;
	struct claim_range range; /* as the rule asks; hi = SIZE_MAX: no end */
	enum metric metric;
	unsigned from, to;         /* variants: `to` is what to choose */
	struct stats_ratio ratio;  /* speed of to against from, as measured */
	struct stats_ratio expect; /* given that it was chosen; where equal, as measured */
	bool equal;                /* neither is faster: the choice is free */
	size_t up_to;              /* each size up to this one is faster; 0: not said */
};

struct advice {
	unsigned nitems;
	struct advice_item *items;
};

/* Without regimes (NULL) all rules apply. Memory is the arena's. */
struct advice advice_make(const struct summary *summary, const struct regimes *regimes,
                          struct arena *arena);

#endif
