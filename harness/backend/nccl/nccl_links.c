/* Plain copies without NCCL: GPU and pinned CPU memory, GPU to GPU, by the CPU; api = copies. */
#include <sys/syscall.h>
#include <unistd.h>

#include "nccl.h"

/* Of a staged copy: the second GPU reads a piece while the first writes the next one. */
#define PIECE_BYTES ((size_t)2 << 20)
/* Each load of a chase takes about a microsecond. */
#define CHASE_BYTES ((size_t)64 << 10)

/* <linux/mempolicy.h> */
#define MPOL_DEFAULT   0
#define MPOL_PREFERRED 1

bool nccl_links_host(const struct trial *trial)
{
	return trial_has(trial, COLL_TO_DEVICE) || trial_has(trial, COLL_TO_HOST) ||
	       trial_has(trial, COLL_PAIR_STAGED);
}

bool nccl_copies(const struct settings *settings)
{
	return !strcmp(settings->api, "copies");
}

char *nccl_send_of(const struct backend_ctx *ctx, const struct place *p)
{
	return ctx->call.cell.coll == COLL_TO_DEVICE ? p->host : p->send;
}

char *nccl_recv_of(const struct backend_ctx *ctx, const struct place *p)
{
	return ctx->call.cell.coll == COLL_TO_HOST ? p->host : p->recv;
}

int nccl_links_pin(const struct backend_ctx *ctx, const struct place *p, char **out, size_t bytes,
                   struct status *st)
{
	int node = ctx->trial->settings.bind == BIND_NEAR_GPU ? device_numa_node(p->device) : -1;
	unsigned long nodes = node >= 0 && node < 64 ? 1ul << node : 0;
	bool asked = nodes && !syscall(SYS_set_mempolicy, MPOL_PREFERRED, &nodes, 64);
	int result = device_pin((void **)out, bytes, st);
	if (asked)
		syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	return result;
}

/* --- what can be carried out --- */

static int refuse_chase(const struct cell *c, struct status *st)
{
	if (c->coll != COLL_TO_DEVICE && c->coll != COLL_PAIR_COPY)
		return status_set(st,
		                  "engine = chase waits for loads over a link, and %s has none; "
		                  "allowed are to_device and pair_copy",
		                  coll_info(c->coll)->name);
	if (c->bytes > CHASE_BYTES)
		return status_set(st,
		                  "engine = chase of %zu bytes: one thread loads them one after "
		                  "the other; allowed are %zu KiB at most",
		                  c->bytes, CHASE_BYTES >> 10);
	return 0;
}

int nccl_links_refuse(const struct trial *trial, const struct cell *c, struct status *st)
{
	const struct settings *set = &trial->settings;
	if (nccl_copies(set) && c->coll != COLL_ALLTOALL)
		return status_set(st, "api = copies is of alltoall alone, not of %s",
		                  coll_info(c->coll)->name);
	if (nccl_copies(set) && (set->layout.processes > 1 || set->start == START_GATED))
		return status_set(st, "api = copies needs all GPUs in one process, and cannot be "
		                      "combined with start = gated");
	if (!(coll_info(c->coll)->is & COLL_RAW))
		return 0;
	if (set->engine == ENGINE_CHASE && refuse_chase(c, st))
		return -1;
	if (c->coll == COLL_PAIR_STAGED && set->start == START_GATED)
		return status_set(st, "pair_staged cannot be combined with start = gated: a held "
		                      "stream has no room for all of its pieces");
	return 0;
}

int nccl_links_refuse_devices(const struct trial *trial, struct status *st)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	bool pairs = trial_has(trial, COLL_PAIR_COPY), all = pairs || nccl_copies(&trial->settings);
	if (trial->settings.peer != PEER_WRITE && !pairs)
		return status_set(st, "peer = %s is of pair_copy, which has no two ranks here",
		                  settings_words("peer")[trial->settings.peer]);
	for (unsigned i = 0; all && i < nranks * nranks; i++) {
		unsigned from = trial_device(trial, i / nranks),
		         to = trial_device(trial, i % nranks);
		int reaches = from == to;
		if (!reaches && device_ok(cudaDeviceCanAccessPeer(&reaches, (int)from, (int)to),
		                          "cudaDeviceCanAccessPeer", st))
			return -1;
		if (reaches)
			continue;
		return status_set(st,
		                  "%s: GPU %u cannot reach the memory of GPU %u; pair_staged goes "
		                  "through CPU memory",
		                  pairs ? "pair_copy" : "api = copies", from, to);
	}
	return 0;
}

