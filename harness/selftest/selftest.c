#include "selftest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "../run/folder.h"
#include "../run/judge.h"
#include "../run/launch.h"
#include "../analysis/stats.h"
#include "selftest_cells.h"

#define BLOCKS     20 /* of one job */
#define FRESH      10 /* of fresh jobs, as an experiment has by default */
#define CONFIDENCE 0.95
#define TIMEOUT_S  900

/* The goals: of 200 comparisons of equals at 95 %, more than 18 alarms come by chance once in a
 * hundred times (binomial, p = 0.05). */
static unsigned alarms_allowed(unsigned n)
{
	double mean = 0.05 * n;
	return (unsigned)floor(mean + 2.6 * sqrt(mean * 0.95));
}

static const struct {
	const char *name;
	double all, one; /* injected on all ranks, or on one, as part of a call's time */
} kinds[] = {
    {"A/A", 0, 0},
    {"2 % on all ranks", 0.02, 0},
    {"10 % on one rank", 0, 0.10},
};

struct scene {
	const struct selftest_request *request;
	struct folder folder;
	struct trial trial; /* of the mode and backend at hand */
	double base_ns;     /* a call's time without a delay */
};

/* One fresh job; its cells' times per call, in the order of trial->cells. */
static int run_job(void *arg, const struct trial *trial, double *times, struct status *st)
{
	struct scene *s = arg;
	struct launched launched = {0};
	char why[512];
	if (launch_trial(trial, s->request->self, s->folder.scratch, TIMEOUT_S, &launched, st))
		return -1;
	if (launched.job.end == JOB_INTERRUPTED)
		return status_set(st, "interrupted");
	if (launched.job.end == JOB_EXITED && launched.job.code == 0)
		return selftest_times(launched.lines, trial->ncells, times, st);
	judge_job(&launched.job, TIMEOUT_S, launched.log, why, sizeof why);
	return status_set(st, "%s on %s: %s", trial->settings.mode, trial->settings.backend,
	                  why);
}

struct tally {
	unsigned n, alarms, detections;
	double sum; /* of the estimated excess of B over A, as part of the base time */
};

/* Blocks of pairs, A then B in `times` whatever the order they ran in. */
static void judge(const double *times, unsigned comparisons, unsigned blocks, double base_ns,
                  struct tally *out)
{
	for (unsigned c = 0; c < comparisons; c++) {
		double a[BLOCKS], b[BLOCKS];
		for (unsigned i = 0; i < blocks; i++) {
			a[i] = times[2 * (c * blocks + i)];
			b[i] = times[2 * (c * blocks + i) + 1];
		}
		struct stats_ratio r = stats_ratio(b, a, blocks, CONFIDENCE);
		out->n++;
		out->alarms += r.lo > 1 || r.hi < 1;
		out->detections += r.lo > 1;
		/* The delay is so many ns, whatever the machine's speed is by now. */
		out->sum += (r.estimate - 1) * stats_median(a, blocks) / base_ns;
	}
}

static void set_injection(struct scene *s, unsigned kind)
{
	struct settings *set = &s->trial.settings;
	/* Without a device the delay is a worker's work, who does it for each of its ranks. */
	unsigned shared =
	    traits_find(set->backend)->launches ? 1 : set->layout.ranks_per_thread;
	set->delay_rank = kinds[kind].one > 0 ? (int)layout_ranks(set->layout) - 1 : -1;
	set->extra_ns =
	    (int64_t)llround(kinds[kind].one > 0 ? kinds[kind].one * s->base_ns
	                                         : kinds[kind].all * s->base_ns / shared);
}

