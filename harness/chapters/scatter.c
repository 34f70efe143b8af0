/* Where the scatter of a regime comes from: variance components of the log time, level by level.
 * For regimes with an open question: a verdict is open, the A/A line is too wide, or connections or
 * buffers were made again.
 *
 * A job opens its backend, some jobs several times (connections), and each time allocates buffers
 * once or several times (allocations), or goes through its cells again (cycles). A leaf is the
 * innermost of these that the run has: all cells of the regime, measured once. Its number is the
 * mean over the cells of the log of the median over rows (stretches or calls). Leaves that lack a
 * cell are omitted.
 *
 * The components come from the nested analysis of variance by the method of moments: sums of
 * squares set equal to their expectations, with the exact coefficients for unequal counts (Searle,
 * Casella and McCulloch 1992, §5.3). A negative one counts as 0. A level that no parent has twice
 * is indistinguishable from the level above it: NaN, and its part is in that one. The scatter of
 * rows within a cell is by its quartiles. The rows' part of a leaf's scatter is π/2 × its variance
 * ÷ (rows × cells), the variance of a median of normal noise. It is subtracted from the innermost
 * level.
 *
 * The components predict what more of a level would give. A block's ratio has the variance of both
 * sides; the reference's counts half if its twin counts too. Jobs of a block are assumed to be
 * independent. The half-width is proportional to the root. Times are the rough ones of cost.h, and
 * of the record's own calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/analysis.h"
#include "../analysis/anova.h"
#include "../story/format.h"
#include "../story/verdict_text.h"
#include "../config/cost.h"
#include "chapters.h"

enum level { JOBS, CONNECTIONS, ALLOCATIONS, CYCLES, CALLS, LEVELS };
#define LEVELS_NESTED CALLS /* above the calls */

static const char *const level_names[LEVELS] = {
    [JOBS] = "jobs",
    [CONNECTIONS] = "connections",
    [ALLOCATIONS] = "allocations",
    [CYCLES] = "cycles",
    [CALLS] = "calls",
};

enum { LEVELS_SAID = 1, BLOCKS = 2, MORE_CONNECTIONS = 4, MORE_CALLS = 8, UNTRIED = 16 };

/* A variant in a regime. */
struct side {
	const char *variant, *regime;
	unsigned nleaves, njobs;
	/* Standard deviation of one of a level, in log time: 0.02 is 2 %. NaN: not known. */
	double sd[LEVELS];
	double rows_part;       /* variance of a leaf that its rows make */
	double per_job[LEVELS]; /* how many of a level one job has */
	double leaf_s, job_s;   /* roughly: time of a leaf, of a whole job */
	/* Half the width of its interval compared with the reference: as it is, and with twice the
	 * time spent on more jobs (blocks), on more connections, on more calls. NaN: no interval,
	 * or the level is not known. */
	double half, half_jobs, half_connections, half_calls;
	const char *most;   /* the level with the largest part in a job's number */
	const char *levels; /* "2.1 % between jobs, 0.5 % between calls" */
	unsigned at, when;
};

// clang-format off
static const struct column columns[] = {
    COLUMN(struct side, variant, "variant", "", TEXT),
    COLUMN_AS(struct side, sd[JOBS], "jobs", "between jobs", "%", NUMBER, 0),
    COLUMN_AS(struct side, sd[CONNECTIONS], "connections", "connections", "%", NUMBER, 0),
    COLUMN_AS(struct side, sd[ALLOCATIONS], "allocations", "allocations", "%", NUMBER, 0),
    COLUMN_AS(struct side, sd[CYCLES], "cycles", "cycles", "%", NUMBER, 0),
    COLUMN_AS(struct side, sd[CALLS], "calls", "calls", "%", NUMBER, 0),
    COLUMN_AS(struct side, half, "half_width", "interval ±", "%", NUMBER, 0),
    COLUMN_AS(struct side, half_jobs, "half_width_blocks", "± with twice the blocks", "%", NUMBER, 0),
    COLUMN_AS(struct side, half_connections, "half_width_connections", "the connections", "%", NUMBER, 0),
    COLUMN_AS(struct side, half_calls, "half_width_calls", "the calls", "%", NUMBER, 0),
    COLUMN_AS(struct side, regime, "regime", "sizes", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct side, njobs, "njobs", "jobs that count", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct side, nleaves, "leaves", "times that all cells were measured again", "", COUNT, ONLY_FILES),
    COLUMN_AS(struct side, most, "most", "most of it is between", "", TEXT, ONLY_FILES),
    COLUMN_AS(struct side, levels, "levels", "level by level", "", TEXT, ONLY_FILES),
};

