/* Inside of the nccl backend. The data flow, one file each:
 *
 *   nccl_api    the library, loaded by path
 *   nccl_open   communicators, buffers and streams, made and given back
 *   nccl_call   the timed path
 *   nccl        the backend's table: what it can, filling, checking, describing
 *   device      what is CUDA's alone;  trace  the device's clock */
#ifndef LAUNCHGAP_NCCL_H
#define LAUNCHGAP_NCCL_H

#include "device.h"
#include "nccl_api.h"

struct place {
	unsigned rank; /* its device has the same number */
	ncclComm_t comm;
	cudaStream_t stream;
	char *send, *recv;
	int64_t asked_ns; /* when asynchronous errors were last asked for */
};

struct backend_ctx {
	struct nccl_api api;
	unsigned nranks, count;
	struct cell cell;
	uint64_t seed;
	unsigned slots;
	size_t elements, part; /* of a buffer, and of one rank's share in it */
	bool native;           /* alltoall by ncclAlltoAll */
	bool allocates;        /* by ncclMemAlloc */
	ncclResult_t failed;   /* the first error of the timed path */
	cudaError_t cuda_failed;
	ncclComm_t failed_comm;
	char **peers;       /* copy: every rank's receive arena */
	volatile int *gate; /* pinned; 0 holds this worker's streams */
	bool traced;
	struct place places[];
};

/* 0 for ncclSuccess; else -1 and NCCL's own words: the error's name, and what the library last
 * said of it. */
int nccl_ok(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm, const char *what,
            struct status *st);

int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st);
void nccl_close(struct backend_ctx *ctx);

void nccl_begin(struct backend_ctx *ctx);
void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot);
void nccl_end(struct backend_ctx *ctx);
int nccl_idle(struct backend_ctx *ctx, unsigned i);
void nccl_hold(struct backend_ctx *ctx);
void nccl_release(struct backend_ctx *ctx);

#endif
