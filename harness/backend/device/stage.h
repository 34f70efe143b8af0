/* Buffers on a GPU for a library that works in CPU memory: each call copies what is sent into
 * pinned CPU memory, and what was received back. No header of CUDA's is needed to use it; built
 * without CUDA, there is no GPU to stage for. */
#ifndef LAUNCHGAP_STAGE_H
#define LAUNCHGAP_STAGE_H

#include "../buffers.h"

struct stage {
	unsigned device;
	char *send, *recv;      /* arenas on the device */
	char *out, *in;         /* pinned: one call's buffers */
	void *stream, *digests; /* stage.c's own */
};

/* GPUs that there are; 0 with the reason. */
unsigned stage_devices(struct status *st);
int stage_numa_node(unsigned device);
/* The caller closes; on error *out is NULL. */
int stage_open(unsigned device, size_t arena_bytes, size_t call_bytes, struct stage **out,
               struct status *st);
void stage_close(struct stage *stage); /* NULL is allowed */

/* Of one call: from the device to the CPU's memory, or back. Blocks until the copy is done. */
int stage_copy(struct stage *stage, void *to, const void *from, size_t bytes, bool back,
               struct status *st);

/* As buffers.h, on the device. */
int stage_fill(struct stage *stage, const struct buffers *buffers, struct status *st);
int stage_check(struct stage *stage, const struct buffers *buffers, struct backend_verdict *out,
                struct status *st);
int stage_digest(struct stage *stage, const struct buffers *buffers, uint64_t *out,
                 struct status *st);
int stage_corrupt(struct stage *stage, void *byte, struct status *st);

#endif
