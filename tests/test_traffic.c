/* Traffic during the timed calls: it moves something, stops with every cell in every mode, ends
 * with a job that fails, and leaves data right. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../harness/backend/gloo/gloo_calls.h"
#include "../harness/backend/table.h"
#include "../harness/core/traffic.h"
#include "../harness/record/record.h"
#include "here.h"
#include "test.h"

static struct cli run(const char *variants)
{
	char text[2048];
	snprintf(text, sizeof text,
	         "cell_timeout = 60s\ncollective = all_reduce\nbytes = 64, 4K\n"
	         "[variant a]\nmode = threads\n%s",
	         variants);
	return run_two("host", text, "--no-report");
}

/* Four cells: it goes on and off for each of them. */
TEST_WITH(traffic_stops_with_each_cell, set_up, tear_down)
{
	static const char *const moving[] = {"threads-links", "processes-links", "single-links",
	                                     "gloo-links"};
	bool moved[4] = {false};
	struct cli cli =
	    run("[variant threads-links]\nmode = threads\ntraffic = links\n"
	        "[variant processes-links]\nmode = processes\ntraffic = links\n"
	        "[variant single-links]\nmode = single\ntraffic = links\n"
	        "[variant threads-cpu]\nmode = threads\ntraffic = cpu\n"
	        "[variant gloo-links]\nbackend = gloo\nmode = processes\ntraffic = links\n");
	if (cli.code)
		fail_msg("%s", cli.out);
	struct record_run record = cli_record(here_path("trials.jsonl"));
	for (unsigned i = 0; i < record.ncells; i++) {
		const struct record_cell *cell = &record.cells[i];
		assert_string_equal(cell->error, "");
		assert_int_equal(cell->wrong, 0);
		const json_t *facts = json_array_get(json_object_get(cell->json, "facts"), 0);
		for (unsigned m = 0; m < 4; m++)
			moved[m] = moved[m] || (!strcmp(cell->variant, moving[m]) &&
			                        json_object_get(facts, "traffic_gbs"));
		/* Cells without traffic, or that move nothing, report none. */
		if (!strcmp(cell->variant, "a") || !strcmp(cell->variant, "threads-cpu"))
			assert_null(json_object_get(facts, "traffic_gbs"));
	}
	assert_true(moved[0] && moved[1] && moved[2]);
	assert_true(moved[3] || strstr(cli.out, "no Gloo here"));
	record_free(&record);
	free(cli.out);
}

/* --- the order in which threads stop: two workers on a made-up backend --- */

struct backend_ctx {
	unsigned worker;
};

struct ring {
	_Atomic unsigned begun[2];
	_Atomic bool dead;
};

static struct ring ring;

/* As a library that blocks: a call is over when the other rank has begun its own. */
static void ring_issue(struct backend_ctx *ctx, unsigned i, unsigned slot)
{
	unsigned mine = atomic_fetch_add(&ring.begun[ctx->worker], 1) + 1;
	(void)i, (void)slot;
	while (atomic_load(&ring.begun[!ctx->worker]) < mine && !atomic_load(&ring.dead))
		usleep(10);
	/* One of them is delayed, so that the other one is ahead when it has to stop. */
	if (ctx->worker)
		usleep(200);
}

static int ring_supports(const struct trial *trial, struct status *st)
{
	(void)trial, (void)st;
	return 0;
}

static int ring_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	(void)st;
	*out = calloc(1, sizeof **out);
	assert_non_null(*out);
	(*out)->worker = place->worker;
	return 0;
}

static int ring_prepare(struct backend_ctx *ctx, const struct cell *cell, uint64_t seed,
                        unsigned slots, struct status *st)
{
	(void)ctx, (void)cell, (void)seed, (void)slots, (void)st;
	return 0;
}

static void ring_nothing(struct backend_ctx *ctx)
{
	(void)ctx;
}

static int ring_poll(struct backend_ctx *ctx, unsigned i)
{
	(void)ctx, (void)i;
	return 1;
}

static void ring_close(struct backend_ctx *ctx)
{
	free(ctx);
}

static const struct backend made_up = {
    .name = "ring",
    .is = {.traffics = true},
    .supports = ring_supports,
    .open = ring_open,
    .prepare = ring_prepare,
    .begin = ring_nothing,
    .issue = ring_issue,
    .end = ring_nothing,
    .poll = ring_poll,
    .close = ring_close,
};

struct worker {
	struct team *team;
	const struct trial *trial;
	unsigned index;
	bool fails;
	int off;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct team *member = team_member(w->team, w->index);
	const struct backend_place place = {.trial = w->trial,
	                                    .team = member,
	                                    .nranks = 2,
	                                    .worker = w->index,
	                                    .first = w->index,
	                                    .count = 1,
	                                    .processes = 1};
	struct traffic *traffic;
	struct status st = {""};
	assert_int_equal(traffic_open(&made_up, &place, &traffic, &st), 0);
	for (unsigned cell = 0; cell < 5 && !w->off; cell++) {
		team_meet(member);
		assert_int_equal(traffic_on(traffic, INT64_MAX), 0);
		team_meet(member);
		usleep(2000 * (1 + w->index)); /* they are stopped at different times */
		if (w->fails) {
			team_fail(member, 0, "made to fail");
			atomic_store(&ring.dead, true);
		}
		w->off = traffic_off(traffic, INT64_MAX);
	}
	traffic_close(traffic);
	free(member);
	return NULL;
}

