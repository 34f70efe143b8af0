/* Connections and allocations within a job: who makes what again, and when; and the one number for
 * a trial with several of them. */
#include "made.h"
#include "queried.h"

#include "../harness/backend/table.h"
#include "../harness/clock.h"
#include "../harness/core/worker.h"

#define WORKERS 2

/* A virtual device that counts; errors are seen by the test. */
static struct {
	atomic_uint opened, renewed, closed, left, reallocated, blocked;
	atomic_bool overlapped; /* one opened while another was not closed yet */
	atomic_llong on_ns;     /* a stretch between two readings began: its calls are quick */
	atomic_uint stretches, cut;
} seen;

static int count_open(const struct backend_place *place, struct backend_ctx **out,
                      struct status *st)
{
	unsigned before = atomic_fetch_add(&seen.opened, 1) / WORKERS * WORKERS;
	if (atomic_load(&seen.closed) != before)
		atomic_store(&seen.overlapped, true);
	return backend_find("null")->open(place, out, st);
}

static void count_close(struct backend_ctx *ctx)
{
	atomic_fetch_add(&seen.closed, 1);
	backend_find("null")->close(ctx);
}

/* As one that keeps something of the old connection: it is open until the end. */
static int count_renew(struct backend_ctx **ctx, struct status *st)
{
	(void)st;
	assert_non_null(*ctx);
	atomic_fetch_add(&seen.renewed, 1);
	return 0;
}

static void count_leave(struct backend_ctx *ctx)
{
	atomic_fetch_add(&seen.left, 1);
	backend_find("null")->close(ctx);
}

static int count_reallocate(struct backend_ctx *ctx, struct status *st)
{
	(void)ctx, (void)st;
	atomic_fetch_add(&seen.reallocated, 1);
	return 0;
}

static void count_block(struct backend_ctx *ctx, unsigned i)
{
	atomic_fetch_add(&seen.blocked, 1);
	backend_find("null")->block(ctx, i);
}

#define WATCH_NS 20000000

static void count_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	if (!atomic_load(&seen.on_ns))
		usleep(2000);
	backend_find("null")->issue(ctx, i, slot);
}

static void count_watch(struct backend_ctx *ctx, bool on)
{
	const int64_t now = clock_now_ns();
	(void)ctx;
	atomic_fetch_add(&seen.stretches, !on);
	atomic_fetch_add(&seen.cut, !on && now - atomic_load(&seen.on_ns) < WATCH_NS);
	atomic_store(&seen.on_ns, on ? now : 0);
}

static void count_read(struct backend_ctx *ctx, unsigned i, struct counters *out)
{
	(void)ctx, (void)i;
	counters_clear(out);
}

struct job {
	const struct trial *trial;
	const struct backend *backend;
	struct team *team;
	unsigned index;
};

static void none_is_open(void *arg)
{
	(void)arg;
	assert_int_equal(atomic_load(&seen.opened), 0);
}

static void *work(void *arg)
{
	const struct job *job = arg;
	worker_run(job->trial, job->backend, job->team, job->index, none_is_open, NULL);
	return NULL;
}

enum { REALLOCATES = 1, RENEWS = 2, WATCHES = 4 };

