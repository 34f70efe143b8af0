/* Which backend is the fastest at which sizes: planted times are found, and nothing is called that
 * the blocks do not show. */
#include "made.h"

#define MIDDLE 1 /* the size at which two are equal */

/* 20 µs + 0.1 ns a byte; the other 10 µs + 1 ns a byte, but equal at one size; the third always
 * twice the first. */
static void planted(const struct made_place *at, int64_t out[6])
{
	double bytes = (double)(4096ull << 2 * at->size), ns = 20000 + bytes / 10;
	if (at->variant == MADE_PROCESSES && at->size != MIDDLE)
		ns = 10000 + bytes;
	if (at->variant == MADE_SINGLE)
		ns *= 2;
	ns *= (at->isolated ? 1 : 10) * (1 + 0.03 * made_noise(at->block, at->variant, at->size));
	out[1] = (int64_t)ns / 10;
	out[2] = (int64_t)ns;
	out[3] = 30;
}

/* One pair has a mode in common. */
static const struct made_variant three_backends[MADE_VARIANTS] = {
    {.name = "single", .mode = "single", .backend = "mpi"},
    {.name = "threads", .role = "reference"},
    {.name = "processes", .backend = "gloo"},
    {.name = "threads-again", .role = "again"},
    {.name = "limit", .role = "limit"},
};

static const struct made several = {.blocks = 8,
                                    .sizes = 5,
                                    .cores = 8,
                                    .no_limit = true,
                                    .variants = three_backends,
                                    .stamps = planted};

/* With 5 blocks there is no interval: no variant is called faster. */
TEST(few_blocks_decide_nothing)
{
	struct made few = several;
	few.blocks = 5;
	const json_t *report = made_report(&few);
	const json_t *rows = json_table(report, "crossovers");
	assert_int_equal(json_rows(rows, JSON_IS("faster", "undecided")),
	                 json_rows(rows, JSON_ALL));
	/* Which is one sentence. */
	json_says(report, "crossovers", " pairs of backends are undecided at all sizes.");
	json_lacks(report, "crossovers", "undecided at all sizes, 4");
}

/* A twin that is off at a size takes the verdicts there with it. */
static void noisy(const struct made_place *at, int64_t out[6])
{
	planted(at, out);
	if (at->variant == MADE_AGAIN && at->size == 0)
		for (unsigned i = 1; i < 3; i++)
			out[i] = out[i] * 2;
}

TEST(what_the_twin_shows_is_no_crossover)
{
	struct made off = several;
	off.stamps = noisy;
	const json_t *report = made_report(&off);
	const json_t *rows = json_table(report, "crossovers");
	assert_int_equal(json_rows(rows, JSON_IS("left", "threads", "right", "processes", "pace",
	                                         "isolated", "faster", "processes")),
	                 0);
}

TESTS(.begin = made_begin, .end = made_end);