/* All comparisons of a kind in one job, or each measurement in a job of its own. */
static int compare(struct scene *s, unsigned kind, unsigned comparisons, bool fresh,
                   struct tally *out, struct status *st)
{
	unsigned blocks = fresh ? FRESH : BLOCKS, pairs = comparisons * blocks;
	double *times = calloc(2 * pairs, sizeof *times);
	struct selftest_cell *cells = calloc(2 * pairs, sizeof *cells);
	int result = -1;
	if (!times || !cells) {
		status_set(st, "out of memory for %u pairs", pairs);
		goto out;
	}
	set_injection(s, kind);
	selftest_shuffle(cells, pairs, kind);
	if (fresh)
		result = selftest_each(&s->trial, cells, 2 * pairs, run_job, s, times, st);
	else
		result = selftest_measure(&s->trial, cells, 2 * pairs, run_job, s, times, st);
	if (!result)
		judge(times, comparisons, blocks, s->base_ns, out);
out:
	free(cells);
	free(times);
	return result;
}

static bool print_tally(const struct scene *s, unsigned kind, bool fresh, const struct tally *t)
{
	double injected = kinds[kind].all + kinds[kind].one, mean = t->sum / t->n;
	bool ok;
	printf("%-5s %-10s %-17s %s: ", s->trial.settings.backend, s->trial.settings.mode,
	       kinds[kind].name, fresh ? "fresh jobs" : "one job   ");
	if (injected == 0) {
		ok = t->alarms <= alarms_allowed(t->n);
		printf("false alarms %u of %u", t->alarms, t->n);
		if (!fresh)
			printf(" (at most %u)", alarms_allowed(t->n));
		printf(", mean difference %+.3f %%\n", 100 * mean);
	} else {
		ok = t->detections >= 0.95 * t->n && fabs(mean - injected) <= 0.1 * injected;
		printf("detections %u of %u, injected %.1f %%, recovered %.2f %%\n",
		       t->detections, t->n, 100 * injected, 100 * mean);
	}
	fflush(stdout);
	return ok;
}

/* A call's time without a delay: the median of as many cells as a comparison has. */
static int measure_base(struct scene *s, struct status *st)
{
	struct selftest_cell cells[2 * BLOCKS];
	double times[2 * BLOCKS];
	s->trial.settings.extra_ns = 0;
	selftest_shuffle(cells, BLOCKS, 0);
	if (selftest_measure(&s->trial, cells, 2 * BLOCKS, run_job, s, times, st))
		return -1;
	s->base_ns = stats_median(times, 2 * BLOCKS);
	return 0;
}

static int test_scene(struct scene *s, unsigned *missed, struct status *st)
{
	unsigned nkinds =
	    traits_find(s->trial.settings.backend)->injects ? sizeof kinds / sizeof *kinds : 1;
	unsigned fresh = s->request->fresh;
	if (measure_base(s, st))
		return -1;
	for (unsigned kind = 0; kind < nkinds; kind++) {
		struct tally t = {0};
		if (compare(s, kind, s->request->comparisons, false, &t, st))
			return -1;
		*missed += !print_tally(s, kind, false, &t);
	}
	for (unsigned kind = 0; fresh && kind < nkinds && kind < 2; kind++) {
		struct tally t = {0};
		if (compare(s, kind, fresh, true, &t, st))
			return -1;
		print_tally(s, kind, true, &t); /* too few to hold a rate against a goal */
	}
	return 0;
}

int selftest_run(const struct selftest_request *request, struct status *st)
{
	struct scene s = {.request = request};
	unsigned missed = 0;
	int result = -1;
	if (folder_open_scratch(&s.folder, st))
		return -1;
	job_hold_signals();
	for (const struct backend *const *b = backend_table; *b; b++)
		for (const struct mode *const *mode = mode_table; *mode; mode++) {
			if (request->backend ? strcmp((*b)->name, request->backend) != 0
			                     : !(*b)->is.injects)
				continue;
			selftest_trial(&s.trial, (*b)->name, *mode,
			               (*b)->is.gpus ? request->ngpus : request->ncores);
			s.trial.yield = request->ncores < layout_ranks(s.trial.settings.layout);
			if (test_scene(&s, &missed, st))
				goto out;
		}
	printf("%u goals missed\n", missed);
	result = missed ? 1 : 0;
out:
	job_release_signals();
	folder_close(&s.folder);
	return result;
}
