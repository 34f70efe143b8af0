/* The one clock. Every stamp in every mode comes from here, in ns since boot, so that stamps of
 * different processes on one host can be subtracted. Adjusted for rate, never stepped. */
#ifndef LAUNCHGAP_CLOCK_H
#define LAUNCHGAP_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Sleeps until then. A system call. */
static inline void clock_sleep_until(int64_t ns)
{
	const struct timespec t = {ns / 1000000000, ns % 1000000000};
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* CPU time of the calling thread. A system call: not in timed calls. */
static inline int64_t clock_cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

#endif
