/* A small part of the tables of SIMULATED.md and verdict.h: how often whole reports err, and the
 * cost of looking again. Seeds are fixed; bounds are binomial, three standard deviations from the
 * values there. */

#include "../harness/analysis/looks.h"
#include "../harness/analysis/stats.h"
#include "../harness/analysis/verdict.h"
#include "chain.h"
#include "scratch.h"
#include "test.h"

/* --- a reader who looks, measures as many blocks as the verdict asks for, and looks again --- */

#define FOLLOWING_MOST    60 /* blocks at which it ends, undecided or not */
#define FOLLOWING_SCATTER 0.02

enum following_goal {
	FOLLOWING_EFFECT,  /* two equal things, until the interval excludes 1 */
	FOLLOWING_VERDICT, /* a true difference of the margin, until there is a verdict */
};

/* Whether it ends with a wrong word: that an effect exists; that the difference is beyond the
 * margin, or within. `corrected`: intervals account for the looks. */
static bool following_errs(enum noise noise, enum following_goal goal, unsigned from,
                           bool corrected, uint64_t *seed)
{
	const double margin = goal == FOLLOWING_EFFECT ? 0 : 0.02;
	double logs[FOLLOWING_MOST];
	unsigned blocks[FOLLOWING_MOST];
	struct looks looks = {.nplans = 0};
	for (unsigned i = 0; i < FOLLOWING_MOST; i++) {
		blocks[i] = i;
		logs[i] = log1p(margin) + FOLLOWING_SCATTER * noise_log_ratio(noise, seed);
	}
	for (unsigned n = from;;) {
		double confidence =
		    corrected ? looks_confidence(&looks, blocks, n) : VERDICT_CONFIDENCE;
		struct verdict v =
		    verdict_of(stats_ratio_of_logs(scratch(), logs, n, confidence), margin);
		bool excludes = v.ratio.lo > 1 || v.ratio.hi < 1;
		if (goal == FOLLOWING_EFFECT ? excludes : verdict_decided(&v))
			return true;
		if (n == FOLLOWING_MOST || looks.nplans == LOOKS_MOST)
			return false;
		looks.at[looks.nplans++] = n;
		unsigned more = v.more_blocks ? v.more_blocks : 1;
		n = more < FOLLOWING_MOST - n ? n + more : FOLLOWING_MOST;
	}
}

/* --- comparisons with a reference that has two trials in a block, and ways to use the two --- */

#define TWINNED_MOST 40 /* blocks */

/* EACH is the method's (stats_walsh). */
enum twinned_way { TWINNED_MEAN, TWINNED_EACH };

/* A side's log time: lognormal with this sigma, and the interquartile range of a normal one; 0:
 * normal. `wide`: the variant's scatter, in the reference's. */
struct twinned_noise {
	const char *name;
	double sigma, wide;
};

#define TWINNED_NOISES 4

static const struct twinned_noise twinned_noises[TWINNED_NOISES] = {
    {"normal", 0, 1},
    {"lognormal, σ 0.3", 0.3, 1},
    {"lognormal, σ 1", 1, 1},
    {"normal, the variant twice as noisy", 0, 2},
};

/* `differ`: the interval of 95 % excludes 1; less, more: one of 90 % does, to that side. */
struct twinned_calls {
	unsigned differ, less, more;
};

static double twinned_side(const struct twinned_noise *noise, uint64_t *seed)
{
	const double z = noise_normal(seed), quartile = 0.6744898;
	return noise->sigma > 0
	           ? (exp(noise->sigma * z) - 1) * quartile / sinh(quartile * noise->sigma)
	           : z;
}

static struct stats_walsh twinned_walsh(enum twinned_way way, const double *to, const double *again,
                                        unsigned n)
{
	double mean[TWINNED_MOST];
	for (unsigned b = 0; b < n; b++)
		mean[b] = (to[b] + again[b]) / 2;
	return stats_walsh_of(scratch(), way == TWINNED_MEAN ? mean : to,
	                      way == TWINNED_EACH ? again : NULL, n);
}

/* Of so many runs; a side scatters by `scatter`, and the variant's logs are larger by `effect`. All
 * ways see the same runs. */
static struct twinned_calls twinned_count(enum twinned_way way, const struct twinned_noise *noise,
                                          unsigned blocks, double scatter, double effect,
                                          unsigned runs)
{
	struct twinned_calls calls = {0, 0, 0};
	uint64_t seed = 9000 + blocks;
	for (unsigned k = 0; k < runs; k++) {
		double to[TWINNED_MOST], again[TWINNED_MOST];
		for (unsigned b = 0; b < blocks; b++) {
			const double one =
			    effect + scatter * noise->wide * twinned_side(noise, &seed);
			to[b] = one - scatter * twinned_side(noise, &seed);
			again[b] = one - scatter * twinned_side(noise, &seed);
		}
		const struct arena_mark mark = arena_mark(scratch());
		const struct stats_walsh of = twinned_walsh(way, to, again, blocks);
		const struct stats_ratio r = stats_walsh_ratio(&of, 0.95),
		                         bounds = stats_walsh_ratio(&of, 0.9);
		arena_release(scratch(), mark);
		calls.differ += r.lo > 1 || r.hi < 1;
		calls.less += bounds.hi < 1;
		calls.more += bounds.lo > 1;
	}
	return calls;
}

