/* What explains a gap: shares with their intervals, the words for them, and that the order of
 * the steps decides nothing where another was measured too. */
#include "made.h"

#include <math.h>

#include "../harness/analysis/orders.h"
#include "../harness/analysis/waterfall.h"
#include "../harness/analysis/words.h"

/* A square: each of two settings switched or not. How fast each corner is. */
static const char *const names[] = {"none", "both", "first", "second", "limit"};
enum corner { NONE, BOTH, FIRST, SECOND };
static double speed[4], noise;
static struct claim_list asked;
static unsigned gone, gone_from; /* a corner that fails from that block on */

static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns = 1e6 / (p->variant < 4 ? speed[p->variant] : 1);
	ns *= 1 + noise * made_noise(p->variant, p->block, p->size);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void environment(json_t *env)
{
	static const char *const roles[] = {"variant", "reference", "variant", "variant"};
	json_t *variants = json_object_get(env, "variants");
	assert_int_equal(claim_list_put(&asked, env), 0);
	for (size_t i = 0; i < 4; i++) {
		json_t *v = json_array_get(variants, i);
		bool first = i == FIRST || i == BOTH, second = i == SECOND || i == BOTH;
		json_object_set_new(v, "role", json_string(roles[i]));
		json_object_set_new(v, "mode", json_string(first ? "threads" : "processes"));
		json_object_set_new(v, "layout", json_string(first ? "1x2x1" : "2x1x1"));
		if (second)
			json_object_set_new(v, "env", json_pack("[s]", "NCCL_BUFFSIZE=1"));
	}
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->variant == gone && p->block >= gone_from)
		json_object_set_new(cell, "error", json_string("it failed"));
}

static struct made made = {.backend = "nccl",
                           .ranks = 2,
                           .blocks = 10,
                           .sizes = 2,
                           .rows = 3,
                           .cores = 16,
                           .names = names,
                           .environment = environment,
                           .line = line,
                           .stamps = stamps};

static void factor(const char *name, enum corner from, enum corner to)
{
	struct factor *f = &asked.factors[asked.nfactors++];
	*f = (struct factor){.bytes = {0, SIZE_MAX}};
	strcpy(f->name, name);
	strcpy(f->from, names[from]);
	strcpy(f->to, names[to]);
}

static int fresh(void **state)
{
	(void)state;
	asked = (struct claim_list){.gap = {.bytes = {1, SIZE_MAX}}};
	strcpy(asked.gap.from, "none");
	strcpy(asked.gap.to, "both");
	speed[NONE] = 1;
	speed[FIRST] = 1.2;
	speed[SECOND] = 1.1;
	speed[BOTH] = 1.6;
	noise = 0.002;
	gone = gone_from = UINT_MAX;
	made.blocks = 10;
	return 0;
}

static void make(struct waterfall *w)
{
	struct made_loaded l;
	struct status st = {""};
	made_load(&made, &l);
	assert_int_equal(waterfall_make(&l.summary, NULL, &asked, w, &st), 0);
	made_unload(&l);
}

static void near(double x, double expected, double within)
{
	if (!(fabs(x - expected) <= within))
		fail_msg("%g is not %g", x, expected);
}

static const struct waterfall_step *step(const struct waterfall *w, const char *name)
{
	for (unsigned i = 0; i < w->nsteps; i++)
		if (!strcmp(w->steps[i].name, name))
			return &w->steps[i];
	fail_msg("there is no step %s", name);
	return NULL;
}

/* By either way alone the first setting would have 39 or 80 % of the gap. */
static void the_order_does_not_decide(void **state)
{
	const double first = log(1.2) / log(1.6), last = 1 - log(1.1) / log(1.6);
	struct waterfall ways[2];
	char text[WATERFALL_TEXT_BYTES];
	(void)state;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	make(&ways[0]);
	asked.nfactors = 0;
	factor("b", NONE, SECOND);
	factor("a", SECOND, BOTH);
	make(&ways[1]);
	for (int i = 0; i < 2; i++) {
		const struct waterfall *w = &ways[i];
		near(w->orders, 2, 0);
		near(w->possible, 2, 0);
		assert_int_equal(w->nsteps, 2);
		const struct waterfall_step *a = step(w, "a");
		assert_int_equal(a->nsides, 2);
		near(a->share.estimate, (first + last) / 2, 0.005);
		near(a->least, first, 0.01);
		near(a->most, last, 0.01);
		near(step(w, "b")->share.estimate, 1 - a->share.estimate, 1e-9);
		near(w->steps[0].from_gbs * exp(w->log), w->steps[1].to_gbs, 1e-6);
		near(a->ratio.estimate, exp((first + last) / 2 * log(1.6)), 0.005);
		waterfall_say_orders(w, text, sizeof text);
		made_says(text, "both orders");
	}
}

