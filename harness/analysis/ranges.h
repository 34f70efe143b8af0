/* The ranges that a sweep of sizes shows: where latency rules, and where the plateau begins. Pure.
 *
 * For a call that costs a + bytes ÷ b (Hockney 1994), half of the peak is reached at
 * n½ = a × b. Latency rules as long as the time is below 1.5 × the smallest size's: up to n½ ÷ 2,
 * more bytes cost next to nothing. The plateau begins at the size from which the bandwidth stays at
 * 90 % of the peak or above: 9 × n½. All three are read off the medians, not fitted. */
#ifndef LAUNCHGAP_RANGES_H
#define LAUNCHGAP_RANGES_H

#include "evidence.h"
#include "pairs.h"

#define RANGES_SIZES   12 /* fewer are no sweep */
#define RANGES_LATENCY 1.5
#define RANGES_PLATEAU 0.9

/* Of a variant's stream calls of a group. Sizes as asked; 0: none. */
struct ranges_row {
	unsigned group, variant;
	double least_us;      /* of the smallest size */
	size_t latency_bytes; /* the largest size up to which latency rules */
	size_t half_bytes;    /* the first size with half of the peak */
	size_t plateau_bytes;
	size_t peak_bytes;
	double peak_gbs, mean_gbs; /* bus bandwidth; the mean over sizes, as a sweep prints it */
	double plateau_gbs;        /* at plateau_bytes */
};

#define RANGES_TEXTS      12
#define RANGES_TEXT_BYTES 400

struct ranges {
	unsigned n;
	struct ranges_row *rows; /* owned */
	unsigned ntexts;         /* what to do, each with its figure; none without rows */
	char texts[RANGES_TEXTS][RANGES_TEXT_BYTES];
};

/* Rows of the groups that have a sweep and carry data, of each variant that was measured but the
 * limit and the twin. The caller frees with ranges_free. -1: out of memory. */
int ranges_make(const struct summary *summary, const struct evidence *evidence,
                const struct pairs *pairs, struct ranges *out, struct status *st);
void ranges_free(struct ranges *ranges);

#endif
