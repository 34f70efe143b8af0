/* One process's worker threads, the same for every mode. */
#include "mode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct hand {
	struct team *team;
	unsigned index, process;
	mode_worker_fn *worker;
	void *arg;
	pthread_t thread;
};

static void *work(void *arg)
{
	struct hand *hand = arg;
	hand->worker(hand->team, hand->index, hand->process, hand->arg);
	return NULL;
}

int mode_run_threads(const struct run *run, struct team *team, unsigned process,
                     mode_worker_fn *worker, void *arg, struct status *st)
{
	unsigned threads = run->layout.threads, started = 1;
	struct hand *hands = calloc(threads, sizeof *hands);
	int error = 0;
	if (!hands) {
		team_fail(team, process * threads * run->layout.ranks_per_thread,
		          "out of memory");
		return status_set(st, "out of memory for %u threads", threads);
	}
	for (unsigned t = 0; t < threads; t++)
		hands[t] = (struct hand){team, process * threads + t, process, worker, arg, 0};
	for (; started < threads; started++) {
		error = pthread_create(&hands[started].thread, NULL, work, &hands[started]);
		if (error)
			break;
	}
	if (error) {
		status_set(st, "cannot start thread %u of %u: %s", started + 1, threads,
		           strerror(error));
		team_fail(team, hands[started].index * run->layout.ranks_per_thread, st->text);
	} else {
		work(&hands[0]);
	}
	for (unsigned t = 1; t < started; t++)
		pthread_join(hands[t].thread, NULL);
	free(hands);
	return error ? -1 : 0;
}

int mode_run_alone(const struct run *run, mode_worker_fn *worker, mode_lead_fn *lead, void *arg,
                   struct status *st)
{
	struct team *team = NULL;
	char path[64];
	int result = -1;
	if (team_create(&run->shape, path, sizeof path, &team, st))
		return -1;
	team_seal(team);
	if (!mode_run_threads(run, team, 0, worker, arg, st))
		result = lead(team, arg, st);
	team_leave(team);
	return result;
}

int mode_command_alone(const struct run *run, const char *self, struct mode_argv *out,
                       struct status *st)
{
	const char *const args[] = {self, "worker", run->order};
	for (unsigned i = 0; i < sizeof args / sizeof *args; i++)
		if (mode_argv_add(out, args[i]))
			return status_set(st, "out of memory for the job's command");
	return 0;
}
