/* The waterfall of a gap: its arithmetic, and when there is none. */
#include "asked.h"

TEST(shares_add_up)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("mode", "processes-old", "nodirect");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_string_equal(w->steps[0].name, "mode");
	assert_string_equal(w->steps[1].name, "zero-copy");
	assert_near(w->steps[0].log + w->steps[1].log, w->log, 1e-12);
	assert_near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	assert_near(w->explained.estimate, 1, 1e-12);
	assert_near(w->steps[0].share.estimate, log(0.75 / 0.7) / log(1 / 0.7), 0.02);
	assert_near(w->steps[0].to_gbs, w->steps[1].from_gbs, 1e-9);
	assert_near(w->steps[1].to_gbs / w->steps[0].from_gbs, exp(w->log), 1e-9);
	assert_int_equal(w->gap.kind, VERDICT_FASTER);
	done();
}

TEST(factors_may_be_taken_back)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("mode", "nodirect", "processes-old");
	factor("itself", "threads-old", "processes-old"); /* the gap: explains nothing */
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_true(w->steps[0].backwards);
	assert_true(w->steps[0].log > 0);
	assert_false(w->steps[1].backwards);
	assert_near(w->explained.estimate, 1, 1e-12);
	done();
}

TEST(what_does_not_chain_is_left)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_int_equal(w->nsteps, 2);
	assert_true(w->steps[0].rest);
	assert_false(w->steps[1].rest);
	assert_near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	assert_near(w->explained.estimate, log(1 / 0.75) / log(1 / 0.7), 0.02);
	done();
	/* And all of it if a factor leads elsewhere: nodirect is farther off than the gap. */
	speed[0] = 0.4;
	find();
	w = &found->waterfall;
	assert_int_equal(w->nsteps, 1);
	assert_true(w->steps[0].rest);
	assert_near(w->steps[0].share.estimate, 1, 1e-12);
	assert_near(w->explained.estimate, 0, 0);
	done();
	/* No factor at all: the same. */
	speed[0] = 0.75;
	asked.nfactors = 0;
	find();
	assert_int_equal(found->waterfall.nsteps, 1);
	assert_true(found->waterfall.steps[0].rest);
	assert_near(found->waterfall.explained.estimate, 0, 0);
	done();
}

/* A closed path adds up to all of the gap by arithmetic, for any steps. */
TEST(only_what_is_beyond_the_margin_explains)
{
	speed[2] = 0.7;
	speed[0] = 0.75;
	gap("processes-old", "threads-old");
	factor("switch", "processes-old", "nodirect")->placebo = true;
	factor("zero-copy", "nodirect", "threads-old");
	find();
	const struct waterfall *w = &found->waterfall;
	assert_near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	assert_false(w->steps[0].counts);
	assert_true(w->steps[1].counts);
	assert_near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	done();
	/* No difference except for a block that is far off. */
	asked.factors[0].placebo = false;
	speed[0] = 0.7;
	off = MADE_SINGLE;
	find();
	w = &found->waterfall;
	assert_near(w->steps[0].share.estimate + w->steps[1].share.estimate, 1, 1e-12);
	assert_near(w->steps[0].share.estimate, 0, 0.01); /* nor does it spoil the estimate */
	assert_false(w->steps[0].counts);
	assert_near(w->explained.estimate, w->steps[1].share.estimate, 1e-12);
	done();
	off = UINT_MAX;
	speed[0] = 0.75;
	find();
	assert_near(found->waterfall.explained.estimate, 1, 1e-12);
	done();
	asked.nfactors = 0;
	find();
	assert_near(found->waterfall.explained.estimate, 0, 0);
	done();
}

/* An effect without an interval is no small one. */
TEST(grey_says_what_it_is)
{
	if (made_no_gnuplot())
		skip();
	speed[2] = 0.5;
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	for (unsigned few = 0; few < 2; few++) {
		made.blocks = few ? 5 : 10;
		made_report_with(&made, "plot", 0);
		assert_says(made_read("plots/nccl_factors.svg"),
		            few ? "grey: no interval below 6 blocks"
		                : "grey: interval not wholly beyond ±2 % and the A/A line");
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
	const struct waterfall_step *step = &found->waterfall.steps[0];
	assert_true(step->verdict.ratio.lo > 1.02); /* by its estimate it is faster */
	assert_true(step->log < 0);
	assert_true(step->at_odds);
	assert_false(step->counts);
	assert_int_equal(step->verdict.kind, VERDICT_UNDECIDED);
	const json_t *table = json_table(made_report(&made), "waterfall");
	json_keys row = {"step", "mode", "variants", "processes-old → nodirect", NULL};
	double from = json_number_value(json_cell(table, row, "from_gbs")),
	       to = json_number_value(json_cell(table, row, "to_gbs"));
	assert_true(to < from);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", exp(step->log), 1e-5);
	json_assert_number(json_cell(table, row, "ratio"), "estimate", to / from, 1e-4);
	json_assert_text(json_cell(table, row, "verdict"), "",
	                 "undecided: mean and estimate disagree");
	done();
	/* And for such a gap no share is given. */
	speed[2] = 0.96;
	off = MADE_THREADS;
	find();
	assert_int_equal(found->waterfall.gap.kind, VERDICT_FASTER);
	assert_true(isnan(found->waterfall.explained.estimate));
	assert_says(made_reason(&found->waterfall.why), "point two ways");
	done();
}

TEST(without_a_gap_there_are_no_shares)
{
	gap("processes-old", "threads-old");
	factor("zero-copy", "nodirect", "threads-old");
	find();
	assert_int_equal(found->waterfall.nsteps, 2);
	assert_true(isnan(found->waterfall.explained.estimate));
	assert_true(isnan(found->waterfall.steps[0].share.estimate));
	assert_says(made_reason(&found->waterfall.why), "there is no gap to explain");
	done();
	made.blocks = 4;
	speed[2] = 0.5;
	find();
	assert_true(isnan(found->waterfall.explained.estimate));
	assert_says(made_reason(&found->waterfall.why), "undecided");
	done();
	skips = true;
	find();
	assert_int_equal(found->waterfall.nsteps, 0);
	assert_says(made_reason(&found->waterfall.why), "was skipped");
	done();
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
