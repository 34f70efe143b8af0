/* Communicators of the stand-in for NCCL, by shared memory that no file system knows; the buffers
 * and windows that are registered with them; and the library's statements about itself, in answers
 * and in its log. A window is memory of all ranks, one after the other at a fixed distance, as each
 * rank sees it. In 2.28 its handle is memory of the GPU that says where; later a function does. */
#include "nccl_comm.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"
#include "standin.h"

struct id {
	char magic[16];
	pid_t pid;
	int fd;
};

struct ncclUniqueId {
	char internal[128];
};

#define PART ((sizeof(struct shared) + 4095) / 4096 * 4096)
#define FAR  ((size_t)4 << 30) /* from one rank to the next in a window */

struct pending {
	struct comm *comm;
	struct comm *parent; /* of a split; else NULL */
	int color;
	unsigned split; /* of the parent's */
};

/* The first five as ncclWindow_vidmem. */
struct window {
	void *host;
	char *base;
	int lsa_rank, world_rank;
	uint32_t stride;
	unsigned index;
	struct comm *comm;
	void *region;
	struct window *next;
};

static struct {
	pthread_once_t once;
	struct inject inject;
	atomic_int comms;
	_Atomic(struct comm *) ended;
	FILE *log;
	char host[64];
} here = {.once = PTHREAD_ONCE_INIT};

/* That this thread has begun, until its group's end. */
static _Thread_local struct {
	unsigned n, nwindows;
	struct pending list[64];
	struct window *windows[64];
} begun;

/* --- what it says --- */

static const char *const read_by_all[] = {"NCCL_ALGO", "NCCL_PROTO", "NCCL_NVLS_ENABLE"};

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
	for (unsigned i = 0; here.log && i < sizeof read_by_all / sizeof *read_by_all; i++)
		if (getenv(read_by_all[i]))
			fprintf(here.log, "%s:%d:%d [0] NCCL INFO %s set by environment to %s\n",
			        here.host, (int)getpid(), gettid(), read_by_all[i],
			        getenv(read_by_all[i]));
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

int standin_enter(const char *function)
{
	pthread_once(&here.once, begin);
	return inject_ask(&here.inject, function);
}

__attribute__((format(printf, 2, 3))) static void say(const struct comm *c, const char *format, ...)
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

static bool on_one_host(const struct comm *c, unsigned peer)
{
	return !strcmp(c->shared->rank[peer].hostid, c->shared->rank[c->rank].hostid);
}

static const char *via(const struct comm *c, unsigned peer)
{
	if (!on_one_host(c, peer))
		return "NET/Socket/0";
	bool one_process = c->shared->rank[peer].pid == getpid();
	bool read = is_set("NCCL_P2P_READ_ENABLE");
	if (is_set("NCCL_P2P_DISABLE"))
		return "SHM/direct/direct";
	if (one_process && !is_set("NCCL_P2P_DIRECT_DISABLE"))
		return read ? "P2P/direct pointer/read" : "P2P/direct pointer";
	return read ? "P2P/CUMEM/read" : "P2P/CUMEM";
}

void standin_say_link(const struct comm *c, unsigned peer, unsigned connection)
{
	say(c, "Channel 00/%u : %u[%u] -> %u[%u] via %s", connection, c->rank, c->rank, peer, peer,
	    via(c, peer));
}

/* A registered buffer is opened to a peer when it is first sent there or received from it. */
void standin_say_region(struct comm *c, const char *at, unsigned peer)
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

static bool is_registered(const struct comm *c, const char *at)
{
	for (unsigned i = 0; i < sizeof c->regions / sizeof *c->regions; i++)
		if (c->regions[i].at && at >= c->regions[i].at &&
		    at < c->regions[i].at + c->regions[i].bytes)
			return true;
	return false;
}

/* Until 2.28 with the first such call, which is as good as each. */
void standin_say_copies(const struct comm *c, const char *function, const char *from,
                        const char *to, size_t bytes)
{
	if (!c->zero || VERSION < 22803 || !is_registered(c, from) || !is_registered(c, to))
		return;
	if (VERSION < 22902)
		say(c, "Init CE, rank %u baseUCSymReadyPtr 0x0, baseUCSymComplPtr 0x0, seq num 0",
		    c->rank);
	else
		say(c, "%s [Copy Engine]: %zu Bytes -> cudaMemcpyAsync", function + strlen("nccl"),
		    bytes);
}

static const char *named(const char *asked, const char *const names[], unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcasecmp(asked, names[i]))
			return names[i];
	return NULL;
}

