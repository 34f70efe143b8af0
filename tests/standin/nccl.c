/* A stand-in for NCCL that moves data: between ranks of one process and of several, each of which
 * reads the others' memory, on streams of the stand-in for CUDA. It is of release VERSION, has the
 * functions of that release, and logs the path of the data as that release did.
 *
 * inject.h describes errors and worse faults (STANDIN_NCCL): a function's name sets its answer;
 * `async` sets the result of ncclCommGetAsyncError; `data` sets the fault of a stream's data: hang,
 * wrong, late. The declarations are separate, so that a mistake in the program's shows. */
#include <unistd.h>

#include "../../harness/backend/host/host_reduce.h"
#include "../../harness/coll/coll.h"
#include "inject.h"
#include "nccl_comm.h"
#include "standin.h"

enum { ALL = -1, NOBODY = -2 };

struct transfer {
	bool sends;
	unsigned peer;
	char *at;
	size_t bytes;
};

/* One call on one rank: its transfers, and the reduction when all have arrived. */
struct call {
	struct host_reduction reduction;
	char *into, *parts; /* parts: of all ranks, one after the other; NULL: nothing to reduce */
	size_t bytes;
};

/* A group's calls of one communicator on one stream. */
struct batch {
	struct comm *comm;
	cudaStream_t stream;
	bool kept; /* by a graph */
	int fault;
	unsigned ncalls, ntransfers, room; /* for transfers */
	struct call *calls;
	struct transfer *transfers;
	struct batch *next;
};

static _Thread_local struct {
	unsigned depth;
	struct batch *batches;
	int error;
} group;

/* --- what runs on a stream --- */

static bool post(const struct comm *c, const struct transfer *t)
{
	struct mail *m = &c->shared->mail[c->rank][t->peer];
	const unsigned number = atomic_load(&m->posted);
	struct post *p = &m->posts[number % POSTS];
	if (number >= POSTS && standin_wait(c, &m->taken, number + 1 - POSTS))
		return false;
	p->fd = standin_memory(t->at, &p->offset);
	p->bytes = t->bytes;
	atomic_store(&m->posted, number + 1);
	return true;
}

static bool take(const struct comm *c, const struct transfer *t)
{
	struct mail *m = &c->shared->mail[t->peer][c->rank];
	const unsigned number = atomic_load(&m->taken);
	const struct post *p = &m->posts[number % POSTS];
	if (standin_wait(c, &m->posted, number + 1))
		return false;
	const int fd = standin_open(c, t->peer, p->fd);
	ssize_t n = p->bytes == t->bytes;
	for (size_t done = 0; n > 0 && done < t->bytes; done += (size_t)n)
		n = pread(fd, t->at + done, t->bytes - done, (off_t)(p->offset + done));
	close(fd);
	if (n <= 0)
		standin_stream_fail(cudaErrorIllegalAddress);
	atomic_store(&m->taken, number + 1);
	return n > 0;
}

/* All is sent before anything is received. What is sent may be written again once all is taken.
 * false: the communicator has ended, or what came is not what was wanted. */
static bool batch_move(const struct batch *b)
{
	const struct comm *c = b->comm;
	bool good = true;
	for (unsigned sends = 2; sends--;)
		for (unsigned i = 0; i < b->ntransfers && good; i++)
			if (b->transfers[i].sends == sends)
				good =
				    sends ? post(c, &b->transfers[i]) : take(c, &b->transfers[i]);
	for (unsigned to = 0; to < c->n && good; to++) {
		struct mail *m = &c->shared->mail[c->rank][to];
		good = !standin_wait(c, &m->taken, atomic_load(&m->posted));
	}
	return good;
}

static void call_reduce(const struct comm *c, const struct call *call)
{
	struct host_reduction r = call->reduction;
	for (unsigned rank = 0; rank < c->n; rank++) {
		char *part = call->parts + rank * call->bytes;
		if (rank == 0)
			host_reduce_first(&r, 0, call->into, part, call->bytes);
		else
			host_reduce_combine(&r, rank, rank + 1 == c->n, call->into, part,
			                    call->bytes);
	}
}

