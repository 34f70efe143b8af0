/* Internals of the nccl backend:
 *
 *   nccl           the backend's table: filling, checking, counters, describing
 *   nccl_api       the library, loaded by path; versions of libraries that are not loaded
 *   nccl_options   requests that a library or a machine cannot fulfil
 *   nccl_open      communicators, buffers and streams; a new connection beside the old one
 *   nccl_call      decisions before a cell's calls; the timed path; graphs
 *   nccl_coll      the collectives, a row each: its call, its sends and receives
 *   nccl_links     plain copies;  nccl_train  steps of training;  device, blas, trace  CUDA alone
 *   nccl_device    api = device: calls by a kernel of our own (nccl_move.h, device_protocol.h)
 *   nccl_log       the path of the data, by the library's log, after the job (no CUDA) */
#pragma once

#include "../device/blas.h"
#include "../steps.h"
#include "nccl_api.h"
#include "nccl_move.h"

struct nvml_watch;
struct backend_ctx;
struct place;

enum nccl_reading {
	READ_BARE,
	READ_BUFFERS,
	READ_COMM,
	READ_REGISTER,
	READ_END,
	READINGS,
};

/* Pinned: only if a cell copies from or to CPU memory. */
enum nccl_arena { ARENA_SEND, ARENA_RECV, ARENA_HOST, ARENAS };

struct place {
	unsigned rank;        /* of all */
	unsigned device;      /* among those that this process sees */
	unsigned me, color;   /* its rank in its communicator, and the group's colour */
	unsigned next;        /* the rank of all that copy writes to, */
	unsigned next_device; /* and its device, if all ranks are in one process */
	ncclComm_t comm;      /* for collectives */
	ncclComm_t world;     /* the one that comm was split from, or NULL */
	cudaStream_t stream;
	struct device_place at; /* both again, for what fills and checks its buffers */
	uint32_t *word;       /* pinned: which of the worker's calls its stream has done; or NULL */
	uint32_t awaited;     /* what the stream writes there next, or last */
	uint32_t *round;      /* pinned: how far the next rank's plain copies are; or NULL */
	uint32_t copied;      /* calls of plain copies */
	int clock_khz;        /* the GPU's highest */
	int64_t extra_ns;     /* the settings' known delay, on a rank that has it */
	char *arenas[ARENAS]; /* as allocated */
	char *send, *recv;    /* in the arenas, after the offset: start of the buffers */
	char *host;           /* the same in pinned CPU memory; NULL: no cell needs it */
	void *handles[2];     /* of the arenas' registration */
	const char *from;     /* buffer 0 of its send side and of its receive side */
	char *to;
	struct coll_span span;
	struct steps_plan plan; /* of sends and receives */
	ncclRedOp_t op;
	bool own_op; /* created for this communicator */
	cudaGraphExec_t graph;
	cudaGraph_t captured;   /* from the end of capturing until it is instantiated */
	const char *round_from; /* with rounds: the buffers of the call that end issues */
	char *round_to;
	/* Of a staged copy, on its sender: the other GPU, a stream there, what each waits for. */
	unsigned far_device;
	cudaStream_t far;
	cudaEvent_t near_done, far_done;
	/* api = device: */
	char *channels;        /* memory that its peers write to, */
	void *channels_window; /* and its registration */
	char *peers_recv;      /* rank 0's receive buffer, as this rank sees it */
	struct move_call move; /* the next call */
	/* If the trial has a step of training: */
	cudaStream_t compute;
	cudaEvent_t ready; /* orders one stream after the other */
	struct blas_place blas;
	int64_t asked_ns; /* the last query for asynchronous errors */
	struct nvml_watch *watch;
	size_t free_bytes[READINGS]; /* 0: CUDA does not say */
};

struct nccl_peer {
	char *send, *recv;
	uint32_t *round;
};

/* Local rank p's part of one call. Errors go to nccl_keep. */
typedef void nccl_part_fn(struct backend_ctx *ctx, struct place *p, const char *from, char *to);

typedef void nccl_grouped_fn(struct backend_ctx *ctx, struct place *p, const void *of);

