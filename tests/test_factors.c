/* Factors and placebos: their verdicts, sizes and order. */
#include "asked.h"

#include "../harness/analysis/analysis.h"
#include "../harness/arena.h"
#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/story/tell.h"

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
		json_assert_one_says(json_object_get(report, "warnings"), warning);
	assert_int_equal(json_one_says(json_object_get(report, "warnings"), "PLACEBO"),
	                 warning != NULL);
}

TEST(a_placebo_should_do_nothing)
{
	factor("env", "nodirect", "threads-old")->placebo = true;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	done();
	says("no difference within 2 %, as a placebo should be", "no difference within 2 %", NULL);
	speed[1] = 1.1;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "bandwidth and latency");
	done();
	says("faster: THE PLACEBO HAS AN EFFECT", "faster: THE PLACEBO HAS AN EFFECT",
	     "THE PLACEBO HAS AN EFFECT on bandwidth and latency: factor env should change "
	     "nothing, and bandwidth of threads-old is 1.1");
	json_assert_one_says(json_object_get(made_report(&made), "warnings"),
	                     "times that of nodirect, and latency of nodirect is 1.1");
}

/* It need not be bandwidth that it acts on, and it is not proper before both are known. */
TEST(a_placebo_is_held_against_latency_too)
{
	factor("env", "threads-old", "processes-old")->placebo = true;
	isolated_speed = 0.8;
	find();
	assert_string_equal(factors_alarm(&found->factors[0]), "latency");
	done();
	says("no difference within 2 %", "slower: THE PLACEBO HAS AN EFFECT",
	     "THE PLACEBO HAS AN EFFECT on latency: factor env should change nothing, and "
	     "latency of "
	     "threads-old is 0.8");
	/* Nor is latency judged if ranks share cores. */
	made.cores = 1;
	find();
	assert_null(factors_alarm(&found->factors[0]));
	assert_true(isnan(found->factors[0].latency.ratio.estimate));
	done();
	says("undecided", NULL, NULL);
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
}

TEST(factors_stand_by_the_size_of_their_effect)
{
	speed[0] = 0.9;
	speed[2] = 0.6;
	isolated_speed = 2;
	factor("absent", "nodirect", "nowhere");
	factor("small", "nodirect", "threads-old");
	factor("none", "threads-old", "threads-old-again")->placebo = true;
	factor("large", "threads-old", "processes-old"); /* down: its direction does not matter */
	strcpy(asked.factors[3].text, "one, two");
	find();
	assert_near(found->factors[1].latency.ratio.estimate, 1 / 0.9, 0.01);
	/* Faster, though bandwidth is lost. */
	assert_near(found->factors[3].latency.ratio.estimate, 1.2, 0.01);
	assert_int_equal(found->factors[3].bandwidth.kind, VERDICT_SLOWER);
	assert_int_equal(found->factors[3].latency.kind, VERDICT_FASTER);
	assert_false(factors_judged(&found->factors[0].latency));
	done();
	made_report(&made);
	char *text = made_read("factors.csv");
	assert_says(text, "nth,factor,setting,from,to,placebo,effect,effect_lo,effect_hi,verdict,"
	                  "text,why,cells,blocks,latency,latency_lo,latency_hi,latency_verdict,"
	                  "latency_blocks,detectable,latency_detectable\n1,"
	                  "large,mode,threads-old,processes-old,0,0.59");
	assert_says(text, ",slower,\"one, two\",,4,10,1.");
	assert_says(text, "\n2,small,mode,nodirect,threads-old,0,1.1");
	assert_says(text, "\n3,none,mode,threads-old,threads-old-again,1,0.99");
	assert_says(text, "\n4,absent,mode,nodirect,nowhere,0,,,,,,nowhere is "
	                  "not in");
	assert_says(text, ",0,0,,,,,0,,\n");
	assert_says(text, ",no difference,,,4,10,");
}

TEST(a_factor_has_its_sizes_and_reasons)
{
	speed[0] = 0.8;
	struct factor *f = factor("zero-copy", "nodirect", "threads-old");
	f->bytes.lo = 65536;
	find();
	assert_int_equal(found->factors[0].ncells, 2);
	/* Those that were measured, though it asks for everything above. */
	assert_int_equal(found->factors[0].sizes.lo, 65536);
	assert_int_equal(found->factors[0].sizes.hi, 262144);
	assert_int_equal(found->factors[0].bandwidth.kind, VERDICT_FASTER);
	assert_near(found->factors[0].bandwidth.ratio.estimate, 1.25, 0.005);
	done();
	strcpy(f->to, "processes-old");
	skips = true;
	find();
	assert_says(made_reason(&found->factors[0].why), "was skipped: NCCL_LEGACY is not set");
	done();
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
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(found->factors[i].why.kind, REASON_NONE);
		assert_false(factors_judged(&found->factors[i].bandwidth));
	}
	assert_int_equal(found->factors[2].ncells, 2);
	assert_int_equal(found->factors[2].sizes.lo, 65536);
	done();
	const json_t *report = made_report_with(&made, "plot", 0),
	             *table = json_table(report, "effects");
	assert_says(made_read("factors.csv"),
	            "\n1,large,mode,threads-old,processes-old,0,,,,,,,2,0,0.7");
	assert_says(made_read("factors.csv"), ",slower,10,,");
	assert_says(made_read("factors.csv"), "\n2,small,");
	/* No figure of bandwidth, which no factor has. */
	json_assert_null(effect(report, "large", "bandwidth"), "");
	json_assert_null(effect(report, "large", "verdict"), "");
	assert_int_equal(json_rows(table, (json_keys){NULL}), 3);
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
	json_assert_one_says(json_section(report, "factors"),
	                     "Cannot be tested here, more ranks than cores: waiting workers "
	                     "share them, so that p50 of isolated calls is the scheduler's: "
	                     "none, small, large.");
	json_assert_says(
	    json_cell(json_table(report, "factors"), (json_keys){"factor", "none", NULL}, "why"),
	    "", "more ranks than cores");
}

