/* Factors and placebos: their verdicts, sizes and order. */
#include "asked.h"

/* What the only factor's verdicts say. */
static void verdicts(const char *bandwidth, const char *latency)
{
	const struct factors_result *r = &found->factors[0];
	char text[128];
	factors_verdict(r, &r->bandwidth, text, sizeof text);
	assert_string_equal(text, bandwidth);
	factors_verdict(r, &r->latency, text, sizeof text);
	assert_string_equal(text, latency);
}

static void a_placebo_should_do_nothing(void **state)
{
	struct warnings *w = calloc(1, sizeof *w);
	(void)state;
	assert_non_null(w);
	factor("env", "nodirect", "threads-old")->placebo = true;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	verdicts("no difference within 2 %, as a placebo should be",
	         "no difference within 2 %");
	findings_warn(found, w);
	assert_int_equal(w->count, 0);
	done();
	speed[1] = 1.1;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "bandwidth and latency");
	verdicts("faster: THE PLACEBO HAS AN EFFECT", "faster: THE PLACEBO HAS AN EFFECT");
	findings_warn(found, w);
	assert_int_equal(w->count, 1);
	made_says(w->text[0], "THE PLACEBO HAS AN EFFECT on bandwidth and latency: factor env");
	made_says(w->text[0], "and bandwidth of threads-old is 1.1");
	made_says(w->text[0], "times that of nodirect, and latency of nodirect is 1.1");
	done();
	free(w);
}

/* It need not be bandwidth that it acts on, and it is not proper before both are known. */
static void a_placebo_is_held_against_latency_too(void **state)
{
	struct warnings *w = calloc(1, sizeof *w);
	(void)state;
	assert_non_null(w);
	factor("env", "threads-old", "processes-old")->placebo = true;
	isolated_speed = 0.8;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "latency");
	verdicts("no difference within 2 %", "slower: THE PLACEBO HAS AN EFFECT");
	findings_warn(found, w);
	assert_int_equal(w->count, 1);
	made_says(w->text[0], "THE PLACEBO HAS AN EFFECT on latency: factor env should change "
	                      "nothing, and latency of threads-old is 0.8");
	assert_null(strstr(w->text[0], "bandwidth of"));
	done();
	/* Nor is latency judged where ranks share cores. */
	made.cores = 1;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	verdicts("no difference within 2 %, as a placebo should be", "-");
	assert_true(isnan(found->factors[0].latency.ratio.estimate));
	done();
	made.cores = 16;
	/* Noise in latency hides nothing of bandwidth; noise in that is neither. */
	isolated_speed = 1;
	isolated_noise = 0.2;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	assert_true(factors_proper(&found->factors[0]));
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_NO_DIFFERENCE);
	assert_int_equal(found->factors[0].latency.kind, VERDICT_UNDECIDED);
	done();
	noise = 0.2;
	isolated_noise = 0.002;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	assert_false(factors_proper(&found->factors[0]));
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_UNDECIDED);
	done();
	free(w);
}

static void factors_stand_by_the_size_of_their_effect(void **state)
{
	unsigned order[4];
	(void)state;
	speed[0] = 0.9;
	speed[2] = 0.6;
	isolated_speed = 2;
	factor("absent", "nodirect", "nowhere");
	factor("small", "nodirect", "threads-old");
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("large", "threads-old", "processes-old"); /* down: its direction is no matter */
	strcpy(asked.factors[3].text, "one, two");
	find();
	factors_order(found->factors, 4, order);
	static const unsigned expected[] = {3, 1, 2, 0};
	assert_memory_equal(order, expected, sizeof order);
	near(found->factors[1].latency.ratio.estimate, 1 / 0.9, 0.01);
	/* Faster, where bandwidth is lost. */
	near(found->factors[3].latency.ratio.estimate, 1.2, 0.01);
	assert_int_equal(found->factors[3].bandwidth.kind, VERDICT_SLOWER);
	assert_int_equal(found->factors[3].latency.kind, VERDICT_FASTER);
	assert_false(factors_judged(&found->factors[0].latency));
	done();
	made_report(&made);
	char *text = made_read("factors.csv");
	made_says(text, "nth,factor,setting,from,to,placebo,effect,effect_lo,effect_hi,verdict,"
	                "text,why,cells,blocks,latency,latency_lo,latency_hi,latency_verdict,"
	                "latency_blocks,detectable,latency_detectable\n1,"
	                "large,mode,threads-old,processes-old,0,0.59");
	made_says(text, ",slower,\"one, two\",,4,10,1.");
	made_says(text, "\n2,small,mode,nodirect,threads-old,0,1.1");
	made_says(text, "\n3,none,mode,threads-old,threads-old-again,1,0.99");
	made_says(text, "\n4,absent,mode,nodirect,nowhere,0,,,,,,nowhere is "
	                "not in");
	made_says(text, ",0,0,,,,,0,,\n");
	made_says(text, ",no difference,,,4,10,");
}

static void a_factor_has_its_sizes_and_reasons(void **state)
{
	(void)state;
	speed[0] = 0.8;
	struct factor *f = factor("zero-copy", "nodirect", "threads-old");
	f->bytes.lo = 65536;
	find();
	assert_int_equal(found->factors[0].ncells, 2);
	/* Those that were measured, though it asks for everything above. */
	assert_int_equal(found->factors[0].sizes.lo, 65536);
	assert_int_equal(found->factors[0].sizes.hi, 262144);
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_FASTER);
	near(found->factors[0].bandwidth.ratio.estimate, 1.25, 0.005);
	done();
	strcpy(f->to, "processes-old");
	skips = true;
	find();
	made_says(found->factors[0].why, "was skipped: NCCL_LEGACY is not set");
	done();
}

