/* What a communicator of NCCL costs to make, to finalize and to destroy, at once and later, alone and
 * several together, and what a process costs that ends without destroying any. tests/gpu/connections
 * runs it on a machine with one GPU or more.
 *
 *   connections LIBRARY RANKS END    END: destroy, finalize or leave: what comes before the exit
 *
 * Each rank is a process on GPU 0, with its own host for NCCL, so that ranks may share the GPU; they
 * meet over sockets. */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KEPT  4 /* communicators beside each other */
#define BYTES ((size_t)1 << 20)

struct id {
	char internal[128];
};

/* Shared by all ranks. */
static struct {
	atomic_uint met;
	struct id id;
} * all;

static struct {
	int (*unique)(struct id *);
	int (*init)(void **, int, struct id, int);
	int (*finalize)(void *);
	int (*destroy)(void *);
	int (*begin)(void);
	int (*end)(void);
	int (*send)(const void *, size_t, int, int, void *, cudaStream_t);
	int (*receive)(void *, size_t, int, int, void *, cudaStream_t);
} nccl;

static unsigned ranks, rank, meetings;
static char *buffers[2];
static cudaStream_t stream;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int failed, const char *what)
{
	if (!failed)
		return;
	fprintf(stderr, "rank %u: %s: %d\n", rank, what, failed);
	_exit(1);
}

static void load(const char *library)
{
	void *at = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	must(!at, "dlopen");
	*(void **)&nccl.unique = dlsym(at, "ncclGetUniqueId");
	*(void **)&nccl.init = dlsym(at, "ncclCommInitRank");
	*(void **)&nccl.finalize = dlsym(at, "ncclCommFinalize");
	*(void **)&nccl.destroy = dlsym(at, "ncclCommDestroy");
	*(void **)&nccl.begin = dlsym(at, "ncclGroupStart");
	*(void **)&nccl.end = dlsym(at, "ncclGroupEnd");
	*(void **)&nccl.send = dlsym(at, "ncclSend");
	*(void **)&nccl.receive = dlsym(at, "ncclRecv");
}

static void meet(void)
{
	atomic_fetch_add(&all->met, 1);
	meetings++;
	while (atomic_load(&all->met) < meetings * ranks)
		sched_yield();
}

static void *make(void)
{
	void *comm = NULL;
	struct id id;
	if (rank == 0)
		must(nccl.unique(&all->id), "ncclGetUniqueId");
	meet();
	id = all->id;
	meet();
	must(nccl.init(&comm, (int)ranks, id, (int)rank), "ncclCommInitRank");
	return comm;
}

/* So that the ranks are connected. */
static void use(void *comm)
{
	for (unsigned i = 0; i < 10; i++) {
		must(nccl.begin(), "ncclGroupStart");
		must(nccl.send(buffers[0], BYTES, 0, (int)((rank + 1) % ranks), comm, stream),
		     "send");
		must(nccl.receive(buffers[1], BYTES, 0, (int)((rank + ranks - 1) % ranks), comm,
		                  stream),
		     "receive");
		must(nccl.end(), "ncclGroupEnd");
	}
	must(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

static size_t left_mib(void)
{
	size_t left = 0, of = 0;
	must(cudaMemGetInfo(&left, &of), "cudaMemGetInfo");
	return left >> 20;
}

/* The time of one step; rank 0 says it. */
static void say(const char *what, double since)
{
	if (rank == 0)
		printf("  %-44s %7.3f s   %zu MiB free\n", what, now() - since, left_mib());
	fflush(stdout);
}

static void measure(void)
{
	void *comms[KEPT];
	double t;
	for (unsigned i = 0; i < KEPT; i++) {
		t = now();
		comms[i] = make();
		say(i ? "another one beside those before" : "the first communicator", t);
		t = now();
		use(comms[i]);
		say("  connected by its first calls", t);
	}
	t = now();
	must(nccl.destroy(comms[KEPT - 1]), "ncclCommDestroy");
	say("destroy the last one at once", t);
	for (unsigned i = 0; i < KEPT - 1; i++) {
		t = now();
		if (nccl.finalize)
			must(nccl.finalize(comms[i]), "ncclCommFinalize");
		say("finalize an older one", t);
	}
	t = now();
	comms[KEPT - 1] = make();
	use(comms[KEPT - 1]);
	say("make and use one beside finalized ones", t);
	meet();
	usleep(700000);
	for (unsigned i = 0; i < KEPT - 1; i++) {
		t = now();
		must(nccl.destroy(comms[i]), "ncclCommDestroy");
		say("destroy one 0.7 s after it was finalized", t);
	}
	t = now();
	must(nccl.destroy(comms[KEPT - 1]), "ncclCommDestroy");
	say("destroy one that was not finalized", t);
	for (unsigned i = 0; i < KEPT; i++)
		use(comms[i] = make());
	meet();
	t = now();
	for (unsigned i = 0; i < KEPT && nccl.finalize; i++)
		must(nccl.finalize(comms[i]), "ncclCommFinalize");
	for (unsigned i = 0; i < KEPT; i++)
		must(nccl.destroy(comms[i]), "ncclCommDestroy");
	say("finalize 4, then destroy all 4 at once", t);
}

static int work(const char *library, const char *end)
{
	char host[32];
	snprintf(host, sizeof host, "host%u", rank);
	setenv("NCCL_HOSTID", host, 1);
	load(library);
	must(cudaSetDevice(0), "cudaSetDevice");
	for (unsigned i = 0; i < 2; i++)
		must(cudaMalloc((void **)&buffers[i], BYTES), "cudaMalloc");
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
	if (!strcmp(end, "measure")) {
		measure();
		return 0;
	}
	void *comm = make();
	use(comm);
	meet();
	double t = now();
	if (!strcmp(end, "finalize") && nccl.finalize)
		must(nccl.finalize(comm), "ncclCommFinalize");
	if (!strcmp(end, "destroy"))
		must(nccl.destroy(comm), "ncclCommDestroy");
	say(end, t);
	return 0;
}

int main(int argc, char *argv[])
{
	if (argc != 4 || (ranks = (unsigned)atoi(argv[2])) < 1)
		return fprintf(stderr,
		               "connections LIBRARY RANKS measure|destroy|finalize|leave\n"),
		       2;
	all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(all == MAP_FAILED, "mmap");
	double begun = now();
	for (rank = 0; rank < ranks; rank++)
		if (fork() == 0)
			return work(argv[1], argv[3]);
	int bad = 0, status;
	while (wait(&status) > 0)
		bad |= status;
	printf("  %u rank%s, %s: %.2f s in all, exit status %d\n", ranks, ranks == 1 ? "" : "s",
	       argv[3], now() - begun, bad);
	return bad != 0;
}
