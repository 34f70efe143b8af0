#include "cells.h"

#include "../coll/counts.h"
#include "stats.h"
#include "timing.h"

/* How alltoallv's parts were cut. If the record does not say it as it is done here, they came to
 * the whole size: all equal. */
static struct value_weights weights_of(const struct record_run *run)
{
	const char *parts = json_string_value(json_object_get(run->environment, "parts"));
	struct value_weights weights = {0};
	struct status why = {0};
	if (!parts || strcmp(parts, "by rank") ||
	    counts_from_json(json_object_get(run->environment, "counts"), &weights, &why))
		return (struct value_weights){0};
	return weights;
}

/* For a step of training all gradients, whatever its buckets are. */
size_t cells_moved(const struct record_run *run, const struct cell *cell, unsigned nranks)
{
	const struct value_weights weights = weights_of(run);
	const json_t *model = json_object_get(run->environment, "model");
	const json_int_t elements = json_integer_value(json_object_get(model, "elements"));
	const unsigned ranks = cell->comm_ranks ? cell->comm_ranks : nranks;
	if (coll_info(cell->coll)->is & COLL_TRAINS && elements > 0)
		return (size_t)elements * coll_dtype_bytes(cell->dtype);
	const struct value_parts parts = coll_parts(cell, &weights, ranks);
	return coll_moved(cell, &parts, ranks);
}

/* Ranks that one worker drove; 1 if the record's layout does not match its ranks. */
static unsigned ranks_per_worker(const struct record_cell *c)
{
	const char *layout = json_string_value(json_object_get(c->json, "layout"));
	unsigned processes, threads, ranks;
	if (layout && sscanf(layout, "%ux%ux%u", &processes, &threads, &ranks) == 3 && ranks > 0 &&
	    (uint64_t)processes * threads * ranks == c->nranks)
		return ranks;
	return 1;
}

static struct timing_view view_of(const struct record_cell *c)
{
	return (struct timing_view){c->nranks, c->rows, c->calls, c->samples};
}

/* A cell's times of each row, a list of each. */
enum { TIME, LAUNCH, SKEW, TIMES };

struct cells_times cells_times_of(struct arena *arena, const struct record_cell *c)
{
	const struct timing_view view = view_of(c);
	const size_t n = c->rows, nsamples = (size_t)c->nranks * c->rows;
	const struct arena_mark mark = arena_mark(arena);
	double *times = ARENA_ARRAY(arena, double, TIMES *n + nsamples), *polls = times + TIMES * n;
	for (unsigned i = 0; i < n; i++) {
		times[TIME * n + i] = timing_row_ns(&view, i);
		times[LAUNCH * n + i] = timing_launch_ns(&view, i);
		times[SKEW * n + i] = timing_skew_ns(&view, i);
	}
	for (size_t i = 0; i < nsamples; i++)
		polls[i] = (double)c->samples[i].poll_ns;
	const struct cells_times out = {
	    .time_ns = stats_median(times + TIME * n, n),
	    .p95_ns = stats_quantile(times, n, 0.95),
	    .p99_ns = n + c->stall.rows < TRIAL_P99_CALLS ? NAN : stats_quantile(times, n, 0.99),
	    /* For calls that block, issuing is all of the call. */
	    .launch_ns = c->traits->blocks ? NAN : stats_median(times + LAUNCH * n, n),
	    .skew_ns = stats_median(times + SKEW * n, n),
	    .poll_ns = stats_median(polls, nsamples)};
	arena_release(arena, mark);
	return out;
}

struct cells_own cells_own_of(struct arena *arena, const struct record_cell *c)
{
	const struct timing_view view = view_of(c);
	const size_t n = c->rows;
	const struct arena_mark mark = arena_mark(arena);
	double *times = ARENA_ARRAY(arena, double, 5 * n);
	const unsigned per_worker = ranks_per_worker(c);
	for (unsigned i = 0; i < n; i++) {
		const struct timing_workers w = timing_workers(&view, per_worker, i);
		times[i] = w.rank0_ns;
		times[n + i] = w.mean_ns;
		times[2 * n + i] = w.min_ns;
		times[3 * n + i] = w.max_ns;
		times[4 * n + i] = timing_row_ns(&view, i);
	}
	const struct cells_own out = {
	    .workers = {stats_median(times, n), stats_median(times + n, n),
	                stats_median(times + 2 * n, n), stats_median(times + 3 * n, n)},
	    .early = timing_early(times + 4 * n, n),
	    .step_ns = (double)timing_step_ns(&view)};
	arena_release(arena, mark);
	return out;
}

/* One rank over a row's trials. `room` holds four numbers for each of their rows and three for each
 * trial. ends: when it ended, of each trial. */
