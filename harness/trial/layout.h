/* How a trial's ranks are placed: processes of threads of ranks. */
#pragma once

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

static inline struct layout layout_on_host(struct layout l, unsigned hosts)
{
	l.processes /= hosts;
	return l;
}
