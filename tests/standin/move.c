/* The kernel of api = device, done by the host on a stand-in's stream: the same thread blocks, one
 * after the other, each of one thread. Where STANDIN_ABSENT names a rank, it never comes. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "../../harness/backend/nccl/nccl_move.h"
#include "standin.h"

struct move_here {
	unsigned cta, thread, threads;
};

static bool move_any(struct move_here h, bool bad)
{
	(void)h;
	return bad;
}

static void move_warp(struct move_here h)
{
	(void)h;
}

static void move_copy(const struct move_call *c, struct move_here h, char *to, const char *from,
                      size_t bytes)
{
	(void)c, (void)h;
	memcpy(to, from, bytes);
}

/* The release that follows is of the same thread. */
static void move_flush(const struct move_call *c, struct move_here h)
{
	(void)c, (void)h;
}

static void move_tell_host(uint32_t *failed, uint32_t failure)
{
	__atomic_store_n(failed, failure, __ATOMIC_RELEASE);
}

/* A rank may wait for one that has no core. No one waits for a rank that never comes: each look at
 * the clock is a minute later. */
#include "../../harness/clock.h"
static atomic_bool misses;
static atomic_llong later_ns;
#define clock_relax()  sched_yield()
#define clock_now_ns() (clock_now_ns() + (misses ? atomic_fetch_add(&later_ns, 60000000000) : 0))
#include "../../harness/backend/nccl/nccl_move_block.h"

static void move(void *args)
{
	const struct move_call *c = args;
	const char *absent = getenv("STANDIN_ABSENT");
	misses = misses || absent;
	if (absent && (unsigned)atoi(absent) == c->me)
		return;
	for (unsigned b = 0; b < c->ctas + c->own_ctas; b++)
		move_block(c, (struct move_here){b, 0, 1});
}

cudaError_t device_prepare_move(void)
{
	return standin_enter_cuda(__func__);
}

cudaError_t device_launch_move(const struct move_call *call, cudaStream_t stream)
{
	cudaError_t error = standin_launch(__func__, stream, move, call, sizeof *call);
	misses = misses || error;
	return error;
}
