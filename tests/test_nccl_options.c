/* What the nccl backend refuses, and the sentence for it; no GPU, and a stand-in for an old
 * library. Built without CUDA, only that this is reported. */
#include "test.h"

#ifdef HAVE_CUDA_NCCL
#include "../harness/backend/nccl/nccl.h"
#include "settings_text.h"
#include "standin.h"

static char standin[STANDIN_BYTES];

FIXTURE(find_standin)
{
	unsetenv("NCCL_NVLS_ENABLE");
	standin_find(standin);
}

static struct nccl_api library(const char *version)
{
	struct nccl_api api;
	setenv("STANDIN_NCCL_VERSION", version, 1);
	assert_works(nccl_api_load(standin, &api, WHY));
	return api;
}

/* One that has all functions. */
static struct nccl_api newest(void)
{
	struct nccl_api api;
	memset(&api, 0x5A, sizeof api);
	strcpy(api.version, "2.32.3");
	api.at = NCCL_AT(2, 32, 3);
	return api;
}

TEST(versions_are_read_as_both_generations_say_them)
{
	struct nccl_api api = library("2708");
	assert_string_equal(api.version, "2.7.8");
	assert_int_equal(api.at, NCCL_AT(2, 7, 8));
	assert_string_equal(api.file, standin);
	assert_null(api.CommSplit);
	api = library("22105");
	assert_string_equal(api.version, "2.21.5");
	assert_int_equal(api.at, NCCL_AT(2, 21, 5));
	assert_refused(nccl_api_load("libc.so.6", &api, WHY), "ncclGetVersion");
}

/* Settings; of the trial too: calls, root. Two threads if no layout is said. */
static void set(struct trial *t, struct cell *cell, const char *said)
{
	char *text = test_text("%s", said), *value;
	settings_default(&t->settings);
	t->settings.layout = (struct layout){1, 2, 1};
	while ((value = strsep(&text, " ")) && *value) {
		const char *key = strncmp(value, "env.", 4) ? strsep(&value, "=") : NULL;
		if (!key)
			strcpy(t->settings.env[t->settings.nenv++], value + 4);
		else if (!strcmp(key, "calls"))
			t->calls = (unsigned)atoi(value);
		else if (!strcmp(key, "root"))
			cell->root = (unsigned)atoi(value);
		else
			settings_read(&t->settings, key, value);
	}
}

#define ADVISED                                                                                    \
	"graph with 2 GPUs in one thread: NVIDIA advises against it; force = yes measures it "     \
	"anyway"
#define ONLY_CALLS                                                                                 \
	"allowed are all_reduce, all_gather, reduce_scatter, and alltoall with api = native"
#define HANGS                                                                                      \
	"cta_policy = zero: with multicast NCCL 2.28.3 may hang on two ranks (nccl#2241, mended "  \
	"in 2.31.2); "                                                                             \
	"allowed is env.NCCL_NVLS_ENABLE = 0"
#define OVERFLOWS "is 2 GiB or more, which NCCL counts in 32 bits; allowed is less"
#define SHARES    "env.NCCL_MULTI_RANK_GPU_ENABLE=1"

#define SUM        COLL_ALL_REDUCE, DTYPE_FLOAT32, OP_SUM
#define MOVE(COLL) COLL, DTYPE_FLOAT32, OP_NONE

