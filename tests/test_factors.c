/* Factors and placebos: their verdicts, sizes and order. */
#include "made_claims.h"

/* The verdicts of the only factor, and the report's warning about it; NULL: none. */
static void says(const char *bandwidth, const char *latency, const char *warning)
{
	const json_t *report = made_report(&made), *cell;
	const char *keys[] = {"verdict", "latency_verdict"}, *texts[] = {bandwidth, latency};
	for (unsigned i = 0; i < 2; i++) {
		cell = effect(report, asked.factors[0].name, keys[i]);
		if (texts[i])
			json_assert_says(cell, "", texts[i]);
		else
			json_assert_null(cell, "");
	}
	if (warning)
		json_says(report, "warnings", warning);
	assert_int_equal(json_one_says(json_object_get(report, "warnings"), "PLACEBO"),
	                 warning != NULL);
}

TEST(a_placebo_should_do_nothing)
{
	factor("env", "nodirect", "threads-old")->placebo = true;
	says("no difference within 2 %, as a placebo should be", "no difference within 2 %", NULL);
	speed[1] = 1.1;
	says("faster: THE PLACEBO HAS AN EFFECT", "faster: THE PLACEBO HAS AN EFFECT",
	     "THE PLACEBO HAS AN EFFECT on bandwidth and latency: factor env should change "
	     "nothing, and bandwidth of threads-old is 1.1");
	json_says(made_report(&made), "warnings",
	          "times that of nodirect, and latency of nodirect is 1.1");
}

/* It need not be bandwidth that it acts on, and it is not proper before both are known. */
TEST(a_placebo_is_held_against_latency_too)
{
	factor("env", "threads-old", "processes-old")->placebo = true;
	isolated_speed = 0.8;
	says("no difference within 2 %", "slower: THE PLACEBO HAS AN EFFECT",
	     "THE PLACEBO HAS AN EFFECT on latency: factor env should change nothing, and "
	     "latency of "
	     "threads-old is 0.8");
	/* Nor is latency judged if ranks share cores. */
	made.cores = 1;
	says("undecided", NULL, NULL);
	made.cores = 16;
	/* Noise in latency hides nothing of bandwidth; noise in that is neither. */
	isolated_speed = 1;
	isolated_noise = 0.2;
	says("no difference within 2 %, as a placebo should be", "undecided", NULL);
	noise = 0.2;
	isolated_noise = 0.002;
	says("undecided", "no difference within 2 %", NULL);
	assert_lacks(made_read("report.md"), "as a placebo should be");
}

/* Of isolated calls alone a factor has its effect on latency, in its place by that. */
TEST(a_factor_may_be_of_latency_alone)
{
	speed[0] = 0.9;
	isolated_speed = 0.7;
	no_stream = true;
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("small", "nodirect", "threads-old");
	factor("large", "threads-old", "processes-old")->bytes.lo = 65536;
	find();
	assert_string_equal(says_sql("SELECT name, why, bandwidth, cells, from_bytes FROM factor"),
	                    "none  - 4 4096; small  - 4 4096; large  - 2 65536");
	done();
	const json_t *report = made_report_with(&made, made_plots("factors.gp"), 0),
	             *table = json_table(report, "effects");
	assert_says(made_read("factors.csv"),
	            "\n1,large,mode,threads-old,processes-old,0,,,,,,,2,0,0.7");
	assert_says(made_read("factors.csv"), ",slower,10,,");
	assert_says(made_read("factors.csv"), "\n2,small,");
	/* No figure of bandwidth, which no factor has. */
	json_assert_null(effect(report, "large", "bandwidth"), "");
	json_assert_null(effect(report, "large", "verdict"), "");
	assert_int_equal(json_rows(table, JSON_ALL), 3);
	json_assert_text(effect(report, "large", "sizes"), "", "64 KiB to 256 KiB");
	json_assert_number(effect(report, "large", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "large", "latency_verdict"), "", "slower");
	json_assert_text(effect(report, "small", "latency_verdict"), "", "faster");
	json_assert_text(effect(report, "none", "latency_verdict"), "",
	                 "no difference within 2 %, as a placebo should be");
	assert_says(made_read("plots/run.gp"), "\neffects_rows = 3\n");
	assert_says(made_read("plots/run.gp"), "\neffects_latency[1] = 1.0 * 0.7");
	assert_int_equal(access(made_path("plots/nccl_factors.png"), R_OK), 0);
	assert_int_not_equal(access(made_path("plots/gnuplot.log"), F_OK), 0);
	/* If ranks share cores nothing is left, for that reason. */
	made.cores = 1;
	report = made_report(&made);
	assert_false(json_has_table(report, "effects"));
	json_says(report, "factors",
	          "Cannot be tested here, more ranks than cores: waiting workers "
	          "share them, so that p50 of single calls is the scheduler's: "
	          "none, small, large.");
	json_assert_says(json_cell(json_table(report, "factors"), JSON_IS("factor", "none"), "why"),
	                 "", "more ranks than cores");
}

