#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/started.h"
#include "../harness/memory.h"
#include "launcher.h"

#define FIRST   "the agent of rank 0"
#define OVER_NS 1000000000

/* --- its worker --- */

static bool has_end(const char *text, size_t bytes)
{
	return memchr(text, '\0', bytes) != NULL;
}

/* What a rank lets others set: what tunes the libraries that are measured, nothing that replaces
 * the program or its libraries, or that Open MPI loads. A final _ is any end. */
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
	return status_set(st,
	                  "%.*s is no variable that agents take from others; allowed are names "
	                  "that begin with NCCL_, CUDA_, UCX_, FI_ or GLOO_, and some of OMPI_MCA_",
	                  (int)strcspn(entry, "="), entry);
}

int agent_check(const struct agent_order *o, struct status *st)
{
	bool right = o->processes <= SETTINGS_MAX_RANKS && o->rank < o->processes &&
	             o->nenv <= TRIAL_MAX_ENV && has_end(o->address, sizeof o->address) &&
	             has_end(o->order, sizeof o->order) && has_end(o->host, sizeof o->host) &&
	             has_end(o->by, sizeof o->by) && launcher_find(o->by);
	for (unsigned i = 0; right && i < o->nenv; i++)
		right = has_end(o->env[i], sizeof o->env[i]);
	if (!right)
		return status_set(st, "it is no order: do all run the same launchgap?");
	for (unsigned i = 0; i < o->nenv; i++)
		if (check_variable(o->env[i], st))
			return -1;
	return 0;
}

/* As far as it may. None: stays where it is. */
static void bind_to(const cpu_set_t *cpus)
{
	if (CPU_COUNT(cpus))
		sched_setaffinity(0, sizeof *cpus, cpus);
}

/* Its own group: Ctrl-C is for the agents. */
static void become(const struct agent_order *o, const char *self, const char *secret, int said,
                   int door, pid_t parent)
{
	char own[CONNECTION_SECRET_BYTES], seat[2 * ADDRESS_BYTES], processes[16], rank[16];
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
	bind_to(&o->cpus);
	connection_derive(secret, o->address, own);
	snprintf(processes, sizeof processes, "%u", o->processes);
	snprintf(rank, sizeof rank, "%u", o->rank);
	snprintf(seat, sizeof seat, "%d %s %s", door, own, o->address);
	setenv(AGENT_SEAT, seat, 1);
	if (o->host[0]) {
		/* NCCL believes it too, so that it takes its network between them. */
		setenv(MACHINE_HOST, o->host, 1);
		setenv("NCCL_HOSTID", o->host, 1);
	}
	if (o->rank == 0)
		fcntl(door, F_SETFD, 0);
	execl(self, self, "worker", o->by, o->order, processes, o->yield ? "yield" : "spin", rank,
	      NULL);
	fprintf(stderr, "launchgap: cannot start %s: %s\n", self, strerror(errno));
	_exit(127);
}

int agent_worker_start(struct agent_worker *worker, const struct agent_order *order,
                       const char *self, const char *secret, int door, struct status *st)
{
	int said[2];
	if (worker->pid)
		return status_set(st, "has a worker already");
	if (pipe2(said, O_CLOEXEC))
		return status_set(st, "cannot start process %u of %u: %s", order->rank + 1,
		                  order->processes, strerror(errno));
	const pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		become(order, self, secret, said[1], door, parent);
	close(said[1]);
	if (pid < 0) {
		close(said[0]);
		return status_set(st, "cannot start process %u of %u: %s", order->rank + 1,
		                  order->processes, status_unstarted(errno));
	}
	setpgid(pid, pid);
	fcntl(said[0], F_SETFL, O_NONBLOCK);
	*worker = (struct agent_worker){.pid = pid, .job = order->job, .said = said[0]};
	return 0;
}

int agent_signals(const int *signals, struct status *st)
{
	sigset_t set;
	sigemptyset(&set);
	for (; *signals; signals++)
		sigaddset(&set, *signals);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : status_set(st, "signalfd: %s", strerror(errno));
}

void agent_worker_hear(struct agent_worker *worker)
{
	const size_t most = sizeof worker->tail - 1, half = most / 2;
	ssize_t n;
	/* No more than a pipe holds: who prints without end does not keep us here. */
	for (unsigned i = 0; worker->pid && worker->said >= 0 && i < 64; i++) {
		if (worker->n == most) {
			worker->n -= half;
			memmove(worker->tail, worker->tail + half, worker->n);
			worker->cut = true;
		}
		n = read(worker->said, worker->tail + worker->n, most - worker->n);
		if (n > 0) {
			worker->n += (size_t)n;
			continue;
		}
		if (n == 0) {
			close(worker->said);
			worker->said = -1;
		}
		break;
	}
}

void agent_worker_kill(const struct agent_worker *worker)
{
	if (worker->pid > 0)
		kill(-worker->pid, SIGKILL);
}

