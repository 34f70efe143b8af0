/* The host backend at its edges: when a call is over, that damage is found,
 * that copies are counted, and that the failure of one worker leaves the others' memory intact. */

#include "host_rig.h"

/* One worker with all ranks, opened and prepared, to be polled by hand. */
struct bench {
	struct rig rig;
	struct backend_ctx *ctx;
	unsigned n;
};

static void bench_open(struct bench *b, unsigned n, const char *path, enum coll_kind coll,
                       size_t bytes)
{
	b->n = n;
	b->ctx = NULL;
	rig_init(&b->rig, (struct layout){1, 1, n}, path);
	rig_add(&b->rig, coll, bytes);
	const struct backend_place place = rig_raise_alone(&b->rig);
	assert_int_equal(backend_host.open(&place, &b->ctx, WHY), 0);
	assert_int_equal(buffers_prepare(&backend_host, b->ctx, n, b->rig.cells, RIG_SEED, 1, WHY),
	                 0);
}

static void bench_issue(struct bench *b)
{
	for (unsigned i = 0; i < b->n; i++)
		backend_host.issue(b->ctx, i, 0);
}

static void bench_call(struct bench *b)
{
	bench_issue(b);
	assert_int_equal(rig_wait(b->ctx, b->rig.team, b->n, WHY), 0);
}

static void bench_close(struct bench *b)
{
	backend_host.close(b->ctx);
	rig_lower(&b->rig);
}

static uint64_t fact(struct bench *b, const char *key)
{
	char text[TEAM_FACTS_BYTES], *at;
	backend_host.describe(b->ctx, text, sizeof text);
	at = strstr(text, key);
	if (!at) /* printed only if there is something to report */
		return 0;
	return strtoull(at + strlen(key), NULL, 10);
}

/* A rank that has all it wanted is not done while another still has to read its buffer. */
TEST(a_call_is_over_when_its_readers_are)
{
	static struct bench b;
	bench_open(&b, 2, "direct", COLL_SENDRECV, 4096);
	bench_issue(&b);
	assert_int_equal(backend_host.poll(b.ctx, 1), 0); /* posts, finds nothing yet */
	for (unsigned poll = 0; poll < 10; poll++)
		assert_int_equal(backend_host.poll(b.ctx, 0), 0);
	assert_int_equal(fact(&b, "moved_bytes="), 4096); /* rank 0 has its data */
	assert_int_equal(backend_host.poll(b.ctx, 1), 1); /* reads rank 0's */
	assert_int_equal(backend_host.poll(b.ctx, 0), 1);
	bench_close(&b);
}

static struct counters watch(struct bench *b, unsigned i)
{
	struct counters c;
	bench_call(b); /* before: not in the figures */
	backend_host.watch(b->ctx, true);
	bench_call(b);
	bench_call(b);
	backend_host.watch(b->ctx, false);
	bench_call(b);
	backend_host.watch_read(b->ctx, i, &c);
	assert_true(c.seconds > 0 && c.dram_gbs != c.dram_gbs);
	assert_string_equal(c.missing, "");
	return c;
}

/* What a path costs, in bytes that are copied for each that another rank gets. */
TEST(copies_are_counted)
{
	static const struct {
		const char *path;
		unsigned copies;
	} paths[] = {{"direct", 1}, {"shared", 1}, {"fifo", 2}};
	static struct bench b;
	for (unsigned p = 0; p < 3; p++) {
		bench_open(&b, 4, paths[p].path, COLL_SENDRECV, 200000);
		struct counters c = watch(&b, 2);
		assert_int_equal((uint64_t)c.delivered_bytes, 2 * b.rig.cells[0].bytes);
		assert_int_equal((uint64_t)c.copied_bytes,
		                 paths[p].copies * 2 * b.rig.cells[0].bytes);
		bench_close(&b);
		bench_open(&b, 4, paths[p].path, COLL_ALLTOALL, 200000);
		uint64_t part = b.rig.cells[0].bytes / 4;
		c = watch(&b, 1);
		assert_int_equal((uint64_t)c.delivered_bytes, 2 * 3 * part);
		/* A rank's own part is copied, and comes from no other rank. */
		assert_int_equal((uint64_t)c.copied_bytes, 2 * (1 + 3 * paths[p].copies) * part);
		double copies = (double)paths[p].copies + 1.0 / 3; /* core/counters.h */
		assert_int_equal((uint64_t)(3 * c.copied_bytes),
		                 (uint64_t)(3 * copies * c.delivered_bytes + 0.5));
		bench_close(&b);
	}
}

static void *give_up(void *arg)
{
	const struct rig_worker *at = arg;
	struct backend_place place = rig_place(at);
	struct backend_ctx *ctx = NULL;
	if (backend_host.open(&place, &ctx, WHY) == 0 &&
	    buffers_prepare(&backend_host, ctx, place.count, at->rig->cells, RIG_SEED, 1, WHY) ==
	        0 &&
	    team_meet(at->team) == 0) {
		backend_host.issue(ctx, 0, 0);
		backend_host.poll(ctx, 0);
		team_fail(at->team, place.first, "given up");
	}
	backend_host.close(ctx);
	return NULL;
}

/* One worker leaves in the middle of a call; the others may be reading its buffer. */
TEST(a_worker_that_gives_up_ends_all)
{
	static const char *const paths[] = {"direct", "fifo", "shared"};
	static struct rig rig;
	for (unsigned repeat = 0; repeat < 30; repeat++) {
		struct rig_worker quitter = {&rig, NULL, 0, 0}, stayer = {&rig, NULL, 1, 0};
		pthread_t a, b;
		rig_init(&rig, (struct layout){1, 2, 1}, paths[repeat % 3]);
		rig_add(&rig, COLL_SENDRECV, 8 << 20);
		rig_raise(&rig);
		quitter.team = stayer.team = rig.team;
		pthread_create(&a, NULL, give_up, &quitter);
		pthread_create(&b, NULL, rig_work, &stayer);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		assert_string_equal(team_failure(rig.team), "rank 0: given up");
		rig_lower(&rig);
	}
}