/* A column of latency is shown if there is any, else the reason why not. */
TEST(latency_has_a_column_where_it_is_judged)
{
	isolated_speed = 0.7;
	factor("env", "threads-old", "processes-old")->placebo = true;
	const json_t *report = made_report(&made);
	json_assert_text(effect(report, "env", "alarm"), "", "latency");
	json_says(report, "factors", "The placebo env has an effect on latency, where it should");
	json_assert_text(effect(report, "env", "verdict"), "", "no difference within 2 %");
	json_assert_number(effect(report, "env", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "env", "latency_verdict"), "",
	                 "slower: THE PLACEBO HAS AN EFFECT");
	made.cores = 1;
	report = made_report(&made);
	json_assert_null(effect(report, "env", "alarm"), "");
	json_assert_null(effect(report, "env", "latency"), "");
	json_assert_says(effect(report, "env", "verdict"), "", "undecided");
	json_says(report, "factors",
	          "Latency is not judged, with more ranks than cores: waiting "
	          "workers share them, so that p50 of single calls is the "
	          "scheduler's.");
	assert_says(made_read("plots/run.gp"), "\neffects_latency[1] = NaN\n");
	no_isolated = true;
	json_lacks(made_report(&made), "factors", "Latency is not judged");
}

/* What is undecided is not reported as no effect. Of two factors the first may be an effect, and
 * one block may leave the second open. */
TEST(a_caption_says_what_is_decided)
{
	static const struct {
		double speed, noise;
		unsigned off;
		size_t from; /* sizes of the first factor */
		unsigned same_from;
		const char *said;
	} cases[] = {
	    {1, 0.2, UINT_MAX, 1, 9, "\"No factor's effect is decided here\""},
	    {1, 0.002, 2, 1, 9,
	     "\"No factor has an effect beyond the margin, as far as is decided\""},
	    {1, 0.002, UINT_MAX, 1, 9, "\"No factor has an effect beyond the margin\""},
	    {2, 0.002, 2, 1, 9,
	     "\"one: 0.500 times the bandwidth, 4 KiB to 256 KiB; undecided in two\""},
	    {2, 0.002, 2, 65536, 9, "times the bandwidth, 64 KiB to 256 KiB; undecided in two\""},
	    {2, 0.002, UINT_MAX, 1, 3,
	     "\"Not one effect in all cells: one 0.500 to 1.00"},
	};
	factor("one", "nodirect", "threads-old");
	factor("two", "threads-old", "processes-old");
	for (unsigned c = 0; c < LENGTH(cases); c++) {
		speed[0] = cases[c].speed;
		noise = cases[c].noise;
		off = cases[c].off;
		asked.factors[0].bytes.lo = cases[c].from;
		same_from = cases[c].same_from;
		made_report(&made);
		assert_says(made_read("report.json"), cases[c].said);
	}
}

/* Of more than four only so many are named. */
TEST(a_caption_names_the_largest_effects)
{
	speed[0] = 2;
	for (unsigned i = 0; i < 6; i++) {
		const char name[] = {(char)('a' + i), '\0'};
		factor(name, "nodirect", "threads-old");
	}
	const json_t *report = made_report(&made);
	assert_int_equal(json_count(report, "named_factors"), 4);
	assert_says(made_read("report.json"), "; 2 more with an effect\"");
	assert_int_equal(json_count(report, "effects"), 6);
	json_lacks(report, "answer", "factor");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
