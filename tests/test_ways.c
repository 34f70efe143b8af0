/* Ways to carry a collective out, each in each mode: what a way is, and what it gives over the
 * modes. */
#include "made.h"

enum { WAYS = 4, MODES = 3, SIZES = 5, LARGE = SIZES - 1 };

#define WAY(NAME, ENV, ...)                                                                        \
	{.name = "processes" NAME, .mode = "processes", .env = ENV, __VA_ARGS__},                  \
	    {.name = "threads" NAME, .mode = "threads", .env = ENV},                               \
	{                                                                                          \
		.name = "single" NAME, .mode = "single", .env = ENV, .force = true                 \
	}
static const struct made_variant variants[WAYS * MODES] = {
    WAY("", NULL, .role = "reference"),
    WAY("-a", "NCCL_BUFFSIZE=1"),
    WAY("-b", "NCCL_BUFFSIZE=2"),
    WAY("-c", "NCCL_BUFFSIZE=3"),
};

/* A microsecond for each way, the first one 10, and 10 % more for each mode after processes; per
 * KiB. */
static double time_us(unsigned variant, unsigned size)
{
	const unsigned way = variant / MODES, mode = variant % MODES;
	return (way ? way : 10) * (1 + 0.1 * mode) * (double)(4u << 2 * size);
}

static void planted(const struct made_place *at, int64_t out[6])
{
	out[2] = llround(1e3 * time_us(at->variant, at->size) * (at->isolated ? 1 : 10));
	out[3] = 30;
}

static const struct made several = {.blocks = 6,
                                    .sizes = SIZES,
                                    .no_limit = true,
                                    .variants = variants,
                                    .nvariants = WAYS * MODES,
                                    .stamps = planted};

/* GB/s of an alltoall of two ranks, where half of the bytes cross. */
static double busbw(unsigned variant, unsigned size)
{
	return (double)(4096u << 2 * size) / (1e3 * time_us(variant, size)) / 2;
}

TEST(a_way_is_what_differs_in_its_launch_alone)
{
	const json_t *report = made_report(&several);
	const json_t *rows = json_table(report, "ways"), *points = json_table(report, "way_points");
	static const char *const names[WAYS] = {"as it comes", "a", "b", "c"};
	assert_int_equal(json_rows(rows, JSON_ALL), WAYS);
	assert_int_equal(json_rows(points, JSON_ALL), WAYS * MODES);
	for (unsigned w = 0; w < WAYS; w++) {
		json_keys way = {"way", names[w], NULL};
		const unsigned fast = w * MODES, slow = fast + MODES - 1;
		json_assert_text(json_cell(rows, way, "modes"), "", "processes, threads, single");
		json_assert_number(json_cell(rows, way, "large_most"), "", busbw(fast, LARGE),
		                   1e-3);
		json_assert_number(json_cell(rows, way, "large_least"), "", busbw(slow, LARGE),
		                   1e-3);
		json_assert_number(json_cell(rows, way, "middle_least"), "", busbw(slow, 1), 1e-3);
		json_assert_number(json_cell(rows, way, "p50_most"), "", time_us(slow, 0), 1e-3);
		json_assert_number(json_cell(rows, way, "apart"), "", 1.2, 1e-3);
	}
	/* The best by its slowest mode, against the reference's. */
	json_says(report, "ways",
	          "and large: bus bandwidth of calls back to back, of 16 KiB and 1 MiB. From, to:");
	json_assert_text(json_cell(points, JSON_IS("variant", "single-b"), "way"), "", "b");
}

/* Then claims and factors say it. */
TEST(a_file_of_few_ways_is_not_about_them)
{
	struct made few = several;
	few.nvariants = (WAYS - 1) * MODES;
	assert_false(json_has_table(made_report(&few), "ways"));
}

TESTS(.begin = made_begin, .end = made_end);
