/* Pictures: the content of a script, and the types of the files. */
#include "made_pictures.h"

#include "../harness/report/draw.h"
#include "../harness/report/gnuplot.h"
#include "../harness/data/format.h"
#include "scratch.h"

/* gnuplot itself has to read back what went in, and nothing else may happen. */
TEST(a_quoted_text_is_that_text)
{
	static const char *const texts[] = {"it's",
	                                    "''",
	                                    "it''s \\' \\",
	                                    "`touch pwned`",
	                                    "$(touch pwned) \"a\" @x {/=9 y}",
	                                    "< touch pwned",
	                                    "| touch pwned",
	                                    "%s %d # ; \\n"};
	made_report(&plain); /* for the style */
	char lines[2560] = "", wanted[1280] = "";
	for (unsigned i = 0; i < LENGTH(texts); i++) {
		char quoted[256];
		gnuplot_quote(texts[i], quoted, sizeof quoted);
		status_add(lines, sizeof lines, "x = %s\nprint x\n", quoted);
		status_add(wanted, sizeof wanted, "%s\n", texts[i]);
	}
	assert_string_equal(made_gnuplot(lines), wanted);
	assert_int_not_equal(access("pwned", F_OK), 0);
}

/* Whether a file is well-formed XML, as a real parser has it. */
static bool is_xml(const char *file)
{
	return !system(test_text("python3 -c 'import sys, xml.dom.minidom as xml; "
	                         "xml.parse(sys.argv[1])' %s 2>&1",
	                         file));
}

TEST(every_picture_is_png_and_svg)
{
	char name[200];
	if (made_no_gnuplot())
		skip();
	cli_write(made_folder, "no.svg", "<a>1 & 2</a>");
	assert_false(is_xml(made_path("no.svg")));
	made_write(&plain);
	struct model *m = model_make(scratch(), made_folder, NULL, WHY);
	assert_non_null(m);
	assert_int_equal(draw_pictures(m, made_folder, "plot", WHY), 0);
	const struct model_pictures *drawn = &m->drawn;
	assert_string_equal(drawn->warning, "");
	assert_int_equal(drawn->npictures, 6);
	for (unsigned i = 0; i < drawn->npictures; i++) {
		const struct model_picture *picture = &drawn->pictures[i];
		unsigned char head[24] = {0};
		snprintf(name, sizeof name, "plots/%.100s.png", picture->name);
		FILE *in = fopen(made_path(name), "r");
		assert_non_null(in);
		assert_int_equal(fread(head, 1, sizeof head, in), sizeof head);
		fclose(in);
		assert_memory_equal(head, "\x89PNG\r\n\x1a\n", 8);
		assert_int_equal(head[18] << 8 | head[19], 760);
		snprintf(name, sizeof name, "plots/%.100s.svg", picture->name);
		const char *svg = made_read(name);
		if (!is_xml(made_path(name)))
			fail_msg("%s is no XML", name);
		assert_says(svg, "<svg");
		assert_says(svg, "font-family=\"sans-serif\"");
		assert_lacks(svg, "<script");
		assert_lacks(svg, "<image");
		/* The plotted quantity is named below the title, which says what the plot shows. */
		assert_says(picture->title, "alltoall, 2 ranks, nccl: ");
		assert_says(svg, picture->title);
		assert_true(strlen(picture->caption) > 20);
		char *bold = strstr(svg, "font-weight=\"bold\"");
		assert_non_null(bold);
		bold = strstr(bold, "<text>");
		assert_non_null(bold);
		assert_memory_equal(bold + strlen("<text>"), picture->caption, 20);
	}
	assert_true(drawn->answer >= 0);
	assert_string_equal(drawn->pictures[drawn->answer].name, "nccl_alltoall_ratio_isolated");
	assert_says(drawn->pictures[drawn->answer].caption,
	            "single is 0.500 times as fast as threads at 4 KiB to 64 KiB; processes are "
	            "slower, by under 2 %");
	/* However near to each other, two variants are two lines. */
	assert_says(made_read("plots/nccl_alltoall_busbw.svg"), ">processes<");
}

