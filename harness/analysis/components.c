#include "components.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../config/cost.h"
#include "anova.h"
#include "summary.h"
#include "words.h"

#define NESTED COMPONENTS_ROWS /* levels above the rows */

static const char *const level_names[COMPONENTS_LEVELS] = {
    [COMPONENTS_JOBS] = "jobs",     [COMPONENTS_CONNECTIONS] = "connections",
    [COMPONENTS_CYCLES] = "cycles", [COMPONENTS_ALLOCATIONS] = "allocations",
    [COMPONENTS_ROWS] = "calls",
};

const char *components_level_name(enum components_level level)
{
	return level_names[level];
}

/* --- leaves --- */

/* A cell of a leaf: its number, and what its rows scatter. */
struct leaf_cell {
	unsigned keys[NESTED], place, rows;
	double log, rows_variance, seconds;
};

static int by_keys(const void *a, const void *b)
{
	const struct leaf_cell *x = a, *y = b;
	for (unsigned k = 0; k < NESTED; k++)
		if (x->keys[k] != y->keys[k])
			return x->keys[k] < y->keys[k] ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Of the cell's rows: 0, or -1 without memory. A cell that took no time has no log. */
static int take_cell(const struct record_cell *c, unsigned place, struct leaf_cell *out)
{
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	double *logs = malloc(c->rows * sizeof *logs);
	int64_t last = 0;
	if (!logs)
		return -1;
	for (unsigned i = 0; i < c->rows; i++)
		logs[i] = log(timing_row_ns(&view, i));
	for (size_t i = 0; i < (size_t)c->nranks * c->rows; i++)
		last = c->samples[i].idle_ns > last ? c->samples[i].idle_ns : last;
	double sd =
	    (stats_quantile(logs, c->rows, 0.75) - stats_quantile(logs, c->rows, 0.25)) / 1.349;
	*out = (struct leaf_cell){
	    .keys = {c->block, c->cell.connection, c->cell.allocation, c->cell.cycle},
	    .place = place,
	    .rows = c->rows,
	    .log = stats_median(logs, c->rows),
	    .rows_variance = sd * sd,
	    .seconds = (double)last * 1e-9};
	free(logs);
	return 0;
}

struct leaves {
	unsigned n, ncells; /* cells: of a whole leaf */
	double *y;
	unsigned *keys;
	double rows_variance, rows_part; /* of a row; of a leaf's number by its rows */
};

static void leaves_free(struct leaves *leaves)
{
	free(leaves->y);
	free(leaves->keys);
}

/* The most cells that a leaf has: others lack some. */
static unsigned whole_leaf(const struct leaf_cell *cells, unsigned n)
{
	unsigned most = 0;
	for (unsigned i = 0, end; i < n; i = end) {
		for (end = i;
		     end < n && !memcmp(cells[i].keys, cells[end].keys, sizeof cells[i].keys);)
			end++;
		most = end - i > most ? end - i : most;
	}
	return most;
}

/* Sorted cells → leaves. */
static int gather(const struct leaf_cell *cells, unsigned n, struct leaves *out)
{
	*out = (struct leaves){.ncells = whole_leaf(cells, n)};
	out->y = malloc((n + 1) * sizeof *out->y);
	out->keys = malloc((n + 1) * sizeof cells->keys);
	if (!out->y || !out->keys)
		return -1;
	for (unsigned i = 0; n - i >= out->ncells && i < n;) {
		unsigned end = i;
		double sum = 0, variance = 0, part = 0;
		for (; end < n && !memcmp(cells[i].keys, cells[end].keys, sizeof cells->keys);
		     end++) {
			sum += cells[end].log;
			variance += cells[end].rows_variance;
			part += M_PI / 2 * cells[end].rows_variance / cells[end].rows;
		}
		if (end - i == out->ncells && isfinite(sum)) {
			memcpy(&out->keys[(size_t)out->n * NESTED], cells[i].keys,
			       sizeof cells->keys);
			out->y[out->n++] = sum / out->ncells;
			out->rows_variance += variance / out->ncells;
			out->rows_part += part / out->ncells / out->ncells;
		}
		i = end;
	}
	out->rows_variance /= out->n ? out->n : 1;
	out->rows_part /= out->n ? out->n : 1;
	return 0;
}

/* --- a variant --- */

static double squared(double sd)
{
	return isnan(sd) ? 0 : sd * sd;
}

/* The variance of a job's number, with `times` as many connections and calls. */
static double job_variance(const struct components_side *side, double connections, double calls)
{
	const double *n = side->per_job;
	double within = n[COMPONENTS_CONNECTIONS] * connections;
	double leaves = within * n[COMPONENTS_ALLOCATIONS] * n[COMPONENTS_CYCLES];
	return squared(side->sd[COMPONENTS_JOBS]) +
	       squared(side->sd[COMPONENTS_CONNECTIONS]) / within +
	       squared(side->sd[COMPONENTS_ALLOCATIONS]) /
	           (within * n[COMPONENTS_ALLOCATIONS]) +
	       squared(side->sd[COMPONENTS_CYCLES]) / leaves +
	       side->rows_part / (leaves * calls);
}

/* The level with the largest part in a job's number, or COMPONENTS_LEVELS where nothing is
 * known. */
static enum components_level level_largest(const struct components_side *side)
{
	enum components_level largest = COMPONENTS_LEVELS;
	double n = 1, most = 0;
	for (int level = 0; level < NESTED && side->nleaves; level++) {
		n *= side->per_job[level];
		double part = squared(side->sd[level]) / n;
		if (part > most) {
			most = part;
			largest = (enum components_level)level;
		}
	}
	return side->nleaves && side->rows_part / n > most ? COMPONENTS_ROWS : largest;
}

/* How many of a level one of the level above has, on the mean. */
static double per_parent(const struct leaves *leaves, unsigned level)
{
	return (double)anova_groups(leaves->keys, leaves->n, NESTED, level + 1) /
	       anova_groups(leaves->keys, leaves->n, NESTED, level);
}

static void side_fill(const struct leaves *leaves, bool devices, struct components_side *side)
{
	double variances[NESTED];
	int innermost = -1;
	side->nleaves = leaves->n;
	anova_nested(leaves->y, leaves->keys, leaves->n, NESTED, variances);
	for (int level = 0; level < NESTED; level++) {
		side->per_job[level] = level ? per_parent(leaves, (unsigned)level) : 1;
		if (!isnan(variances[level]))
			innermost = level;
	}
	side->njobs = anova_groups(leaves->keys, leaves->n, NESTED, 1);
	if (innermost >= 0)
		variances[innermost] -= leaves->rows_part;
	for (int level = 0; level < NESTED; level++)
		side->sd[level] = sqrt(fmax(variances[level], 0));
	for (int level = 0; level < NESTED; level++)
		if (isnan(variances[level]))
			side->sd[level] = NAN;
	side->sd[COMPONENTS_ROWS] = sqrt(leaves->rows_variance);
	side->rows_part = leaves->rows_part;
	double connections = side->per_job[COMPONENTS_CONNECTIONS];
	double allocations = connections * side->per_job[COMPONENTS_ALLOCATIONS];
	side->job_s = (devices ? COST_DEVICE_START_S : COST_CORE_START_S) +
	              allocations * side->per_job[COMPONENTS_CYCLES] * side->leaf_s;
	if (devices)
		side->job_s += COST_CONNECT_S * (connections - 1) +
		               COST_ALLOCATE_S * (allocations - connections);
}

/* Time of all of a variant's timed cells, over its leaves in this regime. */
static double leaf_seconds(const struct summary *s, unsigned variant, unsigned nleaves)
{
	double seconds = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		int64_t last = 0;
		if (!index_counts(c) || s->index.variant_of[i] != variant)
			continue;
		for (unsigned r = 0; r < c->nranks; r++) {
			int64_t idle = c->samples[(size_t)(r + 1) * c->rows - 1].idle_ns;
			last = idle > last ? idle : last;
		}
		seconds += (double)last * 1e-9;
	}
	return seconds / nleaves;
}

