/* What pictures have to show, and which are not worth one. */
#include "made_pictures.h"

#include "../harness/report/draw.h"
#include "scratch.h"

/* So that a picture has something to show, or not. */
static int64_t launch_of_single, late_of_rank;
static bool level;

static void varied_stamps(const struct made_place *p, int64_t out[6])
{
	stamps(p, out);
	if (level)
		out[2] = 100000 + p->block;
	out[1] = p->variant == MADE_SINGLE ? launch_of_single : 100;
	out[2] += late_of_rank * p->rank;
}

static bool made_picture(const char *name)
{
	return made_has(test_text("plots/%s.png", name));
}

/* One level line, or ranks that all end together, are no picture. */
TEST(what_shows_nothing_is_not_drawn)
{
	struct made m = plain;
	m.stamps = varied_stamps;
	for (unsigned i = 0; i < 2; i++) {
		launch_of_single = i ? 300 : 101;
		late_of_rank = i ? 20000 : 100;
		level = !i;
		made_drawn(&m, "launch.gp ranks.gp latency.gp busbw.gp");
		assert_int_equal(made_picture("nccl_alltoall_launch"), i);
		assert_int_equal(made_picture("nccl_alltoall_ranks"), i);
		assert_int_equal(made_picture("nccl_alltoall_latency"), i);
		assert_true(made_picture("nccl_alltoall_busbw"));
	}
}

#define OWN_AXES "each panel has its own time axis"

/* Of one size or two each variant has a row with its name and its figure, and no line. */
TEST(few_sizes_are_rows_of_variants)
{
	static const char *const pictures[] = {"busbw", "latency", "ratio", "ratio_isolated"};
	for (unsigned sizes = 1; sizes < 4; sizes++) {
		struct made m = plain;
		m.sizes = sizes;
		made_drawn(&m, "busbw.gp latency.gp ratio.gp timeline.gp");
		if (sizes == 3)
			assert_lacks(made_read("plots/nccl_alltoall_timeline.svg"), OWN_AXES);
		for (unsigned i = 0; i < 4; i++) {
			const char *svg =
			    made_read(test_text("plots/nccl_alltoall_%s.svg", pictures[i]));
			assert_says_if(sizes < 3, svg, "4 KiB per rank<");
			assert_says_if(sizes == 2, svg, "16 KiB per rank<");
			if (sizes < 3) {
				assert_says(svg, ">processes<");
				assert_says(svg, i > 1 ? ">0.500<" : ">single<");
			}
		}
	}
}

/* Without an interval a ratio has no bar, down to wherever the axis ends. */
TEST(a_ratio_without_an_interval_has_no_bar)
{
	made_report(&plain);
	assert_string_equal(
	    made_gnuplot("$d <<EOD\nratio,ratio_lo,effect,effect_lo\n0.5,NaN,0.7,NaN\n"
	                 "0.5,0.4,0.7,0.6\nEOD\n"
	                 "stats $d using (end('ratio', '_lo')):(end('effect', '_lo')) nooutput\n"
	                 "print sprintf('%.1f %.1f %.1f %.1f', STATS_min_x, STATS_max_x, "
	                 "STATS_min_y, STATS_max_y)\n"),
	    "0.4 0.5 0.6 0.7\n");
}

static void slow_stamps(const struct made_place *p, int64_t out[6])
{
	stamps(p, out);
	out[2] *= p->variant == MADE_SINGLE ? 100 : 1;
}

/* A call of 8 ms and one of 20 µs on one axis: the short one would be nothing but a line. */
TEST(calls_of_unlike_lengths_have_their_own_axes)
{
	struct made m = plain;
	m.stamps = slow_stamps;
	made_drawn(&m, "timeline.gp");
	assert_says(made_read("plots/nccl_alltoall_timeline.svg"), OWN_AXES);
}

/* How wide the widest row is that begins at the left edge, in a PNG's pixels: of DejaVu Sans. */
static double row_width(const char *svg)
{
	double widest = 0, size = 0, em;
	for (const char *at = svg; (at = strstr(at, "translate(16.00,"));) {
		const bool bold = !strncmp(strstr(at, "sans-serif\" font-") + 17, "weight", 6);
		sscanf(strstr(at, "font-size="), "font-size=\"%lf", &size);
		for (at = strstr(at, "<text>") + 6, em = 0; *at != '<'; at++)
			em += 0.07 * bold + (strchr(" ,.:;'iljtf()-", *at) ? 0.33
			                     : *at < 'a' && *at >= '='     ? 0.7
			                                                   : 0.61);
		widest = fmax(widest, 16 + em * size * 4 / (bold ? 3.42 : 3.54));
	}
	return widest;
}