/* Wrong is the exponent of the last element, if it is a float: no sum hides that. */
static void batch_fault(struct batch *b)
{
	if (b->fault == INJECT_LATE)
		sleep(1);
	while (b->fault == INJECT_HANG && !atomic_load(&b->comm->dead))
		standin_rest();
	for (unsigned i = 0; b->fault == INJECT_WRONG && i < b->ntransfers; i++)
		if (!b->transfers[i].sends) {
			b->transfers[i].at[b->transfers[i].bytes - 1] ^= 4;
			break;
		}
}

static void batch_free(struct batch *b)
{
	for (unsigned i = 0; i < b->ncalls; i++)
		free(b->calls[i].parts);
	free(b->calls);
	free(b->transfers);
	free(b);
}

static void batch_run(void *arg)
{
	struct batch *b = *(struct batch **)arg;
	atomic_fetch_add(&b->comm->active, 1);
	const bool done = !atomic_load(&b->comm->dead) && batch_move(b);
	if (done)
		batch_fault(b);
	for (unsigned i = 0; done && i < b->ncalls; i++)
		if (b->calls[i].parts)
			call_reduce(b->comm, &b->calls[i]);
	if (b->fault > 0)
		standin_stream_fail((cudaError_t)b->fault);
	atomic_fetch_sub(&b->comm->active, 1);
	if (!b->kept)
		batch_free(b);
}

/* --- calls --- */

bool standin_group_is_open(void)
{
	return group.depth > 0;
}

int standin_group_fail(int error)
{
	if (group.depth && !group.error)
		group.error = error;
	return error;
}

static struct batch *batch_of(struct comm *c, cudaStream_t stream)
{
	struct batch **link = &group.batches, *b;
	while (*link && ((*link)->comm != c || (*link)->stream != stream))
		link = &(*link)->next;
	if (*link)
		return *link;
	b = calloc(1, sizeof *b);
	b->comm = c;
	b->stream = stream;
	*link = b;
	return b;
}

static void add(struct batch *b, bool sends, unsigned peer, const void *at, size_t bytes)
{
	struct comm *c = b->comm;
	if (!bytes)
		return;
	if (b->ntransfers == b->room) {
		b->room = b->room ? 2 * b->room : 2 * MOST;
		b->transfers = realloc(b->transfers, b->room * sizeof *b->transfers);
	}
	b->transfers[b->ntransfers++] = (struct transfer){
	    .sends = sends, .peer = peer, .at = (char *)(uintptr_t)at, .bytes = bytes};
	standin_say_region(c, at, peer);
}

/* Batches of graphs: they may be replayed until the process ends. */
static _Atomic(struct batch *) kept;

static int batches_end(void)
{
	int error = group.error;
	struct batch *b = group.batches, *next;
	group.batches = NULL;
	group.error = OK;
	for (; b; b = next) {
		enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
		next = b->next;
		b->fault = standin_enter("data");
		cudaStreamIsCapturing(b->stream, &status);
		/* What is not kept may have run and be gone once it is launched. */
		const bool stays = status != cudaStreamCaptureStatusNone;
		b->kept = stays;
		bool runs = !error && !standin_launch("device_launch_nccl", b->stream, batch_run,
		                                      &b, sizeof b);
		if (!error && !runs)
			error = CUDA;
		if (!runs)
			batch_free(b);
		else if (stays) {
			b->next = atomic_load(&kept);
			while (!atomic_compare_exchange_weak(&kept, &b->next, b))
				;
		}
	}
	return error;
}

int ncclGroupStart(void)
{
	int error = standin_enter(__func__);
	group.depth += !error;
	return error;
}

static int group_close(void)
{
	int error = standin_begun_end(group.error), of_calls = batches_end();
	return error ? error : of_calls;
}

int ncclGroupEnd(void)
{
	int error = standin_enter(__func__);
	if (group.depth == 0)
		return USAGE;
	if (--group.depth)
		return error;
	int own = group_close();
	return error ? error : own;
}

static const enum dtype dtypes[] = {DTYPE_INT8,     DTYPE_UINT8,       DTYPE_INT32,
                                    DTYPE_UINT32,   DTYPE_INT64,       DTYPE_UINT64,
                                    DTYPE_FLOAT16,  DTYPE_FLOAT32,     DTYPE_FLOAT64,
                                    DTYPE_BFLOAT16, DTYPE_FLOAT8_E4M3, DTYPE_FLOAT8_E5M2};
