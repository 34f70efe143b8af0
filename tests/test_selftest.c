/* The selftest: its injected effects, how it counts, and that a broken instrument fails it. */
#include <signal.h>
#include <sys/stat.h>

#include "../harness/analysis/regime.h"
#include "../harness/selftest/outcome.h"
#include "../harness/selftest/selftest.h"
#include "../harness/story/verdict_text.h"
#include "cli.h"
#include "test.h"

#define BLOCKS   10
#define IN_BLOCK 7

/* --- what is injected --- */

static double at(enum disturbance kind, uint64_t seed, unsigned order)
{
	const struct disturbed d = {.seed = seed,
	                            .block = order / IN_BLOCK,
	                            .order = order,
	                            .blocks = BLOCKS,
	                            .in_block = IN_BLOCK};
	return disturbance_of(kind, &d);
}

TEST(each_variant_has_its_effect)
{
	for (unsigned e = 0; e < INJECTION_EFFECTS; e++)
		assert_true(injection_effect(injection_variant(e)) == injection_effects[e]);
	assert_true(injection_effect("reference") == 0);
	assert_true(injection_effect("reference-again") == 0);
}

TEST(disturbances_are_what_they_are_called)
{
	const unsigned last = BLOCKS * IN_BLOCK - 1;
	for (unsigned order = 0; order <= last; order++) {
		assert_true(at(DISTURBANCE_NONE, 1, order) == 0);
		assert_true(fabs(at(DISTURBANCE_DRIFT, 1, order) - 0.2 * order / last) < 1e-12);
		double start = at(DISTURBANCE_SLOW_START, 1, order);
		assert_true(order < IN_BLOCK ? start > 0 && start <= 0.2 : start == 0);
	}
	for (uint64_t seed = 1; seed <= 50; seed++) {
		unsigned bad[BLOCKS] = {0}, blocks = 0;
		for (unsigned order = 0; order <= last; order++)
			bad[order / IN_BLOCK] += at(DISTURBANCE_BAD_BLOCK, seed, order) > 0;
		for (unsigned b = 0; b < BLOCKS; b++) {
			assert_true(bad[b] == 0 || bad[b] == IN_BLOCK);
			blocks += bad[b] > 0;
		}
		assert_int_equal(blocks, 1);
	}
}

/* Half of a t with 2 degrees of freedom is within 0.816, and 1 in 103 beyond 10. */
TEST(tails_are_heavy)
{
	const unsigned n = 20000;
	unsigned inside = 0, far = 0;
	for (unsigned i = 0; i < n; i++) {
		double t = at(DISTURBANCE_TAILS, 3, i) / 0.005;
		assert_true(t >= 0);
		inside += t < 0.816;
		far += t > 10;
	}
	assert_true(fabs((double)inside / n - 0.5) < 0.02);
	assert_true(fabs((double)far / n - 1 / 103.0) < 0.004);
}

/* --- how it counts --- */

/* The report's sentence for a variant with a speed between lo and hi, and the word for it. */
static enum word word_of(double lo, double hi, bool tells)
{
	struct contrast c = {
	    .verdict = verdict_of(
	        (struct stats_ratio){.estimate = sqrt(lo * hi), .lo = lo, .hi = hi}, 0.02)};
	const struct regime g = {.contrasts = &c, .tells = tells, .least_effect = 0.05};
	struct status st = {""};
	enum word word;
	char text[128];
	regime_verdict_text(&g, 0, text, sizeof text);
	assert_works(outcome_word(text, tells, &word, &st), st);
	return word;
}

