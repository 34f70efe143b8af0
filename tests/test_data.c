/* A record as tables: what a query gets, what it may not, and where a mistake in it is. */
#include <sqlite3.h>

#include "made.h"
#include "query.h"

enum { AGAIN = 3 }; /* the reference's twin, of made's variants */

static void stamps(const struct made_place *p, int64_t out[6])
{
	out[2] = (1000 * (p->row + 1) + 100 * p->block) * (p->variant == AGAIN ? 4 : 1);
}

static const struct made made = {.blocks = 3, .sizes = 2, .rows = 3, .cores = 8, .stamps = stamps};
static struct db *db;

FIXTURE(load)
{
	made_begin();
	db = made_tables(&made, NULL);
	assert_non_null(db);
}

static const struct {
	const char *sql, *is;
} cases[] = {
    /* A run is variants, trials and cells. */
    {"SELECT name, role, layout, ranks FROM variant ORDER BY id",
     "single variant 1x1x2 2; threads reference 1x2x1 2; processes variant 2x1x1 2; threads-again "
     "again 1x2x1 2; limit limit 1x2x1 2"},
    {"SELECT count(*), count(DISTINCT variant), max(block) FROM trial", "15 5 2"},
    {"SELECT value FROM environment WHERE key = 'machine.cores'", "8"},
    {"SELECT key, value FROM setting WHERE variant = 0 AND key = 'bind'", "bind none"},
    {"SELECT max(off_rows), count(off_rank), count(off_ns) FROM cell", "0 0 0"},
    /* Times of a cell are medians over its rows. Rows of 1000, 2000 and 3000 ns, later blocks 100
     * ns longer. */
    {"SELECT time_ns, calls_ns FROM timed JOIN variant ON variant.id = variant WHERE name = "
     "'threads' AND bytes = 4096 AND pace = 'isolated' ORDER BY block",
     "2000.0 6000.0; 2100.0 6300.0; 2200.0 6600.0"},
    {"SELECT median(time_ns), quantile(time_ns, 0.25) FROM timed WHERE bytes = 4096 AND pace = "
     "'isolated' AND variant = 0",
     "2100.0 2050.0"},
    /* A ratio is that of Hodges and Lehmann. Of six logarithms the median of all means of two, and
     * as an interval the least and the most; of five there is none. */
    {"WITH l(x, block) AS (VALUES (0.1, 0), (0.5, 1), (0.2, 2), (0.3, 3), (0.6, 4), (0.4, 5)) "
     "SELECT round(ratio(x, block), 6), round(ratio(x, block, 'lo'), 6), "
     "round(ratio(x, block, 'hi'), 6), ratio(x, block, 'hi') FILTER (WHERE block) FROM l",
     "1.419068 1.105171 1.822119 -"},
    /* Numbers and shares have intervals. The same of differences; a median's interval is of order
     * statistics, and half of each is a half. */
    {"WITH n(x) AS (VALUES (-100), (500), (-200), (300), (600), (400)) SELECT "
     "round(pseudomedian(x)), round(pseudomedian(x, 'lo')), round(pseudomedian(x, 'hi')), "
     "median(x, 'lo'), median(x, 'hi'), median(x, 'hi') FILTER (WHERE x > 0), round(share(500 + x, "
     "1000 + 2 * x), 3), "
     "round(share(x + 700, 700, 'lo'), 3) FROM n",
     "250.0 -200.0 600.0 -200.0 600.0 - 0.5 0.714"},
    {"SELECT imbalance(0, 4), pseudomedian(x), share(x, 0) FROM (SELECT 0 x)", "1.0 0.0 -"},
    /* A level is of one trial. The twin takes four times as longand counts for itself. */
    {"SELECT name, round(ratio(time, block)) FROM level JOIN variant v ON v.id = variant JOIN "
     "place ON place.id = place WHERE block = 0 AND pace = 'isolated' AND nth = 1 AND name <> "
     "'limit' GROUP BY name",
     "processes 2000.0; single 2000.0; threads 2000.0; threads-again 8000.0"},
    /* Numbers and versions have an order. Of four numbers in order chance gives one of 4! each
     * way; of versions the second part is a number. */
    {"SELECT round(24 * trend(column1)) FROM (VALUES (1), (2), (5), (7))", "2.0"},
    {"SELECT group_concat(v) FROM (SELECT column1 v FROM (VALUES ('2.28.3'), ('2.9.1')) ORDER BY "
     "version(v))",
     "2.9.1,2.28.3"},
    /* A number that is missing is not counted. */
    {"SELECT median(NULL), quantile(x, 0.5), median(x) FROM (SELECT 3 x UNION ALL SELECT NULL "
     "UNION ALL SELECT 5)",
     "- 4.0 4.0"},
    {"SELECT median(1) FROM variant WHERE 0", "-"},
    /* A verdict is of an interval and a margin. An end at the margin is within it; without an
     * interval nothing is decided. */
    {"SELECT verdict(1.021, 1.03, 0.02), verdict(0.9, 0.98, 0.02), verdict(1 / 1.02, 1.02, 0.02), "
     "verdict(1.01, 1.03, 0.02), verdict(NULL, NULL, 0.02)",
     "faster slower as fast undecided undecided"},
    /* What was chosen is less than measured. Of ratios from 1.05 to 1.10: what is just beyond the
     * hurdle is less than measured, far beyond it is the same, and one that is not beyond stays. */
    {"SELECT chosen(x, b, h) < ratio(x, b) - 0.001, abs(chosen(x, b, 0) - ratio(x, b)) < 0.001, "
     "chosen(x, b, h, 'lo') >= exp(h), chosen(x, b, 1, 'hi') = ratio(x, b, 'hi') FROM (SELECT "
     "ln(1.04 + "
     "column1 / 100.0) x, column1 b, ln(1.045) h FROM (VALUES (1), (2), (3), (4), (5), (6)))",
     "1 1 1 1"},
    /* How probable more is depends on where the truth is. Six blocks of one sign come in one of 64
     * draws. */
    {"SELECT 64 * beyond(column1, column1, 0), 64 * beyond(column1, column1, 7), beyond(NULL, 1, "
     "0) FROM (VALUES (1), (2), (3), (4), (5), (6))",
     "1.0 64.0 -"},
    /* Runs that say the same do not scatter; of two the next one has no interval. */
    {"SELECT round(c ->> 'ratio', 6), c ->> 'runs', c ->> 'blocks', c ->> 'scatter', c ->> 'next' "
     "FROM "
     "(SELECT pooled(1.1, 1, 1.21, 10, 0.95, 0, 0) c FROM (VALUES (1), (2)))",
     "1.1 2 20 0.0 -"},
    /* A range of sizes may be open. */
    {"SELECT size(4096, 65536), size(4096, 4096), size(0, 4096), size(4096, NULL), size(0, "
     "9223372036854775807), size(NULL, 4096)",
     "4 KiB to 64 KiB 4 KiB up to 4 KiB from 4 KiB up all sizes -"},
    /* Of one interval both ends; estimates have theirs after them. */
    {"SELECT ratio(1, 1, 'low')", "q:1:1: the ends of an interval are 'lo' and 'hi'"},
    {"SELECT estimate(1.05), estimate(1.05, 1.0312, 1.071), estimate(1.05, NULL, NULL)",
     "1.050 1.050 (1.031 to 1.071) 1.050"},
    {"SELECT shell_word('a b'), shell_word('ab')", "'a b' ab"},
    /* A query reads and does nothing else. */
    {"DELETE FROM cell", "q:1:1: not authorized"},
    {"DROP TABLE cell", "q:1:1: not authorized"},
    {"ATTACH '/tmp/x' AS x", "q:1:1: not authorized"},
    {"PRAGMA journal_mode", "q:1:1: not authorized"},
    {"SELECT load_extension('x')", "q:1:8: not authorized to use function: load_extension"},
    {"SELECT 1; SELECT 2", "q:1:11: one SELECT is allowed, and nothing else"},
    {"SELECT count(*) FROM trial", "15"},
    /* A mistake has its place. */
    {"SELECT name\nFROM variant\nWHERE nam = 1", "q:3:7: no such column: nam"},
    {"SELECT 1 FROM missing", "q:1:15: no such table: missing"},
    {"SELEC 1", "q:1:1: near \"SELEC\": syntax error"},
    /* A query without an end ends. */
    {"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
     "q:1:1: it takes longer than a query may"},
    {"SELECT 1", "1"},
};