/* How NCCL carries out a collective: by `put`, else by sends and receives, else by `call`. */
struct nccl_coll {
	nccl_part_fn *call;       /* NCCL's own */
	nccl_part_fn *configured; /* the same with a configuration for the call */
	bool moves;               /* sends and receives, which have to be in one group a phase */
	nccl_part_fn *put;        /* in no group of ours; what follows it is in nccl_end */
	bool device;              /* api = device has it */
	bool trains;              /* a step of training */
	const char *native;       /* api = native uses `call`: NCCL's name of it, */
	int since;                /* the first release that has it, */
	size_t symbol;            /* and its offset in struct nccl_api */
	bool one_process;         /* writes into other ranks' buffers by their address */
	bool connects;            /* no call: makes communicators */
};
const struct nccl_coll *nccl_coll(enum coll_kind coll);
void nccl_rounds(struct backend_ctx *ctx);

struct backend_ctx {
	struct nccl_api api;
	const struct trial *trial;
	struct team *team;
	unsigned nranks, count; /* of all; of this worker */
	unsigned n;             /* of a communicator */
	struct backend_place where;
	struct steps_call call;
	uint64_t seed;
	unsigned slots;
	size_t elements, part; /* of a buffer, and of one rank's part in it */
	struct blas math;
	ncclDataType_t type;
	bool reads;          /* pair_copy: the destination's rank does it */
	nccl_part_fn *issue; /* of the cell; `end` follows those of all local ranks, or is NULL */
	void (*end)(struct backend_ctx *ctx);
	struct nccl_coll_config config; /* of each call, if the settings ask for one */
	bool grouped;                   /* begin and end form a group */
	int64_t init_ns;                /* time of first making the communicators */
	bool fresh;                     /* no call since prepare: it may have to connect */
	bool capturing;                 /* calls go into a graph */
	bool allocates;                 /* by ncclMemAlloc */
	ncclResult_t failed;            /* the first error of the timed path */
	cudaError_t cuda_failed;
	ncclComm_t failed_comm;
	struct nccl_peer *peers;    /* of all ranks, if they are in one process */
	volatile int *gate;         /* pinned; 0 holds this worker's streams */
	struct device_words driver; /* no write: the end of calls is asked of CUDA */
	uint32_t issued;            /* how often calls were, with the words' first */
	char *words;                /* of all places, pinned */
	uint32_t *move_failed;      /* pinned, of each place (struct move_call) */
	bool traced;
	unsigned ctas[COLL_KINDS];  /* thread blocks of its largest kernel; 0: not known */
	struct backend_ctx *before; /* the last connection, whose communicators are kept; or NULL */
	bool watched;               /* the hardware counters were opened */
	char watch_missing[128];    /* why there are none */
	struct place places[];
};

/* 0 for ncclSuccess; else -1 with NCCL's error string and last message. */
int nccl_ok(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm, const char *what,
            struct status *st);

/* `part` of all local ranks, in a group. Ends at the first failure. */
void nccl_group(struct backend_ctx *ctx, nccl_grouped_fn *part, const void *of);
static inline int nccl_team(int failed, struct status *st)
{
	return failed ? status_set(st, "another rank failed") : 0;
}

int nccl_refuse(const struct trial *trial, const struct nccl_api *api, unsigned compute,
                struct status *st);
bool nccl_has_native(const struct nccl_api *api, enum coll_kind coll);

/* What is registered, which api = device adds to. */
enum registration nccl_registration(const struct trial *trial);
int nccl_wake(const struct backend_place *place, struct status *st);
int nccl_open(const struct backend_place *place, struct backend_ctx **out, struct status *st);
int nccl_reallocate(struct backend_ctx *ctx, struct status *st);
/* With the connections before it. leave: destroys no communicator, as the process exits; after a
 * failure it is close. */
void nccl_close(struct backend_ctx *ctx);
void nccl_leave(struct backend_ctx *ctx);
/* *at becomes the new connection, or after an error one that close accepts. */
int nccl_renew(struct backend_ctx **at, struct status *st);
/* The local GPU whose free memory fell most over the first connection; NULL: not known. */
const struct place *nccl_fullest(const struct backend_ctx *ctx);
void nccl_read_memory(struct backend_ctx *ctx, enum nccl_reading reading);

int nccl_connect(struct backend_ctx *ctx, struct status *st);
void nccl_disconnect(struct backend_ctx *ctx);

/* Sets up the cell for all local ranks, and frees what the last one left. */
int nccl_take_cell(struct backend_ctx *ctx, const struct cell *cell, struct status *st);
void nccl_drop_cell(struct backend_ctx *ctx);

