/* From how many sizes on a run is a sweep. */
#include "made.h"

/* Hockney's call. */
static void swept(const struct made_place *at, int64_t out[6])
{
	const double ns =
	    (20000 + (double)(4096ull << 2 * at->size) / 10) * (at->isolated ? 1 : 10);
	out[1] = (int64_t)ns / 10;
	out[2] = (int64_t)(ns * (1 + 0.002 * made_noise(at->block, at->variant, 1)));
	out[3] = 30;
}

static const struct made sweep = {.blocks = 6, .cores = 8, .stamps = swept};

/* What a sweep shows is in the records' pages. */
TEST(few_sizes_are_no_sweep)
{
	for (unsigned sizes = 11; sizes <= 12; sizes++) {
		struct made made = sweep;
		made.sizes = sizes;
		const json_t *report = made_report(&made);
		assert_int_equal(json_has_table(report, "ranges"), sizes == 12);
		assert_int_equal(json_section(report, "ranges") != NULL, sizes == 12);
	}
}

TESTS(.begin = made_begin, .end = made_end);