/* `answer`: the picture next to the answer, among those of some files of plot/; NULL: none is. */
static void draw_reference(const char *dir, const char *files, const char *answer)
{
	if (made_no_gnuplot())
		skip();
	struct model *model = model_make(scratch(), dir, NULL, WHY);
	if (!model || draw_pictures(model, made_folder, made_plots(files), WHY))
		fail_msg("%s: %s", dir, because());
	assert_string_equal(model->drawn.warning, "");
	if (answer)
		assert_string_equal(model->drawn.pictures[model->drawn.answer].name, answer);
	else
		assert_int_equal(model->drawn.answer, -1);
	/* The page shows the answer's first, then those that chapters name, as they name them. No
	 * text is cut. */
	const struct model_picture *all = model->drawn.pictures;
	for (unsigned i = 0; i < model->drawn.npictures; i++) {
		assert_true(!i || i > 5 || all[i].shown > all[i - 1].shown);
		const double wide = row_width(made_read(test_text("plots/%s.svg", all[i].name)));
		assert_in_range(wide, 100, 770);
	}
}

/* How many marks stand where another one does; white is what a mark stands on. */
static unsigned hidden_marks(const char *svg)
{
	const char *mark =
	    "<use xlink:href='#gpPt%*d' transform='translate(%lf,%lf) scale(%*f)' color='%c";
	double x[512], y[512];
	unsigned n = 0, hidden = 0;
	char first;
	for (const char *at = svg; (at = strstr(at + 1, "<use xlink:href='#gpPt")) && n < 512;)
		if (sscanf(at, mark, &x[n], &y[n], &first) == 3 && first != '#') {
			for (unsigned i = 0; i < n; i++)
				hidden += fabs(x[i] - x[n]) < 2 && fabs(y[i] - y[n]) < 2;
			n++;
		}
	assert_true(n > 8);
	return hidden;
}

TEST(no_mark_hides_another)
{
	draw_reference("results/reference/4x-h200/scaling", "scaling.gp busbw.gp", "nccl_scaling");
	assert_int_equal(hidden_marks(made_read("plots/nccl_alltoall_busbw.svg")), 0);
	assert_int_equal(hidden_marks(made_read("plots/nccl_scaling.svg")), 0);
}

