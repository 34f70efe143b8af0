/* nccl-tests' columns: the fields that a parser of its output finds in ours. */
#include "made.h"

#include "../harness/report/nccl.h"

/* What nccl-tests 2.19.6 itself prints for these figures: made by its writeBenchmarkLine…
 * functions (src/util.cu), given the time, the bandwidths of it, and the wrong elements. */
static const struct golden {
	enum coll_kind coll;
	size_t bytes;
	double out_us, in_us;
	uint64_t in_wrong;
	const char *line;
} goldens[] = {
    {COLL_ALLTOALL, 4096, 6.875, 13.75, 3,
     "        4096           256     float    none      -1     6.88    0.60    0.45       0"
     "    13.75    0.30    0.22       3\n"},
    {COLL_ALL_REDUCE, 1073741824, 2388.4, 4776.8, 0,
     "  1073741824     268435456     float     sum      -1  2388.40  449.57  674.35       0"
     "  4776.80  224.78  337.17       0\n"},
    {COLL_SENDRECV, 16777216, 1234567.8, 2469135.6, 1234567,
     "    16777216       4194304     float     sum      -1  1234568    0.01    0.01       0"
     "  2469136    0.01    0.01  1.23457e+06\n"},
    {COLL_ALL_REDUCE, 1048576, 99999.996, 199999.992, 0,
     "     1048576        262144     float     sum      -1   100000    0.01    0.02       0"
     "   200000    0.01    0.01       0\n"},
    {COLL_HYPERCUBE, 1048576, 20.0, 40.0, 0,
     "     1048576         65536     float              -1    20.00   39.32   39.32       0"
     "    40.00   19.66   19.66       0\n"},
    {COLL_ALLTOALL, 1024, 0.004, 0.008, 0,
     "        1024            64     float    none      -1     0.00  256.00  192.00       0"
     "     0.01  128.00   96.00       0\n"},
    {COLL_ALLTOALL, 1073741824, 123456789.0, 0.0001, 0,
     "  1073741824      67108864     float    none      -1  1.2e+08    0.01    0.01       0"
     "     0.00   1e+10   8e+09       0\n"},
    {COLL_ALLTOALLV, 4096, 0.1, 0.2, 0,
     "        4080           256     float    none      -1     0.10   40.80   30.60       0"
     "     0.20   20.40   15.30       0\n"},
};

static const struct golden *golden;

/* All four ranks take it for ten calls, one starting after the other: our own time is another one,
 * and the bandwidths are of that. */
static void as_golden(const struct made_place *place, int64_t out[6])
{
	const double us = place->size % 2 ? golden->in_us : golden->out_us;
	out[0] = 1000 * place->rank;
	out[2] = out[1] = out[0] + llround(us * 1e4);
	out[3] = 1;
}

static void wrong_as_golden(json_t *line, const struct made_place *place)
{
	if (place->size)
		json_object_set_new(line, "wrong", json_integer((json_int_t)golden->in_wrong));
}

/* Of 4 ranks, of which the next one but d gets d of 6 parts. */
#define SKEWED "{'counts':[0,1,2,3],'parts':'by rank'}"

static const struct made_variant threads = {
    .name = "threads", .role = "reference", .layout = "1x4x1", .library = "2.28.3"};

/* What is printed of a record of one variant. */
static const char *table_of(const struct golden *g, struct made made)
{
	static struct cli cli;
	const char *const args[] = {"report", made_folder, "--format", "nccl-tests", NULL};
	const struct made_call calls[] = {
	    {.collective = coll_info(g->coll)->name, .bytes = g->bytes},
	    {.collective = coll_info(g->coll)->name, .bytes = g->bytes, .in_place = true}};
	golden = g;
	made.ranks = 4;
	made.rows = made.blocks = made.nvariants = 1;
	made.variants = &threads;
	made.stamps = as_golden;
	made.calls = made.calls ? made.calls : calls;
	made.sizes = made.sizes ? made.sizes : LENGTH(calls);
	made_write(&made);
	cli = cli_run(made_folder, args);
	return cli.out;
}

TEST(lines_are_those_of_nccl_tests)
{
	for (size_t i = 0; i < LENGTH(goldens); i++) {
		const struct made made = {.line = wrong_as_golden,
		                          .more_of_run =
		                              goldens[i].coll == COLL_ALLTOALLV ? SKEWED : NULL};
		const char *text = table_of(&goldens[i], made);
		assert_says(text, goldens[i].line);
		assert_says(text, goldens[i].in_wrong ? "\n# Out of bounds values : 1 FAILED\n"
		                                      : "\n# Out of bounds values : 0 OK\n");
	}
}