static struct chain_sums sum(enum chain_way way, unsigned blocks, double effect,
                             enum chain_noise noise, unsigned runs)
{
	const struct chain first = {
	    .noise = noise, .way = way, .blocks = blocks, .effect = effect, .seed = 7000};
	return chain_sum(first, runs);
}

/* The most of n that come by chance where each comes with p. */
static double most(unsigned n, double p)
{
	return n * p + 3 * sqrt(n * p * (1 - p));
}

/* In each kind of noise, and closer in all together. An effect that does not exist is seldom
 * found. */
TEST(few_words_are_wrong_where_nothing_differs)
{
	const unsigned runs = 7, all = CHAIN_NOISES * runs;
	unsigned verdicts = 0, wrong = 0, wrong_runs = 0, found = 0;
	for (int noise = 0; noise < CHAIN_NOISES; noise++) {
		struct chain_sums s = sum(CHAIN_FIXED, 10, 0, (enum chain_noise)noise, runs);
		assert_true(s.wrong <= most(s.verdicts, 0.05));
		assert_true(s.wrong_runs <= most(runs, 0.15));
		verdicts += s.verdicts;
		wrong += s.wrong;
		wrong_runs += s.wrong_runs;
		found += s.found;
	}
	assert_true(wrong <= most(verdicts, 0.05));
	assert_true(wrong_runs <= most(all, 0.15));
	assert_true(found <= most(all, 0.025));
}

TEST(ten_per_cent_are_found_and_never_turned_round)
{
	struct chain_sums s = sum(CHAIN_FIXED, 10, 0.1, (enum chain_noise)NOISE_NORMAL, 16);
	assert_int_equal(s.found, 16);
	assert_true(s.wrong <= most(s.verdicts, 0.02));
	assert_true(s.decided > s.verdicts / 2);
}

/* A run that goes on as its report invites to has looks, and errs no more for it. */
TEST(an_invitation_can_be_followed)
{
	struct chain_sums s = sum(CHAIN_INVITED, 10, 0.02, (enum chain_noise)NOISE_NORMAL, 6);
	assert_true(s.looks > 6);
	assert_true(s.wrong <= most(s.verdicts, 0.05));
}

/* Without the correction one in eight errs, where one in twenty is promised. */
TEST(looking_again_is_paid_for)
{
	const unsigned runs = 600;
	for (enum following_goal goal = FOLLOWING_EFFECT; goal <= FOLLOWING_VERDICT; goal++) {
		unsigned wrong[2] = {0};
		for (unsigned corrected = 0; corrected < 2; corrected++) {
			uint64_t seed = 42;
			for (unsigned k = 0; k < runs; k++)
				wrong[corrected] +=
				    following_errs(NOISE_NORMAL, goal, 10, corrected, &seed);
		}
		assert_true(wrong[1] <= most(runs, 0.065));
		assert_true(wrong[0] > most(runs, 0.065));
	}
}

/* Equal variants are called different in 5.5 % at most, on both sides and on one, whatever the
 * noise; to the mean of the reference's trials they are not. What is there is found as often. */
TEST(equal_variants_differ_as_seldom_as_they_say)
{
	static const unsigned blocks[] = {6, 10, 20, 40};
	const unsigned runs = 1000;
	for (unsigned b = 0; b < LENGTH(blocks); b++) {
		struct twinned_calls c;
		for (unsigned i = 0; i < TWINNED_NOISES; i++) {
			c = twinned_count(TWINNED_EACH, &twinned_noises[i], blocks[b], 1, 0, runs);
			assert_true(c.differ <= most(runs, 0.055));
			assert_true(c.less <= most(runs, 0.055) && c.more <= most(runs, 0.055));
		}
		const unsigned found[] = {
		    twinned_count(TWINNED_MEAN, twinned_noises, blocks[b], 1, 1, runs).differ,
		    twinned_count(TWINNED_EACH, twinned_noises, blocks[b], 1, 1, runs).differ};
		assert_true(found[1] >= 0.97 * found[0]);
	}
	assert_true(twinned_count(TWINNED_MEAN, &twinned_noises[2], 40, 1, 0, runs).less >
	            most(runs, 0.055));
}
