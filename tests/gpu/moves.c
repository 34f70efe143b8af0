/* The kernel of api = device by itself: an alltoall without NCCL, a thread for each rank. Every way × thread
 * blocks × size, µs per call in a stream and in a graph of calls: the least and the median of TURNS. Each result is compared with
 * what it has to be.
 *
 *   make STATIC=1 ARCHS=sm_90 build/tests/moves; build/tests/moves [RANKS [KIB]]
 *
 * RANKS: a GPU each, all by default; more than there are GPUs share them. KIB: the largest size. */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../harness/backend/nccl/device_protocol.h"
#include "../../harness/backend/nccl/nccl_move.h"

#define RANKS  8 /* at most */
#define TURNS  9 /* the first one is not counted */
#define MOST   ((size_t)256 << 20)
#define STRIDE ((size_t)4 << 30) /* from a rank's memory to that of the next */

static void ok(int error, const char *what)
{
	if (!error)
		return;
	printf("%s: error %d\n", what, error);
	exit(1);
}
#define OK(CALL) ok((int)(CALL), #CALL)

struct row {
	enum move_way way;
	const char *name;
	unsigned ctas, own, threads;
	bool rounds, no_entry;
};

static unsigned nranks, calls;
static int gpus;
static bool graphs;
static pthread_barrier_t all;
static struct rank {
	int device;
	char *from, *to, *channels;
	cudaStream_t stream;
	struct move_call call;
	double us[TURNS];
} ranks[RANKS];
static uint32_t *failed;

/* --- memory: as NCCL maps it, each rank's a stride after that of the one before ------------------ */

#define DRIVER(NAME) ok_driver(#NAME, (void **)&driver.NAME)
static struct {
	CUresult (*cuMemAddressReserve)(CUdeviceptr *, size_t, size_t, CUdeviceptr,
	                                unsigned long long);
	CUresult (*cuMemCreate)(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *,
	                        unsigned long long);
	CUresult (*cuMemMap)(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle,
	                     unsigned long long);
	CUresult (*cuMemSetAccess)(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t);
} driver;

static void ok_driver(const char *name, void **out)
{
	enum cudaDriverEntryPointQueryResult found;
	OK(cudaGetDriverEntryPointByVersion(name, out, 12000, cudaEnableDefault, &found));
	ok(found != cudaDriverEntryPointSuccess, name);
}

static char *map(size_t bytes)
{
	CUmemAllocationProp of = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
	                          .location.type = CU_MEM_LOCATION_TYPE_DEVICE};
	CUmemAccessDesc access[RANKS];
	CUdeviceptr at;
	const size_t whole = (bytes + ((size_t)2 << 20) - 1) >> 21 << 21;
	OK(driver.cuMemAddressReserve(&at, STRIDE * nranks, STRIDE, 0, 0));
	for (int g = 0; g < gpus; g++)
		access[g] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, g},
		                              CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	for (unsigned r = 0; r < nranks; r++) {
		CUmemGenericAllocationHandle handle;
		of.location.id = ranks[r].device;
		OK(driver.cuMemCreate(&handle, whole, &of, 0));
		OK(driver.cuMemMap(at + r * STRIDE, whole, 0, handle, 0));
		OK(driver.cuMemSetAccess(at + r * STRIDE, whole, access, (size_t)gpus));
	}
	return (char *)at;
}

static void open_ranks(void)
{
	const size_t channels = MOVE_CTAS * protocol_channel_bytes(nranks, MOVE_PACKETS);
	OK(cudaHostAlloc((void **)&failed, sizeof *failed,
	                 cudaHostAllocPortable | cudaHostAllocMapped));
	*failed = 0;
	for (unsigned r = 0; r < nranks; r++) {
		ranks[r].device = (int)r % gpus;
		OK(cudaSetDevice(ranks[r].device));
		OK(device_prepare_move());
		OK(cudaStreamCreateWithFlags(&ranks[r].stream, cudaStreamNonBlocking));
	}
	DRIVER(cuMemAddressReserve);
	DRIVER(cuMemCreate);
	DRIVER(cuMemMap);
	DRIVER(cuMemSetAccess);
	char *const from = map(MOST), *const to = map(MOST), *const flags = map(channels);
	for (unsigned r = 0; r < nranks; r++) {
		ranks[r].from = from + r * STRIDE;
		ranks[r].to = to + r * STRIDE;
		ranks[r].channels = flags + r * STRIDE;
		OK(cudaSetDevice(ranks[r].device));
		OK(cudaMemset(ranks[r].channels, 0, channels));
		OK(cudaDeviceSynchronize());
	}
}