/* --- opening --- */

int nccl_links_open(struct backend_ctx *ctx, struct status *st)
{
	const bool all =
	    trial_has(ctx->trial, COLL_PAIR_COPY) || nccl_copies(&ctx->trial->settings);
	for (const struct place *p = ctx->places; p < ctx->places + ctx->count; p++) {
		if (device_use(p->device, st))
			return -1;
		for (unsigned r = 0; r < ctx->nranks; r++) {
			const int to = (int)trial_device(ctx->trial, r);
			int reaches = 0;
			if (to == (int)p->device || (!all && r != p->next) ||
			    cudaDeviceCanAccessPeer(&reaches, (int)p->device, to) || !reaches)
				continue;
			cudaError_t result = cudaDeviceEnablePeerAccess(to, 0);
			if (all && result != cudaErrorPeerAccessAlreadyEnabled &&
			    device_ok(result, "cudaDeviceEnablePeerAccess", st))
				return -1;
		}
		cudaGetLastError(); /* "already enabled" stays there */
	}
	return 0;
}

static unsigned rank_of(const struct backend_ctx *ctx, const struct place *p, unsigned member)
{
	return split_peer(ctx->trial->settings.split, ctx->nranks, p->color, member);
}

int nccl_links_take(struct backend_ctx *ctx, struct place *p, struct status *st)
{
	const struct settings *set = &ctx->trial->settings;
	ctx->reads = set->peer == PEER_READ || set->engine == ENGINE_CHASE;
	const bool staged = ctx->call.cell.coll == COLL_PAIR_STAGED &&
	                    p->me == value_pair_from(ctx->call.cell.root);
	if (!staged && !nccl_copies(set))
		return 0;
	p->far_device =
	    staged ? trial_device(ctx->trial,
	                          rank_of(ctx, p, value_pair_to(ctx->call.cell.root, ctx->n)))
	           : p->device;
	if (device_use(p->far_device, st) || device_stream(&p->far, st) ||
	    device_event(&p->far_done, st) || device_use(p->device, st))
		return -1;
	return device_event(&p->near_done, st);
}

void nccl_links_drop(struct place *p)
{
	if (p->far)
		cudaStreamDestroy(p->far);
	if (p->far_done)
		cudaEventDestroy(p->far_done);
	if (p->near_done)
		cudaEventDestroy(p->near_done);
	p->far = NULL;
	p->far_done = p->near_done = NULL;
}

/* --- the timed path --- */

/* By the stream's GPU, which has to be the current one. */
static cudaError_t carry(const struct backend_ctx *ctx, char *to, const char *from, size_t bytes,
                         cudaStream_t stream)
{
	size_t elements = bytes / coll_dtype_bytes(ctx->call.cell.dtype);
	switch (ctx->trial->settings.engine) {
	case ENGINE_SM:
		return device_launch_access(to, from, ctx->call.cell.dtype, elements, 1, stream);
	case ENGINE_CHASE:
		return device_launch_chase(to, from, ctx->call.cell.dtype, elements, stream);
	default:
		return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
	}
}

void nccl_put_local(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	if (nccl_use(ctx, p))
		nccl_keep_cuda(ctx, carry(ctx, to, from, ctx->call.cell.bytes, p->stream));
}

void nccl_put_pair(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	unsigned sender = value_pair_from(ctx->call.cell.root),
	         receiver = value_pair_to(ctx->call.cell.root, ctx->n);
	bool reads = ctx->reads;
	if (p->me != (reads ? receiver : sender) || !nccl_use(ctx, p))
		return;
	if (reads)
		from = ctx->peers[rank_of(ctx, p, sender)].send + (from - p->from);
	else
		to = ctx->peers[rank_of(ctx, p, receiver)].recv + (to - p->to);
	nccl_keep_cuda(ctx, carry(ctx, to, from, ctx->call.cell.bytes, p->stream));
}

