/* The reader's questions: the answer with its numbers, and whether it can be believed. On records
 * that are made up, read from report.json. */
#include "made.h"

static double speed[3]; /* the speed of single, threads and processes as a multiple of the usual
                         * one */
static double noise, twin;
static bool wrong, fails, no_again;
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
	if (wrong && p->variant == MADE_PROCESSES)
		json_object_set_new(cell, "digest", json_string("00000000000000bb"));
	if (fails || (no_again && p->variant == MADE_AGAIN))
		json_object_set_new(cell, "error", json_string("it failed"));
	if (switches)
		json_object_set_new(cell, "switches", json_pack("[i, i]", switches, 0));
}

static struct made made;

FIXTURE(fresh)
{
	speed[0] = speed[1] = speed[2] = twin = 1;
	noise = 0.001;
	wrong = fails = no_again = false;
	switches = 0;
	asked = (struct claim_list){.nclaims = 0};
	made = (struct made){.blocks = 8,
	                     .sizes = 7, /* 4 KiB to 16 MiB */
	                     .asked = &asked,
	                     .line = line,
	                     .stamps = stamps};
	return 0;
}

static unsigned seed; /* of what is the same but for noise */

/* Variants that are the same, but for noise. */
static void equal_stamps(const struct made_place *p, int64_t out[6])
{
	double ns = 20000 * (1 + noise * made_noise(p->variant + 10 * p->size, p->block, seed));
	out[1] = 100;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
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

TEST(each_regime_has_its_answer)
{
	static const char *const regimes[] = {"small", "large"};
	speed[0] = 0.8;
	speed[2] = 1.25;
	const json_t *report = made_report(&made);
	for (unsigned i = 0; i < 2; i++) {
		const json_t *slow = in_regime(report, regimes[i], "single"),
		             *fast = in_regime(report, regimes[i], "processes");
		assert_non_null(slow);
		assert_non_null(fast);
		json_assert_number(slow, "speed.estimate", 0.8, 0.005);
		json_assert_text(slow, "verdict", "slower");
		json_assert_number(fast, "speed.estimate", 1.25, 0.005);
		json_assert_text(fast, "verdict", "faster");
		json_assert_text(fast, "reference", "threads");
		assert_true(
		    json_is_true(json_at(in_regime(report, regimes[i], "threads-again"), "twin")));
		/* Nothing is compared with itself. */
		assert_null(in_regime(report, regimes[i], "threads"));
		assert_null(in_regime(report, regimes[i], "limit"));
	}
	assert_int_equal(json_array_size(answer(report)), 2);
	for (size_t i = 0; i < 2; i++) { /* the large ones first */
		const json_t *sentence = json_array_get(answer(report), i);
		json_assert_says(sentence, "", regimes[1 - i]);
		json_assert_says(sentence, "", "faster than threads: processes (1.25");
		json_assert_says(sentence, "", "slower than threads: single (0.8");
	}
	json_assert_says(report, "trust",
	                 "The machine was quiet: differences from 2 % up can be believed (A/A: "
	                 "large 1.000, ");
	json_assert_says(report, "trust", "all right");
	json_assert_says(report, "trust", "8 blocks");
}

/* 0.003 times the speed has zeros to count. */
TEST(what_is_far_slower_is_told_as_a_time)
{
	speed[0] = 1. / 400;
	noise = 0.01;
	const json_t *list = answer(made_report(&made));
	assert_int_equal(json_array_size(list), 2);
	for (size_t i = 0; i < 2; i++) {
		static const char says[] = "slower than threads: single (";
		const char *text = json_string_value(json_array_get(list, i));
		double times, lo, hi;
		assert_says(text, says);
		assert_int_equal(sscanf(strstr(text, says) + strlen(says),
		                        "%lf times the time, %lf to %lf)", &times, &lo, &hi),
		                 3);
		assert_true(fabs(times - 400) < 8 && lo < times && times < hi);
	}
	/* The same for other slower variants, so that the two can be compared. */
	speed[2] = 0.5;
	list = answer(made_report(&made));
	for (size_t i = 0; i < 2; i++) {
		static const char says[] = " and processes (";
		const char *text = json_string_value(json_array_get(list, i));
		double times;
		assert_says(text, says);
		assert_says(strstr(text, says), " times the time, ");
		assert_int_equal(sscanf(strstr(text, says) + strlen(says), "%lf", &times), 1);
		assert_true(fabs(times - 2) < 0.1);
	}
}

TEST(no_difference_is_an_answer)
{
	const json_t *report = made_report(&made);
	json_assert_text(in_regime(report, "large", "processes"), "verdict",
	                 "no difference within 2 %");
	json_assert_one_says(answer(report), "single and processes");
	assert_false(json_one_says(answer(report), "This run cannot"));
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
	                 "undecided: too noisy to decide below ");
	assert_false(json_has_table(report, "advice"));
	assert_null(json_section(report, "advice"));
	assert_null(json_section(report, "cliffs"));
	/* A difference beyond the noise is reported nevertheless: no "cannot distinguish" before a
	 * "slower". */
	speed[0] = 0.5;
	report = made_report(&made);
	json_assert_says(report, "trust", "Large sizes: only differences above ");
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

/* No verdict of a table, no title and no sentence. */
TEST(what_is_equal_is_never_faster)
{
	static const struct made_variant same[] = {{.name = "a", .role = "reference"},
	                                           {.name = "b"},
	                                           {.name = "c"},
	                                           {.name = "d"},
	                                           {.name = "e"},
	                                           {.name = "f"},
	                                           {.name = "a-again", .role = "again"}};
	made.variants = same;
	made.nvariants = LENGTH(same);
	made.no_limit = true;
	made.backend = "host";
	made.stamps = equal_stamps;
	noise = 0.15;
	for (seed = 15; seed <= 17; seed++) {
		static const char *const tables[] = {"verdicts_large", "verdicts_small", "gaps"};
		const json_t *report = made_report(&made);
		for (size_t i = 0; i < LENGTH(tables); i++) {
			const json_t *table = json_table(report, tables[i]);
			assert_int_equal(json_rows(table, JSON_IS("verdict", "faster")), 0);
			assert_int_equal(json_rows(table, JSON_IS("verdict", "slower")), 0);
		}
		const json_t *overview = json_table(report, "overview");
		assert_int_equal(json_rows(overview, JSON_IS("faster", "0", "slower", "0")),
		                 json_rows(overview, JSON_ALL));
		assert_int_equal(json_count(report, "exceptions"), 0);
		assert_false(json_has_table(report, "caption_verdicts"));
		assert_false(json_one_says(answer(report), "faster than"));
		assert_false(json_one_says(answer(report), "slower than"));
	}
}

/* Cores that other programs use measure these too. */
TEST(a_busy_machine_gets_no_verdict)
{
	speed[MADE_SINGLE] = 0.5;
	made.backend = "host";
	made.load1 = 3.25;
	switches = 10000;
	const json_t *report = made_report(&made);
	json_assert_one_says(answer(report),
	                     "The machine was busy when the run began, with a load of 3.25");
	assert_false(json_one_says(answer(report), "slower"));
	assert_lacks(made_read("report.json"), ",\"slower\"");
	/* Of a build that had ended by then only the load is left. */
	switches = 0;
	json_assert_one_says(answer(made_report(&made)), "slower than threads: single");
	switches = 10000;
	made.load1 = 0.9;
	json_assert_one_says(answer(made_report(&made)), "slower than threads: single");
}

static void ask_loss(void)
{
	asked.nclaims = 1;
	asked.claims[0] = (struct claim){.name = "loss",
	                                 .text = "Single is slower",
	                                 .left = "single",
	                                 .right = "threads",
	                                 .metric = METRIC_BUSBW,
	                                 .test = CLAIM_LESS,
	                                 .by = 0.02,
	                                 .bytes = {16 << 20, SIZE_MAX},
	                                 .regime = CLAIM_ANY_REGIME,
	                                 .pace = CLAIM_ANY_PACE,
	                                 .coll = CLAIM_ANY_COLL};
}

static const json_t *effect_of_loss(const json_t *report)
{
	return json_cell(json_table(report, "effects"), JSON_IS("factor", "loss"), "verdict");
}

/* The verdicts of a claim and of a factor depend on the A/A line of their regime. */
TEST(nothing_is_decided_below_the_noise)
{
	ask_loss();
	asked.nfactors = 1;
	asked.factors[0] = (struct factor){.name = "loss",
	                                   .text = "one thread",
	                                   .from = "threads",
	                                   .to = "single",
	                                   .bytes = {16 << 20, SIZE_MAX}};
	speed[0] = 0.95;
	const json_t *report = made_report(&made), *claim = json_claim(report, "loss");
	json_assert_text(claim, "verdict", "holds");
	json_assert_text(effect_of_loss(report), "", "slower");
	twin = 1.1; /* the reference differs from itself by 10 % */
	report = made_report(&made);
	claim = json_claim(report, "loss");
	json_assert_says(claim, "verdict", "undecided");
	json_assert_says(effect_of_loss(report), "", "undecided");
	/* Also on the first page, undecided always comes with the effect that could have been
	 * seen. */
	json_assert_says(json_cell(json_table(report, "claims_short"), JSON_ALL, "verdict"), "",
	                 "; too noisy to decide below ");
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

/* Markdown as a reader sees it: no backslash, and each blank is one. */
static void unescape(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		const bool blank = !strncmp(from, "\u00a0", strlen("\u00a0"));
		if (*from != '\\')
			*to++ = blank ? ' ' : *from;
		from += blank;
	}
	*to = '\0';
}

/* Each of these asks something: the answer of its own record. That the page is what its record says is
 * same_numbers'. */
TEST(a_reference_record_answers_its_question)
{
	static const struct {
		const char *record, *says[4];
	} cases[] = {
	    {"2x-h200/states",
	     {"scatters by 2.13 % between jobs, 4.03 % between connections",
	      "undecided: processes, threads-close and processes-close"}},
	    {"2x-h200/cliffs",
	     {"sendrecv of few jumps from 82.0 to 165 GB/s beyond 64 MiB: by the library's log "
	      "a pair of ranks has 4 of 8 channels up to there, and then 8.",
	      "NCCL_P2P_NVL_CHUNKSIZE moves the jump: beyond 64 MiB in few, beyond 16 MiB in "
	      "few-small-chunks; at 256 MiB few-small-chunks has 0.813 times the bandwidth of "
	      "few."}},
	    {"4x-h200/overhead",
	     {"A single call costs the harness itself, in µs (p50): single 0.560, threads "
	      "0.391, processes 0.378."}},
	    {"2x-h200/pcie_report",
	     {"Latency rules: all_reduce 13.7 µs up to 1 MiB", "merge messages",
	      "direct access from GPU to GPU: 7.589 times the bandwidth"}},
	    {"1x-h100/one_gpu",
	     {"data goes by P2P/direct pointer in single and threads; P2P/CUMEM in "
	      "processes."}},
	    {"2x-h200/factors_new_all_reduce",
	     {"At small sizes (1 KiB to 64 KiB, p50 of isolated calls) undecided: threads, ",
	      "threads-nowin is the same as threads: NCCL_SYM_NOWIN_ENABLE is ignored (NCCL "
	      "2.32.3 did not read it).",
	      "symmetric kernels without a window, in processes"}},
	    {"2x-h200/tuned",
	     {"Set NCCL_BUFFSIZE=1048576", "1.127 times the speed at large sizes"}},
	    {"4x-h200/beside_nccl-tests/alltoall", {"undecided: processes"}},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		char here[256];
		snprintf(here, sizeof here, "results/reference/%s/report.md", cases[i].record);
		char *page = cli_read(here);
		unescape(page);
		for (unsigned k = 0; k < 4 && cases[i].says[k]; k++)
			assert_says(page, cases[i].says[k]);
	}
}

static void of_one_key(json_t *env)
{
	json_t *variant = made_variant_of(env, MADE_PROCESSES);
	made_set_mode(variant, "threads");
	json_object_set_new(variant, "graph", json_integer(1));
}

/* Two variants that differ in one key are a factor, though the file names none. */
TEST(ones_own_factor_is_in_the_answer)
{
	assert_false(json_one_says(answer(made_report(&made)), "One key differs"));
	made.environment = of_one_key;
	json_assert_one_says(answer(made_report(&made)),
	                     "One key differs from threads: graph in processes.");
}

static void of_gpus(json_t *env)
{
	json_object_set_new(env, "needs_gpus", json_true());
}

TEST(a_question_about_gpus_has_no_answer_without)
{
	made.environment = of_gpus;
	assert_false(json_one_says(answer(made_report(&made)), "needs GPUs"));
	made.backend = "host";
	json_assert_says(
	    json_array_get(answer(made_report(&made)), 0), "",
	    "says nothing about NCCL, and does not answer the question, which needs GPUs.");
}

TEST(a_gap_is_answered_by_what_explains_it)
{
	struct factor *f = &asked.factors[0];
	speed[2] = 0.7;
	speed[0] = 0.72;
	asked.gap = (struct gap){.bytes = {1 << 20, SIZE_MAX}};
	strcpy(asked.gap.from, "processes");
	strcpy(asked.gap.to, "threads");
	asked.nfactors = 1;
	*f = (struct factor){.bytes = {1 << 20, SIZE_MAX}};
	strcpy(f->name, "zero-copy");
	strcpy(f->from, "single");
	strcpy(f->to, "threads");
	strcpy(f->setting, "path");
	const json_t *report = made_report(&made);
	const json_t *gap = json_table(report, "gap");
	json_keys whole = {"to", "threads", NULL};
	json_assert_number(json_cell(gap, whole, "ratio"), "estimate", 1 / 0.7, 0.005);
	json_assert_text(json_cell(gap, whole, "verdict"), "", "faster");
	json_assert_number(json_cell(gap, whole, "explained"), "estimate",
	                   log(1 / 0.72) / log(1 / 0.7), 0.01);
	json_assert_one_says(answer(report), "threads reaches 1.429 times the bandwidth of "
	                                     "processes");
	json_assert_one_says(answer(report), "zero-copy explains 92.");
	/* The other variants' verdicts are in the results. */
	assert_int_equal(json_array_size(answer(report)), 2);
	assert_non_null(in_regime(report, "large", "single"));
}

/* A gap far beyond the A/A line is an answer, one within it is not. */
TEST(a_gap_beyond_the_noise_is_answered)
{
	speed[2] = 0.5;
	twin = 1.1; /* the reference differs from itself by 10 % */
	asked.gap = (struct gap){.bytes = {1 << 20, SIZE_MAX}};
	strcpy(asked.gap.from, "processes");
	strcpy(asked.gap.to, "threads");
	const json_t *report = made_report(&made);
	json_assert_says(report, "trust", "only differences above ");
	json_assert_one_says(answer(report), "threads reaches ");
	assert_false(json_one_says(answer(report), "cannot distinguish the variants"));
	speed[2] = 0.95;
	report = made_report(&made);
	json_assert_one_says(answer(report), "cannot distinguish the variants");
	assert_false(json_one_says(answer(report), "threads reaches "));
}

/* Without the A/A line no regime has a verdict. */
TEST(without_an_aa_line_trust_says_none)
{
	no_again = true;
	const json_t *report = made_report(&made);
	assert_lacks(json_string_value(json_at(report, "trust")), "A/A");
	json_assert_says(report, "trust", "all right");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
