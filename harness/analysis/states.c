#include "states.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/value.h"
#include "anova.h"
#include "summary.h"

#define SEED  0x57A7E5u
#define DEPTH 6 /* job, worker, connection, allocation, cycle, value */
#define SHALLOW                                                                                \
	0.5 /* √n × dip of independent values is rarely more; of dependent ones it may be */
#define FEWEST   20  /* values */
#define SMALLEST 0.1 /* share of either cluster */

/* --- one peak or two --- */

/* The largest step of the distribution of x[0..m) above the greatest convex function below it:
 * twice the distance of both, in values. `hull` has room for m. */
static double convex_gap(const double *x, unsigned m, unsigned *hull)
{
	unsigned n = 0, at = 0;
	double most = 0;
	for (unsigned i = 0; i < m; i++) {
		if (n && x[hull[n - 1]] == x[i])
			continue;
		while (n >= 2) {
			unsigned a = hull[n - 2], b = hull[n - 1];
			if ((b - a) * (x[i] - x[a]) < (i - a) * (x[b] - x[a]))
				break;
			n--;
		}
		hull[n++] = i;
	}
	for (unsigned i = 0; i < m; i++) {
		while (at + 1 < n && x[hull[at + 1]] <= x[i])
			at++;
		double below = hull[at];
		if (at + 1 < n)
			below += (hull[at + 1] - hull[at]) * (x[i] - x[hull[at]]) /
			         (x[hull[at + 1]] - x[hull[at]]);
		most = fmax(most, i + 1 - below);
	}
	return most;
}

/* With the peak at value m, the distribution has to be convex up to it and concave behind it.
 * The gap on the left grows with m and that on the right falls: the least larger one is where
 * they cross. */
double states_dip(const double *x, unsigned n)
{
	double *mirrored = malloc((n + 1) * sizeof *mirrored), least = NAN;
	unsigned *hull = malloc((n + 1) * sizeof *hull), lo = 1, hi = n;
	if (mirrored && hull) {
		for (unsigned i = 0; i < n; i++)
			mirrored[i] = -x[n - 1 - i];
		while (lo < hi) {
			unsigned m = (lo + hi) / 2;
			if (convex_gap(x, m, hull) >= convex_gap(mirrored, n - m + 1, hull))
				hi = m;
			else
				lo = m + 1;
		}
		for (unsigned m = lo > 1 ? lo - 1 : 1; m <= lo && n; m++)
			least = fmin(least, fmax(convex_gap(x, m, hull),
			                         convex_gap(mirrored, n - m + 1, hull)));
	}
	free(mirrored);
	free(hull);
	return least / 2 / n;
}

