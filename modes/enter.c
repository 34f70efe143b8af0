#include "enter.h"

#include <pthread.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/exchange/hosts_link.h"
#include "../harness/machine.h"
#include "../harness/memory.h"

#define TURN_US  5000
#define END_MOST 2000 /* 10 s, for others to leave their libraries */
#define LINK_S   60   /* within which all hosts have to be linked */

/* --- the threads of a process --- */

/* This process of the job; the calling thread is its first worker. */
struct part {
	const struct run *run;
	struct team *team;
	unsigned process;
	enter_worker_fn *worker;
	void *arg;
};

struct worker_thread {
	const struct part *part;
	unsigned index;
	pthread_t id;
};

static void *work(void *arg)
{
	const struct worker_thread *w = arg;
	w->part->worker(w->part->team, w->index, w->part->arg);
	return NULL;
}

static int run_threads(const struct part *part, struct status *st)
{
	const struct layout layout = part->run->layout;
	unsigned nthreads = layout.threads, started = 1;
	struct worker_thread *workers = memory_take(nthreads, sizeof *workers);
	int error = 0;
	for (unsigned t = 0; t < nthreads; t++)
		workers[t] = (struct worker_thread){part, part->process * nthreads + t, 0};
	while (started < nthreads && !error) {
		error = pthread_create(&workers[started].id, NULL, work, &workers[started]);
		started += !error;
	}
	if (error) {
		status_set(st, "cannot start thread %u of %u: %s", started + 1, nthreads,
		           status_unstarted(error));
		team_fail(part->team, workers[started].index * layout.ranks_per_thread, st->text);
	} else {
		work(&workers[0]);
	}
	for (unsigned t = 1; t < started; t++)
		pthread_join(workers[t].id, NULL);
	free(workers);
	return error ? -1 : 0;
}

/* --- which process is where --- */

/* Where a process is, in the order of hosts: that of their first ranks. */
struct seat {
	unsigned host, process; /* process: of the whole job, host after host */
	unsigned here;          /* its place on its host */
	unsigned lead;          /* the rendezvous' rank of its host's first process */
};

/* names: the host of each process. */
static int seat_find(const struct run *run, const char (*names)[MACHINE_HOST_BYTES], unsigned rank,
                     struct seat *out, struct status *st)
{
	const unsigned size = run->layout.processes, each = size / run->hosts;
	unsigned nhosts = 0, *hosts = memory_take(size, sizeof *hosts),
	         *here = memory_take(size, sizeof *here); /* processes so far, by host */
	for (unsigned r = 0; r < size; r++) {
		unsigned first = 0;
		while (strcmp(names[first], names[r]) != 0)
			first++;
		const unsigned h = hosts[r] = first < r ? hosts[first] : nhosts++;
		if (r == rank)
			*out = (struct seat){h, h * each + here[h], here[h], first};
		here[h]++;
	}
	int result = 0;
	if (nhosts != run->hosts)
		result = status_set(st,
		                    "the launcher started %u processes on %u host%s, and hosts "
		                    "asks for %u: look at how it maps processes to hosts",
		                    size, nhosts, nhosts == 1 ? "" : "s", run->hosts);
	for (unsigned h = 0; h < nhosts && !result; h++)
		if (here[h] != each)
			result = status_set(
			    st, "the launcher started %u processes on a host; every host needs %u",
			    here[h], each);
	free(hosts);
	free(here);
	return result;
}

/* --- the team of a host --- */

/* A host's first process says where the block is, and all that they have it; "": it failed. */
static int share_block(const struct run *run, const struct seat *seat, struct team **team,
                       struct status *st)
{
	const unsigned size = run->layout.processes;
	char own[64] = "", (*all)[sizeof own] = memory_take(size, sizeof own);
	struct status why = {""};
	int result = -1;
	if (seat->here == 0)
		team_create(&run->shape, own, sizeof own, team, &why);
	if (peers_all(run->rendezvous, own, all, sizeof own, st))
		goto out;
	if (!all[seat->lead][0]) {
		status_set(st, "%s",
		           why.text[0] ? why.text
		                       : "the first process could not make the team's block");
		goto out;
	}
	if (seat->here && !team_join(all[seat->lead], team, &why))
		memcpy(own, all[seat->lead], sizeof own);
	if (peers_all(run->rendezvous, own, all, sizeof own, st))
		goto out;
	result = 0;
	for (unsigned r = 0; r < size && !result; r++)
		if (!all[r][0])
			result = status_set(
			    st, "%s",
			    why.text[0] ? why.text
			                : "another process could not join the team's block");
	if (seat->here == 0)
		team_seal(*team);
out:
	free(all);
	return result;
}

/* --- the link between hosts --- */

static int64_t now(void *of)
{
	(void)of;
	return clock_now_ns();
}

