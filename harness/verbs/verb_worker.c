/* worker: the job of a trial; only the runner starts it. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../../modes/mode.h"
#include "../backend/table.h"
#include "../record/record.h"
#include "../run/job.h"
#include "../core/watchdog.h"
#include "../core/worker.h"
#include "verbs.h"

#define GRACE_S 5 /* for workers to see a deadline, and for all to leave after a failure */

/* Shared by the workers of a job; read-only, except for what the first one sets. */
struct order {
	struct trial *trial;
	const struct backend *backend;
	const char *file;
	struct team *team; /* the watchdog's, of the first process alone */
	struct watchdog *dog;
};

/* Writes the file as a whole: a process that is killed meanwhile leaves no partial lines. */
static int write_file(const struct order *order, struct team *team, struct status *st)
{
	char file[PATH_MAX], part[PATH_MAX + 8];
	FILE *out;
	int result;
	snprintf(file, sizeof file, "%s.lines", order->file);
	snprintf(part, sizeof part, "%s.part", file);
	out = fopen(part, "we");
	if (!out)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	result = record_write_trial(out, order->trial, team, team_area(team), st);
	if (fclose(out) && !result)
		result = status_set(st, "cannot write %s: %s", file, strerror(errno));
	if (!result && rename(part, file))
		result = status_set(st, "cannot write %s: %s", file, strerror(errno));
	return result;
}

/* For the watchdog: the job ends right after. */
static void keep_lines(void *arg)
{
	const struct order *order = arg;
	struct status ignored = {0};
	write_file(order, order->team, &ignored);
}

static void work(struct team *team, unsigned index, unsigned process, void *arg)
{
	struct order *order = arg;
	(void)process;
	if (index == 0 && order->trial->cell_timeout_s) {
		order->team = team;
		order->dog = watchdog_start(order->trial, team, GRACE_S, keep_lines, order);
	}
	worker_run(order->trial, order->backend, team, index);
}

/* In the first process, when all are done: writes the trial's lines beside its order. They include
 * wrong data, which still fails the trial. */
static int write_lines(struct team *team, void *arg, struct status *st)
{
	const struct order *order = arg;
	watchdog_over(order->dog);
	int result = write_file(order, team, st);
	watchdog_leave(order->dog);
	if (!result && team_failure(team))
		result = status_set(st, "%s", team_failure(team));
	return result ? result : record_check_data(order->trial, team_area(team), st);
}

int verb_worker(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct order order = {.file = argc == 3 ? argv[2] : NULL};
	struct run run;
	char folder[PATH_MAX];
	int result = -1;
	(void)home;
	if (!order.file)
		return status_set(st, "only the runner calls worker: it takes one trial's file");
	job_follow_parent();
	if (trial_load(order.file, &order.trial, st))
		return -1;
	if (sample_place(order.trial, st)) {
		trial_free(order.trial);
		return -1;
	}
	snprintf(folder, sizeof folder, "%s", order.file);
	order.backend = backend_find(order.trial->settings.backend);
	const struct settings *set = &order.trial->settings;
	const struct mode *mode = mode_pick(set->mode, set->layout);
	if (!order.backend || !mode)
		status_set(st, "%s: no such backend, or mode '%s' has no such layout", order.file,
		           set->mode);
	/* A process that will be isolated may not use a device before; the plan has checked it. */
	else if (settings_isolates(set) || !order.backend->supports(order.trial, st)) {
		run = (struct run){
		    .layout = order.trial->settings.layout,
		    .shape = {.nranks = layout_ranks(order.trial->settings.layout),
		              .nworkers = layout_workers(order.trial->settings.layout),
		              .yield = order.trial->yield,
		              .area_bytes = sample_area_bytes(order.trial),
		              .store_bytes = order.backend->store_bytes(order.trial)},
		    .order = order.file,
		    .isolates = settings_isolates(set),
		    .isolation = {.what = set->isolate,
		                  .own_gpus = set->visible == VISIBLE_OWN,
		                  .ranks_per_gpu = set->ranks_per_gpu,
		                  .keep = dirname(folder)},
		};
		result = mode->enter(&run, work, write_lines, &order, st);
	}
	trial_free(order.trial);
	return result;
}