/* Of the reference, and of the widest interval that is not the twin's. */
static const struct sentence level_sentences[] = {
    {STORY_ANSWER, LEVELS_SAID, "The time of {variant} at {regime} sizes scatters by {levels} (standard deviations)."},
};
#define MOST "[Most of the scatter in the jobs of {variant} is between {most}. ]For twice the time, more "
static const struct sentence sentences[] = {
    {STORY_BODY | STORY_MORE, BLOCKS, MOST "blocks narrow its interval most: from ±{half_width} % to about ±{half_width_blocks} %."},
    {STORY_BODY | STORY_MORE, MORE_CONNECTIONS, MOST "connections narrow its interval most: from ±{half_width} % to about ±{half_width_connections} %."},
    {STORY_BODY | STORY_MORE, MORE_CALLS, MOST "calls narrow its interval most: from ±{half_width} % to about ±{half_width_calls} %."},
    {STORY_BODY | STORY_MORE, UNTRIED, "Set connections to see whether new connections within a job narrow it too."},
};
// clang-format on

/* --- leaves --- */

/* A cell of a leaf: its number, and the scatter of its rows. */
struct leaf_cell {
	unsigned keys[LEVELS_NESTED], place, rows;
	double log, rows_variance;
};

static int by_keys(const void *a, const void *b)
{
	const struct leaf_cell *x = a, *y = b;
	for (unsigned k = 0; k < LEVELS_NESTED; k++)
		if (x->keys[k] != y->keys[k])
			return x->keys[k] < y->keys[k] ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* For the cell's rows; logs: room for them. A cell that took no time has no log. */
static struct leaf_cell cell_of(const struct record_cell *c, unsigned place, double *logs)
{
	const struct timing_view view = {c->nranks, c->rows, c->calls, c->samples};
	for (unsigned i = 0; i < c->rows; i++)
		logs[i] = log(timing_row_ns(&view, i));
	const double sd =
	    (stats_quantile(logs, c->rows, 0.75) - stats_quantile(logs, c->rows, 0.25)) / 1.349;
	return (struct leaf_cell){
	    .keys = {c->block, c->cell.connection, c->cell.allocation, c->cell.cycle},
	    .place = place,
	    .rows = c->rows,
	    .log = stats_median(logs, c->rows),
	    .rows_variance = sd * sd};
}

struct leaves {
	unsigned n, ncells; /* cells: of a whole leaf */
	double *y;
	unsigned *keys;
	double rows_variance, rows_part; /* of a row; of a leaf's number by its rows */
};

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

/* Room that every variant reuses. */
struct scratch {
	struct leaf_cell *cells;
	double *logs; /* of one cell's rows */
};

static struct scratch scratch_new(const struct record_run *run, struct arena *arena)
{
	unsigned rows = 0;
	for (unsigned i = 0; i < run->ncells; i++)
		rows = run->cells[i].rows > rows ? run->cells[i].rows : rows;
	return (struct scratch){ARENA_ARRAY(arena, struct leaf_cell, run->ncells + 1),
	                        ARENA_ARRAY(arena, double, rows + 1)};
}

/* Sorted cells → leaves. */
static void gather(const struct leaf_cell *cells, unsigned n, struct arena *arena,
                   struct leaves *out)
{
	*out = (struct leaves){.ncells = whole_leaf(cells, n),
	                       .y = ARENA_ARRAY(arena, double, n + 1),
	                       .keys = ARENA_ARRAY(arena, unsigned, (n + 1) * LEVELS_NESTED)};
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
			memcpy(&out->keys[(size_t)out->n * LEVELS_NESTED], cells[i].keys,
			       sizeof cells->keys);
			out->y[out->n++] = sum / out->ncells;
			out->rows_variance += variance / out->ncells;
			out->rows_part += part / out->ncells / out->ncells;
		}
		i = end;
	}
	out->rows_variance /= out->n ? out->n : 1;
	out->rows_part /= out->n ? out->n : 1;
}

