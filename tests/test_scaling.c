/* Scaling: one run with several numbers of ranks. Planted speeds per ranks are found across them,
 * and nothing is compared that is not of the same question. */
#include "made.h"

#include "here.h"
#include "query.h"

enum { T2, T4, T8, S2, S4, P2, P4, P8, MIXED4, MIXED8, AGAIN, VARIANTS };

static const struct made_variant variants[VARIANTS] = {
    [T2] = {.name = "threads-2", .role = "reference"},
    [T4] = {.name = "threads-4", .layout = "1x4x1"},
    [T8] = {.name = "threads-8", .layout = "1x8x1"},
    [S2] = {.name = "single-2", .mode = "single"},
    [S4] = {.name = "single-4", .mode = "single", .layout = "1x1x4"},
    [P2] = {.name = "processes-2", .mode = "processes"},
    [P4] = {.name = "processes-4", .mode = "processes", .layout = "4x1x1"},
    [P8] = {.name = "processes-8", .mode = "processes", .layout = "8x1x1"},
    [MIXED4] = {.name = "mixed-2x2", .mode = "processes", .layout = "2x2x1"},
    [MIXED8] = {.name = "mixed-2x4", .mode = "processes", .layout = "2x4x1"},
    [AGAIN] = {.name = "threads-2-again", .role = "again"},
};

/* Times of a call, in those of threads on 2 ranks; a call is launched in 3 µs and 1 µs for each
 * rank of a thread. */
static const double takes[VARIANTS] = {1, 2, 4, 1, 2.5, 1.25, 2.5, 8, 2, 4, 1};
static double noise = 0.002;

static void planted(const struct made_place *at, int64_t out[6])
{
	static const unsigned own[VARIANTS] = {1, 1, 1, 2, 4, 1, 1, 1, 1, 1, 1};
	const double ns = 20000.0 * (1 << 2 * at->size) * takes[at->variant] *
	                  (1 + noise * made_noise(at->block, at->variant, at->size));
	out[1] = (3000 + 1000 * own[at->variant]) * (at->isolated ? 1 : 10);
	out[2] = (int64_t)(ns * (at->isolated ? 1 : 10));
}

static const struct made_call calls[] = {{.bytes = 4096},
                                         {.bytes = 64 << 20},
                                         {.collective = "all_reduce", .bytes = 4096},
                                         {.collective = "all_reduce", .bytes = 64 << 20}};

static const struct made run = {.blocks = 8,
                                .ranks = 2,
                                .sizes = 4,
                                .calls = calls,
                                .no_limit = true,
                                .variants = variants,
                                .nvariants = VARIANTS,
                                .stamps = planted};

/* Times across ranks: of all cells that differ in their ranks alone. */
TEST(ratios_go_across_ranks)
{
	static const char *const of[][2] = {{"threads-8", "threads-2"},
	                                    {"processes-8", "processes-2"},
	                                    {"processes-2", "threads-2"}};
	static const double is[] = {4, 6.4, 1.25};
	struct claim_list *asked = ARENA_NEW(scratch(), struct claim_list);
	struct made m = run;
	for (unsigned i = 0; i < LENGTH(of); i++)
		made_claim(asked, METRIC_TIME, CLAIM_LESS, of[i][0], of[i][1])->coll =
		    COLL_ALLTOALL;
	m.asked = asked;
	struct db *db = made_tables(&m, NULL);
	query_gives(db, "SELECT cells, blocks FROM claimed", "2 8; 2 8; 2 8");
	for (unsigned i = 0; i < LENGTH(of); i++)
		assert_near(
		    query_number(db, test_text("SELECT ratio FROM claimed WHERE id = %u", i)),
		    is[i], 0.05);
	query_gives(db, "SELECT ratio_lo > 3.9, ratio_hi < 4.1 FROM claimed WHERE NOT id", "1 1");
	/* The reference is compared with those of its own ranks in regimes. */
	query_gives(db, "SELECT DISTINCT name FROM speed JOIN variant ON id = variant",
	            "single-2; processes-2; threads-2-again");
	query_gives(db, "SELECT round(speed, 1) FROM speed WHERE variant = 5", "0.8; 0.8");
}

