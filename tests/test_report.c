/* From records to figures: the summary's numbers, the report's words, the pictures. */
#include <sys/resource.h>

#include "query.h"
#include "../harness/report/gnuplot.h"
#include "../harness/data/format.h"
#include "../harness/terminal.h"
#include "made_warnings.h"

#define PLOTS "plot"

/* What a test changes about the record. */
static struct made_variant variants[MADE_VARIANTS];
static struct made made;
static const char *title;
static unsigned faults, switches, wrong;
static bool no_data, only_stream, all_failed;
static unsigned lose_block; /* processes has no trial in it; 0: none is lost */

/* threads takes 1000 ns × size ÷ 4 KiB × (1 + up to 5 %, no trend over blocks), single twice,
 * processes 1.25 times that; one row takes ten times that. Rank 1 starts 8 ns later and ends
 * 20 ns later than rank 0. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	static const unsigned wander[] = {0, 5, 1, 4, 3, 2};
	static const double times[] = {2, 1, 1.25, 1, 0.25};
	const unsigned slow = p->block % (p->isolated ? 5 : 3);
	double ns = 1000.0 * (1 << (2 * p->size)) * (1 + wander[p->block % 6] / 100.0);
	ns *= times[p->variant] * (p->isolated ? 1 : 10) * (p->row == slow ? 10 : 1);
	out[0] = p->rank ? 8 : 0;
	out[2] = (int64_t)ns - (p->rank ? 0 : 20);
	out[1] = out[0] + (out[2] - out[0]) / 4;
	out[3] = 30 + p->rank;
}

static bool has(const struct made_place *p)
{
	return !(only_stream && p->isolated) &&
	       !(lose_block && p->variant == MADE_PROCESSES && p->block == lose_block) &&
	       !*(variants[p->variant].skip ? variants[p->variant].skip : "");
}

static void environment(json_t *env)
{
	json_object_set_new(env, "title", json_string(title));
	made_set(env,
	         "{'question':'Is it slower?','command':['launchgap','it's $HOME'],'blocks':6,"
	         "'machine':{'cores':%u,'cpu':'A | CPU','gpus':[{'name':'NVIDIA H200'}]}}",
	         made.cores);
}

static void line(json_t *cell, const struct made_place *p)
{
	bool processes = p->variant == MADE_PROCESSES;
	made_set(cell, "{'faults':[0,%u],'switches':[%u,0],'wrong':%u}", faults, switches,
	         processes ? wrong : 0);
	if (no_data)
		json_object_set_new(cell, "wrong", json_null());
	if (all_failed)
		json_object_set_new(cell, "error", json_string("rank 1: NCCL says: no"));
}

static const char *ended; /* why; NULL: it has no such line */

static void end_line(FILE *out)
{
	if (ended)
		fputs(test_quotes(test_text(
		          "{'schema':1,'kind':'end','reason':'%s','text':'So it went'}\n", ended)),
		      out);
}

FIXTURE(fresh)
{
	const struct made_variant plain[MADE_VARIANTS] = {
	    {.name = "single", .mode = "single", .library = "2.28.3"},
	    {.name = "threads", .role = "reference", .library = "2.28.3"},
	    {.name = "processes", .mode = "processes", .library = "2.28.3"},
	    {.name = "threads-again", .role = "again", .library = "2.28.3"},
	    {.name = "limit", .role = "limit", .library = "2.28.3"},
	};
	memcpy(variants, plain, sizeof plain);
	made = (struct made){.blocks = 6,
	                     .sizes = 3,
	                     .isolated_rows = 5,
	                     .cores = 8,
	                     .variants = variants,
	                     .has = has,
	                     .environment = environment,
	                     .line = line,
	                     .more = end_line,
	                     .stamps = stamps};
	title = "alltoall by mode";
	ended = NULL;
	faults = switches = wrong = lose_block = 0;
	no_data = only_stream = all_failed = false;
}

/* Within a thousandth. */
#define near(IS, WANTED) assert_close(IS, WANTED, 1e-3)

