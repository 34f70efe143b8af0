/* processes: one process per rank, started by mpirun. MPI only connects them: once all have mapped
 * the team's block it is not called until the end. */
#include "../harness/machine.h"
#include "mode.h"

#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often all processes together may poll for mpirun's answer. */
#define LOOKS_PER_S 50000
/* Schedulers from which mpirun would take its hosts. */
#define SCHEDULERS "slurm,gridengine,pbs,tm,lsf,alps,flux"
/* How many processes leave mpirun at once, and how long the others wait. */
#define AT_ONCE   8
#define TURN_US   5000
#define TURN_MOST 12000
#define END_MOST  2000 /* 10 s, for others to leave their libraries */

static bool processes_owns(struct layout l)
{
	return l.processes > 1;
}

static struct layout processes_spread(unsigned nranks)
{
	return (struct layout){nranks, 1, 1};
}

const char *mode_unsupported_mpirun(void)
{
	return machine_has_program("mpirun")
	           ? NULL
	           : "mpirun is not on the PATH (Debian: apt-get install openmpi-bin)";
}

/* PMIx's store and vader's segments. With Open MPI 4.1, 2 to 16 processes fill 8.3 MiB and 80
 * KiB each, and vader starts no segment without 4 MiB free. With less, processes wait in
 * MPI_Init for ever. */
size_t mode_scratch_mpirun(struct layout layout)
{
	return ((size_t)14 << 20) + layout.processes * ((size_t)128 << 10);
}

/* Whether a process may read another's memory. A container may forbid it, and then Open MPI
 * complains at each message. Open MPI itself treats any Yama scope but 0 as a no. */
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

/* We bind, mpirun does not; more ranks than cores are allowed; vader's shared-memory files and
 * mpirun's session go where the runner removes them. All ranks run on this host, in a job of
 * several hosts as well: mpirun does not ask the scheduler for hosts, and needs no ssh. Open MPI 5
 * has these settings under other names, and no plm that only starts processes here. */
int mode_command_mpirun(const struct run *run, const char *self, struct mode_argv *out,
                        struct status *st)
{
	char count[16];
	snprintf(count, sizeof count, "%u", run->layout.processes);
	const char *const args[] = {
	    "env",
	    "OMPI_MCA_ras=^" SCHEDULERS,
	    "OMPI_MCA_plm=isolated",
	    "PRTE_MCA_ras=^" SCHEDULERS,
	    "mpirun",
	    "-np",
	    count,
	    "--oversubscribe",
	    "--bind-to",
	    "none",
	    "--mca",
	    "pml",
	    "ob1",
	    "--mca",
	    "btl",
	    "self,vader",
	    "--mca",
	    "btl_vader_single_copy_mechanism",
	    run->messages && copies_once() ? "cma" : "none",
	    "--mca",
	    "btl_vader_backing_directory",
	    run->scratch,
	    "--mca",
	    "async_mpi_finalize",
	    "1",
	    "--mca",
	    "orte_tmpdir_base",
	    run->scratch,
	    self,
	    "worker",
	    run->order,
	};
	/* mpirun refuses root without this flag; other users may give it too. */
	for (unsigned i = 0; i < sizeof args / sizeof *args; i++) {
		if (mode_argv_add(out, args[i]) || (!strcmp(args[i], "mpirun") && geteuid() == 0 &&
		                                    mode_argv_add(out, "--allow-run-as-root")))
			return status_set(st, "out of memory for mpirun's command");
	}
	return 0;
}

