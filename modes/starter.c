#include "starter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/exchange/door.h"
#include "../harness/machine.h"

#define FIND_S 60 /* within which all have to come */
/* Of such a process: rank 0's listening socket, and where the job meets. All users can read command lines. */
#define SEAT "LAUNCHGAP_SEAT"
/* For the others once one has failed, or was killed. */
#define GRACE_S 5
#define ALONE_S 1

void starter_become(const struct launched *as, const struct rendezvous_seat *seat, const char *host)
{
	char processes[16], rank[16], own[2 * ADDRESS_BYTES];
	snprintf(processes, sizeof processes, "%u", as->processes);
	snprintf(rank, sizeof rank, "%u", seat->rank);
	snprintf(own, sizeof own, "%d %s %s", seat->door, seat->secret, seat->address);
	setenv(SEAT, own, 1);
	if (host) {
		/* NCCL believes it too, so that it takes its network between them. */
		setenv(MACHINE_HOST, host, 1);
		setenv("NCCL_HOSTID", host, 1);
	}
	if (seat->rank == 0)
		fcntl(seat->door, F_SETFD, 0);
	execl(as->self, as->self, "worker", as->by->name, as->order, processes,
	      as->yield ? "yield" : "spin", rank, NULL);
	fprintf(stderr, "launchgap: cannot start %s: %s\n", as->self, strerror(errno));
	_exit(127);
}

int starter_find(const struct launched *as, struct rendezvous **out, struct status *st)
{
	const char *own = machine_env(SEAT);
	char secret[WIRE_SECRET_BYTES], address[ADDRESS_BYTES];
	struct rendezvous_seat seat = {.rank = (unsigned)atoi(as->rank),
	                               .size = as->processes,
	                               .address = address,
	                               .secret = secret,
	                               .timeout_s = FIND_S};
	if (!own || sscanf(own, "%d %32s %255s", &seat.door, secret, address) != 3)
		return status_set(st, "rank %s has no place where its job meets", as->rank);
	if (seat.rank)
		seat.door = -1;
	return rendezvous_open_tcp(&seat, out, st);
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
