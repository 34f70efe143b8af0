/* The first agent: starts the run, takes its jobs one at a time, has the agents start their processes. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/started.h"
#include "agent.h"
#include "launcher.h"

#define S_NS     ((int64_t)1000000000)
#define WORD_NS  (1 * S_NS) /* for a word to the starter, or a last one to agents */
#define GREET_NS (2 * S_NS) /* for a starter to prove itself */
#define ANSWER_S 4          /* for an agent whose worker was killed; less than a job has to stop */
#define NOBODY   UINT32_MAX

struct host {
	unsigned first, agents;
	/* Of all its agents: a launcher that binds each to its own takes none of them away. */
	cpu_set_t cpus;
};

struct member {
	unsigned host;
	uint32_t rank; /* in the job at hand, while its worker is there; NOBODY */
	bool lost;
};

struct dispatch {
	struct agents *all;
	unsigned size, nhosts;
	struct member *members;
	struct host *hosts;
	struct door_place door; /* for starters, who have the secret */
	char secret[WIRE_SECRET_BYTES];
	pid_t run;
	/* The job at hand. starter: none is there between jobs. */
	struct wire starter;
	bool stopping, killed;
	uint32_t jobs, left; /* so far; processes of this one */
	struct agent_order order;
	struct agent_job end;
	int64_t until_ns; /* for those that are left; INT64_MAX */
	struct pollfd *polls;
};

static const char *host_of(const struct dispatch *d, unsigned agent, char name[MACHINE_HOST_BYTES])
{
	snprintf(name, MACHINE_HOST_BYTES, "%s", d->all->seats[agent].host);
	name[strcspn(name, " ")] = '\0'; /* without the boot */
	return name;
}

/* --- the hosts and their agents --- */

static void number_hosts(struct dispatch *d)
{
	for (unsigned i = 0; i < d->size; i++) {
		const struct agent_seat *seat = &d->all->seats[i];
		unsigned h = 0;
		while (h < d->nhosts && strcmp(d->all->seats[d->hosts[h].first].host, seat->host))
			h++;
		struct host *host = &d->hosts[h];
		if (h == d->nhosts) {
			d->nhosts++;
			host->first = i;
		}
		host->agents++;
		CPU_OR(&host->cpus, &host->cpus, &seat->cpus);
		d->members[i] = (struct member){.host = h, .rank = NOBODY};
	}
}

/* Says who joined: to people, and to jobs, with how they reach this agent. The caller frees it. */
static char *say_joined(const struct dispatch *d)
{
	const size_t bytes =
	    ADDRESS_BYTES + WIRE_SECRET_BYTES + d->nhosts * (MACHINE_HOST_BYTES + 16);
	char *join = malloc(bytes), name[MACHINE_HOST_BYTES], list[512] = "";
	if (!join)
		return NULL;
	snprintf(join, bytes, "%s %s", d->door.address, d->secret);
	for (unsigned h = 0; h < d->nhosts; h++) {
		char one[MACHINE_HOST_BYTES + 16];
		status_add(join, bytes, " %u %s", d->hosts[h].agents,
		           host_of(d, d->hosts[h].first, name));
		snprintf(one, sizeof one, "%s: %u", name, d->hosts[h].agents);
		status_list(list, sizeof list, one);
	}
	status_say("launchgap: %u agent%s joined on %u host%s (%s)", d->size,
	           d->size == 1 ? "" : "s", d->nhosts, d->nhosts == 1 ? "" : "s", list);
	return join;
}

/* --- what the starter hears --- */

static void say(struct dispatch *d, enum agent_text text, const char *said)
{
	status_add(d->end.said[text], sizeof d->end.said[text], "%s", said);
}

static void say_line(struct dispatch *d, enum agent_text text, const char *said)
{
	say(d, text, "launchgap: ");
	say(d, text, said);
	say(d, text, "\n");
}

/* The first failure decides the exit status; the others may leave by themselves. */
static void fail_job(struct dispatch *d, int code, int64_t grace_ns)
{
	if (d->end.code)
		return;
	d->end.code = code;
	d->until_ns = clock_now_ns() + grace_ns;
}

/* --- what goes wrong with agents --- */