static int share_team(const struct run *run, int process, struct team **team, struct status *st)
{
	char path[64] = "";
	int made = 0, joined, all;
	if (process == 0)
		made = team_create(&run->shape, path, sizeof path, team, st);
	MPI_Bcast(&made, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (made)
		return status_set(st, "the first process could not make the team's block");
	joined = process == 0 ? 0 : team_join(path, team, st);
	MPI_Allreduce(&joined, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (process == 0)
		team_seal(*team);
	return all ? status_set(st, "another process could not join the team's block") : 0;
}

struct part {
	const struct run *run;
	struct team *team;
	unsigned process;
	mode_worker_fn *worker;
	void *arg;
};

static int run_part(void *arg, struct status *st)
{
	const struct part *p = arg;
	if (p->run->isolates)
		team_touch(p->team);
	return mode_run_threads(p->run, p->team, p->process, p->worker, p->arg, st);
}

/* MPI stays with the parent: it has threads by then, and a process with threads cannot enter a user
 * namespace. A process that does not get that far fails the team, or the others would wait. */
static int run_apart(const struct part *p, struct status *st)
{
	struct isolation own = p->run->isolation;
	own.process = p->process;
	unsigned ranks = p->run->layout.threads * p->run->layout.ranks_per_thread;
	own.gpu = own.process * ranks / own.ranks_per_gpu;
	own.gpus = (ranks + own.ranks_per_gpu - 1) / own.ranks_per_gpu;
	if (!isolation_run(&own, run_part, (void *)(uintptr_t)p, st))
		return 0;
	team_fail(p->team, own.process * ranks, st->text);
	return -1;
}

/* In MPI_Init and MPI_Finalize each process polls for mpirun's answers, 10 000 times a second. If
 * processes outnumber the cores, mpirun hardly gets to answer: on 2 busy cores 256 processes took
 * 80 s to begin. With timer slack they take 25 s. */
static void look_seldom(const struct run *run)
{
	unsigned long slack_ns = run->layout.processes * (1000000000ul / LOOKS_PER_S);
	if (run->shape.yield)
		prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0);
}

/* Tells the runner that all processes completed their part: a file beside the order. Later errors of
 * mpirun are about its own shutdown, in which it answers late on a busy machine. */
static void say_ended(const struct run *run, const struct team *team)
{
	char file[PATH_MAX];
	for (unsigned i = 0; i < END_MOST && team_ended(team) < run->layout.processes; i++)
		usleep(TURN_US);
	snprintf(file, sizeof file, "%s" MODE_ENDED, run->order);
	int fd = team_ended(team) < run->layout.processes
	             ? -1
	             : open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

/* When a process leaves, PMIx waits 2 s for mpirun's answer; without one mpirun takes the end of the
 * process for a crash. So if cores are few, a few processes leave at a time, and none waits for the
 * others (async_mpi_finalize). A process that has waited for long leaves anyway. */
static void finalize(const struct run *run, struct team *team, unsigned process)
{
	bool turns = team && run->shape.yield;
	for (unsigned i = 0; turns && i < TURN_MOST && team_gone(team) + AT_ONCE <= process; i++)
		usleep(TURN_US);
	look_seldom(run);
	MPI_Finalize();
	if (turns)
		team_go(team);
	team_leave(team);
}

int mode_run_mpirun(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
                    struct status *st)
{
	struct team *team = NULL;
	int provided, process, processes, result = -1;
	look_seldom(run);
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided))
		return status_set(st, "MPI_Init_thread failed");
	prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0); /* as it was */
	MPI_Comm_rank(MPI_COMM_WORLD, &process);
	MPI_Comm_size(MPI_COMM_WORLD, &processes);
	if ((unsigned)processes != run->layout.processes)
		status_set(st, "mpirun started %d processes, the layout has %u", processes,
		           run->layout.processes);
	else if (!share_team(run, process, &team, st)) {
		struct part part = {run, team, (unsigned)process, worker, arg};
		if (!(run->isolates ? run_apart(&part, st) : run_part(&part, st)))
			result = process == 0 ? lead(team, arg, st) : 0;
	}
	/* The watchdog ended with the child: others may be in a call that does not return, and
	 * mpirun ends them. */
	if (result && run->isolates) {
		status_complain(st);
		_exit(1);
	}
	if (!result)
		team_end(team);
	if (!result && process == 0)
		say_ended(run, team);
	finalize(run, team, (unsigned)process);
	return result;
}

const struct mode mode_processes = {
    .name = "processes",
    .summary = "one process per rank, started by Open MPI's mpirun",
    .is = {.mpi = true},
    .owns = processes_owns,
    .spread = processes_spread,
    .scratch_bytes = mode_scratch_mpirun,
    .unsupported = mode_unsupported_mpirun,
    .command = mode_command_mpirun,
    .enter = mode_run_mpirun,
};
