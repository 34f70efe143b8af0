#include "agent.h"

#include <errno.h>
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

#define FIRST "the agent of rank 0"

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

static int answer(const struct agents *all, const struct hand_end *end, struct status *st)
{
	struct status why = {""};
	if (!wire_send(all->wires, end, sizeof *end, clock_now_ns() + HAND_DEADLINE_NS, &why))
		return 0;
	return status_set(st, FIRST ", which runs the experiment, %s", why.text);
}

static int begin(struct agents *all, struct status *st)
{
	const struct agent *as = all->as;
	struct hand_order order;
	struct status why = {""};
	if (wire_recv(all->wires, &order, sizeof order, clock_now_ns() + HAND_DEADLINE_NS, &why))
		return status_set(st, FIRST " %s", why.text);
	if (hand_check(&order, &why))
		return status_set(st, "what " FIRST " orders is refused: %s", why.text);
	if (!hand_start(&all->hand, &order, as->self, as->seat.secret, -1, &why))
		return 0;
	struct hand_end end = {.job = order.job, .status = 127 << 8};
	snprintf(end.said, sizeof end.said, "launchgap: agent %u %s\n", as->seat.rank, why.text);
	return answer(all, &end, st);
}

/* What the first one says. 1: the run is over, with *code; -1: nothing more can come. */
static int obey(struct agents *all, int *code, struct status *st)
{
	struct hand_head head;
	struct status why = {""};
	if (wire_recv(all->wires, &head, sizeof head, clock_now_ns() + HAND_DEADLINE_NS, &why))
		return status_set(st, FIRST ", which runs the experiment, %s", why.text);
	switch (head.kind) {
	case HAND_START:
		return begin(all, st);
	case HAND_KILL:
		if (all->hand.job == head.job)
			hand_kill(&all->hand);
		return 0;
	case HAND_OVER:
		*code = head.code ? 1 : 0;
		if (head.code)
			status_set(st,
			           "the run ended with exit status %d; what rank 0 prints says why",
			           head.code);
		return 1;
	default:
		return status_set(st, FIRST " says what this one does not know: do all run the "
		                            "same launchgap?");
	}
}

/* A child's end is answered. Any other signal ends the agent: 1, with *code. */
static int signalled(struct agents *all, int *code, struct status *st)
{
	struct signalfd_siginfo got;
	struct hand_end end;
	if (read(all->signals, &got, sizeof got) != sizeof got)
		return 0;
	if (got.ssi_signo != SIGCHLD) {
		*code = 1;
		status_set(st, "agent %u was stopped by signal %u (%s)", all->as->seat.rank,
		           got.ssi_signo, strsignal((int)got.ssi_signo));
		return 1;
	}
	return hand_ended(&all->hand, &end) ? answer(all, &end, st) : 0;
}

static int serve(struct agents *all, struct status *st)
{
	int code = 1, over = 0;
	while (!over) {
		struct pollfd polls[] = {
		    {.fd = all->signals, .events = POLLIN},
		    {.fd = all->wires->fd, .events = POLLIN},
		    {.fd = all->hand.pid ? all->hand.said : -1, .events = POLLIN}};
		if (poll(polls, 3, -1) < 0 && errno != EINTR)
			over = status_set(st, "poll: %s", strerror(errno));
		if (!over && polls[2].revents)
			hand_hear(&all->hand);
		if (!over && polls[0].revents)
			over = signalled(all, &code, st);
		if (!over && polls[1].revents)
			over = obey(all, &code, st);
	}
	hand_kill(&all->hand);
	return over < 0 ? -1 : code;
}

int agent_run(const struct agent *as, char *const run[], struct status *st)
{
	const unsigned size = as->seat.size;
	struct agents all = {.as = as,
	                     .seats = calloc(size, sizeof *all.seats),
	                     .signals = -1,
	                     .hand = {.said = -1}};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, 0};
	struct rendezvous *x = NULL;
	struct agent_seat own = {.host = ""};
	int result = -1;
	machine_host(own.host);
	if (sched_getaffinity(0, sizeof own.cpus, &own.cpus))
		CPU_ZERO(&own.cpus);
	if (!all.seats)
		status_set(st, "out of memory for %u agents", size);
	else if (!rendezvous_open_tcp(&as->seat, &x, st) &&
	         !rendezvous_all(x, &own, all.seats, sizeof own, st) &&
	         (all.signals = hand_signals(signals, st)) >= 0) {
		all.wires = x->peers.wires;
		for (unsigned i = 0; i < size; i++) {
			all.seats[i].host[MACHINE_HOST_BYTES - 1] = '\0';
			if (all.wires[i].fd >= 0)
				keep_alive(all.wires[i].fd);
		}
		result = as->seat.rank ? serve(&all, st) : dispatch_run(&all, run, st);
	}
	if (all.signals >= 0)
		close(all.signals);
	rendezvous_close(x);
	free(all.seats);
	return result;
}
