/* The same ratio of several runs as one: on other machines, after another boot, of another pair of
 * GPUs. Pure.
 *
 * A run's interval spans its own blocks alone. What differs between runs is a separate scatter, so
 * that ten blocks on one machine are no more machines for being ten. Random effects: run i of k has
 * the log ratio y_i with the standard error s_i (half its interval ÷ Student's quantile), around
 * its own truth, and the truths scatter by τ around the one that is asked for.
 *
 *   τ²         that at which Σ w_i (y_i − μ)² = k − 1, or 0 if it is less at 0, where
 *              w_i = 1 ÷ (s_i² + τ²) and μ = Σ w_i y_i ÷ Σ w_i (Paule and Mandel, J. Res. NBS 87,
 *              1982)
 *   interval   μ ± t ÷ √Σ w_i, t Student's with k − 1 degrees of freedom: that of Hartung and Knapp
 *              (Statist. Med. 20, 2001), who multiply it by the root of Σ w_i (y_i − μ)² ÷ (k − 1).
 *              With this τ² that is 1, or less where τ is 0; less is not taken (Röver, Knapp and
 *              Friede, BMC Med. Res. Methodol. 15, 2015)
 *   next run   μ ± t √(τ² + 1 ÷ Σ w_i), t with k − 2 degrees of freedom (Higgins, Thompson and
 *              Spiegelhalter, J. R. Stat. Soc. A 172, 2009): one more run's truth, in about 95 %
 *
 * DerSimonian and Laird's interval (1986) takes τ as known, and with few runs is far too narrow:
 * SIMULATED.md has both beside each other. */
#pragma once

#include "stats.h"

#define POOLED_MOST 26 /* runs: letters name them */

struct pooled {
	unsigned runs;             /* that have an interval */
	double scatter;            /* τ between runs, relative: 0.01 is 1 %; NaN below 2 runs */
	struct stats_ratio ratio;  /* its blocks are those of all runs */
	struct stats_ratio bounds; /* each end by itself, as of contrasts */
	struct stats_ratio next;   /* below 3 runs without an interval */
	double log, error;         /* of ratio, and its standard error */
};

/* Of POOLED_MOST runs at most; those without an interval are omitted. */
struct pooled pooled_of(const struct stats_ratio *runs, unsigned n, double confidence);
/* The probabilities if the log ratio is `at`; NaN below 2 runs. */
struct stats_tails pooled_tails(const struct pooled *pooled, double at);
