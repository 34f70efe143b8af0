/* A job's first process, which has no rank: it or agents (agent.h) start the others. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/memory.h"
#include "../harness/trial/trial.h"
#include "agent.h"
#include "launcher.h"

#define FIND_S    60         /* within which all have to come */
#define ANSWER_NS 4000000000 /* for an agent whose worker was killed; less than a job has to stop */
/* For the others once one has failed, or was killed: those of its host hear nothing of that. */
#define GRACE_NS 5000000000
#define ALONE_NS 1000000000

/* What explains a failure, in this order. */
enum text { LOST, KILLED, PRINTED, TEXTS };

struct job {
	struct agents *all;
	unsigned here; /* the first ones, whose workers are children of this process */
	struct agent_worker *workers; /* of these */
	unsigned hosts, ranks;        /* ranks: of each process */
	struct agent_order order;     /* its rank and kind: of the last one that was told */
	bool killed;
	uint32_t left;
	int code;
	int64_t until_ns; /* for those that are left; INT64_MAX */
	char said[TEXTS][4 * AGENT_SAID_BYTES];
};

static void say(struct job *j, enum text text, const char *front, const char *said, const char *end)
{
	status_add(j->said[text], sizeof j->said[text], "%s%s%s", front, said, end);
}

/* The first failure decides the exit status; the others may leave by themselves. */
static void fail(struct job *j, int code, int64_t grace_ns)
{
	if (j->code)
		return;
	j->code = code;
	j->until_ns = clock_now_ns() + grace_ns;
}

static void lose(struct job *j, unsigned agent, const char *why)
{
	struct agent_seat *seat = &j->all->seats[agent];
	char text[512];
	if (seat->connection.fd < 0)
		return;
	close(seat->connection.fd);
	seat->connection.fd = -1;
	if (seat->rank == AGENT_IDLE)
		return;
	snprintf(text, sizeof text, "agent %u of %u on host %s %s; process %u of %u was its worker",
	         agent, j->all->size, seat->host, why, seat->rank, j->order.processes);
	seat->rank = AGENT_IDLE;
	j->left--;
	say(j, LOST, "launchgap: ", text, "\n");
	fail(j, 1, GRACE_NS);
}

static void tell(struct job *j, unsigned agent, enum agent_kind kind)
{
	struct status why = {""};
	j->order.kind = kind;
	if (connection_send(&j->all->seats[agent].connection, &j->order, sizeof j->order,
	                    clock_now_ns() + AGENT_DEADLINE_NS, &why))
		lose(j, agent, why.text);
}

static void kill_all(struct job *j)
{
	for (unsigned i = 0; i < j->all->size && !j->killed; i++)
		if (i < j->here)
			agent_worker_kill(&j->workers[i]);
		else if (j->all->seats[i].rank != AGENT_IDLE)
			tell(j, i, AGENT_KILL);
	j->killed = true;
	j->until_ns = clock_now_ns() + ANSWER_NS;
}

/* Those that are left did not leave in time, or did not even answer that they were killed. */
static void hurry(struct job *j)
{
	if (!j->killed) {
		kill_all(j);
		return;
	}
	for (unsigned i = j->here; i < j->all->size; i++)
		if (j->all->seats[i].rank != AGENT_IDLE)
			lose(j, i, "did not answer");
	j->until_ns = INT64_MAX; /* what is left are our own children, killed */
}

/* "host a: rank 3: its process was killed by signal 9 (Killed)" */
static void say_killed(struct job *j, const char *host, unsigned process, int signal)
{
	const unsigned first = process * j->ranks;
	char who[48], text[256];
	snprintf(who, sizeof who, j->ranks == 1 ? "rank %u: its" : "ranks %u to %u: their", first,
	         first + j->ranks - 1);
	snprintf(text, sizeof text, "%s%s%s%s process was killed by signal %d (%s)",
	         j->hosts > 1 ? "host " : "", j->hosts > 1 ? host : "", j->hosts > 1 ? ": " : "",
	         who, signal, strsignal(signal));
	say(j, KILLED, "launchgap: ", text, "\n");
}

