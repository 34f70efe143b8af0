#include "selftest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/regime.h"
#include "../arena.h"
#include "../analysis/summary.h"
#include "../analysis/stats.h"
#include "../backend/table.h"
#include "../clock.h"
#include "../config/plan.h"
#include "../chapters/reasons.h"
#include "../run/folder.h"
#include "../run/job.h"
#include "../run/runner.h"
#include "../story/verdict_text.h"
#include "outcome.h"

/* A call on the CPU or on the virtual device has this much work in every variant: 1 % of it is
 * many steps of the clock. A GPU's call is long enough. */
#define WORK_NS 20000

#define CALIBRATE   2 /* blocks of the reference and its equal, before each run */
#define MOST_SCENES 32
#define REGIMES     2

/* A backend in a mode. */
struct scene {
	const struct backend *backend;
	const struct mode *mode;
	unsigned runs;
	int64_t spent_ns;
	size_t bytes[REGIMES];   /* of the cell that represents each regime */
	double base_ns[REGIMES]; /* the time of its call, with the work of all variants */
};

static const enum pace paces[REGIMES] = {PACE_ISOLATED, PACE_STREAM};

struct bench {
	const struct selftest_request *request;
	unsigned nscenes;
	struct scene scenes[MOST_SCENES];
	unsigned nruns;
	bool interrupted;
	int64_t begin_ns;
	unsigned n, room;
	struct outcome *outcomes;
};

/* --- injection --- */

struct change {
	const struct scene *scene;
	enum disturbance disturbance;
	struct disturbed at; /* seed, blocks (0: before anything is injected) and in_block */
};

/* The regime that a cell represents, or REGIMES. */
static unsigned regime_of(const struct scene *s, const struct cell *cell)
{
	unsigned r = 0;
	while (r < REGIMES && (cell->pace != paces[r] || cell->asked_bytes != s->bytes[r]))
		r++;
	return r;
}

static void change_trial(struct trial *trial, void *arg)
{
	const struct change *c = arg;
	const struct backend_traits *is = &c->scene->backend->is;
	/* Without a device the delay is work of the worker, which does it for each of its ranks. */
	double ranks = is->launches ? 1 : trial->settings.layout.ranks_per_thread;
	double effect = injection_effect(trial->variant);
	struct disturbed at = c->at;
	at.block = trial->block;
	at.order = trial->order;
	for (unsigned i = 0; i < trial->ncells; i++) {
		double ns = is->gpus ? 0 : WORK_NS;
		at.cell = regime_of(c->scene, &trial->cells[i]);
		if (at.cell < REGIMES)
			ns += c->scene->base_ns[at.cell] *
			      ((1 + effect) * (1 + disturbance_of(c->disturbance, &at)) - 1);
		/* Never 0: every variant has to pay the cost of injecting. */
		trial->cells[i].extra_ns = (int64_t)fmax(1, round(ns / ranks));
	}
}

/* --- a run --- */

static int write_experiment(const struct scene *s, const char *file, struct status *st)
{
	FILE *f = fopen(file, "we");
	if (!f)
		return status_set(st, "cannot write the selftest's experiment to %s", file);
	fprintf(f,
	        "; Does the report find what was injected, and nothing else?\n"
	        "[experiment]\ncollective = alltoall\nbytes = %zu, %zu\nbackend = %s\n"
	        "mode = %s\nlimit = no\ncounters = no\nreference = reference\n\n"
	        "[variant reference]\n",
	        s->bytes[0], s->bytes[1], s->backend->name, s->mode->name);
	for (unsigned e = 0; e < INJECTION_EFFECTS; e++)
		fprintf(f, "[variant %s]\n", injection_variant(e));
	return fclose(f) ? status_set(st, "cannot write the selftest's experiment to %s", file) : 0;
}

/* The time of the reference's call before anything is injected: the median over the reference and its
 * equal. */
static int take_base(struct scene *s, const struct summary *summary, struct status *st)
{
	for (unsigned r = 0; r < REGIMES; r++) {
		double times[8];
		unsigned n = 0;
		for (unsigned i = 0; i < summary->nrows && n < 8; i++) {
			const struct summary_row *row = &summary->rows[i];
			double us = paces[r] == PACE_ISOLATED ? row->p50_us : row->time_us;
			if (regime_of(s, &row->cell) == r && us > 0)
				times[n++] = 1000 * us;
		}
		if (!n)
			return status_set(st, "%s on %s: the calibration measured nothing",
			                  s->mode->name, s->backend->name);
		s->base_ns[r] = stats_median(times, n);
	}
	return 0;
}

static int add_outcome(struct bench *b, const struct outcome *outcome, struct status *st)
{
	if (b->n == b->room) {
		unsigned room = 2 * b->room + 64;
		struct outcome *more = realloc(b->outcomes, room * sizeof *more);
		if (!more)
			return status_set(st, "out of memory for %u verdicts", room);
		b->outcomes = more;
		b->room = room;
	}
	b->outcomes[b->n++] = *outcome;
	return 0;
}

