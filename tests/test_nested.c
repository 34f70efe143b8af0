/* The one number for a trial with several connections and allocations; and that counters are read
 * after their time. Who makes what again is counted on stand-ins. */
#include "made.h"
#include "query.h"

#include "../harness/backend/table.h"
#include "../harness/clock.h"
#include "../harness/core/worker.h"

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
	query_gives(db,
	            "SELECT DISTINCT pace, blocks, round(time_us, 6), round(time_rank0_us, 6) "
	            "FROM result JOIN place ON place.id = place JOIN variant v ON v.id = variant "
	            "WHERE v.role <> 'limit' ORDER BY pace",
	            "isolated 6 432.0 432.0; stream 6 43.2 43.2");
	query_gives(db,
	            "SELECT count(*) FROM cell JOIN trial t ON t.id = trial "
	            "WHERE block = 0 AND variant = 0 AND pace = 'stream'",
	            "6");
	query_gives(db,
	            "SELECT count(*) FROM result JOIN variant v ON v.id = variant "
	            "WHERE role <> 'limit'",
	            "8");
}

#define WATCH_NS 20000000

static int64_t on_ns; /* a stretch between two readings began: its calls are quick */
static unsigned stretches, cut;

static void slow_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	if (!on_ns)
		usleep(2000);
	backend_find("null")->issue(ctx, i, slot);
}

static void count_watch(struct backend_ctx *ctx, bool on)
{
	const int64_t now = clock_now_ns();
	(void)ctx;
	stretches += !on;
	cut += !on && now - on_ns < WATCH_NS;
	on_ns = on ? now : 0;
}

static void no_counters(struct backend_ctx *ctx, unsigned i, struct counters *out)
{
	(void)ctx, (void)i;
	counters_clear(out);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* The calls that were kept took longer than those of the stretch. */
TEST(counters_are_read_after_their_time)
{
	static struct cell cells[2];
	struct trial trial = {.yield = true,
	                      .stretches = 2,
	                      .calls = 2,
	                      .isolated_calls = 2,
	                      .arena_bytes = 4096,
	                      .ncells = 2,
	                      .cells = cells};
	struct backend backend = *backend_find("null");
	struct team *team;
	char path[64];
	settings_default(&trial.settings);
	trial.settings.layout = (struct layout){1, 1, 2};
	backend.issue = slow_issue;
	backend.watch = count_watch;
	backend.watch_read = no_counters;
	backend.watch_ns = WATCH_NS;
	for (unsigned i = 0; i < 2; i++)
		cells[i] = (struct cell){.coll = COLL_ALLTOALL,
		                         .dtype = DTYPE_FLOAT32,
		                         .pace = i ? PACE_STREAM : PACE_ISOLATED,
		                         .pass = PASS_COUNTERS,
		                         .bytes = 1024};
	const struct team_shape shape = {
	    .nranks = 2, .nworkers = 1, .yield = true, .area_bytes = sample_area_bytes(&trial)};
	assert_int_equal(team_create(&shape, path, sizeof path, &team, WHY), 0);
	worker_run(&trial, &backend, team, 0, &(struct loop_calls){.awake = nothing});
	assert_null(team_failure(team));
	team_leave(team);
	assert_int_equal(stretches, 2);
	assert_int_equal(cut, 0);
}

TESTS(.begin = made_begin, .end = made_end);
