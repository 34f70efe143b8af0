/* A stand-in for NCCL that moves data: between ranks of one process and of several, by FIFOs in
 * shared memory that no file system knows, on streams of the stand-in for CUDA. It is of
 * release VERSION, has the functions that release had, and logs the way data takes as that
 * release did.
 *
 * Errors and worse come as inject.h says (STANDIN_NCCL): of a function's name its answer;
 * `async` is what ncclCommGetAsyncError finds; `data` is of what a stream delivers: hang,
 * wrong, late. Its own declarations, so that a mistake in the program's shows. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../harness/backend/host/host_reduce.h"
#include "../../harness/coll/coll.h"
#include "inject.h"
#include "standin.h"

#ifndef VERSION
#define VERSION 22803
#endif

#define MOST       8
#define FIFO_BYTES 16384

enum { OK, CUDA, SYSTEM, INTERNAL, ARGUMENT, USAGE, REMOTE, IN_PROGRESS };
enum { ALL = -1, NOBODY = -2 };

struct fifo {
	atomic_size_t head, tail; /* bytes written, and read */
	char data[FIFO_BYTES];
};

/* What the ranks of a communicator share. */
struct shared {
	atomic_uint joined, split_asked;
	struct {
		pid_t pid;
		int color, fd;
		atomic_uint splits; /* that it has made a memory for */
	} rank[MOST];
	struct fifo fifo[MOST][MOST]; /* from, to */
};

struct id {
	char magic[16];
	pid_t pid;
	int fd;
};

struct ncclUniqueId {
	char internal[128];
};

struct region {
	const char *at;
	size_t bytes;
	bool told[MOST]; /* opened to this peer */
};

struct comm {
	struct shared *shared;
	int fd; /* of the shared memory; -1: another process's */
	unsigned n, rank, device, splits;
	int questions; /* to be answered by "in progress" yet */
	atomic_bool dead;
	atomic_uint active; /* batches that run */
	bool nonblocking, connected[MOST], ring;
	struct region regions[4];
};

/* Bytes between this rank's memory and a FIFO. */
struct transfer {
	bool sends;
	unsigned peer;
	char *at;
	size_t bytes, done;
};

/* One call on one rank: its transfers, and what is reduced when all have come. */
struct call {
	struct host_reduction reduction;
	char *into,
	    *parts; /* parts: of all ranks, one after the other; NULL: nothing to reduce */
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

struct pending {
	struct comm *comm;
	struct comm *parent; /* of a split; else NULL */
	int color;
};

static struct {
	pthread_once_t once;
	struct inject inject;
	atomic_int comms;
	FILE *log;
	char host[64];
} here = {.once = PTHREAD_ONCE_INIT};

static _Thread_local struct {
	unsigned depth, npending;
	struct pending pending[64];
	struct batch *batches;
	int error;
} group;

// clang-format off
int ncclGetVersion(int *version);
int ncclGetUniqueId(struct ncclUniqueId *out);
int ncclCommInitRank(struct comm **out, int n, struct ncclUniqueId id, int rank);
int ncclCommDestroy(struct comm *c);
int ncclCommAbort(struct comm *c);
int ncclCommGetAsyncError(struct comm *c, int *error);
const char *ncclGetErrorString(int error);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *c, cudaStream_t stream);
int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *c, cudaStream_t stream);
int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op, struct comm *c, cudaStream_t stream);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, struct comm *c, cudaStream_t stream);
int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root, struct comm *c, cudaStream_t stream);
int ncclSend(const void *from, size_t count, int type, int peer, struct comm *c, cudaStream_t stream);
int ncclRecv(void *to, size_t count, int type, int peer, struct comm *c, cudaStream_t stream);
int ncclRedOpCreatePreMulSum(int *op, void *scalar, int type, int residence, struct comm *c);
int ncclRedOpDestroy(int op, struct comm *c);
const char *ncclGetLastError(struct comm *c);
int ncclCommInitRankConfig(struct comm **out, int n, struct ncclUniqueId id, int rank, const void *config);
int ncclCommFinalize(struct comm *c);
int ncclCommSplit(struct comm *c, int color, int key, struct comm **out, const void *config);
int ncclMemAlloc(void **out, size_t bytes);
int ncclMemFree(void *at);
int ncclCommRegister(struct comm *c, void *at, size_t bytes, void **out);
int ncclCommDeregister(struct comm *c, void *handle);
int ncclCommWindowRegister(struct comm *c, void *at, size_t bytes, void **out, int flags);
int ncclCommWindowDeregister(struct comm *c, void *handle);
int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct comm *c, cudaStream_t stream);
int ncclGather(const void *from, void *to, size_t count, int type, int root, struct comm *c, cudaStream_t stream);
int ncclScatter(const void *from, void *to, size_t count, int type, int root, struct comm *c, cudaStream_t stream);
// clang-format on

