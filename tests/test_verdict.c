/* Verdicts: the words, the arithmetic behind "N more blocks", and how often the method errs. */
#include "../harness/analysis/looks.h"
#include "../harness/data/verdict_text.h"
#include "noise.h"
#include "test.h"
#include "scratch.h"

/* Of the log ratios, one a block. */
static struct verdict judged(const double *logs, unsigned n, double margin)
{
	return verdict_of(stats_ratio_of_logs(scratch(), logs, n, VERDICT_CONFIDENCE), margin);
}

static struct verdict between(double lo, double hi, unsigned blocks, double margin)
{
	struct stats_ratio r = {
	    .estimate = sqrt(lo * hi), .lo = lo, .hi = hi, .blocks = blocks, .confidence = 0.95};
	return verdict_of(r, margin);
}

static void expect(struct verdict v, enum verdict_kind kind, const char *words)
{
	char text[VERDICT_TEXT_BYTES];
	verdict_text(&v, text, sizeof text);
	assert_string_equal(text, words);
	assert_int_equal(v.kind, kind);
	assert_true((v.more_blocks > 0) == (kind == VERDICT_UNDECIDED));
}

TEST(the_interval_decides)
{
	expect(between(1.03, 1.05, 10, 0.02), VERDICT_FASTER, "faster");
	expect(between(0.95, 0.97, 10, 0.02), VERDICT_SLOWER, "slower");
	expect(between(0.99, 1.01, 10, 0.02), VERDICT_NO_DIFFERENCE, "no difference within 2 %");
	/* A difference that is certain but small has its own word. */
	expect(between(1.005, 1.01, 10, 0.015), VERDICT_LITTLE_FASTER, "faster, by under 1.5 %");
	expect(between(0.99, 0.995, 10, 0.02), VERDICT_LITTLE_SLOWER, "slower, by under 2 %");
	expect(between(1, 1.01, 10, 0.02), VERDICT_NO_DIFFERENCE, "no difference within 2 %");
	/* By hand: it has to shrink to 0.71 of its width, and to 0.557 as it is 2.498 / 1.96
	 * times as wide at the next look; (1 + 1.21 / 27) / sqrt(28) is the first that is below
	 * 0.557 of (1 + 1.21 / 9) / sqrt(10). The least effect by hand: 1.02 * (1.05
	 * / 1.015)^(2.8 / 1.96 / 2) - 1. */
	expect(between(1.015, 1.05, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided, probably faster: differences under 4.5 % cannot be seen; needs about 18 "
	       "more blocks");
	expect(between(1 / 1.05, 1 / 1.015, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided, probably slower: differences under 4.5 % cannot be seen; needs about 18 "
	       "more blocks");
	expect(between(1 / 1.0199, 1.0199, 10, 0.02), VERDICT_NO_DIFFERENCE,
	       "no difference within 2 %");
	expect(between(1 / 1.0201, 1.0201, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided: differences under 4.9 % cannot be seen; needs about 6 more blocks");
	expect(between(1.021, 1.03, 10, 0), VERDICT_FASTER, "faster");
	expect(between(0.5, 2, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided: differences under a factor of 2.7 cannot be seen; needs more than "
	       "1000 more blocks: a quieter machine");
}

/* The questions that are asked of a verdict, in place of its kind. */
TEST(each_kind_answers)
{
	static const struct {
		double lo, hi;
		int beyond, direction;
		bool within, decided;
		const char *word;
	} of[] = {{1.03, 1.05, 1, 1, false, true, "faster"},
	          {0.95, 0.97, -1, -1, false, true, "slower"},
	          {1.001, 1.01, 0, 1, true, true, "faster by little"},
	          {0.99, 0.999, 0, -1, true, true, "slower by little"},
	          {0.99, 1.01, 0, 0, true, true, "no difference"},
	          {0.99, 1.03, 0, 0, false, false, "undecided"},
	          {1.01, 1.03, 0, 1, false, false, "undecided"},
	          {NAN, NAN, 0, 0, false, false, "undecided"}};
	for (size_t i = 0; i < LENGTH(of); i++) {
		struct verdict v = between(of[i].lo, of[i].hi, 10, 0.02);
		assert_int_equal(verdict_beyond(&v), of[i].beyond);
		assert_int_equal(verdict_effect(&v), of[i].beyond != 0);
		assert_int_equal(verdict_direction(&v.ratio), of[i].direction);
		assert_int_equal(verdict_within(&v), of[i].within);
		assert_int_equal(verdict_decided(&v), of[i].decided);
		assert_string_equal(verdict_word(v.kind), of[i].word);
		assert_int_equal(isnan(v.detectable), isnan(of[i].lo));
	}
}

/* For each word the one that swapping left and right makes of it. */
static void swapped(const char *text, char *out, size_t bytes)
{
	static const char *const pairs[][2] = {{"faster", "slower"}, {"slower", "faster"}};
	snprintf(out, bytes, "%s", text);
	for (size_t i = 0; i < LENGTH(pairs); i++) {
		const char *at = strstr(text, pairs[i][0]);
		if (at)
			memcpy(out + (at - text), pairs[i][1], strlen(pairs[i][1]));
	}
}

/* Random runs of each kind of verdict: the words are swapped, and nothing else changes. */
TEST(turning_round_turns_the_verdict_round)
{
	unsigned seen[VERDICT_KINDS] = {0};
	uint64_t seed = 46;
	for (unsigned run = 0; run < 4000; run++) {
		char text[2][VERDICT_TEXT_BYTES], turned[VERDICT_TEXT_BYTES];
		double logs[2][20], off = 0.03 * noise_normal(&seed);
		unsigned n = 5 + run % 16;
		for (unsigned i = 0; i < n; i++) {
			logs[0][i] = off + 0.008 * noise_normal(&seed);
			logs[1][i] = -logs[0][i];
		}
		struct verdict a = judged(logs[0], n, 0.02);
		struct verdict b = judged(logs[1], n, 0.02);
		verdict_text(&a, text[0], sizeof text[0]);
		verdict_text(&b, text[1], sizeof text[1]);
		swapped(text[0], turned, sizeof turned);
		assert_string_equal(text[1], turned);
		assert_int_equal(a.more_blocks, b.more_blocks);
		assert_true(isnan(a.detectable) == isnan(b.detectable));
		assert_false(fabs(a.detectable - b.detectable) > 1e-9);
		assert_int_equal(verdict_beyond(&a), -verdict_beyond(&b));
		assert_int_equal(verdict_within(&a), verdict_within(&b));
		seen[a.kind]++;
	}
	for (int kind = 0; kind < VERDICT_KINDS; kind++)
		assert_true(seen[kind] > 20);
}

/* An effect as large as the least that could have been seen is called in four of five runs;
 * binomial, within five standard deviations (0.05) and 0.02 for the formula. */
TEST(the_least_effect_is_seen_in_four_of_five_runs)
{
	static const unsigned blocks[] = {6, 10, 20};
	const unsigned runs = 1500;
	uint64_t seed = 47;
	for (size_t b = 0; b < LENGTH(blocks); b++) {
		double least = 0, logs[20];
		unsigned called = 0;
		for (unsigned k = 0; k < 2 * runs; k++) {
			for (unsigned i = 0; i < blocks[b]; i++)
				logs[i] = (k < runs ? 0 : least / runs) +
				          0.01 * noise_log_ratio(NOISE_NORMAL, &seed);
			struct verdict v = judged(logs, blocks[b], 0.02);
			least += k < runs ? log1p(v.detectable) : 0;
			called += k >= runs && verdict_beyond(&v) > 0;
		}
		if (fabs((double)called / runs - 0.8) > 0.05 + 0.02)
			fail_msg("%u blocks: called in %u of %u", blocks[b], called, runs);
	}
}

TEST(few_blocks_wait_for_an_interval)
{
	static const double logs[] = {0.1, 0.11, 0.12, 0.13, 0.14, 0.15};
	expect(judged(NULL, 0, 0.02), VERDICT_UNDECIDED, "undecided: needs about 6 more blocks");
	expect(judged(logs, 1, 0.02), VERDICT_UNDECIDED, "undecided: needs about 5 more blocks");
	expect(judged(logs, 5, 0.02), VERDICT_UNDECIDED, "undecided: needs about 1 more block");
	expect(judged(logs, 6, 0.02), VERDICT_FASTER, "faster");
	/* At 6 the interval is from the least to the largest. */
	expect(judged(logs, 6, expm1(0.0999)), VERDICT_FASTER, "faster");
	assert_int_equal(judged(logs, 6, expm1(0.1001)).kind, VERDICT_UNDECIDED);
}

TEST(more_blocks_stay_within_bounds)
{
	/* The estimate on the margin's end: no number of blocks decides. */
	expect(between(1.01 * 1.01, 1.03 * 1.01, 10, 0.03), VERDICT_UNDECIDED,
	       "undecided, probably faster: differences under 4.5 % cannot be seen; needs more "
	       "than 1000 more blocks, or a margin of 4.1 %");
	expect(between(0.9, 1 / 0.9, 10, 0), VERDICT_UNDECIDED,
	       "undecided: differences under 16 % cannot be seen; needs more than 1000 more "
	       "blocks, or a margin of 12 %");
	assert_int_equal(between(0.9, 1 / 0.9, 10, 0.12).kind, VERDICT_NO_DIFFERENCE);
	assert_int_equal(between(1.01 * 1.01, 1.03 * 1.01, 10, 0.041).kind, VERDICT_LITTLE_FASTER);
	/* Not even equal things would be decided: they scatter too much. */
	expect(between(1 / 1.5, 1.5, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided: differences under 82 % cannot be seen; needs more than 1000 more "
	       "blocks: a quieter machine, or a margin of 50 %");
	expect(between(1 / 3., 3, 10, 0.02), VERDICT_UNDECIDED,
	       "undecided: differences under a factor of 4.9 cannot be seen; needs more than 1000 "
	       "more blocks: a quieter machine");
	/* Rounded up to tens beyond a hundred: ±20 % around 1.02 at 30 blocks. */
	struct verdict v = between(1.02 / 1.06, 1.02 * 1.06, 30, 0.04);
	assert_in_range(v.more_blocks, 100, 1000);
	assert_int_equal(v.more_blocks % 10, 0);
	/* An interval that is lopsided about its estimate needs one more at least. */
	struct stats_ratio r = {.estimate = 1.05, .lo = 1.019, .hi = 1.06, .blocks = 100};
	assert_in_range(verdict_of(r, 0.02).more_blocks, 1, 10);
}

static double half_width(unsigned n, unsigned runs, double confidence, uint64_t *seed)
{
	double sum = 0, logs[200];
	for (unsigned k = 0; k < runs; k++) {
		for (unsigned i = 0; i < n; i++)
			logs[i] = 0.01 * noise_normal(seed);
		struct stats_ratio r = stats_ratio_of_logs(scratch(), logs, n, confidence);
		sum += expm1(log(r.hi / r.lo) / 2);
	}
	return sum / runs;
}

/* The promise "about N": after N more blocks of the same noise the interval of a second look is
 * as narrow as it has to be, within a fifth; from 6 blocks, where only the whole range is sure
 * enough, it is promised too late rather than too early. */
TEST(the_width_shrinks_as_promised)
{
	static const unsigned from[] = {6, 8, 10, 20, 30};
	const double second = 1 - (1 - VERDICT_CONFIDENCE) / 4; /* looks.h */
	uint64_t seed = 11;
	for (size_t i = 0; i < LENGTH(from); i++) {
		double now = half_width(from[i], 300, VERDICT_CONFIDENCE, &seed);
		/* Wanted: two thirds of today's width. */
		struct stats_ratio r = {.estimate = exp(now * 2 / 3),
		                        .lo = exp(now * 2 / 3 - now),
		                        .hi = exp(now * 2 / 3 + now),
		                        .blocks = from[i],
		                        .confidence = 0.95};
		struct verdict v = verdict_of(r, 0);
		assert_int_equal(v.kind, VERDICT_UNDECIDED);
		double then = half_width(from[i] + v.more_blocks, 300, second, &seed);
		assert_true(then < now * 2 / 3 * 1.1);
		assert_true(then > now * 2 / 3 * (from[i] < 8 ? 0.7 : 0.8));
	}
}
