/* Several runs of one experiment as one: from folders to tables, sentences and the exit code. */

#include "compare_output.h"

enum { THREADS, PROCESSES, AGAIN, VARIANTS };

/* A run: processes against threads, in two sizes, with two claims. */
struct side {
	double slower; /* processes take this times as long */
	unsigned blocks;
	const char *seed, *boot, *gpu, *experiment;
	double spread;
};
static const struct side plain = {.slower = 1.25,
                                  .blocks = 8,
                                  .seed = "a",
                                  .boot = "one",
                                  .gpu = "GPU-1",
                                  .experiment = "x",
                                  .spread = 0.004};
static struct side beside(const char *seed)
{
	struct side other = plain;
	other.seed = seed;
	return other;
}

static struct side side;
static struct claim_list asked;

static void stamps(const struct made_place *p, int64_t out[6])
{
	const double noise = side.spread * made_noise(p->variant, p->block, (unsigned)side.seed[0]);
	const double ns = 1e6 * (p->size + 1) * (p->variant == PROCESSES ? side.slower : 1);
	out[1] = 5;
	out[2] = (int64_t)(ns * (1 + noise) * (p->isolated ? 1 : 10));
	out[3] = 3;
}

static void environment(json_t *env)
{
	made_set(env,
	         "{'experiment':'%s','seed':'%s','machine':{'cores':8,'host':'node','cpu':'A CPU',"
	         "'boot':'%s','gpus':[{'name':'A GPU','uuid':'%s'}]}}",
	         side.experiment, side.seed, side.boot, side.gpu);
}

static void claim(const char *name, enum claim_test test, double by)
{
	struct claim *c = made_claim(&asked, METRIC_TIME, test, "processes", "threads");
	c->by = by;
	c->pace = PACE_STREAM;
	strcpy(c->name, name);
	snprintf(c->text, sizeof c->text, "%s is so.", name);
}

static const char *make(const char *name, const struct side *of)
{
	static char paths[6][128];
	static unsigned turn;
	char *path = paths[turn++ % 6];
	const struct made_variant variants[VARIANTS] = {
	    [THREADS] = {.name = "threads", .role = "reference"},
	    [PROCESSES] = {.name = "processes", .mode = "processes"},
	    [AGAIN] = {.name = "threads-again", .role = "again"},
	};
	asked = (struct claim_list){.nclaims = 0};
	claim("more", CLAIM_MORE, 0.1);
	claim("same", CLAIM_WITHIN, 0.02);
	strcpy(asked.primary, "more");
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	mkdir(path, 0777);
	side = *of;
	made_write(&(struct made){.folder = path,
	                          .blocks = of->blocks,
	                          .sizes = 2,
	                          .variants = variants,
	                          .nvariants = VARIANTS,
	                          .asked = &asked,
	                          .environment = environment,
	                          .stamps = stamps});
	return path;
}

static int combine(const char *a, const char *b, const char *c)
{
	return compared((struct compare_request){
	    .paths = {a, b, c}, .npaths = c ? 3 : 2, .combine = true, .margin = COMPARE_MARGIN});
}

/* The plain run and two others, none of them worse. */
static void three(const struct side *b, const struct side *c)
{
	assert_int_equal(combine(make("a", &plain), make("b", b), make("c", c)), COMPARE_NOT_WORSE);
}

static const json_t *of_claim(const char *name, const char *column)
{
	return json_cell(json_table(as_json, "claims"), JSON_IS("claim", name), column);
}

static const json_t *of_variant(const char *name, const char *column)
{
	return json_cell(json_table(as_json, "verdicts"), JSON_IS("variant", name), column);
}

static double end_of(const json_t *ratio, const char *end)
{
	return json_number_value(json_at(ratio, end));
}