/* --- what it says --- */

static void open_log(void)
{
	const char *level = getenv("NCCL_DEBUG"), *name = getenv("NCCL_DEBUG_FILE");
	char file[512] = "";
	size_t at = 0;
	if (!level || strcmp(level, "INFO") || !name)
		return;
	for (; *name && at + sizeof here.host < sizeof file; name++) {
		bool host = !strncmp(name, "%h", 2), pid = !strncmp(name, "%p", 2);
		if (host || pid)
			name++;
		at += (size_t)(host  ? sprintf(file + at, "%s", here.host)
		               : pid ? sprintf(file + at, "%d", (int)getpid())
		                     : sprintf(file + at, "%c", *name));
	}
	here.log = fopen(file, "we");
	if (here.log)
		setlinebuf(here.log);
}

static void write_calls(void)
{
	inject_write(&here.inject, "communicators", here.comms);
}

static void begin(void)
{
	inject_read(&here.inject, getenv("STANDIN_NCCL"));
	atexit(write_calls);
	gethostname(here.host, sizeof here.host - 1);
	open_log();
}

static int enter(const char *function)
{
	pthread_once(&here.once, begin);
	return inject_ask(&here.inject, function);
}

__attribute__((format(printf, 2, 3))) static void say(const struct comm *c, const char *format,
                                                      ...)
{
	char text[512];
	va_list args;
	if (!here.log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	fprintf(here.log, "%s:%d:%d [%u] NCCL INFO %s\n", here.host, (int)getpid(), gettid(),
	        c->device, text);
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	return value && atoi(value) != 0;
}

static const char *via(const struct comm *c, unsigned peer)
{
	bool one_process = c->shared->rank[peer].pid == getpid();
	bool read = is_set("NCCL_P2P_READ_ENABLE");
	if (is_set("NCCL_P2P_DISABLE"))
		return "SHM/direct/direct";
	if (one_process && !is_set("NCCL_P2P_DIRECT_DISABLE"))
		return read ? "P2P/direct pointer/read" : "P2P/direct pointer";
	return read ? "P2P/CUMEM/read" : "P2P/CUMEM";
}

static void say_link(const struct comm *c, unsigned peer, unsigned connection)
{
	say(c, "Channel 00/%u : %u[%u] -> %u[%u] via %s", connection, c->rank, c->rank, peer,
	    peer, via(c, peer));
}

/* What was registered is opened to a peer when it is first sent there or received from it. */
static void say_region(struct comm *c, const char *at, unsigned peer)
{
	for (unsigned i = 0; i < sizeof c->regions / sizeof *c->regions; i++) {
		struct region *r = &c->regions[i];
		if (VERSION < 22300 || peer == c->rank || r->told[peer] || at < r->at ||
		    at >= r->at + r->bytes)
			continue;
		r->told[peer] = true;
		say(c,
		    "rank %u - IPC register buffer %p size %zu (baseAddr %p size %zu "
		    "numSegments 1) to peer %u regAddr %p offsetOut 0",
		    c->rank, (const void *)r->at, r->bytes, (const void *)r->at, r->bytes, peer,
		    (const void *)r->at);
	}
}

int ncclGetVersion(int *version)
{
	*version = VERSION;
	return enter(__func__);
}

const char *ncclGetErrorString(int error)
{
	static const char *const words[] = {
	    "no error",
	    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
	    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
	    "internal error - please report this issue to the NCCL developers",
	    "invalid argument (run with NCCL_DEBUG=WARN for details)",
	    "invalid usage (run with NCCL_DEBUG=WARN for details)",
	    "remote process exited or there was a network error",
	    "NCCL operation in progress"};
	return (unsigned)error < sizeof words / sizeof *words ? words[error]
	                                                      : "unknown result code";
}

const char *ncclGetLastError(struct comm *c)
{
	(void)c;
	return here.inject.nrows ? "as the test asked" : "";
}

/* --- communicators --- */

static void rest(void)
{
	static _Thread_local unsigned turns;
	if (++turns % 8)
		sched_yield();
	else
		nanosleep(&(struct timespec){0, 20000}, NULL);
}

static int memory_make(void)
{
	int fd = memfd_create("standin-nccl", MFD_CLOEXEC);
	if (fd >= 0 && ftruncate(fd, sizeof(struct shared))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Another process's memory too, which lives as long as one has it. */
static struct shared *memory_map(pid_t pid, int fd)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, fd);
	int own = open(name, O_RDWR | O_CLOEXEC);
	void *at = own < 0 ? MAP_FAILED
	                   : mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE,
	                          MAP_SHARED, own, 0);
	if (own >= 0)
		close(own);
	return at == MAP_FAILED ? NULL : at;
}

