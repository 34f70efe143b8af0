#include "estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/spent.h"
#include "../clock.h"
#include "../record/lines.h"
#include "../record/member.h"
#include "../record/record.h"
#include "describe.h"
#include "folder.h"
#include "job.h"
#include "resume.h"

/* Typical of a run; its trials: plan_cost. */
#define SET_UP_S 0.1
#define REPORT_S 3.0 /* with its pictures */

/* Of the short jobs: all together, one, and what they keep of the timed rows. */
#define SHORT_ALL_NS     5000000000
#define SHORT_TIMEOUT_S  20
#define SHORT_TYPICAL_S  60 /* of a whole one: far more ranks than cores */
#define SHORT_STRETCHES  2
#define SHORT_ISOLATED   20
#define SHORT_FILL_BYTES (256 << 10)

/* What the jobs of each variant take; NaN: not known. */
struct jobs {
	double s[PLAN_KINDS][PLAN_MAX_VARIANTS];
	double between_s, set_up_s, path_s, report_s; /* path_s: of all */
};

bool estimate_of_cores(const char *backend)
{
	struct status ignored = {""};
	return backend_capacity(backend, &ignored) == UINT_MAX;
}

#define LOAD_UNSEEN 0.5 /* cores: a shell, a daemon */

void estimate_load(double load, unsigned cores, unsigned ranks, char *text, size_t bytes)
{
	const unsigned wanted = ranks < cores ? ranks : cores;
	text[0] = '\0';
	if (load - LOAD_UNSEEN > (double)(cores - wanted))
		snprintf(
		    text, bytes,
		    "this machine is busy (load %.1f on %u core%s, of which the run wants %u): "
		    "while it is, the run takes longer, and its times scatter more",
		    load, cores, cores == 1 ? "" : "s", wanted);
}

/* --- typical figures --- */

static double typical_s(const struct estimate_request *q, unsigned variant, unsigned block)
{
	struct status ignored = {""};
	struct trial *t = plan_order_trial(q->plan, q->machine->cores, variant, block, 0, &ignored);
	double s = t ? plan_trial_cost(t, q->machine).seconds : 0;
	trial_free(t);
	return s;
}

/* What is not known of a block's job: as much as what is known of the variant's others, by how typical
 * figures of the two compare; else those. */
static void take_typical(const struct estimate_request *q, unsigned variant, unsigned block,
                         struct jobs *jobs)
{
	const enum plan_kind kind = plan_kind(q->plan, variant, block);
	double *s = &jobs->s[kind][variant];
	if (!isnan(*s))
		return;
	*s = typical_s(q, variant, block);
	for (unsigned other = 0; other < q->plan->spec->blocks; other++) {
		const enum plan_kind of = plan_kind(q->plan, variant, other);
		if (of == kind || isnan(jobs->s[of][variant]))
			continue;
		*s *= jobs->s[of][variant] / typical_s(q, variant, other);
		return;
	}
}

/* --- a run before --- */

struct former {
	const struct estimate_request *request;
	const struct record_run *run;
	struct jobs *jobs;
};

/* The mean over a variant's jobs of a kind; NaN: there is none. */
static double mean_s(const struct former *f, unsigned variant, enum plan_kind kind)
{
	const struct plan *plan = f->request->plan;
	double s = 0;
	unsigned n = 0;
	for (unsigned i = 0; i < f->run->nspent; i++) {
		const struct record_spent *j = &f->run->spent[i];
		if (j->on != SPENT_ON_TRIAL || strcmp(j->variant, plan->variants[variant].name) ||
		    plan_kind(plan, variant, j->block) != kind)
			continue;
		s += 1e-9 * (double)(j->to_ns - j->from_ns);
		n++;
	}
	return n ? s / n : NAN;
}

/* 1: some variant has no job there. */
static int take_jobs(struct arena *arena, void *of)
{
	const struct former *f = of;
	const struct plan *plan = f->request->plan;
	const struct spent_sum sum = spent_sum(f->run, arena);
	unsigned njobs;
	spent_jobs(f->run, arena, &njobs);
	for (unsigned v = 0; v < plan->nvariants; v++) {
		if (plan->variants[v].skip[0])
			continue;
		bool none = true;
		for (int kind = 0; kind < PLAN_KINDS; kind++) {
			f->jobs->s[kind][v] = mean_s(f, v, (enum plan_kind)kind);
			none &= isnan(f->jobs->s[kind][v]);
		}
		if (none)
			return 1;
	}
	f->jobs->between_s = sum.s[SPENT_PART_REST] / njobs;
	f->jobs->set_up_s = sum.s[SPENT_PART_SET_UP] / (f->run->nresumes + 1);
	f->jobs->path_s = sum.s[SPENT_PART_PATH];
	if (sum.s[SPENT_PART_REPORT] > 0)
		f->jobs->report_s = sum.s[SPENT_PART_REPORT];
	return 0;
}

