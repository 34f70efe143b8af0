/* NCCL, loaded by path, so that one program compares library versions and starts without one.
 */
#ifndef LAUNCHGAP_NCCL_API_H
#define LAUNCHGAP_NCCL_API_H

#include <nccl.h>

#include "../status.h"

struct nccl_api {
	void *handle;
	char file[512];   /* where the dynamic linker found it */
	char version[32]; /* "2.28.3" */
	ncclResult_t (*GetVersion)(int *);
	ncclResult_t (*GetUniqueId)(ncclUniqueId *);
	ncclResult_t (*CommInitRank)(ncclComm_t *, int, ncclUniqueId, int);
	ncclResult_t (*CommDestroy)(ncclComm_t);
	ncclResult_t (*CommAbort)(ncclComm_t);
	ncclResult_t (*CommGetAsyncError)(ncclComm_t, ncclResult_t *);
	const char *(*GetErrorString)(ncclResult_t);
	ncclResult_t (*GroupStart)(void);
	ncclResult_t (*GroupEnd)(void);
	ncclResult_t (*AllReduce)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t,
	                          ncclComm_t, cudaStream_t);
	ncclResult_t (*Send)(const void *, size_t, ncclDataType_t, int, ncclComm_t,
	                     cudaStream_t);
	ncclResult_t (*Recv)(void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t);
	/* NULL where the library does not have them yet. */
	const char *(*GetLastError)(ncclComm_t);   /* 2.13 */
	ncclResult_t (*MemAlloc)(void **, size_t); /* 2.19 */
	ncclResult_t (*MemFree)(void *);           /* 2.19 */
	ncclResult_t (*AlltoAll)(const void *, void *, size_t, ncclDataType_t, ncclComm_t,
	                         cudaStream_t); /* 2.28.3 */
};

/* path: a libnccl.so.2, or "" for the one that the dynamic linker finds. */
int nccl_api_load(const char *path, struct nccl_api *out, struct status *st);
/* There is no unload: NCCL's threads may outlive the last communicator. */

#endif
