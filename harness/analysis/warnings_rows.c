/* Within a row: warm-up that was not finished, and a clock too coarse for the time. */
#include "warnings_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"
#include "trend.h"

/* The first rows are slower by this at least, in trials that chance would give so seldom; a few
 * rows of many do so by chance. */
#define EARLY_LEAST 1.05
#define EARLY_P     0.02
#define EARLY_SHARE 0.04
/* An end seen late by more than this share of the time. */
#define COARSE 0.05

/* How much slower the first rows are, the median over trials; NaN unless it is systematic. */
static double early_of(const struct summary_row *row)
{
	double median = NAN, *x = malloc((row->ntrials ? row->ntrials : 1) * sizeof *x);
	unsigned n = 0, slower = 0;
	for (unsigned i = 0; x && i < row->ntrials; i++)
		if (!isnan(row->trials[i].early)) {
			x[n++] = row->trials[i].early;
			slower += row->trials[i].early > 1;
		}
	if (n >= STATS_MIN_BLOCKS && trend_sign_probability(slower, n) < EARLY_P)
		median = stats_median(x, n);
	free(x);
	return median > EARLY_LEAST ? median : NAN;
}

static void warn_warmup(const struct summary *s, struct warnings *w)
{
	const struct summary_row *worst = NULL;
	double most = 0;
	unsigned early = 0, rows = 0;
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT || !row->ntrials)
			continue;
		double by = early_of(row);
		rows++;
		if (isnan(by))
			continue;
		early++;
		if (by > most) {
			most = by;
			worst = row;
		}
	}
	if (!worst || early <= 1 + EARLY_SHARE * rows)
		return;
	warnings_add(
	    w,
	    "Warm-up was not finished: in %u of %u rows the first timed calls are slower than "
	    "the later ones in nearly every trial, most in %s, by %.0f %%. Medians bear it, "
	    "p95 and p99 do not. Set a longer warm-up (warmup = %lld here).",
	    early, rows, warnings_row(s, worst).text, 100 * (most - 1),
	    4 * (long long)json_integer_value(json_object_get(s->run->environment, "warmup")));
}

static double step_of(const struct summary *s, const struct summary_row *row)
{
	double step = 0;
	(void)s;
	for (unsigned i = 0; i < row->ntrials; i++)
		step = fmax(step, row->trials[i].step_ns);
	return step / 1000;
}

/* The rows where what `late` says is too much of the time, and the worst of them. */
struct coarse {
	unsigned count, rows;
	double share;
	const struct summary_row *worst;
};

static struct coarse find_coarse(const struct summary *s,
                                 double (*late_us)(const struct summary *,
                                                   const struct summary_row *))
{
	struct coarse c = {0};
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (s->variants[row->variant].role == ROLE_LIMIT || !row->ntrials)
			continue;
		double share = late_us(s, row) / (row->time_us * row->calls);
		c.rows++;
		if (!(share > COARSE))
			continue;
		c.count++;
		if (share > c.share) {
			c.share = share;
			c.worst = row;
		}
	}
	return c;
}

static double poll_of(const struct summary *s, const struct summary_row *row)
{
	/* There the worker's own copying is in the round, so that it bounds nothing. */
	return strcmp(s->variants[row->variant].backend, "host") ? row->resolution_us : 0;
}

static void warn_resolution(const struct summary *s, struct warnings *w)
{
	struct coarse step = find_coarse(s, step_of), poll = find_coarse(s, poll_of);
	char time[32], late[32];
	if (step.worst) {
		words_number(step.worst->time_us * step.worst->calls, time, sizeof time);
		words_number(step_of(s, step.worst), late, sizeof late);
		warnings_add(
		    w,
		    "The clock is coarse: it steps by %s µs, more than %.0f %% of the time in "
		    "%u of %u rows, most in %s, where a row takes %s µs. Use a finer clock "
		    "source (tsc), or more calls in a stretch.",
		    late, 100 * COARSE, step.count, step.rows, warnings_row(s, step.worst).text,
		    time);
	}
	if (poll.worst) {
		words_number(poll.worst->time_us * poll.worst->calls, time, sizeof time);
		words_number(poll.worst->resolution_us, late, sizeof late);
		warnings_add(
		    w,
		    "Timer resolution: in %u of %u rows the end may be seen late by more than "
		    "%.0f %% of the time, most in %s, where a poll round takes %s of %s µs. "
		    "Take no smaller gap there for real; a stream of calls, which polls at its "
		    "end only, shows it finer.",
		    poll.count, poll.rows, 100 * COARSE, warnings_row(s, poll.worst).text, late,
		    time);
	}
}

void warnings_of_rows(const struct summary *s, struct warnings *w)
{
	warn_warmup(s, w);
	warn_resolution(s, w);
}
