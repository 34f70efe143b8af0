/* Copies of a known number of bytes between two GPUs, in a known way, to compare counters with. Memory
 * is cudaMalloc's, reached by peer access. */
#ifndef LAUNCHGAP_COPIES_H
#define LAUNCHGAP_COPIES_H

#include <stdbool.h>
#include <stddef.h>

#include "../../status.h"

#define COPIES_ARENA_BYTES ((size_t)1 << 30) /* two on each GPU: beyond any cache */

enum copies_direction { COPIES_FORTH, COPIES_BACK, COPIES_BOTH };

struct copies_order {
	bool sm; /* a kernel moves 16 bytes per thread; else the copy engine, one call per piece */
	bool pull;                       /* the receiving GPU does it; else the sending one */
	enum copies_direction direction; /* forth: from the first GPU to the second */
	/* A piece begins at a multiple of 256 bytes. After one of less than 1 MiB at least 256 bytes
	 * are skipped, so that no two pieces share a packet. */
	size_t piece_bytes; /* up to COPIES_ARENA_BYTES */
	unsigned long long pieces;
};

/* Carries orders out; a test has its own. Errors are sentences. */
struct copier {
	void *of;
	/* Starts; may return before the last piece has begun. */
	int (*begin)(void *of, const struct copies_order *order, struct status *st);
	bool (*busy)(void *of);
	/* Waits for the last order. *seconds, if not NULL: time of the slower direction, by the GPU's
	 * clock. */
	int (*end)(void *of, double *seconds, struct status *st);
};

#define COPIES_PCI_BYTES 32

struct copies;

/* Reserves memory on both GPUs, and tries every way once: each byte of a small copy has to arrive, and
 * none after it. Blocks. pci: as NVML knows the GPUs. -1 if a GPU is missing or cannot reach the
 * other's memory. The caller closes. */
int copies_open(const unsigned gpu[2], struct copies **out, char pci[2][COPIES_PCI_BYTES],
                struct status *st);
struct copier copies_copier(struct copies *copies);
void copies_close(struct copies *copies);

/* From the start of a piece to the start of the next one. */
size_t copies_stride(size_t piece_bytes);

#endif
