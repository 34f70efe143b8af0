/* Which variants the pictures' lines are of: those that were measured, but the limit, which has
 * a line of its own. Where these are too many to be told apart, and the experiment asks about a
 * gap: the reference and its twin, the two ends of the gap, and of each mode the first. Pure.
 */
#ifndef LAUNCHGAP_DRAWN_H
#define LAUNCHGAP_DRAWN_H

#include "../analysis/summary.h"

#define DRAWN_MOST 12 /* lines, the twin's included */

bool drawn_is(const struct summary *summary, unsigned variant);
/* How many have a line, and how many were measured but have none. */
unsigned drawn_count(const struct summary *summary);
unsigned drawn_left_out(const struct summary *summary);

#endif
