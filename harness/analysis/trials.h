/* One number per trial: how it stands against the other trials of its variant. Pure. */
#ifndef LAUNCHGAP_TRIALS_H
#define LAUNCHGAP_TRIALS_H

#include "summary.h"

struct trials_number {
	unsigned variant, block, order;
	/* The mean over the group's sizes of log(time ÷ the variant's median time): 0.02 is
	 * 2 % slower than its variant's usual. */
	double log_time;
};

/* The trials of a group, limits left out, in the order in which they ran. The caller frees
 * *out. -1: out of memory. */
int trials_of(const struct summary *summary, unsigned group, struct trials_number **out,
              unsigned *count);

#endif