/* --- an alltoall ---------------------------------------------------------------------------------- */

static int value(unsigned from, unsigned to)
{
	return (int)(from * RANKS + to + 1);
}

static void fill(size_t bytes)
{
	const size_t part = bytes / nranks;
	for (unsigned r = 0; r < nranks; r++) {
		OK(cudaSetDevice(ranks[r].device));
		for (unsigned to = 0; to < nranks; to++)
			OK(cudaMemset(ranks[r].from + to * part, value(r, to), part));
		OK(cudaMemset(ranks[r].to, 0xff, bytes));
		OK(cudaDeviceSynchronize());
	}
}

/* Each rank's part from rank 0, then that from rank 1 … */
static const char *check(size_t bytes)
{
	static char *got;
	const size_t part = bytes / nranks;
	const char *says = "";
	if (!got)
		got = malloc(MOST);
	for (unsigned r = 0; r < nranks; r++) {
		OK(cudaSetDevice(ranks[r].device));
		OK(cudaMemcpy(got, ranks[r].to, bytes, cudaMemcpyDeviceToHost));
		OK(cudaMemset(ranks[r].to, 0xff, bytes));
		OK(cudaDeviceSynchronize());
		for (unsigned from = 0; from < nranks; from++)
			for (size_t i = 0; i < part; i++)
				if (got[from * part + i] != value(from, r))
					says = "WRONG";
	}
	return says;
}

static void set_call(unsigned r, size_t bytes, const struct row *row)
{
	const size_t part = bytes / nranks;
	const unsigned packets =
	    (unsigned)((part + MOVE_WORD * row->ctas - 1) / (MOVE_WORD * row->ctas));
	struct move_call *c = &ranks[r].call;
	*c = (struct move_call){.channels = ranks[0].channels,
	                        .recv = ranks[0].to,
	                        .channels_stride = STRIDE,
	                        .recv_stride = STRIDE,
	                        .from = ranks[r].from,
	                        .to = ranks[r].to,
	                        .failed = failed,
	                        .limit_ns = 5000000000u,
	                        .me = r,
	                        .nranks = nranks,
	                        .way = row->way,
	                        .threads = row->threads,
	                        .early = nranks <= (unsigned)gpus,
	                        .rounds = row->rounds,
	                        .turns = row->no_entry ? 2 : 1,
	                        .ctas = row->ctas,
	                        .own_ctas = row->own};
	for (unsigned k = 1; k <= nranks; k++) {
		const unsigned to = (r + k) % nranks, n = to == r ? 0 : packets;
		c->sends[c->nsends++] = (struct move_part){to, 0, n, 0, to * part, r * part, part};
		if (to != r)
			c->receives[c->nreceives++] =
			    (struct move_part){to, 0, n, 0, r * part, to * part, part};
	}
	move_cut(c, c->sends, c->nsends);
}

/* --- time ------------------------------------------------------------------------------------------ */

