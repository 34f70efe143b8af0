/* What the host backend refuses, in which words, and which path it takes when left the choice. */
#include "host_rig.h"
#include "settings_text.h"

#define IN_PLACE 99

TEST(what_cannot_be_done_is_refused)
{
	static const struct {
		const char *settings; /* in front of them layout=1x2x1 */
		enum coll_kind coll;
		unsigned root; /* IN_PLACE: it is in place */
		size_t arena_bytes;
		const char *words; /* "": it can be done */
	} cases[] = {
	    {"path=packets", COLL_ALLTOALL, 0, 0, "allowed are auto, direct, fifo, shared"},
	    {"layout=2x1x1 path=direct", COLL_ALLTOALL, 0, 0, "one process"},
	    {"layout=2x1x1 path=fifo", COLL_COPY, 0, 0, "direct or shared"},
	    {"", COLL_ALLTOALL, IN_PLACE, 0, "in place"},
	    {"offset=6", COLL_ALLTOALL, 0, 0, "multiples of 4"},
	    {"", COLL_INIT, 0, 0, "has none"},
	    {"", COLL_BROADCAST, 2, 0, "root 2"},
	    {"", COLL_ALLTOALL, 0, (size_t)1 << 50, "this machine has"},
	    {"", COLL_ALLTOALL, 0, SIZE_MAX / 2, "this machine has"},
	    {"layout=1x6x1", COLL_HYPERCUBE, 0, 0, "power of two"},
	    {"layout=1x6x1 split=MOD:3", COLL_HYPERCUBE, 0, 0, ""},
	    {"layout=1x6x1 split=DIV:4", COLL_ALLTOALL, 0, 0, "different sizes"},
	    {"layout=1x6x1 split=MOD:6", COLL_ALLTOALL, 0, 0, "groups of one rank"},
	    /* A rank of all, but of no group. */
	    {"layout=1x6x1 split=MOD:3", COLL_GATHER, 2, 0, "for 2 ranks"},
	};
	static struct rig rig;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		rig_init(&rig, (struct layout){1, 2, 1}, "auto");
		rig_add(&rig, COLL_ALLTOALL, 4096);
		rig.cells[0] = rig_cell_of(cases[i].coll, 12288);
		rig.cells[0].in_place = cases[i].root == IN_PLACE;
		rig.cells[0].root = cases[i].root == IN_PLACE ? 0 : cases[i].root;
		settings_of_text(&rig.trial.settings, cases[i].settings);
		rig.trial.arena_bytes = cases[i].arena_bytes;
		assert_int_equal(backend_host.supports(&rig.trial, WHY), *cases[i].words ? -1 : 0);
		assert_says(because(), cases[i].words);
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