TEST(words_are_those_of_the_report)
{
	struct status st = {""};
	enum word word;
	assert_int_equal(word_of(1.05, 1.07, true), WORD_FASTER);
	assert_int_equal(word_of(0.93, 0.95, true), WORD_SLOWER);
	assert_int_equal(word_of(1.005, 1.01, true), WORD_FASTER_LESS);
	assert_int_equal(word_of(0.985, 0.995, true), WORD_SLOWER_LESS);
	assert_int_equal(word_of(0.99, 1.01, true), WORD_NO_DIFFERENCE);
	assert_int_equal(word_of(0.9, 1.01, true), WORD_UNDECIDED);
	assert_int_equal(word_of(0.9, 1.01, false), WORD_CANNOT_TELL);
	assert_int_equal(word_of(0.99, 1.01, false), WORD_CANNOT_TELL);
	assert_int_equal(word_of(0.8, 0.9, false), WORD_SLOWER);
	assert_int_equal(word_of(NAN, NAN, true), WORD_CANNOT_TELL);
	assert_int_equal(outcome_word("quick", true, &word, &st), -1);
	assert_says(st.text, "'quick'");
}

/* P(more than k of n) at 5 %. */
static double beyond(unsigned k, unsigned n)
{
	double sum = 0;
	for (unsigned i = k + 1; i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(0.05) +
		           (n - i) * log(0.95));
	return sum;
}

TEST(the_bound_is_binomial)
{
	for (unsigned n = 1; n < 500; n++) {
		unsigned k = outcome_most(n);
		assert_true(beyond(k, n) <= 0.01 + 1e-9);
		assert_true(k == 0 || beyond(k - 1, n) > 0.01 - 1e-9);
	}
	assert_int_equal(outcome_most(0), 0);
}

#define OF_EACH 20

/* Twenty verdicts of each effect: of `changed`, `n` with this word; all others are right. */
static bool is_good(unsigned changed, unsigned n, enum word word)
{
	static const enum word right[INJECTION_EFFECTS] = {
	    WORD_NO_DIFFERENCE, WORD_SLOWER_LESS, WORD_UNDECIDED, WORD_SLOWER, WORD_SLOWER};
	struct outcome o[INJECTION_EFFECTS * OF_EACH];
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	for (unsigned i = 0; i < INJECTION_EFFECTS * OF_EACH; i++) {
		unsigned e = i / OF_EACH;
		o[i] = (struct outcome){.backend = "null",
		                        .mode = "threads",
		                        .regime = i % 2,
		                        .effect = e,
		                        .slower = injection_effects[e],
		                        .word = e == changed && i % OF_EACH < n ? word : right[e]};
	}
	bool good = outcome_print(o, INJECTION_EFFECTS * OF_EACH, out);
	fclose(out);
	assert_int_equal(good, !strstr(text, "MISSED"));
	free(text);
	return good;
}

TEST(wrong_words_beyond_chance_fail)
{
	const unsigned most = outcome_most(OF_EACH);
	assert_true(is_good(0, 0, WORD_FASTER));
	for (unsigned word = WORD_FASTER; word <= WORD_SLOWER_LESS; word++) {
		assert_true(is_good(0, most, word));
		assert_false(is_good(0, most + 1, word));
	}
	assert_false(is_good(1, most + 1, WORD_SLOWER));
	assert_true(is_good(2, OF_EACH, WORD_SLOWER)); /* on the margin */
	assert_true(is_good(2, OF_EACH, WORD_NO_DIFFERENCE));
	assert_false(is_good(3, most + 1, WORD_NO_DIFFERENCE));
	assert_false(is_good(4, most + 1, WORD_SLOWER_LESS));
	/* One flipped bit is one too many, and finding none is as bad. */
	assert_false(is_good(4, 1, WORD_FASTER));
	assert_true(is_good(4, OF_EACH - 1, WORD_UNDECIDED));
	assert_false(is_good(4, OF_EACH, WORD_UNDECIDED));
	assert_false(is_good(4, OF_EACH, WORD_CANNOT_TELL));
	assert_true(is_good(3, OF_EACH, WORD_CANNOT_TELL));
}

/* --- from end to end --- */

/* Every disturbance once, on the virtual device and in one mode: a tenth is found somewhere, or the instrument is
 * blind; a machine that is too busy for that decides none. */
