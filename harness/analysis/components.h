/* Where the scatter of a regime comes from: variance components of the log time, level by
 * level. Pure.
 *
 * A job opens its backend, some jobs several times (connections), and each time allocates
 * buffers once or several times (allocations), or goes through its cells again (cycles). A leaf
 * is the innermost of these that the run has: all cells of the regime, measured once. Its
 * number is the mean over the cells of the log of the median over rows (stretches or calls).
 * Leaves that lack a cell are left out.
 *
 * The components come from the nested analysis of variance by the method of moments: sums of
 * squares set equal to their expectations, with the exact coefficients for unequal counts
 * (Searle, Casella and McCulloch 1992, §5.3). A negative one counts as 0. A level that no
 * parent has twice cannot be told from the level above it: NaN, and its part is in that one.
 * The scatter of rows within a cell is by its quartiles; of what a leaf scatters, π/2 × its
 * variance ÷ (rows × cells) is the rows' part (the variance of a median of normal noise), which
 * the innermost level is less of.
 *
 * What more of a level would give is foreseen from the components: a block's ratio has the
 * variance of both sides, of the reference half where its twin counts too; jobs of a block are
 * taken for independent. The half-width goes with the root. Times are the rough ones of cost.h,
 * and of the record's own calls. */
#ifndef LAUNCHGAP_COMPONENTS_H
#define LAUNCHGAP_COMPONENTS_H

#include "states.h"

enum components_level {
	COMPONENTS_JOBS,
	COMPONENTS_CONNECTIONS,
	COMPONENTS_ALLOCATIONS,
	COMPONENTS_CYCLES,
	COMPONENTS_ROWS,
	COMPONENTS_LEVELS
};

/* A variant in a regime. */
struct components_side {
	unsigned nleaves, njobs;
	/* Standard deviation of one of a level, in log time: 0.02 is 2 %. NaN: not to be told.
	 */
	double sd[COMPONENTS_LEVELS];
	double rows_part;                  /* variance of a leaf that its rows make */
	double per_job[COMPONENTS_LEVELS]; /* how many of a level one job has */
	double leaf_s, job_s;              /* roughly: time of a leaf, of a whole job */
	/* Half the width of its interval against the reference: as it is, and with twice the
	 * time spent on more jobs (blocks), on more connections, on more calls. NaN: no
	 * interval, or the level is not known. */
	double half, half_jobs, half_connections, half_calls;
};

struct components_regime {
	const struct regime *regime;
	/* Per variant of the summary; nleaves 0: nothing. */
	struct components_side *sides;
	struct states *states;
};

struct components {
	unsigned n;
	struct components_regime list[REGIME_MOST];
};

/* The caller frees with components_free; *out borrows from both. -1: out of memory. */
int components_make(const struct summary *summary, const struct regimes *regimes,
                    struct components *out, struct status *st);
void components_free(struct components *components);

const char *components_level_name(enum components_level level); /* "jobs" */
/* Whether the regime leaves something to ask for: a verdict is open, its A/A line is too wide,
 * or the run made connections or buffers anew. */
bool components_speak(const struct summary *summary, const struct components_regime *regime);
/* "Twice the time on connections would narrow …": what to add, a sentence, or "". */
void components_say(const struct summary *summary, const struct components_regime *regime,
                    char *text, size_t bytes);

#endif
