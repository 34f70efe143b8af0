#include "agent.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../harness/clock.h"
#include "../harness/sanitize.h"
#include "hand.h"

#define S_NS ((int64_t)1000000000)

/* --- how they meet --- */

/* A host that is gone says nothing: after 25 s the kernel does, whether something is on its way or not. */
static void keep_alive(int fd)
{
	const int yes = 1, idle = 10, between = 5, times = 3, silent_ms = 25000;
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
}

int agent_open(const char *meeting, struct door_place *out, struct status *st)
{
	char at[ADDRESS_BYTES];
	if (address_to_listen(meeting, at, st))
		return -1;
	strcpy(strrchr(at, ':'), ":0");
	return door_open(at, out, st);
}

void agent_over(const struct agents *all, int code, const char *why)
{
	const struct hand_head head = {HAND_OVER, 0};
	const int64_t soon = clock_now_ns() + S_NS;
	struct hand_over over = {.code = code};
	snprintf(over.why, sizeof over.why, "%s", why);
	for (unsigned i = 1; i < all->as->size; i++) {
		struct status ignored = {""};
		if (all->wires[i].fd >= 0 &&
		    !wire_send(&all->wires[i], &head, sizeof head, soon, &ignored))
			wire_send(&all->wires[i], &over, sizeof over, soon, &ignored);
	}
}

/* The first one gets the seat of each other one. */
static int gather(const struct agents *all, const struct door_world *world, int64_t deadline_ns,
                  struct status *st)
{
	const struct agent *as = all->as;
	char at[ADDRESS_BYTES];
	struct door_place door;
	struct status why = {""};
	if (as->size == 1)
		return 0;
	if (address_to_listen(as->address, at, st) || door_open(at, &door, st))
		return -1;
	int result = door_gather(door.fd, world, deadline_ns, all->wires, st);
	close(door.fd);
	for (unsigned i = 1; i < as->size && !result; i++) {
		struct agent_seat *seat = &all->seats[i];
		if (wire_recv(&all->wires[i], seat, sizeof *seat, clock_now_ns() + HAND_DEADLINE_NS,
		              &why))
			result = status_set(st, "rank %u %s", i, why.text);
		seat->host[MACHINE_HOST_BYTES - 1] = '\0';
	}
	if (result)
		agent_over(all, 1, st->text);
	return result;
}

static int meet(const struct agents *all, struct status *st)
{
	const struct agent *as = all->as;
	const struct door_world world = {as->secret, "rank", as->size, as->why};
	const int64_t deadline_ns = clock_now_ns() + as->wait_s * S_NS;
	struct status why = {""};
	int result;
	machine_host(all->seats[0].host);
	if (sched_getaffinity(0, sizeof all->seats[0].cpus, &all->seats[0].cpus))
		CPU_ZERO(&all->seats[0].cpus);
	if (!as->rank)
		result = gather(all, &world, deadline_ns, st);
	else if (door_connect(as->address, &world, as->rank, deadline_ns, &all->wires[0], st))
		result = -1;
	else if (wire_send(&all->wires[0], &all->seats[0], sizeof all->seats[0],
	                   clock_now_ns() + HAND_DEADLINE_NS, &why))
		result = status_set(st, "rank 0 %s", why.text);
	else
		result = 0;
	for (unsigned i = 0; i < as->size; i++)
		if (all->wires[i].fd >= 0)
			keep_alive(all->wires[i].fd);
	return result;
}

/* --- all but the first --- */

struct other {
	const struct agents *all;
	struct hand hand;
	struct wire *first;
};

static int answer(const struct other *o, const struct hand_end *end, struct status *st)
{
	struct status why = {""};
	if (!wire_send(o->first, end, sizeof *end, clock_now_ns() + HAND_DEADLINE_NS, &why))
		return 0;
	return status_set(st, "the agent of rank 0, which runs the experiment, %s", why.text);
}