static double uniform(uint64_t *seed)
{
	return ((double)(value_mix((*seed)++) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller 1958. */
static double normal(uint64_t *seed)
{
	double r = sqrt(-2 * log(uniform(seed)));
	return r * cos(2 * M_PI * uniform(seed));
}

enum shape { NORMAL, SKEWED, SKEWED_DOWN, HEAVY, EVEN };

/* Of one peak and variance 1: normal, even (the flattest), lognormal either way, Student's t of
 * 3 degrees. */
static double noise(enum shape shape, uint64_t *seed)
{
	double x = normal(seed), a, b, c;
	switch (shape) {
	case EVEN:
		return sqrt(12) * (uniform(seed) - 0.5);
	case SKEWED:
	case SKEWED_DOWN:
		return (shape == SKEWED ? 1 : -1) * exp(x) / sqrt((M_E - 1) * M_E);
	case HEAVY:
		a = normal(seed), b = normal(seed), c = normal(seed);
		return x / sqrt(a * a + b * b + c * c);
	default:
		return x;
	}
}

/* Numbers of one shape on the levels of keys. */
static void draw(const unsigned *keys, unsigned n, unsigned depth, const double *variances,
                 enum shape shape, uint64_t *seed, double *out)
{
	double sum[DEPTH] = {0};
	for (unsigned i = 0; i < n; i++) {
		bool anew = i == 0;
		out[i] = 0;
		for (unsigned level = 0; level < depth; level++) {
			anew = anew || keys[i * depth + level] != keys[(i - 1) * depth + level];
			if (anew && variances[level] > 0) /* NaN: not to be told */
				sum[level] = sqrt(variances[level]) * noise(shape, seed);
			out[i] += sum[level];
		}
	}
}

/* Whether none of the tries dips as deep as sorted x, which it overwrites. */
static bool dips(double *x, const unsigned *keys, unsigned n, unsigned depth,
                 const double *variances)
{
	double dip = states_dip(x, n);
	uint64_t seed = SEED;
	bool deepest = sqrt(n) * dip >= SHALLOW; /* false for NaN */
	for (unsigned t = 0; t < STATES_TRIES && deepest; t++) {
		draw(keys, n, depth, variances, t % 2 ? EVEN : (enum shape)(t / 2 % EVEN),
		     &seed, x);
		stats_sort(x, n);
		deepest = states_dip(x, n) < dip;
	}
	return deepest;
}

/* Sorted values in two, so that they scatter least within. */
static struct states_halves halve(const double *x, unsigned n)
{
	double total = 0, left = 0, most = -1;
	unsigned at = 1;
	for (unsigned i = 0; i < n; i++)
		total += x[i];
	for (unsigned i = 0; i + 1 < n; i++) {
		left += x[i];
		double apart = left / (i + 1) - (total - left) / (n - i - 1);
		double between = apart * apart * (i + 1) * (n - i - 1);
		if (between > most) {
			most = between;
			at = i + 1;
		}
	}
	return (struct states_halves){.at = (x[at - 1] + x[at]) / 2,
	                              .slow_share = (double)(n - at) / n,
	                              .fast = stats_median(x, at),
	                              .slow = stats_median(x + at, n - at)};
}

int states_halve(const double *values, const unsigned *keys, unsigned n, unsigned depth,
                 struct states_halves *out)
{
	double variances[DEPTH], *x = malloc((n + 1) * sizeof *x);
	if (!x)
		return -1;
	memcpy(x, values, n * sizeof *x);
	stats_sort(x, n);
	*out = halve(x, n);
	anova_nested(values, keys, n, depth, variances);
	out->two = fmin(out->slow_share, 1 - out->slow_share) >= SMALLEST &&
	           dips(x, keys, n, depth, variances);
	free(x);
	return 0;
}

/* --- values --- */

struct value {
	unsigned keys[DEPTH], place;
	double log, chain, wide; /* logs; NaN: not measured */
};

static int by_keys(const void *a, const void *b)
{
	return memcmp(((const struct value *)a)->keys, ((const struct value *)b)->keys,
	              sizeof((const struct value *)a)->keys);
}

static double launch_of(const struct record_cell *c, unsigned rank, double *room)
{
	for (unsigned i = 0; i < c->rows; i++) {
		const struct sample *s = &c->samples[(size_t)rank * c->rows + i];
		room[i] = (double)(s->issued_ns - s->start_ns) / c->calls;
	}
	return stats_median(room, c->rows);
}

static double time_of(const struct record_cell *c, double *room)
{
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	for (unsigned i = 0; i < c->rows; i++)
		room[i] = timing_row_ns(&view, i);
	return stats_median(room, c->rows);
}

/* A rank's measure of its core, as a log; of all ranks the longest for `rank` = nranks. */
static double speed_of(const struct record_cell *c, const int64_t *ns, unsigned rank)
{
	int64_t most = 0;
	if (!ns)
		return NAN;
	for (unsigned r = 0; r < c->nranks; r++)
		if ((r == rank || rank == c->nranks) && ns[r] > most)
			most = ns[r];
	return most ? log((double)most) : NAN;
}

struct list {
	unsigned n;
	struct value *values;
	double *room;
};

static void add(struct list *list, const struct record_cell *c, unsigned place, unsigned rank,
                double ns)
{
	list->values[list->n] =
	    (struct value){.keys = {c->block, rank, c->cell.connection, c->cell.allocation,
	                            c->cell.cycle, list->n},
	                   .place = place,
	                   .log = log(ns),
	                   .chain = speed_of(c, c->core_chain_ns, rank),
	                   .wide = speed_of(c, c->core_wide_ns, rank)};
	list->n += isfinite(list->values[list->n].log);
}

/* A worker's ranks have one launch between them: the first of those with the same stamps. */
static bool is_first(const struct record_cell *c, unsigned rank)
{
	const struct sample *own = &c->samples[(size_t)rank * c->rows];
	return !rank || own->start_ns != own[-(ptrdiff_t)c->rows].start_ns ||
	       own->issued_ns != own[-(ptrdiff_t)c->rows].issued_ns;
}

/* Launches of each worker, or times. */
static void collect(const struct summary *s, const struct regime *r, unsigned variant,
                    bool launch, struct list *list)
{
	list->n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		unsigned place = s->index.place_of[i];
		if (s->index.variant_of[i] != variant || !regime_holds(s, r, c))
			continue;
		if (!launch)
			add(list, c, place, c->nranks, time_of(c, list->room));
		for (unsigned q = 0; launch && q < c->nranks; q++)
			if (is_first(c, q))
				add(list, c, place, q, launch_of(c, q, list->room));
	}
	qsort(list->values, list->n, sizeof *list->values, by_keys);
}

/* Takes from each value the mean of its place and worker; returns the mean of those means. */
static double centre(struct list *list)
{
	double mean = 0;
	bool *done = calloc(list->n + 1, sizeof *done);
	for (unsigned i = 0; done && i < list->n; i++)
		mean += list->values[i].log / list->n;
	for (unsigned i = 0; done && i < list->n; i++) {
		const struct value *v = &list->values[i];
		double sum = 0;
		unsigned n = 0;
		if (done[i])
			continue;
		for (unsigned pass = 0; pass < 2; pass++)
			for (unsigned k = i; k < list->n; k++) {
				struct value *o = &list->values[k];
				if (o->place != v->place || o->keys[1] != v->keys[1] || done[k])
					continue;
				if (!pass) {
					sum += o->log;
					n++;
				} else {
					o->log -= sum / n;
					done[k] = true;
				}
			}
	}
	free(done);
	return done ? mean : NAN;
}

static double correlation(const struct list *list, size_t offset)
{
	double n = list->n, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
	for (unsigned i = 0; i < list->n; i++) {
		double a = list->values[i].log, b;
		memcpy(&b, (const char *)&list->values[i] + offset, sizeof b);
		x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
	}
	return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

/* --- what they go with --- */

/* The level that separates the two best: whose part of the variance of being slow is largest. A
 * worker that differs from the job's others counts for the job. */
static enum states_cause level_of(const struct list *list, double at, double *slow,
                                  unsigned *keys)
{
	double v[DEPTH];
	for (unsigned i = 0; i < list->n; i++) {
		slow[i] = list->values[i].log > at;
		memcpy(&keys[(size_t)i * DEPTH], list->values[i].keys,
		       sizeof list->values->keys);
	}
	anova_nested(slow, keys, list->n, DEPTH, v);
	for (unsigned k = 0; k < DEPTH; k++)
		v[k] = isnan(v[k]) ? 0 : fmax(v[k], 0);
	double part[] = {v[0] + v[1], v[2], v[3], v[4] + v[5]};
	unsigned largest = 0;
	for (unsigned k = 1; k < 4; k++)
		if (part[k] > part[largest])
			largest = k;
	return (enum states_cause)(STATES_JOB + largest);
}

static int judge(const struct list *list, double mean, struct states *out)
{
	const unsigned n = list->n;
	double *x = malloc((n + 1) * sizeof *x);
	unsigned *keys = malloc((n + 1) * DEPTH * sizeof *keys);
	struct states_halves two;
	int rc = x && keys ? 0 : -1;
	for (unsigned i = 0; !rc && i < n; i++) {
		x[i] = list->values[i].log;
		memcpy(&keys[(size_t)i * DEPTH], list->values[i].keys,
		       sizeof list->values->keys);
	}
	if (!rc && !(rc = states_halve(x, keys, n, DEPTH, &two))) {
		out->n = n;
		out->two = two.two;
		if (two.two) {
			out->fast_ns = exp(mean + two.fast);
			out->slow_ns = exp(mean + two.slow);
			out->slow_share = two.slow_share;
		}
		/* The team's time is the slowest worker's, so that it tells less of cores. */
		if (out->launch) {
			out->clock = correlation(list, offsetof(struct value, chain));
			out->shared = correlation(list, offsetof(struct value, wide));
		}
		out->cause = out->clock >= STATES_GOES_WITH ? STATES_CLOCK
		             : out->shared >= STATES_GOES_WITH
		                 ? STATES_SHARED
		                 : level_of(list, two.at, x, keys);
	}
	free(x);
	free(keys);
	return rc;
}

/* Whether the time of a cell goes with its longest launch. */
static bool is_launch(const struct summary *s, const struct regime *r, unsigned variant,
                      struct list *list)
{
	if (!s->variants[variant].traits->launches)
		return false;
	list->n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		double launch = 0;
		if (s->index.variant_of[i] != variant || !regime_holds(s, r, c))
			continue;
		for (unsigned q = 0; q < c->nranks; q++)
			launch = fmax(launch, launch_of(c, q, list->room));
		add(list, c, s->index.place_of[i], 0, time_of(c, list->room));
		list->values[list->n - 1].chain = log(launch);
	}
	return correlation(list, offsetof(struct value, chain)) >= STATES_GOES_WITH;
}

int states_make(const struct summary *s, const struct regime *r, unsigned variant,
                struct states *out)
{
	size_t most = 1, rows = 1;
	*out = (struct states){.fast_ns = NAN, .slow_ns = NAN, .clock = NAN, .shared = NAN};
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (s->index.variant_of[i] != variant || !regime_holds(s, r, c))
			continue;
		most += c->nranks;
		rows = c->rows > rows ? c->rows : rows;
	}
	struct list list = {.values = malloc(most * sizeof *list.values),
	                    .room = malloc(rows * sizeof *list.room)};
	int rc = list.values && list.room ? 0 : -1;
	if (!rc) {
		out->launch = is_launch(s, r, variant, &list);
		collect(s, r, variant, out->launch, &list);
	}
	if (!rc && list.n >= FEWEST) {
		double mean = centre(&list);
		rc = isnan(mean) ? -1 : judge(&list, mean, out);
	}
	free(list.values);
	free(list.room);
	return rc;
}

bool states_measured(const struct states *states)
{
	return states->n && states->cause <= STATES_SHARED;
}

/* --- in words --- */

#define NAMED 4 /* variants whose speeds a sentence has */

static const struct {
	const char *name, *what;
} causes[] = {
    [STATES_CLOCK] = {"clock", "the clock"},
    [STATES_SHARED] = {"shared", "the throughput"},
    [STATES_JOB] = {"job", "They differ from job to job."},
    [STATES_CONNECTION] = {"connection", "They are drawn with the communicator."},
    [STATES_ALLOCATION] = {"allocation", "They are drawn with the buffers."},
    [STATES_TIME] = {"time", "They change while nothing is made anew."},
};

const char *states_cause_name(enum states_cause cause)
{
	return causes[cause].name;
}

static void say_range(double lo, double hi, char *text, size_t bytes)
{
	words_add(text, bytes, hi - lo < 0.005 ? "%.2f" : "%.2f to %.2f", lo, hi);
}

/* What measure of the cores it goes with, over the variants that have this cause. */
static void say_measured(const struct summary *s, const struct states *all,
                         enum states_cause cause, char *text, size_t bytes)
{
	double lo[2] = {1, 1}, hi[2] = {-1, -1};
	for (unsigned v = 0; v < s->nvariants; v++) {
		const double of[] = {all[v].shared, all[v].clock};
		for (unsigned k = 0; k < 2 && all[v].n && all[v].cause == cause; k++) {
			lo[k] = fmin(lo[k], of[k]);
			hi[k] = fmax(hi[k], of[k]);
		}
	}
	words_add(text, bytes,
	          "%sLaunch time correlates with %s of the worker's core: ", *text ? " " : "",
	          causes[cause].what);
	say_range(lo[0], hi[0], text, bytes);
	words_add(text, bytes, " with its throughput, ");
	say_range(lo[1], hi[1], text, bytes);
	words_add(text, bytes, " with its clock. No factor switched it: the cause is open.");
}

void states_say(const struct summary *s, const struct states *all, char *text, size_t bytes)
{
	unsigned two = 0, of[STATES_TIME + 1] = {0};
	enum states_cause most = STATES_JOB;
	bool launch = true;
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants; v++) {
		of[all[v].cause] += all[v].two || states_measured(&all[v]);
		launch = launch && (all[v].launch || !all[v].two);
		two += all[v].two;
	}
	unsigned named = 0;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (all[v].two && named++ < NAMED)
			words_add(text, bytes, "%s%s %s and %s µs",
			          named > 1 ? ", "
			          : launch  ? "Launching has two speeds: "
			                    : "There are two speeds: ",
			          s->variants[v].name, words_number(all[v].fast_ns / 1e3).text,
			          words_number(all[v].slow_ns / 1e3).text);
	if (named > NAMED)
		words_add(text, bytes, ", and %u more in the table", named - NAMED);
	if (two)
		words_add(text, bytes, ".");
	for (int cause = STATES_CLOCK; cause <= STATES_SHARED; cause++)
		if (of[cause])
			say_measured(s, all, (enum states_cause)cause, text, bytes);
	for (int cause = STATES_JOB; cause <= STATES_TIME; cause++)
		if (of[cause] > of[most])
			most = (enum states_cause)cause;
	if (of[most] && !of[STATES_CLOCK] && !of[STATES_SHARED])
		words_add(text, bytes, " %s", causes[most].what);
}