/* By size: few channels and LL below 64 KiB, all of them and SIMPLE from 1 MiB on. Only AllReduce
 * has trees. The real library says it since 2.24. */
int standin_say_choice(const struct comm *c, const char *function, size_t bytes)
{
	static const char *const algorithms[] = {"RING", "TREE"}, *const protocols[] = {
	                                                              "LL", "LL128", "SIMPLE"};
	const char *name = function + strlen("nccl");
	const unsigned by_size = (bytes >= 65536) + (bytes >= 1 << 20);
	const bool trees = !strcmp(name, "AllReduce");
	const char *algorithm = getenv("NCCL_ALGO"), *protocol = getenv("NCCL_PROTO");
	algorithm =
	    algorithm ? named(algorithm, algorithms, 1 + trees) : algorithms[trees && !by_size];
	protocol = protocol ? named(protocol, protocols, 3) : protocols[by_size];
	if (!algorithm || !protocol)
		return USAGE;
	if (c->rank == 0 && VERSION >= 22400)
		say(c, "%s: %zu Bytes -> Algo %s proto %s channel{Lo..Hi}={0..%u}", name, bytes,
		    algorithm, protocol, (1u << 2 * by_size) - 1);
	return OK;
}

int ncclGetVersion(int *version)
{
	*version = VERSION;
	return standin_enter(__func__);
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
	return here.inject.nrows ? "as the test asked" : "";
}

/* --- communicators --- */

void standin_rest(void)
{
	static _Thread_local unsigned turns;
	if (++turns % 8)
		sched_yield();
	else
		nanosleep(&(struct timespec){0, 20000}, NULL);
}

static int open_of(pid_t pid, int fd)
{
	char name[64];
	snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, fd);
	return open(name, O_RDWR | O_CLOEXEC);
}

int standin_open(const struct comm *c, unsigned rank, int fd)
{
	return open_of(c->shared->rank[rank].pid, fd);
}

/* Its memory has a part for each group of each split. */
int ncclGetUniqueId(struct ncclUniqueId *out)
{
	struct id id = {.magic = "standin", .pid = getpid()};
	int error = standin_enter(__func__);
	if (error)
		return error;
	id.fd = memfd_create("standin-nccl", MFD_CLOEXEC);
	memset(out, 0, sizeof *out);
	memcpy(out, &id, sizeof id);
	return ftruncate(id.fd, (1 + SPLITS * MOST) * PART) ? SYSTEM : OK;
}

int standin_wait(const struct comm *c, atomic_uint *what, unsigned until)
{
	while (atomic_load(what) < until) {
		if (atomic_load(&c->dead))
			return REMOTE;
		standin_rest();
	}
	return OK;
}

/* A rank comes to a part of the memory. */
static int comm_join(struct comm *c, unsigned part)
{
	void *at =
	    mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, (off_t)(part * PART));
	const char *hostid = getenv("NCCL_HOSTID");
	if (at == MAP_FAILED)
		return SYSTEM;
	here.comms++;
	c->shared = at;
	c->shared->rank[c->rank].pid = getpid();
	c->shared->rank[c->rank].gpu = standin_gpu((int)c->device);
	snprintf(c->shared->rank[c->rank].hostid, sizeof c->shared->rank->hostid, "%s",
	         hostid ? hostid : "");
	atomic_fetch_add(&c->shared->joined, 1);
	return OK;
}

/* From 2.30.3 on ranks may share a GPU if that is asked for. */
static int comm_gpus(const struct comm *c)
{
	if (VERSION >= 23003 && is_set("NCCL_MULTI_RANK_GPU_ENABLE"))
		return OK;
	for (unsigned r = 0; r < c->n; r++)
		if (r != c->rank && on_one_host(c, r) &&
		    c->shared->rank[r].gpu == c->shared->rank[c->rank].gpu)
			return USAGE;
	return OK;
}

/* Once all ranks have told where theirs is. */
static int window_open(const struct window *w)
{
	const struct comm *c = w->comm;
	int error = OK;
	for (unsigned r = 0; r < c->n && !error; r++)
		error = standin_wait(c, &c->shared->rank[r].nwindows, w->index + 1);
	for (unsigned r = 0; r < c->n && !error; r++) {
		const struct post *of = &c->shared->rank[r].windows[w->index];
		const int fd = standin_open(c, r, of->fd);
		if (mmap(w->base + r * FAR, of->bytes, PROT_READ | PROT_WRITE,
		         MAP_SHARED | MAP_FIXED, fd, (off_t)of->offset) == MAP_FAILED)
			error = SYSTEM;
		close(fd);
	}
	return error;
}

