/* join: processes that somebody else started, the agents of `launchgap join`, start those of the job
 * (agent.h). The first process of the job, which has no rank, asks the first agent for them and waits. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/trial/trial.h"
#include "agent.h"
#include "join.h"
#include "starter.h"

#define SAID_BYTES 16384 /* of a kind */

/* --- whether it can --- */

static bool join_reigns(void)
{
	return machine_env(AGENT_JOIN);
}

/* Whether each of the first `hosts` has `each` agents. The list is the first agent's. */
static int check_hosts(FILE *f, unsigned hosts, unsigned each, struct status *st)
{
	char line[MACHINE_HOST_BYTES + 32], name[MACHINE_HOST_BYTES], list[256] = "";
	char few[MACHINE_HOST_BYTES];
	unsigned agents, there = 0, has = each;
	while (fgets(line, sizeof line, f) && sscanf(line, "%u %111s", &agents, name) == 2) {
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
	const char *folder = machine_env(AGENT_JOIN);
	char file[PATH_MAX];
	if (!folder)
		return status_set(st, "launcher = join starts processes where others have started "
		                      "agents; begin the run by `launchgap join` (its --help says "
		                      "how)");
	if (launcher_several("join", set, st))
		return -1;
	if (hosts_named(set->hosts))
		return status_set(st, "launcher = join has the hosts on which agents were started; "
		                      "allowed is hosts = this, or their number");
	snprintf(file, sizeof file, "%s/" AGENT_HOSTS, folder);
	FILE *f = fopen(file, "re");
	if (!f)
		return status_set(st, "%s cannot be read: %s; are the agents gone?", file,
		                  strerror(errno));
	int result = check_hosts(f, settings_hosts(set), settings_on_host(set).processes, st);
	fclose(f);
	return result;
}

static int join_find(const struct launched *as, struct exchange **out, struct status *st);

const struct launcher launcher_join = {
    .name = "join",
    .summary = "processes that others started for `launchgap join`, without MPI",
    .queues = true,
    .supports = join_supports,
    .reigns = join_reigns,
    .find = join_find,
};

/* --- the one that asks --- */

static int call_first(struct wire *out, struct status *st)
{
	const char *folder = machine_env(AGENT_JOIN);
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(at.sun_path, sizeof at.sun_path, "%s/" AGENT_SOCKET, folder ? folder : "");
	*out = (struct wire){.fd = fd};
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at))
		return 0;
	status_set(st, "the agent that started the run cannot be reached at %s: %s", at.sun_path,
	           strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static int ask(struct wire *first, const struct launched *as, struct status *st)
{
	struct trial *trial = NULL;
	struct join_ask *what = calloc(1, sizeof *what);
	struct status why = {""};
	if (!what || trial_load(as->order, &trial, st)) {
		free(what);
		return status_set(st, "out of memory");
	}
	const struct settings *set = &trial->settings;
	*what = (struct join_ask){.processes = as->processes,
	                          .hosts = settings_hosts(set),
	                          .ranks = layout_ranks(set->layout) / as->processes,
	                          .yield = as->yield,
	                          .nenv = set->nenv};
	snprintf(what->order, sizeof what->order, "%s", as->order);
	memcpy(what->env, set->env, sizeof what->env);
	int result = wire_send(first, what, sizeof *what, clock_now_ns() + HAND_DEADLINE_NS, &why);
	trial_free(trial);
	free(what);
	return result ? status_set(st, "the agent that started the run %s", why.text) : 0;
}

struct heard {
	char texts[JOIN_END][SAID_BYTES];
	int code; /* -1: the job goes on */
};

/* One message. -1: the first agent is gone. */
static int hear(struct wire *first, struct heard *heard)
{
	struct join_said said;
	struct status why = {""};
	if (wire_recv(first, &said, sizeof said, clock_now_ns() + HAND_DEADLINE_NS, &why))
		return -1;
	said.text[sizeof said.text - 1] = '\0';
	if (said.kind < JOIN_END)
		status_add(heard->texts[said.kind], SAID_BYTES, "%s", said.text);
	else
		heard->code = said.code & 255;
	return 0;
}

static int take_stops(struct status *st)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd >= 0 ? fd : status_set(st, "signalfd: %s", strerror(errno));
}

/* Until the job's end. When this process is to stop, the agents kill the workers, and what those have
 * printed is still heard: it may say why they did not end. */
static int wait_end(struct wire *first, struct heard *heard, struct status *st)
{
	int stops = take_stops(st);
	bool stopping = false, gone = stops < 0;
	while (!gone && heard->code < 0) {
		struct pollfd polls[] = {{.fd = first->fd, .events = POLLIN},
		                         {.fd = stopping ? -1 : stops, .events = POLLIN}};
		if (poll(polls, 2, -1) < 0)
			continue;
		if (polls[1].revents) {
			shutdown(first->fd, SHUT_WR);
			stopping = true;
		}
		gone = polls[0].revents && hear(first, heard);
	}
	if (stops >= 0)
		close(stops);
	return gone ? status_set(st, "the agent that started the run is gone") : 0;
}

/* Ends this process: it has no rank. */
static int start(const struct launched *as, struct status *st)
{
	struct heard *heard = calloc(1, sizeof *heard);
	struct wire first;
	if (heard ? call_first(&first, st) : status_set(st, "out of memory")) {
		free(heard);
		return -1;
	}
	heard->code = -1;
	int failed = ask(&first, as, st) || wait_end(&first, heard, st);
	for (int kind = 0; kind < JOIN_END; kind++)
		fputs(heard->texts[kind], stderr);
	const int code = heard->code;
	close(first.fd);
	free(heard);
	if (failed)
		return -1;
	_exit(code);
}

static int join_find(const struct launched *as, struct exchange **out, struct status *st)
{
	return as->rank ? starter_find(as, out, st) : start(as, st);
}
