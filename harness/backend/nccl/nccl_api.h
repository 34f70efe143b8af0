/* NCCL, loaded by path. What newer libraries have and the build's header may lack is declared here,
 * with the numbers and layouts of src/nccl.h.in: the header may be of 2.9 or later. */
#pragma once

#include <nccl.h>

#include "../../status.h"
#include "../../core/backend.h"

/* A version as one comparable number; NCCL's own changed its meaning with 2.9. */
#define NCCL_AT(MAJOR, MINOR, PATCH) ((MAJOR)*10000 + (MINOR)*100 + (PATCH))

/* Values of NCCL's enumerations. */
enum {
	NCCL_IN_PROGRESS = 7,    /* ncclResult_t, 2.14 */
	NCCL_BFLOAT16 = 9,       /* ncclDataType_t, 2.10 */
	NCCL_FLOAT8_E4M3 = 10,   /* ncclDataType_t, 2.24 */
	NCCL_FLOAT8_E5M2 = 11,   /* ncclDataType_t, 2.24 */
	NCCL_AVG = 4,            /* ncclRedOp_t, 2.10 */
	NCCL_HOST_IMMEDIATE = 1, /* ncclScalarResidence_t, 2.11 */
	NCCL_SYMMETRIC = 1,      /* flag of a window, 2.27 */
};

#define NCCL_CONFIG_MAGIC 0xcafebeef /* by which NCCL knows its own configurations */

/* ncclConfig_t as of 2.27. NCCL reads what both sides know, of any release. */
struct nccl_config {
	size_t size;
	unsigned magic, version;
	int blocking;
	int cga_cluster_size;
	int min_ctas, max_ctas; /* from here on 2.17 */
	const char *net_name;
	int split_share, traffic_class;
	const char *comm_name;
	int collnet_enable;
	int cta_policy; /* 2.27 */
	int shrink_share, nvls_ctas;
};

/* ncclCollConfig_t as of 2.31: the options of one call. The same rule applies. */
struct nccl_coll_config {
	size_t size;
	unsigned magic, version;
	void *more; /* of vendors */
	int min_ctas, max_ctas, nvls_ctas, cga_cluster_size;
	const char *algorithm;
	int force_algorithm, cta_policy;
	uint64_t tag;
};

/* ncclTeam_t as of 2.28. */
struct nccl_team {
	int nranks, rank, stride;
};

/* NCCL's functions: those of every release from 2.7 on, and those that it MAY have, with the first
 * release. */
// clang-format off
#define NCCL_FUNCTIONS(HAS, MAY) \
	HAS(ncclResult_t, GetVersion, (int *)) \
	HAS(ncclResult_t, GetUniqueId, (ncclUniqueId *)) \
	HAS(ncclResult_t, CommInitRank, (ncclComm_t *, int, ncclUniqueId, int)) \
	HAS(ncclResult_t, CommDestroy, (ncclComm_t)) \
	HAS(ncclResult_t, CommAbort, (ncclComm_t)) \
	HAS(ncclResult_t, CommGetAsyncError, (ncclComm_t, ncclResult_t *)) \
	HAS(const char *, GetErrorString, (ncclResult_t)) \
	HAS(ncclResult_t, GroupStart, (void)) \
	HAS(ncclResult_t, GroupEnd, (void)) \
	HAS(ncclResult_t, AllReduce, (const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, AllGather, (const void *, void *, size_t, ncclDataType_t, ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, ReduceScatter, (const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, \
	    ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, Broadcast, (const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, Reduce, (const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, Send, (const void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)) \
	HAS(ncclResult_t, Recv, (void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)) \
	MAY(ncclResult_t, RedOpCreatePreMulSum, (ncclRedOp_t *, void *, ncclDataType_t, int, ncclComm_t)) /* 2.11.4 */ \
	MAY(ncclResult_t, RedOpDestroy, (ncclRedOp_t, ncclComm_t)) /* 2.11.4 */ \
	MAY(const char *, GetLastError, (ncclComm_t)) /* 2.13.4 */ \
	MAY(ncclResult_t, CommInitRankConfig, (ncclComm_t *, int, ncclUniqueId, int, struct nccl_config *)) /* 2.14.3 */ \
	MAY(ncclResult_t, CommSplit, (ncclComm_t, int, int, ncclComm_t *, struct nccl_config *)) /* 2.18.1 */ \
	MAY(ncclResult_t, MemAlloc, (void **, size_t)) /* 2.19.1 */ \
	MAY(ncclResult_t, MemFree, (void *)) /* 2.19.1 */ \
	MAY(ncclResult_t, CommRegister, (ncclComm_t, void *, size_t, void **)) /* 2.19.1 */ \
	MAY(ncclResult_t, CommDeregister, (ncclComm_t, void *)) /* 2.19.1 */ \
	MAY(ncclResult_t, CommWindowRegister, (ncclComm_t, void *, size_t, void **, int)) /* 2.27.3 */ \
	MAY(ncclResult_t, CommWindowDeregister, (ncclComm_t, void *)) /* 2.27.3 */ \
	MAY(ncclResult_t, AlltoAll, (const void *, void *, size_t, ncclDataType_t, ncclComm_t, cudaStream_t)) /* 2.28.3 */ \
	MAY(struct nccl_team, TeamLsa, (ncclComm_t)) /* 2.28.3 */ \
	MAY(ncclResult_t, GetPeerDevicePointer, (void *, size_t, int, void **)) /* 2.29.2 */ \
	MAY(ncclResult_t, Gather, (const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)) /* 2.28.3 */ \
	MAY(ncclResult_t, Scatter, (const void *, void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)) /* 2.28.3 */ \
	MAY(ncclResult_t, AllReduceConfig, (const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, \
	    ncclComm_t, cudaStream_t, const struct nccl_coll_config *)) /* 2.31.2 */ \
	MAY(ncclResult_t, AllGatherConfig, (const void *, void *, size_t, ncclDataType_t, ncclComm_t, \
	    cudaStream_t, const struct nccl_coll_config *)) /* 2.31.2 */ \
	MAY(ncclResult_t, ReduceScatterConfig, (const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, \
	    ncclComm_t, cudaStream_t, const struct nccl_coll_config *)) /* 2.31.2 */ \
	MAY(ncclResult_t, AlltoAllConfig, (const void *, void *, size_t, ncclDataType_t, ncclComm_t, \
	    cudaStream_t, const struct nccl_coll_config *)) /* 2.31.2 */
// clang-format on

struct nccl_api {
	void *handle;
	char file[LIBRARY_FILE_BYTES]; /* where the dynamic linker found it */
	char version[32];              /* "2.28.3" */
	int at;                        /* the same as NCCL_AT */
#define NCCL_MEMBER(TYPE, NAME, ARGUMENTS) TYPE(*NAME) ARGUMENTS;
	NCCL_FUNCTIONS(NCCL_MEMBER, NCCL_MEMBER)
};

/* path: a libnccl.so.2, or "" for the one that the dynamic linker finds. */
int nccl_api_load(const char *path, struct nccl_api *out, struct status *st);
int nccl_library(const char *library, struct library *out, struct status *st);
/* There is no unload: NCCL's threads may outlive the last communicator. */
