/* Plain copies over one link: what a report says of a made record, runs on the host backend, and what
 * is refused. The nccl backend's own are in tests/standin/test_runs.c. */
#include "../harness/coll/coll.h"
#include "../harness/coll/value.h"
#include "here.h"
#include "made.h"

#define BYTES ((size_t)64 << 20)

static const struct made_variant variants[] = {
    {.name = "ce", .role = "reference"}, {.name = "sm"}, {.name = "sm-read"}, {.name = "load"}};
enum { CE, SM, SM_READ, LOAD };

/* In the order of the calls: to_device, to_host, pair_copy there and back, pair_staged there and back. */
static const struct made_call calls[] = {
    {.collective = "to_device", .op = "none", .bytes = BYTES},
    {.collective = "to_host", .op = "none", .bytes = BYTES},
    {.collective = "pair_copy", .op = "none", .bytes = BYTES, .root = 0},
    {.collective = "pair_copy", .op = "none", .bytes = BYTES, .root = 1},
    {.collective = "pair_staged", .op = "none", .bytes = BYTES, .root = 0},
    {.collective = "pair_staged", .op = "none", .bytes = BYTES, .root = 1},
};
static const double gbs[4][6] = {{50, 52, 360, 340, 40, 40},
                                 {45, 46, 300, 300, 30, 30},
                                 {45, 46, 250, 250, 30, 30},
                                 {1, 1, 1, 1, 1, 1}};

static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns =
	    p->isolated ? 4000 + 1000 * p->variant : (double)BYTES / gbs[p->variant][p->size];
	out[1] = 10;
	out[2] = (int64_t)(ns * (1 + 0.001 * p->block));
	out[3] = 20;
}

/* A chase measures only where there are loads. */
static bool has(const struct made_place *p)
{
	return p->variant != LOAD || (p->size == 0 && !p->isolated);
}

static void environment(json_t *env)
{
	static const char *const engines[] = {"ce", "sm", "sm", "chase"};
	json_object_set_new(env, "topology", made_topology("hgx8"));
	json_object_set_new(env, "calls", json_integer(1));
	for (unsigned v = 0; v < 4; v++) {
		json_t *settings = made_variant_of(env, v);
		json_object_set_new(settings, "engine", json_string(engines[v]));
		json_object_set_new(settings, "peer", json_string(v == SM_READ ? "read" : "write"));
	}
}

static void line(json_t *cell, const struct made_place *p)
{
	json_object_set_new(cell, "calls", json_integer(1));
	made_gpus(cell, "hgx8", 2);
	if (p->isolated) {
		json_object_set_new(cell, "bytes", json_integer(8));
		json_object_set_new(cell, "asked_bytes", json_integer(8));
	}
}

static const struct made made = {.cores = 64,
                                 .blocks = 6,
                                 .ranks = 2,
                                 .sizes = 6,
                                 .no_limit = true,
                                 .variants = variants,
                                 .nvariants = 4,
                                 .calls = calls,
                                 .has = has,
                                 .environment = environment,
                                 .line = line,
                                 .stamps = stamps};

static double figure(const json_t *report, const char *way, const char *variant, const char *key)
{
	return json_number_value(json_cell(json_table(report, "copies"),
	                                   (json_keys){"way", way, "variant", variant, NULL}, key));
}

