/* The kernel of api = device by itself: an alltoall without NCCL, of two ranks on two GPUs, or of up to eight
 * that share one. Every way × thread blocks × size, µs per call in a graph of calls; then what launching
 * takes, one by one and by one graph over both. Each result is compared with what it has to be.
 *
 *   make STATIC=1 ARCHS=sm_90 build/tests/moves; build/tests/moves [GPUS [KIB [RANKS]]]
 *
 * GPUS = 1: all ranks share one. KIB: the largest size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../harness/backend/nccl/device_protocol.h"
#include "../../harness/backend/nccl/nccl_move.h"

#define RANKS 8 /* at most */
#define CALLS 50
#define MOST  ((size_t)256 << 20)

static void ok(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}
#define OK(CALL) ok(CALL, #CALL)

static unsigned nranks = 2;
static struct rank {
	int device;
	char *from, *to, *channels;
	cudaStream_t stream;
	cudaGraphExec_t graph;
	struct move_call call;
} ranks[RANKS];
static uint32_t *failed;

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* A rank's, on its GPU; ranks that share one have theirs at equal distances. */
static void allocate(int gpus, unsigned r, size_t bytes, char **first, char **out)
{
	if (gpus > 1 || r == 0)
		OK(cudaMalloc((void **)out, gpus > 1 ? bytes : nranks * bytes));
	else
		*out = *first + r * bytes;
}

static void open_ranks(int gpus)
{
	const size_t channels = MOVE_CTAS * protocol_channel_bytes(nranks, MOVE_PACKETS);
	OK(cudaHostAlloc((void **)&failed, sizeof *failed,
	                 cudaHostAllocPortable | cudaHostAllocMapped));
	*failed = 0;
	for (unsigned r = 0; r < nranks; r++) {
		struct rank *k = &ranks[r];
		k->device = (int)r % gpus;
		OK(cudaSetDevice(k->device));
		if (gpus > 1)
			OK(cudaDeviceEnablePeerAccess(1 - k->device, 0));
		OK(device_prepare_move());
		allocate(gpus, r, MOST, &ranks[0].from, &k->from);
		allocate(gpus, r, MOST, &ranks[0].to, &k->to);
		allocate(gpus, r, channels, &ranks[0].channels, &k->channels);
		OK(cudaMemset(k->channels, 0, channels));
		OK(cudaStreamCreateWithFlags(&k->stream, cudaStreamNonBlocking));
		OK(cudaDeviceSynchronize());
	}
}

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

struct row {
	enum move_way way;
	const char *name;
	unsigned ctas, own, turns;
};

static struct move_part part_of(unsigned peer, unsigned from, unsigned to, size_t part,
                                unsigned ctas)
{
	const size_t packets = from == to ? 0 : (part + 8 * ctas - 1) / (8 * ctas);
	return (struct move_part){peer, 0, (unsigned)packets, to * part, from * part, part};
}

static void set_call(unsigned r, size_t bytes, const struct row *row)
{
	const size_t part = bytes / nranks;
	struct move_call *c = &ranks[r].call;
	*c = (struct move_call){
	    .channels = ranks[0].channels,
	    .recv = ranks[0].to,
	    .channels_stride =
	        (size_t)((uintptr_t)ranks[1].channels - (uintptr_t)ranks[0].channels),
	    .recv_stride = (size_t)((uintptr_t)ranks[1].to - (uintptr_t)ranks[0].to),
	    .from = ranks[r].from,
	    .to = ranks[r].to,
	    .failed = failed,
	    .limit_ns = 5000000000u,
	    .me = r,
	    .nranks = nranks,
	    .way = row->way,
	    .turns = row->turns,
	    .ctas = row->ctas,
	    .own_ctas = row->own};
	for (unsigned k = 1; k <= nranks; k++) {
		const unsigned to = (r + k) % nranks;
		c->sends[c->nsends++] = part_of(to, r, to, part, row->ctas);
		if (to != r)
			c->receives[c->nreceives++] = part_of(to, to, r, part, row->ctas);
	}
}

static void await(void)
{
	for (unsigned r = 0; r < nranks; r++) {
		OK(cudaSetDevice(ranks[r].device));
		OK(cudaStreamSynchronize(ranks[r].stream));
	}
	if (*failed) {
		printf("rank %u was waited for in vain (%u)\n", protocol_failed_peer(*failed),
		       (unsigned)protocol_failed_for(*failed));
		exit(1);
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
		OK(cudaMemcpy(got, ranks[r].to, bytes, cudaMemcpyDeviceToHost));
		OK(cudaMemset(ranks[r].to, 0xff, bytes));
		for (unsigned from = 0; from < nranks; from++)
			for (size_t i = 0; i < part; i++)
				if (got[from * part + i] != value(from, r))
					says = "WRONG";
	}
	OK(cudaDeviceSynchronize());
	return says;
}

static double measure(void)
{
	double best = 1e30;
	for (unsigned r = 0; r < nranks; r++) {
		cudaGraph_t graph;
		OK(cudaSetDevice(ranks[r].device));
		OK(cudaStreamBeginCapture(ranks[r].stream, cudaStreamCaptureModeThreadLocal));
		for (int c = 0; c < CALLS; c++)
			OK(device_launch_move(&ranks[r].call, ranks[r].stream));
		OK(cudaStreamEndCapture(ranks[r].stream, &graph));
		OK(cudaGraphInstantiateWithFlags(&ranks[r].graph, graph, 0));
		OK(cudaGraphDestroy(graph));
	}
	for (int turn = 0; turn < 6; turn++) {
		double begun = now_us();
		for (unsigned r = 0; r < nranks; r++) {
			OK(cudaSetDevice(ranks[r].device));
			OK(cudaGraphLaunch(ranks[r].graph, ranks[r].stream));
		}
		await();
		double each = (now_us() - begun) / CALLS;
		best = each < best ? each : best;
	}
	for (unsigned r = 0; r < nranks; r++)
		OK(cudaGraphExecDestroy(ranks[r].graph));
	return best;
}

