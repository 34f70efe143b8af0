/* Which variants the pictures show, in which order, and which of their curves are one line.
 * Pure.
 *
 * All that were measured except the limit, which has its own line. If these are too many to
 * distinguish, and the experiment asks about a gap: the reference and its twin, the two ends of the
 * gap, and of each mode the first. */
#ifndef LAUNCHGAP_PLOT_ORDER_H
#define LAUNCHGAP_PLOT_ORDER_H

#include "summary.h"

#define PLOT_ORDER_MOST  12 /* variants, the twin included */
#define PLOT_ORDER_LINES 5  /* in one panel */

bool plot_order_has(const struct summary *summary, unsigned variant);
/* How many are shown, and how many were measured but are not. */
unsigned plot_order_count(const struct summary *summary);
unsigned plot_order_left_out(const struct summary *summary);

/* The groups that pictures are made of: the limit's is in those of the others, and pairs have their
 * own pictures. */
bool plot_order_has_group(const struct summary *summary, unsigned group);
/* Beyond so many collectives (each with its datatype, operation and so on) some pictures are
 * omitted: nobody looks at so many. */
#define PLOT_ORDER_DETAIL 4u  /* launch, ranks, ecdf, timeline */
#define PLOT_ORDER_EACH   15u /* any picture of one collective alone */
/* How many the run has, without the limit's own. */
unsigned plot_order_collectives(const struct summary *summary);
/* Whether bandwidth matters at a size: from 16 MiB up on GPUs, else from 256 KiB up. */
bool plot_order_is_large(const struct summary *summary, size_t asked_bytes);

struct plot_order {
	unsigned *variants; /* of the summary */
	unsigned *families; /* theirs, from 0, the reference's: variants with names that differ only
	                       in the mode, as threads-old and processes-old, share one */
	unsigned n;
	unsigned main; /* this many, from the first on: what the experiment is about, and others up
	                  to a panel's lines */
};

/* All that are shown: the reference, of each mode the first, the ends of the gap, others as
 * the experiment has them, the twin last. */
struct plot_order plot_order_make(const struct summary *summary, struct arena *arena);

/* Curves that are equal within the tolerance become one line: curve i joins the first line if its
 * ratio to all of the line's curves is within it at each size. values: positive, of curve i
 * at size k at [i * nsizes + k], NaN where it has none; a size that only one of two has
 * distinguishes them. line: n of them, from 0 in the order of each line's first curve. Returns how
 * many lines. */
unsigned plot_order_merge(const double *values, unsigned n, unsigned nsizes, double tolerance,
                          unsigned *line);

#endif