static void window_free(struct window *w)
{
	munmap(w->base, w->comm->n * FAR);
	standin_release(w);
}

/* Once all have the memory, what it was made as may go. */
static int comm_ready(struct comm *c)
{
	int error = standin_wait(c, &c->shared->joined, c->n);
	if (!error)
		error = comm_gpus(c);
	if (c->name >= 0)
		close(c->name);
	c->name = -1;
	if (c->rank == 0)
		say(c, "NCCL version %d.%d.%d+cuda12.4", VERSION / 10000, VERSION / 100 % 100,
		    VERSION % 100);
	return error;
}

/* Once all have told their color. Ranks keep their order. */
static int split_join(const struct pending *p)
{
	struct comm *parent = p->parent, *c = p->comm;
	unsigned first = MOST;
	int error = OK;
	for (unsigned r = 0; r < parent->n && !error; r++) {
		error = standin_wait(parent, &parent->shared->rank[r].splits, p->split + 1);
		if (parent->shared->rank[r].colors[p->split] != p->color)
			continue;
		first = first == MOST ? r : first;
		c->rank += r < parent->rank;
		c->n++;
	}
	return error ? error : comm_join(c, 1 + p->split * MOST + first);
}

int standin_begun_end(int error)
{
	const unsigned n = begun.n, nwindows = begun.nwindows;
	begun.n = begun.nwindows = 0;
	for (unsigned i = 0; i < n && !error; i++)
		error = begun.list[i].parent ? split_join(&begun.list[i]) : OK;
	for (unsigned i = 0; i < n && !error; i++)
		error = comm_ready(begun.list[i].comm);
	for (unsigned i = 0; i < nwindows && !error; i++)
		error = window_open(begun.windows[i]);
	return error;
}

static struct comm *comm_make(int fd, unsigned device)
{
	struct comm *c = calloc(1, sizeof *c);
	if (!c || fd < 0)
		abort();
	c->fd = fd;
	c->name = -1;
	c->device = device;
	return c;
}

static int comm_add(const struct pending *p, struct comm **out)
{
	*out = p->comm;
	begun.list[begun.n++] = *p;
	return standin_group_is_open() ? OK : standin_begun_end(OK);
}

static int comm_init(struct comm **out, int n, const struct ncclUniqueId *id, int rank)
{
	struct id known;
	int device = 0;
	memcpy(&known, id, sizeof known);
	if (n < 1 || n > MOST || rank < 0 || rank >= n || strcmp(known.magic, "standin"))
		return ARGUMENT;
	cudaGetDevice(&device);
	struct comm *c = comm_make(open_of(known.pid, known.fd), (unsigned)device);
	c->n = (unsigned)n;
	c->rank = (unsigned)rank;
	if (known.pid == getpid() && rank == 0)
		c->name = known.fd;
	const int error = comm_join(c, 0);
	return error ? standin_group_fail(error) : comm_add(&(struct pending){.comm = c}, out);
}

int ncclCommInitRank(struct comm **out, int n, struct ncclUniqueId id, int rank)
{
	int error = standin_enter(__func__);
	return error ? standin_group_fail(error) : comm_init(out, n, &id, rank);
}

/* Pending work no longer waits for its peers. */
static int comm_end(struct comm *c, int error)
{
	atomic_store(&c->dead, true);
	while (atomic_load(&c->active))
		standin_rest();
	while (c->windows) {
		struct window *w = c->windows;
		c->windows = w->next;
		window_free(w);
	}
	if (c->shared) {
		munmap(c->shared, PART);
		here.comms--;
	}
	close(c->fd);
	if (c->name >= 0)
		close(c->name);
	c->shared = NULL;
	/* The rest stays: a stream may still come by. */
	c->ended = atomic_load(&here.ended);
	while (!atomic_compare_exchange_weak(&here.ended, &c->ended, c))
		;
	return error;
}

int ncclCommDestroy(struct comm *c)
{
	return comm_end(c, standin_enter(__func__));
}

int ncclCommAbort(struct comm *c)
{
	return comm_end(c, standin_enter(__func__));
}

int ncclCommGetAsyncError(struct comm *c, int *error)
{
	int asked = standin_enter(__func__);
	(void)c;
	*error = standin_enter("async");
	return asked;
}