/* What changes is said of the modes in which it does. */
TEST(the_answer_is_by_what_changes)
{
	const json_t *answer = json_object_get(made_report(&run), "answer");
	json_assert_one_says(answer, "alltoall, 64 MiB: against threads on as many ranks, "
	                             "bandwidth falls from 2 to 8 ranks in processes (0.8");
	json_assert_one_says(answer, "falls from 2 to 4 ranks in single (");
}

/* Bandwidth is the same; only single's shortest calls grow with the ranks, beyond threads'. */
static void single_waits(const struct made_place *at, int64_t out[6])
{
	const bool small = at->size % 2 == 0;
	const double grows = at->variant == S4   ? 2.5
	                     : at->variant == S2 ? 1.25
	                                         : 1,
	             ns = 20000.0 * (1 << 2 * at->size) * (small && at->isolated ? grows : 1) *
	                  (1 + 0.002 * made_noise(at->block, at->variant, at->size));
	out[1] = 3000;
	out[2] = (int64_t)ns * (at->isolated ? 1 : 10);
}

TEST(latency_grows_where_bandwidth_does_not)
{
	struct made m = run;
	m.stamps = single_waits;
	made_report(&m);
	assert_says(made_read("report.md"),
	            "single's latency grows, 1.250, then 2.500 times threads'");
}

/* What the A/A line covers is no change, and nothing falls or rises. */
TEST(noise_changes_nothing)
{
	noise = 0.6;
	const json_t *report = made_report(&run), *answer = json_object_get(report, "answer");
	noise = 0.002;
	json_assert_one_says(json_section(report, "scaling"),
	                     "alltoall, 64 MiB: it is undecided whether the gap to threads changes "
	                     "from 2 to 8 ranks: by a factor of ");
	json_assert_one_says(answer, "alltoall, 64 MiB: it is undecided whether bus bandwidth "
	                             "changes from 2 to 8 ranks: by a factor of 0.");
	assert_false(json_one_says(answer, "bandwidth falls"));
	assert_false(json_one_says(answer, "bandwidth rises"));
}

TEST(the_picture_is_drawn)
{
	made_drawn(&run, "scaling.gp");
	assert_true(made_has("plots/nccl_scaling.png"));
	assert_false(made_has("plots/gnuplot.log"));
}

/* One run of 1 to 4 ranks: every element is compared with its right answer on so many ranks. */
TEST_WITH(host_has_right_answers_on_any_ranks, set_up, tear_down)
{
	static const struct {
		const char *variant;
		unsigned ranks;
		double bytes; /* of 4160 asked for: parts of a multiple of 16 bytes */
	} wanted[] = {{"alone", 1, 4160}, {"two", 2, 4160}, {"three", 3, 4128}, {"mixed", 4, 4160}};
	struct cli cli =
	    here_run("; A test.\n[experiment]\nbackend = host\nlimit = no\nranks = 4\nblocks = 1\n"
	             "collective = alltoall, all_reduce\nbytes = 4160\nwarmup = 1\nstretches = 1\n"
	             "calls = 2\npace = stream\nreference = two\n"
	             "[variant two]\nmode = threads\nranks = 2\n"
	             "[variant three]\nmode = threads\nranks = 3\n"
	             "[variant alone]\nmode = single\nranks = 1\n"
	             "[variant mixed]\nlayout = 2x2x1\nranks = 4\n"
	             "[variant eight]\nmode = threads\nranks = 8\n",
	             NULL);
	cli_expect(cli, 0, "10 measurements", "data correct");
	assert_lacks(cli.out, "was not drawn");
	assert_says(cli.out, "eight: it has 8 ranks, and this run has 4");
	json_t *report = json_report(here_path("report.json"));
	assert_int_equal(json_count(report, "scaling"), 2 * 4);
	for (size_t i = 0; i < LENGTH(wanted); i++) {
		const json_t *is = json_entries(
		    report, "summary", JSON_IS("variant", wanted[i].variant, "what", "alltoall"));
		json_assert_number(is, "ranks", wanted[i].ranks, 0);
		json_assert_number(is, "bytes", wanted[i].bytes, 0);
		json_assert_number(is, "asked_bytes", 4160, 0);
	}
}

TESTS(.begin = made_begin, .end = made_end);
