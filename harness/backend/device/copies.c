#include "copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN     256
#define GAP_BELOW ((size_t)1 << 20)

size_t copies_stride(size_t piece_bytes)
{
	size_t aligned = (piece_bytes + ALIGN - 1) / ALIGN * ALIGN;
	return piece_bytes < GAP_BELOW ? aligned + ALIGN : aligned;
}

#ifdef HAVE_CUDA_NCCL
#include "device.h"

#define TRIED_BYTES 1001 /* not a whole number of 16 */
#define UNTOUCHED   0x5A

/* One GPU: its buffers, and the stream and times of the copies that it does.
 */
struct end {
	unsigned gpu;
	char *send, *recv;
	cudaStream_t stream;
	cudaEvent_t begun, ended;
	bool used; /* by the last order */
};

struct copies {
	struct end end[2];
};

static int reserve(struct end *end, unsigned peer, struct status *st)
{
	int reaches = 0;
	cudaError_t result;
	if (device_use(end->gpu, st) ||
	    device_ok(cudaDeviceCanAccessPeer(&reaches, (int)end->gpu, (int)peer),
	              "cudaDeviceCanAccessPeer", st))
		return -1;
	if (!reaches)
		return status_set(st, "GPU %u cannot reach the memory of GPU %u", end->gpu, peer);
	result = cudaDeviceEnablePeerAccess((int)peer, 0);
	if (result != cudaErrorPeerAccessAlreadyEnabled &&
	    device_ok(result, "cudaDeviceEnablePeerAccess", st))
		return -1;
	return device_ok(cudaMalloc((void **)&end->send, COPIES_ARENA_BYTES), "cudaMalloc", st) ||
	               device_ok(cudaMalloc((void **)&end->recv, COPIES_ARENA_BYTES), "cudaMalloc",
	                         st) ||
	               device_stream(&end->stream, st) ||
	               device_ok(cudaEventCreate(&end->begun), "cudaEventCreate", st) ||
	               device_ok(cudaEventCreate(&end->ended), "cudaEventCreate", st)
	           ? -1
	           : 0;
}

static int issue_pieces(const struct copies_order *order, const struct end *from,
                        const struct end *to, cudaStream_t stream, struct status *st)
{
	size_t stride = copies_stride(order->piece_bytes);
	unsigned long long fit = COPIES_ARENA_BYTES / stride;
	if (fit == 0) /* the gap alone is beyond the arena */
		fit = 1;
	for (unsigned long long i = 0; i < order->pieces;) {
		unsigned long long left = order->pieces - i, n = 1;
		size_t at = i % fit * stride;
		cudaError_t result;
		if (order->sm) {
			n = left < fit ? left : fit;
			result = device_launch_copy(to->recv, from->send, order->piece_bytes,
			                            stride, n, stream);
		} else {
			result = cudaMemcpyPeerAsync(to->recv + at, (int)to->gpu, from->send + at,
			                             (int)from->gpu, order->piece_bytes, stream);
		}
		if (device_ok(result, "copying", st))
			return -1;
		i += n;
	}
	return 0;
}

static int begin_direction(struct copies *c, const struct copies_order *order, unsigned from,
                           struct status *st)
{
	struct end *does = &c->end[order->pull ? !from : from];
	does->used = true;
	if (device_use(does->gpu, st) ||
	    device_ok(cudaEventRecord(does->begun, does->stream), "cudaEventRecord", st) ||
	    issue_pieces(order, &c->end[from], &c->end[!from], does->stream, st))
		return -1;
	return device_ok(cudaEventRecord(does->ended, does->stream), "cudaEventRecord", st);
}

static int begin(void *of, const struct copies_order *order, struct status *st)
{
	struct copies *c = of;
	c->end[0].used = c->end[1].used = false;
	if (order->direction != COPIES_BACK && begin_direction(c, order, 0, st))
		return -1;
	return order->direction != COPIES_FORTH ? begin_direction(c, order, 1, st) : 0;
}

static bool busy(void *of)
{
	const struct copies *c = of;
	bool all = true;
	for (unsigned i = 0; i < 2; i++)
		if (c->end[i].used)
			all = all && cudaEventQuery(c->end[i].ended) == cudaErrorNotReady;
	return all;
}