/* Of isolated calls alone a factor has its effect on latency, in its place by that. */
static void a_factor_may_be_of_latency_alone(void **state)
{
	unsigned order[3];
	(void)state;
	speed[0] = 0.9;
	isolated_speed = 0.7;
	no_stream = true;
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("small", "nodirect", "threads-old");
	factor("large", "threads-old", "processes-old")->bytes.lo = 65536;
	find();
	factors_order(found->factors, 3, order);
	static const unsigned expected[] = {2, 1, 0};
	assert_memory_equal(order, expected, sizeof order);
	for (unsigned i = 0; i < 3; i++) {
		assert_string_equal(found->factors[i].why, "");
		assert_false(factors_judged(&found->factors[i].bandwidth));
	}
	assert_int_equal(found->factors[2].ncells, 2);
	assert_int_equal(found->factors[2].sizes.lo, 65536);
	verdicts("-", "no difference within 2 %, as a placebo should be");
	done();
	const json_t *report = made_report_with(&made, "plot", 0),
	             *table = json_table(report, "effects"),
	             *large = json_finding(report, "factor", "large");
	made_says(made_read("factors.csv"),
	          "\n1,large,mode,threads-old,processes-old,0,,,,,,,2,0,0.7");
	made_says(made_read("factors.csv"), ",slower,10,,");
	made_says(made_read("factors.csv"), "\n2,small,");
	/* No column of bandwidth, which no factor has. */
	assert_false(json_has_column(table, "bandwidth") || json_has_column(table, "verdict"));
	assert_int_equal(json_rows(table, (json_keys){NULL}), 3);
	json_assert_text(effect(report, "large", "sizes"), "", "64 KiB to 256 KiB");
	json_assert_number(effect(report, "large", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "large", "latency_verdict"), "", "slower");
	json_assert_text(effect(report, "small", "latency_verdict"), "", "faster");
	json_assert_text(effect(report, "none", "latency_verdict"), "",
	                 "no difference within 2 %, as a placebo should be");
	json_assert_null(large, "bandwidth");
	json_assert_text(large, "latency_verdict", "slower");
	made_says(made_read("plots/run.gp"), "\nfactors_tested = 3\n");
	made_says(made_read("plots/run.gp"), "\nfactors_latency = 1\n");
	assert_int_equal(access(made_path("plots/nccl_factors.png"), R_OK), 0);
	assert_int_not_equal(access(made_path("plots/gnuplot.log"), F_OK), 0);
	/* Where ranks share cores nothing is left, for that reason. */
	made.cores = 1;
	report = made_report(&made);
	assert_false(json_has_table(report, "effects"));
	json_assert_one_says(json_section(report, "factors"),
	                     "Cannot be tested here, more ranks than cores: waiting workers "
	                     "share them, so that p50 of isolated calls is the scheduler's: "
	                     "none, small, large.");
	json_assert_says(json_finding(report, "factor", "none"), "why",
	                 "more ranks than cores");
}

/* A column of latency stands where there is any, and else why there is none. */
static void latency_has_a_column_where_it_is_judged(void **state)
{
	(void)state;
	isolated_speed = 0.7;
	factor("env", "threads-old", "processes-old")->placebo = true;
	const json_t *report = made_report(&made), *env = json_finding(report, "factor", "env");
	assert_true(json_is_true(json_at(env, "alarm")));
	json_assert_text(env, "verdict", "no difference within 2 %");
	json_assert_text(env, "latency_verdict", "slower");
	json_assert_number(env, "latency.estimate", 0.7, 0.01);
	json_assert_one_says(json_section(report, "factors"),
	                     "The placebo env has an effect on latency, where it should");
	json_assert_text(effect(report, "env", "verdict"), "", "no difference within 2 %");
	json_assert_number(effect(report, "env", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "env", "latency_verdict"), "",
	                 "slower: THE PLACEBO HAS AN EFFECT");
	made.cores = 1;
	report = made_report(&made);
	assert_true(json_is_false(json_at(json_finding(report, "factor", "env"), "alarm")));
	assert_false(json_has_column(json_table(report, "effects"), "latency"));
	json_assert_says(effect(report, "env", "verdict"), "", "undecided");
	json_assert_one_says(json_section(report, "factors"),
	                     "Latency is not judged, with more ranks than cores: waiting "
	                     "workers share them, so that p50 of isolated calls is the "
	                     "scheduler's.");
	made_says(made_read("plots/run.gp"), "\nfactors_latency = 0\n");
	no_isolated = true;
	assert_false(json_one_says(json_section(made_report(&made), "factors"),
	                           "Latency is not judged"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(a_placebo_should_do_nothing, fresh),
	    cmocka_unit_test_setup(a_placebo_is_held_against_latency_too, fresh),
	    cmocka_unit_test_setup(a_factor_may_be_of_latency_alone, fresh),
	    cmocka_unit_test_setup(latency_has_a_column_where_it_is_judged, fresh),
	    cmocka_unit_test_setup(factors_stand_by_the_size_of_their_effect, fresh),
	    cmocka_unit_test_setup(a_factor_has_its_sizes_and_reasons, fresh),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