/* Programs that look for its first line find the version, and that of the library. */
TEST(headers_are_those_of_nccl_tests)
{
	static const char *const says[] = {
	    "# nccl-tests version 2.19.6+launchgap nccl-headers=0 nccl-library=22803 ",
	    "measured and printed by launchgap ",
	    "#\n"
	    "#                                                              out-of-place      "
	    "                 in-place          \n"
	    "#       size         count      type   redop    root     time   algbw   busbw  "
	    "#wrong     time   algbw   busbw  #wrong \n"
	    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)    "
	    "         (us)  (GB/s)  (GB/s)         \n"
	    "        4096 ",
	    "# Collective test starting: alltoall_perf\n"
	    "# nThread 4 nGpus 1 minBytes 4096 maxBytes 4096 step: 0(bytes) warmup "
	    "iters: 5 iters: 10 agg iters: 1 validation: 1 graph: 0 unalign: 0\n"
	    "#\n# Using devices\n",
	    "\n#\n# Collective test concluded: alltoall_perf\n#\n\n"};
	const char *text = table_of(&goldens[0], (struct made){.ranks = 4});
	for (size_t i = 0; i < LENGTH(says); i++)
		assert_says(text, says[i]);
	assert_says(text, "\n#  Rank  0 Group  0 Pid      0 on            device -1 [-] nccl\n");
}

/* What one program prints in one go: types, operations and roots under one head, one footer. */
TEST(a_collective_has_one_table)
{
	static const struct made_call calls[] = {
	    {"all_reduce", 1 << 30, "int8", "max", 0, false},
	    {"all_reduce", 1 << 30, "int8", "max", 0, true},
	    {"all_reduce", 1 << 30, "float16", "premulsum", 0, false},
	    {"all_reduce", 1 << 30, "float16", "premulsum", 0, true}};
	const char *text = table_of(&goldens[1], (struct made){.calls = calls, .sizes = 4});
	assert_says(text, " collective=all_reduce dtype=int8,float16 op=max,premulsum root=-1\n");
	const char *first =
	    strstr(text, "\n  1073741824    1073741824      int8     max      -1  ");
	const char *second =
	    strstr(text, "\n  1073741824     536870912      half  mulsum      -1  ");
	assert_non_null(first);
	assert_true(second > first);
	assert_int_equal(strchr(first + 1, '\n') - second, 0);
	/* Of 674.35 and 337.17. */
	double average = 0;
	assert_int_equal(sscanf(strstr(text, "# Avg"), "# Avg bus bandwidth : %lf", &average), 1);
	assert_true(fabs(average - 674.346 * 0.75) < 0.01);
	assert_lacks(strstr(text, "# Avg") + 1, "# Avg");
	assert_lacks(strstr(text, "# Using") + 1, "# Using");
}

/* 20 calls: two groups of five in a graph that is replayed twice. Groups of two ranks. */
static void split_settings(json_t *environment)
{
	made_set(made_variant_of(environment, 0),
	         "{'aggregate':5,'graph':2,'offset':8,'split':'MOD:2'}");
}

TEST(settings_are_said_as_nccl_tests_counts)
{
	const char *text =
	    table_of(&goldens[0], (struct made){.environment = split_settings,
	                                        .more_of_cells = "{'comm_ranks':2}"});
	assert_says(text, " warmup iters: 5 iters: 2 agg iters: 5 validation: 1 graph: 2 unalign: "
	                  "2\n#\n");
	assert_says(text, "\n#  Rank  2 Group  0 Pid      0 on ");
	assert_says(text, "\n#  Rank  3 Group  1 Pid      0 on ");
	assert_says(text, "\n        4096           512     float ");
}

/* By its layout alone. */
static void unknown_settings(json_t *environment)
{
	made_set(made_variant_of(environment, 0), "{'split':'XOR:1'}");
}

TEST(a_variant_with_settings_of_another_program_has_its_table)
{
	const char *text = table_of(&goldens[0], (struct made){.environment = unknown_settings});
	assert_says(text, "\n# nThread 4 nGpus 1 minBytes 4096 ");
	assert_says(text, "\n        4096           256     float ");
}

/* Two ranks on their own clocks take 70 and 60 µs for ten calls, the larger size the other way
 * round, and 80 from the first start to the last end. */
static void apart(const struct made_place *place, int64_t out[6])
{
	bool longer = place->rank == (place->size ? 1 : 0);
	int64_t start = place->rank ? (longer ? 10000 : 20000) : 0;
	out[0] = start;
	out[1] = start + 500;
	out[2] = start + (longer ? 70000 : 60000);
}

static const struct made small = {.blocks = 6, .sizes = 2, .cores = 8, .stamps = apart};