/* --- a variant --- */

static double squared(double sd)
{
	return isnan(sd) ? 0 : sd * sd;
}

/* The variance of a job's number, with `times` as many connections and calls. */
static double job_variance(const struct side *side, double connections, double calls)
{
	const double *n = side->per_job;
	double within = n[CONNECTIONS] * connections;
	double leaves = within * n[ALLOCATIONS] * n[CYCLES];
	return squared(side->sd[JOBS]) + squared(side->sd[CONNECTIONS]) / within +
	       squared(side->sd[ALLOCATIONS]) / (within * n[ALLOCATIONS]) +
	       squared(side->sd[CYCLES]) / leaves + side->rows_part / (leaves * calls);
}

/* The level with the largest part in a job's number, or LEVELS if nothing is known. */
static enum level level_largest(const struct side *side)
{
	enum level largest = LEVELS;
	double n = 1, most = 0;
	for (int level = 0; level < LEVELS_NESTED && side->nleaves; level++) {
		n *= side->per_job[level];
		double part = squared(side->sd[level]) / n;
		if (part > most) {
			most = part;
			largest = (enum level)level;
		}
	}
	return side->nleaves && side->rows_part / n > most ? CALLS : largest;
}

/* How many of a level one of the level above has, on average. */
static double per_parent(const struct leaves *leaves, unsigned level)
{
	return (double)anova_groups(leaves->keys, leaves->n, LEVELS_NESTED, level + 1) /
	       anova_groups(leaves->keys, leaves->n, LEVELS_NESTED, level);
}