/* A caption is broken at a blank, and not at that between a number and its unit. */
TEST(a_number_stays_with_its_unit)
{
	static const struct {
		const char *text, *row;
		unsigned most;
	} rows[] = {{"small up to 4 KiB", "small up to ", 13},
	            {"small up to 4 KiB", "small up ", 10},
	            {"off by 2 % here", "off by ", 8},
	            {"of 16 MiB, as in b", "of 16 MiB, ", 12}};
	made_report(&plain);
	char lines[512] = "", right[256] = "";
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		status_add(lines, sizeof lines, "print row('%s', 1, %u).'|'\n", rows[i].text,
		           rows[i].most);
		status_add(right, sizeof right, "%s|\n", rows[i].row);
	}
	assert_string_equal(made_gnuplot(lines), right);
}

static double loud; /* how far the twin may be off */

static void loud_stamps(const struct made_place *p, int64_t out[6])
{
	stamps(p, out);
	if (p->variant == MADE_AGAIN)
		out[2] = (int64_t)((double)out[2] * (1 + loud * made_noise(p->block, p->size, 1)));
}

/* What the pictures of a pace say; `of` is a column of the table of captions. */
static const char *caption_of(const json_t *report, const char *pace, const char *of)
{
	return json_string_value(
	    json_cell(json_table(report, "captions"), JSON_IS("pace", pace), of));
}

/* Each picture says which effects noise cannot hide; for the rest, of what it is undecided. */
TEST(a_noisy_run_still_says_what_is_beyond_its_noise)
{
	static const char beyond[] = "single is 0.4";
	struct made made = plain;
	made.stamps = loud_stamps;
	for (unsigned i = 0; i < 2; i++) {
		loud = i ? 0.95 : 0.2;
		const char *text = caption_of(made_report(&made), "isolated", "said");
		assert_says(text, i ? "KiB: undecided" : "; processes: undecided");
		assert_says_if(!i, text, beyond);
	}
}

/* Of 15 variants that differ from the reference: those that do not fit three rows are counted. */
TEST(captions_of_many_variants_fit)
{
	struct model *m = model_make(scratch(), "results/reference/2x-h200/factors_new", NULL, WHY);
	if (!m)
		fail_msg("%s", because());
	const struct story_table *t = story_find_table(&m->story, "captions");
	for (unsigned i = 0; i < t->nrows; i++) {
		const char *text = story_entry(t, i, "said")->text;
		if (!strcmp(story_entry(t, i, "pace")->text, "stream"))
			assert_says(text, " others: undecided");
		assert_in_range(strlen(text), 100, 3 * 110);
	}
	/* What one of the sizes does not show has its ends. */
	m = model_make(scratch(), "results/reference/4x-h200/beside_nccl-tests/alltoall", NULL,
	               WHY);
	t = m ? story_find_table(&m->story, "captions") : NULL;
	assert_non_null(t);
	assert_says(story_entry(t, 0, "said")->text,
	            " by size; not proven at 16 MiB, 64 MiB, 256 MiB); pro");
}

/* Few factors are a reason, many are the question. */
TEST(many_factors_are_the_answers_picture)
{
	static struct claim_list asked;
	struct made m = plain;
	if (made_no_gnuplot())
		skip();
	m.asked = &asked;
	for (unsigned n = 7; n < 9; n++) {
		while (asked.nfactors < n)
			made_factor(&asked, test_text("f%u", asked.nfactors), "threads",
			            asked.nfactors % 2 ? "processes" : "single");
		made_write(&m);
		assert_works(report_make(made_folder, "plot", NULL, WHY));
		const char *text = made_read("report.md"), *first = strstr(text, "(plots/");
		assert_says(text, "(plots/nccl_factors.png)");
		assert_says(text, "(plots/nccl_alltoall_ratio.png)");
		assert_int_equal(!strncmp(first, "(plots/nccl_factors.png)", 24), n == 8);
	}
}

/* Two blocks of six are ten times as slow: the median of their tails is not that of all calls,
 * which the picture shows. */
static void lame_stamps(const struct made_place *p, int64_t out[6])
{
	stamps(p, out);
	out[2] *= p->block > 4 ? 10 : 1;
}

/* The curve's points are the calls; the first with a share above 95 % is as long as the tail
 * says. */
