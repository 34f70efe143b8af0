/* exec: the job's first process, which has no rank, starts all others on this host and waits for
 * them; they meet on loopback. With hosts = N each N-th of them pretends to be on its own host. */
#include "launcher.h"

static int exec_supports(const struct settings *set, struct status *st)
{
	if (hosts_named(set->hosts))
		return status_set(st, "launcher = exec starts processes on this host alone; "
		                      "allowed is hosts = this, or a number of simulated ones");
	if (set->hosts[0] && strcmp(set->launcher, "exec") != 0)
		return status_set(st,
		                  "hosts = %s needs a launcher that reaches them; allowed are "
		                  "names (mpirun), srun, join, or launcher = exec, which pretends",
		                  set->hosts);
	return 0;
}

const struct launcher launcher_exec = {
    .name = "exec",
    .summary = "the job starts its processes itself, without MPI, on this host",
    .pretends = true,
    .several = true,
    .supports = exec_supports,
    .find = launcher_meet,
};