TEST(each_way_has_its_bandwidth_latency_and_share)
{
	const json_t *report = made_report_with(&made, "plot", 0);
	const json_t *table = json_table(report, "copies");
	/* Reading is no way of its own but between GPUs. */
	assert_int_equal(json_rows(table, (json_keys){"variant", "sm-read", NULL}), 1);
	assert_int_equal(json_rows(table, (json_keys){"variant", "ce", NULL}), 4);
	assert_int_equal(json_rows(json_table(report, "copy_pairs"), (json_keys){NULL}), 10);
	json_keys to = {"way", "CPU memory to GPU", "variant", "ce", NULL};
	json_assert_text(json_cell(table, to, "by"), "", "the copy engine");
	assert_float_equal(figure(report, "CPU memory to GPU", "ce", "gbs"), 50 / 1.0025, 0.1);
	/* PCIe 5.0 × 16 */
	assert_float_equal(figure(report, "CPU memory to GPU", "ce", "limit_gbs"), 63.0, 0.1);
	assert_float_equal(figure(report, "CPU memory to GPU", "ce", "share"), 50 / 63.0, 0.005);
	assert_float_equal(figure(report, "GPU to GPU", "ce", "gbs"), 350 / 1.0025, 0.5);
	assert_float_equal(figure(report, "GPU to GPU", "ce", "gbs_min"), 340 / 1.0025, 0.5);
	assert_float_equal(figure(report, "GPU to GPU", "ce", "gbs_max"), 360 / 1.0025, 0.5);
	assert_float_equal(figure(report, "GPU to GPU", "ce", "limit_gbs"), 450, 0.1);
	assert_float_equal(figure(report, "GPU to GPU", "sm", "p50_us"), 5 * 1.0025, 0.02);
	json_assert_text(
	    json_cell(table, (json_keys){"way", "GPU to GPU", "variant", "sm-read", NULL}, "by"),
	    "", "the destination's kernel");
	json_assert_one_says(json_object_get(report, "answer"), "GPU to GPU through CPU memory: ");
}

/* 1 GB/s is an element of 4 bytes in 4 ns. */
TEST(a_chase_is_told_by_the_load)
{
	const json_t *report = made_report(&made);
	assert_float_equal(figure(report, "CPU memory to GPU", "load", "load_ns"), 4 * 1.0025,
	                   0.01);
	json_assert_one_says(json_object_get(report, "answer"),
	                     "CPU memory to GPU: a load takes 4.01 ns by one thread.");
}

TEST(a_picture_shows_each_way)
{
	if (made_no_gnuplot())
		skip();
	made_report_with(&made, "plot", 0);
	assert_true(made_has("plots/nccl_copies.png"));
	assert_false(made_has("plots/gnuplot.log"));
}

static const char experiment[] =
    "; Which way?\n[experiment]\ncollective = to_device, to_host, pair_copy, pair_staged\n"
    "bytes = 20, 4K\nranks = 3\nbackend = host\nblocks = 1\nwarmup = 1\nstretches = 2\n"
    "calls = 2\nisolated_calls = 2\nlimit = no\nreference = a\n"
    "[variant a]\nmode = threads\n[variant b]\nmode = processes\n"
    "[variant c]\nlike = a\nengine = sm\n";

TEST(on_a_host_they_are_copies_of_cores)
{
	cli_expect(here_run(experiment, NULL), 0, "by a core");
	json_t *report = json_report(here_path("report.json"));
	const json_t *table = json_table(report, "copies");
	assert_int_equal(json_rows(table, (json_keys){NULL}), 8);
	json_assert_number(
	    json_cell(table, (json_keys){"way", "Rank to rank", "variant", "b", NULL}, "pairs"), "",
	    6, 0);
	json_decref(report);
}

static void refused(const char *experiment_lines, const char *why)
{
	char text[512];
	snprintf(text, sizeof text,
	         "[experiment]\nbytes = 4K\nranks = 2\nblocks = 1\nlimit = no\n%s",
	         experiment_lines);
	cli_expect(here_run(text, NULL), 1, why);
}

TEST(an_engine_wants_a_plain_copy)
{
	refused(
	    "backend = host\ncollective = all_reduce\n[variant a]\nmode = single\nengine = sm\n",
	    "engine = sm is of plain copies");
	refused("backend = host\ncollective = to_host\n[variant a]\nmode = single\npeer = read\n",
	        "peer = read is of the collective pair_copy");
}

TEST(a_library_of_blocking_calls_refuses_them)
{
	refused("backend = mpi\ncollective = pair_copy\n[variant a]\nmode = processes\n",
	        "pair_copy: plain copies without a library");
}

TESTS(.begin = made_begin, .end = made_end, .before = set_up, .after = tear_down);