// clang-format off
/* said: "" if it is taken. version: NULL for the newest; a setting that only needs a version is taken by that one. */
static const struct {
	enum coll_kind coll;
	enum dtype dtype;
	enum op op;
	const char *set, *version;
	unsigned compute;
	const char *said;
} rows[] = {
	{SUM, "", "2708", 70, ""},
	{COLL_ALL_GATHER, DTYPE_BFLOAT16, OP_NONE, "", "2708", 90, "dtype = bfloat16 needs NCCL 2.10.3 or later; this is 2.7.8"},
	{COLL_ALL_GATHER, DTYPE_BFLOAT16, OP_NONE, "", "21003", 90, ""},
	{COLL_REDUCE, DTYPE_FLOAT32, OP_AVG, "", "2708", 90, "op = avg needs NCCL 2.10.3 or later; this is 2.7.8"},
	{COLL_REDUCE, DTYPE_FLOAT32, OP_AVG, "", "21003", 90, ""},
	{COLL_REDUCE, DTYPE_FLOAT32, OP_PREMULSUM, "", "21003", 90, "op = premulsum needs NCCL 2.11.4 or later; this is 2.10.3"},
	{COLL_ALL_GATHER, DTYPE_FLOAT8_E4M3, OP_NONE, "", "21003", 90, "a dtype of 8-bit floats needs NCCL 2.24.3 or later; this is 2.10.3"},
	{MOVE(COLL_SCATTER), "api=native", "21003", 90, "api = native (ncclScatter) needs NCCL 2.28.3 or later; this is 2.10.3"},
	/* A library without a function that its version should have is refused as well. */
	{SUM, "layout=1x4x1 split=MOD:2", "22903", 90, "split needs NCCL 2.18.1 or later; this is 2.29.3"},
	{SUM, "graph=4", "2708", 90, "graph needs NCCL 2.9.6"},
	{SUM, "max_ctas=8", "2708", 90, "min_ctas or max_ctas needs NCCL 2.17.1"},
	{SUM, "register=local", "2708", 90, "register = local needs NCCL 2.19.1"},
	{SUM, "allocator=nccl", "2708", 90, "allocator = nccl needs NCCL 2.19.1"},
	{SUM, "register=window", "2708", 90, "register = window needs NCCL 2.27.3"},
	{SUM, "cta_policy=efficiency", "2708", 90, "cta_policy needs NCCL 2.27.3"},
	{SUM, "register=recv-window", "2708", 90, "register = recv-window needs NCCL 2.29.2"},
	{SUM, "call_ctas=4", "2708", 90, "call_ctas needs NCCL 2.31.2"},
	{SUM, "ranks_per_gpu=2 " SHARES, "2708", 90, "ranks_per_gpu needs NCCL 2.30.3"},
	{SUM, "env.NCCL_SINGLE_PROC_MEM_REG_ENABLE=1", "2708", 90, "env.NCCL_SINGLE_PROC_MEM_REG_ENABLE needs NCCL 2.28.3"},
	{SUM, "env.NCCL_SYM_NOWIN_ENABLE=1", "2708", 90, "env.NCCL_SYM_NOWIN_ENABLE needs NCCL 2.29.2"},
	{SUM, "env.NCCL_ENQUEUE_REARCH_ENABLE=0", "2708", 90, "env.NCCL_ENQUEUE_REARCH_ENABLE needs NCCL 2.31.2"},
	/* What does not go together. */
	{SUM, "layout=1x1x2 graph=2", NULL, 90, ADVISED},
	{SUM, "layout=1x1x2 graph=2 force=yes", NULL, 90, ""},
	{SUM, "min_ctas=8 max_ctas=8", NULL, 90, ""},
	{SUM, "min_ctas=9 max_ctas=8", NULL, 90, "min_ctas = 9 is more than max_ctas = 8"},
	{SUM, "register=window allocator=cuda", NULL, 90, "register = window needs memory of ncclMemAlloc; allowed is allocator = nccl"},
	{SUM, "register=recv-window allocator=cuda", NULL, 90, "register = recv-window needs memory of ncclMemAlloc; allowed is allocator = nccl"},
	{SUM, "ranks_per_gpu=2", NULL, 90, "ranks_per_gpu = 2: NCCL needs env.NCCL_MULTI_RANK_GPU_ENABLE = 1 for it"},
	{SUM, "ranks_per_gpu=2 env.NCCL_MULTI_RANK_GPU_ENABLE=0", NULL, 90, "ranks_per_gpu = 2"},
	{SUM, "ranks_per_gpu=2 " SHARES, NULL, 90, ""},
	{SUM, "ranks_per_gpu=2 visible=own " SHARES, NULL, 90, "ranks_per_gpu = 2 cannot be combined with a GPU that only one process sees (visible, isolate)"},
	/* "calloc -2147483648 bytes": NCCL multiplies the slots of all channels in 32 bits. */
	{SUM, "env.NCCL_BUFFSIZE=33554432 env.NCCL_MIN_P2P_NCHANNELS=64", NULL, 90, "NCCL_BUFFSIZE = 33554432 × NCCL_MIN_P2P_NCHANNELS = 64 " OVERFLOWS},
	{SUM, "env.NCCL_BUFFSIZE=33554431 env.NCCL_MIN_P2P_NCHANNELS=64", NULL, 90, ""},
	{SUM, "env.NCCL_BUFFSIZE=67108864 env.NCCL_MIN_P2P_NCHANNELS=32", NULL, 90, "NCCL_BUFFSIZE = 67108864 × NCCL_MIN_P2P_NCHANNELS = 32 " OVERFLOWS},
	/* Where multicast is off there is no harm, nor with other numbers of ranks, nor on GPUs without it. */
	{SUM, "cta_policy=zero", "22803", 90, HANGS},
	{SUM, "cta_policy=zero env.NCCL_NVLS_ENABLE=1", "22803", 90, HANGS},
	{SUM, "cta_policy=zero", NULL, 90, ""},
	{SUM, "cta_policy=zero", "22803", 80, ""},
	{SUM, "cta_policy=zero env.NCCL_NVLS_ENABLE=0", "22803", 90, ""},
	{SUM, "cta_policy=zero layout=1x4x1", "22803", 90, ""},
	{MOVE(COLL_ALLTOALL), "api=copies", NULL, 90, ""},
	{MOVE(COLL_ALLTOALL), "api=copies layout=2x1x1", NULL, 90, "api = copies needs all GPUs in one process, and cannot be combined with start = gated"},
	{MOVE(COLL_SENDRECV), "api=copies", NULL, 90, "api = copies is of alltoall alone, not of sendrecv"},
	/* A launch with the room that they need would fail on older GPUs, with no word of why. */
	{MOVE(COLL_ALLTOALL), "api=device path=bulk", NULL, 90, ""},
	{MOVE(COLL_ALLTOALL), "api=device path=bulk", NULL, 80, "path = bulk: GPUs of compute capability 9.0 or later have bulk copies; one here has 8.0"},
	{MOVE(COLL_ALLTOALL), "api=device path=stores", NULL, 80, ""},
	/* Only NCCL's own call takes a configuration. */
	{MOVE(COLL_ALLTOALL), "call_ctas=4", NULL, 90, "call_ctas: alltoall consists of sends and receives with api = grouped; " ONLY_CALLS},
	{MOVE(COLL_ALLTOALL), "call_ctas=4 api=native", NULL, 90, ""},
	{MOVE(COLL_SENDRECV), "call_ctas=4", NULL, 90, "call_ctas: sendrecv consists of sends and receives; " ONLY_CALLS},
	/* Cells that cannot be. */
	{COLL_ALL_REDUCE, DTYPE_FLOAT8_E5M2, OP_SUM, "", NULL, 80, "NCCL reduces float8_e5m2 on GPUs of compute capability 9.0 or later; one here has 8.0"},
	{COLL_ALL_REDUCE, DTYPE_FLOAT8_E5M2, OP_SUM, "", NULL, 90, ""},
	{COLL_BROADCAST, DTYPE_FLOAT8_E5M2, OP_NONE, "", NULL, 80, ""},
	{MOVE(COLL_BROADCAST), "root=2", NULL, 90, "nccl: broadcast of 1024 bytes, root 2, for 2 ranks: the root is not a rank of the communicator"},
	{COLL_ALL_GATHER, DTYPE_FLOAT64, OP_NONE, "offset=12", NULL, 90, "nccl: offset = 12 is not a whole number of elements of float64; allowed are multiples of 8"},
	{MOVE(COLL_SENDRECV_PAIRS), "layout=1x3x1", NULL, 90, "nccl: sendrecv_pairs of 1024 bytes, root 0, for 3 ranks: sendrecv_pairs needs an even number of ranks"},
	{MOVE(COLL_HYPERCUBE), "layout=1x6x1", NULL, 90, "nccl: hypercube of 1024 bytes, root 0, for 6 ranks: hypercube needs a power of two of ranks"},
	{MOVE(COLL_HYPERCUBE), "layout=1x6x1 split=MOD:3", NULL, 90, ""},
	{MOVE(COLL_HYPERCUBE), "layout=1x6x1 split=DIV:4", NULL, 90, "split = DIV:4 makes groups of different sizes out of 6 ranks; allowed are splits into equal groups"},
	{MOVE(COLL_HYPERCUBE), "aggregate=2", NULL, 90, "aggregate = 2 cannot be combined with hypercube: each of its rounds needs its own group"},
	{SUM, "start=gated calls=257", NULL, 90, "start = gated with 257 calls of all_reduce at once: a held stream has room for 256; allowed are calls up to that"},
	{SUM, "start=gated calls=256", NULL, 90, ""},
	/* One of 4 ranks is a copy and two launches. */
	{MOVE(COLL_HYPERCUBE), "start=gated layout=1x4x1 calls=86", NULL, 90, "start = gated with 86 calls of hypercube at once: a held stream has room for 85; allowed are calls up to that"},
	{MOVE(COLL_HYPERCUBE), "start=gated layout=1x4x1 calls=85", NULL, 90, ""},
	/* What a variant is called old for. */
	{SUM, "nccl_below=2.23", "22300", 90, "nccl_below = 2.23 needs an older library; this is 2.23.0: "},
	{SUM, "nccl_below=2.23", "22203", 90, ""},
	{SUM, "nccl_below=2.7", "2708", 90, "nccl_below = 2.7 needs an older library; this is 2.7.8: "},
	{SUM, "nccl_below=2.22.3", "22203", 90, "nccl_below = 2.22.3 needs an older library; this is 2.22.3: "},
	{SUM, "nccl_below=2.22.4", "22203", 90, ""},
	{SUM, "nccl_below=3.0", "22803", 90, ""},
	{SUM, "nccl_below=2.9", "22803", 90, "nccl_below = 2.9 needs an older library; this is 2.28.3: "},
};
// clang-format on

