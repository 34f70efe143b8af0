/* A fourth mode, as a contributor might add one: a process for each rank, forked, without MPI. With
 * its own table it is linked into build/forked, which is otherwise the program (test_modes.c). */
#include <sys/wait.h>
#include <unistd.h>

#include "../modes/mode.h"

extern const struct mode mode_single, mode_threads, mode_processes;

static bool forked_owns(struct layout l)
{
	return l.processes > 1;
}

static struct layout forked_spread(unsigned nranks)
{
	return (struct layout){nranks, 1, 1};
}

static const char *forked_unsupported(void)
{
	return NULL;
}

static int forked_enter(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead,
                        void *arg, struct status *st)
{
	struct team *team = NULL;
	char path[64];
	int ended, failed = 0;
	if (team_create(&run->shape, path, sizeof path, &team, st))
		return -1;
	team_seal(team);
	for (unsigned p = 1; p < run->layout.processes; p++) {
		pid_t child = fork();
		if (child == 0)
			_exit(mode_run_threads(run, team, p, worker, arg, st) ? 1 : 0);
		if (child < 0)
			team_fail(team, p * run->layout.threads, "cannot fork");
	}
	failed = mode_run_threads(run, team, 0, worker, arg, st);
	while (wait(&ended) > 0)
		failed |= ended;
	if (!failed)
		failed = lead(team, arg, st);
	team_leave(team);
	return failed ? -1 : 0;
}

static const struct mode mode_forked = {
    .name = "forked",
    .summary = "one process per rank, forked",
    .owns = forked_owns,
    .spread = forked_spread,
    .unsupported = forked_unsupported,
    .command = mode_command_alone,
    .enter = forked_enter,
};

const struct mode *const mode_table[] = {&mode_single, &mode_threads, &mode_processes, &mode_forked,
                                         NULL};
