/* What modes share: finding one, the worker threads of a process, modes of one process, the job's
 * argv. */
#include "mode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const struct mode *mode_find(const char *name)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if (!strcmp((*m)->name, name))
			return *m;
	return NULL;
}

const struct mode *mode_for_layout(struct layout layout)
{
	for (const struct mode *const *m = mode_table; *m; m++)
		if ((*m)->owns(layout))
			return *m;
	return NULL;
}

const struct mode *mode_pick(const char *name, struct layout layout)
{
	const struct mode *mode = name[0] ? mode_find(name) : mode_for_layout(layout);
	return mode && mode->owns(layout) ? mode : NULL;
}

struct worker_thread {
	struct team *team;
	unsigned index, process;
	mode_worker_fn *worker;
	void *arg;
	pthread_t id;
};

static void *work(void *arg)
{
	struct worker_thread *w = arg;
	w->worker(w->team, w->index, w->process, w->arg);
	return NULL;
}

int mode_run_threads(const struct run *run, struct team *team, unsigned process,
                     mode_worker_fn *worker, void *arg, struct status *st)
{
	unsigned nthreads = run->layout.threads, started = 1;
	struct worker_thread *workers = calloc(nthreads, sizeof *workers);
	int error = 0;
	if (!workers) {
		team_fail(team, process * nthreads * run->layout.ranks_per_thread, "out of memory");
		return status_set(st, "out of memory for %u threads", nthreads);
	}
	for (unsigned t = 0; t < nthreads; t++)
		workers[t] =
		    (struct worker_thread){team, process * nthreads + t, process, worker, arg, 0};
	for (; started < nthreads; started++) {
		error = pthread_create(&workers[started].id, NULL, work, &workers[started]);
		if (error)
			break;
	}
	if (error) {
		status_set(st, "cannot start thread %u of %u: %s", started + 1, nthreads,
		           strerror(error));
		team_fail(team, workers[started].index * run->layout.ranks_per_thread, st->text);
	} else {
		work(&workers[0]);
	}
	for (unsigned t = 1; t < started; t++)
		pthread_join(workers[t].id, NULL);
	free(workers);
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

int mode_argv_add(struct mode_argv *argv, const char *arg)
{
	char *copy = argv->count < MODE_MAX_ARGS ? strdup(arg) : NULL;
	if (!copy)
		return -1;
	argv->args[argv->count++] = copy;
	argv->args[argv->count] = NULL;
	return 0;
}

void mode_argv_free(struct mode_argv *argv)
{
	for (unsigned i = 0; i < argv->count; i++)
		free(argv->args[i]);
	argv->count = 0;
}