static void lose(struct dispatch *d, unsigned agent, const char *why)
{
	struct member *m = &d->members[agent];
	char name[MACHINE_HOST_BYTES], text[512];
	if (m->lost)
		return;
	m->lost = true;
	close(d->all->wires[agent].fd);
	d->all->wires[agent].fd = -1;
	snprintf(text, sizeof text, "agent %u of %u on host %s %s", agent, d->size,
	         host_of(d, agent, name), why);
	if (m->rank == NOBODY)
		return;
	status_add(text, sizeof text, "; process %u of %u was its worker", m->rank,
	           d->order.processes);
	m->rank = NOBODY;
	d->left--;
	say_line(d, AGENT_LOST, text);
	fail_job(d, 1, launcher_grace_ns(1 << 8));
}

static void tell(struct dispatch *d, unsigned agent, enum agent_kind kind)
{
	struct status why = {""};
	d->order.kind = kind;
	if (wire_send(&d->all->wires[agent], &d->order, sizeof d->order,
	              clock_now_ns() + AGENT_DEADLINE_NS, &why))
		lose(d, agent, why.text);
}

static void kill_job(struct dispatch *d)
{
	if (!d->killed)
		for (unsigned i = 0; i < d->size; i++) {
			if (d->members[i].rank == NOBODY)
				continue;
			if (i)
				tell(d, i, AGENT_KILL);
			else
				agent_worker_kill(&d->all->worker);
		}
	d->killed = true;
	d->until_ns = clock_now_ns() + ANSWER_S * S_NS;
}

/* Those that are left did not leave in time, or did not even answer that they were killed. */
static void hurry(struct dispatch *d)
{
	if (!d->killed) {
		kill_job(d);
		return;
	}
	for (unsigned i = 1; i < d->size; i++)
		if (d->members[i].rank != NOBODY)
			lose(d, i, "did not answer");
	d->until_ns = INT64_MAX; /* what is left is our own child, killed */
}

/* --- the ends of workers --- */

static void ended(struct dispatch *d, unsigned agent, const struct agent_end *end)
{
	struct member *m = &d->members[agent];
	char name[MACHINE_HOST_BYTES];
	if (end->job != d->order.job || m->rank == NOBODY)
		return;
	const uint32_t rank = m->rank;
	m->rank = NOBODY;
	d->left--;
	if (!end->status)
		return;
	if (WIFSIGNALED(end->status) && !d->killed) {
		struct status why = {""};
		launcher_killed(d->order.hosts > 1 ? host_of(d, agent, name) : NULL, rank,
		                d->order.ranks, WTERMSIG(end->status), &why);
		say_line(d, AGENT_KILLED, why.text);
	}
	say(d, AGENT_PRINTED, end->said);
	fail_job(d, launcher_code(end->status), launcher_grace_ns(end->status));
}

static void hear_agent(struct dispatch *d, unsigned agent)
{
	struct agent_end end;
	struct status why = {""};
	if (wire_recv(&d->all->wires[agent], &end, sizeof end, clock_now_ns() + AGENT_DEADLINE_NS,
	              &why)) {
		lose(d, agent, why.text);
		return;
	}
	end.said[sizeof end.said - 1] = '\0';
	ended(d, agent, &end);
}

/* --- a job begins --- */

/* The first agents of each host get ranks, host after host. */
static int choose(struct dispatch *d, unsigned hosts, unsigned each, struct status *st)
{
	uint32_t rank = 0;
	for (unsigned h = 0; h < hosts; h++) {
		char name[MACHINE_HOST_BYTES];
		unsigned taken = 0, lost = 0;
		for (unsigned i = 0; i < d->size && taken < each; i++) {
			if (d->members[i].host != h)
				continue;
			lost += d->members[i].lost;
			if (d->members[i].lost)
				continue;
			d->members[i].rank = rank++;
			taken++;
		}
		if (taken == each)
			continue;
		for (unsigned i = 0; i < d->size; i++)
			d->members[i].rank = NOBODY;
		return status_set(
		    st, "host %s has %u agent%s, lost %u of them, and the job needs %u there",
		    h < d->nhosts ? host_of(d, d->hosts[h].first, name) : "?", taken + lost,
		    taken + lost == 1 ? "" : "s", lost, each);
	}
	return 0;
}

