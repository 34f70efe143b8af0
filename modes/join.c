/* join: processes that somebody else started, the agents of `launchgap join`, start those of the job
 * (agent.h). The first process of the job, which has no rank, asks the first agent for them and waits. */
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/trial/trial.h"
#include "agent.h"
#include "launcher.h"

/* --- whether it can --- */

static bool join_reigns(void)
{
	return machine_env(AGENT_JOIN);
}

/* Whether each of the first `hosts` has `each` agents. */
static int check_hosts(const char *join, unsigned hosts, unsigned each, struct status *st)
{
	char name[MACHINE_HOST_BYTES], few[MACHINE_HOST_BYTES], list[256] = "";
	unsigned agents, there = 0, has = each;
	int n = 0;
	sscanf(join, "%*s %*s%n", &n);
	for (join += n; sscanf(join, "%u %111s%n", &agents, name, &n) == 2; join += n) {
		if (there++ < hosts && agents < has) {
			has = agents;
			memcpy(few, name, sizeof few);
		}
		status_list(list, sizeof list, name);
	}
	if (there < hosts)
		return status_set(st, "hosts = %u asks for more than joined: %u (%s)", hosts, there,
		                  list);
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
	const char *join = machine_env(AGENT_JOIN);
	if (!join)
		return status_set(st, "launcher = join starts processes where others have started "
		                      "agents; begin the run by `launchgap join` (its --help says "
		                      "how)");
	if (hosts_named(set->hosts))
		return status_set(st, "launcher = join has the hosts on which agents were started; "
		                      "allowed is hosts = this, or their number");
	return check_hosts(join, settings_hosts(set), settings_on_host(set).processes, st);
}

/* --- the one that asks --- */

static int call_first(struct wire *out, struct status *st)
{
	const char *join = machine_env(AGENT_JOIN);
	char address[ADDRESS_BYTES], secret[WIRE_SECRET_BYTES];
	const struct door_world world = {secret, "agent", 2, NULL};
	if (!join || sscanf(join, "%255s %32s", address, secret) != 2)
		return status_set(st, "this job is of no run that `launchgap join` began");
	return door_connect(address, &world, 1, clock_now_ns() + AGENT_DEADLINE_NS, out, st);
}

static int ask(struct wire *first, const struct launched *as, struct status *st)
{
	struct trial *trial = NULL;
	struct status why = {""};
	if (trial_load(as->order, &trial, st))
		return -1;
	const struct settings *set = &trial->settings;
	struct agent_order what = {.processes = as->processes,
	                           .hosts = settings_hosts(set),
	                           .ranks = layout_ranks(set->layout) / as->processes,
	                           .yield = as->yield,
	                           .nenv = set->nenv};
	snprintf(what.order, sizeof what.order, "%s", as->order);
	memcpy(what.env, set->env, sizeof what.env);
	trial_free(trial);
	return wire_send(first, &what, sizeof what, clock_now_ns() + AGENT_DEADLINE_NS, &why)
	           ? status_set(st, "the agent that started the run %s", why.text)
	           : 0;
}

/* When this process is to stop, the agents kill the workers, and what those printed is still heard. */
static int wait_end(struct wire *first, struct agent_job *job, struct status *st)
{
	static const int signals[] = {SIGINT, SIGTERM, 0};
	int stops = agent_signals(signals, st);
	bool stopping = false, ended = false;
	while (stops >= 0 && !ended) {
		struct pollfd polls[] = {{.fd = first->fd, .events = POLLIN},
		                         {.fd = stopping ? -1 : stops, .events = POLLIN}};
		if (poll(polls, 2, -1) < 0)
			continue;
		if (polls[1].revents) {
			shutdown(first->fd, SHUT_WR);
			stopping = true;
		}
		ended = polls[0].revents;
	}
	if (stops >= 0)
		close(stops);
	struct status why = {""};
	return ended &&
	               !wire_recv(first, job, sizeof *job, clock_now_ns() + AGENT_DEADLINE_NS, &why)
	           ? 0
	           : status_set(st, "the agent that started the run is gone");
}

/* Ends this process: it has no rank. */
static int start(const struct launched *as, struct status *st)
{
	struct agent_job job;
	struct wire first;
	if (call_first(&first, st))
		return -1;
	if (!ask(&first, as, st) && !wait_end(&first, &job, st)) {
		for (int text = 0; text < AGENT_TEXTS; text++)
			fputs(job.said[text], stderr);
		_exit(job.code & 255);
	}
	close(first.fd);
	return -1;
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