static void run_ring(bool fails, int off[2])
{
	static struct trial trial = {.settings = {.traffic = TRAFFIC_LINKS}, .seed = 1};
	const struct team_shape shape = {.nranks = 2, .nworkers = 2, .yield = true};
	struct worker workers[2] = {{.trial = &trial, .fails = fails},
	                            {.trial = &trial, .index = 1, .fails = fails}};
	pthread_t other;
	char path[64];
	struct status st = {""};
	memset(&ring, 0, sizeof ring);
	assert_int_equal(team_create(&shape, path, sizeof path, &workers[0].team, &st), 0);
	workers[1].team = workers[0].team;
	assert_int_equal(pthread_create(&other, NULL, work, &workers[1]), 0);
	work(&workers[0]);
	pthread_join(other, NULL);
	off[0] = workers[0].off;
	off[1] = workers[1].off;
	team_leave(workers[0].team);
}

TEST(threads_stop_behind_the_same_call)
{
	int off[2];
	run_ring(false, off);
	assert_int_equal(off[0], 0);
	assert_int_equal(off[1], 0);
	assert_true(atomic_load(&ring.begun[0]) > 5);
	assert_int_equal(atomic_load(&ring.begun[0]), atomic_load(&ring.begun[1]));
}

TEST(a_failed_team_does_not_keep_its_traffic)
{
	int off[2];
	run_ring(true, off);
	assert_int_equal(off[0], -1);
	assert_int_equal(off[1], -1);
}

/* --- ranks that connect twice, as for traffic, on a Gloo that is made up here: the linker
 * leads these three calls through here --- */

#define CONNECTING 3

static struct {
	struct team *team;
	const struct backend *gloo;
	_Atomic unsigned begun[CONNECTING], opened;
} twice;

/* The last rank reads late: half a second after both others could go on to connect again. The second time a
 * stranger has the place of a rank's peer. */
static int late_connect(int rank, int size, const char *address,
                        const struct gloo_exchange *exchange, int timeout_s, void **link,
                        char why[GLOO_WHY])
{
	const char *data;
	char key[16];
	size_t bytes;
	(void)address, (void)timeout_s, (void)why;
	unsigned nth = atomic_fetch_add(&twice.begun[rank], 1);
	snprintf(key, sizeof key, "%u/%d", nth, rank);
	assert_int_equal(exchange->say(exchange->of, key, "here", 4), 0);
	for (unsigned i = 0; !nth && rank == size - 1 && i < 50; i++)
		usleep(10000);
	for (int other = 0; other < size; other++) {
		snprintf(key, sizeof key, "%u/%d", nth, other);
		if (exchange->hear(exchange->of, key, &data, &bytes))
			return -1;
	}
	*link = &twice;
	return nth == 1 && rank == 1 ? -1 : 0;
}

static void late_disconnect(void *link)
{
	(void)link;
}

static const struct gloo_part late_part = {.connect = late_connect, .disconnect = late_disconnect};

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	return strstr(name, GLOO_PART) ? &twice : __real_dlopen(name, flags);
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name)
{
	return library == &twice ? (void *)(uintptr_t)&late_part : __real_dlsym(library, name);
}

int __real_dlclose(void *library);
int __wrap_dlclose(void *library);
int __wrap_dlclose(void *library)
{
	return library == &twice ? 0 : __real_dlclose(library);
}

static void *open_twice(void *arg)
{
	static struct trial trial = {.settings = {.layout = {1, CONNECTING, 1}},
	                             .arena_bytes = 4096};
	const unsigned me = *(const unsigned *)arg;
	struct team *member = team_member(twice.team, me);
	const struct backend_place place = {.trial = &trial,
	                                    .team = member,
	                                    .nranks = CONNECTING,
	                                    .worker = me,
	                                    .first = me,
	                                    .count = 1,
	                                    .processes = 1};
	struct backend_ctx *first = NULL, *second = NULL;
	struct status st;
	twice.opened +=
	    !twice.gloo->open(&place, &first, &st) && !twice.gloo->open(&place, &second, &st);
	twice.gloo->close(second);
	twice.gloo->close(first);
	free(member);
	return NULL;
}

/* Three ranks in three of thirty trials waited for ever. */
TEST(ranks_connect_again_when_all_have_read)
{
	const unsigned ranks[CONNECTING] = {0, 1, 2};
	struct trial trial = {.settings = {.layout = {1, CONNECTING, 1}}};
	struct team_shape shape = {.nranks = CONNECTING, .nworkers = CONNECTING, .yield = true};
	pthread_t ids[CONNECTING];
	char path[64];
	struct status st = {""};
	twice.gloo = backend_find("gloo");
	shape.store_bytes = twice.gloo->store_bytes(&trial);
	assert_int_equal(team_create(&shape, path, sizeof path, &twice.team, &st), 0);
	for (unsigned i = 0; i < CONNECTING; i++)
		assert_int_equal(
		    pthread_create(&ids[i], NULL, open_twice, (void *)(uintptr_t)&ranks[i]), 0);
	/* Ten seconds on, workers that still wait are made to give up. */
	for (unsigned i = 0; i < 1000 && twice.opened < CONNECTING; i++)
		usleep(10000);
	team_fail(twice.team, 0, "some still connect");
	for (unsigned i = 0; i < CONNECTING; i++)
		pthread_join(ids[i], NULL);
	assert_int_equal(twice.opened, CONNECTING);
	team_leave(twice.team);
}
