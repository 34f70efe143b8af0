/* What the host backend refuses, in which words, and which path it takes when left the choice. */
#include "host_rig.h"

TEST(what_cannot_be_done_is_refused)
{
	static const struct {
		struct layout layout;
		const char *path;
		enum coll_kind coll;
		bool in_place;
		unsigned offset, root;
		struct split split;
		size_t arena_bytes;
		const char *words; /* NULL: it can be done */
	} cases[] = {
	    {.layout = {1, 2, 1},
	     .path = "rdma",
	     .words = "allowed are auto, direct, fifo, shared"},
	    {.layout = {2, 1, 1}, .path = "direct", .words = "one process"},
	    {.layout = {2, 1, 1}, .path = "fifo", .coll = COLL_COPY, .words = "direct or shared"},
	    {.layout = {1, 2, 1}, .coll = COLL_ALLTOALL, .in_place = true, .words = "in place"},
	    {.layout = {1, 2, 1}, .coll = COLL_ALLTOALL, .offset = 6, .words = "multiples of 4"},
	    {.layout = {1, 2, 1}, .coll = COLL_INIT, .words = "has none"},
	    {.layout = {1, 2, 1}, .coll = COLL_BROADCAST, .root = 2, .words = "root 2"},
	    {.layout = {1, 2, 1}, .arena_bytes = (size_t)1 << 50, .words = "this machine has"},
	    {.layout = {1, 2, 1}, .arena_bytes = SIZE_MAX / 2, .words = "this machine has"},
	    {.layout = {1, 6, 1}, .coll = COLL_HYPERCUBE, .words = "power of two"},
	    {.layout = {1, 6, 1}, .coll = COLL_HYPERCUBE, .split = {SPLIT_MOD, 3}},
	    {.layout = {1, 6, 1}, .split = {SPLIT_DIV, 4}, .words = "different sizes"},
	    {.layout = {1, 6, 1}, .split = {SPLIT_MOD, 6}, .words = "groups of one rank"},
	    /* A rank of all, but of no group. */
	    {.layout = {1, 6, 1},
	     .coll = COLL_GATHER,
	     .root = 2,
	     .split = {SPLIT_MOD, 3},
	     .words = "for 2 ranks"},
	};
	static struct rig rig;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		rig_init(&rig, cases[i].layout, cases[i].path ? cases[i].path : "auto");
		rig_add(&rig, COLL_ALLTOALL, 4096);
		rig.cells[0] = rig_cell_of(cases[i].coll, 12288);
		rig.cells[0].in_place = cases[i].in_place;
		rig.cells[0].root = cases[i].root;
		rig.trial.settings.offset_bytes = cases[i].offset;
		rig.trial.settings.split = cases[i].split;
		rig.trial.arena_bytes = cases[i].arena_bytes;
		assert_int_equal(backend_host.supports(&rig.trial, WHY), cases[i].words ? -1 : 0);
		assert_says(because(), cases[i].words ? cases[i].words : "");
	}
}

static void assert_path(struct layout layout, const char *asked, enum coll_kind coll,
                        const char *taken)
{
	static struct rig rig;
	struct backend_ctx *ctx = NULL;
	char text[TEAM_FACTS_BYTES];
	rig_init(&rig, layout, asked);
	rig_add(&rig, coll, 4096);
	const struct backend_place place = rig_raise_alone(&rig);
	team_fail(rig.team, 0, "only to see the path"); /* or open waits for the others */
	assert_int_equal(backend_host.open(&place, &ctx, WHY), -1);
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
	struct backend_ctx *ctx = NULL;
	char text[TEAM_FACTS_BYTES];
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	rig_init(&rig, (struct layout){1, 1, 3}, path);
	rig_add(&rig, COLL_ALLTOALL, 3 * 4096);
	const struct backend_place place = rig_raise_alone(&rig);
	assert_int_equal(backend_host.open(&place, &ctx, WHY), 0);
	backend_host.describe(ctx, text, sizeof text);
	const char *buffers = strstr(text, "memory_buffers_bytes="),
	           *comm = strstr(text, "memory_comm_bytes=");
	assert_non_null(buffers);
	assert_non_null(comm);
	uint64_t held = strtoull(strchr(buffers, '=') + 1, NULL, 10);
	uint64_t between = strtoull(strchr(comm, '=') + 1, NULL, 10);
	assert_true(held >= 2 * place.trial->arena_bytes);
	assert_true(between >= comm_at_least && between < comm_at_least + ((size_t)64 << 10));
	assert_int_equal(3 * (held + between) + page,
	                 host_memory_needs(ctx->transport, place.trial));
	backend_host.close(ctx);
	rig_lower(&rig);
}

TEST(memory_is_said_on_every_path)
{
	assert_memory("direct", 1);
	assert_memory("shared", 1);
	assert_memory("fifo", 3 * HOST_FIFO_SLOTS * HOST_PIECE_BYTES);
}
