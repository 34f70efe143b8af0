/* Many variants: tables have a row for each, and pictures draw those that the gap is about. */
#include "../harness/analysis/plot_order.h"
#include "../harness/analysis/analysis.h"
#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/report/table.h"
#include "../harness/story/story.h"
#include "json.h"
#include "test.h"

#define MOST 34

static const size_t sizes[2] = {4096, 65536};
static char names[MOST][TRIAL_NAME_BYTES];
static struct summary_variant variants[MOST];
static struct summary_row rows[2 * MOST];
static struct summary_trial trials[2 * MOST];
static struct summary_row *places[2 * MOST];
static unsigned first[1];
static struct summary_group group;
static const struct backend_traits traits = {.carries_data = true};
static struct record_variant recorded[MOST];
static struct record_run run;
static struct summary summary;

/* n variants, the first the reference, the second its twin, the third the limit; every other of
 * the rest in processes. Variant v has v GB/s at the first size, 100 + v at the second. */
static void make(unsigned n)
{
	memset(rows, 0, sizeof rows);
	group = (struct summary_group){.cell = {.coll = COLL_ALLTOALL, .bytes = sizes[0]},
	                               .nranks = 2,
	                               .nsizes = 2,
	                               .bytes = (size_t *)(uintptr_t)sizes,
	                               .asked_bytes = (size_t *)(uintptr_t)sizes,
	                               .moved_bytes = (size_t *)(uintptr_t)sizes};
	for (unsigned v = 0; v < n; v++) {
		snprintf(names[v], sizeof names[v], "variant-%u", v);
		variants[v] =
		    (struct summary_variant){.name = names[v],
		                             .path = "",
		                             .library = "",
		                             .mode = v > 2 && v % 2 ? "processes" : "threads",
		                             .role = v == 0   ? ROLE_REFERENCE
		                                     : v == 1 ? ROLE_AGAIN
		                                     : v == 2 ? ROLE_LIMIT
		                                              : ROLE_VARIANT,
		                             .traits = &traits,
		                             .measured = true};
		recorded[v] = (struct record_variant){
		    .name = names[v], .role = summary_role_name(variants[v].role), .skip = ""};
		for (unsigned i = 0; i < 2; i++)
			rows[2 * v + i] =
			    (struct summary_row){.variant = v,
			                         .cell = {.coll = COLL_ALLTOALL,
			                                  .bytes = sizes[i],
			                                  .asked_bytes = sizes[i]},
			                         .ntrials = 1,
			                         .trials = &trials[2 * v + i],
			                         .carries_data = true,
			                         .time_us = 1,
			                         .time_us_lo = 1,
			                         .time_us_hi = 1,
			                         .busbw_gbs = 100 * i + v,
			                         .ratio = {.estimate = 1, .lo = NAN, .hi = NAN}};
	}
	summary = (struct summary){.run = &run,
	                           .nvariants = n,
	                           .variants = variants,
	                           .nrows = 2 * n,
	                           .rows = rows,
	                           .ngroups = 1,
	                           .groups = &group,
	                           .nblocks = 1,
	                           .measured = true,
	                           .carries_data = true,
	                           .index = {.nplaces = 2, .first = first, .rows = places}};
	index_rows(&summary);
	run.nvariants = n;
	run.variants = recorded;
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

/* What a value by size looks like, as the chapter tells it. */
struct asked {
	const char *value;
	json_t *json;
};

static void tell(struct arena *arena, void *of)
{
	const char *const chapters[] = {"run", "sizes"};
	const struct analysis analysis = {.s = &summary};
	struct status st = {0};
	struct asked *asked = of;
	struct story story;
	summary.arena = arena;
	story_make(figures_load(&analysis, arena, &st), chapters, 2, arena, &story);
	const struct story_chapter *c = story_find(&story, "sizes");
	for (unsigned i = 0; i < c->nblocks && !asked->json; i++) {
		const struct story_block *b = &c->blocks[i];
		if (b->kind == STORY_PART && strstr(b->text, asked->value))
			asked->json = table_to_json(b[1].table);
	}
}

static json_t *by_size(const char *value)
{
	struct asked asked = {value, NULL};
	assert_int_equal(arena_run(tell, &asked, NULL), 0);
	assert_non_null(asked.json);
	return asked.json;
}

TEST(few_variants_stand_beside_each_other)
{
	make(3);
	json_t *table = by_size("bus bandwidth");
	assert_true(json_has_column(table, "asked_bytes"));
	json_keys large = {"asked_bytes", "65536", NULL};
	json_assert_number(json_cell(table, large, "variant-0"), "value", 100, 0);
	json_assert_number(json_cell(table, large, "variant-2"), "value", 102, 0);
	assert_int_equal(json_rows(table, JSON_ALL), 2);
	json_decref(table);
}

TEST(many_variants_stand_below_each_other)
{
	static const unsigned counts[] = {4, MOST};
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = counts[i];
		make(n);
		char *last = test_text("variant-%u", n - 1);
		json_t *table = by_size("bus bandwidth");
		json_keys row = {"line", last, NULL};
		/* The limit too, and the twin. */
		assert_int_equal(json_rows(table, JSON_ALL), n);
		json_assert_number(json_cell(table, row, "4 KiB"), "value", n - 1, 0);
		json_assert_number(json_cell(table, row, "64 KiB"), "value", 100 + n - 1, 0);
		json_decref(table);
	}
	/* But neither limit nor reference against the reference. */
	json_t *table = by_size("speed against");
	assert_int_equal(json_rows(table, JSON_ALL), MOST - 2);
	assert_int_equal(json_rows(table, JSON_IS("line", "variant-0")), 0);
	assert_int_equal(json_rows(table, JSON_IS("line", "A/A: variant-0 again")), 1);
	json_assert_number(json_cell(table, JSON_IS("line", "variant-33"), "4 KiB"), "estimate", 1,
	                   0);
	json_decref(table);
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
	return 0;
}

TESTS(.end = clean);