TEST(a_tail_is_that_of_the_curve)
{
	struct made lame = plain;
	double us = 0, share = 0;
	lame.stamps = lame_stamps;
	const json_t *report = made_report(&lame);
	const char *said = caption_of(report, "isolated", "tail_said"),
	           *at = made_read("plots/ecdf.csv");
	while (share < 0.95 && (at = strstr(at + 1, "\nthreads,alltoall,4096,")))
		assert_int_equal(sscanf(at, "\nthreads,alltoall,4096,%lf,%lf", &us, &share), 2);
	assert_non_null(at);
	assert_says(said, test_text("95 %% of all calls take at most %s µs in threads",
	                            format_number(us).text));
	const double p95_us = json_number_value(json_object_get(
	    json_cell(json_table(report, "summary"),
	              JSON_IS("variant", "threads", "pace", "isolated", "bytes", "4096"), "p95_us"),
	    "value"));
	assert_true(us > 5 * p95_us);
}

static bool is_stream(const struct made_place *p)
{
	return !p->isolated;
}

/* Draws a run of so many sizes: a picture of it. */
static const char *drawn_of(unsigned sizes, const char *picture)
{
	struct made m = plain;
	m.blocks = 2;
	m.sizes = sizes;
	m.timeline = false;
	m.has = is_stream; /* fewer pictures */
	made_drawn(&m, "busbw.gp ratio.gp");
	return made_read(picture);
}

/* 1 GiB has ten digits. The limit is in the key and in the picture, of one size too. */
TEST(every_size_has_its_point_and_the_limit_is_drawn)
{
	const char *picture = "plots/nccl_alltoall_ratio.svg", *point = "xlink:href='#gpPt";
	unsigned below = text_count(drawn_of(9, picture), point), parts = 0;
	assert_true(text_count(drawn_of(10, picture), point) > below);
	const char *dashed = "stroke-dasharray=' 5,8'";
	picture = "plots/nccl_alltoall_busbw.svg";
	assert_int_equal(text_count(drawn_of(1, picture), dashed), 2);
	const char *path = strstr(drawn_of(3, picture), dashed);
	assert_non_null(path);
	for (path = strstr(path, " d='"); *path != '>'; path++)
		parts += *path == 'M';
	assert_true(parts >= 2);
}

/* If calls block, launching has no separate cost: no picture of it, and no other is lost. */
TEST(blocking_calls_have_no_launch)
{
	struct made m = plain;
	m.backend = "gloo";
	m.blocks = 2;
	m.more_of_run = "{'backends':{'gloo':{'carries_data':true,'launches':false}}}";
	made_drawn(&m, "*.gp");
	assert_lacks(made_read("report.md"), "was not drawn");
	assert_int_not_equal(access(made_path("plots/gloo_alltoall_launch.png"), F_OK), 0);
	assert_int_equal(access(made_path("plots/gloo_alltoall_latency.png"), F_OK), 0);
}

/* The names of sizes, at any place in one row, have room. */
TEST(ticks_never_overlap)
{
	struct made m = plain;
	static const char *const pictures[] = {"plots/nccl_alltoall_busbw.svg",
	                                       "plots/nccl_alltoall_ratio.svg",
	                                       "plots/nccl_alltoall_latency.svg"};
	m.blocks = 2;
	m.sizes = 9;
	made_drawn(&m, "busbw.gp ratio.gp latency.gp");
	for (unsigned i = 0; i < 3; i++) {
		double x[64], y[64], here_x = 0, here_y = 0;
		unsigned n = 0;
		for (const char *at = made_read(pictures[i]); (at = strchr(at, '<')); at++) {
			if (!strncmp(at, "<g transform=\"translate(", 24))
				sscanf(at + 24, "%lf,%lf", &here_x, &here_y);
			if (strncmp(at, "<text><![CDATA[", 15) && strncmp(at, "<text>", 6))
				continue;
			const char *end = strstr(at + 6, "</text>");
			if (end && end - at < 24 && strstr(at, "iB") && strstr(at, "iB") < end &&
			    n < 64) {
				x[n] = here_x;
				y[n++] = here_y;
			}
		}
		assert_true(n > 2);
		for (unsigned a = 0; a < n; a++)
			for (unsigned b = 0; b < a; b++)
				if (fabs(y[a] - y[b]) < 8 && fabs(x[a] - x[b]) < 52)
					fail_msg("%s: ticks at %g and %g", pictures[i], x[a], x[b]);
	}
}

TESTS(.slow = true, .begin = made_begin, .end = made_end);