TEST(queries_are_answered)
{
	for (unsigned i = 0; i < LENGTH(cases); i++)
		query_gives(db, cases[i].sql, cases[i].is);
}

/* Within one function no time passes for SQLite: what it looks at is short. */
TEST(a_query_of_somebody_else_takes_short_values)
{
	db_theirs(db, true);
	query_gives(db,
	            "SELECT instr(zeroblob(60000000), CAST(zeroblob(20000000) || x'01' AS BLOB))",
	            "q:1:1: string or blob too big");
	query_gives(db,
	            "SELECT hex(zeroblob(100000)) LIKE replace(hex(zeroblob(20000)), '0', '%0')",
	            "q:1:1: LIKE or GLOB pattern too complex");
	db_theirs(db, false);
	query_gives(db, "SELECT length(zeroblob(1000000))", "1000000");
}

#define MANY "[3000000000,3000000000]"

static void many_wrong(json_t *line, const struct made_place *p)
{
	(void)p;
	made_set(line, "{'wrong':3000000000,'faults':" MANY ",'switches':" MANY "}");
}

/* 3 blocks, 2 ranks. */
TEST(counts_are_not_cut)
{
	struct made many = made;
	many.line = many_wrong;
	struct db *tables = made_tables(&many, NULL);
	assert_non_null(tables);
	query_gives(tables, "SELECT min(wrong), min(faults), min(switches) FROM cell",
	            "3000000000 6000000000 6000000000");
	query_gives(tables,
	            "SELECT min(wrong), min(faults), min(switches) "
	            "FROM result JOIN variant ON variant.id = variant "
	            "WHERE name = 'threads'",
	            "9000000000 18000000000 18000000000");
}

