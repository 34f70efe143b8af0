/* In which orders the settings between two variants were switched. Pure.
 *
 * A way of m steps, each of another setting, is one of m! orders: the variant behind a step has
 * the settings of the steps so far from the far end and the others from the near one. Where
 * the variants on the way of another order were measured too, a step's effect is its mean over
 * all orders that were, which is Shapley's value where that is all of them (Shapley 1953). With
 * two steps that takes the square of four variants. */
#ifndef LAUNCHGAP_ORDERS_H
#define LAUNCHGAP_ORDERS_H

#include "index.h"

#define ORDERS_STEPS    6 /* of a longer way, one order alone */
#define ORDERS_VARIANTS 80
#define ORDERS_SIDES    (ORDERS_STEPS << (ORDERS_STEPS - 1))

/* One measurement of a step's effect: places in the list of variants. */
struct orders_side {
	unsigned step, from, to;
	double
	    weight; /* how many of the orders go along it, 0.5 is half; a step's add up to 1 */
};

struct orders {
	unsigned nvariants, nsides;
	unsigned variants[ORDERS_VARIANTS]; /* of the summary; those of the way come first */
	struct orders_side sides[ORDERS_SIDES];
	double measured, possible; /* orders; 1 of 1 where a setting is switched twice */
};

/* Along one way alone, of n variants (2 to ORDERS_VARIANTS), whose i-th step is from the i-th
 * to the next. */
void orders_along(const unsigned *way, unsigned n, struct orders *out);
/* All orders that lead from the first variant of a way to its last. */
void orders_find(const struct summary *summary, const unsigned *way, unsigned n,
                 struct orders *out);

#endif