static struct cells_rank rank_of(const struct record_cell *const *cells, size_t n, size_t rows,
                                 unsigned rank, double *room, double *ends)
{
	double *skew = room, *launch = skew + rows, *finish = launch + rows;
	double *late = finish + rows; /* in the rows in which it was the last to end */
	double *trials = late + rows, last = 0;
	size_t nlate = 0;
	for (size_t t = 0; t < n; t++) {
		const struct record_cell *c = cells[t];
		const struct timing_view view = view_of(c);
		for (unsigned i = 0; i < c->rows; i++) {
			struct timing_rank r = timing_rank(&view, rank, i);
			skew[i] = r.skew_ns;
			launch[i] = r.launch_ns;
			finish[i] = r.finish_ns;
			last += r.last;
			if (r.last > 0)
				late[nlate++] = r.late_ns;
		}
		trials[t] = stats_median(skew, c->rows);
		trials[n + t] = stats_median(launch, c->rows);
		ends[t] = trials[2 * n + t] = stats_median(finish, c->rows);
	}
	return (struct cells_rank){.skew_us = stats_median(trials, n) / 1000,
	                           .launch_us = stats_median(trials + n, n) / 1000,
	                           .finish_us = stats_median(trials + 2 * n, n) / 1000,
	                           .last = rows ? last / (double)rows : NAN,
	                           .last_by_us = stats_median(late, nlate) / 1000};
}

/* How late a rank surely is: ends has each rank's trials. */
static double late_sure_us(const double *ends, size_t n, unsigned nranks, unsigned rank,
                           double *room)
{
	for (size_t t = 0; t < n; t++) {
		double mean = 0;
		for (unsigned r = 0; r < nranks; r++)
			mean += ends[r * n + t] / nranks;
		room[t] = ends[rank * n + t] - mean;
	}
	const struct stats_interval late = stats_quantile_interval(room, n, 0.5, 0.95);
	return (late.lo > 0 ? late.lo : late.hi < 0 ? late.hi : 0) / 1000;
}

struct cells_rank *cells_ranks_of(struct arena *arena, const struct record_cell *const *cells,
                                  size_t n)
{
	const unsigned nranks = cells[0]->nranks;
	size_t rows = 0;
	double mean = 0;
	for (size_t i = 0; i < n; i++)
		rows += cells[i]->rows;
	struct cells_rank *ranks = ARENA_ARRAY(arena, struct cells_rank, nranks);
	const struct arena_mark mark = arena_mark(arena);
	double *room = ARENA_ARRAY(arena, double, 4 * rows + 3 * n);
	double *ends = ARENA_ARRAY(arena, double, n *nranks);
	for (unsigned r = 0; r < nranks; r++) {
		ranks[r] = rank_of(cells, n, rows, r, room, ends + r * n);
		mean += ranks[r].finish_us / nranks;
	}
	/* Late is relative to the mean of the ranks' own medians: medians of the differences could
	 * all be on one side. */
	for (unsigned r = 0; r < nranks; r++) {
		ranks[r].late_us = ranks[r].finish_us - mean;
		ranks[r].late_sure_us = late_sure_us(ends, n, nranks, r, room);
	}
	arena_release(arena, mark);
	return ranks;
}

/* From the earliest start to the latest return of issue. */
static double issue_wall(const struct record_cell *c, unsigned row)
{
	int64_t first = c->samples[row].start_ns, last = c->samples[row].issued_ns;
	for (unsigned r = 1; r < c->nranks; r++) {
		const struct sample *s = &c->samples[(size_t)r * c->rows + row];
		first = s->start_ns < first ? s->start_ns : first;
		last = s->issued_ns > last ? s->issued_ns : last;
	}
	return (double)(last - first);
}

/* The usual time of a row: by a mean, a cell that was preempted once would look long. */
static double usual_wall(struct arena *arena, const struct record_cell *c)
{
	const struct arena_mark mark = arena_mark(arena);
	double *walls = ARENA_ARRAY(arena, double, c->rows);
	for (unsigned i = 0; i < c->rows; i++)
		walls[i] = issue_wall(c, i);
	const double usual = stats_median(walls, c->rows);
	arena_release(arena, mark);
	return usual;
}

double cells_issue_cores(struct arena *arena, const struct record_cell *c, unsigned rank)
{
	double wall = 0;
	if (!c->issue_cpu_ns || !c->samples || !c->traits->launches ||
	    !(usual_wall(arena, c) >= CELLS_ISSUE_NS))
		return NAN;
	for (unsigned i = 0; i < c->rows; i++)
		wall += issue_wall(c, i);
	return (double)c->issue_cpu_ns[rank] / wall;
}