/* A column of latency is shown if there is any, else the reason why not. */
TEST(latency_has_a_column_where_it_is_judged)
{
	isolated_speed = 0.7;
	factor("env", "threads-old", "processes-old")->placebo = true;
	const json_t *report = made_report(&made);
	json_assert_text(effect(report, "env", "alarm"), "", "latency");
	json_assert_one_says(json_section(report, "factors"),
	                     "The placebo env has an effect on latency, where it should");
	json_assert_text(effect(report, "env", "verdict"), "", "no difference within 2 %");
	json_assert_number(effect(report, "env", "latency"), "estimate", 0.7, 0.01);
	json_assert_text(effect(report, "env", "latency_verdict"), "",
	                 "slower: THE PLACEBO HAS AN EFFECT");
	made.cores = 1;
	report = made_report(&made);
	json_assert_null(effect(report, "env", "alarm"), "");
	json_assert_null(effect(report, "env", "latency"), "");
	json_assert_says(effect(report, "env", "verdict"), "", "undecided");
	json_assert_one_says(json_section(report, "factors"),
	                     "Latency is not judged, with more ranks than cores: waiting "
	                     "workers share them, so that p50 of isolated calls is the "
	                     "scheduler's.");
	assert_says(made_read("plots/run.gp"), "\neffects_latency[1] = NaN\n");
	no_isolated = true;
	assert_false(
	    json_one_says(json_section(made_report(&made), "factors"), "Latency is not judged"));
}

/* What the chapter says below its picture. */
static void tell_caption(struct arena *arena, void *of)
{
	const struct chapter *const chapters[] = {chapters_find("run"), &chapter_factors};
	static const struct record_run run;
	static const struct summary s = {.run = &run, .reference = -1};
	struct made_loaded any; /* its facts, such as the margin */
	struct status st = {0};
	struct story story;
	made_load(&made, &any);
	struct db *db = figures_load(analysis_make(&any.summary, &st), arena, &st);
	found->s = &s;
	story_make(found, db, chapters, 2, arena, &story);
	made_unload(&any);
	snprintf(of, 200, "%s", story_said(&story, STORY_CAPTION, 0)->text);
}

static const char *caption(void)
{
	static char said[200];
	struct arena *arena = NULL;
	assert_int_equal(arena_run(tell_caption, said, &arena), 0);
	arena_free(arena);
	return said;
}

/* What is undecided is not reported as no effect. */
TEST_WITH(a_caption_says_what_is_decided, NULL, NULL)
{
	static const struct {
		enum verdict_kind kinds[2];
		const char *said;
	} cases[] = {
	    {{VERDICT_UNDECIDED, VERDICT_UNDECIDED}, "No factor's effect is decided here"},
	    {{VERDICT_NO_DIFFERENCE, VERDICT_UNDECIDED},
	     "No factor has an effect beyond the margin, as far as is decided"},
	    {{VERDICT_NO_DIFFERENCE, VERDICT_NO_DIFFERENCE},
	     "No factor has an effect beyond the margin"},
	    {{VERDICT_SLOWER, VERDICT_UNDECIDED}, "one: 0.500 times the bandwidth; undecided in 1"},
	};
	static const struct factor factors[] = {{.name = "one"}, {.name = "two"}};
	found = calloc(1, sizeof *found);
	assert_non_null(found);
	found->asked.nfactors = 2;
	for (unsigned c = 0; c < sizeof cases / sizeof *cases; c++) {
		for (unsigned i = 0; i < 2; i++)
			found->factors[i] = (struct factors_result){
			    .factor = &factors[i],
			    .bandwidth = {.kind = cases[c].kinds[i],
			                  .ratio = {.estimate = i ? 1 : 0.5, .lo = NAN}},
			    .latency = {.ratio = {.estimate = NAN}}};
		assert_string_equal(caption(), cases[c].said);
		/* With different sizes each names its own. */
		found->factors[0].sizes = (struct claim_range){64 << 10, 64 << 10};
		assert_says_if(cases[c].kinds[0] == VERDICT_SLOWER, caption(),
		               "times the bandwidth (64 KiB); undecided");
	}
	free(found);
	found = NULL;
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