#if VERSION >= 21400
int ncclCommInitRankConfig(struct comm **out, int n, struct ncclUniqueId id, int rank,
                           const void *config)
{
	struct {
		size_t size;
		unsigned magic, version;
		int blocking, cga_cluster_size, min_ctas, max_ctas;
		const char *net_name;
		int split_share, traffic_class;
		const char *comm_name;
		int collnet_enable, cta_policy;
	} said;
	int error = standin_enter(__func__);
	memcpy(&said, config, sizeof said);
	if (!error &&
	    (said.magic != 0xcafebeef || said.blocking != 1 || said.min_ctas > said.max_ctas))
		error = ARGUMENT;
	error = error ? standin_group_fail(error) : comm_init(out, n, &id, rank);
	if (!error && VERSION >= 22703)
		(*out)->zero = said.cta_policy == 2;
	return error;
}

#endif

#if VERSION >= 21801
/* With the parent's settings. */
int ncclCommSplit(struct comm *parent, int color, int key, struct comm **out, const void *config)
{
	const int error = standin_enter(__func__);
	if (error)
		return standin_group_fail(error);
	const unsigned split = parent->shared->rank[parent->rank].splits;
	if (split == SPLITS)
		return INTERNAL;
	struct comm *c = comm_make(dup(parent->fd), parent->device);
	parent->shared->rank[parent->rank].colors[split] = color;
	atomic_store(&parent->shared->rank[parent->rank].splits, split + 1);
	return comm_add(
	    &(struct pending){.comm = c, .parent = parent, .color = color, .split = split}, out);
}
#endif

/* --- memory --- */

#if VERSION >= 21901
int ncclMemAlloc(void **out, size_t bytes)
{
	int error = standin_enter(__func__);
	return error ? error : cudaMalloc(out, bytes) ? CUDA : OK;
}

int ncclMemFree(void *at)
{
	int error = standin_enter(__func__), own = cudaFree(at) ? CUDA : OK;
	return error ? error : own;
}

static int region_take(const char *function, struct comm *c, void *at, size_t bytes, void **out)
{
	int error = standin_enter(function);
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
	return standin_enter(function);
}

int ncclCommRegister(struct comm *c, void *at, size_t bytes, void **out)
{
	return region_take(__func__, c, at, bytes, out);
}

int ncclCommDeregister(struct comm *c, void *handle)
{
	return region_give(__func__, handle);
}
#endif

#if VERSION >= 22703
/* Memory that is no GPU's has no file: then there is a region, and no window. */
int ncclCommWindowRegister(struct comm *c, void *at, size_t bytes, void **out, int flags)
{
	void *region = NULL, *memory = NULL;
	size_t offset = 0;
	int error = region_take(__func__, c, at, bytes, &region), fd = standin_memory(at, &offset);
	if (!error && (c->nwindows == WINDOWS || fd < 0))
		error = INTERNAL;
	if (!error && standin_take(&memory, sizeof(struct window), (int)c->device))
		error = CUDA;
	if (error)
		return standin_group_fail(error);
	struct window *w = memory;
	*w = (struct window){.base = mmap(NULL, c->n * FAR, PROT_NONE,
	                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0),
	                     .lsa_rank = (int)c->rank,
	                     .world_rank = (int)c->rank,
	                     .stride = FAR >> 32,
	                     .index = c->nwindows++,
	                     .comm = c,
	                     .region = region,
	                     .next = c->windows};
	c->windows = w;
	c->shared->rank[c->rank].windows[w->index] = (struct post){fd, offset, bytes};
	atomic_fetch_add(&c->shared->rank[c->rank].nwindows, 1);
	begun.windows[begun.nwindows++] = w;
	*out = w;
	return standin_group_is_open() ? OK : standin_begun_end(OK);
}

int ncclCommWindowDeregister(struct comm *c, void *handle)
{
	struct window *w = handle, **link = &c->windows;
	int error = region_give(__func__, w->region);
	while (*link != w)
		link = &(*link)->next;
	*link = w->next;
	window_free(w);
	return error;
}
#endif

#if VERSION >= 22803
struct team {
	int nranks, rank, stride;
};

struct team ncclTeamLsa(struct comm *c)
{
	return (struct team){(int)c->n, (int)c->rank, 1};
}
#endif

#if VERSION >= 22902
int ncclGetPeerDevicePointer(struct window *w, size_t offset, int peer, void **out)
{
	int error = standin_enter(__func__);
	*out = w->base + (size_t)peer * FAR + offset;
	return error;
}
#endif
