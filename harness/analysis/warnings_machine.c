/* What the machine did beside the measurement: other load, faults, clocks held down. */
#include "warnings_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a quiet machine shows too: drivers fault in a page now and then (2 in 100 calls seen),
 * and a kernel thread takes its turn (20 a second seen on an idle machine of 64 cores). Half of
 * a quantile's calls, or another program on the core, lie far above. */
#define QUIET_FAULTS_PER_CALL 0.05
#define QUIET_SWITCHES_PER_S  50.0
/* A load that leaves this share of the cores free, and one program at most, is no other load.
 */
#define QUIET_LOAD 0.1
/* A clock that runs at less than this share of what it may. */
#define SLOW_CLOCK 0.97

/* The sum of one count over all rows, how many rows have it, and the row with the most. */
struct tallied {
	uint64_t sum, most;
	unsigned rows;
	const struct summary_row *worst;
};

static void tally(struct tallied *t, const struct summary_row *row, uint64_t count,
                  double quiet)
{
	if (count < 10 || (double)count <= quiet)
		return;
	t->sum += count;
	t->rows++;
	if (count > t->most) {
		t->most = count;
		t->worst = row;
	}
}

static const char *faults_advice(const struct summary_variant *worst)
{
	if (!strcmp(worst->backend, "nccl"))
		return "With nccl that is mostly the driver, which maps memory during calls. "
		       "Medians bear a few of them; compare p95 and p99 with care.";
	return "Give the machine more free memory, or ask for smaller sizes; if it stays, it "
	       "is a bug of the backend.";
}

static void warn_disturbed(const struct summary *s, struct warnings *w)
{
	struct tallied faults = {0}, switches = {0};
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT)
			continue; /* a ceiling, and the driver's own work is part of it */
		tally(&faults, row, row->faults, QUIET_FAULTS_PER_CALL * (double)row->ncalls);
		tally(&switches, row, row->switches, QUIET_SWITCHES_PER_S * row->watched_s);
	}
	if (faults.sum)
		warnings_add(
		    w,
		    "Page faults in timed calls: %llu, in %u of %u rows, most in %s. Those "
		    "times hold the kernel's work too. %s",
		    (unsigned long long)faults.sum, faults.rows, s->nrows,
		    warnings_row(s, faults.worst).text,
		    faults_advice(&s->variants[faults.worst->variant]));
	if (switches.sum)
		warnings_add(
		    w,
		    "Involuntary context switches in timed calls: %llu, in %u of %u rows, most "
		    "in %s. Something else had the core meanwhile. Stop what else runs, take "
		    "fewer ranks, or use bind = core.",
		    (unsigned long long)switches.sum, switches.rows, s->nrows,
		    warnings_row(s, switches.worst).text);
}

static void warn_cores(const struct summary *s, struct warnings *w)
{
	if (summary_crowded(s))
		warnings_add(
		    w,
		    "There are more ranks than the %u cores, so that waiting yields and the "
		    "scheduler decides: no claim on latency can rest on this run. Take at "
		    "most %u ranks (RANKS=%u) for that.",
		    s->ncores, s->ncores, s->ncores);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (s->variants[v].measured && !strcmp(s->variants[v].backend, "host") &&
		    !strcmp(s->variants[v].mode, "single")) {
			warnings_add(
			    w,
			    "On the host backend %s moves all ranks' data with one worker: it "
			    "has one core's bandwidth at every size. Do not read that gap as "
			    "launch cost; on GPUs the device moves the data.",
			    s->variants[v].name);
			break;
		}
}

static void warn_load(const struct summary *s, struct warnings *w)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	double load = json_number_value(json_object_get(machine, "load1"));
	if (s->ncores && load > 1 && load > QUIET_LOAD * s->ncores)
		warnings_add(
		    w,
		    "The machine was busy when the run began: a load of %.1f in the minute "
		    "before, on %u cores. Stop what else runs; if it was only the build, "
		    "measure again now.",
		    load, s->ncores);
}

/* The least of the numbers in a text such as "1980 1965", NaN when there is none. */
static double least_number(const json_t *facts, const char *key)
{
	const json_t *value = json_object_get(facts, key);
	const char *text = json_string_value(value);
	double least = json_is_number(value) ? json_number_value(value) : NAN;
	while (text && *text) {
		char *end;
		double x = strtod(text, &end);
		if (end == text)
			end++;
		else if (!(x >= least))
			least = x;
		text = end;
	}
	return least;
}

static bool says_throttled(const json_t *facts)
{
	const char *text = json_string_value(json_object_get(facts, "throttle"));
	return text && *text && strcmp(text, "none") && strcmp(text, "0");
}

/* Trials whose devices ran slower than they may, as far as the backend said. */
static void warn_clocks(const struct summary *s, struct warnings *w)
{
	const struct record_cell *worst = NULL;
	unsigned slow = 0, trials = 0;
	double lowest = INFINITY, most = NAN;
	const char *why = "";
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		const json_t *list = json_object_get(c->json, "facts"), *facts;
		bool held = false;
		size_t k;
		/* Facts are the trial's, the same in each of its cells. */
		if (i && s->run->cells[i - 1].order == c->order)
			continue;
		trials++;
		json_array_foreach(list, k, facts)
		{
			double now = least_number(facts, "clock_sm_mhz");
			double may = least_number(facts, "clock_sm_max_mhz");
			bool below = now < SLOW_CLOCK * may, said = says_throttled(facts);
			if (said && !*why)
				why = json_string_value(json_object_get(facts, "throttle"));
			held = held || below || said;
			if ((below || said) && (!worst || now < lowest)) {
				worst = c;
				lowest = now;
				most = may;
			}
		}
		slow += held;
	}
	if (!worst)
		return;
	char clocks[96] = "";
	if (lowest < most)
		snprintf(clocks, sizeof clocks, ", at the least %.0f of %.0f MHz", lowest,
		         most);
	warnings_add(
	    w,
	    "GPU clocks were held down in %u of %u trials, most in %s, block %u%s%s%.80s. "
	    "Those times are the power or heat limit's. Look at nvidia-smi -q -d PERFORMANCE, "
	    "cool or wait, or lock a clock that the GPU holds (nvidia-smi -lgc).",
	    slow, trials, worst->variant, worst->block, clocks, *why ? "; it says: " : "", why);
}

void warnings_of_machine(const struct summary *s, struct warnings *w)
{
	warn_cores(s, w);
	warn_load(s, w);
	warn_disturbed(s, w);
	warn_clocks(s, w);
}
