/* The kernel of api = device by itself: two ranks' alltoall, without NCCL, on two GPUs or on one that
 * both share. Every way × thread blocks × size, µs per call in a graph of calls; then what launching
 * takes, one by one and by one graph over both. Each result is compared with what it has to be.
 *
 *   make STATIC=1 ARCHS=sm_90 build/tests/moves; build/tests/moves [GPUS [KIB]]
 *
 * GPUS = 1: both ranks share one. KIB: the largest size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../harness/backend/nccl/device_protocol.h"
#include "../../harness/backend/nccl/nccl_move.h"

#define RANKS 2
#define CALLS 20
#define MOST  ((size_t)256 << 20)

static void ok(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("%s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}
#define OK(CALL) ok(CALL, #CALL)

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

static void open_ranks(int gpus)
{
	const size_t bytes = MOVE_CTAS * protocol_channel_bytes(RANKS, MOVE_PACKETS);
	OK(cudaHostAlloc((void **)&failed, sizeof *failed,
	                 cudaHostAllocPortable | cudaHostAllocMapped));
	*failed = 0;
	for (int r = 0; r < RANKS; r++) {
		struct rank *k = &ranks[r];
		k->device = r % gpus;
		OK(cudaSetDevice(k->device));
		if (gpus > 1)
			OK(cudaDeviceEnablePeerAccess(1 - k->device, 0));
		OK(device_prepare_move());
		OK(cudaMalloc((void **)&k->from, MOST));
		OK(cudaMalloc((void **)&k->to, MOST));
		OK(cudaMalloc((void **)&k->channels, bytes));
		OK(cudaMemset(k->channels, 0, bytes));
		OK(cudaMemset(k->from, 17 + r, MOST / 2));
		OK(cudaMemset(k->from + MOST / 2, 34 + r, MOST / 2));
		OK(cudaStreamCreateWithFlags(&k->stream, cudaStreamNonBlocking));
		OK(cudaDeviceSynchronize());
	}
}

static void set_call(unsigned r, size_t bytes, enum move_way way, unsigned ctas, unsigned own_ctas)
{
	const size_t half = bytes / 2;
	const struct rank *k = &ranks[r];
	ranks[r].call = (struct move_call){
	    .channels = ranks[0].channels,
	    .recv = ranks[0].to,
	    .channels_stride =
	        (size_t)((uintptr_t)ranks[1].channels - (uintptr_t)ranks[0].channels),
	    .recv_stride = (size_t)((uintptr_t)ranks[1].to - (uintptr_t)ranks[0].to),
	    .from = k->from + MOST / 2 - half, /* half a part of each value */
	    .to = k->to,
	    .failed = failed,
	    .limit_ns = 5000000000u,
	    .me = r,
	    .nranks = RANKS,
	    .way = way,
	    .turns = 1,
	    .ctas = ctas,
	    .own_ctas = own_ctas,
	    .nsends = 2,
	    .nreceives = 1,
	    .sends = {{0, 0, 0, r * half, half}, {1, 0, half, r * half, half}},
	    .receives = {{1 - r, 0, 0, (1 - r) * half, half}}};
}

static void await(void)
{
	for (int r = 0; r < RANKS; r++) {
		OK(cudaSetDevice(ranks[r].device));
		OK(cudaStreamSynchronize(ranks[r].stream));
	}
	if (*failed) {
		printf("rank %u was waited for in vain (%u)\n", protocol_failed_peer(*failed),
		       (unsigned)protocol_failed_for(*failed));
		exit(1);
	}
}

/* Each rank's half from rank 0, then that from rank 1. */
static const char *check(size_t bytes)
{
	static char *got;
	const size_t half = bytes / 2;
	if (!got)
		got = malloc(MOST);
	for (int r = 0; r < RANKS; r++) {
		OK(cudaMemcpy(got, ranks[r].to, bytes, cudaMemcpyDeviceToHost));
		OK(cudaMemset(ranks[r].to, 0xff, bytes));
		for (size_t i = 0; i < bytes; i++)
			if (got[i] != (r ? 34 : 17) + (i >= half))
				return "WRONG";
	}
	OK(cudaDeviceSynchronize());
	return "";
}

static double measure(void)
{
	double best = 1e30;
	for (int r = 0; r < RANKS; r++) {
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
		for (int r = 0; r < RANKS; r++) {
			OK(cudaSetDevice(ranks[r].device));
			OK(cudaGraphLaunch(ranks[r].graph, ranks[r].stream));
		}
		await();
		double each = (now_us() - begun) / CALLS;
		best = each < best ? each : best;
	}
	for (int r = 0; r < RANKS; r++)
		OK(cudaGraphExecDestroy(ranks[r].graph));
	return best;
}

static void measure_all(size_t most)
{
	static const struct {
		enum move_way way;
		const char *name;
		unsigned ctas, own;
	} rows[] = {
	    {MOVE_PACKET, "packets", 1, 0},  {MOVE_PACKET, "packets", 4, 0},
	    {MOVE_PACKET, "packets", 16, 0}, {MOVE_PACKET, "packets", 64, 0},
	    {MOVE_STORE, "stores", 1, 0},    {MOVE_STORE, "stores", 16, 16},
	    {MOVE_STORE, "stores", 32, 16},  {MOVE_STORE, "stores", 32, 32},
	    {MOVE_STORE, "stores", 64, 0},   {MOVE_BULK, "bulk", 1, 0},
	    {MOVE_BULK, "bulk", 8, 8},       {MOVE_BULK, "bulk", 16, 16},
	    {MOVE_BULK, "bulk", 32, 16},     {MOVE_BULK, "bulk", 32, 32},
	};
	static const size_t sizes[] = {16,      4 << 10,  64 << 10, 256 << 10,
	                               1 << 20, 16 << 20, 64 << 20, 256 << 20};
	printf("alltoall, microseconds per call of a graph of %d; GB/s to peers\n", CALLS);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most; s++)
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const size_t half = sizes[s] / 2;
			if (rows[i].way == MOVE_PACKET && half > rows[i].ctas * 8 * MOVE_PACKETS)
				continue;
			for (unsigned r = 0; r < RANKS; r++)
				set_call(r, sizes[s], rows[i].way, rows[i].ctas, rows[i].own);
			double us = measure();
			printf("%10zu %-8s %3u + %2u %9.2f us %7.1f GB/s %s\n", sizes[s],
			       rows[i].name, rows[i].ctas, rows[i].own, us, (double)half / us / 1e3,
			       check(sizes[s]));
			fflush(stdout);
		}
}

/* By one thread for both ranks: each kernel by itself, then one graph whose calls are set each time, then
 * the same without setting them. Isolated: until both are done. */
static void measure_launches(void)
{
	static const char *const names[] = {"one by one", "graph, set each time", "graph"};
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node[RANKS];
	OK(cudaGraphCreate(&graph, 0));
	for (unsigned r = 0; r < RANKS; r++) {
		set_call(r, 4096, MOVE_PACKET, 1, 0);
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
					for (int r = 0; r < RANKS && way < 2; r++) {
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
	OK(cudaGetDeviceCount(&gpus));
	gpus = argc > 1 ? atoi(argv[1]) : gpus > RANKS ? RANKS : gpus;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("%d ranks on %d GPU%s\n", RANKS, gpus, gpus > 1 ? "s" : "");
	open_ranks(gpus);
	measure_all(argc > 2 ? strtoul(argv[2], NULL, 10) << 10 : MOST);
	measure_launches();
	return 0;
}
