/* single: one thread drives every rank, as a program with one GPU loop does. */
#include "mode.h"

static bool single_owns(struct layout l)
{
	return l.processes == 1 && l.threads == 1;
}

static struct layout single_spread(unsigned nranks)
{
	return (struct layout){1, 1, nranks};
}

const struct mode mode_single = {
    .name = "single",
    .summary = "one process, one thread for all ranks",
    .owns = single_owns,
    .spread = single_spread,
};