static int side_make(const struct summary *s, const struct regime *r, unsigned variant,
                     struct components_side *side)
{
	struct leaf_cell *cells = malloc((s->run->ncells + 1) * sizeof *cells);
	struct leaves leaves = {0};
	unsigned n = 0;
	int rc = cells ? 0 : -1;
	for (unsigned i = 0; !rc && i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!regime_holds(s, r, c) || s->index.variant_of[i] != variant)
			continue;
		rc = take_cell(c, s->index.place_of[i], &cells[n]);
		n += isfinite(cells[n].log);
	}
	if (!rc && n) {
		qsort(cells, n, sizeof *cells, by_keys);
		rc = gather(cells, n, &leaves);
	}
	if (!rc && leaves.n) {
		side->leaf_s = leaf_seconds(s, variant, leaves.n);
		side_fill(&leaves, s->variants[variant].traits->gpus, side);
	}
	leaves_free(&leaves);
	free(cells);
	return rc;
}

/* What twice the time gives, against the reference. */
static void foresee(const struct summary *s, const struct components_regime *g, unsigned v)
{
	struct components_side *own = &g->sides[v];
	const struct components_side *reference = &g->sides[s->reference];
	const struct contrast *c = &g->regime->contrasts[v];
	bool twins = s->twin >= 0 && (int)v != s->twin;
	own->half = own->half_jobs = own->half_connections = own->half_calls = NAN;
	if (!own->nleaves || !reference->nleaves || c->why[0] || isnan(c->verdict.ratio.lo))
		return;
	double share = twins ? 0.5 : 1;
	double now = job_variance(own, 1, 1) + share * job_variance(reference, 1, 1);
	double leaves = own->per_job[COMPONENTS_CONNECTIONS] *
	                own->per_job[COMPONENTS_ALLOCATIONS] * own->per_job[COMPONENTS_CYCLES];
	double connection_s = leaves / own->per_job[COMPONENTS_CONNECTIONS] * own->leaf_s;
	if (s->variants[v].traits->gpus)
		connection_s += COST_CONNECT_S;
	double connections =
	    1 + own->job_s / (connection_s * own->per_job[COMPONENTS_CONNECTIONS]);
	double calls = 1 + own->job_s / (leaves * own->leaf_s);
	own->half = verdict_half_width(&c->verdict.ratio);
	if (!(now > 0) || isnan(own->sd[COMPONENTS_JOBS]))
		return;
	own->half_jobs = own->half / sqrt(2);
	own->half_calls =
	    own->half *
	    sqrt((job_variance(own, 1, calls) + share * job_variance(reference, 1, calls)) /
	         now);
	if (!isnan(own->sd[COMPONENTS_CONNECTIONS]))
		own->half_connections =
		    own->half * sqrt((job_variance(own, connections, 1) +
		                      share * job_variance(reference, connections, 1)) /
		                     now);
}