/* A door at a port of its own: at loopback alone, if the agents met there. */
static int open_door(const char *meeting, struct door_place *out, struct status *st)
{
	char at[ADDRESS_BYTES];
	if (address_to_listen(meeting, at, st))
		return -1;
	strcpy(strrchr(at, ':'), ":0");
	return door_open(at, out, st);
}

/* The first one's worker begins with the door, so it comes last: until then the door is here. */
static int start_all(struct dispatch *d, int door, struct status *st)
{
	const struct agent *as = d->all->as;
	struct agent_order *order = &d->order;
	d->left = order->processes;
	for (unsigned i = d->size; i-- > 0;) {
		order->rank = d->members[i].rank;
		if (order->rank == NOBODY)
			continue;
		order->cpus = d->hosts[d->members[i].host].cpus;
		if (i)
			tell(d, i, AGENT_START);
		else if (agent_worker_start(&d->all->worker, order, as->self, as->seat.secret, door,
		                            st)) {
			d->members[0].rank = NOBODY;
			d->left--;
			return -1;
		}
	}
	return 0;
}

static int begin_job(struct dispatch *d, struct status *st)
{
	struct agent_order *order = &d->order;
	struct door_place door = {.fd = -1};
	const unsigned each = order->hosts ? order->processes / order->hosts : 0;
	int result = -1;
	order->job = d->jobs++;
	d->end = (struct agent_job){0};
	d->killed = d->stopping = false;
	d->until_ns = INT64_MAX;
	d->left = 0;
	if (!each || order->processes > SETTINGS_MAX_RANKS ||
	    each * order->hosts != order->processes)
		status_set(st, "%u processes cannot be spread over %u hosts", order->processes,
		           order->hosts);
	else if (!choose(d, order->hosts, each, st) &&
	         !open_door(d->all->as->seat.address, &door, st)) {
		snprintf(order->address, sizeof order->address, "%s", door.address);
		result = agent_check(order, st) ? -1 : start_all(d, door.fd, st);
		close(door.fd);
	}
	for (unsigned i = 0; i < d->size && !d->left; i++)
		d->members[i].rank = NOBODY; /* nothing was started */
	return result;
}

/* It cannot begin; or the starter says nothing more: it is gone, or is to stop. */
static void leave_job(struct dispatch *d)
{
	d->stopping = true;
	d->end.code = d->end.code ? d->end.code : 1;
	kill_job(d);
}

/* Who knocks may be a stranger. */
static void greet(struct dispatch *d)
{
	const struct door_world world = {d->secret, "job", 2, NULL};
	struct wire in[2];
	struct status st = {""};
	if (door_gather(d->door.fd, &world, clock_now_ns() + GREET_NS, in, &st))
		return;
	d->starter = in[1];
	if (wire_recv(&d->starter, &d->order, sizeof d->order, clock_now_ns() + AGENT_DEADLINE_NS,
	              &st)) {
		close(d->starter.fd);
		d->starter.fd = -1;
	} else if (begin_job(d, &st)) {
		say_line(d, AGENT_LOST, st.text);
		leave_job(d);
	}
}

/* --- the run --- */

/* The run knows nothing of its starter: what it starts itself has other ranks. */
static int start_run(struct dispatch *d, char *const run[], struct status *st)
{
	const pid_t parent = getpid();
	char *join = say_joined(d);
	d->run = join ? fork() : -1;
	if (d->run)
		free(join);
	if (d->run < 0)
		return status_set(st, "cannot start the run: %s", status_unstarted(errno));
	if (d->run)
		return 0;
	sigset_t none;
	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (getppid() != parent)
		_exit(126);
	for (unsigned i = 0; started_variable(i); i++)
		unsetenv(started_variable(i));
	setenv(AGENT_JOIN, join, 1);
	agent_bind(&d->hosts[0].cpus);
	execv(run[0], run);
	fprintf(stderr, "launchgap: cannot start %s: %s\n", run[0], strerror(errno));
	_exit(127);
}