static int end(void *of, double *seconds, struct status *st)
{
	const struct copies *c = of;
	float longest = 0;
	for (unsigned i = 0; i < 2; i++) {
		const struct end *end = &c->end[i];
		float ms = 0;
		if (!end->used)
			continue;
		if (device_use(end->gpu, st) ||
		    device_ok(cudaStreamSynchronize(end->stream), "copying", st) ||
		    device_ok(cudaEventElapsedTime(&ms, end->begun, end->ended),
		              "cudaEventElapsedTime", st))
			return -1;
		longest = ms > longest ? ms : longest;
	}
	if (seconds)
		*seconds = longest / 1e3;
	return 0;
}

/* One piece, from GPU `from`, in one way. */
static int try_way(struct copies *c, const struct copies_order *order, unsigned from,
                   struct status *st)
{
	unsigned char sent[TRIED_BYTES + 1], got[TRIED_BYTES + 1];
	for (unsigned i = 0; i < sizeof sent; i++)
		sent[i] = (unsigned char)(i * 31 + order->sm * 2 + order->pull);
	if (device_ok(cudaMemcpy(c->end[from].send, sent, sizeof sent, cudaMemcpyHostToDevice),
	              "writing", st) ||
	    device_ok(cudaMemset(c->end[!from].recv, UNTOUCHED, sizeof got), "writing", st) ||
	    device_ok(cudaDeviceSynchronize(), "writing", st) || begin(c, order, st) ||
	    end(c, NULL, st) ||
	    device_ok(cudaMemcpy(got, c->end[!from].recv, sizeof got, cudaMemcpyDeviceToHost),
	              "reading back", st))
		return -1;
	if (memcmp(got, sent, TRIED_BYTES) || got[TRIED_BYTES] != UNTOUCHED)
		return status_set(st, "a copy from GPU %u to GPU %u by %s did not arrive whole",
		                  c->end[from].gpu, c->end[!from].gpu,
		                  order->sm ? "a kernel" : "the copy engine");
	return 0;
}

static int try_all(struct copies *c, struct status *st)
{
	for (unsigned i = 0; i < 8; i++) {
		struct copies_order order = {.sm = i & 1,
		                             .pull = i & 2,
		                             .direction = i & 4 ? COPIES_BACK : COPIES_FORTH,
		                             .piece_bytes = TRIED_BYTES,
		                             .pieces = 1};
		/* cudaMemset works on the current device's default stream. */
		if (device_use(c->end[i & 4 ? 0 : 1].gpu, st) ||
		    try_way(c, &order, i & 4 ? 1 : 0, st))
			return -1;
	}
	return 0;
}

int copies_open(const unsigned gpu[2], struct copies **out, char pci[2][COPIES_PCI_BYTES],
                struct status *st)
{
	unsigned n = device_count(st);
	struct copies *c;
	if (n < 2 || gpu[0] >= n || gpu[1] >= n || gpu[0] == gpu[1])
		return status_set(st, "two GPUs are needed: %u and %u of %u cannot be had", gpu[0],
		                  gpu[1], n);
	c = calloc(1, sizeof *c);
	if (!c)
		return status_set(st, "out of memory");
	for (unsigned i = 0; i < 2; i++)
		c->end[i].gpu = gpu[i];
	for (unsigned i = 0; i < 2; i++)
		if (reserve(&c->end[i], gpu[!i], st) ||
		    device_ok(cudaDeviceGetPCIBusId(pci[i], COPIES_PCI_BYTES, (int)gpu[i]),
		              "cudaDeviceGetPCIBusId", st))
			goto fail;
	if (try_all(c, st))
		goto fail;
	*out = c;
	return 0;
fail:
	copies_close(c);
	return -1;
}

struct copier copies_copier(struct copies *copies)
{
	return (struct copier){copies, begin, busy, end};
}

void copies_close(struct copies *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < 2; i++) {
		struct end *end = &c->end[i];
		cudaSetDevice((int)end->gpu);
		if (end->stream)
			cudaStreamDestroy(end->stream);
		if (end->begun)
			cudaEventDestroy(end->begun);
		if (end->ended)
			cudaEventDestroy(end->ended);
		cudaFree(end->send);
		cudaFree(end->recv);
	}
	free(c);
}

#else

int copies_open(const unsigned gpu[2], struct copies **out, char pci[2][COPIES_PCI_BYTES],
                struct status *st)
{
	(void)gpu, (void)out, (void)pci;
	return status_set(st, "this program is built without CUDA (`make doctor` says why)");
}

struct copier copies_copier(struct copies *copies)
{
	return (struct copier){copies, NULL, NULL, NULL};
}

void copies_close(struct copies *copies)
{
	(void)copies;
}
#endif
