/* The reader's questions: the answer with its numbers, and whether it can be believed. On records
 * that are made up, read from report.json. */
#include "made.h"

static double speed[3]; /* the speed of single, threads and processes as a multiple of the usual
                         * one */
static double noise, twin;
static bool no_again;
static int switches;
static struct claim_list asked;

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 10000 + bytes / 100;
	ns /= p->variant < 3 ? speed[p->variant] : 1;
	ns *= p->variant == MADE_AGAIN ? twin : p->variant == MADE_LIMIT ? 0.5 : 1;
	ns *= 1 + noise * made_noise(p->variant + 10 * p->size, p->block, 1 + p->isolated);
	out[1] = 100;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void line(json_t *cell, const struct made_place *p)
{
	if (no_again && p->variant == MADE_AGAIN)
		json_object_set_new(cell, "error", json_string("it failed"));
	if (switches)
		json_object_set_new(cell, "switches", json_pack("[i, i]", switches, 0));
}

static struct made made;

FIXTURE(fresh)
{
	speed[0] = speed[1] = speed[2] = twin = 1;
	noise = 0.001;
	no_again = false;
	switches = 0;
	asked = (struct claim_list){.nclaims = 0};
	made = (struct made){.blocks = 8,
	                     .sizes = 7, /* 4 KiB to 16 MiB */
	                     .asked = &asked,
	                     .line = line,
	                     .stamps = stamps};
}

static const json_t *answer(const json_t *report)
{
	return json_object_get(report, "answer");
}

/* A variant in a regime; NULL: none. */
static const json_t *in_regime(const json_t *report, const char *regime, const char *variant)
{
	json_keys is = {"name", variant, NULL};
	char *table = test_text("verdicts_%s", regime);
	return json_has_table(report, table) && json_rows(json_table(report, table), is)
	           ? json_entries(report, table, is)
	           : NULL;
}

/* No advice, cliff or verdict is printed next to noise; only differences far beyond it. */
TEST(a_run_that_cannot_tell_says_so)
{
	noise = 0.1;
	speed[0] = 0.95;
	const json_t *report = made_report(&made);
	const json_t *regimes = json_object_get(report, "regimes");
	for (size_t i = 0; i < json_array_size(regimes); i++) {
		const json_t *r = json_array_get(regimes, i);
		assert_true(json_is_false(json_at(r, "tells")));
		assert_true(json_string_length(json_at(r, "why")) > 0);
		assert_true(json_number_value(json_at(r, "least_effect")) > 0.02);
	}
	json_assert_one_says(answer(report), "cannot distinguish the variants");
	json_assert_says(in_regime(report, "large", "single"), "verdict",
	                 "undecided: differences under ");
	assert_false(json_has_table(report, "advice"));
	assert_null(json_section(report, "advice"));
	assert_null(json_section(report, "cliffs"));
	/* A difference beyond the noise is reported nevertheless: no "cannot distinguish" there. */
	speed[0] = 0.5;
	report = made_report(&made);
	json_assert_says(report, "trust", "alltoall of 16 MiB: differences above ");
	json_assert_one_says(answer(report), "slower than threads: single (0.5");
	assert_false(json_one_says(answer(report), "cannot distinguish the variants"));
	/* With more ranks than cores none is, however quiet. */
	noise = 0.001;
	made.cores = 1;
	report = made_report(&made);
	json_assert_one_says(answer(report), "cannot distinguish the variants");
	json_assert_says(report, "trust", "Large sizes: no difference can be believed");
	assert_false(json_one_says(answer(report), "slower"));
	assert_false(json_has_table(report, "advice"));
}

/* Cores that other programs use measure these too: a load above the cores, cores that were lost, or
 * a reference that differs from itself. */
TEST(a_busy_machine_gets_no_verdict)
{
	speed[MADE_SINGLE] = 0.5;
	made.backend = "host";
	for (unsigned lost = 0; lost <= 1; lost++) {
		made.cores = lost ? 16 : 3;
		made.load1 = lost ? 0.9 : 3.25;
		switches = lost ? 10000 : 0;
		const json_t *report = made_report(&made);
		json_assert_one_says(answer(report),
		                     lost ? "The machine was busy (a load of 0.900 on 16 "
		                          : "The machine was busy (a load of 3.25 on 3 ");
		assert_says(made_read("report.md"),
		            "\n# This run cannot distinguish the variants. The ");
		assert_false(json_one_says(answer(report), "slower"));
		assert_lacks(made_read("report.json"), ",\"slower\"");
	}
	made.cores = 4;
	made.load1 = 3.25;
	switches = 0;
	json_assert_one_says(answer(made_report(&made)), "slower than threads: single");
	twin = 1.1; /* the reference differs from itself */
	json_assert_one_says(answer(made_report(&made)), " on 4 cores when the run began; 0 of ");
	assert_lacks(made_read("report.json"), ",\"slower\"");
	made.backend = NULL;
	json_assert_one_says(answer(made_report(&made)), "slower than threads: single");
}