static void one_order_alone_is_said(void **state)
{
	struct waterfall w;
	char text[WATERFALL_TEXT_BYTES];
	(void)state;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	gone = SECOND;
	for (gone_from = 0; gone_from < 10; gone_from += 6) {
		make(&w);
		near(w.orders, 1, 0);
		near(w.possible, 2, 0);
		assert_int_equal(w.nblocks, 10); /* the corner takes none away */
		near(step(&w, "a")->share.estimate, log(1.2) / log(1.6), 0.01);
		waterfall_say_orders(&w, text, sizeof text);
		made_says(text, "One order");
	}
}

/* There and back over a setting: it cannot come back before it went. */
static void a_setting_switched_twice_has_one_order(void **state)
{
	struct waterfall w;
	char text[WATERFALL_TEXT_BYTES];
	(void)state;
	strcpy(asked.gap.to, "first");
	factor("there", NONE, SECOND);
	factor("over", SECOND, BOTH);
	factor("back", FIRST, BOTH);
	make(&w);
	assert_int_equal(w.nsteps, 3);
	near(w.orders, 1, 0);
	near(w.possible, 1, 0);
	waterfall_say_orders(&w, text, sizeof text);
	assert_string_equal(text, "");
}

/* Three settings: eight corners of a cube, of which one is missing. */
static void orders_are_counted_over_a_cube(void **state)
{
	struct settings settings[9];
	struct summary_variant variants[9];
	struct summary s = {.nvariants = 9, .variants = variants};
	struct orders o;
	const unsigned way[] = {0, 1, 3, 7};
	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		settings_default(&settings[i]);
		strcpy(settings[i].mode, i & 1 ? "threads" : "processes");
		settings[i].graph = i & 2 ? 10 : 0;
		settings[i].aggregate = i & 4 ? 4 : 1;
		variants[i] =
		    (struct summary_variant){.settings = &settings[i], .measured = true};
	}
	settings[8].delay_ns = 64; /* is no corner */
	orders_find(&s, way, 4, &o);
	near(o.measured, 6, 0);
	near(o.possible, 6, 0);
	assert_int_equal(o.nsides, 12);
	assert_int_equal(o.nvariants, 8);
	double weights[3] = {0};
	for (unsigned i = 0; i < o.nsides; i++)
		weights[o.sides[i].step] += o.sides[i].weight;
	for (unsigned i = 0; i < 3; i++)
		near(weights[i], 1, 1e-12);
	/* Shapley's weight of a step taken first: 1 in 3. */
	for (unsigned i = 0; i < o.nsides; i++)
		if (o.variants[o.sides[i].from] == 0)
			near(o.sides[i].weight, 1.0 / 3, 1e-12);
	variants[6].measured = false;
	orders_find(&s, way, 4, &o);
	near(o.measured, 4, 0);
	assert_int_equal(o.nvariants, 7);
	/* A corner that no order reaches is not asked for its cells. */
	variants[5].measured = false;
	orders_find(&s, way, 4, &o);
	near(o.measured, 2, 0);
	assert_int_equal(o.nvariants, 5);
}

/* --- in words --- */

static void says(double lo, double hi, const char *expected)
{
	struct waterfall w = {.nsteps = 2, .explained = {(lo + hi) / 2, lo, hi, 10, 0.95}};
	char text[WATERFALL_TEXT_BYTES];
	strcpy(w.steps[0].name, "a");
	w.steps[0].counts = true;
	w.steps[0].share = w.explained;
	waterfall_say(&w, text, sizeof text);
	assert_string_equal(text, expected);
}

static void words_go_with_the_interval(void **state)
{
	(void)state;
	says(0.98, 1.06, "a explains all of the gap (98 to 106 %)");
	says(0.999, 1.002, "a explains all of the gap (99.9 to 100.2 %)");
	says(0.6, 0.75, "a explains 60 to 75 % of the gap; 25 to 40 % is left or undecided");
	says(0.975, 0.998,
	     "a explains 97.5 to 99.8 % of the gap; 0.2 to 2.5 % is left or undecided");
	says(0.4, 1.3,
	     "a explains 40 to 130 % of the gap: too wide to say whether anything is left");
	says(
	    1.02, 1.1,
	    "a explains more than the gap (102 to 110 %); the other steps take 2 to 10 % back");
	says(1, 1, "a explains all of the gap");
}