TEST(only_blocks_of_both_are_paired)
{
	lose_block = 3;
	struct db *db = made_tables(&made, NULL);
	/* Paired by block the drift over blocks cancels out, and five have no interval. */
	query_gives(db,
	            "SELECT v.name, round(ratio, 3), ratio_lo, ratio_blocks "
	            "FROM result r JOIN variant v ON v.id = r.variant "
	            "JOIN place p ON p.id = place WHERE pace = 'stream' "
	            "AND bytes = 4096 AND v.name = 'processes'",
	            "processes 0.8 - 5");
	query_gives(db,
	            "SELECT ratio_blocks FROM result JOIN place p ON p.id = place "
	            "WHERE pace = 'stream' AND bytes = 4096 AND variant = 0",
	            "6");
	query_gives(db, "SELECT speed_blocks FROM speed WHERE (variant, regime) = (2, 0)", "5");
}

/* What threads have at 4 KiB in streams. */
static const char *of_threads(const char *columns)
{
	return query(
	    made_tables(&made, NULL),
	    test_text("SELECT %s FROM result r JOIN place p ON p.id = place JOIN variant v ON "
	              "v.id = r.variant, given WHERE name = 'threads' AND pace = 'stream' AND "
	              "bytes = 4096",
	              columns));
}

TEST(one_block_is_no_aggregate)
{
	made.blocks = 1;
	assert_string_equal(of_threads("round(time_us, 3), time_us_lo, time_us_hi"), "1.0 - -");
}

TEST(no_data_has_no_bandwidth)
{
	no_data = made.no_limit = true;
	assert_string_equal(of_threads("busbw_gbs, algbw_gbs, round(time_us, 3), data"),
	                    "- - 1.025 0");
	/* Where other reports have bandwidths, this one has times. */
	const json_t *table = json_table(made_report(&made), "summary");
	json_keys row = {"variant", "threads", "pace", "stream", "asked_bytes", "4096", NULL};
	json_assert_number(json_cell(table, row, "time_us"), "value", 1.025, 1e-6);
	json_assert_null(json_cell(table, row, "busbw"), "");
	assert_says(made_read("report.md"), "time per call (quartiles), µs");
}