/* Ends of children, and signals that are the run's. Whether the run goes on. */
static bool goes_on(struct dispatch *d, int *code, struct status *st)
{
	struct signalfd_siginfo got;
	struct agent_end end;
	int status;
	while (read(d->all->signals, &got, sizeof got) == sizeof got)
		if (got.ssi_signo != SIGCHLD)
			kill(d->run, (int)got.ssi_signo);
	if (agent_worker_ended(&d->all->worker, &end))
		ended(d, 0, &end);
	const pid_t ended_run = waitpid(d->run, &status, WNOHANG);
	if (ended_run < 0 && errno == ECHILD)
		status = 1 << 8; /* another waiter took its end */
	if (!ended_run)
		return true;
	*code = launcher_code(status);
	if (WIFSIGNALED(status))
		status_set(st, "the run was killed by signal %d (%s)", WTERMSIG(status),
		           strsignal(WTERMSIG(status)));
	return false;
}

static int wait_ms(const struct dispatch *d)
{
	if (d->starter.fd < 0 || d->until_ns == INT64_MAX)
		return -1;
	const int64_t ms = (d->until_ns - clock_now_ns()) / 1000000;
	return ms < 0 ? 0 : (int)ms + 1;
}

static int serve(struct dispatch *d, struct status *st)
{
	int code = 1;
	bool on = true;
	while (on) {
		const bool free_now = d->starter.fd < 0;
		struct pollfd *own = d->polls + d->size;
		for (unsigned i = 1; i < d->size; i++)
			d->polls[i] = (struct pollfd){.fd = d->all->wires[i].fd, .events = POLLIN};
		d->polls[0] = (struct pollfd){.fd = d->all->signals, .events = POLLIN};
		own[0] = (struct pollfd){.fd = free_now ? d->door.fd : -1, .events = POLLIN};
		own[1] = (struct pollfd){.fd = d->stopping ? -1 : d->starter.fd, .events = POLLIN};
		own[2] = (struct pollfd){.fd = d->all->worker.pid ? d->all->worker.said : -1,
		                         .events = POLLIN};
		if (poll(d->polls, d->size + 3, wait_ms(d)) < 0)
			continue;
		if (own[2].revents)
			agent_worker_hear(&d->all->worker);
		for (unsigned i = 1; i < d->size; i++)
			if (d->polls[i].fd >= 0 && d->polls[i].revents)
				hear_agent(d, i);
		if (d->polls[0].revents)
			on = goes_on(d, &code, st);
		if (own[1].revents)
			leave_job(d);
		if (d->starter.fd >= 0 && clock_now_ns() > d->until_ns)
			hurry(d);
		if (own[0].revents)
			greet(d);
		if (d->starter.fd >= 0 && !d->left) {
			struct status ignored = {""}; /* one that is gone is noticed elsewhere */
			wire_send(&d->starter, &d->end, sizeof d->end, clock_now_ns() + WORD_NS,
			          &ignored);
			close(d->starter.fd);
			d->starter.fd = -1;
		}
	}
	return code;
}

/* Nothing stays: not even what the run left. */
static void end_all(struct dispatch *d, int code)
{
	const struct agent_order over = {.kind = AGENT_OVER, .code = code};
	const int64_t soon = clock_now_ns() + WORD_NS;
	agent_worker_kill(&d->all->worker);
	if (d->starter.fd >= 0)
		close(d->starter.fd);
	if (d->door.fd >= 0)
		close(d->door.fd);
	for (unsigned i = 1; i < d->size; i++) {
		struct status ignored = {""};
		if (d->all->wires[i].fd >= 0)
			wire_send(&d->all->wires[i], &over, sizeof over, soon, &ignored);
	}
}

int dispatch_run(struct agents *all, char *const run[], struct status *st)
{
	const unsigned size = all->as->seat.size;
	struct dispatch d = {.all = all,
	                     .size = size,
	                     .members = calloc(size, sizeof *d.members),
	                     .hosts = calloc(size, sizeof *d.hosts),
	                     .polls = calloc(size + 3, sizeof *d.polls),
	                     .door = {.fd = -1},
	                     .starter = {.fd = -1}};
	int code = 1;
	if (d.members && d.hosts && d.polls) {
		number_hosts(&d);
		wire_derive(all->as->seat.secret, "jobs", d.secret);
		if (!door_open("127.0.0.1:0", &d.door, st) && !start_run(&d, run, st))
			code = serve(&d, st);
		end_all(&d, code);
	} else {
		code = status_set(st, "out of memory for %u agents", size);
	}
	free(d.members);
	free(d.hosts);
	free(d.polls);
	return code;
}
