/* join: processes that somebody else started, the agents of `launchgap join`, start those of the job
 * (agent.h). The first process of the job, which has no rank, has them do so, and waits. The first agent's
 * worker is its own child. */
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

#define ANSWER_NS 4000000000 /* for an agent whose worker was killed; less than a job has to stop */

/* --- whether it can --- */

static bool join_reigns(void)
{
	return machine_env(AGENT_JOIN);
}

/* Whether each of the first `hosts` has `each` agents. */
static int check_hosts(const struct agents *all, unsigned hosts, unsigned each, struct status *st)
{
	const char *few = "";
	char list[256] = "";
	unsigned has = each;
	for (unsigned h = 0; h < all->nhosts; h++) {
		const char *name = "";
		unsigned agents = 0;
		for (unsigned i = 0; i < all->size; i++)
			if (all->seats[i].nhost == h) {
				name = all->seats[i].host;
				agents++;
			}
		if (h < hosts && agents < has) {
			has = agents;
			few = name;
		}
		status_list(list, sizeof list, name);
	}
	if (all->nhosts < hosts)
		return status_set(st, "hosts = %u asks for more than joined: %u (%s)", hosts,
		                  all->nhosts, list);
	if (has < each)
		return status_set(
		    st,
		    "%u agent%s joined on %s, and the layout has %u processes on each "
		    "host: start so many, as by torchrun --nproc-per-node %u",
		    has, has == 1 ? "" : "s", few, each, each);
	return 0;
}

static int join_supports(const struct settings *set, struct status *st)
{
	struct agents *all = agents_map();
	int result;
	if (!all)
		return status_set(st, "launcher = join starts processes where others have started "
		                      "agents; begin the run by `launchgap join` (its --help says "
		                      "how)");
	if (hosts_named(set->hosts))
		result = status_set(st, "launcher = join has the hosts on which agents were "
		                        "started; allowed is hosts = this, or their number");
	else
		result = check_hosts(all, settings_hosts(set), settings_on_host(set).processes, st);
	agents_unmap(all);
	return result;
}

/* --- the one that has them start the job --- */

/* What explains a failure, in this order. */
enum text { LOST, KILLED, PRINTED, TEXTS };

struct job {
	struct agents *all;
	unsigned hosts, ranks;    /* ranks: of each process */
	struct agent_order order; /* its rank and kind: of the last one that was told */
	struct agent_worker worker;
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
	if (seat->wire.fd < 0)
		return;
	close(seat->wire.fd);
	seat->wire.fd = -1;
	if (seat->rank == AGENT_IDLE)
		return;
	snprintf(text, sizeof text, "agent %u of %u on host %s %s; process %u of %u was its worker",
	         agent, j->all->size, seat->host, why, seat->rank, j->order.processes);
	seat->rank = AGENT_IDLE;
	j->left--;
	say(j, LOST, "launchgap: ", text, "\n");
	fail(j, 1, launcher_grace_ns(1 << 8));
}

static void tell(struct job *j, unsigned agent, enum agent_kind kind)
{
	struct status why = {""};
	j->order.kind = kind;
	if (wire_send(&j->all->seats[agent].wire, &j->order, sizeof j->order,
	              clock_now_ns() + AGENT_DEADLINE_NS, &why))
		lose(j, agent, why.text);
}

static void kill_all(struct job *j)
{
	for (unsigned i = 1; i < j->all->size && !j->killed; i++)
		if (j->all->seats[i].rank != AGENT_IDLE)
			tell(j, i, AGENT_KILL);
	agent_worker_kill(&j->worker);
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
	for (unsigned i = 1; i < j->all->size; i++)
		if (j->all->seats[i].rank != AGENT_IDLE)
			lose(j, i, "did not answer");
	j->until_ns = INT64_MAX; /* what is left is our own child, killed */
}

static void ended(struct job *j, unsigned agent, const struct agent_end *end)
{
	struct agent_seat *seat = &j->all->seats[agent];
	if (end->job != j->order.job || seat->rank == AGENT_IDLE)
		return;
	const uint32_t rank = seat->rank;
	seat->rank = AGENT_IDLE;
	j->left--;
	if (!end->status)
		return;
	if (WIFSIGNALED(end->status) && !j->killed) {
		struct status why = {""};
		launcher_killed(j->hosts > 1 ? seat->host : NULL, rank, j->ranks,
		                WTERMSIG(end->status), &why);
		say(j, KILLED, "launchgap: ", why.text, "\n");
	}
	say(j, PRINTED, "", end->said, "");
	fail(j, launcher_code(end->status), launcher_grace_ns(end->status));
}

