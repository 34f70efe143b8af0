/* A small part of the tables of SIMULATED.md and verdict.h: how often whole reports err, and the
 * cost of looking again. Seeds are fixed; bounds are binomial, three standard deviations from the
 * values there. */

#include "../harness/analysis/looks.h"
#include "../harness/analysis/stats.h"
#include "../harness/analysis/verdict.h"
#include "chain.h"
#include "cli.h"
#include "scratch.h"
#include "test.h"
#include "twinned.h"

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

static struct twinned_calls twinned(enum twinned_way way, unsigned noise, unsigned blocks,
                                    double effect)
{
	const struct twinned of = {way, &twinned_noises[noise], blocks, 1, effect};
	return twinned_count(&of, 1000);
}

/* Equal variants are called different in 5.5 % at most, on both sides and on one, whatever the
 * noise; to the mean of the reference's trials they are not. What is there is found as often. */
TEST(equal_variants_differ_as_seldom_as_they_say)
{
	static const unsigned blocks[] = {6, 10, 20, 40};
	const double bound = most(1000, 0.055);
	for (unsigned b = 0; b < LENGTH(blocks); b++) {
		for (unsigned i = 0; i < TWINNED_NOISES; i++) {
			const struct twinned_calls c = twinned(TWINNED_EACH, i, blocks[b], 0);
			assert_true(c.differ <= bound);
			assert_true(c.slower <= bound && c.faster <= bound);
		}
		assert_true(twinned(TWINNED_EACH, 0, blocks[b], M_E - 1).differ >=
		            0.97 * twinned(TWINNED_MEAN, 0, blocks[b], M_E - 1).differ);
	}
	assert_true(twinned(TWINNED_MEAN, 2, 40, 0).faster > bound);
}

/* The page's tables are of today's program: a row and a cell are made again. */
TEST(simulated_tables_are_made_again)
{
	struct twinned_calls calls[2];
	char row[200];
	const char *page = cli_read("harness/analysis/SIMULATED.md");
	twinned_row(&twinned_noises[2], 10, row, calls);
	assert_says(page, row);
	const enum chain_noise noise = (enum chain_noise)NOISE_LOPSIDED;
	const struct chain first = {.noise = noise, .blocks = 6, .seed = CHAIN_SEED(noise)};
	const struct chain_sums sums = chain_sum(first, CHAIN_RUNS);
	const char *cell = strstr(page, "\n| 6 blocks | 0 % |");
	double wrong = -1, wrong_runs = -1;
	for (unsigned i = 0; cell && i < 3 + (unsigned)noise; i++)
		cell = strchr(cell + 1, '|');
	assert_true(cell && sscanf(cell, "| %lf / %lf", &wrong, &wrong_runs) == 2);
	assert_near(wrong, 100.0 * sums.wrong / sums.verdicts, 0.06);
	assert_near(wrong_runs, 100.0 * sums.wrong_runs / sums.runs, 0.6);
}
