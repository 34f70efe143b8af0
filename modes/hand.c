#include "hand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "starter.h"

static bool has_end(const char *text, size_t bytes)
{
	return memchr(text, '\0', bytes) != NULL;
}

/* What a rank lets others set: what tunes the libraries that are measured. Nothing that replaces the program or
 * what it is linked with (LD_PRELOAD, PATH), or that Open MPI loads or runs. A final _ is of all names that
 * begin so. */
// clang-format off
static const char *const may_set[] = {
    "NCCL_", "CUDA_", "UCX_", "FI_", "GLOO_", "OMPI_MCA_btl=", "OMPI_MCA_btl_base_verbose=", "OMPI_MCA_btl_tcp_if_include=",
    "OMPI_MCA_btl_vader_segment_size=", "OMPI_MCA_mpi_leave_pinned=", "OMPI_MCA_mpi_yield_when_idle=", "OMPI_MCA_oob_tcp_if_include=",
    "OMPI_MCA_orte_base_help_aggregate=", "OMPI_MCA_pml=",
};
// clang-format on

static int check_variable(const char *entry, struct status *st)
{
	for (size_t i = 0; i < sizeof may_set / sizeof *may_set && strchr(entry, '='); i++)
		if (!strncmp(entry, may_set[i], strlen(may_set[i])))
			return 0;
	return status_set(
	    st,
	    "%.*s is no variable that agents take from others; allowed are names that "
	    "begin with NCCL_, CUDA_, UCX_, FI_ or GLOO_, and some of OMPI_MCA_",
	    (int)strcspn(entry, "="), entry);
}

int hand_check(const struct hand_order *o, struct status *st)
{
	bool right = o->processes <= SETTINGS_MAX_RANKS && o->rank < o->processes &&
	             o->nenv <= TRIAL_MAX_ENV && has_end(o->address, sizeof o->address) &&
	             has_end(o->order, sizeof o->order);
	for (unsigned i = 0; right && i < o->nenv; i++)
		right = has_end(o->env[i], sizeof o->env[i]);
	if (!right)
		return status_set(st, "it is no order: do all run the same launchgap?");
	for (unsigned i = 0; i < o->nenv; i++)
		if (check_variable(o->env[i], st))
			return -1;
	return 0;
}

void hand_bind(const cpu_set_t *cpus)
{
	if (CPU_COUNT(cpus))
		sched_setaffinity(0, sizeof *cpus, cpus);
}

/* A group of its own: Ctrl-C is for the agents. */
static void become(const struct hand_order *o, const char *self, const char *secret, int said,
                   int door, pid_t parent)
{
	char own[WIRE_SECRET_BYTES];
	const struct launched as = {.by = launcher_find("join"),
	                            .self = self,
	                            .order = o->order,
	                            .processes = o->processes,
	                            .yield = o->yield};
	const struct rendezvous_seat seat = {
	    .rank = o->rank, .address = o->address, .secret = own, .door = door};
	sigset_t none;
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || in < 0 || dup2(in, 0) || dup2(said, 1) != 1 ||
	    dup2(said, 2) != 2)
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (unsigned i = 0; i < o->nenv; i++)
		putenv((char *)(uintptr_t)o->env[i]);
	hand_bind(&o->cpus);
	wire_derive(secret, o->address, own);
	starter_become(&as, &seat, NULL);
}

int hand_start(struct hand *hand, const struct hand_order *order, const char *self,
               const char *secret, int door, struct status *st)
{
	int said[2];
	if (hand->pid)
		return status_set(st, "has a worker already");
	if (pipe2(said, O_CLOEXEC))
		return status_set(st, "cannot start a worker: %s", strerror(errno));
	const pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(order, self, secret, said[1], door, parent);
	close(said[1]);
	if (pid < 0) {
		close(said[0]);
		return status_set(st, "cannot start a worker: %s", status_unstarted(errno));
	}
	setpgid(pid, pid);
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	*hand = (struct hand){.pid = pid, .job = order->job, .said = said[0]};
	return 0;
}

int hand_signals(const int *signals, struct status *st)
{
	sigset_t set;
	sigemptyset(&set);
	for (; *signals; signals++)
		sigaddset(&set, *signals);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : status_set(st, "signalfd: %s", strerror(errno));
}

void hand_hear(struct hand *hand)
{
	const size_t most = sizeof hand->tail - 1, half = most / 2;
	ssize_t n;
	/* No more than a pipe holds: who prints without end does not keep us here. */
	for (unsigned i = 0; hand->pid && hand->said >= 0 && i < 64; i++) {
		if (hand->n == most) {
			hand->n -= half;
			memmove(hand->tail, hand->tail + half, hand->n);
			hand->cut = true;
		}
		n = read(hand->said, hand->tail + hand->n, most - hand->n);
		if (n > 0) {
			hand->n += (size_t)n;
			continue;
		}
		if (n == 0) {
			close(hand->said);
			hand->said = -1;
		}
		break;
	}
}

void hand_kill(const struct hand *hand)
{
	if (hand->pid > 0)
		kill(-hand->pid, SIGKILL);
}

bool hand_ended(struct hand *hand, struct hand_end *out)
{
	int status = 127 << 8; /* another waiter took its end */
	const pid_t child = hand->pid ? waitpid(hand->pid, &status, WNOHANG) : 0;
	if (!child || (child < 0 && errno != ECHILD))
		return false;
	hand_kill(hand); /* what it left running */
	hand_hear(hand);
	if (hand->said >= 0)
		close(hand->said);
	*out = (struct hand_end){.job = hand->job, .status = status};
	/* The first line of what was cut is not whole. */
	hand->tail[hand->n] = '\0';
	const char *from = hand->cut ? strchr(hand->tail, '\n') : NULL;
	snprintf(out->said, sizeof out->said, "%s", from ? from + 1 : hand->tail);
	*hand = (struct hand){.said = -1};
	return true;
}
