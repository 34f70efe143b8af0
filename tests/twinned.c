#include "twinned.h"

#include <math.h>
#include <stdio.h>

#include "../harness/analysis/stats.h"
#include "../harness/analysis/verdict.h"
#include "noise.h"
#include "scratch.h"

#define MARGIN 0.02

const struct twinned_noise twinned_noises[TWINNED_NOISES] = {
    {"normal", 0, 1},
    {"lognormal, σ 0.3", 0.3, 1},
    {"lognormal, σ 1", 1, 1},
    {"normal, the variant twice as noisy", 0, 2},
};

const double twinned_scatter[2] = {0.005, 0.07};

static double side(const struct twinned_noise *noise, uint64_t *seed)
{
	const double z = noise_normal(seed), quartile = 0.6744898;
	return noise->sigma > 0
	           ? (exp(noise->sigma * z) - 1) * quartile / sinh(quartile * noise->sigma)
	           : z;
}

/* to, again: a block's log speeds against either trial. */
static void judge(const struct twinned *of, const double *to, const double *again,
                  struct twinned_calls *calls)
{
	double mean[TWINNED_MOST], twins[TWINNED_MOST];
	for (unsigned b = 0; b < of->blocks; b++) {
		mean[b] = (to[b] + again[b]) / 2;
		twins[b] = to[b] - again[b];
	}
	const struct stats_walsh walsh =
	    of->way == TWINNED_EACH ? stats_walsh_of(scratch(), to, again, of->blocks)
	                            : stats_walsh_of(scratch(), mean, NULL, of->blocks);
	const struct stats_ratio ratio = stats_walsh_ratio(&walsh, VERDICT_CONFIDENCE),
	                         bounds = stats_walsh_ratio(&walsh, 2 * VERDICT_CONFIDENCE - 1),
	                         aa = stats_ratio_of_logs(scratch(), twins, of->blocks,
	                                                  VERDICT_CONFIDENCE);
	const struct verdict said = verdict_of(ratio, fmax(MARGIN, fmax(aa.hi, 1 / aa.lo) - 1));
	calls->differ += verdict_direction(&ratio) != 0;
	calls->slower += bounds.hi < 1;
	calls->faster += bounds.lo > 1;
	calls->said_slower += verdict_beyond(&said) < 0;
	calls->said_faster += verdict_beyond(&said) > 0;
	calls->line += log(aa.hi / aa.lo) / 2;
}

struct twinned_calls twinned_count(const struct twinned *of, unsigned runs)
{
	struct twinned_calls calls = {0};
	uint64_t seed = 9000 + of->blocks;
	for (unsigned k = 0; k < runs; k++) {
		double to[TWINNED_MOST], again[TWINNED_MOST];
		for (unsigned b = 0; b < of->blocks; b++) {
			const double one = log1p(of->effect) +
			                   of->scatter * of->noise->wide * side(of->noise, &seed);
			to[b] = of->scatter * side(of->noise, &seed) - one;
			again[b] = of->scatter * side(of->noise, &seed) - one;
		}
		const struct arena_mark mark = arena_mark(scratch());
		judge(of, to, again, &calls);
		arena_release(scratch(), mark);
	}
	calls.line = expm1(calls.line / runs);
	return calls;
}

static double per_cent(unsigned calls)
{
	return 100.0 * calls / TWINNED_RUNS;
}

void twinned_row(const struct twinned_noise *noise, unsigned blocks, char row[200],
                 struct twinned_calls calls[2])
{
	for (unsigned small = 0; small < 2; small++)
		calls[small] = twinned_count(
		    &(struct twinned){TWINNED_EACH, noise, blocks, twinned_scatter[small], 0},
		    TWINNED_RUNS);
	const struct twinned_calls *c = &calls[0];
	snprintf(row, 200, "| %s | %u | %.1f | %.1f | %.1f | %.2f | %.2f |", noise->name, blocks,
	         per_cent(c->differ), per_cent(c->slower), per_cent(c->faster),
	         per_cent(c->said_slower + c->said_faster),
	         per_cent(calls[1].said_slower + calls[1].said_faster));
}