static const enum op ops[] = {OP_SUM, OP_PROD, OP_MAX, OP_MIN, OP_AVG, OP_PREMULSUM};

/* A call begins: its batch, or NULL with the error kept for the group's end, as NCCL does. */
static struct batch *call_begin(const char *function, struct comm *c, int type, int op, int root,
                                cudaStream_t stream, size_t *bytes, int *error)
{
	*error = standin_enter(function);
	if (!*error &&
	    (!c || (unsigned)type >= sizeof dtypes / sizeof *dtypes || op < 0 ||
	     (unsigned)op >= sizeof ops / sizeof *ops || root < 0 || (unsigned)root >= c->n))
		*error = ARGUMENT;
	if (*error) {
		standin_group_fail(*error);
		return NULL;
	}
	*bytes *= coll_dtype_bytes(dtypes[type]);
	struct batch *b = batch_of(c, stream);
	b->calls = realloc(b->calls, (b->ncalls + 1) * sizeof *b->calls);
	b->calls[b->ncalls++] = (struct call){.bytes = 0};
	return b;
}

static int call_end(void)
{
	return group.depth ? OK : batches_end();
}

/* Of a call that has an algorithm. The error ends its group. */
static int choose(const char *function, const struct comm *c, size_t bytes)
{
	group.error = group.error ? group.error : standin_say_choice(c, function, bytes);
	return !group.error ? OK : group.depth ? group.error : batches_end();
}

static void connect_ring(struct comm *c)
{
	if (!c->ring && c->n > 1)
		standin_say_link(c, (c->rank + 1) % c->n, 0);
	c->ring = true;
}

/* Everybody's `bytes` at `from`, or their shares of it, reduced on `root` or on ALL. */
static int reduce(const char *function, const void *from, void *to, size_t count, int type, int op,
                  bool shares, int root, struct comm *c, cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b =
	    call_begin(function, c, type, op, root == ALL ? 0 : root, stream, &bytes, &error);
	if (!b)
		return error;
	struct call *call = &b->calls[b->ncalls - 1];
	if ((error = choose(function, c, bytes)))
		return error;
	connect_ring(c);
	for (unsigned r = 0; r < c->n; r++)
		if (root == ALL || r == (unsigned)root)
			add(b, true, r, (const char *)from + (shares ? r * bytes : 0), bytes);
	if (root != ALL && c->rank != (unsigned)root)
		return call_end();
	call->parts = malloc(c->n * bytes + 1);
	call->into = to;
	call->bytes = bytes;
	call->reduction = (struct host_reduction){dtypes[type], ops[op], c->n};
	for (unsigned r = 0; r < c->n; r++)
		add(b, false, r, call->parts + r * bytes, bytes);
	return call_end();
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *c,
                  cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, false, ALL, c, stream);
}

int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, struct comm *c,
               cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, false, root, c, stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, struct comm *c,
                      cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, true, ALL, c, stream);
}

/* `from` goes to `to_whom` (a rank, ALL, NOBODY), whole or a share to each; the data from
 * `from_whom` is in `to`, one share after the other, or alone. */
static int move(const char *function, const void *from, int to_whom, bool shares, void *to,
                int from_whom, size_t count, int type, int root, struct comm *c,
                cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b = call_begin(function, c, type, 0, root, stream, &bytes, &error);
	if (!b)
		return error;
	const bool chooses =
	    !strcmp(function, "ncclAllGather") || !strcmp(function, "ncclBroadcast");
	if (chooses && (error = choose(function, c, bytes)))
		return error;
	connect_ring(c);
	for (int r = 0; r < (int)c->n; r++)
		if (to_whom == ALL || to_whom == r)
			add(b, true, (unsigned)r,
			    (const char *)from + (shares ? (size_t)r * bytes : 0), bytes);
	for (int r = 0; r < (int)c->n; r++)
		if (from_whom == ALL || from_whom == r)
			add(b, false, (unsigned)r,
			    (char *)to + (from_whom == ALL ? (size_t)r * bytes : 0), bytes);
	return call_end();
}

static int only(bool holds)
{
	return holds ? ALL : NOBODY;
}

