/* alone: a job of one process, which nothing has to start but the runner. */
#include "launcher.h"

static int alone_supports(const struct settings *set, struct status *st)
{
	if (set->layout.processes > 1)
		return status_set(st, "launcher = alone starts one process, and the layout has %u",
		                  set->layout.processes);
	return 0;
}

static int alone_find(const struct launched *as, struct rendezvous **out, struct status *st)
{
	const struct rendezvous_seat seat = {.size = 1, .door = -1};
	(void)as;
	return rendezvous_open_tcp(&seat, out, st);
}

const struct launcher launcher_alone = {
    .name = "alone",
    .summary = "one process, started by the runner",
    .supports = alone_supports,
    .find = alone_find,
};
