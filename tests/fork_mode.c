/* A fourth mode and one more launcher, as a contributor might add them: two ranks for each process, and
 * processes that are forked, without MPI. With its own table it is linked into build/forked, which is
 * otherwise the program (test_modes.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../modes/launcher.h"
#include "../modes/mode.h"

static bool pairs_owns(struct layout l)
{
	return l.processes > 1 && l.threads == 1 && l.ranks_per_thread == 2;
}

static struct layout pairs_spread(unsigned nranks)
{
	return (struct layout){nranks / 2, 1, 2};
}

static const struct mode mode_pairs = {
    .name = "pairs",
    .summary = "one process for two ranks",
    .owns = pairs_owns,
    .spread = pairs_spread,
};

static int forked_supports(const struct settings *set, struct status *st)
{
	return set->hosts[0] ? status_set(st, "launcher = forked is of one host") : 0;
}

/* All but the first are its children. */
static int forked_find(const struct launched *as, struct peers *out, struct status *st)
{
	struct door_place door;
	char secret[WIRE_SECRET_BYTES];
	unsigned rank = 0;
	if (wire_secret(secret, st) || door_open("127.0.0.1:0", &door, st))
		return -1;
	for (unsigned p = 1; p < as->processes && !rank; p++)
		if (fork() == 0)
			rank = p;
	if (rank)
		close(door.fd);
	const struct peers_seat seat = {.rank = rank,
	                                .size = as->processes,
	                                .door = rank ? -1 : door.fd,
	                                .address = door.address,
	                                .secret = secret,
	                                .timeout_s = 30};
	const int failed = peers_open(&seat, out, st);
	if (!rank)
		close(door.fd);
	return failed;
}

static void forked_leave(const struct launched *as, struct peers *rendezvous, struct team *team,
                         unsigned process)
{
	(void)as;
	(void)team;
	peers_close(rendezvous);
	while (process == 0 && wait(NULL) > 0)
		continue;
}

static const struct launcher launcher_forked = {
    .name = "forked",
    .summary = "processes that the first one forks",
    .several = true,
    .supports = forked_supports,
    .find = forked_find,
    .leave = forked_leave,
};

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, &mode_pairs,
                                         NULL};
const struct launcher *const launcher_table[] = {&launcher_alone,
                                                 &launcher_join,
                                                 &launcher_mpirun,
                                                 &launcher_srun,
                                                 &launcher_exec,
                                                 &launcher_forked,
                                                 NULL};