TEST(each_setting_is_taken_or_refused_with_its_sentence)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct cell cell = {
		    .coll = rows[i].coll, .dtype = rows[i].dtype, .op = rows[i].op, .bytes = 1024};
		struct trial t = {.arena_bytes = 1024, .ncells = 1, .cells = &cell};
		struct nccl_api api = newest();
		if (rows[i].version && strcmp(rows[i].version, "22803"))
			api = library(rows[i].version);
		else if (rows[i].version) /* with all of its functions */
			strcpy(api.version, "2.28.3"), api.at = NCCL_AT(2, 28, 3);
		set(&t, &cell, rows[i].set);
		const int result = nccl_refuse(&t, &api, rows[i].compute, WHY);
		if (result != (rows[i].said[0] ? -1 : 0))
			fail_msg("row %zu, %s: %s", i, rows[i].set, because());
		assert_begins(because(), rows[i].said);
		/* What a later library has, that one does. */
		if (strstr(rows[i].said, " needs NCCL ")) {
			api = newest();
			assert_works(nccl_refuse(&t, &api, rows[i].compute, WHY));
		}
	}
}

/* coll's table compared with this backend's: none can be forgotten. */
TEST(every_collective_has_a_row)
{
	for (int c = 0; c < COLL_KINDS; c++) {
		const struct nccl_coll *row = nccl_coll((enum coll_kind)c);
		struct cell cell = {
		    .coll = (enum coll_kind)c, .dtype = DTYPE_FLOAT64, .op = OP_MAX};
		struct trial t = {.arena_bytes = 1024, .ncells = 1, .cells = &cell};
		struct nccl_api api = library("2708");
		cell.bytes = 1024;
		set(&t, &cell, "");
		assert_works(nccl_refuse(&t, &api, 70, WHY));
		if (!row->call && !row->moves && !row->put && !row->connects)
			fail_msg("nccl has no row for %s", coll_info((enum coll_kind)c)->name);
		assert_int_equal(row->connects, c == COLL_INIT);
		assert_true(!row->configured || row->call);
		assert_true(!row->native || (row->call && row->moves && row->since && row->symbol));
	}
}