/* The final verdict of each variant in each regime. */
static int take_words(struct bench *b, struct scene *s, const struct summary *summary,
                      const struct change *change, struct status *st)
{
	struct regimes regimes;
	int result = 0;
	regimes_make(summary, &regimes);
	for (unsigned i = 0; i < REGIMES * INJECTION_EFFECTS && !result; i++) {
		struct outcome o = {.backend = s->backend->name,
		                    .mode = s->mode->name,
		                    .disturbance = change->disturbance,
		                    .regime = i % REGIMES,
		                    .effect = i / REGIMES};
		const struct regime *g = regimes_find(&regimes, o.regime);
		int v = index_variant(summary, injection_variant(o.effect));
		char text[128] = "";
		if (g && v >= 0)
			regime_verdict_text(g, (unsigned)v, text, sizeof text);
		o.slower = g && v >= 0 ? 1 / g->contrasts[v].verdict.ratio.estimate - 1 : NAN;
		result = outcome_word(text, g && g->tells, &o.word, st) || add_outcome(b, &o, st)
		             ? -1
		             : 0;
	}
	return result;
}

/* Whether all of it was. A run lets signals through at its end; between runs they wait, as the
 * scratch folders have to go. */
static bool is_measured(struct bench *b, const struct run_request *request, char *folder,
                        struct status *st)
{
	struct status why = {0};
	int result = run_experiment(request, folder, &why);
	job_hold_signals();
	b->interrupted = result == RUN_INTERRUPTED || job_interrupted();
	if (result)
		status_set(st, "%s", b->interrupted ? "interrupted" : why.text);
	return !result;
}

struct judging {
	struct bench *b;
	struct scene *s;
	const struct change *change;
	const struct record_run *run;
	struct status *st;
};

static int judge(struct arena *arena, void *of)
{
	const struct judging *j = of;
	struct summary summary;
	summary_make(j->run, arena, &summary);
	if (summary.trouble.wrong)
		return status_set(j->st, "%s on %s: %s", j->s->mode->name, j->s->backend->name,
		                  trouble_text(arena, &summary.trouble));
	return j->change->at.blocks ? take_words(j->b, j->s, &summary, j->change, j->st)
	                            : take_base(j->s, &summary, j->st);
}

/* From the experiment's file to the record, and from there to the verdicts. */
static int run_one(struct bench *b, struct scene *s, struct change *change, char *const overrides[],
                   unsigned n, struct status *st)
{
	static char *const command[] = {"launchgap", "selftest"};
	struct folder scratch = {0};
	char file[96], results[96], folder[PATH_MAX];
	struct record_run run;
	struct judging judging = {b, s, change, &run, st};
	int rc = -1;
	if (folder_open_scratch(&scratch, 0, st))
		return -1;
	snprintf(file, sizeof file, "%s/selftest.exp", scratch.scratch);
	snprintf(results, sizeof results, "%s/results", scratch.scratch);
	const struct run_request request = {.file = file,
	                                    .noverrides = n,
	                                    .overrides = overrides,
	                                    .results = results,
	                                    .self = b->request->self,
	                                    .argc = 2,
	                                    .argv = command,
	                                    .machine = b->request->machine,
	                                    .change = change_trial,
	                                    .change_arg = change};
	if (write_experiment(s, file, st) || !is_measured(b, &request, folder, st) ||
	    record_load(folder, &run, st))
		goto close_scratch;
	rc = arena_work(judge, &judging, "the verdicts", st);
	record_free(&run);
close_scratch:
	folder_close(&scratch);
	return rc;
}

static int run_scene(struct bench *b, struct scene *s, struct status *st)
{
	unsigned scene = (unsigned)(s - b->scenes);
	char blocks[32], seed[64];
	uint64_t drawn = value_mix(b->request->seed << 20 | b->nruns) >> 11 | 1;
	int64_t begin = clock_now_ns();
	struct change change = {.scene = s, .at = {.seed = drawn}};
	char *overrides[] = {seed, blocks, SPEC_ONLY "=reference,equal"};
	snprintf(seed, sizeof seed, "seed=%llu", (unsigned long long)drawn);
	snprintf(blocks, sizeof blocks, "blocks=%d", CALIBRATE);
	s->base_ns[0] = s->base_ns[1] = 0;
	if (run_one(b, s, &change, overrides, 3, st))
		return -1;
	change.disturbance = (scene + s->runs) % DISTURBANCE_KINDS;
	change.at.blocks = b->request->blocks;
	change.at.in_block = INJECTION_EFFECTS + 2; /* and the reference, twice */
	snprintf(blocks, sizeof blocks, "blocks=%u", b->request->blocks);
	if (run_one(b, s, &change, overrides, 2, st))
		return -1;
	s->spent_ns += clock_now_ns() - begin;
	s->runs++;
	b->nruns++;
	return 0;
}