/* Some of its views read stamps of the run. */
TEST(all_of_it_is_a_file_for_others)
{
	const char *file = made_path("run.db");
	struct made_loaded loaded;
	made_load(&made, &loaded);
	struct db *all = figures_load(&loaded.run, NULL, scratch(), WHY);
	assert_int_equal(db_save(all, file, WHY), 0);
	assert_int_equal(db_save(all, file, WHY), -1); /* it is there */
	made_unload(&loaded);
	assert_says(because(), "output file already exists");
	sqlite3 *plain = NULL;
	sqlite3_stmt *views = NULL;
	unsigned n = 0;
	assert_int_equal(sqlite3_open(file, &plain), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(plain,
	                                    "SELECT 'SELECT * FROM [' || name || ']' FROM "
	                                    "sqlite_master WHERE type IN ('view', 'table')",
	                                    -1, &views, NULL),
	                 SQLITE_OK);
	for (; sqlite3_step(views) == SQLITE_ROW; n++)
		if (sqlite3_exec(plain, (const char *)sqlite3_column_text(views, 0), NULL, NULL,
		                 NULL))
			fail_msg("%s: %s", sqlite3_column_text(views, 0), sqlite3_errmsg(plain));
	assert_true(n > 50);
	sqlite3_finalize(views);
	sqlite3_close(plain);
}

TESTS(.begin = load, .end = made_end);
