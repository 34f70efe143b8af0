/* The first agent: starts the run, takes its jobs at a socket, one at a time, has the agents start their
 * processes, and brings the ends back. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/started.h"
#include "agent.h"
#include "join.h"
#include "starter.h"

#define S_NS     ((int64_t)1000000000)
#define SAY_NS   (1 * S_NS) /* for a word to the starter */
#define ANSWER_S 4          /* for an agent whose worker was killed; less than a job has to stop */
#define NOBODY   UINT32_MAX

struct member {
	unsigned host;
	uint32_t rank; /* in the job at hand, while its worker is there; NOBODY */
	bool lost;
};

struct dispatch {
	const struct agents *all;
	unsigned size, nhosts;
	struct member *members;
	char folder[32];
	int door; /* for starters */
	pid_t run;
	struct hand hand; /* this agent's own worker */
	/* The job at hand. starter: none is there between jobs. */
	struct wire starter;
	bool stopping, killed;
	uint32_t job, processes, hosts, ranks, left;
	int code;
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

/* The hosts in the order of their first agents. */
static void number_hosts(struct dispatch *d)
{
	for (unsigned i = 0; i < d->size; i++) {
		unsigned k = 0;
		while (strcmp(d->all->seats[k].host, d->all->seats[i].host) != 0)
			k++;
		d->members[i] = (struct member){.host = k < i ? d->members[k].host : d->nhosts++,
		                                .rank = NOBODY};
	}
}

static unsigned agents_of(const struct dispatch *d, unsigned host, unsigned *first)
{
	unsigned n = 0;
	for (unsigned i = d->size; i-- > 0;)
		if (d->members[i].host == host) {
			*first = i;
			n++;
		}
	return n;
}

/* The CPUs of all agents of a host: a launcher that binds each to its own takes none of them away. */
static cpu_set_t cpus_of(const struct dispatch *d, unsigned host)
{
	cpu_set_t all;
	CPU_ZERO(&all);
	for (unsigned i = 0; i < d->size; i++)
		if (d->members[i].host == host)
			CPU_OR(&all, &all, &d->all->seats[i].cpus);
	return all;
}

/* Says who joined, to people and in the file for join_supports. */
static int write_hosts(const struct dispatch *d, struct status *st)
{
	char file[64], name[MACHINE_HOST_BYTES], list[512] = "";
	snprintf(file, sizeof file, "%s/" AGENT_HOSTS, d->folder);
	FILE *f = fopen(file, "we");
	for (unsigned h = 0; f && h < d->nhosts; h++) {
		unsigned first = 0, n = agents_of(d, h, &first);
		char one[MACHINE_HOST_BYTES + 16];
		fprintf(f, "%u %s\n", n, host_of(d, first, name));
		snprintf(one, sizeof one, "%s: %u", name, n);
		status_list(list, sizeof list, one);
	}
	if (!f || fclose(f))
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	status_say("launchgap: %u agent%s joined on %u host%s (%s)", d->size,
	           d->size == 1 ? "" : "s", d->nhosts, d->nhosts == 1 ? "" : "s", list);
	return 0;
}

/* --- what the starter hears --- */

static void say(struct dispatch *d, enum join_kind kind, int code, const char *text)
{
	struct join_said said = {.kind = kind, .code = code};
	struct status ignored = {""};
	snprintf(said.text, sizeof said.text, "%s", text);
	if (d->starter.fd >= 0) /* one that is gone is noticed elsewhere */
		wire_send(&d->starter, &said, sizeof said, clock_now_ns() + SAY_NS, &ignored);
}

static void say_line(struct dispatch *d, enum join_kind kind, const char *text)
{
	char line[sizeof(struct status) + 16];
	snprintf(line, sizeof line, "launchgap: %s\n", text);
	say(d, kind, 0, line);
}

static void end_job(struct dispatch *d)
{
	say(d, JOIN_END, d->code, "");
	close(d->starter.fd);
	d->starter.fd = -1;
	d->job++;
}

/* The first failure decides the exit status; the others may leave by themselves. */
static void fail_job(struct dispatch *d, int code, int64_t grace_ns)
{
	if (d->code)
		return;
	d->code = code;
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
	status_add(text, sizeof text, "; process %u of %u was its worker", m->rank, d->processes);
	m->rank = NOBODY;
	d->left--;
	say_line(d, JOIN_LOST, text);
	fail_job(d, 1, starter_grace_ns(1 << 8));
}

static void tell(struct dispatch *d, unsigned agent, enum hand_kind kind, const void *data,
                 size_t bytes)
{
	const struct hand_head head = {kind, d->job};
	const int64_t deadline_ns = clock_now_ns() + HAND_DEADLINE_NS;
	struct wire *to = &d->all->wires[agent];
	struct status why = {""};
	if (wire_send(to, &head, sizeof head, deadline_ns, &why) ||
	    (bytes && wire_send(to, data, bytes, deadline_ns, &why)))
		lose(d, agent, why.text);
}

static void kill_job(struct dispatch *d)
{
	if (!d->killed)
		for (unsigned i = 0; i < d->size; i++) {
			if (d->members[i].rank == NOBODY)
				continue;
			if (i)
				tell(d, i, HAND_KILL, NULL, 0);
			else
				hand_kill(&d->hand);
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

static void ended(struct dispatch *d, unsigned agent, const struct hand_end *end)
{
	struct member *m = &d->members[agent];
	char name[MACHINE_HOST_BYTES];
	if (end->job != d->job || m->rank == NOBODY)
		return;
	const uint32_t rank = m->rank;
	m->rank = NOBODY;
	d->left--;
	if (!end->status)
		return;
	if (WIFSIGNALED(end->status) && !d->killed) {
		struct status why = {""};
		starter_killed(d->hosts > 1 ? host_of(d, agent, name) : NULL, rank, d->ranks,
		               WTERMSIG(end->status), &why);
		say_line(d, JOIN_KILLED, why.text);
	}
	say(d, JOIN_PRINTED, 0, end->said);
	fail_job(d, starter_code(end->status), starter_grace_ns(end->status));
}

static void hear_agent(struct dispatch *d, unsigned agent)
{
	struct hand_end *end = malloc(sizeof *end);
	struct status why = {""};
	if (!end)
		lose(d, agent, "cannot be heard: out of memory");
	else if (wire_recv(&d->all->wires[agent], end, sizeof *end,
	                   clock_now_ns() + HAND_DEADLINE_NS, &why))
		lose(d, agent, why.text);
	else {
		end->said[sizeof end->said - 1] = '\0';
		ended(d, agent, end);
	}
	free(end);
}

/* --- a job begins --- */

/* The first agents of each host get ranks, host after host. */
static int choose(struct dispatch *d, unsigned hosts, unsigned each, struct status *st)
{
	uint32_t rank = 0;
	for (unsigned h = 0; h < hosts; h++) {
		char name[MACHINE_HOST_BYTES];
		unsigned taken = 0, first = 0, lost = 0;
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
		agents_of(d, h, &first);
		return status_set(
		    st, "host %s has %u agent%s, lost %u of them, and the job needs %u there",
		    h < d->nhosts ? host_of(d, first, name) : "?", taken + lost,
		    taken + lost == 1 ? "" : "s", lost, each);
	}
	return 0;
}

static void fill_order(const struct dispatch *d, const struct join_ask *ask,
                       const struct door_place *door, struct hand_order *out)
{
	*out = (struct hand_order){
	    .job = d->job, .processes = ask->processes, .yield = ask->yield, .nenv = ask->nenv};
	snprintf(out->address, sizeof out->address, "%s", door->address);
	snprintf(out->order, sizeof out->order, "%s", ask->order);
	memcpy(out->env, ask->env, sizeof out->env);
}

/* The first one's worker begins with the door, so it comes last: until then the door is here. */
static int start_all(struct dispatch *d, struct hand_order *order, int door, struct status *st)
{
	d->left = order->processes;
	for (unsigned n = 0; n < d->size; n++) {
		const unsigned i = d->size - 1 - n;
		order->rank = d->members[i].rank;
		if (order->rank == NOBODY)
			continue;
		order->cpus = cpus_of(d, d->members[i].host);
		if (i)
			tell(d, i, HAND_START, order, sizeof *order);
		else if (hand_start(&d->hand, order, d->all->as->self, d->all->as->secret, door,
		                    st)) {
			d->members[0].rank = NOBODY;
			d->left--;
			return -1;
		}
	}
	return 0;
}

static int begin_job(struct dispatch *d, const struct join_ask *ask, struct status *st)
{
	struct door_place door = {.fd = -1};
	struct hand_order *order = malloc(sizeof *order);
	const unsigned each = ask->hosts ? ask->processes / ask->hosts : 0;
	int result = -1;
	d->code = 0;
	d->killed = d->stopping = false;
	d->until_ns = INT64_MAX;
	d->processes = ask->processes;
	d->hosts = ask->hosts;
	d->ranks = ask->ranks;
	d->left = 0;
	if (!order)
		status_set(st, "out of memory");
	else if (!each || ask->processes > SETTINGS_MAX_RANKS ||
	         each * ask->hosts != ask->processes)
		status_set(st, "%u processes cannot be spread over %u hosts", ask->processes,
		           ask->hosts);
	else if (!choose(d, ask->hosts, each, st) && !agent_open(d->all->as->address, &door, st)) {
		fill_order(d, ask, &door, order);
		result = hand_check(order, st) ? -1 : start_all(d, order, door.fd, st);
		close(door.fd);
	}
	for (unsigned i = 0; i < d->size && !d->left; i++)
		d->members[i].rank = NOBODY; /* nothing was started */
	free(order);
	return result;
}

static void greet(struct dispatch *d)
{
	struct join_ask *ask = malloc(sizeof *ask);
	struct status st = {""};
	d->starter = (struct wire){.fd = accept4(d->door, NULL, NULL, SOCK_CLOEXEC)};
	if (d->starter.fd >= 0 && (!ask || wire_recv(&d->starter, ask, sizeof *ask,
	                                             clock_now_ns() + HAND_DEADLINE_NS, &st))) {
		close(d->starter.fd);
		d->starter.fd = -1;
	} else if (d->starter.fd >= 0) {
		ask->order[sizeof ask->order - 1] = '\0';
		if (begin_job(d, ask, &st)) {
			say_line(d, JOIN_LOST, st.text);
			d->code = 1;
			kill_job(d);
		}
	}
	free(ask);
}

/* The starter says nothing more: it is gone, or is to stop. */
static void leave_job(struct dispatch *d)
{
	d->stopping = true;
	d->code = d->code ? d->code : 1;
	kill_job(d);
}

/* --- the run --- */

#define FOLDERS "launchgap-join-"

static void remove_folder(const char *folder)
{
	static const char *const files[] = {"/" AGENT_SOCKET, "/" AGENT_HOSTS, ""};
	for (unsigned i = 0; i < 3; i++) {
		char path[64];
		snprintf(path, sizeof path, "%.32s%s", folder, files[i]);
		remove(path);
	}
}

/* Those that agents of this user left which were killed: nobody listens there. */
static void sweep(void)
{
	const struct dirent *entry;
	DIR *dir = opendir("/tmp");
	while (dir && (entry = readdir(dir))) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};
		struct stat about;
		char folder[33];
		const int n = snprintf(folder, sizeof folder, "/tmp/%s", entry->d_name);
		if (strncmp(entry->d_name, FOLDERS, strlen(FOLDERS)) != 0 ||
		    n >= (int)sizeof folder || lstat(folder, &about) || !S_ISDIR(about.st_mode) ||
		    about.st_uid != geteuid())
			continue;
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		snprintf(at.sun_path, sizeof at.sun_path, "%s/" AGENT_SOCKET, folder);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) &&
		    errno == ECONNREFUSED)
			remove_folder(folder);
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/* The socket has its name when it listens: one at which nobody does is left over. */
static int make_folder(struct dispatch *d, struct status *st)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char path[64];
	sweep();
	snprintf(d->folder, sizeof d->folder, "/tmp/" FOLDERS "XXXXXX");
	if (!mkdtemp(d->folder)) {
		d->folder[0] = '\0';
		return status_set(st, "cannot make a folder in /tmp: %s", strerror(errno));
	}
	snprintf(at.sun_path, sizeof at.sun_path, "%s/new", d->folder);
	snprintf(path, sizeof path, "%s/" AGENT_SOCKET, d->folder);
	d->door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (d->door < 0 || bind(d->door, (struct sockaddr *)&at, sizeof at) || listen(d->door, 8) ||
	    rename(at.sun_path, path))
		return status_set(st, "cannot listen at %s: %s", path, strerror(errno));
	return write_hosts(d, st);
}