static void hear_agent(struct job *j, unsigned agent)
{
	struct agent_end end;
	struct status why = {""};
	if (wire_recv(&j->all->seats[agent].wire, &end, sizeof end,
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
			const bool is_lost = i && seat->wire.fd < 0;
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

/* At a port of its own: at loopback alone, if the agents met there. */
static int open_door(const char *meeting, struct door_place *out, struct status *st)
{
	char at[ADDRESS_BYTES];
	if (address_to_listen(meeting, at, st))
		return -1;
	strcpy(strrchr(at, ':'), ":0");
	return door_open(at, out, st);
}

/* The first one's worker begins with the door, so it comes last: until then the door is here. */
static int start_all(struct job *j, const char *self, struct status *st)
{
	struct door_place door;
	if (open_door(j->all->meeting, &door, st))
		return -1;
	snprintf(j->order.address, sizeof j->order.address, "%s", door.address);
	int failed = agent_check(&j->order, st);
	j->left = j->order.processes;
	for (unsigned i = j->all->size; i-- > 0 && !failed;) {
		const struct agent_seat *seat = &j->all->seats[i];
		j->order.rank = seat->rank;
		j->order.cpus = seat->cpus;
		if (seat->rank == AGENT_IDLE)
			continue;
		if (i)
			tell(j, i, AGENT_START);
		else
			failed = agent_worker_start(&j->worker, &j->order, self, j->all->secret,
			                            door.fd, st);
	}
	close(door.fd);
	return failed;
}

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
	                                .nenv = set->nenv,
	                                .job = j->all->jobs++};
	snprintf(j->order.order, sizeof j->order.order, "%s", as->order);
	memcpy(j->order.env, set->env, sizeof set->env);
	trial_free(trial);
	return 0;
}

/* Ends of the own child; another signal is that this process is to stop. */
static void signalled(struct job *j, int signals)
{
	struct signalfd_siginfo got;
	struct agent_end end;
	bool stops = false;
	while (read(signals, &got, sizeof got) == sizeof got)
		stops = stops || got.ssi_signo != SIGCHLD;
	if (agent_worker_ended(&j->worker, &end))
		ended(j, 0, &end);
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
		for (unsigned i = 1; i < n; i++)
			polls[i] = (struct pollfd){j->all->seats[i].wire.fd, POLLIN, 0};
		polls[0] = (struct pollfd){signals, POLLIN, 0};
		polls[n] = (struct pollfd){j->worker.pid ? j->worker.said : -1, POLLIN, 0};
		if (poll(polls, n + 1,
		         j->until_ns == INT64_MAX ? -1
		         : ms < 0                 ? 0
		                                  : (int)ms + 1) < 0)
			continue;
		if (polls[n].revents)
			agent_worker_hear(&j->worker);
		for (unsigned i = 1; i < n; i++)
			if (polls[i].fd >= 0 && polls[i].revents)
				hear_agent(j, i);
		if (polls[0].revents)
			signalled(j, signals);
		if (clock_now_ns() > j->until_ns)
			hurry(j);
	}
}

/* Ends this process: it has no rank. */
static int start(const struct launched *as, struct status *st)
{
	static const int stops[] = {SIGINT, SIGTERM, SIGCHLD, 0};
	struct job *j = memory_take(1, sizeof *j);
	int signals;
	if (!(j->all = agents_map()))
		return status_set(st, "this job is of no run that `launchgap join` began");
	for (unsigned i = 1; i < j->all->size; i++) /* not for the own child */
		fcntl(j->all->seats[i].wire.fd, F_SETFD, FD_CLOEXEC);
	j->worker.said = -1;
	j->until_ns = INT64_MAX;
	struct pollfd *polls = memory_take(j->all->size + 1, sizeof *polls);
	if ((signals = agent_signals(stops, st)) < 0 || read_order(j, as, st))
		return -1;
	const unsigned each = as->processes / j->hosts;
	if (each * j->hosts != as->processes)
		return status_set(st, "%u processes cannot be spread over %u hosts", as->processes,
		                  j->hosts);
	if (choose(j, each, st))
		return -1;
	if (start_all(j, as->self, st)) {
		j->left -= j->all->seats[0].rank != AGENT_IDLE;
		j->all->seats[0].rank = AGENT_IDLE;
		say(j, LOST, "launchgap: ", st->text, "\n");
		j->code = 1;
		kill_all(j);
	}
	wait_all(j, signals, polls);
	for (unsigned text = 0; text < TEXTS; text++)
		fputs(j->said[text], stderr);
	_exit(j->code & 255);
}

const struct launcher launcher_join = {
    .name = "join",
    .summary = "processes that others started for `launchgap join`, without MPI",
    .queues = true,
    .several = true,
    .supports = join_supports,
    .reigns = join_reigns,
    .find = launcher_meet,
    .start = start,
};
