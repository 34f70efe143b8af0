/* Inside of the nccl backend. The data flow, one file each:
 *
 *   nccl_api       the library, loaded by path; its version, before any is loaded
 *   nccl_options   what a library or a machine cannot do of what is asked
 *   nccl_open      communicators, buffers and streams, made and given back
 *   nccl_coll      the collectives, a row each: its call, its sends and receives
 *   nccl_train     a step of training: products, buckets, and what waits for what
 *   nccl_experts   a mixture of experts: there, their work, and back
 *   nccl_call      what of a cell is settled before its calls; the timed path; graphs
 *   nccl           the backend's table: filling, checking, counters, describing
 *   device         what is CUDA's alone;  blas  products;  trace  the device's clock
 *   nccl_log       which way data took, by the library's log, after the job (no CUDA) */
#ifndef LAUNCHGAP_NCCL_H
#define LAUNCHGAP_NCCL_H

#include "../device/blas.h"
#include "nccl_api.h"

struct nvml_watch;
struct backend_ctx;
struct place;

/* When a GPU's free memory is read: before the buffers, with them, with the communicators, with
 * the buffers registered, and at the trial's end. */
enum nccl_reading {
	READ_BARE,
	READ_BUFFERS,
	READ_COMM,
	READ_REGISTER,
	READ_END,
	READINGS,
};

struct place {
	unsigned rank;      /* of all */
	unsigned device;    /* of those that this process sees */
	unsigned me, color; /* its rank in its communicator, and the group that this is */
	unsigned next;      /* the rank of all that copy writes to, */
	unsigned next_device; /* and its device, where all ranks are of one process */
	ncclComm_t comm;    /* that collectives run in */
	ncclComm_t world;   /* that comm was split from; NULL where it was not */
	ncclComm_t tensor;  /* of the ranks at this one's place in their groups; else NULL */
	cudaStream_t stream;
	int clock_khz;     /* the GPU's highest */
	int64_t extra_ns;  /* the settings' known delay, where this is a rank that has it */
	char *arenas[2];   /* as allocated, to send and to receive */
	char *send, *recv; /* offset into them: where buffers begin */
	void *handles[2];  /* of the arenas' registration */
	/* Of the cell: */
	const char *from; /* buffer 0 of its send side and of its receive side */
	char *to;
	size_t *counts; /* alltoallv: to each rank, then from each; 2n elements' numbers */
	ncclRedOp_t op;
	bool own_op; /* made for this communicator */
	cudaGraphExec_t graph;
	cudaGraph_t captured;   /* between the end of capturing and its being made ready */
	const char *round_from; /* of what has rounds: the buffers of the call that end issues */
	char *round_to;
	/* Of a step of training, where the trial has one: */
	cudaStream_t compute;
	cudaEvent_t ready; /* what one stream tells the other */
	struct blas_place blas;
	char *activations[2]; /* before and behind their reduction, where ranks share a model */
	/* Of what is asked beside: */
	int64_t asked_ns; /* when asynchronous errors were last asked for */
	struct nvml_watch *watch;
	size_t free_bytes[READINGS]; /* 0: CUDA does not say */
};

/* Local rank p's part of one call. Errors go to nccl_keep. */
typedef void nccl_part_fn(struct backend_ctx *ctx, struct place *p, const char *from, char *to);

/* How NCCL carries a collective out: by `put`, else by `move`, else by `call`. */
struct nccl_coll {
	nccl_part_fn *call; /* NCCL's own */
	nccl_part_fn *configured; /* the same with a configuration of the call's own */
	nccl_part_fn *move; /* sends and receives, which have to be in one group */
	nccl_part_fn *put;  /* in no group of ours */
	/* Behind all local ranks' put: what each of them does first, or NULL; then rounds, a group
	 * each, where the k-th begins when the one before has ended on the rank. */
	void (*first)(struct backend_ctx *ctx, struct place *p);
	void (*round)(struct backend_ctx *ctx, struct place *p, unsigned k);
	unsigned (*rounds)(unsigned nranks);
	bool trains; /* behind all local ranks' put: a step of training */
	const char *native; /* with api = native by `call` all the same: NCCL's name of it, */
	int since;          /* the first release that has it, */
	size_t symbol;      /* and where in struct nccl_api it is */
	bool parts;         /* wants every rank's counts (struct place) */
	bool one_process;   /* writes into other ranks' buffers by their address */
	bool connects;      /* no call: communicators are made */
};
/* The row of a collective; without one, all of it is empty. */
const struct nccl_coll *nccl_coll(enum coll_kind coll);
/* Issues all rounds of the cell's row, for all local ranks. */
void nccl_rounds(struct backend_ctx *ctx);

struct backend_ctx {
	struct nccl_api api;
	const struct trial *trial;
	struct team *team;
	unsigned nranks, count; /* of all; of this worker */
	unsigned n;             /* of a communicator */
	struct backend_place where;
	struct cell cell;
	uint64_t seed;
	unsigned slots;
	size_t elements, part;    /* of a buffer, and of one rank's share in it */
	struct value_parts parts; /* of alltoallv */
	struct buckets buckets;   /* of a step of training */
	struct blas math;
	unsigned tensors;         /* ranks that share a model; 0: each has one of its own */
	size_t *counts;           /* of all places */
	ncclDataType_t type;
	nccl_part_fn *issue; /* of the cell, with what goes behind all local ranks' or NULL */
	void (*end)(struct backend_ctx *ctx);
	struct nccl_coll_config config; /* of each call, where the settings ask for one */
	bool grouped;   /* begin and end are a group's */
	bool bracketed; /* each call needs a group of its own */
	bool settles;   /* each call is waited for to be taken in, where it is nonblocking */
	int64_t init_ns; /* that making the communicators took at first */
	bool fresh;     /* no call since prepare: connections may have to be made */
	bool capturing; /* calls are kept in a graph */
	bool allocates; /* by ncclMemAlloc */
	ncclResult_t failed; /* the first error of the timed path */
	cudaError_t cuda_failed;
	ncclComm_t failed_comm;
	char **peers;       /* copy: every rank's receive arena */
	void *stage;        /* pinned, for digests; made by the first */
	volatile int *gate; /* pinned; 0 holds this worker's streams */
	bool traced;
	unsigned ctas[COLL_KINDS]; /* thread blocks of its largest kernel; 0: not known */
	bool watched;            /* the hardware counters were asked for */
	char watch_missing[128]; /* why there are none */
	struct place places[];
};