static int begin(struct other *o, struct status *st)
{
	struct hand_order *order = malloc(sizeof *order);
	struct status why = {""};
	int result = -1;
	if (!order ||
	    wire_recv(o->first, order, sizeof *order, clock_now_ns() + HAND_DEADLINE_NS, &why)) {
		status_set(st, "the agent of rank 0 %s", order ? why.text : "asks for too much");
	} else if (hand_check(order, &why)) {
		status_set(st, "what the agent of rank 0 orders is refused: %s", why.text);
	} else if (hand_start(&o->hand, order, o->all->as->self, o->all->as->secret, -1, &why)) {
		struct hand_end end = {.job = order->job, .status = 127 << 8};
		snprintf(end.said, sizeof end.said, "launchgap: agent %u %s\n", o->all->as->rank,
		         why.text);
		result = answer(o, &end, st);
	} else {
		result = 0;
	}
	free(order);
	return result;
}

/* What the first one says. 1: the run is over, with *code; -1: nothing more can come. */
static int obey(struct other *o, int *code, struct status *st)
{
	const int64_t deadline_ns = clock_now_ns() + HAND_DEADLINE_NS;
	struct hand_head head;
	struct hand_over over = {0};
	struct status why = {""};
	if (wire_recv(o->first, &head, sizeof head, deadline_ns, &why) ||
	    (head.kind == HAND_OVER && wire_recv(o->first, &over, sizeof over, deadline_ns, &why)))
		return status_set(st, "the agent of rank 0, which runs the experiment, %s",
		                  why.text);
	switch (head.kind) {
	case HAND_START:
		return begin(o, st);
	case HAND_KILL:
		if (o->hand.job == head.job)
			hand_kill(&o->hand);
		return 0;
	case HAND_OVER:
		*code = over.code ? 1 : 0;
		over.why[sizeof over.why - 1] = '\0';
		sanitize_text(over.why);
		if (over.why[0])
			status_set(st, "%s", over.why);
		else if (over.code)
			status_set(st,
			           "the run ended with exit status %d; what rank 0 prints says why",
			           over.code);
		return 1;
	default:
		return status_set(st,
		                  "the agent of rank 0 says what this one does not know: do all "
		                  "run the same launchgap?");
	}
}

/* A child's end is answered. Any other signal ends the agent: 1, with *code. */
static int signalled(struct other *o, int *code, struct status *st)
{
	struct signalfd_siginfo got;
	struct hand_end end;
	if (read(o->all->signals, &got, sizeof got) != sizeof got)
		return 0;
	if (got.ssi_signo != SIGCHLD) {
		*code = 1;
		status_set(st, "agent %u was stopped by signal %u (%s)", o->all->as->rank,
		           got.ssi_signo, strsignal((int)got.ssi_signo));
		return 1;
	}
	return hand_ended(&o->hand, &end) ? answer(o, &end, st) : 0;
}

static int serve(const struct agents *all, struct status *st)
{
	struct other o = {.all = all, .hand = {.said = -1}, .first = &all->wires[0]};
	int code = 1, over = 0;
	while (!over) {
		struct pollfd polls[] = {{.fd = all->signals, .events = POLLIN},
		                         {.fd = o.first->fd, .events = POLLIN},
		                         {.fd = o.hand.pid ? o.hand.said : -1, .events = POLLIN}};
		if (poll(polls, 3, -1) < 0 && errno != EINTR)
			over = status_set(st, "poll: %s", strerror(errno));
		if (!over && polls[2].revents)
			hand_hear(&o.hand);
		if (!over && polls[0].revents)
			over = signalled(&o, &code, st);
		if (!over && polls[1].revents)
			over = obey(&o, &code, st);
	}
	hand_kill(&o.hand);
	return over < 0 ? -1 : code;
}

/* --- both --- */

static int take_signals(struct status *st)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd >= 0 ? fd : status_set(st, "signalfd: %s", strerror(errno));
}

int agent_run(const struct agent *as, char *const run[], struct status *st)
{
	struct agents all = {.as = as,
	                     .seats = calloc(as->size, sizeof *all.seats),
	                     .wires = wire_none(as->size),
	                     .signals = -1};
	int result = -1;
	if (!all.seats || !all.wires)
		status_set(st, "out of memory for %u agents", as->size);
	else if (!meet(&all, st) && (all.signals = take_signals(st)) >= 0)
		result = as->rank ? serve(&all, st) : dispatch_run(&all, run, st);
	if (all.signals >= 0)
		close(all.signals);
	free(all.seats);
	wire_free(all.wires, as->size);
	return result;
}