/* The program's output for arguments after `report DIR`; stdout and stderr together. */
static struct cli report_with(const char *option, const char *value, const char *more,
                              const char *other)
{
	const char *const args[] = {"report", made_folder, option, value, more, other, NULL};
	return cli_run(made_folder, args);
}

/* The bandwidth is that of the time next to it. */
TEST(each_average_has_its_time)
{
	static const char *const says[] = {" 6.00    2.73    1.37", " 6.50    2.52    1.26",
	                                   " 6.00    2.73    1.37", " 7.00    2.34    1.17",
	                                   " 8.00    2.05    1.02", " 0.05 "};
	made_write(&small);
	for (size_t a = 0; a < LENGTH(says); a++) {
		const struct report_options options = {.format = REPORT_NCCL_TESTS,
		                                       .average = nccl_averages[a]};
		char *line = test_text(
		    "\n       16384          2048     float    none      -1    %s", says[a]);
		assert_says(made_print(&options), line);
	}
}

TEST(what_carries_no_data_has_a_time)
{
	struct made m = small;
	m.backend = "null";
	m.more_of_cells = "{'wrong':null}";
	made_write(&m);
	const char *text = made_print(&(struct report_options){.format = REPORT_NCCL_TESTS});
	assert_says(text,
	            "none      -1     6.50     nan     nan    N/A      nan     nan     nan    "
	            "N/A\n");
	assert_says(text, "# Avg bus bandwidth    : nan \n");
}

TEST(a_run_without_times_has_no_table)
{
	struct made m = small;
	m.more_of_cells = "{'pass':'timeline'}";
	made_write(&m);
	struct cli cli = report_with("--format", "nccl-tests", NULL, NULL);
	cli_expect(cli, 1, "--format nccl-tests has nothing to print: no cell has a time");
}

TEST(what_is_not_allowed_is_named)
{
	static const struct {
		const char *option, *value, *more, *other, *says;
	} cases[] = {
	    {"--format", "json", NULL, NULL,
	     "--format = 'json' is not known; allowed is tables, nccl-tests"},
	    {"--format", NULL, NULL, NULL, "--format needs a value"},
	    {"--format", "nccl-tests", "--average", "4", "allowed are 0 (rank 0), 1 (mean)"},
	    {"--average", "1", NULL, NULL, "--average is of --format nccl-tests"},
	    {"--json", "x", NULL, NULL, "--json is of --format nccl-tests"},
	    {"--json", NULL, NULL, NULL, "--json needs a value"},
	    {"--colour", NULL, NULL, NULL, "'--colour' is not understood"},
	};
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct cli cli =
		    report_with(cases[i].option, cases[i].value, cases[i].more, cases[i].other);
		cli_expect(cli, 1, cases[i].says);
		/* A run that could not report as asked measures nothing. */
		const char *const args[] = {
		    "run",          "smoke", cases[i].option, cases[i].value, cases[i].more,
		    cases[i].other, NULL};
		cli = cli_run(made_folder, args);
		cli_expect(cli, 1, cases[i].says);
	}
}

/* 4080 of 4096 bytes at 4 KiB; all of them in a record that does not say how parts were cut. */
TEST(alltoallv_has_the_bytes_that_it_moves)
{
	struct made made = small;
	const struct report_options options = {.format = REPORT_NCCL_TESTS, .average = "span"};
	made.ranks = 4;
	made.more_of_cells = "{'collective':'alltoallv'}";
	for (unsigned i = 0; i < 2; i++) {
		double moved = i ? 4096 : 4080;
		json_keys cell = {"variant", "single", "asked_bytes", "4096",
		                  "pace",    "stream", NULL};
		json_keys rank = {"variant", "single", "nth_size", "1", "rank",
		                  "2",       "pace",   "stream",   NULL};
		made.more_of_run = i ? "{'counts':[0,1,2,3]}" : SKEWED;
		const json_t *report = made_report(&made);
		const json_t *t = json_table(report, "summary");
		double us = json_number_value(json_at(json_cell(t, cell, "time_us"), "value"));
		json_assert_number(json_cell(t, cell, "bytes"), "", moved, 0);
		json_assert_number(json_cell(t, cell, "algbw_gbs"), "", moved / us / 1e3, 1e-9);
		json_assert_number(json_cell(t, cell, "busbw_gbs"), "", moved / us / 1e3 * 0.75,
		                   1e-9);
		json_assert_number(json_cell(json_table(report, "ranks"), rank, "bytes"), "", moved,
		                   0);
		assert_says(made_print(&options),
		            i ? "\n        4096           256" : "\n        4080           256");
	}
}

TESTS(.undrawn = true, .begin = made_begin, .end = made_end);
