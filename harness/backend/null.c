/* A virtual device that moves nothing: a rank's queue ends a known delay per call later, and time
 * beyond that is the harness's own. The delay is in the device, not in issue(). */
#include "../core/backend.h"
#include "../memory.h"

#include "../clock.h"

struct backend_ctx {
	unsigned count;
	bool held;
	struct {
		int64_t delay_ns, extra_ns;
		int64_t end_ns;
		int64_t held_ns; /* length of work issued while held */
	} queue[];
};

static int null_supports(const struct trial *trial, struct status *st)
{
	return trial_has(trial, COLL_INIT)
	           ? status_set(st, "null: init makes communicators, and the virtual device has "
	                            "none; allowed is backend nccl")
	           : 0;
}

static int null_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	(void)st;
	const struct settings *set = &place->trial->settings;
	struct backend_ctx *ctx = memory_take(1, sizeof *ctx + place->count * sizeof ctx->queue[0]);
	ctx->count = place->count;
	for (unsigned i = 0; i < place->count; i++) {
		ctx->queue[i].delay_ns = set->delay_ns;
		ctx->queue[i].extra_ns = settings_extra_ns(set, place->first + i);
	}
	*out = ctx;
	return 0;
}

static int null_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	(void)ctx, (void)cell, (void)seed, (void)slots, (void)st;
	return 0;
}

static void null_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	int64_t length = ctx->queue[i].delay_ns + ctx->queue[i].extra_ns;
	(void)slot;
	if (ctx->held) {
		ctx->queue[i].held_ns += length;
		return;
	}
	int64_t now = clock_now_ns();
	int64_t from = ctx->queue[i].end_ns > now ? ctx->queue[i].end_ns : now;
	ctx->queue[i].end_ns = from + length;
}

static void null_hold(struct backend_ctx *ctx)
{
	ctx->held = true;
}

static void null_release(struct backend_ctx *ctx)
{
	int64_t now = clock_now_ns();
	for (unsigned i = 0; i < ctx->count; i++) {
		ctx->queue[i].end_ns = now + ctx->queue[i].held_ns;
		ctx->queue[i].held_ns = 0;
	}
	ctx->held = false;
}

static int null_poll(struct backend_ctx *ctx, unsigned i)
{
	return clock_now_ns() >= ctx->queue[i].end_ns;
}

static void null_block(struct backend_ctx *ctx, unsigned i)
{
	clock_sleep_until(ctx->queue[i].end_ns);
}

static void null_describe(struct backend_ctx *ctx, char *text, size_t bytes)
{
	snprintf(text, bytes, "delay_ns=%lld\n", (long long)ctx->queue[0].delay_ns);
}

static void null_close(struct backend_ctx *ctx)
{
	free(ctx);
}

static const char *const uses[] = {"delay", "extra", NULL};

const struct backend backend_null = {
    .uses = uses,
    .name = "null",
    .summary = "a virtual device with a known delay: what the harness itself costs",
    .is = {.launches = true},
    .supports = null_supports,
    .open = null_open,
    .prepare = null_prepare,
    .begin = backend_nothing,
    .issue = null_issue,
    .end = backend_nothing,
    .poll = null_poll,
    .block = null_block,
    .hold = null_hold,
    .release = null_release,
    .describe = null_describe,
    .close = null_close,
};
