/* Cliffs: sizes where bandwidth leaves what the sizes before lead to, beyond the noise. Pure.
 *
 * A call that costs a + bytes ÷ b has a bandwidth whose slope over the size, both on
 * logarithmic axes, lies between 1 and 0 and never rises. So from one size to the next
 * bandwidth should grow no faster than it did before (as far as there is a before, and never
 * faster than the size), and should not fall. Both are judged as every gap here: one number per
 * block, the bandwidth over what it should be, with its signed-rank interval; below 6 blocks
 * nothing is named. */
#ifndef LAUNCHGAP_CLIFFS_H
#define LAUNCHGAP_CLIFFS_H

#include "summary.h"

enum cliff_kind { CLIFF_JUMP, CLIFF_FALL };

struct cliff {
	enum cliff_kind kind;
	unsigned group, variant;     /* the reference, else in which it is strongest */
	unsigned from, to;           /* sizes of the group */
	double from_gbs, to_gbs;     /* bus bandwidth of that variant */
	double factor;               /* bandwidth ÷ what it should be at least (fall: at to) */
	unsigned variants, measured; /* how many show it, of how many; limits not counted */
	char names[256];             /* of those that show it */
	int limit;                   /* plain copies show it too: 1, do not: 0, were not
	                                measured: -1 */
};

/* The caller frees *out. Groups without bandwidth are left out. */
int cliffs_find(const struct summary *summary, struct cliff **out, unsigned *count,
                struct status *st);
/* Whether a variant leaves its way from the group's size `to - 1` to `to`, how, and by how much.
 */
bool cliffs_leaves(const struct summary *summary, unsigned group, unsigned variant, unsigned to,
                   enum cliff_kind *kind, double *factor);
/* A sentence that names it, and `cause`; where that is "", what to look at. */
void cliffs_say(const struct summary *summary, const struct cliff *cliff, const char *cause,
                char *text, size_t bytes);

#endif
