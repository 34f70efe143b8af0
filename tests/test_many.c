/* Many variants: pictures draw those that the gap is about. */
#include "../harness/data/db.h"
#include "scratch.h"
#include "test.h"

#define MOST  34
#define DRAWN 12 /* all that pictures can tell apart (drawn.sql) */

/* n variants, the first the reference, the second its twin, the third the limit; every other of
 * the rest in processes. missing: one that was not measured. */
static struct db *make(unsigned n, const char *from, const char *to, unsigned missing)
{
	static const struct record_run none;
	struct db *db = db_open(scratch());
	db_stamps(db, &none);
	assert_works(db_run_text(db, "harness/data/schema.sql", WHY) ||
	             db_run_text(db, "harness/chapters/figures.sql", WHY));
	for (unsigned v = 0; v < n; v++) {
		const char *mode = v > 2 && v % 2 ? "processes" : "threads",
		           *role = v == 0   ? "reference"
		                   : v == 1 ? "again"
		                   : v == 2 ? "limit"
		                            : "variant";
		const char *name = from || v < 3 ? test_text("variant-%u", v)
		                                 : test_text("%s-%u", mode, (v - 3) / 2);
		db_add(db, "variant", "ittttiiittit", v, name, role, mode, "1x2x1", 1, 2, 2, "host",
		       "none", 0, NULL);
		db_add(db, "known", "iiiiiiiiitti", v, v != missing, DB_NONE, 0, 0, 0, 1, 0, 0, "",
		       "", 0);
	}
	if (from) {
		db_add(db, "environment", "tt", "gap.from", from);
		db_add(db, "environment", "tt", "gap.to", to);
	}
	assert_works(db_run_text(db, "harness/analysis/drawn.sql", WHY));
	return db;
}

/* The variants that are drawn, in their order in the file; how many are not. */
static void assert_drawn(struct db *db, const char *which, unsigned left_out)
{
	const struct db_source source = {
	    .file = "test",
	    .sql = "SELECT group_concat(variant, ' '), (SELECT left_out FROM drawn) FROM "
	           "(SELECT variant FROM drawn_variant ORDER BY variant)"};
	struct db_rows *rows = db_ask(db, &source, WHY);
	assert_true(rows && db_next(rows));
	assert_string_equal(db_text(rows, 0), which);
	assert_int_equal((unsigned)db_real(rows, 1), left_out);
	assert_works(db_end(rows, WHY));
}

TEST(pictures_draw_all_where_they_can)
{
	assert_drawn(make(DRAWN + 1, "variant-6", "variant-8", MOST), "0 1 3 4 5 6 7 8 9 10 11 12",
	             0);
	/* Without a gap nothing says which to leave out. */
	assert_drawn(
	    make(MOST, NULL, NULL, MOST),
	    "0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 "
	    "30 31 32 33",
	    0);
}

/* One was not measured, so that the first of its mode is the next. */
TEST(of_many_pictures_draw_the_gap)
{
	assert_drawn(make(DRAWN + 3, "variant-6", "variant-8", 3), "0 1 5 6 8", DRAWN + 3 - 2 - 5);
}

/* Of names that differ in the mode alone; the twin's, which is the last, is the reference's. */
TEST(variants_of_one_name_are_a_family)
{
	struct db *db = make(9, NULL, NULL, MOST);
	const struct db_source source = {
	    .file = "test",
	    .sql = "SELECT group_concat(name || ' ' || family, ', ') FROM "
	           "(SELECT * FROM plotted_variant ORDER BY at)"};
	assert_works(db_run_text(db, "harness/report/plots.sql", WHY));
	struct db_rows *rows = db_ask(db, &source, WHY);
	assert_true(rows && db_next(rows));
	assert_string_equal(db_text(rows, 0),
	                    "variant-0 0, processes-0 1, threads-0 1, processes-1 2, threads-1 2, "
	                    "processes-2 3, threads-2 3, variant-1 0");
	assert_works(db_end(rows, WHY));
}

TESTS();
