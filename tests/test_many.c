/* Many variants: pictures draw those that the gap is about. */
#include "../harness/analysis/plot_order.h"
#include "test.h"

#define MOST 34

static char names[MOST][TRIAL_NAME_BYTES];
static struct summary_variant variants[MOST];
static struct record_run run;
static struct summary summary;

/* n variants, the first the reference, the second its twin, the third the limit; every other of
 * the rest in processes. */
static void make(unsigned n)
{
	for (unsigned v = 0; v < n; v++) {
		snprintf(names[v], sizeof names[v], "variant-%u", v);
		variants[v] =
		    (struct summary_variant){.name = names[v],
		                             .mode = v > 2 && v % 2 ? "processes" : "threads",
		                             .role = v == 0   ? ROLE_REFERENCE
		                                     : v == 1 ? ROLE_AGAIN
		                                     : v == 2 ? ROLE_LIMIT
		                                              : ROLE_VARIANT,
		                             .measured = true};
	}
	summary = (struct summary){.run = &run, .nvariants = n, .variants = variants};
}

static void ask(const char *from, const char *to)
{
	json_decref(run.environment);
	run.environment = json_object();
	if (from)
		json_object_set_new(run.environment, "gap",
		                    json_pack("{s:s, s:s}", "from", from, "to", to));
	else
		json_object_set_new(run.environment, "gap", json_null());
}

TEST(pictures_draw_all_where_they_can)
{
	make(PLOT_ORDER_MOST + 1);
	ask("variant-6", "variant-8");
	for (unsigned v = 0; v <= PLOT_ORDER_MOST; v++)
		assert_int_equal(plot_order_has(&summary, v), v != 2);
	assert_int_equal(plot_order_count(&summary), PLOT_ORDER_MOST);
	assert_int_equal(plot_order_left_out(&summary), 0);
	/* Without a gap nothing says which to leave out. */
	make(MOST);
	ask(NULL, NULL);
	assert_int_equal(plot_order_left_out(&summary), 0);
	assert_int_equal(plot_order_count(&summary), MOST - 1);
}

TEST(of_many_pictures_draw_the_gap)
{
	make(PLOT_ORDER_MOST + 3);
	ask("variant-6", "variant-8");
	variants[3].measured = false; /* so that the first of its mode is the next */
	static const unsigned shown[] = {0, 1, 5, 6, 8};
	unsigned n = 0;
	for (unsigned v = 0; v < summary.nvariants; v++) {
		bool is = n < 5 && shown[n] == v;
		assert_int_equal(plot_order_has(&summary, v), is);
		n += is;
	}
	assert_int_equal(n, 5);
	assert_int_equal(plot_order_count(&summary), 5);
	assert_int_equal(plot_order_left_out(&summary), PLOT_ORDER_MOST + 3 - 2 - 5);
}

FIXTURE(clean)
{
	json_decref(run.environment);
	run.environment = NULL;
}

TESTS(.end = clean);
