/* threads: one process, a thread for each rank (or for each few). */
#include "mode.h"

static bool threads_owns(struct layout l)
{
	return l.processes == 1 && l.threads > 1;
}

static struct layout threads_spread(unsigned nranks)
{
	return (struct layout){1, nranks, 1};
}

const struct mode mode_threads = {
    .name = "threads",
    .summary = "one process, one thread per rank",
    .owns = threads_owns,
    .spread = threads_spread,
};
