/* Many variants: tables are turned round, and pictures draw those that the gap is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "../harness/report/bysize.h"
#include "../harness/report/drawn.h"

#define MOST 34

static const size_t sizes[2] = {4096, 65536};
static char names[MOST][TRIAL_NAME_BYTES];
static struct summary_variant variants[MOST];
static struct summary_row rows[2 * MOST];
static struct summary_trial trials[2 * MOST];
static struct stats_ratio gaps[MOST];
static struct summary_group group;
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
	                               .gaps = gaps};
	for (unsigned v = 0; v < n; v++) {
		snprintf(names[v], sizeof names[v], "variant-%u", v);
		gaps[v] = (struct stats_ratio){.estimate = 1, .lo = NAN, .hi = NAN};
		variants[v] =
		    (struct summary_variant){.name = names[v],
		                             .mode = v > 2 && v % 2 ? "processes" : "threads",
		                             .role = v == 0   ? ROLE_REFERENCE
		                                     : v == 1 ? ROLE_AGAIN
		                                     : v == 2 ? ROLE_LIMIT
		                                              : ROLE_VARIANT,
		                             .measured = true};
		for (unsigned i = 0; i < 2; i++)
			rows[2 * v + i] = (struct summary_row){
			    .variant = v,
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
	                           .carries_data = true};
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

static char *text_of(struct grid *table, unsigned width)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	assert_non_null(out);
	grid_text(table, out, width);
	fclose(out);
	grid_free(table);
	return text;
}

static void a_table_is_turned_round(void **state)
{
	(void)state;
	struct grid *table = grid_new(3, 0);
	static const char *const cells[2][3] = {{"size", "a", "b"}, {"1 KiB", "2", "µs"}};
	for (unsigned r = 0; r < 2; r++) {
		grid_row(table);
		for (unsigned c = 0; c < 3; c++)
			grid_put(table, c, "%s", cells[r][c]);
	}
	grid_turn(table);
	grid_turn(NULL);
	char *text = text_of(table, 100);
	assert_string_equal(text, "size  1 KiB\na         2\nb        µs\n");
	free(text);
	/* A row can be added to it. */
	table = grid_new(2, 0);
	grid_row(table);
	grid_put(table, 0, "x");
	grid_put(table, 1, "y");
	grid_turn(table);
	grid_row(table);
	grid_put(table, 0, "z");
	text = text_of(table, 100);
	assert_string_equal(text, "x\ny\nz\n");
	free(text);
}

static void few_variants_stand_beside_each_other(void **state)
{
	(void)state;
	make(10); /* 8 with values of their own */
	ask(NULL, NULL);
	char *text = text_of(bysize_short(&summary, 0), 1000);
	assert_int_equal(strncmp(text, "  size  variant-0  variant-3", 28), 0);
	assert_non_null(strstr(text, "variant-9÷variant-0"));
	free(text);
}

static void many_variants_stand_below_each_other(void **state)
{
	(void)state;
	make(MOST);
	ask(NULL, NULL);
	struct grid *(*const tables[])(const struct summary *, unsigned) = {
	    bysize_short, bysize_values, bysize_ratios};
	for (unsigned i = 0; i < 3; i++) {
		char *text = text_of(tables[i](&summary, 0), 1000);
		assert_int_equal(strncmp(text, "variant", 7), 0);
		assert_non_null(strstr(text, "4 KiB"));
		unsigned lines = 0;
		for (char *p = text; (p = strchr(p, '\n')); p++)
			lines++;
		/* The head; all but the limit, and but the twin or the reference. */
		assert_int_equal(lines, i == 1 ? MOST + 1 : MOST - 1);
		free(text);
	}
	char *text = text_of(bysize_short(&summary, 0), 100);
	char *line = strstr(text, "\nvariant-33 ");
	assert_non_null(line);
	assert_int_equal(strncmp(line + strcspn(line, "3") + 2, "   33.0     133\n", 16), 0);
	assert_null(strstr(text, "÷"));
	free(text);
}

static void pictures_draw_all_where_they_can(void **state)
{
	(void)state;
	make(DRAWN_MOST + 1);
	ask("variant-6", "variant-8");
	for (unsigned v = 0; v <= DRAWN_MOST; v++)
		assert_int_equal(drawn_is(&summary, v), v != 2);
	assert_int_equal(drawn_count(&summary), DRAWN_MOST);
	assert_int_equal(drawn_left_out(&summary), 0);
	/* Without a gap nothing says which to leave out. */
	make(MOST);
	ask(NULL, NULL);
	assert_int_equal(drawn_left_out(&summary), 0);
	assert_int_equal(drawn_count(&summary), MOST - 1);
}

static void of_many_pictures_draw_the_gap(void **state)
{
	(void)state;
	make(DRAWN_MOST + 3);
	ask("variant-6", "variant-8");
	variants[3].measured = false; /* so that the first of its mode is the next */
	static const unsigned shown[] = {0, 1, 5, 6, 8};
	unsigned n = 0;
	for (unsigned v = 0; v < summary.nvariants; v++) {
		bool is = n < 5 && shown[n] == v;
		assert_int_equal(drawn_is(&summary, v), is);
		n += is;
	}
	assert_int_equal(n, 5);
	assert_int_equal(drawn_count(&summary), 5);
	assert_int_equal(drawn_left_out(&summary), DRAWN_MOST + 3 - 2 - 5);
}

static int clean(void **state)
{
	(void)state;
	json_decref(run.environment);
	run.environment = NULL;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_table_is_turned_round),
	    cmocka_unit_test(few_variants_stand_beside_each_other),
	    cmocka_unit_test(many_variants_stand_below_each_other),
	    cmocka_unit_test(pictures_draw_all_where_they_can),
	    cmocka_unit_test(of_many_pictures_draw_the_gap),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