static void ask_loss(void)
{
	struct claim *c = made_claim(&asked, METRIC_BUSBW, CLAIM_LESS, "single", "threads");
	strcpy(c->name, "loss");
	strcpy(c->text, "Single is slower");
	c->bytes.lo = 16 << 20;
}

static const json_t *effect_of_loss(const json_t *report)
{
	return json_cell(json_table(report, "effects"), JSON_IS("factor", "loss"), "verdict");
}

/* The verdicts of a claim and of a factor depend on the A/A line of their regime. */
TEST(nothing_is_decided_below_the_noise)
{
	ask_loss();
	made_factor(&asked, "loss", "threads", "single")->bytes.lo = 16 << 20;
	speed[0] = 0.95;
	const json_t *report = made_report(&made), *claim = json_claim(report, "loss");
	json_assert_text(claim, "verdict", "holds");
	json_assert_text(effect_of_loss(report), "", "slower");
	twin = 1.1; /* the reference differs from itself by 10 % */
	report = made_report(&made);
	claim = json_claim(report, "loss");
	json_assert_says(claim, "verdict", "undecided");
	json_assert_says(effect_of_loss(report), "", "undecided");
	/* Also on the first page, undecided comes with the effect that could be seen. */
	json_assert_says(json_cell(json_table(report, "claims_short"), JSON_ALL, "verdict"), "",
	                 "; differences under ");
	/* Against the mean of its two trials. */
	json_assert_number(claim, "ratio.estimate", 0.95 * sqrt(1.1), 0.005);
	speed[0] = 0.5;
	json_assert_text(json_claim(made_report(&made), "loss"), "verdict", "holds");
}

/* The claim that an experiment is about is its answer, even if small differences cannot be
 * distinguished: it comes before that sentence, and nothing replaces it. */
TEST(what_is_sure_stands_before_what_cannot_be_told)
{
	noise = 0.1;
	ask_loss();
	strcpy(asked.primary, "loss");
	for (unsigned sure = 0; sure < 2; sure++) {
		speed[0] = sure ? 0.2 : 0.98;
		const json_t *list = answer(made_report(&made));
		const size_t n = json_array_size(list);
		assert_true(n >= 2);
		json_assert_says(json_array_get(list, sure ? 0 : n - 1), "", "'Single is slower' ");
		assert_int_equal(json_one_says(list, "every element that they delivered"), !sure);
		assert_int_equal(json_one_says(list, "This run cannot distinguish"), !sure);
	}
}

TEST(few_blocks_tell_nothing)
{
	speed[0] = 0.5;
	made.blocks = 4;
	const json_t *report = made_report(&made);
	json_assert_one_says(answer(report), "in each of the 4 blocks: single 0.500 to 0.500");
	json_assert_one_says(answer(report), "A verdict needs 6 blocks.");
	json_assert_null(in_regime(report, "large", "single"), "speed.lo");
	json_assert_null(in_regime(report, "large", "single"), "verdict");
	assert_false(json_has_table(report, "advice"));
	json_assert_says(report, "trust", "4 blocks");
}

TEST(a_question_about_gpus_has_no_answer_without)
{
	made.more_of_run = "{'needs_gpus':true}";
	assert_false(json_one_says(answer(made_report(&made)), "needs GPUs"));
	made.backend = "host";
	json_assert_says(
	    json_array_get(answer(made_report(&made)), 0), "",
	    "says nothing about NCCL, and does not answer the question, which needs GPUs.");
}

/* A gap far beyond the A/A line is an answer, one within it is not. */
TEST(a_gap_beyond_the_noise_is_answered)
{
	speed[2] = 0.5;
	twin = 1.1; /* the reference differs from itself by 10 % */
	made_gap(&asked, "processes", "threads", 1 << 20);
	const json_t *report = made_report(&made);
	json_assert_says(report, "trust", " MiB: differences above ");
	json_assert_one_says(answer(report), "the bandwidth of threads is ");
	assert_false(json_one_says(answer(report), "cannot distinguish the variants"));
	speed[2] = 0.95;
	report = made_report(&made);
	json_assert_one_says(answer(report), "cannot distinguish the variants");
	assert_false(json_one_says(answer(report), "the bandwidth of threads is "));
}

/* Without the A/A line no regime has a verdict. */
TEST(without_an_aa_line_trust_says_none)
{
	no_again = true;
	const json_t *report = made_report(&made);
	assert_lacks(json_string_value(json_at(report, "trust")), "A/A");
	json_assert_says(report, "trust", "data correct");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