/* Runs that differ by more than their own intervals: all of them together know less. */
TEST(what_differs_between_runs_is_in_the_interval)
{
	struct side b = beside("b"), c = beside("c");
	b.boot = "two";
	b.gpu = "GPU-2";
	b.slower = 1.30;
	c.boot = "three";
	c.slower = 1.20;
	three(&b, &c);
	const json_t *all = of_claim("more", "ratio"), *one = of_claim("more", "A");
	json_assert_number(one, "estimate", 1.25, 0.003);
	json_assert_number(of_claim("more", "B"), "estimate", 1.3, 0.003);
	json_assert_number(of_claim("more", "C"), "estimate", 1.2, 0.003);
	json_assert_number(all, "estimate", 1.25, 0.005);
	json_assert_number(of_claim("more", "scatter"), "", 0.04, 0.005);
	assert_true(end_of(all, "hi") - end_of(all, "lo") >
	            4 * (end_of(one, "hi") - end_of(one, "lo")));
	/* One run's own interval leaves no doubt that it is more than 20 %; three say 10. */
	json_assert_text(of_claim("more", "verdict"), "", "holds");
	json_assert_text(of_claim("same", "verdict"), "", "does not hold");
	assert_true(json_is_true(of_claim("more", "primary")));
	assert_true(end_of(of_claim("more", "next"), "lo") < end_of(all, "lo"));
	json_assert_text(of_variant("processes", "verdict"), "", "slower");
	json_assert_text(of_variant("threads-again", "verdict"), "", "no difference within 2 %");
	assert_int_equal(json_count(as_json, "cells"), 8);
	assert_int_equal(json_count(as_json, "runs"), 3);
	assert_says(printed, "3 runs of x on nccl, 2 ranks, of 3 boots and 2 sets of GPUs.");
	assert_says(printed, "'more is so.' (tested: above 1.100) holds, 1.2");
	assert_says(printed, " %, 3 of them.");
}

/* Without scatter three runs know more than each. */
TEST(runs_that_agree_narrow_it)
{
	struct side b = beside("b"), c = beside("c");
	three(&b, &c);
	json_assert_number(of_claim("more", "ratio"), "estimate", 1.25, 0.002);
	assert_true(json_number_value(of_claim("more", "scatter")) < 0.002);
	assert_says(printed, "All runs are of one boot of one machine");
	/* Two, on request, with Student's quantile for two. */
	assert_int_equal(combine(make("a", &plain), make("b", &b), NULL), COMPARE_NOT_WORSE);
	json_assert_null(json_table(as_json, "claims") ? of_claim("more", "next") : NULL, "");
	assert_int_equal(json_count(as_json, "runs"), 2);
}

static void refuses(const char *a, const char *b, const char *c, const char *words)
{
	assert_int_equal(combine(a, b, c), COMPARE_NOT_DONE);
	assert_says(printed, words);
}

TEST(what_is_no_repetition_is_refused)
{
	struct side b = beside("b"), c = beside("c");
	c.experiment = "y";
	const char *a = make("a", &plain);
	refuses(a, make("b", &b), a, "A and C are the same run");
	refuses(a, make("b", &b), make("c", &c), "experiment is not the same: x in A, y in C");
	b.blocks = c.blocks = 5;
	c.experiment = "x";
	side = plain;
	side.blocks = 5;
	const struct side few = side;
	refuses(make("a", &few), make("b", &b), make("c", &c), "no claim and no cell in common");
	refuses(a, make("b", &b), "nowhere", "nowhere");
	cli_write(folder, "t.exp", "# nccl-tests version 2.19.6\n");
	refuses(file, a, make("b", &b), "in a folder or with commas between");
}

/* A run that did not measure a claim's variants is left out of it. */
TEST(a_run_without_an_interval_is_left_out)
{
	struct side b = beside("b"), c = beside("c");
	c.blocks = 5;
	three(&b, &c);
	json_assert_number(of_claim("more", "runs"), "", 2, 0);
	json_assert_null(of_claim("more", "C"), "");
}

TEST(three_results_are_combined)
{
	const char *many[3 + COMPARE_MOST + 1] = {"l", "compare"};
	assert_works(PARSE("a", "b", "c"));
	assert_true(asks.combine);
	assert_string_equal(asks.paths[2], "c");
	assert_works(PARSE("a", "--combine", "b"));
	assert_true(asks.combine && asks.npaths == 2);
	assert_works(PARSE("a", "b"));
	assert_false(asks.combine);
	assert_works(PARSE("a", "b", "--format", "markdown"));
	assert_true(asks.form == COMPARE_MARKDOWN && !asks.combine);
	assert_refused(PARSE("a", "b", "c", "--variant", "x"), "only runs are combined");
	assert_refused(PARSE("a", "b", "--combin"), "did you mean '--combine'");
	for (unsigned i = 2; i + 1 < LENGTH(many); i++)
		many[i] = "a";
	assert_refused(compared_parse(many), "is not understood");
}

TESTS(.begin = set_up, .end = compared_end);
