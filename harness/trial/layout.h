/* How a trial's ranks are placed: processes of threads of ranks. */
#ifndef LAUNCHGAP_LAYOUT_H
#define LAUNCHGAP_LAYOUT_H

struct layout {
	unsigned processes, threads, ranks_per_thread;
};

static inline unsigned layout_ranks(struct layout l)
{
	return l.processes * l.threads * l.ranks_per_thread;
}

static inline unsigned layout_workers(struct layout l)
{
	return l.processes * l.threads;
}

/* What each of so many hosts gets of it. */
static inline struct layout layout_on_host(struct layout l, unsigned hosts)
{
	l.processes /= hosts;
	return l;
}

/* Where workers are: one alone, threads of one process, in several processes. */
enum placing { PLACED_NOWHERE, PLACED_ALONE, PLACED_THREADS, PLACED_PROCESSES };

static inline enum placing layout_placing(struct layout l)
{
	if (l.processes > 1)
		return PLACED_PROCESSES;
	return l.threads > 1 ? PLACED_THREADS : layout_workers(l) ? PLACED_ALONE : PLACED_NOWHERE;
}

#endif