/* 0 for ncclSuccess; else -1 and NCCL's own words: the error's name, and what the library last
 * said of it. */
int nccl_ok(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm, const char *what,
            struct status *st);

/* nccl_options. compute: the lowest compute capability of the GPUs, as 90 for 9.0. */
int nccl_refuse(const struct trial *trial, const struct nccl_api *api, unsigned compute,
                struct status *st);
/* Whether NCCL has one call for the collective, and this library has it. */
bool nccl_has_native(const struct nccl_api *api, enum coll_kind coll);

int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st);
int nccl_reallocate(struct backend_ctx *ctx, struct status *st);
void nccl_close(struct backend_ctx *ctx);
/* Reads the free memory of all local GPUs. */
void nccl_read_memory(struct backend_ctx *ctx, enum nccl_reading reading);
/* The local GPU whose free memory fell most from the first reading to the last; NULL where none
 * has both. */
const struct place *nccl_fullest(const struct backend_ctx *ctx);

/* nccl_open: both steps, communicators and the registration of buffers with them. */
int nccl_connect(struct backend_ctx *ctx, struct status *st);
void nccl_disconnect(struct backend_ctx *ctx);

/* nccl_call: takes the cell, for all local ranks: sizes, sides, datatype and operation. Gives
 * back what the last cell left. */
int nccl_take_cell(struct backend_ctx *ctx, const struct cell *cell, struct status *st);
void nccl_drop_cell(struct backend_ctx *ctx);

void nccl_begin(struct backend_ctx *ctx);
void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot);
void nccl_end(struct backend_ctx *ctx);
int nccl_poll(struct backend_ctx *ctx, unsigned i);
void nccl_block(struct backend_ctx *ctx, unsigned i);
void nccl_hold(struct backend_ctx *ctx);
void nccl_release(struct backend_ctx *ctx);
/* The first error stays. */
void nccl_keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm);
/* nonblocking: waits until the library has taken all in; else returns at once. */
void nccl_settle(struct backend_ctx *ctx);
void nccl_settle_comm(struct backend_ctx *ctx, ncclComm_t comm); /* NULL is allowed */

/* nccl_train: what a trial with a step of training holds, and the step. A local rank's is given
 * back by close. */
bool nccl_trains(const struct trial *trial);
int nccl_train_open(struct backend_ctx *ctx, struct place *p, struct status *st);
void nccl_train_close(struct backend_ctx *ctx, struct place *p);
/* Before the cell's calls: all products once, as their kernels are loaded by the first of them. */
int nccl_train_warm(struct backend_ctx *ctx, struct status *st);
/* The step of all local ranks; of a mixture of experts (nccl_experts). */
void nccl_train(struct backend_ctx *ctx);
void nccl_experts(struct backend_ctx *ctx);
/* On the rank's stream for work: products of so many FLOPs. What `to` does from here on waits for
 * what `from` has been given; makes the rank's GPU the current one. */
void nccl_multiply(struct backend_ctx *ctx, const struct place *p, uint64_t flops);
void nccl_follow(struct backend_ctx *ctx, const struct place *p, cudaStream_t to, cudaStream_t from);
/* nccl_coll: sends and receives of so many elements to and from each rank, within a group. */
void nccl_exchange(struct backend_ctx *ctx, struct place *p, const char *from, char *to,
                   const size_t *sent, const size_t *received);
/* nccl_coll: waits for all local ranks' streams, then for the team; -1: a rank failed. */
int nccl_meet(struct backend_ctx *ctx);

/* nccl_tensor: ranks that share a model. Their part of opening a place; what is given back by
 * close; their communicators, of the world's. */
int nccl_tensor_open(struct backend_ctx *ctx, struct place *p, struct status *st);
void nccl_tensor_close(struct place *p);
int nccl_tensor_split(struct backend_ctx *ctx, struct status *st);
/* Of the cell: fills what is reduced, and compares what it came to; nothing without tensors. */
int nccl_tensor_prepare(struct backend_ctx *ctx, struct status *st);
int nccl_tensor_check(struct backend_ctx *ctx, struct place *p, struct backend_verdict *out,
                      struct status *st);
/* Whether the cell's steps reduce activations; and a layer's, of all local ranks, behind and before
 * their work. -1: a rank failed. */
bool nccl_tensor_reduces(const struct backend_ctx *ctx);
int nccl_tensor_reduce(struct backend_ctx *ctx, uint64_t elements);

int nccl_capture(struct backend_ctx *ctx, bool on, struct status *st);
void nccl_replay(struct backend_ctx *ctx);
void nccl_drop_graphs(struct backend_ctx *ctx);

void nccl_watch_close(struct backend_ctx *ctx);

#endif