static bool take_former(const struct estimate_request *q, struct jobs *jobs, char *from,
                        size_t bytes)
{
	struct record_run run;
	struct status why = {""};
	struct jobs taken = *jobs;
	char dir[PATH_MAX], path[PATH_MAX];
	snprintf(dir, sizeof dir, "%s/%s/latest", q->results, q->plan->spec->name);
	if (!realpath(dir, path) || record_load(path, &run, &why))
		return false;
	struct former f = {q, &run, &taken};
	json_t *now = describe_run(q->plan, q->argc, q->argv, "");
	const bool same = now && !resume_same(run.environment, now, &why) &&
	                  !arena_work(take_jobs, &f, "the estimate", &why);
	if (same) {
		*jobs = taken;
		snprintf(from, bytes, "the last run here, %s/%s", q->plan->spec->name,
		         strrchr(path, '/') + 1);
	}
	json_decref(now);
	record_free(&run);
	return same;
}

/* --- short jobs --- */

/* What is short of a cell, and what of the whole one takes as much longer. */
static double whole_cell_s(const struct spent *spent, const struct trial *whole,
                           const struct trial *part, unsigned c)
{
	const struct cell *cell = &whole->cells[c];
	double rows = (double)trial_rows(whole, cell) / trial_rows(part, cell), ns = 0;
	const double slots = (double)trial_slots(whole, cell) / trial_slots(part, cell);
	/* Filling and checking are of each buffer; of small ones they take no time that shows. */
	const bool fills = (double)cell->bytes * trial_slots(part, cell) > SHORT_FILL_BYTES;
	for (unsigned p = 0; p < SPENT_PHASES; p++) {
		const bool buffers = p == SPENT_PREPARE || p == SPENT_CHECK;
		ns += (double)spent->ns[p] * (p == SPENT_CALLS   ? rows
		                              : buffers && fills ? slots
		                                                 : 1);
	}
	return 1e-9 * ns;
}

/* A job's lines are of its cells, in their order. Nothing if it has not measured them all. */
static void read_short(const struct trial *whole, const struct trial *part, const struct job *job,
                       unsigned variant, struct jobs *jobs)
{
	struct status ignored = {""};
	struct member_place at = {.file = job->lines, .st = &ignored};
	struct lines *lines = NULL;
	double left_s = 1e-9 * (double)(job->to_ns - job->from_ns), all_s = 0, timeline_s = 0,
	       counters_s = 0;
	const char *text;
	size_t bytes;
	bool last = false, cut;
	unsigned c = 0;
	if (lines_open(&at, &lines))
		return;
	for (; c < part->ncells && !last; c++) {
		struct spent spent;
		json_t *line = !lines_next(lines, &at, &text, &bytes, &last, &cut)
		                   ? json_loadb(text, bytes, 0, NULL)
		                   : NULL;
		const int bad = !line || record_spent_take(&at, line, &spent) || !spent.from_ns ||
		                !json_is_null(json_object_get(line, "error"));
		json_decref(line);
		if (bad)
			break;
		for (unsigned p = 0; p < SPENT_PHASES; p++)
			left_s -= 1e-9 * (double)spent.ns[p];
		*(part->cells[c].pass == PASS_TIMELINE   ? &timeline_s
		  : part->cells[c].pass == PASS_COUNTERS ? &counters_s
		                                         : &all_s) +=
		    whole_cell_s(&spent, whole, part, c);
	}
	lines_close(lines);
	if (c < part->ncells)
		return;
	jobs->s[PLAN_PLAIN][variant] = left_s + all_s;
	jobs->s[PLAN_COUNTED][variant] = left_s + all_s + counters_s;
	jobs->s[PLAN_FIRST][variant] = left_s + all_s + counters_s + timeline_s;
}

/* -1: interrupted. */
static int run_short(const struct estimate_request *q, const char *scratch, unsigned variant,
                     struct jobs *jobs, struct status *st)
{
	struct status ignored = {""};
	struct job job = {0};
	struct trial *whole = plan_order_trial(q->plan, q->machine->cores, variant, 0, 0, &ignored);
	struct trial *part = plan_order_trial(q->plan, q->machine->cores, variant, 0, 0, &ignored);
	int result = 0;
	if (whole && part) {
		if (part->stretches > SHORT_STRETCHES)
			part->stretches = SHORT_STRETCHES;
		if (part->isolated_calls > SHORT_ISOLATED)
			part->isolated_calls = SHORT_ISOLATED;
		if (!job_run(part, q->self, scratch, SHORT_TIMEOUT_S, &job, &ignored))
			read_short(whole, part, &job, variant, jobs);
		if (job.result.end == JOB_INTERRUPTED || job_interrupted())
			result = status_set(st, "interrupted");
	}
	trial_free(whole);
	trial_free(part);
	return result;
}