/* Of reference records: what is in a picture, and what is not. */
TEST(pictures_of_records_show_what_they_are_of)
{
	// clang-format off
	static const struct {
		const char *dir, *files, *answer, *picture, *says, *lacks; /* dir: NULL: of the record before */
	} rows[] = {
	    /* Six lines are not parted: a panel of the sixth alone said nothing. */
	    {"2x-h200/decode", "ratio.gp launch.gp latency.gp", "nccl_all_reduce_bfloat16_ratio_isolated", "all_reduce_bfloat16_launch", ">single-graph<", "~~"},
	    /* However many variants there are, each has a line of its own, with its name beside it. */
	    {"2x-h200/h800_sendrecv", "waterfall.gp launch.gp latency.gp busbw.gp", "nccl_waterfall", "sendrecv_launch", ", 95 % intervals<", ">lines 1"},
	    {NULL, NULL, NULL, "sendrecv_latency", ", whiskers up to p95", ">lines 1"},
	    {NULL, NULL, NULL, "sendrecv_busbw", ">processes-old-nodirect<", ">processes-old and threads-old"},
	    /* A set is named whole, however long its settings are. What is not drawn is not explained, and what is, by
	     * its name there. */
	    {"2x-h200/tuning_collectives", "gain.gp tuning.gp ratio.gp busbw.gp", "nccl_gain", "tuning", ">   NCCL_CGA_CLUSTER_SIZE=0<", "~~"},
	    {NULL, NULL, NULL, "all_gather_ratio", ">   NCCL_CGA_CLUSTER_SIZE=0<", "~~"},
	    {NULL, NULL, NULL, "gain", ">nccl.all_reduce.conf: NCCL_ALGO=Ring, ", ">set-4: "},
	    {NULL, NULL, NULL, "gain", "; hatched: not confirmed<", "~~"},
	    {"2x-h200/tuning_2.28.3", "gain.gp", "nccl_gain", "gain", ">NCCL_BUFFSIZE=8388608, ", "~~"},
	    /* A title of one size names it, and no range that was not measured. */
	    {"1x-h100/links", "copies.gp ratio.gp busbw.gp", "nccl_copies", "to_host_ratio", " times as fast as ce in to_host at 256 MiB<", "~~"},
	    /* A size of ten digits is that of its calls. */
	    {"2x-h200/protocols_1g", "ratio.gp ecdf.gp busbw.gp", "nccl_all_reduce_ratio_isolated", "all_reduce_ecdf", ">1 GiB (log)<", "~~"},
	    /* A set is named by its settings; zero is zero, with either sign. */
	    {"2x-h200/tuning_2.32.3", "gain.gp tuning.gp ratio.gp busbw.gp", "nccl_gain", "tuning", ">set-10: NCCL_BUFFSIZE=1048576, NCCL_MIN_P2P_NCHANNELS=64<", "e+03"},
	    {NULL, NULL, NULL, "tuning", ">0<", ">-0<"},
	    {NULL, NULL, NULL, "tuning", ">1 GiB<", ">+0<"},
	    {NULL, NULL, NULL, "alltoall_ratio", "set-10: NCCL_BUFFSIZE=1048576", "~~"},
	    /* The headline's own picture, or none. */
	    {"1x-h100/one_gpu_zero_copy", "busbw.gp ratio.gp", NULL, "alltoall_busbw", ">copies-sm<", ">lines 1"},
	    {"2x-h200/pingpong", "ratio.gp busbw.gp", NULL, "all_reduce_ratio", "band: within 2 %", "~~"},
	    {"4x-h200/nccl_versions", "versions.gp busbw.gp", "nccl_sendrecv_versions", "sendrecv_versions", "95 % intervals", "~~"},
	    {NULL, NULL, NULL, "sendrecv_versions", ">sendrecv of 64 MiB, 4 × H200, NCCL 2.21.5 and 2.28.3: by version<", "~~"},
	    {"1x-h100/one_gpu", "overview.gp busbw.gp", "nccl_overview", "overview", "calls back to back", "95 % intervals"},
	    /* What a headline says is in the picture beside it: a jump from one size to the next, not a ratio. */
	    {"2x-h200/cliffs", "busbw.gp ratio.gp", "nccl_sendrecv_busbw", "sendrecv_busbw", "", "~~"},
	    /* One variant of many that is far off is named at the axis's end, and leaves the others apart. */
	    {"2x-h200/luck", "ratio.gp", "nccl_alltoall_ratio_isolated", "alltoall_ratio_isolated", ">↓ threads-sleeping: 0.212 to 0.229, beyond this axis<", ">0.25<"},
	    {NULL, NULL, NULL, "alltoall_ratio", "> 0.7<", "beyond this axis"},
	    /* No whisker takes the axis. */
	    {"2x-h200/congestion", "ratio.gp", "nccl_alltoall_ratio", "alltoall_ratio", ">0.25<", ">0.1<"},
	    /* A title ends with its sizes; a step's name has its place. */
	    {"4x-h200/zero_copy", "ratio.gp", "nccl_alltoall_ratio", "alltoall_ratio", ">16 MiB to 64 MiB, by size<", "…"},
	    {"4x-h200/h800_alltoall", "waterfall.gp", "nccl_waterfall", "waterfall", ">mode-without-<", ">mode-without-zero-copy<"},
	    /* A picture of a step names its variant, and what it shows. */
	    {"2x-h200/ddp_step", "training.gp step.gp latency.gp", "nccl_training", "training_step", ">resnet50, 2 × H200, NCCL 2.28.3: one step of training, 1 MiB buckets", "~~"},
	    {NULL, NULL, NULL, "training_step", ">Communication keeps rank 0 busy for ", "~~"},
	    {NULL, NULL, NULL, "training", ">resnet50 in bfloat16, 25 MiB buckets: ", "~~"},
	    {NULL, NULL, NULL, "training", ">time of a step, ms<", "avg, ms"},
	};
	// clang-format on
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		if (rows[i].dir)
			draw_reference(test_text("results/reference/%s", rows[i].dir),
			               rows[i].files, rows[i].answer);
		const char *svg = made_read(test_text("plots/nccl_%s.svg", rows[i].picture));
		assert_says(svg, rows[i].says);
		assert_lacks(svg, rows[i].lacks);
		assert_lacks(svg, "±"); /* one notation, one kind of interval */
		assert_lacks(svg, "quartiles");
		if (!i)
			assert_int_equal(text_count(svg, ">size per rank (log)<"), 1);
		if (!strcmp(rows[i].says, ">1 GiB<"))
			assert_int_equal(text_count(svg, rows[i].says), 2);
	}
	assert_false(made_picture("nccl_ddp_compute_bfloat16_latency"));
}

/* Of one pair a table has all figures: a bar each said nothing more. */
TEST(one_pair_of_ranks_is_a_table_and_no_picture)
{
	static const struct made_call calls[] = {
	    {.collective = "pingpong", .op = "none", .bytes = 1 << 20, .root = 0},
	    {.collective = "pingpong", .op = "none", .bytes = 1 << 20, .root = 1},
	    {.collective = "pingpong", .op = "none", .bytes = 1 << 20, .root = VALUE_PAIR}};
	for (unsigned ranks = 2; ranks < 4; ranks++) {
		struct made m = plain;
		m.ranks = ranks;
		m.calls = calls;
		m.sizes = ranks == 2 ? 1 : 3;
		assert_true(json_count(made_drawn(&m, "pingpong.gp"), "pingpong") >= m.sizes);
		assert_int_equal(made_picture("nccl_pingpong"), ranks == 3);
	}
}

TESTS(.slow = true, .begin = made_begin, .end = made_end);
