/* Buffers on a GPU for a library that works in CPU memory: each call is copied through pinned
 * memory. Needs no header of CUDA's. */
#pragma once

#include "../../core/buffers.h"

struct stage {
	char *send, *recv;                   /* arenas on the device */
	char *out, *in;                      /* pinned: one call's buffers */
	const struct buffers_memory *memory; /* of the arenas' buffers, */
	const void *at;                      /* and where they are */
};

/* Without CUDA `devices` and `open` say so, and the others are NULL. */
struct stage_calls {
	unsigned (*devices)(struct status *st); /* their number; 0 with the reason */
	int (*numa_node)(unsigned device);
	/* The caller closes; on error *out is NULL. */
	int (*open)(unsigned device, size_t arena_bytes, size_t call_bytes, struct stage **out,
	            struct status *st);
	void (*close)(struct stage *stage);
	int (*copy)(struct stage *stage, void *to, const void *from, size_t bytes,
	            struct status *st);
};
extern const struct stage_calls stage_calls;