int ncclGetUniqueId(struct ncclUniqueId *out)
{
	struct id id = {.magic = "standin"};
	int error = enter(__func__);
	if (error)
		return error;
	id.pid = getpid();
	id.fd = memory_make();
	memset(out, 0, sizeof *out);
	memcpy(out, &id, sizeof id);
	return id.fd < 0 ? SYSTEM : OK;
}

static int comm_wait(const struct comm *c, atomic_uint *what, unsigned until)
{
	while (atomic_load(what) < until) {
		if (atomic_load(&c->dead))
			return REMOTE;
		rest();
	}
	return OK;
}

static int comm_join(struct comm *c, pid_t pid, int fd)
{
	int device = 0;
	c->shared = memory_map(pid, fd);
	if (!c->shared)
		return SYSTEM;
	here.comms++;
	cudaGetDevice(&device);
	c->device = (unsigned)device;
	c->shared->rank[c->rank].pid = getpid();
	c->fd = pid == getpid() && c->rank == 0 ? fd : -1;
	atomic_fetch_add(&c->shared->joined, 1);
	return OK;
}

/* Once all have the memory, its name may go. */
static int comm_ready(struct comm *c)
{
	int error = comm_wait(c, &c->shared->joined, c->n);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	if (c->rank == 0)
		say(c, "NCCL version %d.%d.%d+cuda12.4", VERSION / 10000, VERSION / 100 % 100,
		    VERSION % 100);
	return error;
}

/* First the split's colors, then a memory per group by its first rank, then all join. In steps,
 * for one thread may have several ranks. */
static void split_ask(struct pending *p)
{
	struct comm *parent = p->parent;
	parent->shared->rank[parent->rank].color = p->color;
	parent->splits++;
	atomic_fetch_add(&parent->shared->split_asked, 1);
}

static int split_lead(struct pending *p)
{
	struct comm *parent = p->parent, *c = p->comm;
	int error = comm_wait(parent, &parent->shared->split_asked, parent->n * parent->splits);
	unsigned first = MOST;
	c->n = c->rank = 0;
	for (unsigned r = 0; r < parent->n; r++) {
		if (parent->shared->rank[r].color != p->color)
			continue;
		first = first == MOST ? r : first;
		c->rank += r < parent->rank;
		c->n++;
	}
	if (first == parent->rank)
		parent->shared->rank[first].fd = memory_make();
	if (first == parent->rank)
		atomic_store(&parent->shared->rank[first].splits, parent->splits);
	p->color = (int)first;
	return error;
}

static int split_join(struct pending *p)
{
	struct shared *shared = p->parent->shared;
	unsigned first = (unsigned)p->color;
	int error = comm_wait(p->parent, &shared->rank[first].splits, p->parent->splits);
	if (!error)
		error = comm_join(p->comm, shared->rank[first].pid, shared->rank[first].fd);
	p->comm->device = p->parent->device;
	return error;
}

/* Of a call within a group: the group's end will not wait for what others are to do with it. */
static int group_fail(int error)
{
	if (group.depth && !group.error)
		group.error = error;
	return error;
}

static int pending_end(void)
{
	struct pending *all = group.pending;
	unsigned n = group.npending;
	int error = group.error;
	group.npending = 0;
	for (unsigned i = 0; i < n && !error; i++)
		if (all[i].parent)
			split_ask(&all[i]);
	for (unsigned i = 0; i < n && !error; i++)
		error = all[i].parent ? split_lead(&all[i]) : OK;
	for (unsigned i = 0; i < n && !error; i++)
		error = all[i].parent ? split_join(&all[i]) : OK;
	for (unsigned i = 0; i < n && !error; i++)
		error = comm_ready(all[i].comm);
	return error;
}

