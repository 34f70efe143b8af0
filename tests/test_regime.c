/* Small and large sizes are judged separately, and a run that cannot detect differences says so. */
#include "made.h"
#include "query.h"

static double noise, slower; /* of each time; of processes' times */
static double twin, limit;
static unsigned size_shift; /* of all sizes, as a power of two */
static bool no_stream, no_isolated;

/* 10 µs and 100 GB/s. */
static void curve(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 10000 + bytes / 100;
	ns *= p->variant == MADE_PROCESSES ? slower : 1;
	ns *= p->variant == MADE_AGAIN ? twin : 1;
	ns *= p->variant == MADE_LIMIT ? limit : 1;
	ns *= 1 + noise * made_noise(p->variant + 10 * p->size, p->block, 1 + p->isolated);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static struct db *db;

static struct made m;

static void make(void)
{
	db = made_tables(&m, NULL);
}

static void says(const char *sql, const char *is)
{
	query_gives(db, sql, is);
}

FIXTURE(quiet)
{
	noise = 0.001;
	slower = 1.1;
	twin = 1;
	limit = 0.5;
	size_shift = 0;
	no_stream = no_isolated = false;
	m = (struct made){.blocks = 8,
	                  .sizes = 7, /* 4 KiB to 16 MiB */
	                  .stamps = curve};
}

TEST(a_contrast_is_of_speed)
{
	make();
	says("SELECT name, tells, doubt, round(least_effect, 9) FROM regime ORDER BY nth",
	     "small 1  0.02; large 1  0.02");
	/* Nothing is compared with itself, nor anything with the limit. */
	says("SELECT v.name, word, abs(speed * iif(v.name = 'processes', 1.1, 1) - 1) < 0.005 "
	     "FROM speed JOIN variant v ON v.id = variant ORDER BY regime, variant",
	     "single no difference 1; processes slower 1; threads-again no difference 1; "
	     "single no difference 1; processes slower 1; threads-again no difference 1");
	/* A time's own ratio is the other way round. */
	says("SELECT (c ->> 'ratio') > 1.09, (c ->> 'ratio') < 0.92 FROM contrast_found "
	     "WHERE finding = 'regime' AND variant = 2 ORDER BY part",
	     "1 0; 0 1");
}

static void expect_mute(const char *words)
{
	make();
	says("SELECT tells FROM regime", "0; 0");
	assert_says(query(db, "SELECT doubt FROM regime WHERE NOT nth"), words);
	assert_says(query(db, "SELECT doubt FROM regime WHERE nth"), words);
}

TEST(a_run_that_cannot_tell_says_why)
{
	noise = 0.2;
	expect_mute(" cannot be seen: the A/A line is ");
	noise = 0.001;
	twin = 1.05;
	expect_mute("The reference differs from itself: the A/A line is 0.95");
	twin = 1;
	m.blocks = 5;
	expect_mute("5 blocks: below 6 there are no intervals");
	m.blocks = 8;
	m.cores = 1;
	expect_mute("more ranks than the 1 core");
}

/* Of a line that excludes 1 inside the margin: equal within it is said, a smaller difference is
 * not. */
TEST(a_line_that_is_off_by_little_leaves_equality)
{
	slower = 1.006;
	make();
	says("SELECT word FROM speed WHERE variant = 2 ORDER BY regime",
	     "slower by little; slower by little");
	twin = 1.008;
	make();
	says("SELECT tells, off > 0.006 AND off < 0.012 FROM regime", "1 1; 1 1");
	says("SELECT word FROM speed WHERE variant IN (0, 2)",
	     "no difference; no difference; no difference; no difference");
}

static void two_on_each(json_t *environment)
{
	made_set(made_variant_of(environment, MADE_PROCESSES), "{'ranks_per_gpu':2}");
}

/* Their kernels take turns: no time is compared with another. */
TEST(where_ranks_share_a_gpu_nothing_is_compared)
{
	make();
	says("SELECT count(*) FROM regime", "2");
	says("SELECT compared FROM known JOIN variant ON id = variant WHERE name = 'processes'",
	     "1");
	m.environment = two_on_each;
	make();
	says("SELECT count(*) FROM regime", "0");
	says("SELECT trouble FROM given", "-");
	says("SELECT compared FROM known JOIN variant ON id = variant WHERE name = 'processes'",
	     "0");
	says("SELECT uncompared FROM given",
	     "2 ranks share a GPU in processes, where their kernels take turns");
	/* Nor does a picture's title put times side by side. */
	const json_t *captions = json_table(made_report(&m), "captions");
	assert_true(json_is_null(json_cell(captions, JSON_IS("pace", "stream"), "said")));
}

TEST(figures_above_the_limit_are_not_believed)
{
	limit = 3;
	make();
	/* Small is no bandwidth. */
	says("SELECT name, tells FROM regime", "small 1; large 0");
	assert_says(query(db, "SELECT doubt FROM regime WHERE nth"),
	            " % of the measured copy limit");
	m.no_limit = true;
	make();
	says("SELECT tells FROM regime", "1; 1");
}

/* What starts copies costs 40 µs, so that they are no limit of small calls: no share of it is given
 * there, and it is of others. */
static void copies_start_late(const struct made_place *p, int64_t out[6])
{
	curve(p, out);
	if (p->variant == MADE_LIMIT)
		out[2] += 40000 * (p->isolated ? 1 : 10);
}

TEST(where_copies_are_slower_the_limit_is_none)
{
	m.stamps = copies_start_late;
	m.sizes = 7;
	make();
	for (unsigned i = 0; i < 7; i++) {
		const size_t bytes = 4096u << 2 * i;
		const bool below = bytes <= 1 << 20;
		says(test_text(
		         "SELECT DISTINCT limit_gbs IS NULL, copies_gbs > 0 FROM result JOIN "
		         "place p ON p.id = place JOIN copied_at c USING (bytes) WHERE bytes = %zu",
		         bytes),
		     below ? "1 1" : "0 1");
	}
	const json_t *report = made_report(&m);
	const json_t *table = json_table(report, "no_limit");
	assert_int_equal(json_rows(table, JSON_ALL), 5);
	assert_says(made_read("report.md"), ": plain copies are slower there than single and "
	                                    "threads, and no share of them is given.");
	/* A peak that is at such a size has no share. */
	m.sizes = 3;
	table = json_table(made_report(&m), "peaks");
	assert_true(json_is_null(json_cell(table, JSON_IS("variant", "threads"), "of_limit")));
	m.sizes = 7;
	table = json_table(made_report(&m), "peaks");
	assert_false(json_is_null(json_cell(table, JSON_IS("variant", "threads"), "of_limit")));
}

TEST(other_sizes_stand_in)
{
	m.sizes = 5; /* to 1 MiB: of 256 KiB and 1 MiB the larger */
	make();
	says("SELECT third, about FROM regime WHERE name = 'large'", "1 1 MiB, bus bandwidth");
	m.sizes = 3; /* all small */
	make();
	says("SELECT name FROM regime", "small");
}

static void larger(json_t *line, const struct made_place *p)
{
	json_int_t bytes = json_integer_value(json_object_get(line, "bytes")) << size_shift;
	made_set(line, "{'bytes':%lld,'asked_bytes':%lld}", bytes, bytes);
	if (p->isolated ? no_isolated : no_stream)
		json_object_set_new(line, "pass", json_string("timeline"));
}

/* A cell is in one regime, and sizes that replace missing small or large ones are not called so. */
TEST(a_cell_is_in_one_regime)
{
	m.line = larger;
	m.sizes = 1;
	m.no_limit = true;
	size_shift = 6; /* 256 KiB */
	no_isolated = true;
	make();
	says("SELECT name, label, metric FROM regime", "large the largest busbw");
	m.sizes = 2; /* 256 KiB and 1 MiB */
	make();
	says("SELECT label, most_bytes, least_bytes FROM regime",
	     "the smallest 262144 262144; the largest 1048576 1048576");
	json_assert_says(made_report(&m), "trust", "alltoall of 1 MiB: differences above ");
}

/* Isolated calls of large sizes alone, as of steps of training, have an A/A line. */
TEST(without_streams_large_is_latency)
{
	m.line = larger;
	m.sizes = 2;
	m.no_limit = true;
	size_shift = 13; /* 32 and 128 MiB */
	no_stream = true;
	make();
	says("SELECT r.label, metric, cells FROM regime r JOIN speed ON regime = r.nth "
	     "WHERE variant = 2",
	     "large latency 2");
	json_says(made_report(&m), "measured",
	          "Large sizes, single calls: only differences above 2 % can be believed (A/A, "
	          "reference twice: 1.0");
}

TEST(without_gpus_sizes_are_smaller)
{
	m.backend = "host";
	make();
	says("SELECT about FROM regime",
	     "4 KiB, p50 of single calls; 256 KiB to 16 MiB, bus bandwidth");
}

/* Hockney's call. */
static void swept(const struct made_place *at, int64_t out[6])
{
	const double ns =
	    (20000 + (double)(4096ull << 2 * at->size) / 10) * (at->isolated ? 1 : 10);
	out[1] = (int64_t)ns / 10;
	out[2] = (int64_t)(ns * (1 + 0.002 * made_noise(at->block, at->variant, 1)));
	out[3] = 30;
}

/* From how many sizes on a run is a sweep; what a sweep shows is in the records' pages. */
TEST(few_sizes_are_no_sweep)
{
	m = (struct made){.blocks = 6, .cores = 8, .stamps = swept};
	for (m.sizes = 11; m.sizes <= 12; m.sizes++) {
		const json_t *report = made_report(&m);
		assert_int_equal(json_has_table(report, "ranges"), m.sizes == 12);
		assert_int_equal(json_section(report, "ranges") != NULL, m.sizes == 12);
	}
}

TESTS(.begin = made_begin, .end = made_end, .before = quiet);
