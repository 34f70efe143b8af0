/* How fast the core under a worker is at this moment, by two fixed pieces of work. In a virtual
 * machine the clock and a busy neighbour are seen by nothing else.
 *   chain: operations that each wait for the one before. Only the core's clock makes it longer.
 *   wide:  operations that wait for nothing and fill the execution ports. Who shares the core
 *          (its other hardware thread) makes it longer too.
 * Takes some 15 µs, allocates nothing, makes no system call. Not for timed calls. */
#ifndef LAUNCHGAP_SPEED_H
#define LAUNCHGAP_SPEED_H

#include <stdint.h>

#define SPEED_CHAIN_STEPS 2000 /* multiply and add, one behind the other: 4 cycles each */
#define SPEED_WIDE_STEPS  4000 /* of 8 additions that do not depend on each other */

struct speed {
	int64_t chain_ns, wide_ns;
};

/* The median of three each, so that an interrupt is not taken for a slow core. `now_ns` is the
 * clock. */
void speed_take(int64_t (*now_ns)(void), struct speed *out);

#endif
