/* Features of a sweep of sizes: where latency dominates, where the plateau begins, and what
 * follows. */
#include "made.h"

#define LATENCY_NS 20000.0
#define BYTES_A_NS 10.0 /* 10 GB/s */

/* Hockney's call: half of the peak at 200 000 bytes. */
static void swept(const struct made_place *at, int64_t out[6])
{
	double bytes = (double)(4096ull << 2 * at->size), ns = LATENCY_NS + bytes / BYTES_A_NS;
	ns *= (at->isolated ? 1 : 10) * (1 + 0.002 * made_noise(at->block, at->variant, 1));
	ns *= at->variant == MADE_PROCESSES ? 2 : 1;
	out[1] = (int64_t)ns / 10;
	out[2] = (int64_t)ns;
	out[3] = 30;
}

static const struct made sweep = {.blocks = 6, .sizes = 12, .cores = 8, .stamps = swept};

/* 4 KiB takes 20.4 µs. 64 KiB takes 26.6, 256 KiB 46.2: latency rules up to 64 KiB. Half of the
 * peak is reached at 256 KiB, 90 % from 1.8 MB on, so at 4 MiB. */
TEST(ranges_are_those_of_the_model)
{
	json_keys threads = {"variant", "threads", NULL};
	const json_t *report = made_report(&sweep);
	const json_t *ranges = json_table(report, "ranges");
	json_assert_number(json_cell(ranges, threads, "latency_bytes"), "", 65536, 0);
	json_assert_number(json_cell(ranges, threads, "half_bytes"), "", 262144, 0);
	json_assert_number(json_cell(ranges, threads, "plateau_bytes"), "", 4194304, 0);
	json_assert_number(json_cell(ranges, threads, "least_us"), "", 20.41, 0.1);
	/* alltoall on two ranks: half of the bytes cross. */
	json_assert_number(json_cell(ranges, threads, "peak_gbs"), "", 5, 0.05);
	assert_int_equal(json_rows(ranges, JSON_ALL), 3);
	json_assert_one_says(json_section(report, "ranges"),
	                     "reaches 90 % of its peak from 4 MiB on");
	json_assert_one_says(json_section(report, "ranges"), "in processes: 2.00 times");
	json_assert_one_says(json_object_get(report, "answer"), "alltoall 5.0");
}

TEST(few_sizes_are_no_sweep)
{
	struct made few = sweep;
	few.sizes = 11;
	const json_t *report = made_report(&few);
	assert_false(json_has_table(report, "ranges"));
	assert_null(json_section(report, "ranges"));
}

TESTS(.begin = made_begin, .end = made_end);