/* --- the whole --- */

int components_make(const struct summary *s, const struct regimes *regimes,
                    struct components *out, struct status *st)
{
	*out = (struct components){.n = 0};
	for (unsigned i = 0; regimes && i < regimes->n; i++) {
		struct components_regime *g = &out->list[out->n++];
		g->regime = &regimes->list[i];
		g->sides = calloc(s->nvariants, sizeof *g->sides);
		g->states = calloc(s->nvariants, sizeof *g->states);
		bool failed = !g->sides || !g->states;
		for (unsigned v = 0; !failed && v < s->nvariants; v++)
			if (s->variants[v].role != ROLE_LIMIT)
				failed = side_make(s, g->regime, v, &g->sides[v]) ||
				         states_make(s, g->regime, v, &g->states[v]);
		if (failed) {
			components_free(out);
			return status_set(st, "out of memory for the components");
		}
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->variants[v].role != ROLE_LIMIT)
				foresee(s, g, v);
	}
	return 0;
}

void components_free(struct components *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		free(c->list[i].sides);
		free(c->list[i].states);
	}
	*c = (struct components){.n = 0};
}

bool components_speak(const struct summary *s, const struct components_regime *g)
{
	bool open = !g->regime->tells && !s->oversubscribed, known = false;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct components_side *side = &g->sides[v];
		if (!side->nleaves)
			continue;
		open = open || side->nleaves > side->njobs || g->states[v].two ||
		       (!isnan(side->half) &&
		        g->regime->contrasts[v].verdict.kind == VERDICT_UNDECIDED);
		known = known || !isnan(side->half);
	}
	return open && known;
}

/* The variant with the widest interval that is not its twin. */
static int widest(const struct summary *s, const struct components_regime *g)
{
	int at = -1;
	for (unsigned v = 0; v < s->nvariants; v++)
		if ((int)v != s->twin && g->sides[v].nleaves && !isnan(g->sides[v].half_jobs) &&
		    (at < 0 || g->sides[v].half > g->sides[at].half))
			at = (int)v;
	return at;
}

void components_say(const struct summary *s, const struct components_regime *g, char *text,
                    size_t bytes)
{
	int v = widest(s, g);
	text[0] = '\0';
	if (v < 0)
		return;
	const struct components_side *side = &g->sides[v];
	enum components_level most = level_largest(side);
	const char *best = "blocks";
	double least = side->half_jobs;
	if (side->half_connections < least) {
		best = "connections";
		least = side->half_connections;
	}
	if (side->half_calls < least) {
		best = "calls";
		least = side->half_calls;
	}
	if (most < COMPONENTS_LEVELS)
		words_add(text, bytes, "Most of the scatter in the jobs of %s is between %s. ",
		          s->variants[v].name, level_names[most]);
	words_add(text, bytes,
	          "For twice the time, more %s narrow its interval most: from ±%s %% to "
	          "about ±%s %%.",
	          best, words_percent(side->half).text, words_percent(least).text);
	if (most == COMPONENTS_JOBS && isnan(side->half_connections) &&
	    s->variants[v].traits->connects)
		words_add(text, bytes,
		          " Whether new connections within a job would do, "
		          "connections = 4 tells.");
}
