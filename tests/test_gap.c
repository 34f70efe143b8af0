/* The waterfall of a gap: its arithmetic, and when there is none. */
#include "made_claims.h"

/* The steps: name, whether it is backwards, whether it counts, its share; and what is explained. */
static const char *steps(void)
{
	find();
	const char *text =
	    says_sql("SELECT name, iif(backwards, 'back', ''), iif(counts, 'counts', ''), "
	             "round(share, 2) FROM gap_step UNION ALL "
	             "SELECT 'explained', round(explained, 2), '', '' FROM gap_whole");
	done();
	return text;
}

TEST(factors_may_be_taken_back)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("mode", "nodirect", "processes-old");
	factor("itself", "threads-old", "processes-old"); /* the gap: explains nothing */
	factor("zero-copy", "nodirect", "threads-old");
	assert_string_equal(steps(),
	                    "mode back counts 0.19; zero-copy  counts 0.81; explained 1.0  ");
}

TEST(what_does_not_chain_is_left)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	assert_string_equal(steps(), "rest   0.19; zero-copy  counts 0.81; explained 0.81  ");
	/* And all of it if a factor leads elsewhere: nodirect is farther off than the gap. */
	speed[0] = 0.4;
	assert_string_equal(steps(), "rest   1.0; explained 0.0  ");
	/* No factor at all: the same. */
	speed[0] = 0.75;
	asked.nfactors = 0;
	assert_string_equal(steps(), "rest   1.0; explained 0.0  ");
}

/* A closed path adds up to all of the gap by arithmetic, for any steps. */
TEST(only_what_is_beyond_the_margin_explains)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("switch", "processes-old", "nodirect")->placebo = true;
	factor("zero-copy", "nodirect", "threads-old");
	assert_string_equal(steps(), "switch   0.19; zero-copy  counts 0.81; explained 0.81  ");
	/* No difference except for a block that is far off: nor does that spoil the estimate. */
	asked.factors[0].placebo = false;
	speed[0] = 0.7;
	off = MADE_SINGLE;
	assert_string_equal(steps(), "switch   0.0; zero-copy  counts 1.0; explained 1.0  ");
}

/* An effect without an interval is no small one. */
TEST(grey_says_what_it_is)
{
	speed[2] = 0.5;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	for (unsigned few = 0; few < 2; few++) {
		made.blocks = few ? 5 : 10;
		made_drawn(&made, "factors.gp");
		assert_says(made_read("plots/nccl_factors.svg"),
		            few ? "grey: no interval below 6 blocks"
		                : "grey: interval not wholly beyond 2 % and the A/A line");
	}
	assert_says(made_read("plots/run.gp"),
	            "\nsaid_gap = 'No shares are given: the gap itself is ");
}

/* Mean and Hodges–Lehmann estimate may point two ways: a row has the mean's figures alone, and
 * the step explains nothing. */
TEST(a_row_does_not_contradict_itself)
{
	made.blocks = 12;
	speed[2] = 0.7;
	speed[0] = 0.74;
	off = MADE_SINGLE;
	gap("processes-old", "threads-old");
	factor("mode", "processes-old", "nodirect");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	/* By its estimate it is faster. */
	assert_string_equal(says_sql("SELECT speed_lo > 1.02, at_odds, counts, beyond, ratio < 1 "
	                             "FROM gap_step WHERE id = 0"),
	                    "1 1 0 0 1");
	const json_t *table = json_table(made_report(&made), "waterfall");
	json_keys row = {"step", "mode", "variants", "processes-old → nodirect", NULL};
	double from = json_number_value(json_cell(table, row, "from_gbs")),
	       to = json_number_value(json_cell(table, row, "to_gbs"));
	assert_true(to < from);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", to / from, 1e-4);
	json_assert_text(json_cell(table, row, "verdict"), "",
	                 "undecided: mean and estimate disagree");
	done();
	/* And for such a gap no share is given. */
	speed[2] = 0.96;
	off = MADE_THREADS;
	find();
	assert_says(says_sql("SELECT verdict, explained, why FROM gap_whole"),
	            "faster - few blocks");
	done();
}

/* As at 1 GiB, where staged copies reach the link's speed too. */
TEST(a_gap_that_one_size_lacks_is_explained_at_the_others)
{
	speed[2] = speed[0] = 0.7;
	same_from = 3;
	gap("processes-old", "threads-old");
	factor("mode", "processes-old", "nodirect");
	factor("zero-copy", "nodirect", "threads-old");
	assert_string_equal(steps(), "mode   0.0; zero-copy  counts 1.0; explained 1.0  ");
	made_report(&made);
	assert_says(made_read("report.json"), "bandwidth of threads-old is 1.429 times that of "
	                                      "processes-old, 4 KiB to 64 KiB.\"");
}

TEST(without_a_gap_there_are_no_shares)
{
	static const char *const sql = "SELECT explained, why, (SELECT count(*) FROM gap_step), "
	                               "(SELECT count(share) FROM gap_step) FROM gap_whole";
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	assert_string_equal(says_sql(sql), "- there is no gap to explain: it is within 2 % 2 0");
	done();
	made.blocks = 4;
	speed[2] = 0.5;
	find();
	assert_says(says_sql(sql), "- the gap itself is undecided");
	done();
	skips = true;
	find();
	assert_says(says_sql(sql), "- processes-old was skipped");
	done();
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
