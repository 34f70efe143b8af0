#include "spent.h"

#include <stdlib.h>
#include <string.h>

// clang-format off
static const char *const names[SPENT_PARTS] = {
    [SPENT_PART_SET_UP]                   = "setting up the run",
    [SPENT_PART_START]                    = "starting jobs",
    [SPENT_PART_PHASES + SPENT_CONNECT]   = "connecting",
    [SPENT_PART_PHASES + SPENT_PREPARE]   = "preparing inputs",
    [SPENT_PART_PHASES + SPENT_WARM_UP]   = "warming up",
    [SPENT_PART_PHASES + SPENT_CALLS]     = "timed calls",
    [SPENT_PART_PHASES + SPENT_COUNTERS]  = "counters",
    [SPENT_PART_PHASES + SPENT_TIMELINE]  = "timelines",
    [SPENT_PART_PHASES + SPENT_CHECK]     = "checking results",
    [SPENT_PART_CLOSE]                    = "closing jobs",
    [SPENT_PART_PATH]                     = "jobs that log the data path",
    [SPENT_PART_FAILED]                   = "jobs that failed",
    [SPENT_PART_REPORT]                   = "the report",
    [SPENT_PART_REST]                     = "the rest",
};
// clang-format on

const char *spent_part_name(enum spent_part part)
{
	return names[part];
}

static int by_place(const void *left, const void *right)
{
	const struct record_spent *a = ((const struct spent_job *)left)->job;
	const struct record_spent *b = ((const struct spent_job *)right)->job;
	int order = (a->order > b->order) - (a->order < b->order);
	order = order ? order : (a->block > b->block) - (a->block < b->block);
	return order ? order : strcmp(a->variant, b->variant);
}

struct spent_job *spent_jobs(const struct record_run *run, struct arena *arena, unsigned *n)
{
	struct spent_job *jobs = ARENA_ARRAY(arena, struct spent_job, run->nspent + 1);
	const unsigned ncells = run->ncells + (run->search ? run->search->ncells : 0);
	*n = 0;
	for (unsigned i = 0; i < run->nspent; i++)
		if (run->spent[i].on == SPENT_ON_TRIAL)
			jobs[(*n)++].job = &run->spent[i];
	qsort(jobs, *n, sizeof *jobs, by_place);
	for (unsigned i = 0; i < ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		struct record_spent place = {.block = c->block, .order = c->order};
		strcpy(place.variant, c->variant);
		const struct spent_job key = {.job = &place};
		struct spent_job *job = bsearch(&key, jobs, *n, sizeof *jobs, by_place);
		if (!job || !c->spent.from_ns)
			continue;
		if (!job->phases.from_ns || c->spent.from_ns < job->phases.from_ns)
			job->phases.from_ns = c->spent.from_ns;
		for (unsigned p = 0; p < SPENT_PHASES; p++)
			job->phases.ns[p] += c->spent.ns[p];
	}
	return jobs;
}

/* What is not placed is left to the rest. */
static void add_job(const struct spent_job *job, struct spent_sum *sum)
{
	const struct record_spent *of = job->job;
	double phases_ns = 0;
	for (unsigned p = 0; p < SPENT_PHASES; p++) {
		phases_ns += (double)job->phases.ns[p];
		sum->s[SPENT_PART_PHASES + p] += 1e-9 * (double)job->phases.ns[p];
	}
	const double start_ns = (double)(job->phases.from_ns - of->from_ns),
	             close_ns = (double)(of->to_ns - of->from_ns) - start_ns - phases_ns;
	if (!job->phases.from_ns) {
		sum->s[SPENT_PART_FAILED] += 1e-9 * (double)(of->to_ns - of->from_ns);
	} else if (start_ns >= 0 && close_ns >= 0) {
		sum->s[SPENT_PART_START] += 1e-9 * start_ns;
		sum->s[SPENT_PART_CLOSE] += 1e-9 * close_ns;
	}
}

/* From the first thing that a session spent time with to the last. */
static double walls_s(const struct record_run *run)
{
	double wall_s = 0;
	for (unsigned session = 0; session <= run->nresumes; session++) {
		int64_t from = INT64_MAX, to = 0;
		for (unsigned i = 0; i < run->nspent; i++) {
			const struct record_spent *s = &run->spent[i];
			if (s->session != session)
				continue;
			from = s->from_ns < from ? s->from_ns : from;
			to = s->to_ns > to ? s->to_ns : to;
		}
		wall_s += to > from ? 1e-9 * (double)(to - from) : 0;
	}
	return wall_s;
}

struct spent_sum spent_sum(const struct record_run *run, struct arena *arena)
{
	static const int parts[SPENT_ON] = {
	    [SPENT_ON_SET_UP] = SPENT_PART_SET_UP,
	    [SPENT_ON_TRIAL] = -1,
	    [SPENT_ON_PATH] = SPENT_PART_PATH,
	    [SPENT_ON_REPORT] = SPENT_PART_REPORT,
	};
	struct spent_sum sum = {.wall_s = walls_s(run)};
	unsigned n;
	const struct spent_job *jobs = spent_jobs(run, arena, &n);
	for (unsigned i = 0; i < n; i++)
		add_job(&jobs[i], &sum);
	for (unsigned i = 0; i < run->nspent; i++) {
		const struct record_spent *s = &run->spent[i];
		if (parts[s->on] >= 0)
			sum.s[parts[s->on]] += 1e-9 * (double)(s->to_ns - s->from_ns);
	}
	sum.s[SPENT_PART_REST] = sum.wall_s;
	for (unsigned p = 0; p < SPENT_PART_REST; p++)
		sum.s[SPENT_PART_REST] -= sum.s[p];
	return sum;
}
