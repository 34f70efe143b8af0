/* processes: one process per rank (or for each few). */
#include "mode.h"

static bool processes_owns(struct layout l)
{
	return l.processes > 1;
}

static struct layout processes_spread(unsigned nranks)
{
	return (struct layout){nranks, 1, 1};
}

const struct mode mode_processes = {
    .name = "processes",
    .summary = "one process per rank",
    .owns = processes_owns,
    .spread = processes_spread,
};