int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *c,
                  cudaStream_t stream)
{
	return move(__func__, from, ALL, false, to, ALL, count, type, 0, c, stream);
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, struct comm *c,
                  cudaStream_t stream)
{
	return move(__func__, from, only(c->rank == (unsigned)root), false, to, root, count, type,
	            root, c, stream);
}

/* Sends and receives have their own connections. */
static int pass(const char *function, const void *at, bool sends, size_t count, int type, int peer,
                struct comm *c, cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b = call_begin(function, c, type, 0, peer, stream, &bytes, &error);
	if (!b)
		return error;
	if (sends && (unsigned)peer != c->rank && !c->connected[peer]) {
		c->connected[peer] = true;
		standin_say_link(c, (unsigned)peer, 1);
	}
	add(b, sends, (unsigned)peer, at, bytes);
	return call_end();
}

int ncclSend(const void *from, size_t count, int type, int peer, struct comm *c,
             cudaStream_t stream)
{
	return pass(__func__, from, true, count, type, peer, c, stream);
}

int ncclRecv(void *to, size_t count, int type, int peer, struct comm *c, cudaStream_t stream)
{
	return pass(__func__, to, false, count, type, peer, c, stream);
}

#if VERSION >= 21104
/* It holds the scale that launchgap gives rank r, or it is refused. */
int ncclRedOpCreatePreMulSum(int *op, void *scalar, int type, int residence, struct comm *c)
{
	int error = standin_enter(__func__);
	if (error)
		return error;
	uint64_t bits = value_scale_bits(dtypes[type], c->rank);
	if (residence != 1 || memcmp(scalar, &bits, coll_dtype_bytes(dtypes[type])))
		return ARGUMENT;
	*op = 5;
	return OK;
}

int ncclRedOpDestroy(int op, struct comm *c)
{
	return standin_enter(__func__);
}
#endif

#if VERSION >= 22803
int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct comm *c,
                 cudaStream_t stream)
{
	if (c && (unsigned)type < sizeof dtypes / sizeof *dtypes)
		standin_say_copies(c, __func__, from, to,
		                   c->n * count * coll_dtype_bytes(dtypes[type]));
	return move(__func__, from, ALL, true, to, ALL, count, type, 0, c, stream);
}

int ncclGather(const void *from, void *to, size_t count, int type, int root, struct comm *c,
               cudaStream_t stream)
{
	return move(__func__, from, root, false, to, only(c->rank == (unsigned)root), count, type,
	            root, c, stream);
}

int ncclScatter(const void *from, void *to, size_t count, int type, int root, struct comm *c,
                cudaStream_t stream)
{
	return move(__func__, from, only(c->rank == (unsigned)root), true, to, root, count, type,
	            root, c, stream);
}
#endif

#if VERSION >= 23102
/* A call's own configuration: as in the real library it is refused if it is not filled in as its
 * header says, or asks for no thread block. */
static int config_error(const void *config)
{
	struct {
		size_t size;
		unsigned magic, version;
		const void *ext;
		int min_ctas, max_ctas, nvls_ctas, cga_cluster_size;
		const char *algorithm;
		int force_algorithm, cta_policy;
		uint64_t tag;
	} said;
	memcpy(&said, config, sizeof said);
	bool known = said.size >= sizeof said && said.magic == 0xcafebeef &&
	             said.version >= 23100 && !said.ext && !said.algorithm && !said.tag;
	return known && said.max_ctas > 0 ? OK : ARGUMENT;
}

#define CONFIGURED(NAME, GIVEN, ...)                                                               \
	int NAME##Config(__VA_ARGS__, struct comm *c, cudaStream_t stream, const void *config)     \
	{                                                                                          \
		int error = standin_enter(#NAME "Config");                                         \
		error = error ? error : config_error(config);                                      \
		return error ? standin_group_fail(error) : NAME GIVEN;                             \
	}
CONFIGURED(ncclAllReduce, (from, to, count, type, op, c, stream), const void *from, void *to,
           size_t count, int type, int op)
CONFIGURED(ncclAllGather, (from, to, count, type, c, stream), const void *from, void *to,
           size_t count, int type)
CONFIGURED(ncclReduceScatter, (from, to, count, type, op, c, stream), const void *from, void *to,
           size_t count, int type, int op)
CONFIGURED(ncclAlltoAll, (from, to, count, type, c, stream), const void *from, void *to,
           size_t count, int type)
#endif