bool agent_worker_ended(struct agent_worker *worker, struct agent_end *out)
{
	int status = 127 << 8; /* another waiter took its end */
	const pid_t child = worker->pid ? waitpid(worker->pid, &status, WNOHANG) : 0;
	if (!child || (child < 0 && errno != ECHILD))
		return false;
	agent_worker_kill(worker); /* what it left running */
	agent_worker_hear(worker);
	if (worker->said >= 0)
		close(worker->said);
	*out = (struct agent_end){.job = worker->job, .status = status};
	/* The first line of what was cut is not whole. */
	worker->tail[worker->n] = '\0';
	const char *from = worker->cut ? strchr(worker->tail, '\n') : NULL;
	snprintf(out->said, sizeof out->said, "%s", from ? from + 1 : worker->tail);
	*worker = (struct agent_worker){.said = -1};
	return true;
}

/* --- who obeys --- */

/* An agent beside the first one. */
struct served {
	const struct agent *as;
	struct connection *first;
	int signals; /* a signalfd of its worker's end, and to stop */
	struct agent_worker worker;
};

static int answer(const struct served *s, const struct agent_end *end, struct status *st)
{
	struct status why = {""};
	if (!connection_send(s->first, end, sizeof *end, clock_now_ns() + AGENT_DEADLINE_NS, &why))
		return 0;
	return status_set(st, FIRST ", which runs the experiment, %s", why.text);
}

/* A worker that is still there is of a job whose starter was killed. */
static int begin(struct served *s, const struct agent_order *order, struct status *st)
{
	struct status why = {""};
	if (agent_check(order, &why))
		return status_set(st, "what " FIRST " orders is refused: %s", why.text);
	agent_worker_kill(&s->worker);
	for (struct agent_end of_before; s->worker.pid;)
		if (!agent_worker_ended(&s->worker, &of_before))
			clock_sleep_until(clock_now_ns() + 1000000);
	if (!agent_worker_start(&s->worker, order, s->as->self, s->as->seat.secret, -1, &why))
		return 0;
	struct agent_end end = {.job = order->job, .status = 127 << 8};
	snprintf(end.said, sizeof end.said, "launchgap: agent %u %s\n", s->as->seat.rank, why.text);
	return answer(s, &end, st);
}

/* What the first one says. 1: the run is over, with *code; -1: nothing more can come. */
static int obey(struct served *s, int *code, struct status *st)
{
	struct agent_order order;
	struct status why = {""};
	if (connection_recv(s->first, &order, sizeof order, clock_now_ns() + AGENT_DEADLINE_NS,
	                    &why))
		return status_set(st, FIRST ", which runs the experiment, %s", why.text);
	switch (order.kind) {
	case AGENT_START:
		return begin(s, &order, st);
	case AGENT_KILL:
		if (s->worker.job == order.job)
			agent_worker_kill(&s->worker);
		return 0;
	case AGENT_OVER:
		*code = order.code ? 1 : 0;
		if (order.code)
			status_set(st,
			           "the run ended with exit status %d; what rank 0 prints says why",
			           order.code);
		return 1;
	default:
		return status_set(
		    st, FIRST " says what this one does not know: do all run the same launchgap?");
	}
}

/* A child's end is answered. Any other signal ends the agent: 1, with *code. */
static int signalled(struct served *s, int *code, struct status *st)
{
	struct signalfd_siginfo got;
	struct agent_end end;
	if (read(s->signals, &got, sizeof got) != sizeof got)
		return 0;
	if (got.ssi_signo != SIGCHLD) {
		*code = 1;
		status_set(st, "agent %u was stopped by signal %u (%s)", s->as->seat.rank,
		           got.ssi_signo, strsignal((int)got.ssi_signo));
		return 1;
	}
	return agent_worker_ended(&s->worker, &end) ? answer(s, &end, st) : 0;
}

static int serve(const struct agent *as, struct connection *first, struct status *st)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, 0};
	struct served s = {as, first, agent_signals(signals, st), {.said = -1}};
	int code = 1, over = s.signals < 0 ? -1 : 0;
	while (!over) {
		struct pollfd polls[] = {
		    {.fd = s.signals, .events = POLLIN},
		    {.fd = first->fd, .events = POLLIN},
		    {.fd = s.worker.pid ? s.worker.said : -1, .events = POLLIN}};
		if (poll(polls, 3, -1) < 0 && errno != EINTR)
			over = status_set(st, "poll: %s", strerror(errno));
		if (!over && polls[2].revents)
			agent_worker_hear(&s.worker);
		if (!over && polls[0].revents)
			over = signalled(&s, &code, st);
		if (!over && polls[1].revents)
			over = obey(&s, &code, st);
	}
	agent_worker_kill(&s.worker);
	return over < 0 ? -1 : code;
}

/* --- the first one --- */