static void ended(struct job *j, unsigned agent, const struct agent_end *end)
{
	struct agent_seat *seat = &j->all->seats[agent];
	const bool killed = WIFSIGNALED(end->status);
	if (end->job != j->order.job || seat->rank == AGENT_IDLE)
		return;
	const uint32_t rank = seat->rank;
	seat->rank = AGENT_IDLE;
	j->left--;
	if (!end->status)
		return;
	if (killed && !j->killed)
		say_killed(j, seat->host, rank, WTERMSIG(end->status));
	say(j, PRINTED, "", end->said, "");
	fail(j, killed ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status),
	     killed ? ALONE_NS : GRACE_NS);
}

static void hear_agent(struct job *j, unsigned agent)
{
	struct agent_end end;
	struct status why = {""};
	if (connection_recv(&j->all->seats[agent].connection, &end, sizeof end,
	                    clock_now_ns() + AGENT_DEADLINE_NS, &why)) {
		lose(j, agent, why.text);
		return;
	}
	end.said[sizeof end.said - 1] = '\0';
	ended(j, agent, &end);
}

/* The first agents of each host get ranks, host after host. */
static int choose(struct job *j, unsigned each, struct status *st)
{
	uint32_t rank = 0;
	for (unsigned i = 0; i < j->all->size; i++)
		j->all->seats[i].rank = AGENT_IDLE; /* whatever a starter before left */
	for (unsigned h = 0; h < j->hosts; h++) {
		const char *name = "?";
		unsigned taken = 0, lost = 0;
		for (unsigned i = 0; i < j->all->size && taken < each; i++) {
			struct agent_seat *seat = &j->all->seats[i];
			const bool is_lost = i >= j->here && seat->connection.fd < 0;
			if (seat->nhost != h)
				continue;
			name = seat->host;
			lost += is_lost;
			if (is_lost)
				continue;
			seat->rank = rank++;
			taken++;
		}
		if (taken < each)
			return status_set(
			    st,
			    "host %s has %u agent%s, lost %u of them, and the job needs %u there",
			    name, taken + lost, taken + lost == 1 ? "" : "s", lost, each);
	}
	return 0;
}

/* At its own port: at loopback alone, if the agents met there. */
static int open_door(const char *meeting, struct door_place *out, struct status *st)
{
	char at[ADDRESS_BYTES];
	if (address_to_listen(meeting, at, st))
		return -1;
	strcpy(strrchr(at, ':'), ":0");
	return door_open(at, out, st);
}

/* Rank 0's process begins with the door, so it comes last: until then the door is here. */
static int start_all(struct job *j, const struct launched *as, int door, struct status *st)
{
	int failed = 0;
	j->left = j->order.processes;
	for (unsigned i = j->all->size; i-- > 0 && !failed;) {
		const struct agent_seat *seat = &j->all->seats[i];
		if (seat->rank == AGENT_IDLE)
			continue;
		j->order.rank = seat->rank;
		j->order.cpus = seat->cpus;
		if (as->by->pretends && j->hosts > 1)
			memcpy(j->order.host, seat->host, sizeof j->order.host);
		if (i >= j->here)
			tell(j, i, AGENT_START);
		else
			failed = agent_worker_start(&j->workers[i], &j->order, as->self,
			                            j->all->secret, door, st);
	}
	close(door);
	return failed;
}

/* Without agents all have this process's environment. */
static int read_order(struct job *j, const struct launched *as, struct status *st)
{
	struct trial *trial = NULL;
	if (trial_load(as->order, &trial, st))
		return -1;
	const struct settings *set = &trial->settings;
	j->hosts = settings_hosts(set);
	j->ranks = layout_ranks(set->layout) / as->processes;
	j->order = (struct agent_order){.processes = as->processes,
	                                .yield = as->yield,
	                                .nenv = j->all->nhosts ? set->nenv : 0,
	                                .job = j->all->jobs++};
	snprintf(j->order.by, sizeof j->order.by, "%s", as->by->name);
	snprintf(j->order.order, sizeof j->order.order, "%s", as->order);
	memcpy(j->order.env, set->env, sizeof set->env);
	trial_free(trial);
	return 0;
}

/* Ends of children; another signal is that this process is to stop. */
static void signalled(struct job *j, int signals)
{
	struct signalfd_siginfo got;
	struct agent_end end;
	bool stops = false;
	while (read(signals, &got, sizeof got) == sizeof got)
		stops = stops || got.ssi_signo != SIGCHLD;
	for (unsigned i = 0; i < j->here; i++)
		if (agent_worker_ended(&j->workers[i], &end))
			ended(j, i, &end);
	if (!stops || j->killed)
		return;
	j->code = j->code ? j->code : 1;
	kill_all(j);
}

