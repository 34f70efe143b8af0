/* Ping-pong: what a message takes there and back between two ranks, in each variant, beside
 * what is stated of their link. Pure.
 *
 * Latency is of isolated calls of the smallest size, bandwidth of a stream of the largest:
 * bytes both ways over the time there and back, which is what one way carries. */
#ifndef LAUNCHGAP_PINGPONG_H
#define LAUNCHGAP_PINGPONG_H

#include "pairs.h"

struct pingpong_row {
	unsigned variant, first, second; /* ranks; the first one begins */
	struct links_pair link;          /* of the reference's ranks */
	double round_us;                 /* p50 there and back; half of it is one way */
	struct stats_interval p95_us, p99_us;
	double stream_us;          /* there and back, one call behind the other */
	struct stats_interval gbs; /* one way; quartiles over blocks */
};

/* All pairs of a class in a variant. */
struct pingpong_class {
	unsigned variant, pairs;
	enum links_class class;
	double us_min, us_median, us_max;
	double gbs_min, gbs_median, gbs_max;
	double theoretical_gbs; /* one way; NaN: not known */
	double all_reduce_gbs;  /* of all ranks, at the largest size; NaN: not measured */
};

struct pingpong {
	unsigned n, nclasses;
	struct pingpong_row *rows;      /* owned: pair by pair, in each the variants */
	struct pingpong_class *classes; /* owned: class by class, in each the variants */
	size_t small_bytes, bytes;      /* of latency, of bandwidth; 0: not measured */
	size_t all_reduce_bytes;
};

/* The caller frees with pingpong_free; no rows where no pingpong was measured. */
int pingpong_make(const struct summary *summary, const struct pairs *pairs,
                  struct pingpong *out, struct status *st);
void pingpong_free(struct pingpong *pingpong);
/* All variants of one class in a sentence without a point; i: the class' first. Returns where
 * the next class begins. */
unsigned pingpong_say(const struct pingpong *pingpong, const struct summary *summary,
                      unsigned i, char *text, size_t bytes);

#endif
