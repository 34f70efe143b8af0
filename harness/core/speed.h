/* How fast a worker's core is now, by two fixed pieces of work. In a virtual machine nothing else
 * shows the core's clock or a busy neighbour.
 *   chain: operations that each wait for the previous one. Only a slower clock lengthens it.
 *   wide:  independent operations that fill the execution ports. Load on the core's other
 *          hardware thread lengthens it too.
 * Takes about 15 µs, allocates nothing, makes no system call. Not for timed calls. */
#ifndef LAUNCHGAP_SPEED_H
#define LAUNCHGAP_SPEED_H

#include <stdint.h>

#define SPEED_CHAIN_STEPS 2000 /* multiply and add, one after the other: 4 cycles each */
#define SPEED_WIDE_STEPS  4000 /* of 8 additions that do not depend on each other */

struct speed {
	int64_t chain_ns, wide_ns;
};

/* The median of three each, so that an interrupt does not look like a slow core. `now_ns` is the
 * clock. */
void speed_take(int64_t (*now_ns)(void), struct speed *out);

#endif
