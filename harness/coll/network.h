/* What data-parallel training reduces: a model's gradients, in the order in which the backward
 * pass has them ready, and how they are cut into buckets. Read from a file that gives each
 * parameter tensor a line (experiments/README.md); pure but for network_read.
 *
 * Buckets are those of PyTorch's DistributedDataParallel once it knows in which order gradients
 * become ready (compute_bucket_assignment_by_size in torch/csrc/distributed/c10d/reducer.cpp,
 * called by rebuild_buckets): tensors are added until the bucket has reached its cap, which the
 * first one has for itself. So a bucket has its cap or more, and a tensor is never cut. */
#ifndef LAUNCHGAP_NETWORK_H
#define LAUNCHGAP_NETWORK_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "../status.h"

#define NETWORK_MAX_LAYERS 1024
#define NETWORK_NAME_BYTES 64
/* A tensor begins at a multiple of so many elements, as allocators align them: the rest of its
 * last piece is reduced with it. */
#define NETWORK_ALIGN 64

struct network_layer {
	uint64_t elements; /* of its gradient; 0: work alone */
	uint64_t flops;    /* of its backward pass, for one sample */
	/* Of what tensor-parallel ranks reduce behind that work, for one sample: 0 nothing. */
	uint64_t activations;
};

struct network {
	char name[NETWORK_NAME_BYTES];
	unsigned n; /* 0: no model */
	struct network_layer layers[NETWORK_MAX_LAYERS];
};

/* Parameters as the file has them. */
uint64_t network_parameters(const struct network *network);
/* A gradient's elements with those that align it. */
uint64_t network_aligned(uint64_t elements);
/* Elements of all gradients, each aligned. */
uint64_t network_elements(const struct network *network);
/* For one sample. */
uint64_t network_flops(const struct network *network);
/* The most that is reduced at once behind a layer's work, for one sample. */
uint64_t network_activations(const struct network *network);

/* A layer's backward work as products of a side × depth and a depth × side matrix, as near to
 * cubes as its FLOPs make them: two of them, for the input's gradient and the weight's, or more
 * where these would be too deep. times 0: no work. */
#define NETWORK_MOST_SIDE  4096
#define NETWORK_MOST_DEPTH 8192
struct network_product {
	unsigned side, depth, times;
};
struct network_product network_product(uint64_t flops);

/* Reads a file; errors name file and line. */
int network_read(const char *file, struct network *out, struct status *st);

/* null where there is none. The caller owns the result. */
json_t *network_to_json(const struct network *network);
int network_from_json(const json_t *json, struct network *out, struct status *st);

/* How a buffer of `elements` is cut. Where the model is not of that size, all of it is one
 * tensor. */
struct buckets {
	const struct network *network;
	uint64_t elements;
	uint64_t first, cap; /* elements at which a bucket is full, at least 1 */
};

struct bucket {
	unsigned layer,
	    layers; /* the first of the model's, and how many; 0: all is one tensor */
	uint64_t at, elements; /* layers of work alone may have none */
};

/* caps in bytes; first 0: as the others. */
struct buckets buckets_of(const struct network *network, uint64_t elements,
                          size_t element_bytes, uint64_t first_bytes, uint64_t cap_bytes);
/* The bucket behind `last`, or the first (NULL); false behind the last one. */
bool buckets_next(const struct buckets *buckets, const struct bucket *last, struct bucket *out);
/* How many have elements. */
unsigned buckets_count(const struct buckets *buckets);
/* The i-th of those that have. */
struct bucket buckets_get(const struct buckets *buckets, unsigned i);

#endif
