#include "selftest_cells.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/stats.h"
#include "../backend/traits.h"
#include "../config/plan.h"

#define NULL_CALL_NS   50000
#define NULL_BYTES     1024
#define HOST_BYTES     (256 << 10)
#define ISOLATED_CALLS 200
#define MOST_RANKS     8

void selftest_trial(struct trial *out, const char *backend, const struct mode *mode,
                    unsigned places)
{
	unsigned n = places < 2 ? 2 : places > MOST_RANKS ? MOST_RANKS : places;
	/* Not every mode can place every number of ranks. */
	while (n < MOST_RANKS &&
	       (!mode->owns(mode->spread(n)) || layout_ranks(mode->spread(n)) != n))
		n++;
	bool null = !traits_find(backend)->carries_data;
	*out = (struct trial){
	    .experiment = "selftest",
	    .warmup = 1,
	    .stretches = 3,
	    .calls = 10,
	    .isolated_calls = ISOLATED_CALLS,
	    .arena_bytes = null ? NULL_BYTES : 8 * HOST_BYTES,
	    .seed = 1,
	};
	settings_default(&out->settings);
	out->settings.layout = mode->spread(n);
	out->settings.delay_ns = null ? NULL_CALL_NS : 0;
	snprintf(out->variant, sizeof out->variant, "%s", mode->name);
	snprintf(out->settings.mode, sizeof out->settings.mode, "%s", mode->name);
	snprintf(out->settings.backend, sizeof out->settings.backend, "%s", backend);
}

/* Real copies are measured call by call: in a stream one rank's delay hides behind what the
 * others still copy, and would not be there to be found. */
static struct cell cell_of(const struct trial *trial, bool spared)
{
	bool null = !traits_find(trial->settings.backend)->carries_data;
	size_t bytes = null ? NULL_BYTES : HOST_BYTES;
	return (struct cell){.coll = COLL_ALLTOALL,
	                     .dtype = DTYPE_FLOAT32,
	                     .op = OP_NONE,
	                     .pace = null ? PACE_STREAM : PACE_ISOLATED,
	                     .spared = spared,
	                     .asked_bytes = bytes,
	                     .bytes = coll_round(COLL_ALLTOALL, DTYPE_FLOAT32, bytes,
	                                         layout_ranks(trial->settings.layout))};
}

void selftest_shuffle(struct selftest_cell *cells, unsigned pairs, uint64_t seed)
{
	for (unsigned p = 0; p < pairs; p++) {
		unsigned first = value_mix(value_mix(seed) ^ p) & 1;
		for (unsigned i = 0; i < 2; i++) {
			unsigned arm = first ^ i;
			cells[2 * p + i] = (struct selftest_cell){2 * p + arm, arm == 0};
		}
	}
}

int selftest_measure(const struct trial *trial, const struct selftest_cell *cells, unsigned n,
                     selftest_job_fn *job, void *arg, double *times, struct status *st)
{
	struct trial run = *trial;
	double *taken = calloc(n, sizeof *taken);
	int result = -1;
	run.cells = calloc(n, sizeof *run.cells);
	run.ncells = n;
	if (!taken || !run.cells) {
		status_set(st, "out of memory for %u cells", n);
		goto out;
	}
	for (unsigned i = 0; i < n; i++)
		run.cells[i] = cell_of(trial, cells[i].spared);
	result = job(arg, &run, taken, st);
	for (unsigned i = 0; !result && i < n; i++)
		times[cells[i].at] = taken[i];
out:
	free(run.cells);
	free(taken);
	return result;
}

int selftest_each(const struct trial *trial, const struct selftest_cell *cells, unsigned n,
                  selftest_job_fn *job, void *arg, double *times, struct status *st)
{
	for (unsigned i = 0; i < n; i++)
		if (selftest_measure(trial, &cells[i], 1, job, arg, times, st))
			return -1;
	return 0;
}

/* As an experiment's: the median over stretches of (latest end − earliest start) ÷ calls. */
static double time_of(const json_t *line)
{
	const json_t *starts = json_object_get(line, "start_ns");
	const json_t *ends = json_object_get(line, "idle_ns");
	double calls = (double)json_integer_value(json_object_get(line, "calls")),
	       rows[ISOLATED_CALLS];
	size_t n = json_array_size(json_array_get(starts, 0));
	for (size_t row = 0; row < n && row < ISOLATED_CALLS; row++) {
		double start = INFINITY, end = -INFINITY;
		for (size_t r = 0; r < json_array_size(starts); r++) {
			const json_t *s = json_array_get(json_array_get(starts, r), row);
			const json_t *e = json_array_get(json_array_get(ends, r), row);
			start = fmin(start, (double)json_integer_value(s));
			end = fmax(end, (double)json_integer_value(e));
		}
		rows[row] = (end - start) / calls;
	}
	return n && n <= ISOLATED_CALLS ? stats_median(rows, n) : NAN;
}

int selftest_times(const char *lines, unsigned n, double *times, struct status *st)
{
	FILE *f = fopen(lines, "re");
	unsigned i = 0;
	json_t *line;
	if (!f)
		return status_set(st, "the job left no lines in %s", lines);
	while (i < n && (line = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL))) {
		times[i] = time_of(line);
		bool ok = json_is_null(json_object_get(line, "error")) && times[i] > 0;
		json_decref(line);
		if (!ok)
			break;
		i++;
	}
	fclose(f);
	return i == n ? 0 : status_set(st, "the job measured %u of %u cells", i, n);
}
