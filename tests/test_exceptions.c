/* Sizes that a mean hides, or that are in no regime: which are no news, and which page 1 tells. */
#include "made.h"

static double factor[3][8]; /* time of single, threads and processes at each size, 4 KiB on */

static void times(const struct made_place *p, int64_t out[6])
{
	double of = p->variant < 3 ? factor[p->variant][p->size] : 1;
	double ns = 10000.0 * (1 << 2 * p->size) * of;
	ns *= 1 + 0.001 * made_noise(p->variant, p->block, p->size);
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static const struct made made = {.blocks = 8,
                                 .sizes = 8, /* to 64 MiB: 16 and 64 MiB are large */
                                 .no_limit = true,
                                 .stamps = times};

FIXTURE(fresh)
{
	for (unsigned v = 0; v < 3; v++)
		for (unsigned i = 0; i < 8; i++)
			factor[v][i] = 1;
}

/* How many sentences of the answer tell of sizes. */
static unsigned on_top(const json_t *report)
{
	const json_t *answer = json_object_get(report, "answer");
	unsigned n = 0;
	for (size_t i = 0; i < json_array_size(answer); i++)
		for (const char *at = json_string_value(json_array_get(answer, i));
		     (at = strstr(at, " times the speed.")); at++)
			n++;
	return n;
}

/* Of all sizes page 1 tells the two strongest, but for those that their regime's sentence tells. */
TEST(page_1_tells_the_two_strongest)
{
	factor[MADE_SINGLE][3] = 1.3;
	factor[MADE_SINGLE][4] = 1.1;
	factor[MADE_SINGLE][5] = 1.6;
	factor[MADE_PROCESSES][6] = 1.06;
	factor[MADE_PROCESSES][7] = 1 / 1.2;
	const json_t *report = made_report(&made), *answer = json_object_get(report, "answer");
	assert_int_equal(json_count(report, "exceptions"), 8);
	assert_int_equal(on_top(report), 2);
	json_assert_one_says(answer, "At 4 MiB (alltoall, ");
	factor[MADE_SINGLE][3] = factor[MADE_SINGLE][4] = factor[MADE_SINGLE][5] = 1;
	assert_int_equal(on_top(made_report(&made)), 0);
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
