/* alone: a job of one process, which nothing has to start but the runner. */
#include "launcher.h"

static int alone_supports(const struct settings *set, struct status *st)
{
	if (set->layout.processes > 1)
		return status_set(st, "launcher = alone starts one process, and the layout has %u",
		                  set->layout.processes);
	return 0;
}

const struct launcher launcher_alone = {
    .name = "alone",
    .summary = "one process, started by the runner",
    .supports = alone_supports,
};
