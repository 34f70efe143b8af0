/* exec: the job's first process, which has no rank, starts all others on this host and waits for them; they meet on
 * loopback. With hosts = N each N-th of them pretends to be on a host of its own. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/door.h"
#include "../harness/trial/trial.h"
#include "launcher.h"

static int exec_supports(const struct settings *set, struct status *st)
{
	if (hosts_named(set->hosts))
		return status_set(st,
		                  "launcher = exec starts processes on this host alone; allowed is "
		                  "hosts = this, or a number of simulated ones");
	if (set->hosts[0] && strcmp(set->launcher, "exec") != 0)
		return status_set(st,
		                  "hosts = %s needs a launcher that reaches them; allowed are "
		                  "names (mpirun), srun, join, or launcher = exec, which "
		                  "pretends",
		                  set->hosts);
	return 0;
}

/* --- the one that starts the others --- */

struct starter {
	const struct launched *as;
	unsigned hosts; /* simulated; 1: none */
	unsigned ranks; /* of each process */
	struct door_place door;
	char secret[WIRE_SECRET_BYTES];
	pid_t children[SETTINGS_MAX_RANKS]; /* by rank; 0: it has ended */
};

static const char *host_of(const struct starter *s, unsigned process, char name[32])
{
	snprintf(name, 32, "simulated%u", process / (s->as->processes / s->hosts));
	return s->hosts > 1 ? name : NULL;
}

static int start_all(struct starter *s, struct status *st)
{
	char host[32];
	for (unsigned rank = 0; rank < s->as->processes; rank++) {
		const struct peers_seat seat = {.rank = rank,
		                                .address = s->door.address,
		                                .secret = s->secret,
		                                .door = s->door.fd};
		s->children[rank] = fork();
		if (s->children[rank] == 0)
			launcher_become(s->as, &seat, host_of(s, rank, host));
		if (s->children[rank] < 0)
			return status_set(st, "cannot start process %u of %u: %s", rank + 1,
			                  s->as->processes, status_unstarted(errno));
	}
	return 0;
}

static void kill_all(const struct starter *s)
{
	for (unsigned rank = 0; rank < s->as->processes; rank++)
		if (s->children[rank] > 0)
			kill(s->children[rank], SIGKILL);
}

static unsigned rank_of(const struct starter *s, pid_t child)
{
	unsigned rank = 0;
	while (rank < s->as->processes && s->children[rank] != child)
		rank++;
	return rank;
}

/* Once one has failed the others have a while to leave. The first failure decides the status. */
static int wait_all(struct starter *s)
{
	int status, failed = 0;
	struct status why = {""};
	char host[32];
	unsigned left = s->as->processes;
	int64_t until = INT64_MAX;
	while (left) {
		pid_t child = waitpid(-1, &status, until == INT64_MAX ? 0 : WNOHANG);
		if (child < 0 && errno == ECHILD)
			return failed ? failed : 1; /* another waiter took their ends */
		if (child <= 0) {
			const struct timespec moment = {0, 20000000};
			if (clock_now_ns() > until)
				kill_all(s);
			nanosleep(&moment, NULL);
			continue;
		}
		const unsigned rank = rank_of(s, child);
		if (rank == s->as->processes)
			continue;
		s->children[rank] = 0;
		left--;
		if (!status || failed)
			continue;
		failed = launcher_code(status);
		until = clock_now_ns() + launcher_grace_ns(status);
		if (!WIFSIGNALED(status))
			continue;
		launcher_killed(host_of(s, rank, host), rank, s->ranks, WTERMSIG(status), &why);
		status_complain(&why);
	}
	return failed;
}

/* Ends this process: it has no rank. */
static int start(const struct launched *as, struct status *st)
{
	struct trial *trial = NULL;
	struct starter s = {.as = as};
	if (trial_load(as->order, &trial, st))
		return -1;
	s.hosts = settings_hosts(&trial->settings);
	s.ranks = layout_ranks(trial->settings.layout) / as->processes;
	trial_free(trial);
	if (as->processes > SETTINGS_MAX_RANKS)
		return status_set(st, "%u processes are too many", as->processes);
	if (wire_secret(s.secret, st) || door_open("127.0.0.1:0", &s.door, st))
		return -1;
	const int unstarted = start_all(&s, st);
	close(s.door.fd);
	if (!unstarted)
		_exit(wait_all(&s));
	kill_all(&s);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		continue;
	return -1;
}

const struct launcher launcher_exec = {
    .name = "exec",
    .summary = "the job starts its processes itself, without MPI, on this host",
    .pretends = true,
    .several = true,
    .supports = exec_supports,
    .find = launcher_meet,
    .start = start,
};
