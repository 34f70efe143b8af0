/* What the host backend refuses, in which words, and which path it takes when left the choice.
 */
#include <unistd.h>

#include "host_rig.h"

static void assert_refused(const struct rig *rig, const char *words)
{
	struct status st = {""};

	assert_int_equal(backend_host.supports(&rig->trial, &st), -1);
	assert_says(st.text, words);
}

TEST(what_cannot_be_done_is_refused)
{
	static struct rig rig;

	rig_init(&rig, (struct layout){1, 2, 1}, "rdma");
	assert_refused(&rig, "allowed are auto, direct, fifo, shared");
	rig_init(&rig, (struct layout){2, 1, 1}, "direct");
	assert_refused(&rig, "one process");
	rig_init(&rig, (struct layout){2, 1, 1}, "fifo");
	rig_add(&rig, COLL_COPY, 4096);
	assert_refused(&rig, "direct or shared");
	rig_init(&rig, (struct layout){1, 2, 1}, "auto");
	rig_add(&rig, COLL_ALLTOALL, 4096);
	rig.cells[0].in_place = true;
	assert_refused(&rig, "in place");
	rig.cells[0].in_place = false;
	rig.trial.settings.offset_bytes = 6;
	assert_refused(&rig, "multiples of 4");
	rig.trial.settings.offset_bytes = 0;
	rig.cells[0].coll = COLL_INIT;
	assert_refused(&rig, "has none");
	rig.cells[0].coll = COLL_BROADCAST;
	rig.cells[0].root = 2;
	assert_refused(&rig, "root 2");
	rig.cells[0].coll = COLL_ALLTOALL;
	rig.cells[0].bytes = 100;
	assert_refused(&rig, "whole elements");
	rig.cells[0].bytes = 4096;
	rig.trial.arena_bytes = (size_t)1 << 50;
	assert_refused(&rig, "this machine has");
	rig.trial.arena_bytes = SIZE_MAX / 2;
	assert_refused(&rig, "this machine has");
	assert_int_equal(backend_host.store_bytes(&rig.trial), 0);
}

TEST(groups_that_cannot_be_are_refused)
{
	static struct rig rig;

	rig_init(&rig, (struct layout){1, 6, 1}, "auto");
	rig_add(&rig, COLL_HYPERCUBE, 4096);
	assert_refused(&rig, "power of two");
	rig.trial.settings.split = (struct split){SPLIT_MOD, 3}; /* groups of 2 */
	struct status st = {""};
	assert_int_equal(backend_host.supports(&rig.trial, &st), 0);
	rig.trial.settings.split = (struct split){SPLIT_DIV, 4};
	assert_refused(&rig, "different sizes");
	rig.trial.settings.split = (struct split){SPLIT_MOD, 6};
	assert_refused(&rig, "groups of one rank");
	rig.trial.settings.split = (struct split){SPLIT_MOD, 3};
	rig.cells[0].coll = COLL_GATHER;
	rig.cells[0].root = 2; /* a rank of all, but of no group */
	assert_refused(&rig, "for 2 ranks");
}

static void assert_path(struct layout layout, const char *asked, enum coll_kind coll,
                        const char *taken)
{
	static struct rig rig;
	struct rig_worker worker = {&rig, NULL, 0, 0};
	struct backend_place place;
	struct backend_ctx *ctx = NULL;
	struct status st = {""};
	char text[TEAM_FACTS_BYTES];

	rig_init(&rig, layout, asked);
	rig_add(&rig, coll, 4096);
	rig_raise(&rig);
	worker.team = rig.team;
	place = rig_place(&worker);
	team_fail(rig.team, 0, "only to see the path"); /* or open waits for the others */
	assert_int_equal(backend_host.open(&place, &ctx, &st), -1);
	backend_host.describe(ctx, text, sizeof text);
	assert_int_equal(strncmp(text, taken, strlen(taken)), 0);
	backend_host.close(ctx); /* safe after a failed open */
	rig_lower(&rig);
}

TEST(auto_takes_the_path_of_the_layout)
{
	assert_path((struct layout){1, 2, 1}, "auto", COLL_ALLTOALL, "path=direct\n");
	assert_path((struct layout){1, 2, 1}, "", COLL_COPY, "path=direct\n");
	assert_path((struct layout){2, 1, 1}, "auto", COLL_ALLTOALL, "path=fifo\n");
	assert_path((struct layout){2, 1, 1}, "auto", COLL_COPY, "path=shared\n");
	assert_path((struct layout){1, 2, 1}, "fifo", COLL_ALLTOALL, "path=fifo\n");
	backend_host.close(NULL);
}

/* The parts of a rank's memory, as printed; those of all ranks sum to what the team was asked for,
 * except the page after which the store may begin. */
static void assert_memory(const char *path, uint64_t comm_at_least)
{
	static struct rig rig;
	struct rig_worker worker = {&rig, NULL, 0, 0};
	struct backend_place place;
	struct backend_ctx *ctx = NULL;
	struct status st = {""};
	char text[TEAM_FACTS_BYTES];
	const char *buffers, *comm;
	size_t store, all, page = (size_t)sysconf(_SC_PAGESIZE);

	rig_init(&rig, (struct layout){1, 1, 3}, path);
	rig_add(&rig, COLL_ALLTOALL, 3 * 4096);
	rig_raise(&rig);
	worker.team = rig.team;
	place = rig_place(&worker);
	assert_int_equal(backend_host.open(&place, &ctx, &st), 0);
	backend_host.describe(ctx, text, sizeof text);
	buffers = strstr(text, "memory_buffers_bytes=");
	comm = strstr(text, "memory_comm_bytes=");
	assert_non_null(buffers);
	assert_non_null(comm);
	uint64_t held = strtoull(strchr(buffers, '=') + 1, NULL, 10);
	uint64_t between = strtoull(strchr(comm, '=') + 1, NULL, 10);

	assert_true(held >= 2 * place.trial->arena_bytes);
	assert_true(between >= comm_at_least && between < comm_at_least + ((size_t)64 << 10));
	assert_int_equal(host_memory_needs(ctx->transport, place.trial, &store, &all), 0);
	assert_int_equal(3 * (held + between) + page, all);
	backend_host.close(ctx);
	rig_lower(&rig);
}

TEST(memory_is_said_on_every_path)
{
	assert_memory("direct", 1);
	assert_memory("shared", 1);
	assert_memory("fifo", 3 * HOST_FIFO_SLOTS * HOST_PIECE_BYTES);
}