static void side_fill(const struct leaves *leaves, bool devices, struct side *side)
{
	double variances[LEVELS_NESTED];
	int innermost = -1;
	side->nleaves = leaves->n;
	anova_nested(leaves->y, leaves->keys, leaves->n, LEVELS_NESTED, variances);
	for (int level = 0; level < LEVELS_NESTED; level++) {
		side->per_job[level] = level ? per_parent(leaves, (unsigned)level) : 1;
		if (!isnan(variances[level]))
			innermost = level;
	}
	side->njobs = anova_groups(leaves->keys, leaves->n, LEVELS_NESTED, 1);
	if (innermost >= 0)
		variances[innermost] -= leaves->rows_part;
	for (int level = 0; level < LEVELS_NESTED; level++)
		side->sd[level] = sqrt(fmax(variances[level], 0));
	for (int level = 0; level < LEVELS_NESTED; level++)
		if (isnan(variances[level]))
			side->sd[level] = NAN;
	side->sd[CALLS] = sqrt(leaves->rows_variance);
	side->rows_part = leaves->rows_part;
	double connections = side->per_job[CONNECTIONS];
	double allocations = connections * side->per_job[ALLOCATIONS];
	side->job_s = (devices ? COST_DEVICE_START_S : COST_CORE_START_S) +
	              allocations * side->per_job[CYCLES] * side->leaf_s;
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

static struct side side_make(const struct summary *s, const struct regime *r, unsigned variant,
                             const struct scratch *scratch, struct arena *arena)
{
	struct leaf_cell *cells = scratch->cells;
	struct side side = {.nleaves = 0};
	struct leaves leaves;
	unsigned n = 0;
	for (unsigned i = 0; i < s->run->ncells; i++) {
		const struct record_cell *c = &s->run->cells[i];
		if (!regime_holds(s, r, c) || s->index.variant_of[i] != variant)
			continue;
		cells[n] = cell_of(c, s->index.place_of[i], scratch->logs);
		n += isfinite(cells[n].log);
	}
	qsort(cells, n, sizeof *cells, by_keys);
	gather(cells, n, arena, &leaves);
	if (leaves.n) {
		side.leaf_s = leaf_seconds(s, variant, leaves.n);
		side_fill(&leaves, s->variants[variant].traits->gpus, &side);
	}
	return side;
}

/* What twice the time gives, compared with the reference. */
static void foresee(const struct summary *s, const struct regime *g, struct side *sides, unsigned v)
{
	struct side *own = &sides[v];
	const struct side *reference = &sides[s->reference];
	const struct contrast *c = &g->contrasts[v];
	bool twins = s->twin >= 0 && (int)v != s->twin;
	own->half = own->half_jobs = own->half_connections = own->half_calls = NAN;
	if (!own->nleaves || !reference->nleaves || c->why.kind || isnan(c->verdict.ratio.lo))
		return;
	double share = twins ? 0.5 : 1;
	double now = job_variance(own, 1, 1) + share * job_variance(reference, 1, 1);
	double leaves =
	    own->per_job[CONNECTIONS] * own->per_job[ALLOCATIONS] * own->per_job[CYCLES];
	double connection_s = leaves / own->per_job[CONNECTIONS] * own->leaf_s;
	if (s->variants[v].traits->gpus)
		connection_s += COST_CONNECT_S;
	double connections = 1 + own->job_s / (connection_s * own->per_job[CONNECTIONS]);
	double calls = 1 + own->job_s / (leaves * own->leaf_s);
	own->half = verdict_half_width(&c->verdict.ratio);
	if (!(now > 0) || isnan(own->sd[JOBS]))
		return;
	own->half_jobs = own->half / sqrt(2);
	own->half_calls =
	    own->half *
	    sqrt((job_variance(own, 1, calls) + share * job_variance(reference, 1, calls)) / now);
	if (!isnan(own->sd[CONNECTIONS]))
		own->half_connections =
		    own->half * sqrt((job_variance(own, connections, 1) +
		                      share * job_variance(reference, connections, 1)) /
		                     now);
}

/* --- in words --- */

/* Whether the run makes connections and buffers again within its jobs: then it asks for the
 * levels. */
static bool is_nested(const struct summary *s)
{
	const json_t *env = s->run->environment;
	return json_integer_value(json_object_get(env, "connections")) > 1 &&
	       json_integer_value(json_object_get(env, "allocations")) > 1;
}

static bool speaks(const struct summary *s, const struct regime *g, const struct side *sides)
{
	bool open = !g->tells && !s->oversubscribed, known = false;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const struct side *side = &sides[v];
		if (!side->nleaves)
			continue;
		open = open || side->nleaves > side->njobs ||
		       (!isnan(side->half) && g->contrasts[v].verdict.kind == VERDICT_UNDECIDED);
		known = known || !isnan(side->half);
	}
	return open && known;
}

static const char *levels_of(struct arena *arena, const struct side *row)
{
	const char *text = "";
	for (int level = 0; level < LEVELS; level++)
		if (!isnan(row->sd[level]))
			text = arena_text(arena, "%s%s%s %% between %s", text, *text ? ", " : "",
			                  format_number(row->sd[level]).text, level_names[level]);
	return text;
}