static struct comm *comm_make(bool nonblocking)
{
	struct comm *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->fd = -1;
	c->nonblocking = nonblocking;
	c->questions = nonblocking ? 2 : 0;
	return c;
}

static int comm_add(struct comm *c, struct comm *parent, int color, int error,
                    struct comm **out)
{
	if (error) {
		free(c);
		return group_fail(error);
	}
	*out = c;
	group.pending[group.npending++] =
	    (struct pending){.comm = c, .parent = parent, .color = color};
	error = group.depth ? OK : pending_end();
	return error ? error : c->nonblocking ? IN_PROGRESS : OK;
}

static int comm_init(struct comm **out, int n, const struct ncclUniqueId *id, int rank,
                     bool nonblocking)
{
	struct comm *c = comm_make(nonblocking);
	struct id known;
	int error = OK;
	memcpy(&known, id, sizeof known);
	if (!c || n < 1 || n > MOST || rank < 0 || rank >= n ||
	    strcmp(known.magic, "standin")) {
		free(c);
		return ARGUMENT;
	}
	c->n = (unsigned)n;
	c->rank = (unsigned)rank;
	error = comm_join(c, known.pid, known.fd);
	return comm_add(c, NULL, 0, error, out);
}

int ncclCommInitRank(struct comm **out, int n, struct ncclUniqueId id, int rank)
{
	int error = enter(__func__);
	return error ? group_fail(error) : comm_init(out, n, &id, rank, false);
}

/* Of what is still to run nothing waits for its peers any longer. */
static int comm_end(struct comm *c, int error)
{
	atomic_store(&c->dead, true);
	while (atomic_load(&c->active))
		rest();
	if (c->shared) {
		munmap(c->shared, sizeof *c->shared);
		here.comms--;
	}
	if (c->fd >= 0)
		close(c->fd);
	c->shared = NULL; /* the rest stays: a stream may still come by */
	return error;
}

int ncclCommDestroy(struct comm *c)
{
	return comm_end(c, enter(__func__));
}

int ncclCommAbort(struct comm *c)
{
	return comm_end(c, enter(__func__));
}

int ncclCommGetAsyncError(struct comm *c, int *error)
{
	int asked = enter(__func__);
	*error = c->questions > 0 ? IN_PROGRESS : enter("async");
	c->questions -= c->questions > 0;
	return asked;
}

#if VERSION >= 21400
int ncclCommInitRankConfig(struct comm **out, int n, struct ncclUniqueId id, int rank,
                           const void *config)
{
	struct {
		size_t size;
		unsigned magic, version;
		int blocking;
	} said;
	int error = enter(__func__);
	memcpy(&said, config, sizeof said);
	if (!error && said.magic != 0xcafebeef)
		error = ARGUMENT;
	return error ? group_fail(error) : comm_init(out, n, &id, rank, !said.blocking);
}

int ncclCommFinalize(struct comm *c)
{
	c->questions = 2;
	int error = enter(__func__);
	return error ? error : IN_PROGRESS;
}
#endif

#if VERSION >= 21801
int ncclCommSplit(struct comm *parent, int color, int key, struct comm **out,
                  const void *config)
{
	int error = enter(__func__);
	struct comm *c = error ? NULL : comm_make(parent->nonblocking);
	(void)key, (void)config; /* ranks keep their order, and the parent's settings */
	return comm_add(c, parent, color, error ? error : c ? OK : SYSTEM, out);
}
#endif

/* --- what runs on a stream --- */

/* As far as it goes now. */
static bool transfer_move(struct comm *c, struct transfer *t)
{
	struct fifo *f =
	    t->sends ? &c->shared->fifo[c->rank][t->peer] : &c->shared->fifo[t->peer][c->rank];
	size_t head = atomic_load(&f->head), tail = atomic_load(&f->tail);
	size_t room = t->sends ? FIFO_BYTES - (head - tail) : head - tail;
	size_t left = t->bytes - t->done, n = left < room ? left : room;
	size_t at = (t->sends ? head : tail) % FIFO_BYTES;
	if (n > FIFO_BYTES - at)
		n = FIFO_BYTES - at;
	if (t->sends)
		memcpy(f->data + at, t->at + t->done, n);
	else
		memcpy(t->at + t->done, f->data + at, n);
	atomic_fetch_add(t->sends ? &f->head : &f->tail, n);
	t->done += n;
	return n > 0;
}