/* For a reference's twin the reference; else the first variant that is placed as this one is and has a
 * figure, or this one itself. */
static unsigned like(const struct plan *plan, const struct jobs *jobs, unsigned variant)
{
	const struct settings *own = &plan->variants[variant].settings;
	if (!strcmp(plan->variants[variant].role, "again"))
		return (unsigned)(plan_reference(plan) - plan->variants);
	for (unsigned v = 0; v < plan->nvariants; v++) {
		const struct settings *s = &plan->variants[v].settings;
		if (!plan->variants[v].skip[0] && !isnan(jobs->s[PLAN_FIRST][v]) &&
		    !strcmp(s->mode, own->mode) && !strcmp(s->backend, own->backend) &&
		    !memcmp(&s->layout, &own->layout, sizeof s->layout))
			return v;
	}
	return variant;
}

/* Those of each mode first, then the others while there is time. -1: interrupted. */
static int take_short(const struct estimate_request *q, struct jobs *jobs, char *from, size_t bytes,
                      struct status *st)
{
	const struct plan *plan = q->plan;
	const int64_t begin_ns = clock_now_ns();
	struct folder folder = {.path = ""};
	bool tried[PLAN_MAX_VARIANTS] = {false};
	unsigned n = 0;
	struct status ignored = {""};
	int result = 0;
	if (folder_open_scratch(&folder, plan_scratch_bytes(plan), &ignored))
		return 0;
	job_hold_signals();
	for (unsigned i = 0; i < 2 * plan->nvariants && !result; i++) {
		const unsigned v = i % plan->nvariants;
		if (plan->variants[v].skip[0] || tried[v] ||
		    clock_now_ns() - begin_ns > SHORT_ALL_NS ||
		    !estimate_of_cores(plan->variants[v].settings.backend) ||
		    !strcmp(plan->variants[v].role, "again") ||
		    (i < plan->nvariants && like(plan, jobs, v) != v) ||
		    typical_s(q, v, 0) > SHORT_TYPICAL_S)
			continue;
		tried[v] = true;
		result = run_short(q, folder.scratch, v, jobs, st);
		n += !isnan(jobs->s[PLAN_FIRST][v]);
	}
	job_release_signals();
	folder_close(&folder);
	for (unsigned v = 0; v < plan->nvariants; v++) {
		const unsigned as = like(plan, jobs, v);
		for (int kind = 0; kind < PLAN_KINDS; kind++)
			if (isnan(jobs->s[kind][v]))
				jobs->s[kind][v] = jobs->s[kind][as];
	}
	if (n)
		snprintf(from, bytes, "%u short job%s just now (%.1f s)", n, n == 1 ? "" : "s",
		         1e-9 * (double)(clock_now_ns() - begin_ns));
	return result;
}

/* --- all of it --- */

int estimate_make(const struct estimate_request *q, struct estimate *out, struct status *st)
{
	const struct plan *plan = q->plan;
	struct estimate e = {.bytes = plan_cost(plan, q->machine).bytes, .from = "typical figures"};
	struct jobs *jobs = malloc(sizeof *jobs);
	if (!jobs)
		return status_set(st, "out of memory for the estimate");
	*jobs = (struct jobs){.set_up_s = SET_UP_S, .report_s = REPORT_S};
	for (unsigned i = 0; i < PLAN_KINDS * PLAN_MAX_VARIANTS; i++)
		jobs->s[i / PLAN_MAX_VARIANTS][i % PLAN_MAX_VARIANTS] = NAN;
	if (!q->machine->imagined && !take_former(q, jobs, e.from, sizeof e.from) && !q->no_jobs &&
	    take_short(q, jobs, e.from, sizeof e.from, st)) {
		free(jobs);
		return -1;
	}
	e.seconds = jobs->set_up_s + jobs->path_s + jobs->report_s;
	for (unsigned i = 0; i < plan->ntrials; i++) {
		const struct plan_trial *t = &plan->trials[i];
		take_typical(q, t->variant, t->block, jobs);
		e.seconds +=
		    jobs->between_s + jobs->s[plan_kind(plan, t->variant, t->block)][t->variant];
	}
	*out = e;
	free(jobs);
	return 0;
}