/* The run knows nothing of its starter: what it starts itself has other ranks. */
static int start_run(struct dispatch *d, char *const run[], struct status *st)
{
	const pid_t parent = getpid();
	const cpu_set_t cpus = cpus_of(d, 0);
	d->run = fork();
	if (d->run < 0)
		return status_set(st, "cannot start the run: %s", strerror(errno));
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
	setenv(AGENT_JOIN, d->folder, 1);
	hand_bind(&cpus);
	execv(run[0], run);
	fprintf(stderr, "launchgap: cannot start %s: %s\n", run[0], strerror(errno));
	_exit(127);
}

/* Ends of children, and signals that are the run's. Whether the run goes on. */
static bool goes_on(struct dispatch *d, int *code, struct status *st)
{
	struct signalfd_siginfo got;
	struct hand_end *end = malloc(sizeof *end);
	int status;
	bool over = !end;
	while (read(d->all->signals, &got, sizeof got) == sizeof got)
		if (got.ssi_signo != SIGCHLD)
			kill(d->run, (int)got.ssi_signo);
	if (end && hand_ended(&d->hand, end))
		ended(d, 0, end);
	free(end);
	const pid_t ended_run = waitpid(d->run, &status, WNOHANG);
	if (ended_run < 0 && errno == ECHILD)
		status = 1 << 8; /* another waiter took its end */
	if (ended_run) {
		d->run = 0;
		over = true;
		*code = starter_code(status);
		if (WIFSIGNALED(status))
			status_set(st, "the run was killed by signal %d (%s)", WTERMSIG(status),
			           strsignal(WTERMSIG(status)));
	}
	return !over;
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
		own[0] = (struct pollfd){.fd = free_now ? d->door : -1, .events = POLLIN};
		own[1] = (struct pollfd){.fd = d->stopping ? -1 : d->starter.fd, .events = POLLIN};
		own[2] = (struct pollfd){.fd = d->hand.pid ? d->hand.said : -1, .events = POLLIN};
		if (poll(d->polls, d->size + 3, wait_ms(d)) < 0)
			continue;
		if (own[2].revents)
			hand_hear(&d->hand);
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
		if (d->starter.fd >= 0 && !d->left)
			end_job(d);
	}
	return code;
}

/* Nothing stays: not even what the run left. */
static void end_all(struct dispatch *d, int code)
{
	hand_kill(&d->hand);
	if (d->starter.fd >= 0)
		close(d->starter.fd);
	agent_over(d->all, code, "");
}

int dispatch_run(const struct agents *all, char *const run[], struct status *st)
{
	const unsigned size = all->as->size;
	struct dispatch d = {.all = all,
	                     .size = size,
	                     .members = calloc(size, sizeof *d.members),
	                     .polls = calloc(size + 3, sizeof *d.polls),
	                     .door = -1,
	                     .hand = {.said = -1},
	                     .starter = {.fd = -1}};
	int code = 1;
	if (!d.members || !d.polls) {
		free(d.members);
		free(d.polls);
		return status_set(st, "out of memory for %u agents", size);
	}
	number_hosts(&d);
	if (!make_folder(&d, st) && !start_run(&d, run, st))
		code = serve(&d, st);
	end_all(&d, code);
	if (d.door >= 0)
		close(d.door);
	if (d.folder[0])
		remove_folder(d.folder);
	free(d.members);
	free(d.polls);
	return code;
}