static void *work(void *arg)
{
	struct rank *k = arg;
	cudaGraph_t graph;
	cudaGraphExec_t exec = NULL;
	OK(cudaSetDevice(k->device));
	if (graphs) {
		OK(cudaStreamBeginCapture(k->stream, cudaStreamCaptureModeThreadLocal));
		for (unsigned c = 0; c < calls; c++)
			OK(device_launch_move(&k->call, k->stream));
		OK(cudaStreamEndCapture(k->stream, &graph));
		OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
		OK(cudaGraphDestroy(graph));
	}
	for (unsigned turn = 0; turn < TURNS; turn++) {
		pthread_barrier_wait(&all);
		const uint64_t begun = (uint64_t)clock_now_ns();
		if (graphs)
			OK(cudaGraphLaunch(exec, k->stream));
		for (unsigned c = 0; !graphs && c < calls; c++)
			OK(device_launch_move(&k->call, k->stream));
		OK(cudaStreamSynchronize(k->stream));
		k->us[turn] = (double)((uint64_t)clock_now_ns() - begun) / 1e3 / calls;
	}
	if (graphs)
		OK(cudaGraphExecDestroy(exec));
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Of the slowest rank in each turn. */
static void measure(double *least, double *median)
{
	pthread_t threads[RANKS];
	double us[TURNS] = {0};
	for (unsigned r = 0; r < nranks; r++)
		if (pthread_create(&threads[r], NULL, work, &ranks[r]))
			abort();
	for (unsigned r = 0; r < nranks; r++)
		pthread_join(threads[r], NULL);
	for (unsigned turn = 0; turn < TURNS; turn++)
		for (unsigned r = 0; r < nranks; r++)
			us[turn] = ranks[r].us[turn] > us[turn] ? ranks[r].us[turn] : us[turn];
	qsort(us + 1, TURNS - 1, sizeof *us, compare);
	*least = us[1];
	*median = us[TURNS / 2];
	if (!*failed)
		return;
	printf("rank %u was waited for in vain (%u)\n", protocol_failed_peer(*failed),
	       (unsigned)protocol_failed_for(*failed));
	exit(1);
}

/* Rows whose blocks would wait for blocks that a shared GPU has no room for are left out. */
static void measure_all(size_t most)
{
	// clang-format off
	static const struct row rows[] = {
	    {MOVE_PACKET, "packets", 4, 0, 128, false, false},
	    {MOVE_PACKET, "packets", 16, 0, 128, false, false},
	    {MOVE_PACKET, "packets", 64, 0, 128, false, false},
	    {MOVE_PACKET, "packets", 128, 0, 256, false, false},
	    {MOVE_PACKET, "packets", 128, 0, 512, false, false},
	    {MOVE_STORE, "stores", 32, 16, 512, false, false},
	    {MOVE_STORE, "stores", 48, 16, 512, false, false},
	    {MOVE_STORE, "stores", 64, 32, 512, false, false},
	    {MOVE_STORE, "stores", 64, 32, 256, false, false},
	    {MOVE_STORE, "stores", 96, 32, 512, false, false},
	    {MOVE_STORE, "stores", 96, 32, 512, false, true},
	    {MOVE_STORE, "stores", 96, 32, 512, true, false},
	    {MOVE_STORE, "stores", 112, 20, 512, true, false},
	    {MOVE_STORE, "stores", 128, 32, 512, true, false},
	    {MOVE_STORE, "stores", 128, 64, 512, false, false},
	    {MOVE_STORE, "stores", 128, 64, 512, true, false},
	    {MOVE_BULK, "bulk", 32, 16, 512, false, false},
	    {MOVE_BULK, "bulk", 96, 32, 512, true, false},
	};
	// clang-format on
	const unsigned each = (nranks + (unsigned)gpus - 1) / (unsigned)gpus;
	int sms = 0;
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	for (size_t bytes = 4096; bytes <= most; bytes *= 4) {
		const size_t part = bytes / nranks;
		calls = bytes < (size_t)4 << 20 ? 100 : bytes < (size_t)64 << 20 ? 20 : 10;
		fill(bytes);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const struct row *row = &rows[i];
			double least[2], median[2];
			if ((row->way == MOVE_PACKET &&
			     part > row->ctas * MOVE_WORD * MOVE_PACKETS) ||
			    (each > 1 && row->ctas * each > (unsigned)sms))
				continue;
			for (unsigned r = 0; r < nranks; r++)
				set_call(r, bytes, row);
			for (int g = 0; g < 2; g++) {
				graphs = g;
				measure(&least[g], &median[g]);
			}
			printf("%10zu %-7s %3u + %3u × %3u %-6s %-8s stream %8.2f %8.2f us %6.1f "
			       "GB/s, graph %8.2f %8.2f us %6.1f GB/s %s\n",
			       bytes, row->name, row->ctas, row->own, row->threads,
			       row->rounds ? "rounds" : "", row->no_entry ? "no entry" : "",
			       least[0], median[0], (double)(bytes - part) / median[0] / 1e3,
			       least[1], median[1], (double)(bytes - part) / median[1] / 1e3,
			       check(bytes));
		}
	}
}

int main(int argc, char **argv)
{
	/* Ranks that share a GPU wait for each other: each has a queue there. */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	OK(cudaGetDeviceCount(&gpus));
	nranks = argc > 1 ? (unsigned)atoi(argv[1]) : gpus < RANKS ? (unsigned)gpus : RANKS;
	if (nranks < 2 || nranks > RANKS) {
		printf("allowed are 2 to %d ranks\n", RANKS);
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	gpus = gpus < (int)nranks ? gpus : (int)nranks;
	printf("%u ranks on %d GPUs; alltoall, out of place; GB/s to peers, of the medians\n",
	       nranks, gpus);
	pthread_barrier_init(&all, NULL, nranks);
	open_ranks();
	measure_all(argc > 2 ? strtoul(argv[2], NULL, 10) << 10 : MOST);
	return 0;
}