/* A step may widen the gap, and another close it. */
static void what_works_against_it_is_named(void **state)
{
	struct waterfall w;
	char text[WATERFALL_TEXT_BYTES];
	(void)state;
	speed[FIRST] = 0.9;
	speed[SECOND] = 1.7;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	make(&w);
	assert_true(step(&w, "a")->share.hi < 0);
	waterfall_say(&w, text, sizeof text);
	made_says(text, "b (11");
	made_says(text, " explains all of the gap; a (-1");
	made_says(text, " works against it");
}

/* Where the A/A line is off, a gap within it is none. */
static void no_gap_below_the_noise(void **state)
{
	struct regimes regimes = {.n = 1,
	                          .list = {{.kind = REGIME_LARGE, .least_effect = 0.3}}};
	struct made_loaded l;
	struct status st = {""};
	struct waterfall w;
	char verdict[VERDICT_TEXT_BYTES];
	(void)state;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	made_load(&made, &l);
	/* The gap is 1.6, the steps about 1.3 and 1.2. */
	assert_int_equal(waterfall_make(&l.summary, &regimes, &asked, &w, &st), 0);
	assert_int_equal(w.gap.kind, VERDICT_FASTER);
	assert_true(w.steps[0].counts);
	assert_false(w.steps[1].counts);
	assert_true(w.explained.hi < 0.7);
	regimes.list[0].least_effect = 0.7;
	assert_int_equal(waterfall_make(&l.summary, &regimes, &asked, &w, &st), 0);
	assert_true(isnan(w.explained.estimate) && isnan(w.steps[0].share.estimate));
	made_says(w.why, "A/A line");
	verdict_text(&w.gap, verdict, sizeof verdict);
	made_says(verdict, " cannot be seen here");
	regimes.list[0].tells = true;
	assert_int_equal(waterfall_make(&l.summary, &regimes, &asked, &w, &st), 0);
	assert_true(w.steps[0].counts && w.steps[1].counts);
	made_unload(&l);
}

static void the_report_has_the_interval(void **state)
{
	(void)state;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	asked.factors[0].placebo = true; /* so that not all is explained */
	noise = 0.01;
	const json_t *report = made_report(&made), *list = json_object_get(report, "findings"),
	             *gap = NULL, *table = json_table(report, "waterfall");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(list, i), "type")),
		            "gap"))
			gap = json_array_get(list, i);
	assert_non_null(gap);
	double share = json_number_value(json_at(gap, "explained")),
	       lo = json_number_value(json_at(gap, "explained_lo")),
	       hi = json_number_value(json_at(gap, "explained_hi"));
	assert_true(0.3 < lo && lo < share && share < hi && hi < 0.6);
	json_assert_number(gap, "orders", 2, 0);
	json_assert_number(gap, "orders_possible", 2, 0);
	json_keys b = {"step", "b", NULL};
	json_assert_number(json_cell(table, b, "share"), "", share, 1e-9);
	json_assert_number(json_cell(table, b, "share_lo"), "", lo, 1e-9);
	json_assert_number(json_cell(table, b, "share_hi"), "", hi, 1e-9);
	json_assert_one_says(json_section(report, "gap"), "both orders");
	/* And the picture. */
	char words[160];
	snprintf(words, sizeof words, "W_share[2] = '%s of the gap'",
	         words_shares(lo, hi).text);
	made_says(made_read("plots/run.gp"), words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(the_order_does_not_decide, fresh),
	    cmocka_unit_test_setup(one_order_alone_is_said, fresh),
	    cmocka_unit_test_setup(a_setting_switched_twice_has_one_order, fresh),
	    cmocka_unit_test(orders_are_counted_over_a_cube),
	    cmocka_unit_test(words_go_with_the_interval),
	    cmocka_unit_test_setup(what_works_against_it_is_named, fresh),
	    cmocka_unit_test_setup(no_gap_below_the_noise, fresh),
	    cmocka_unit_test_setup(the_report_has_the_interval, fresh),
	};
	return cmocka_run_group_tests(tests, made_begin, made_end);
}