/* From first to last: 70 of 100, 80 of 200, 10 of 300; in between it does not count. */
TEST(memory_is_of_the_gpu_that_used_most)
{
	static const size_t left[][READINGS] = {
	    {100, 20, 20, 20, 30}, {200, 190, 180, 150, 120}, {300, 299, 298, 10, 290}};
	struct backend_ctx *ctx = calloc(1, sizeof *ctx + 3 * sizeof ctx->places[0]);
	assert_non_null(ctx);
	assert_null(nccl_fullest(ctx));
	ctx->count = 3;
	assert_null(nccl_fullest(ctx)); /* none has a reading */
	for (unsigned i = 0; i < 3; i++)
		memcpy(ctx->places[i].free_bytes, left[i], sizeof left[i]);
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[1]);
	ctx->places[1].free_bytes[READ_END] = 0;
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[0]);
	ctx->places[0].free_bytes[READ_BARE] = 0;
	ctx->places[2].free_bytes[READ_END] = 400; /* others gave back: all that is known */
	assert_ptr_equal(nccl_fullest(ctx), &ctx->places[2]);
	free(ctx);
}

TESTS(.begin = find_standin);

#else
#include "../harness/backend/table.h"

TEST(a_build_without_says_so)
{
	struct trial trial = {0};
	assert_refused(backend_find("nccl")->supports(&trial, WHY), "built without");
}
#endif