/* In order for each peer and way. */
static bool batch_move(struct batch *b, bool *moved)
{
	bool waits[2][MOST] = {{false}}, all = true;
	*moved = false;
	for (unsigned i = 0; i < b->ntransfers; i++) {
		struct transfer *t = &b->transfers[i];
		if (t->done == t->bytes || waits[t->sends][t->peer])
			continue;
		while (t->done < t->bytes && transfer_move(b->comm, t))
			*moved = true;
		if (t->done < t->bytes) {
			waits[t->sends][t->peer] = true;
			all = false;
		}
	}
	return all;
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

static void batch_fault(struct batch *b)
{
	if (b->fault == INJECT_LATE)
		sleep(1);
	while (b->fault == INJECT_HANG && !atomic_load(&b->comm->dead))
		rest();
	for (unsigned i = 0; b->fault == INJECT_WRONG && i < b->ntransfers; i++)
		if (!b->transfers[i].sends && b->transfers[i].bytes) {
			b->transfers[i].at[0] ^= 4;
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
	bool moved, done = false;
	atomic_fetch_add(&b->comm->active, 1);
	for (unsigned i = 0; i < b->ntransfers; i++)
		b->transfers[i].done = 0;
	while (!atomic_load(&b->comm->dead) && !(done = batch_move(b, &moved)))
		if (!moved)
			rest();
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
	if (b->ntransfers == b->room) {
		b->room = b->room ? 2 * b->room : 2 * MOST;
		b->transfers = realloc(b->transfers, b->room * sizeof *b->transfers);
	}
	b->transfers[b->ntransfers++] = (struct transfer){
	    .sends = sends, .peer = peer, .at = (char *)(uintptr_t)at, .bytes = bytes};
	say_region(c, at, peer);
}

static int batches_end(void)
{
	int error = group.error;
	struct batch *b = group.batches, *next;
	group.batches = NULL;
	group.error = OK;
	for (; b; b = next) {
		enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
		next = b->next;
		b->fault = enter("data");
		cudaStreamIsCapturing(b->stream, &status);
		b->kept = status != cudaStreamCaptureStatusNone;
		if (!error &&
		    standin_launch("device_launch_nccl", b->stream, batch_run, &b, sizeof b))
			error = CUDA;
		else if (error)
			batch_free(b);
	}
	return error;
}

int ncclGroupStart(void)
{
	int error = enter(__func__);
	group.depth += !error;
	return error;
}

static int group_close(void)
{
	int error = pending_end(), of_calls = batches_end();
	return error ? error : of_calls;
}

int ncclGroupEnd(void)
{
	int error = enter(__func__);
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
static struct batch *call_begin(const char *function, struct comm *c, int type, int op,
                                int root, cudaStream_t stream, size_t *bytes, int *error)
{
	*error = enter(function);
	if (!*error &&
	    (!c || (unsigned)type >= sizeof dtypes / sizeof *dtypes || op < 0 ||
	     (unsigned)op >= sizeof ops / sizeof *ops || root < 0 || (unsigned)root >= c->n))
		*error = ARGUMENT;
	if (*error) {
		group_fail(*error);
		return NULL;
	}
	*bytes *= coll_dtype_bytes(dtypes[type]);
	struct batch *b = batch_of(c, stream);
	b->calls = realloc(b->calls, (b->ncalls + 1) * sizeof *b->calls);
	b->calls[b->ncalls++] = (struct call){.bytes = 0};
	return b;
}

static int call_end(struct comm *c)
{
	int error = group.depth ? OK : batches_end();
	return error ? error : c->nonblocking ? IN_PROGRESS : OK;
}

static void connect_ring(struct comm *c)
{
	if (!c->ring && c->n > 1)
		say_link(c, (c->rank + 1) % c->n, 0);
	c->ring = true;
}

/* Everybody's `bytes` at `from`, or their shares of it, reduced on `root` or on ALL. */
static int reduce(const char *function, const void *from, void *to, size_t count, int type,
                  int op, bool shares, int root, struct comm *c, cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b =
	    call_begin(function, c, type, op, root == ALL ? 0 : root, stream, &bytes, &error);
	if (!b)
		return error;
	struct call *call = &b->calls[b->ncalls - 1];
	connect_ring(c);
	for (unsigned r = 0; r < c->n; r++)
		if (root == ALL || r == (unsigned)root)
			add(b, true, r, (const char *)from + (shares ? r * bytes : 0), bytes);
	if (root != ALL && c->rank != (unsigned)root)
		return call_end(c);
	call->parts = malloc(c->n * bytes + 1);
	call->into = to;
	call->bytes = bytes;
	call->reduction = (struct host_reduction){dtypes[type], ops[op], c->n};
	for (unsigned r = 0; r < c->n; r++)
		add(b, false, r, call->parts + r * bytes, bytes);
	return call_end(c);
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *c,
                  cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, false, ALL, c, stream);
}

int ncclReduce(const void *from, void *to, size_t count, int type, int op, int root,
               struct comm *c, cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, false, root, c, stream);
}

int ncclReduceScatter(const void *from, void *to, size_t count, int type, int op,
                      struct comm *c, cudaStream_t stream)
{
	return reduce(__func__, from, to, count, type, op, true, ALL, c, stream);
}

/* `from` goes to `to_whom` (a rank, ALL, NOBODY), whole or a share to each; what comes from
 * `from_whom` lies one after the other, or alone, in `to`. */
static int move(const char *function, const void *from, int to_whom, bool shares, void *to,
                int from_whom, size_t count, int type, int root, struct comm *c,
                cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b = call_begin(function, c, type, 0, root, stream, &bytes, &error);
	if (!b)
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
	return call_end(c);
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
	return move(__func__, from, only(c->rank == (unsigned)root), false, to, root, count,
	            type, root, c, stream);
}

/* Sends and receives have connections of their own. */
static int pass(const char *function, const void *at, bool sends, size_t count, int type,
                int peer, struct comm *c, cudaStream_t stream)
{
	int error;
	size_t bytes = count;
	struct batch *b = call_begin(function, c, type, 0, peer, stream, &bytes, &error);
	if (!b)
		return error;
	if (sends && (unsigned)peer != c->rank && !c->connected[peer]) {
		c->connected[peer] = true;
		say_link(c, (unsigned)peer, 1);
	}
	add(b, sends, (unsigned)peer, at, bytes);
	return call_end(c);
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
	int error = enter(__func__);
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
	(void)op, (void)c;
	return enter(__func__);
}
#endif

#if VERSION >= 21901
int ncclMemAlloc(void **out, size_t bytes)
{
	int error = enter(__func__);
	return error ? error : cudaMalloc(out, bytes) ? CUDA : OK;
}

int ncclMemFree(void *at)
{
	int error = enter(__func__), own = cudaFree(at) ? CUDA : OK;
	return error ? error : own;
}

static int region_take(const char *function, struct comm *c, void *at, size_t bytes, void **out)
{
	int error = enter(function);
	for (unsigned i = 0; !error && i < sizeof c->regions / sizeof *c->regions; i++)
		if (!c->regions[i].at) {
			c->regions[i] = (struct region){.at = at, .bytes = bytes};
			*out = &c->regions[i];
			say(c, "register comm %p buffer %p size %zu", (void *)c, at, bytes);
			return OK;
		}
	return error ? error : INTERNAL;
}

static int region_give(const char *function, void *handle)
{
	*(struct region *)handle = (struct region){.at = NULL};
	return enter(function);
}

int ncclCommRegister(struct comm *c, void *at, size_t bytes, void **out)
{
	return region_take(__func__, c, at, bytes, out);
}

int ncclCommDeregister(struct comm *c, void *handle)
{
	(void)c;
	return region_give(__func__, handle);
}
#endif

#if VERSION >= 22703
int ncclCommWindowRegister(struct comm *c, void *at, size_t bytes, void **out, int flags)
{
	(void)flags;
	return region_take(__func__, c, at, bytes, out);
}

int ncclCommWindowDeregister(struct comm *c, void *handle)
{
	(void)c;
	return region_give(__func__, handle);
}
#endif

#if VERSION >= 22803
int ncclAlltoAll(const void *from, void *to, size_t count, int type, struct comm *c,
                 cudaStream_t stream)
{
	return move(__func__, from, ALL, true, to, ALL, count, type, 0, c, stream);
}

int ncclGather(const void *from, void *to, size_t count, int type, int root, struct comm *c,
               cudaStream_t stream)
{
	return move(__func__, from, root, false, to, only(c->rank == (unsigned)root), count,
	            type, root, c, stream);
}

int ncclScatter(const void *from, void *to, size_t count, int type, int root, struct comm *c,
                cudaStream_t stream)
{
	return move(__func__, from, only(c->rank == (unsigned)root), true, to, root, count,
	            type, root, c, stream);
}
#endif
