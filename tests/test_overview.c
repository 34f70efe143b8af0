/* Pictures of runs with several collectives: one of all, and fewer of each. */
#include "made.h"

/* drawn.sql: of more collectives there are no details, no pictures of each. */
#define DETAIL 4
#define EACH   15

static void stamps(const struct made_place *place, int64_t out[6])
{
	const unsigned of = place->variant == MADE_AGAIN ? MADE_THREADS : place->variant;
	out[2] = 1000 * (1 + of) + 100 * place->rank;
}

static const struct made plain = {
    .blocks = 6, .cores = 8, .timeline = true, .line = made_by_collective, .stamps = stamps};

static const json_t *drawn_report;

static void draw_made(const struct made *m, const char *files)
{
	drawn_report = made_drawn(m, files);
	if (!access(made_path("plots/gnuplot.log"), F_OK))
		fail_msg("gnuplot complains: %s", made_read("plots/gnuplot.log"));
}

/* Draws a run with so many collectives. */
static void draw(unsigned collectives, const char *files)
{
	struct made m = plain;
	m.sizes = collectives;
	draw_made(&m, files);
}

static bool is_stream(const struct made_place *place)
{
	return !place->isolated;
}

static bool drawn(const char *name)
{
	return !access(made_path(test_text("plots/nccl_%s.png", name)), R_OK);
}

static const char *const details[] = {"all_reduce_launch", "all_reduce_ranks", "all_reduce_ecdf",
                                      "all_reduce_timeline"};

TEST(from_three_collectives_on_there_is_an_overview)
{
	static const char *const pictures[] = {"busbw",  "latency", "ratio", "ratio_isolated",
	                                       "launch", "ranks",   "ecdf",  "timeline"};
	draw(2, "*.gp");
	assert_false(drawn("overview"));
	/* A picture of one of several names it. */
	for (unsigned i = 0; i < LENGTH(pictures); i++) {
		char *name = test_text("plots/nccl_all_reduce_%s.svg", pictures[i]);
		assert_says(made_read(name), ">all_reduce, 2 ranks, nccl: ");
	}
	draw(3, "overview.gp");
	assert_true(drawn("overview"));
	assert_says(made_read("report.md"), "(plots/nccl_overview.png)");
	assert_says(made_read("plots/nccl_overview.svg"),
	            ">3 collectives, 2 ranks, nccl: bus bandwidth at 4 KiB<");
	assert_says(made_read("plots/nccl_overview.svg"),
	            ">3 collectives of 4 KiB against threads: single is faster in 3<");
	assert_says(made_read("plots/nccl_overview.svg"), ">processes are slower in 3<");
}

TEST(many_collectives_have_fewer_pictures_each)
{
	draw(DETAIL, "launch.gp ranks.gp ecdf.gp timeline.gp");
	for (unsigned i = 0; i < LENGTH(details); i++)
		assert_true(drawn(details[i]));
	json_lacks(drawn_report, "pictures", "are not drawn");
	draw(DETAIL + 1, "*.gp");
	for (unsigned i = 0; i < LENGTH(details); i++)
		assert_false(drawn(details[i]));
	assert_true(drawn("all_reduce_busbw") && drawn("all_reduce_latency"));
	assert_true(drawn("all_reduce_ratio") && drawn("all_reduce_ratio_isolated"));
	assert_true(drawn("gather_busbw"));
	json_says(drawn_report, "pictures", "The run has 5 collectives: of more than 4");
}

TEST(beyond_that_there_is_the_overview_alone)
{
	struct made m = plain;
	m.has = is_stream; /* half as many pictures */
	m.sizes = EACH;
	draw_made(&m, "busbw.gp overview.gp");
	assert_true(drawn("all_reduce_busbw") && drawn("overview"));
	assert_int_equal(json_array_size(json_object_get(drawn_report, "pictures")), EACH + 1);
	m.sizes++;
	draw_made(&m, "*.gp");
	assert_false(drawn("all_reduce_busbw"));
	assert_false(drawn("all_reduce_ratio"));
	assert_true(drawn("overview"));
	json_says(drawn_report, "pictures", "The run has 16 collectives");
}

/* Small sizes are one line at the bottom of the linear axis that large ones need: each have an
 * axis, which is logarithmic where it spans more than a factor of 8. */
TEST(wide_bandwidths_are_logarithmic)
{
	struct made m = plain;
	m.line = NULL;
	m.has = is_stream;
	m.timeline = false;
	for (m.sizes = 2; m.sizes < 9; m.sizes += 3) {
		/* Each size is four times the one before, 4 KiB to 64 MiB, and takes as long;
		 * the modes differ by 3. */
		draw_made(&m, "busbw.gp");
		const char *text = made_read("plots/nccl_alltoall_busbw.svg");
		assert_says_if(m.sizes != 5, text, ">bus bandwidth, GB/s<");
		assert_says_if(m.sizes == 5, text, ">bus bandwidth, GB/s (log)<");
		assert_says_if(m.sizes == 8, text, ">below 16 MiB (log)<");
		assert_says_if(m.sizes == 8, text, ">16 MiB and more (log)<");
	}
}

TESTS(.slow = true, .begin = made_begin, .end = made_end);