/* 3 connections of 2 allocations, each with 2 cells. */
static void run_job(unsigned does, enum wait wait)
{
	static struct cell cells[12];
	struct trial trial = {.yield = true,
	                      .stretches = 2,
	                      .calls = 2,
	                      .isolated_calls = 2,
	                      .arena_bytes = 4096,
	                      .ncells = 12,
	                      .cells = cells};
	struct backend backend = *backend_find("null");
	struct job jobs[WORKERS];
	pthread_t threads[WORKERS];
	struct team *team;
	struct status st = {""};
	char path[64];
	memset(&seen, 0, sizeof seen);
	settings_default(&trial.settings);
	trial.settings.layout = (struct layout){1, WORKERS, 1};
	trial.settings.wait = wait;
	trial.settings.delay_ns = 100000; /* longer than from issue to poll */
	backend.open = count_open;
	backend.close = count_close;
	backend.block = count_block;
	backend.reallocate = does & REALLOCATES ? count_reallocate : NULL;
	backend.renew = does & RENEWS ? count_renew : NULL;
	backend.leave = does & RENEWS ? count_leave : NULL;
	if (does & WATCHES) {
		backend.issue = count_issue;
		backend.watch = count_watch;
		backend.watch_read = count_read;
		backend.watch_ns = WATCH_NS;
	}
	for (unsigned i = 0; i < 12; i++)
		cells[i] = (struct cell){.coll = COLL_ALLTOALL,
		                         .dtype = DTYPE_FLOAT32,
		                         .pace = i % 2 ? PACE_STREAM : PACE_ISOLATED,
		                         .connection = i / 4,
		                         .allocation = i / 2 % 2,
		                         .pass = does & WATCHES ? PASS_COUNTERS : PASS_TIMED,
		                         .bytes = 1024};
	const struct team_shape shape = {.nranks = WORKERS,
	                                 .nworkers = WORKERS,
	                                 .yield = true,
	                                 .area_bytes = sample_area_bytes(&trial)};
	assert_int_equal(team_create(&shape, path, sizeof path, &team, &st), 0);
	for (unsigned w = 0; w < WORKERS; w++) {
		jobs[w] = (struct job){&trial, &backend, team, w};
		assert_int_equal(pthread_create(&threads[w], NULL, work, &jobs[w]), 0);
	}
	for (unsigned w = 0; w < WORKERS; w++)
		pthread_join(threads[w], NULL);
	assert_null(team_failure(team));
	for (unsigned i = 0; i < 12; i++)
		for (unsigned r = 0; r < WORKERS; r++)
			assert_true(sample_tally(&trial, team_area(team), i, r)->measured);
	team_leave(team);
	assert_false(seen.overlapped);
	assert_int_equal(seen.closed + seen.left, seen.opened);
}

TEST(each_level_is_made_anew_once)
{
	run_job(REALLOCATES, WAIT_AUTO);
	assert_int_equal(seen.opened, 3 * WORKERS);
	assert_int_equal(seen.reallocated, 3 * WORKERS);
	run_job(0, WAIT_AUTO); /* closing and opening makes new buffers too */
	assert_int_equal(seen.opened, 6 * WORKERS);
	assert_int_equal(seen.reallocated, 0);
	run_job(REALLOCATES | RENEWS, WAIT_AUTO);
	assert_int_equal(seen.opened, WORKERS);
	assert_int_equal(seen.renewed, 2 * WORKERS);
	assert_int_equal(seen.reallocated, 3 * WORKERS);
	assert_int_equal(seen.left, WORKERS);
}

/* Connections by factors of 4, allocations of 9. */
static void stamps(const struct made_place *p, int64_t out[6])
{
	out[2] = 36000 << 2 * p->connection;
	if (p->allocation)
		out[2] *= 9;
}

TEST(a_trial_is_the_geometric_mean)
{
	const struct made made = {.blocks = 6,
	                          .sizes = 1,
	                          .cores = 8,
	                          .connections = 3,
	                          .allocations = 2,
	                          .stamps = stamps};
	struct db *db = made_tables(&made, NULL);
	assert_string_equal(
	    query(db, "SELECT DISTINCT pace, blocks, round(time_us, 6), round(time_rank0_us, 6) "
	              "FROM result JOIN place ON place.id = place JOIN variant v ON v.id = variant "
	              "WHERE v.role <> 'limit' ORDER BY pace"),
	    "isolated 6 432.0 432.0; stream 6 43.2 43.2");
	assert_string_equal(query(db, "SELECT count(*) FROM cell JOIN trial t ON t.id = trial "
	                              "WHERE block = 0 AND variant = 0 AND pace = 'stream'"),
	                    "6");
	assert_string_equal(query(db,
	                          "SELECT count(*) FROM result JOIN variant v ON v.id = variant "
	                          "WHERE role <> 'limit'"),
	                    "8");
}

/* The device puts a worker that blocks to sleep, and no other. */
TEST(blocking_is_the_devices)
{
	for (enum wait wait = WAIT_AUTO; wait < WAIT_KINDS; wait++) {
		run_job(0, wait);
		assert_int_equal(atomic_load(&seen.blocked) > 0, wait == WAIT_BLOCK);
	}
}

/* The calls that were kept took longer than those of the stretch. */
TEST(counters_are_read_after_their_time)
{
	run_job(WATCHES, WAIT_AUTO);
	assert_int_equal(seen.stretches, 12 * WORKERS);
	assert_int_equal(seen.cut, 0);
}

TESTS(.begin = made_begin, .end = made_end);