static int link_hosts(const struct run *run, const struct seat *seat, struct team *team,
                      struct hosts_link **out, struct status *st)
{
	struct door_place door = {.fd = -1, .address = ""}; /* "": there is none */
	struct status why = {""};
	char secret[CONNECTION_SECRET_BYTES], name[MACHINE_HOST_BYTES];
	int result = -1;
	if (seat->process == 0)
		door_open(run->as->by->pretends ? "127.0.0.1:0" : ":0", &door, &why);
	machine_host_name(name);
	connection_derive(run->rendezvous->secret, "hosts", secret);
	const struct hosts_link_place place = {.seat = {.rank = seat->host,
	                                                .size = run->hosts,
	                                                .door = door.fd,
	                                                .address = door.address,
	                                                .secret = secret,
	                                                .timeout_s = LINK_S,
	                                                .peer = "host"},
	                                       .name = name,
	                                       .yield = run->shape.yield,
	                                       .now = now};
	if (!peers_first(run->rendezvous, door.address, sizeof door.address, st) &&
	    !door.address[0])
		status_set(st, "%s", why.text[0] ? why.text : "the first host cannot be reached");
	if (!st->text[0])
		result = seat->here ? 0 : hosts_link_open(&place, out, st);
	if (door.fd >= 0)
		close(door.fd);
	if (!result && *out)
		result = team_link(team, *out, st);
	if (result) /* who is beside this process would wait for it */
		team_fail(team, TEAM_OTHERS, st->text);
	return result;
}

/* --- the job --- */

static int run_part(void *arg, struct status *st)
{
	const struct part *p = arg;
	if (p->run->isolates)
		team_touch(p->team);
	return run_threads(p, st);
}

/* MPI stays with the parent: a process with threads enters no user namespace. */
static int run_apart(const struct part *p, unsigned here, struct status *st)
{
	struct isolation own = p->run->isolation;
	own.process = here;
	unsigned ranks = p->run->layout.threads * p->run->layout.ranks_per_thread;
	own.gpu = own.process * ranks / own.ranks_per_gpu;
	own.gpus = (ranks + own.ranks_per_gpu - 1) / own.ranks_per_gpu;
	if (!isolation_run(&own, run_part, (void *)(uintptr_t)p, st))
		return 0;
	team_fail(p->team, p->process * ranks, st->text);
	return -1;
}

/* A host's first process waits for all there, then for other hosts: who left would not hear of a
 * loss. *all: all of the job completed their part. */
static int wait_ended(const struct run *run, struct team *team, unsigned host,
                      struct hosts_link *link, bool *all, struct status *st)
{
	const unsigned here = run->layout.processes / run->hosts;
	char ended[HOSTS_MOST] = {0};
	for (unsigned i = 0; i < END_MOST && team_count(team, TEAM_ENDED, 0) < here; i++)
		usleep(TURN_US);
	ended[host] = team_count(team, TEAM_ENDED, 0) >= here;
	if (link && peers_share(hosts_link_peers(link), ended, 1, st))
		return -1;
	*all = !memchr(ended, 0, run->hosts);
	return 0;
}

static int sit_down(const struct run *run, struct seat *out, struct status *st)
{
	const unsigned size = run->layout.processes;
	char own[MACHINE_HOST_BYTES];
	char(*names)[MACHINE_HOST_BYTES] = memory_take(size, sizeof *names);
	int result = -1;
	machine_host(own);
	if (!peers_all(run->rendezvous, own, names, sizeof own, st))
		result = seat_find(run, names, run->rendezvous->me, out, st);
	free(names);
	return result;
}

static int run_seated(const struct run *run, const struct seat *seat, struct part *part,
                      enter_lead_fn *lead, struct status *st)
{
	struct hosts_link *link = NULL;
	bool all = false;
	int result = -1;
	if (!share_block(run, seat, &part->team, st) &&
	    (run->hosts == 1 || !link_hosts(run, seat, part->team, &link, st)) &&
	    !(run->isolates ? run_apart(part, seat->here, st) : run_part(part, st)))
		result = seat->here == 0 ? lead(part->team, part->arg, st) : 0;
	/* Others may be in a call that does not return: the launcher ends them. */
	if (result && run->isolates) {
		status_complain(st);
		_exit(1);
	}
	if (!result)
		team_count(part->team, TEAM_ENDED, 1);
	if (!result && seat->here == 0)
		result = wait_ended(run, part->team, seat->host, link, &all, st);
	/* Later errors of the launcher are about its shutdown; without one a process says it. */
	if (!result && all && seat->process == 0 && run->layout.processes > 1)
		launcher_say(run->as->order, LAUNCHER_ENDED);
	if (result && seat->process == 0 && run->hosts > 1)
		launcher_say(run->as->order, LAUNCHER_FAILED);
	hosts_link_close(link);
	return result;
}

int enter_run(const struct run *run, enter_worker_fn *worker, enter_lead_fn *lead, void *arg,
              struct status *st)
{
	struct seat seat = {0};
	struct run own = *run;
	int result = -1;
	struct part part = {&own, NULL, 0, worker, arg};
	if (!sit_down(run, &seat, st)) {
		own.shape.workers_here = own.shape.nworkers / run->hosts;
		own.shape.first_worker = seat.host * own.shape.workers_here;
		part.process = seat.process;
		result = run_seated(&own, &seat, &part, lead, st);
	}
	/* Who leaves waits for all, and a host may be lost: the launcher ends the rest. */
	if (result && run->hosts > 1) {
		status_complain(st);
		_exit(1);
	}
	if (run->as->by->leave)
		run->as->by->leave(run->as, run->rendezvous, part.team, seat.here);
	else
		peers_close(run->rendezvous);
	team_leave(part.team);
	return result;
}