TEST(csv_quotes_names_and_needs_room)
{
	variants[MADE_PROCESSES].name = "a \"b\", c";
	made.backend = "=HYPERLINK(1)";
	made_report(&made);
	char *text = made_read("summary.csv");
	assert_says(text, "\n\"a \"\"b\"\", "
	                  "c\",variant,processes,2x1x1,'=HYPERLINK(1),2.28.3,2,alltoall,alltoall,"
	                  "4096,");
	assert_lacks(text, "nan");
	unlink(made_path("summary.csv"));
	/* No room for it: the same as a full disk, except for the system's word. */
	struct rlimit was, none;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	none = (struct rlimit){.rlim_cur = 1, .rlim_max = was.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	int rc = report_make(made_folder, "/nowhere", NULL, WHY);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(rc, -1);
	assert_says(because(), "File too large");
	unlink(made_path("summary.csv"));
}

TEST(warnings_say_what_to_do)
{
	variants[MADE_SINGLE].skip = "NCCL_LEGACY is not set";
	made.backend = "host";
	made.blocks = 3;
	made.sizes = 1;
	made.cores = 1;
	faults = 4;
	switches = 7;
	const struct warnings *w = made_warnings(&made, true);
	assert_says(w->all, "last line of the record was cut off");
	assert_says(w->all, "3 of the 6 blocks");
	assert_says(w->all, "trials failed. To go on: launchgap resume ");
	assert_says(w->all, "Left out: single: NCCL_LEGACY is not set");
	assert_says(w->all, "more ranks than the 1 core");
	assert_says(w->all, "Page faults in timed calls: ");
	assert_says(w->all, "Involuntary context switches in timed calls: ");
	assert_says(w->all, "it is a bug of the backend");
	/* Of nccl it is the driver. */
	fresh();
	faults = 4;
	made_warnings(&made, false);
	assert_int_equal(w->count, 1);
	assert_says(w->all, "the driver, which maps memory during calls");
	assert_lacks(w->all, "bug");
	/* A quiet run has none. */
	fresh();
	made_warnings(&made, false);
	assert_int_equal(w->count, 0);
	/* On host, single has one core's bandwidth. */
	fresh();
	made.backend = "host";
	made_warnings(&made, false);
	assert_int_equal(w->count, 1);
	assert_says(w->all, "one core's bandwidth at every size");
}

TEST(what_ended_the_run_is_said)
{
	static const char *const reasons[] = {"blocks", "precision", "budget"};
	made.blocks = 5; /* of 6 */
	for (size_t i = 0; i < 3; i++) {
		ended = reasons[i];
		const json_t *report = made_report(&made),
		             *warnings = json_object_get(report, "warnings");
		json_says(report, "method", "Why it ended: So it went.");
		/* Fewer than asked for is no fault if the run decided so itself. */
		assert_int_equal(json_one_says(warnings, "5 of the 6 blocks"), i == 0);
		assert_int_equal(json_one_says(warnings, "The time budget ended"), i == 2);
		json_keys row = {"variant", "processes", NULL};
		const json_t *table = json_table(report, "verdicts_small");
		json_assert_null(json_cell(table, row, "verdict"), "");
		json_assert_number(json_cell(table, row, "speed"), "blocks", 5, 0);
	}
}

TEST(a_run_without_times_says_why)
{
	all_failed = true;
	const json_t *report = made_refused(&made, PLOTS, WHY);
	assert_says(because(), "no cell was measured");
	json_says(report, "warnings", "were not measured: rank 1: NCCL says: no");
}

TEST(pictures_suit_what_was_measured)
{
	/* One size, nothing moved: bars of times, no bandwidth. */
	made.backend = "null";
	no_data = made.no_limit = true;
	made.sizes = 1;
	made_drawn(&made, "*.gp");
	assert_says(made_read("report.md"), "\n# Without a GPU a call takes ");
	assert_true(made_has("plots/null_alltoall_latency.png"));
	assert_true(made_has("plots/null_alltoall_launch.png"));
	assert_false(made_has("plots/null_alltoall_busbw.png"));
	/* Those of the last drawing are gone. */
	assert_false(made_has("plots/nccl_alltoall_busbw.png"));
	assert_false(made_has("plots/gnuplot.log"));
	/* One size with data, stream only, two blocks. */
	fresh();
	made.sizes = 1;
	made.blocks = 2;
	only_stream = true;
	made_drawn(&made, "*.gp");
	assert_true(made_has("plots/nccl_alltoall_busbw.png"));
	assert_true(made_has("plots/nccl_alltoall_ratio.png"));
	assert_true(made_has("plots/nccl_alltoall_launch.png"));
	assert_false(made_has("plots/nccl_alltoall_latency.png"));
	assert_false(made_has("plots/gnuplot.log"));
}

TEST(hostile_names_stay_text)
{
	variants[MADE_PROCESSES].name = "a'`touch pwned`\\\"$(x), | ]]><b>";
	title = "it's \"%s\" `touch pwned` \\n @x {/=20 y} $(touch pwned)";
	made.backend = "../../e'vil";
	made_drawn(&made, "busbw.gp");
	assert_false(made_has("plots/gnuplot.log"));
	assert_true(made_has("plots/------e-vil_alltoall_busbw.png"));
	assert_int_not_equal(access("pwned", F_OK), 0);
	assert_lacks(made_read("report.md"), "<b>");
	/* XML has "]]>" at the end of a CDATA section alone, in front of a tag. */
	const char *svg = made_read("plots/------e-vil_alltoall_busbw.svg");
	assert_says(svg, "]] >");
	while ((svg = strstr(svg, "]]>")))
		assert_int_equal(*(svg += 3), '<');
}

TEST(quoting_ends_where_it_must)
{
	char out[16];
	gnuplot_quote("it's\n", out, sizeof out);
	assert_string_equal(out, "\"it\\047s \"");
	gnuplot_quote("", out, sizeof out);
	assert_string_equal(out, "''");
	gnuplot_quote("]]>b]]>", out, sizeof out);
	assert_string_equal(out, "']] >b]] >'");
	/* Cut: still one string, and no half character or half number. */
	for (unsigned n = 4; n < 12; n++) {
		char cut[12];
		gnuplot_quote("\xC3\xA4\xC3\xB6"
		              "b\xE2\x82\xAC\xC3\xB7",
		              cut, n);
		assert_true(strlen(cut) < n);
		assert_true(cut[0] == '\'' && cut[strlen(cut) - 1] == '\'');
		/* Characters of two, two, one, three and two bytes: as many as fit whole. */
		assert_int_equal(strlen(cut), n < 5 ? 2 : n < 7 ? 4 : n < 8 ? 6 : n < 11 ? 7 : 10);
		gnuplot_quote("a'b", cut, n);
		assert_string_equal(cut, n < 8 ? "\"a\"" : n < 9 ? "\"a\\047\"" : "\"a\\047b\"");
	}
}

TEST(labels_are_short)
{
	char text[32];
	coll_size_label(4096, text, sizeof text);
	assert_string_equal(text, "4 KiB");
	coll_size_label(1000, text, sizeof text);
	assert_string_equal(text, "1000 B");
	coll_size_label((size_t)64 << 30, text, sizeof text);
	assert_string_equal(text, "64 GiB");
	coll_size_label(1536, text, sizeof text);
	assert_string_equal(text, "1.5 KiB");
	assert_string_equal(format_number(NAN).text, "-");
	assert_string_equal(format_number(0.0512).text, "0.051");
	const struct stats_ratio wide = {.estimate = 0.837, .lo = 0.3912, .hi = 1.83},
	                         wild = {.estimate = 3, .lo = 0.0213, .hi = 1234.5};
	assert_string_equal(format_ratio(&wild).text, "3.000 (0.021 to 1234)");
	assert_string_equal(format_ratio(&wide).text, "0.837 (0.391 to 1.830)");
	/* No powers of ten, however wide the noise. */
	assert_string_equal(format_effect(0.0651).text, "6.5 %");
	assert_string_equal(format_effect(0.19).text, "19 %");
	assert_string_equal(format_effect(1.5).text, "a factor of 2.5");
	assert_string_equal(format_effect(307.3).text, "a factor of 310");
	assert_string_equal(format_effect(2.6e5).text, "a factor of 260000");
	assert_string_equal(format_percent(0.0749).text, "7.5");
	assert_string_equal(format_percent(0.997).text, "100");
	assert_string_equal(format_percent(114.3).text, "11000");
	assert_string_equal(format_number(99.97).text, "100");
	assert_string_equal(format_number(-145.12).text, "-145");
	/* A number has the places of the estimate, or fewer if it is large itself. */
	const struct stats_ratio far = {.estimate = 4.42, .lo = 0.7514, .hi = 234.852},
	                         low = {.estimate = 0.0003, .lo = 0.00004, .hi = 0.0072},
	                         deep = {.estimate = 163, .lo = 0.031, .hi = 1238},
	                         high = {.estimate = 68.02, .lo = 8.04, .hi = 577.04};
	assert_string_equal(format_ratio(&far).text, "4.420 (0.751 to 235)");
	assert_string_equal(format_ratio(&low).text, "1/3333 (1/25000 to 1/139)");
	assert_string_equal(format_estimate(0.00251).text, "1/398");
	assert_string_equal(format_estimate(0.0942).text, "1/10.6");
	assert_string_equal(format_estimate(0.0996).text, "0.100");
	assert_string_equal(format_ratio(&deep).text, "163 (0.03 to 1238)");
	assert_string_equal(format_ratio(&high).text, "68.0 (8.0 to 577)");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