void nccl_begin(struct backend_ctx *ctx);
void nccl_issue(struct backend_ctx *ctx, unsigned i, unsigned slot);
void nccl_end(struct backend_ctx *ctx);
int nccl_poll(struct backend_ctx *ctx, unsigned i);
void nccl_block(struct backend_ctx *ctx, unsigned i);
void nccl_hold(struct backend_ctx *ctx);
void nccl_release(struct backend_ctx *ctx);
static inline void nccl_keep_cuda(struct backend_ctx *ctx, cudaError_t result)
{
	if (ctx->cuda_failed == cudaSuccess)
		ctx->cuda_failed = result;
}
/* Makes the place's device the current one; whether that worked. */
static inline bool nccl_use(struct backend_ctx *ctx, const struct place *p)
{
	cudaError_t result = cudaSetDevice((int)p->device);
	nccl_keep_cuda(ctx, result);
	return result == cudaSuccess;
}
void nccl_keep(struct backend_ctx *ctx, ncclResult_t result, ncclComm_t comm);

bool nccl_links_host(const struct trial *trial);
/* A cell's buffers: a side may be in CPU memory. */
char *nccl_send_of(const struct backend_ctx *ctx, const struct place *p);
char *nccl_recv_of(const struct backend_ctx *ctx, const struct place *p);
/* Pinned memory, near the rank's GPU with bind = near-gpu. Freed by cudaFreeHost. */
int nccl_links_pin(const struct backend_ctx *ctx, const struct place *p, char **out, size_t bytes,
                   struct status *st);
/* Plain copies that cannot be carried out: of a cell; on these GPUs. */
int nccl_links_refuse(const struct trial *trial, const struct cell *cell, struct status *st);
int nccl_links_refuse_devices(const struct trial *trial, struct status *st);
/* Opens all peers' memory, or the next rank's, to local GPUs: else copies go through the host. */
int nccl_links_open(struct backend_ctx *ctx, struct status *st);
int nccl_links_take(struct backend_ctx *ctx, struct place *p, struct status *st);
void nccl_links_drop(struct place *p);
nccl_part_fn nccl_put_local, nccl_put_pair, nccl_put_staged, nccl_put_copies;
bool nccl_copies(const struct settings *settings);

bool nccl_trains(const struct trial *trial);
int nccl_train_open(struct backend_ctx *ctx, struct place *p, struct status *st);
void nccl_train_close(struct backend_ctx *ctx, struct place *p);
/* All products once, as the first one loads their kernels. */
int nccl_train_warm(struct backend_ctx *ctx, struct status *st);
void nccl_train(struct backend_ctx *ctx);
void nccl_experts(struct backend_ctx *ctx);
/* The sends and receives of a call; of a phase of it (`unsigned`), within a group. */
nccl_part_fn nccl_move;
nccl_grouped_fn nccl_move_phase;
/* Waits for all local ranks' streams, then for the team; -1: a rank failed. */
int nccl_meet(struct backend_ctx *ctx);

/* api = device: whether the settings ask for it. */
bool nccl_moves(const struct settings *settings);
int nccl_move_refuse(const struct trial *trial, const struct cell *cell, unsigned compute,
                     struct status *st);
/* Once receive buffers are registered: opens the peers' memory, in all workers. */
int nccl_move_open(struct backend_ctx *ctx, struct status *st);
/* Until no kernel of ours works in memory that is about to be unmapped. */
void nccl_move_await(struct backend_ctx *ctx);
void nccl_move_close(struct backend_ctx *ctx, struct place *p);
void nccl_move_free(struct backend_ctx *ctx, struct place *p);
int nccl_move_take(struct backend_ctx *ctx, struct place *p, struct status *st);
nccl_part_fn nccl_put_moves;
/* Whether a local rank's kernel gave up. st: the sentence, after another rank's; or NULL. */
bool nccl_move_late(const struct backend_ctx *ctx, struct status *st);
void nccl_move_describe(const struct backend_ctx *ctx, char *text, size_t bytes);

int nccl_capture(struct backend_ctx *ctx, bool on, struct status *st);
void nccl_replay(struct backend_ctx *ctx);
void nccl_drop_graphs(struct backend_ctx *ctx);