static void wait_all(struct job *j, int signals, struct pollfd *polls)
{
	const unsigned n = j->all->size;
	while (j->left) {
		const int64_t ms = (j->until_ns - clock_now_ns()) / 1000000;
		for (unsigned i = 0; i < n; i++)
			polls[i] = (struct pollfd){i >= j->here ? j->all->seats[i].connection.fd
			                           : j->workers[i].pid ? j->workers[i].said
			                                               : -1,
			                           POLLIN, 0};
		polls[n] = (struct pollfd){signals, POLLIN, 0};
		if (poll(polls, n + 1,
		         j->until_ns == INT64_MAX ? -1
		         : ms < 0                 ? 0
		                                  : (int)ms + 1) < 0)
			continue;
		for (unsigned i = 0; i < n; i++)
			if (i < j->here && polls[i].revents)
				agent_worker_hear(&j->workers[i]);
			else if (polls[i].revents)
				hear_agent(j, i);
		if (polls[n].revents)
			signalled(j, signals);
		if (clock_now_ns() > j->until_ns)
			hurry(j);
	}
}

/* Without agents: each of this host's processes has a seat, on a simulated host. */
static int sit_here(struct job *j, unsigned processes, struct status *st)
{
	j->all = memory_take(1, sizeof *j->all + processes * sizeof *j->all->seats);
	j->all->size = j->here = processes;
	strcpy(j->all->meeting, "127.0.0.1");
	return connection_secret(j->all->secret, st);
}

static int start(const struct launched *as, struct status *st)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGCHLD, 0};
	struct job *j = memory_take(1, sizeof *j);
	struct door_place door;
	int signals;
	struct agents *all = as->by->pretends ? NULL : agents_map();
	j->all = all;
	j->here = 1;
	j->until_ns = INT64_MAX;
	if (!all && !as->by->pretends)
		return status_set(st, "this job is of no run that `launchgap join` began");
	if ((!all && sit_here(j, as->processes, st)) || (signals = agent_signals(stops, st)) < 0 ||
	    read_order(j, as, st))
		return -1;
	const unsigned each = as->processes / j->hosts;
	if (each * j->hosts != as->processes)
		return status_set(st, "%u processes cannot be spread over %u hosts", as->processes,
		                  j->hosts);
	for (unsigned i = 0; i < j->all->size; i++) {
		struct agent_seat *seat = &j->all->seats[i];
		if (i >= j->here) /* not for children */
			fcntl(seat->connection.fd, F_SETFD, FD_CLOEXEC);
		if (all)
			continue;
		seat->nhost = i / each;
		snprintf(seat->host, sizeof seat->host, "simulated%u", seat->nhost);
	}
	j->workers = memory_take(j->here, sizeof *j->workers);
	if (choose(j, each, st) || open_door(j->all->meeting, &door, st))
		return -1;
	snprintf(j->order.address, sizeof j->order.address, "%s", door.address);
	if (agent_check(&j->order, st))
		return -1;
	if (start_all(j, as, door.fd, st)) {
		const struct agent_end unstarted = {.job = j->order.job, .status = 1 << 8};
		say(j, LOST, "launchgap: ", st->text, "\n");
		kill_all(j);
		for (unsigned i = 0; i < j->here; i++)
			if (!j->workers[i].pid)
				ended(j, i, &unstarted);
	}
	wait_all(j, signals, memory_take(j->all->size + 1, sizeof(struct pollfd)));
	for (unsigned text = 0; text < TEXTS; text++)
		fputs(j->said[text], stderr);
	_exit(j->code & 255);
}

int launcher_meet(const struct launched *as, struct peers *out, struct status *st)
{
	const char *own = machine_env(AGENT_SEAT);
	char secret[CONNECTION_SECRET_BYTES], address[ADDRESS_BYTES];
	struct peers_seat seat = {.rank = as->rank ? (unsigned)atoi(as->rank) : 0,
	                          .size = as->processes,
	                          .address = address,
	                          .secret = secret,
	                          .timeout_s = FIND_S};
	if (!as->rank)
		return start(as, st);
	if (!own || sscanf(own, "%d %32s %255s", &seat.door, secret, address) != 3)
		return status_set(st, "rank %s has no place where its job meets", as->rank);
	if (seat.rank)
		seat.door = -1;
	const int failed = peers_open(&seat, out, st);
	if (seat.door >= 0)
		close(seat.door);
	return failed;
}
