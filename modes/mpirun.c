/* mpirun: MPI's launcher. Once all have mapped the block only the backend mpi calls MPI. */
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/machine.h"
#include "../harness/mpi/mpi_load.h"
#include "launcher.h"

/* How often all processes together may poll for mpirun's answer. */
#define LOOKS_PER_S 50000
/* Schedulers from which mpirun would take its hosts. */
#define SCHEDULERS "slurm,gridengine,pbs,tm,lsf,alps,flux"
/* How many processes leave mpirun at once, and how long the others wait. */
#define AT_ONCE   8
#define TURN_US   5000
#define TURN_MOST 12000

static int mpirun_supports(const struct settings *set, struct status *st)
{
	if (set->hosts[0] && !hosts_named(set->hosts))
		return status_set(st, "launcher = mpirun wants the names of the hosts; allowed is "
		                      "hosts = a:8,b:8, or @FILE");
	if (!machine_has_program("mpirun"))
		return status_set(
		    st, "mpirun is not on the PATH (Debian: apt-get install openmpi-bin)");
	char library[64];
	struct status why = {""};
	return mpi_find(library, sizeof library, &why)
	           ? status_set(st, "MPI cannot be loaded here (`launchgap doctor` says why; "
	                            "Debian: apt-get install libopenmpi-dev, then make)")
	           : 0;
}

/* PMIx's store and vader's segments: 2 to 16 processes fill 8.3 MiB and 80 KiB each (Open MPI 4.1),
 * vader starts none without 4 MiB free, and with less processes wait in MPI_Init for ever. */
static size_t mpirun_scratch(struct layout layout)
{
	return ((size_t)14 << 20) + layout.processes * ((size_t)128 << 10);
}

/* Whether a process may read another's memory, else Open MPI complains at each message. It takes
 * any Yama scope but 0 for a no. */
static bool copies_once(void)
{
	static const char yama[] = "/proc/sys/kernel/yama/ptrace_scope";
	static const char secret[] = "what a child has";
	char seen[sizeof secret] = "", scope = '0';
	FILE *f = fopen(yama, "re");
	if (f && fread(&scope, 1, 1, f) != 1)
		scope = '0';
	if (f)
		fclose(f);
	pid_t child = scope == '0' ? fork() : -1;
	if (child == 0) {
		pause();
		_exit(0);
	}
	if (child < 0)
		return false;
	struct iovec to = {seen, sizeof seen}, from = {(void *)(uintptr_t)secret, sizeof secret};
	ssize_t n = process_vm_readv(child, &to, 1, &from, 1, 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return n == (ssize_t)sizeof secret && !memcmp(seen, secret, sizeof secret);
}

/* All on this host: mpirun asks no scheduler, needs no ssh. Open MPI 5 has other names. */
#define HERE "OMPI_MCA_ras=^" SCHEDULERS, "OMPI_MCA_plm=isolated", "PRTE_MCA_ras=^" SCHEDULERS

/* As many on each host, and what mpirun would not hand on to other hosts by itself. */
static void add_hosts(const struct settings *set, struct launcher_argv *out)
{
	launcher_add(out, "--host", set->hosts, "--map-by", "node");
	for (unsigned i = 0; i < set->nenv; i++) {
		char name[TRIAL_ENV_BYTES];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(set->env[i], "="), set->env[i]);
		launcher_add(out, "-x", name);
	}
}

/* In MPI_Init and MPI_Finalize each process polls 10 000 times a second: on 2 busy cores 256
 * processes took 80 s to begin, with timer slack 25 s. */
static void look_seldom(const struct launched *as)
{
	unsigned long slack_ns = as->processes * (1000000000ul / LOOKS_PER_S);
	if (as->yield)
		prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}

static int mpirun_find(const struct launched *as, struct peers *out, struct status *st)
{
	look_seldom(as);
	int result = peers_open_mpi(out, st);
	prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0); /* as it was */
	return result;
}

/* PMIx waits 2 s for mpirun's answer when a process leaves, and without one mpirun takes that for a
 * crash: a few leave at a time, and none waits for the others (async_mpi_finalize). */
static void mpirun_leave(const struct launched *as, struct peers *rendezvous, struct team *team,
                         unsigned process)
{
	bool turns = team && as->yield;
	for (unsigned i = 0;
	     turns && i < TURN_MOST && team_count(team, TEAM_GONE, 0) + AT_ONCE <= process; i++)
		usleep(TURN_US);
	look_seldom(as);
	peers_close(rendezvous);
	if (turns)
		team_count(team, TEAM_GONE, 1);
}

/* Open MPI's: we bind, it does not; more ranks than cores are allowed; root needs a flag. Vader's
 * files and mpirun's session are where the runner removes them; on other hosts Open MPI does. */
static void add_open_mpi(const struct launch *launch, struct launcher_argv *out)
{
	const bool here = !launch->set->hosts[0];
	const char *copies = launch->messages && copies_once() ? "cma" : "none";
	if (geteuid() == 0)
		launcher_add(out, "--allow-run-as-root");
	launcher_add(out, "--oversubscribe", "--bind-to", "none", "--mca", "pml", "ob1", "--mca",
	             "btl", here ? "self,vader" : "self,vader,tcp", "--mca",
	             "btl_vader_single_copy_mechanism", copies, "--mca", "async_mpi_finalize", "1");
	if (here)
		launcher_add(out, "--mca", "btl_vader_backing_directory", launch->scratch, "--mca",
		             "orte_tmpdir_base", launch->scratch);
	else
		add_hosts(launch->set, out);
}

/* Hydra, of MPICH and its kin: -ppn deals ranks out; the environment goes to all hosts. */
static void add_hydra(const struct settings *set, struct launcher_argv *out)
{
	char each[16];
	snprintf(each, sizeof each, "%u", settings_on_host(set).processes);
	if (set->hosts[0])
		launcher_add(out, "-hosts", set->hosts, "-ppn", each);
	else
		launcher_add(out, "-launcher", "fork");
}

static int mpirun_command(const struct launch *launch, struct launcher_argv *out, struct status *st)
{
	char count[16], library[64] = "";
	if (mpi_find(library, sizeof library, st))
		return -1;
	const bool hydra = strstr(library, "MPICH") || strstr(library, "Intel");
	snprintf(count, sizeof count, "%u", launch->set->layout.processes);
	launcher_add(out, "env");
	if (!hydra && !launch->set->hosts[0])
		launcher_add(out, HERE);
	launcher_add(out, "mpirun", "-np", count);
	if (hydra)
		add_hydra(launch->set, out);
	else
		add_open_mpi(launch, out);
	return 0;
}

const struct launcher launcher_mpirun = {
    .name = "mpirun",
    .summary = "MPI's own (Open MPI, MPICH), on this host or on hosts = a:8,b:8",
    .mpi = true,
    .several = true,
    .supports = mpirun_supports,
    .scratch_bytes = mpirun_scratch,
    .command = mpirun_command,
    .find = mpirun_find,
    .leave = mpirun_leave,
};