TEST(a_sound_instrument_finds_what_is_injected)
{
	char folder[64], csv[128];
	cli_folder(folder);
	snprintf(csv, sizeof csv, "%s/verdicts.csv", folder);
	char *option = test_text("csv=%s", csv);
	struct cli cli =
	    cli_wait(cli_start(folder, (const char *[]){"selftest", "backend=null", "mode=single",
	                                                "runs=5", "blocks=6", option, NULL}),
	             folder, 500);
	assert_true(cli.code == 0 || cli.code == 1); /* 1: a busy machine */
	assert_says(cli.out, "Of 10 verdicts on equal variants");
	char *lines = cli_read(csv);
	assert_non_null(lines);
	assert_int_equal(cli_lines(csv), 1 + 5 * 2 * INJECTION_EFFECTS);
	for (unsigned d = 0; d < DISTURBANCE_KINDS; d++) {
		assert_int_equal(
		    text_count(lines, test_text("null,single,%s,", disturbance_name(d))),
		    2 * INJECTION_EFFECTS);
	}
	const unsigned open =
	    text_count(lines, ",0.10,undecided,") + text_count(lines, ",0.10,cannot tell,");
	assert_true(text_count(lines, ",0.10,slower,") || open == 2 * DISTURBANCE_KINDS);
	cli_clean(folder);
}

/* As a run: scripts tell it from a selftest that found something. */
TEST(interrupted_it_says_so)
{
	char folder[64], scratch[128];
	cli_folder(folder);
	pid_t pid = cli_start(
	    folder, (const char *[]){"selftest", "backend=null", "mode=single", "runs=50", NULL});
	cli_scratch(pid, scratch, sizeof scratch);
	kill(pid, SIGINT);
	cli_expect(cli_wait(pid, folder, 60), 130, "interrupted");
	assert_int_equal(access(scratch, F_OK), -1);
	cli_clean(folder);
}

static unsigned two(const char *backend, struct status *st)
{
	(void)backend, (void)st;
	return 2;
}

/* The selftest of an instrument with a job that first changes its order. */
static int selftest_of(const char *what_it_does)
{
	const struct plan_machine machine = {.cores = 2, .capacity = two};
	char folder[64];
	struct status st = {""};
	cli_folder(folder);
	char *text =
	    test_text("#!/bin/sh\n%s\nexec '%s' \"$@\"\n", what_it_does, getenv("LAUNCHGAP"));
	cli_write(folder, "instrument", text);
	char *self = test_text("%s/instrument", folder);
	assert_int_equal(chmod(self, 0755), 0);
	const struct selftest_request request = {.self = self,
	                                         .machine = &machine,
	                                         .backend = "null",
	                                         .mode = "single",
	                                         .blocks = 6,
	                                         .runs = 1,
	                                         .seed = 1};
	int result = selftest_run(&request, &st);
	assert_string_equal(st.text, "");
	cli_clean(folder);
	return result;
}

TEST(a_broken_instrument_fails)
{
	/* Every delay is the same to it; the order is the third argument (launcher_command). */
	assert_int_equal(
	    selftest_of("sed -i 's/\"extra_ns\": *[1-9][0-9]*/\"extra_ns\": 20000/g' \"$3\""), 1);
	/* What is equal takes ten times as long. */
	assert_int_equal(
	    selftest_of("grep -q '\"variant\": *\"equal\"' \"$3\" &&\n"
	                "  sed -i 's/\"extra_ns\": *2[0-9]*/\"extra_ns\": 200000/g' \"$3\""),
	    1);
}

TEST(bad_arguments_are_named)
{
	char folder[64];
	cli_folder(folder);
	cli_expect(cli_call(folder, "selftest", "backend=gpu", NULL), 1, "backend = 'gpu'");
	cli_expect(cli_call(folder, "selftest", "mode=thread", NULL), 1, "threads");
	cli_expect(cli_call(folder, "selftest", "blocks=5", NULL), 1, "6 to");
	cli_expect(cli_call(folder, "selftest", "quik", NULL), 1, "did you mean 'quick'");
	cli_clean(folder);
}

TESTS(.undrawn = true, .slow = true);