struct agents *agents_map(void)
{
	const char *join = machine_env(AGENT_JOIN);
	struct stat about;
	if (!join || fstat(atoi(join), &about))
		return NULL;
	void *all =
	    mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(join), 0);
	return all == MAP_FAILED ? NULL : all;
}

static size_t bytes_of(unsigned agents)
{
	return sizeof(struct agents) + agents * sizeof(struct agent_seat);
}

void agents_unmap(struct agents *all)
{
	if (all)
		munmap(all, bytes_of(all->size));
}

/* Who came: its host, with its boot, and the CPUs that its launcher left it; none: not known. */
struct come {
	char host[MACHINE_HOST_BYTES];
	cpu_set_t cpus;
};

/* Hosts get their numbers; what the run starts has the connections too. Says who joined. */
static void seat_all(struct agents *all, const struct come *come,
                     const struct connection *connections)
{
	char list[512] = "";
	for (unsigned i = 0; i < all->size; i++) {
		struct agent_seat *seat = &all->seats[i];
		char one[MACHINE_HOST_BYTES + 16];
		unsigned first = 0, agents = 0;
		while (strcmp(come[first].host, come[i].host) != 0)
			first++;
		*seat = (struct agent_seat){.connection = connections[i], .rank = AGENT_IDLE};
		seat->nhost = first < i ? all->seats[first].nhost : all->nhosts++;
		snprintf(seat->host, sizeof seat->host, "%.*s", (int)strcspn(come[i].host, " "),
		         come[i].host);
		if (i)
			fcntl(seat->connection.fd, F_SETFD, 0);
		for (unsigned k = 0; k < all->size; k++)
			if (!strcmp(come[k].host, come[i].host)) {
				CPU_OR(&seat->cpus, &seat->cpus, &come[k].cpus);
				agents++;
			}
		snprintf(one, sizeof one, "%s: %u", seat->host, agents);
		if (first == i)
			status_list(list, sizeof list, one);
	}
	status_say("launchgap: %u agent%s joined on %u host%s (%s)", all->size,
	           all->size == 1 ? "" : "s", all->nhosts, all->nhosts == 1 ? "" : "s", list);
}

/* The run knows nothing of its starter: what it starts itself has other ranks. */
static int lead(const struct agent *as, const struct come *come,
                const struct connection *connections, int (*run)(void *of, struct status *st),
                void *of, struct status *st)
{
	char join[16];
	const int fd = memfd_create("launchgap-join", 0);
	snprintf(join, sizeof join, "%d", fd);
	setenv(AGENT_JOIN, join, 1);
	struct agents *all =
	    fd < 0 || ftruncate(fd, (off_t)bytes_of(as->seat.size)) ? NULL : agents_map();
	if (!all)
		return status_set(st, "no memory for %u agents: %s", as->seat.size,
		                  strerror(errno));
	all->size = as->seat.size;
	snprintf(all->secret, sizeof all->secret, "%s", as->seat.secret);
	snprintf(all->meeting, sizeof all->meeting, "%s", as->seat.address);
	seat_all(all, come, connections);
	for (unsigned i = 0; started_variable(i); i++)
		unsetenv(started_variable(i));
	bind_to(&all->seats[0].cpus);
	const int code = run(of, st);
	const struct agent_order over = {.kind = AGENT_OVER, .code = code < 0 ? 1 : code};
	const int64_t soon = clock_now_ns() + OVER_NS;
	for (unsigned i = 1; i < all->size; i++) {
		struct status ignored = {""};
		if (all->seats[i].connection.fd >= 0)
			connection_send(&all->seats[i].connection, &over, sizeof over, soon,
			                &ignored);
	}
	agents_unmap(all);
	return code;
}

/* A host that is gone says nothing: after 25 s the kernel does. */
static void keep_alive(int fd)
{
	const int yes = 1, idle = 10, between = 5, times = 3, silent_ms = 25000;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
}

int agent_run(const struct agent *as, int (*run)(void *of, struct status *st), void *of,
              struct status *st)
{
	struct come own = {.host = ""}, *come = memory_take(as->seat.size, sizeof *come);
	struct peers x = {0};
	int result = -1;
	machine_host(own.host);
	if (sched_getaffinity(0, sizeof own.cpus, &own.cpus))
		CPU_ZERO(&own.cpus);
	if (!peers_open(&as->seat, &x, st) && !peers_all(&x, &own, come, sizeof own, st)) {
		for (unsigned i = 0; i < as->seat.size; i++) {
			come[i].host[MACHINE_HOST_BYTES - 1] = '\0';
			if (x.connections[i].fd >= 0)
				keep_alive(x.connections[i].fd);
		}
		result = as->seat.rank ? serve(as, x.connections, st)
		                       : lead(as, come, x.connections, run, of, st);
	}
	peers_close(&x);
	free(come);
	return result;
}
