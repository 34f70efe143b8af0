/* srun: a step of the allocation that the run is in. Its PMIx connects the processes to MPI. */
#include "../harness/machine.h"
#include "launcher.h"

static int srun_supports(const struct settings *set, struct status *st)
{
	(void)set;
	if (!machine_has_program("srun"))
		return status_set(st, "srun is not on the PATH: Slurm's client is not here");
	if (!machine_env("SLURM_JOB_ID"))
		return status_set(st, "launcher = srun starts steps of an allocation, and this run "
		                      "is in none; start it by sbatch or salloc");
	return 0;
}

/* The names alone: srun counts the tasks of a node by itself. */
static void names_of(const char *hosts, char *out, size_t bytes)
{
	size_t used = (size_t)snprintf(out, bytes, "--nodelist=");
	for (const char *at = hosts; *at;) {
		const size_t n = strcspn(at, ","), name = strcspn(at, ":,");
		if (used < bytes)
			used += (size_t)snprintf(out + used, bytes - used, "%.*s%s", (int)name, at,
			                         at[n] ? "," : "");
		at += n + (at[n] == ',');
	}
}

/* We bind, Slurm does not. --overlap: the batch script's own step has the allocation's CPUs. The
 * first process has to be where the record is written, on the node of the batch script: block by
 * block from the first node on. */
static int srun_command(const struct launch *launch, struct launcher_argv *out, struct status *st)
{
	(void)st;
	const struct settings *set = launch->set;
	char nodes[32], tasks[32], each[48], list[HOSTS_BYTES + 16] = "";
	snprintf(nodes, sizeof nodes, "--nodes=%u", settings_hosts(set));
	snprintf(tasks, sizeof tasks, "--ntasks=%u", set->layout.processes);
	snprintf(each, sizeof each, "--ntasks-per-node=%u", settings_on_host(set).processes);
	if (hosts_named(set->hosts))
		names_of(set->hosts, list, sizeof list);
	launcher_add(out, "srun", "--mpi=pmix", nodes, tasks, each, "--overlap", "--cpu-bind=none",
	             "--distribution=block", "--kill-on-bad-exit=1", "--export=ALL",
	             list[0] ? list : NULL);
	return 0;
}

const struct launcher launcher_srun = {
    .name = "srun",
    .summary = "Slurm's srun --mpi=pmix, within an allocation; hosts = N nodes",
    .mpi = true,
    .queues = true,
    .several = true,
    .supports = srun_supports,
    .command = srun_command,
};
