/* The one clock. Every stamp in every mode comes from here, in ns since boot, so that stamps of
 * different processes on one host can be subtracted. Adjusted for rate, never stepped. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

/* One turn of a loop that spins: leaves the core to its other thread for a moment. */
static inline void clock_relax(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

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