/* A piece to CPU memory, and on from there by the other GPU's stream. */
static cudaError_t relay(struct backend_ctx *ctx, struct place *p, char *to, char *by,
                         const char *from, size_t bytes)
{
	cudaError_t result;
	if ((result = cudaSetDevice((int)p->device)) ||
	    (result = carry(ctx, by, from, bytes, p->stream)) ||
	    (result = cudaEventRecord(p->near_done, p->stream)) ||
	    (result = cudaSetDevice((int)p->far_device)) ||
	    (result = cudaStreamWaitEvent(p->far, p->near_done, 0)))
		return result;
	return carry(ctx, to, by, bytes, p->far);
}

/* The sender's worker issues both halves; its own stream then waits for the other one. */
void nccl_put_staged(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	size_t bytes = ctx->call.cell.bytes, slot = (size_t)(from - p->from);
	cudaError_t result = cudaSuccess;
	if (p->me != value_pair_from(ctx->call.cell.root))
		return;
	to = ctx->peers[rank_of(ctx, p, value_pair_to(ctx->call.cell.root, ctx->n))].recv +
	     (to - p->to);
	for (size_t at = 0; at < bytes && result == cudaSuccess; at += PIECE_BYTES) {
		size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
		result = relay(ctx, p, to + at, p->host + slot + at, from + at, n);
	}
	if (!result && !(result = cudaEventRecord(p->far_done, p->far)) &&
	    !(result = cudaSetDevice((int)p->device)))
		result = cudaStreamWaitEvent(p->stream, p->far_done, 0);
	nccl_keep_cuda(ctx, result);
}

#define ROUNDS 64 /* more than a call has */

/* Before copy d: the next rank has ended its d - 1 to the same target; tells the one before. */
static cudaError_t keep_step(struct backend_ctx *ctx, struct place *p, unsigned d)
{
	uint32_t *last = ctx->peers[rank_of(ctx, p, (p->me + ctx->n - 1) % ctx->n)].round;
	const uint32_t value = p->copied * ROUNDS + d - 1;
	if (d == 1 || !ctx->driver.write || !ctx->driver.wait || !last || ctx->capturing)
		return cudaSuccess;
	cudaError_t result = device_write(ctx->driver.write, last, value, p->stream);
	return result != cudaSuccess
	           ? result
	           : (cudaError_t)ctx->driver.wait(p->stream, (uintptr_t)p->round, value, 0);
}

/* An alltoall without a handshake: to peers by copy engines, in step, so that each rank is written
 * to by one; the own part beside it by `engine`, on a stream that is joined at the end. */
void nccl_put_copies(struct backend_ctx *ctx, struct place *p, const char *from, char *to)
{
	const size_t part = ctx->call.cell.bytes / ctx->n, slot = (size_t)(to - p->to);
	if (!nccl_use(ctx, p))
		return;
	p->copied++;
	cudaError_t result = cudaEventRecord(p->near_done, p->stream);
	if (!result && !(result = cudaStreamWaitEvent(p->far, p->near_done, 0)) &&
	    !(result = carry(ctx, to + p->me * part, from + p->me * part, part, p->far)))
		result = cudaEventRecord(p->far_done, p->far);
	for (unsigned d = 1; d < ctx->n && !result; d++) {
		const unsigned r = (p->me + d) % ctx->n;
		char *peer = ctx->peers[rank_of(ctx, p, r)].recv + slot + p->me * part;
		result = keep_step(ctx, p, d);
		if (!result)
			result = cudaMemcpyAsync(peer, from + r * part, part, cudaMemcpyDefault,
			                         p->stream);
	}
	if (!result)
		result = cudaStreamWaitEvent(p->stream, p->far_done, 0);
	nccl_keep_cuda(ctx, result);
}