/* --- all runs --- */

static bool is_wanted(const struct bench *b, const struct backend *backend, bool gpus)
{
	if (b->request->backend[0])
		return !strcmp(b->request->backend, backend->name);
	return backend->is.injects && backend->is.gpus == gpus;
}

/* GPUs if two respond, as in the planner. */
static bool has_gpus(const struct bench *b)
{
	struct status ignored = {0};
	for (const struct backend *const *p = backend_table; *p; p++)
		if ((*p)->is.gpus && (*p)->is.injects &&
		    b->request->machine->capacity((*p)->name, &ignored) >= PLAN_MIN_RANKS)
			return true;
	return false;
}

static int find_scenes(struct bench *b, struct status *st)
{
	bool gpus = has_gpus(b);
	for (const struct backend *const *p = backend_table; *p; p++)
		for (const struct mode *const *m = mode_table; *m; m++) {
			if (!is_wanted(b, *p, gpus) || b->nscenes == MOST_SCENES ||
			    (b->request->mode[0] && strcmp(b->request->mode, (*m)->name)))
				continue;
			b->scenes[b->nscenes++] = (struct scene){
			    .backend = *p,
			    .mode = *m,
			    .bytes = {(*p)->is.gpus ? 8 << 10 : 4 << 10,
			              (*p)->is.gpus ? 64 << 20 : 256 << 10},
			};
		}
	return b->nscenes ? 0 : status_set(st, "selftest: no mode can be run here");
}

/* The one that had least time so far, if it has runs to go; with a limit of time, if its runs
 * so far say that another one fits. The last goes first: the virtual device needs least. NULL:
 * none. */
static struct scene *next_scene(struct bench *b)
{
	const struct selftest_request *q = b->request;
	int64_t left = b->begin_ns + q->seconds * (int64_t)1000000000 - clock_now_ns();
	struct scene *next = NULL;
	for (unsigned i = 0; i < b->nscenes; i++) {
		struct scene *s = &b->scenes[i];
		bool open = q->runs ? s->runs < q->runs
		                    : !b->nruns || left > (s->runs ? s->spent_ns / s->runs : 0);
		if (open && (!next || s->spent_ns <= next->spent_ns))
			next = s;
	}
	return next;
}

static void say_progress(const struct bench *b, const struct scene *s)
{
	int64_t elapsed_ns = clock_now_ns() - b->begin_ns;
	const struct selftest_request *q = b->request;
	const int64_t all_ns = q->runs && b->nruns ? elapsed_ns / b->nruns * (q->runs * b->nscenes)
	                                           : q->seconds * (int64_t)1000000000;
	char left[32] = "?";
	if (!q->runs || b->nruns)
		status_span(all_ns - elapsed_ns, left, sizeof left);
	status_progress("run %u: %s, %s, about %s left", b->nruns + 1, s->backend->name,
	                s->mode->name, left);
}

static int write_csv(const struct bench *b, struct status *st)
{
	const char *name = b->request->csv;
	FILE *f = *name ? fopen(name, "we") : NULL;
	if (!*name)
		return 0;
	if (f)
		outcome_write(b->outcomes, b->n, f);
	return !f || fclose(f) ? status_set(st, "cannot write %s", name) : 0;
}

static bool print_all(const struct bench *b)
{
	bool good = outcome_print(b->outcomes, b->n, stdout);
	printf("\nExperiments: %u, of %u blocks, %u fresh jobs in each; %.0f s. Disturbances are\n"
	       "described in harness/selftest/injection.h.\n",
	       b->nruns, b->request->blocks, b->request->blocks * (INJECTION_EFFECTS + 2),
	       1e-9 * (double)(clock_now_ns() - b->begin_ns));
	for (unsigned i = 0; i < b->nscenes; i++)
		if (!b->scenes[i].runs)
			printf("There was no time for %s on %s.\n", b->scenes[i].mode->name,
			       b->scenes[i].backend->name);
	return good;
}

int selftest_run(const struct selftest_request *request, struct status *st)
{
	struct bench b = {.request = request, .begin_ns = clock_now_ns()};
	struct scene *s;
	bool failed = false;
	int result = -1;
	if (find_scenes(&b, st))
		return -1;
	job_hold_signals();
	while (!failed && (s = next_scene(&b))) {
		say_progress(&b, s);
		failed = run_scene(&b, s, st);
		b.interrupted = b.interrupted || job_interrupted();
		failed = failed || (b.interrupted && status_set(st, "interrupted"));
	}
	job_release_signals();
	status_progress_end();
	if (b.n)
		result = print_all(&b) ? 0 : 1;
	if (write_csv(&b, st) || failed)
		result = -1;
	free(b.outcomes);
	return b.interrupted ? RUN_INTERRUPTED : result;
}
