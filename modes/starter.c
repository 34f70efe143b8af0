#include "starter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/exchange/address.h"
#include "../harness/exchange/started.h"
#include "../harness/machine.h"

#define FIND_S 60               /* within which all have to come */
#define DOOR   "LAUNCHGAP_DOOR" /* the first one's listening socket, which it inherits */
#define RANK   "LAUNCHGAP_RANK"
/* For the others once one has failed, or was killed. */
#define GRACE_S 5
#define ALONE_S 1

static void say_env(const char *name, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say_env(const char *name, const char *format, ...)
{
	char text[ADDRESS_BYTES];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	setenv(name, text, 1);
}

void starter_become(const struct launched *as, const struct starter_seat *seat)
{
	char processes[16];
	snprintf(processes, sizeof processes, "%u", as->processes);
	say_env(RANK, "%u", seat->rank);
	say_env("LAUNCHGAP_SIZE", "%u", as->processes);
	say_env("LAUNCHGAP_LOCAL_RANK", "%u", seat->local_rank);
	say_env("LAUNCHGAP_RENDEZVOUS", "%s", seat->address);
	say_env("LAUNCHGAP_SECRET", "%s", seat->secret);
	if (seat->host) {
		/* NCCL believes it too, so that it takes its network between them. */
		say_env(MACHINE_HOST, "%s", seat->host);
		say_env("NCCL_HOSTID", "%s", seat->host);
	}
	if (seat->rank == 0) {
		say_env(DOOR, "%d", seat->door);
		fcntl(seat->door, F_SETFD, 0);
	}
	execl(as->self, as->self, "worker", as->by->name, as->order, processes,
	      as->yield ? "yield" : "spin", NULL);
	fprintf(stderr, "launchgap: cannot start %s: %s\n", as->self, strerror(errno));
	_exit(127);
}

bool starter_became(void)
{
	return machine_env(RANK);
}

int starter_find(struct exchange **out, struct status *st)
{
	struct started own;
	const char *door = machine_env(DOOR);
	if (started_find(machine_env, &own, st))
		return -1;
	const struct exchange_seat seat = {.rank = own.rank,
	                                   .size = own.size,
	                                   .door = door ? atoi(door) : -1,
	                                   .address = own.address,
	                                   .secret = own.secret,
	                                   .timeout_s = FIND_S};
	return exchange_open_tcp(&seat, out, st);
}

int starter_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int64_t starter_grace_ns(int status)
{
	/* Those of a killed one's host hear nothing of it. */
	return (WIFSIGNALED(status) ? ALONE_S : GRACE_S) * (int64_t)1000000000;
}

void starter_killed(const char *host, unsigned process, unsigned ranks, int signal,
                    struct status *st)
{
	const unsigned first = process * ranks;
	char who[48];
	if (ranks == 1)
		snprintf(who, sizeof who, "rank %u: its", first);
	else
		snprintf(who, sizeof who, "ranks %u to %u: their", first, first + ranks - 1);
	status_set(st, "%s%.64s%s%s process was killed by signal %d (%s)", host ? "host " : "",
	           host ? host : "", host ? ": " : "", who, signal, strsignal(signal));
}