/* What to add, for the widest interval that is not the twin's. */
static void mark_widest(const struct summary *s, struct side *rows, unsigned n)
{
	struct side *widest = NULL;
	for (unsigned i = 0; i < n; i++)
		if ((int)rows[i].at != s->twin && !isnan(rows[i].half_jobs) &&
		    (!widest || rows[i].half > widest->half))
			widest = &rows[i];
	if (!widest)
		return;
	const double least =
	    fmin(widest->half_jobs, fmin(widest->half_connections, widest->half_calls));
	widest->when |= widest->half_jobs <= least          ? BLOCKS
	                : widest->half_connections <= least ? MORE_CONNECTIONS
	                                                    : MORE_CALLS;
	if (widest->most == level_names[JOBS] && isnan(widest->half_connections) &&
	    s->variants[widest->at].traits->connects)
		widest->when |= UNTRIED;
}

/* With all shares in per cent. */
static struct side row_of(const struct summary *s, const struct regime *g, const struct side *side,
                          unsigned v, struct arena *arena)
{
	const enum level most = level_largest(side);
	struct side row = *side;
	double *const shares[] = {&row.half, &row.half_jobs, &row.half_connections,
	                          &row.half_calls};
	row.variant = s->variants[v].name;
	row.regime = g->label;
	row.most = most < LEVELS ? level_names[most] : NULL;
	row.at = v;
	for (int level = 0; level < LEVELS; level++)
		row.sd[level] *= 100;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
		*shares[i] *= 100;
	row.levels = levels_of(arena, &row);
	return row;
}

static void tell_regime(const struct summary *s, const struct regime *g, const struct side *sides,
                        bool answers, struct story *story)
{
	struct story_form *form = ARENA_NEW(story->arena, struct story_form);
	struct side *rows = ARENA_ARRAY(story->arena, struct side, s->nvariants), *reference = NULL;
	unsigned n = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (!sides[v].nleaves)
			continue;
		reference = (int)v == s->reference ? &rows[n] : reference;
		rows[n++] = row_of(s, g, &sides[v], v, story->arena);
	}
	mark_widest(s, rows, n);
	*form = (struct story_form)STORY_FORM(
	    struct side, columns, .name = arena_text(story->arena, "scatter_%s", g->name),
	    .title = arena_text(story->arena, "%s: %s", g->label, regime_about(g).text),
	    .when = offsetof(struct side, when));
	const struct story_table *t = story_rows(story, form, rows, n);
	story_part(story, arena_text(story->arena, "Scatter: %s", form->title));
	if (is_nested(s) && answers && reference) {
		story_lead(story, t, "variant jobs connections allocations cycles calls");
		story_leads_unasked(story);
		reference->when |= *reference->levels ? LEVELS_SAID : 0;
		STORY_TELL(story, t, level_sentences);
	}
	STORY_TELL(story, t, sentences);
	story_show(story, t);
}

static void tell(const struct analysis *a, struct story *story)
{
	const struct summary *s = a->s;
	const struct scratch scratch = scratch_new(s->run, story->arena);
	bool told = false;
	for (unsigned i = a->regimes.n; i-- > 0;) {
		const struct regime *g = &a->regimes.list[i];
		struct side *sides = ARENA_ARRAY(story->arena, struct side, s->nvariants);
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->variants[v].role != ROLE_LIMIT)
				sides[v] = side_make(s, g, v, &scratch, story->arena);
		for (unsigned v = 0; v < s->nvariants; v++)
			if (s->variants[v].role != ROLE_LIMIT)
				foresee(s, g, sides, v);
		if (!speaks(s, g, sides))
			continue;
		tell_regime(s, g, sides, i == 0, story);
		told = true;
	}
	if (told)
		story_note(
		    story, STORY_BODY,
		    "Between jobs: by how much jobs of one variant differ, as the standard "
		    "deviation of the log of their time; then connections within a job, and so "
		    "on down to calls (or stretches of them) within a cell. Interval ±: half "
		    "of "
		    "the interval against the reference, then about what twice the time would "
		    "make of it, spent on blocks, on connections within each job, or on "
		    "calls.");
}

const struct chapter chapter_scatter = {"scatter", "Where the scatter comes from", CHAPTER_BODY,
                                        tell};
