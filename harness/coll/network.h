/* What data-parallel training reduces: a model's gradients, in the order of the backward pass, cut
 * into buckets as those of PyTorch's DistributedDataParallel (compute_bucket_assignment_by_size):
 * tensors are added until the bucket has reached its cap; the first has another cap; a tensor is
 * never cut. network_read's file has a line per tensor (experiments/README.md). */
#pragma once

#include "../status.h"

#define NETWORK_MAX_LAYERS 1024
#define NETWORK_NAME_BYTES 64
/* A tensor begins at a multiple of so many elements; the padding is reduced too. */
#define NETWORK_ALIGN 64

struct network_layer {
	uint64_t elements; /* of its gradient; 0: work alone */
	uint64_t flops;    /* of its backward pass, for one sample */
};

struct network {
	char name[NETWORK_NAME_BYTES];
	unsigned n; /* 0: no model */
	struct network_layer layers[NETWORK_MAX_LAYERS];
};

uint64_t network_aligned(uint64_t elements);
/* Of a model: its elements with and without that padding, and FLOPs for one sample. */
struct network_sums {
	uint64_t parameters, elements, flops;
};
struct network_sums network_sums(const struct network *network);

/* A layer's backward work as side × depth by depth × side products, as close to cubes as its FLOPs
 * allow: two, or more where these were too deep. times 0: no work. */
#define NETWORK_MOST_SIDE  4096
#define NETWORK_MOST_DEPTH 8192
struct network_product {
	unsigned side, depth, times;
};
struct network_product network_product(uint64_t flops);

int network_read(const char *file, struct network *out, struct status *st);

/* How a buffer of `elements` is cut. If the model has another size, it is one tensor. */
struct buckets {
	const struct network *network;
	uint64_t elements;
	uint64_t first, cap; /* elements at which a bucket is full, at least 1 */
};

struct bucket {
	unsigned layer, layers; /* the first layer, and their number; 0: all is one tensor */
	uint64_t at, elements;  /* 0 elements: layers of work alone */
};

/* caps in bytes; first 0: the same as the others. */
struct buckets buckets_of(const struct network *network, uint64_t elements, size_t element_bytes,
                          uint64_t first_bytes, uint64_t cap_bytes);
/* The bucket after `last`, or the first (NULL); false after the last one. */
bool buckets_next(const struct buckets *buckets, const struct bucket *last, struct bucket *out);
unsigned buckets_count(const struct buckets *buckets);
struct bucket buckets_get(const struct buckets *buckets, unsigned i);
