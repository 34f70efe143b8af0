/* Traffic during the timed calls: it moves something, stops with every cell in every mode, and
 * leaves data right. */

#include "../harness/backend/gloo/gloo_calls.h"
#include "../harness/backend/table.h"
#include "here.h"

/* Four cells: it goes on and off for each of them. */
static void stops_with_each_cell(const char *keys)
{
	static const char *const moving[] = {"threads-links", "processes-links", "single-links",
	                                     "gloo-links"};
	bool moved[4] = {false};
	char *text = test_text(
	    "cell_timeout = 60s\ntimeout = 70s\ncollective = all_reduce\nbytes = 64, 4K\n%s"
	    "[variant a]\nmode = threads\n"
	    "[variant threads-links]\nmode = threads\ntraffic = links\n"
	    "[variant processes-links]\nmode = processes\ntraffic = links\n"
	    "[variant single-links]\nmode = single\ntraffic = links\n"
	    "[variant threads-cpu]\nmode = threads\ntraffic = cpu\n"
	    "[variant gloo-links]\nbackend = gloo\nmode = processes\ntraffic = links\n",
	    keys);
	struct cli cli = run_two("host", text, "--no-report");
	if (cli.code)
		fail_msg("%s", cli.out);
	struct record_run record = cli_record(here_path("trials.jsonl"));
	assert_int_equal(json_object_get(record.environment, "turns") != NULL, keys[0] != '\0');
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
}

TEST_WITH(traffic_stops_with_each_cell, set_up, tear_down)
{
	stops_with_each_cell("");
}

TEST_WITH(traffic_stops_with_each_turn, set_up, tear_down)
{
	stops_with_each_cell("turns = 4K..4K\n");
}

/* --- ranks that connect twice, as for traffic, on a Gloo that is made up here: the linker
 * leads these three calls through here --- */

#define CONNECTING 3

static struct {
	struct team *team;
	const struct backend *gloo;
	_Atomic unsigned begun[CONNECTING], opened;
} twice;

static int late_listen(int rank, int size, const char *host, int timeout_s, void **link,
                       struct gloo_address *addresses, char why[COLL_CALL_WHY])
{
	(void)host, (void)timeout_s, (void)why;
	unsigned nth = atomic_fetch_add(&twice.begun[rank], 1);
	for (int peer = 0; peer < size; peer++)
		addresses[peer].bytes = 100 * nth + 10 * (unsigned)rank + (unsigned)peer;
	/* The last rank comes late: half a second after both others could have connected again. */
	for (unsigned i = 0; !nth && rank == size - 1 && i < 50; i++)
		usleep(10000);
	*link = &twice.begun[rank];
	return 0;
}

/* Each has where the others listen for it this time. */
static int late_connect(void *link, const struct gloo_address *addresses, char why[COLL_CALL_WHY])
{
	const unsigned me = (unsigned)((_Atomic unsigned *)link - twice.begun);
	(void)why;
	for (unsigned peer = 0; peer < CONNECTING; peer++)
		if (addresses[peer].bytes != 100 * (twice.begun[me] - 1) + 10 * peer + me)
			return -1;
	/* The second time a stranger has the place of a rank's peer. */
	return me == 1 && twice.begun[me] == 2 ? -1 : 0;
}

static void late_disconnect(void *link)
{
	(void)link;
}

static const struct gloo_part late_part = {
    .listen = late_listen, .connect = late_connect, .calls.disconnect = late_disconnect};

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
	static struct trial trial = {.settings = {.layout = {1, CONNECTING, 1}, .backend = "gloo"},
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
	twice.opened +=
	    !twice.gloo->open(&place, &first, WHY) && !twice.gloo->open(&place, &second, WHY);
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
	twice.gloo = backend_find("gloo");
	shape.store_bytes = twice.gloo->store_bytes(&trial);
	assert_int_equal(team_create(&shape, path, sizeof path, &twice.team, WHY), 0);
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