/* Rows whose blocks would wait for blocks that a shared GPU has no room for are left out. */
static void measure_all(int gpus, size_t most)
{
	static const struct row rows[] = {
	    {MOVE_PACKET, "packets", 1, 0, 1},   {MOVE_PACKET, "packets", 4, 0, 1},
	    {MOVE_PACKET, "packets", 16, 0, 1},  {MOVE_PACKET, "packets", 64, 0, 1},
	    {MOVE_PACKET, "packets", 128, 0, 1}, {MOVE_STORE, "stores", 1, 0, 1},
	    {MOVE_STORE, "stores", 16, 16, 1},   {MOVE_STORE, "stores", 32, 16, 1},
	    {MOVE_STORE, "stores", 32, 16, 2},   {MOVE_STORE, "stores", 64, 0, 1},
	    {MOVE_STORE, "stores", 64, 32, 1},   {MOVE_STORE, "stores", 96, 32, 1},
	    {MOVE_BULK, "bulk", 1, 0, 1},        {MOVE_BULK, "bulk", 8, 8, 1},
	    {MOVE_BULK, "bulk", 16, 16, 1},      {MOVE_BULK, "bulk", 32, 16, 1},
	    {MOVE_BULK, "bulk", 64, 32, 1},
	};
	static const size_t sizes[] = {64,      4 << 10, 64 << 10, 256 << 10, 1 << 20,
	                               3 << 19, 4 << 20, 16 << 20, 64 << 20,  256 << 20};
	int sms = 0;
	OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
	printf("alltoall, microseconds per call of a graph of %d; GB/s to peers\n", CALLS);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most; s++) {
		const size_t part = sizes[s] / nranks, sent = part * (nranks - 1);
		fill(sizes[s]);
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const struct row *row = &rows[i];
			if ((row->way == MOVE_PACKET && part > row->ctas * 8 * MOVE_PACKETS) ||
			    row->ctas * (nranks / (unsigned)gpus) > (unsigned)sms)
				continue;
			for (unsigned r = 0; r < nranks; r++)
				set_call(r, sizes[s], row);
			double us = measure();
			printf("%10zu %-8s %3u + %2u %-8s %9.2f us %7.1f GB/s %s\n", sizes[s],
			       row->name, row->ctas, row->own, row->turns > 1 ? "no entry" : "", us,
			       (double)sent / us / 1e3, check(sizes[s]));
			fflush(stdout);
		}
	}
}

/* By one thread for both ranks: each kernel by itself, then one graph whose calls are set each time, then
 * the same without setting them. Isolated: until both are done. */
static void measure_launches(void)
{
	static const char *const names[] = {"one by one", "graph, set each time", "graph"};
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node[2];
	const struct row row = {MOVE_PACKET, "packets", 1, 0, 1};
	OK(cudaGraphCreate(&graph, 0));
	for (unsigned r = 0; r < 2; r++) {
		set_call(r, 4096, &row);
		OK(cudaSetDevice(ranks[r].device));
		OK(device_add_move(graph, &ranks[r].call, &node[r]));
	}
	OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int way = 0; way < 3; way++)
		for (int isolated = 0; isolated < 2; isolated++) {
			double best = 1e30;
			for (int turn = 0; turn < 20; turn++) {
				double begun = now_us();
				for (int c = 0; c < 50; c++) {
					for (int r = 0; r < 2 && way < 2; r++) {
						OK(cudaSetDevice(ranks[r].device));
						OK(way ? device_set_move(exec, node[r],
						                         &ranks[r].call)
						       : device_launch_move(&ranks[r].call,
						                            ranks[r].stream));
					}
					if (way)
						OK(cudaSetDevice(ranks[0].device));
					if (way)
						OK(cudaGraphLaunch(exec, ranks[0].stream));
					while (isolated && (cudaStreamQuery(ranks[0].stream) ==
					                        cudaErrorNotReady ||
					                    cudaStreamQuery(ranks[1].stream) ==
					                        cudaErrorNotReady))
						;
				}
				await();
				double each = (now_us() - begun) / 50;
				best = each < best ? each : best;
			}
			printf("4 KiB, one thread, %-21s %-9s %6.2f us\n", names[way],
			       isolated ? "isolated" : "stream", best);
		}
}

int main(int argc, char **argv)
{
	int gpus = 1;
	/* Ranks that share a GPU wait for each other: each has a queue there. */
	setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	OK(cudaGetDeviceCount(&gpus));
	gpus = argc > 1 ? atoi(argv[1]) : gpus > 2 ? 2 : gpus;
	nranks = argc > 3 ? (unsigned)atoi(argv[3]) : 2;
	if (nranks < 2 || nranks > RANKS || gpus < 1 || gpus > 2 || (gpus > 1 && nranks > 2)) {
		printf("allowed are 2 ranks on 2 GPUs, and 2 to %d on one\n", RANKS);
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%u ranks on %d GPU%s\n", nranks, gpus, gpus > 1 ? "s" : "");
	open_ranks(gpus);
	measure_all(gpus, argc > 2 ? strtoul(argv[2], NULL, 10) << 10 : MOST);
	if (nranks == 2)
		measure_launches();
	return 0;
}
