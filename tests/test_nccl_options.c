/* What the nccl backend refuses, and the sentence for it; no GPU, and a stand-in for an old
 * library. Built without CUDA, only that this is reported. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#ifdef HAVE_CUDA_NCCL
#include "../harness/backend/nccl/nccl.h"
#include "standin.h"

static char standin[STANDIN_BYTES];

static int find_standin(void **state)
{
	(void)state;
	return standin_find(standin);
}

static struct cell cell = {.op = OP_SUM, .dtype = DTYPE_FLOAT32, .bytes = 1024};

static struct trial trial_of(enum coll_kind coll, enum dtype dtype, enum op op)
{
	struct trial t = {.arena_bytes = 1024, .ncells = 1, .cells = &cell};
	settings_default(&t.settings);
	t.settings.layout = (struct layout){1, 2, 1};
	cell.coll = coll;
	cell.dtype = dtype;
	cell.op = op;
	cell.root = 0;
	return t;
}

static struct trial plain(void)
{
	return trial_of(COLL_ALL_REDUCE, DTYPE_FLOAT32, OP_SUM);
}

static struct nccl_api library(const char *version)
{
	struct nccl_api api;
	struct status st = {0};
	if (version)
		setenv("STANDIN_NCCL_VERSION", version, 1);
	else
		unsetenv("STANDIN_NCCL_VERSION");
	assert_int_equal(nccl_api_load(standin, &api, &st), 0);
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

static void refused(const struct trial *t, const struct nccl_api *api, unsigned compute,
                    const char *sentence)
{
	struct status st = {0};
	assert_int_equal(nccl_refuse(t, api, compute, &st), -1);
	assert_string_equal(st.text, sentence);
}

static void taken(const struct trial *t, const struct nccl_api *api, unsigned compute)
{
	struct status st = {0};
	assert_works(nccl_refuse(t, api, compute, &st), st);
}

TEST(versions_are_read_as_both_generations_say_them)
{
	struct nccl_api api = library(NULL);
	assert_string_equal(api.version, "2.7.8");
	assert_int_equal(api.at, NCCL_AT(2, 7, 8));
	assert_string_equal(api.file, standin);
	assert_null(api.CommSplit);
	api = library("22105");
	assert_string_equal(api.version, "2.21.5");
	assert_int_equal(api.at, NCCL_AT(2, 21, 5));
}

TEST(what_is_no_nccl_is_named)
{
	struct nccl_api api;
	struct status st = {0};
	assert_int_equal(nccl_api_load("libc.so.6", &api, &st), -1);
	assert_says(st.text, "ncclGetVersion");
}

TEST(an_old_library_still_does_the_old_things)
{
	struct nccl_api api = library(NULL);
	struct trial t = plain();
	taken(&t, &api, 70);
	for (enum coll_kind coll = 0; coll < COLL_KINDS; coll++) {
		t = trial_of(coll, DTYPE_FLOAT64, OP_MAX);
		taken(&t, &api, 70);
	}
}

TEST(old_libraries_name_the_first_that_can)
{
	struct nccl_api old = library(NULL), later = library("21003");
	struct trial t = trial_of(COLL_ALL_GATHER, DTYPE_BFLOAT16, OP_NONE);
	refused(&t, &old, 90, "dtype = bfloat16 needs NCCL 2.10.3 or later; this is 2.7.8");
	taken(&t, &later, 90);
	t = trial_of(COLL_REDUCE, DTYPE_FLOAT32, OP_AVG);
	refused(&t, &old, 90, "op = avg needs NCCL 2.10.3 or later; this is 2.7.8");
	taken(&t, &later, 90);
	t = trial_of(COLL_REDUCE, DTYPE_FLOAT32, OP_PREMULSUM);
	refused(&t, &later, 90, "op = premulsum needs NCCL 2.11.4 or later; this is 2.10.3");
	t = trial_of(COLL_ALL_GATHER, DTYPE_FLOAT8_E4M3, OP_NONE);
	refused(&t, &later, 90,
	        "a dtype of 8-bit floats needs NCCL 2.24.3 or later; this is 2.10.3");
	t = trial_of(COLL_SCATTER, DTYPE_FLOAT32, OP_NONE);
	strcpy(t.settings.api, "native");
	refused(&t, &later, 90,
	        "api = native (ncclScatter) needs NCCL 2.28.3 or later; this is 2.10.3");
}

/* A library without a function that its version should have is refused as well. */
TEST(a_missing_function_counts_as_well_as_the_version)
{
	struct nccl_api api = library("22903");
	struct trial t = plain();
	t.settings.layout = (struct layout){1, 4, 1};
	t.settings.split = (struct split){SPLIT_MOD, 2};
	refused(&t, &api, 90, "split needs NCCL 2.18.1 or later; this is 2.29.3");
}

static void set_env(struct trial *t, const char *entry)
{
	strcpy(t->settings.env[t->settings.nenv++], entry);
}

TEST(every_setting_is_asked_of_the_library)
{
	struct nccl_api old = library(NULL), all = newest();
	struct {
		struct trial t;
		const char *sentence;
	} cases[] = {
	    {plain(), "graph needs NCCL 2.9.6"},
	    {plain(), "nonblocking = yes needs NCCL 2.14.3"},
	    {plain(), "min_ctas or max_ctas needs NCCL 2.17.1"},
	    {plain(), "register = local needs NCCL 2.19.1"},
	    {plain(), "allocator = nccl needs NCCL 2.19.1"},
	    {plain(), "register = window needs NCCL 2.27.3"},
	    {plain(), "cta_policy needs NCCL 2.27.3"},
	    {plain(), "register = recv-window needs NCCL 2.29.2"},
	    {plain(), "call_ctas needs NCCL 2.31.2"},
	    {plain(), "ranks_per_gpu needs NCCL 2.30.3"},
	    {plain(), "env.NCCL_SINGLE_PROC_MEM_REG_ENABLE needs NCCL 2.28.3"},
	    {plain(), "env.NCCL_SYM_NOWIN_ENABLE needs NCCL 2.29.2"},
	    {plain(), "env.NCCL_ENQUEUE_REARCH_ENABLE needs NCCL 2.31.2"},
	};
	cases[0].t.settings.graph = 4;
	cases[1].t.settings.nonblocking = true;
	cases[2].t.settings.max_ctas = 8;
	cases[3].t.settings.registration = REGISTER_LOCAL;
	cases[4].t.settings.allocator = ALLOCATOR_NCCL;
	cases[5].t.settings.registration = REGISTER_WINDOW;
	cases[6].t.settings.cta_policy = CTA_EFFICIENCY;
	cases[7].t.settings.registration = REGISTER_RECV_WINDOW;
	cases[8].t.settings.call_ctas = 4;
	cases[9].t.settings.ranks_per_gpu = 2;
	set_env(&cases[9].t, "NCCL_MULTI_RANK_GPU_ENABLE=1");
	set_env(&cases[10].t, "NCCL_SINGLE_PROC_MEM_REG_ENABLE=1");
	set_env(&cases[11].t, "NCCL_SYM_NOWIN_ENABLE=1");
	set_env(&cases[12].t, "NCCL_ENQUEUE_REARCH_ENABLE=0");
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct status st = {0};
		assert_int_equal(nccl_refuse(&cases[i].t, &old, 90, &st), -1);
		assert_memory_equal(st.text, cases[i].sentence, strlen(cases[i].sentence));
		taken(&cases[i].t, &all, 90);
	}
}

TEST(what_does_not_go_together_is_refused)
{
	struct nccl_api all = newest();
	struct trial t = plain();
	struct status st = {0};
	t.settings.layout = (struct layout){1, 1, 2};
	t.settings.grouping = GROUPING_NEVER;
	assert_int_equal(nccl_refuse(&t, &all, 90, &st), -1);
	t.settings.layout = (struct layout){2, 1, 1};
	taken(&t, &all, 90);
	t.settings.aggregate = 4;
	refused(&t, &all, 90, "aggregate = 4 puts calls into a group, which group = never forbids");
	t = plain();
	t.settings.graph = 2;
	t.settings.layout = (struct layout){1, 1, 2};
	refused(&t, &all, 90,
	        "graph with 2 GPUs in one thread: NVIDIA advises against it; force = yes "
	        "measures it anyway");
	t.settings.force = true;
	taken(&t, &all, 90);
	t = plain();
	t.settings.registration = REGISTER_WINDOW;
	t.settings.allocator = ALLOCATOR_CUDA;
	refused(&t, &all, 90,
	        "register = window needs memory of ncclMemAlloc; allowed is allocator = nccl");
	t.settings.registration = REGISTER_RECV_WINDOW;
	refused(&t, &all, 90,
	        "register = recv-window needs memory of ncclMemAlloc; allowed is allocator = "
	        "nccl");
	t = plain();
	t.settings.ranks_per_gpu = 2;
	refused(&t, &all, 90,
	        "ranks_per_gpu = 2: NCCL needs env.NCCL_MULTI_RANK_GPU_ENABLE = 1 for it");
	set_env(&t, "NCCL_MULTI_RANK_GPU_ENABLE=0");
	assert_int_equal(nccl_refuse(&t, &all, 90, &st), -1);
	strcpy(t.settings.env[0], "NCCL_MULTI_RANK_GPU_ENABLE=1");
	taken(&t, &all, 90);
	t.settings.visible = VISIBLE_OWN;
	refused(&t, &all, 90,
	        "ranks_per_gpu = 2 cannot be combined with a GPU that only one process sees "
	        "(visible, isolate)");
}

/* "calloc -2147483648 bytes": NCCL multiplies the slots of all channels in 32 bits. */
TEST(buffers_that_overflow_are_refused)
{
	static const struct {
		const char *slots, *channels;
		bool overflows;
	} rows[] = {{"33554432", "64", true},
	            {"33554431", "64", false},
	            {"67108864", "32", true},
	            {"33554432", "32", false}};
	const struct nccl_api api = newest();
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct trial t = plain();
		char text[256];
		snprintf(text, sizeof text, "NCCL_BUFFSIZE=%s", rows[i].slots);
		set_env(&t, text);
		snprintf(text, sizeof text, "NCCL_MIN_P2P_NCHANNELS=%s", rows[i].channels);
		set_env(&t, text);
		if (!rows[i].overflows) {
			taken(&t, &api, 90);
			continue;
		}
		snprintf(text, sizeof text,
		         "NCCL_BUFFSIZE = %s × NCCL_MIN_P2P_NCHANNELS = %s is 2 GiB or more, which "
		         "NCCL counts in 32 bits; allowed is less",
		         rows[i].slots, rows[i].channels);
		refused(&t, &api, 90, text);
	}
}

/* Where multicast is off there is no harm, nor with other numbers of ranks. */
TEST(copy_engines_of_two_ranks_wait_for_the_library_that_mended_them)
{
	struct nccl_api early = newest(), mended = newest();
	struct trial t = plain();
	early.at = NCCL_AT(2, 28, 3);
	strcpy(early.version, "2.28.3");
	mended.at = NCCL_AT(2, 31, 2);
	unsetenv("NCCL_NVLS_ENABLE");
	t.settings.cta_policy = CTA_ZERO;
	refused(&t, &early, 90,
	        "cta_policy = zero: with multicast NCCL 2.28.3 may hang on two ranks (nccl#2241, "
	        "mended in 2.31.2); allowed is env.NCCL_NVLS_ENABLE = 0");
	taken(&t, &mended, 90);
	taken(&t, &early, 80); /* GPUs without multicast */
	setenv("NCCL_NVLS_ENABLE", "0", 1);
	taken(&t, &early, 90);
	set_env(&t, "NCCL_NVLS_ENABLE=1");
	struct status st = {0};
	assert_int_equal(nccl_refuse(&t, &early, 90, &st), -1);
	strcpy(t.settings.env[0], "NCCL_NVLS_ENABLE=0");
	unsetenv("NCCL_NVLS_ENABLE");
	taken(&t, &early, 90);
	t.settings.nenv = 0;
	t.settings.layout = (struct layout){1, 4, 1};
	taken(&t, &early, 90);
}

TEST(copies_without_nccl_are_those_of_an_alltoall_in_one_process)
{
	struct nccl_api all = newest();
	struct trial t = trial_of(COLL_ALLTOALL, DTYPE_FLOAT32, OP_NONE);
	strcpy(t.settings.api, "copies");
	taken(&t, &all, 90);
	t.settings.layout = (struct layout){2, 1, 1};
	refused(&t, &all, 90,
	        "api = copies needs all GPUs in one process, and cannot be combined with start = "
	        "gated");
	t = trial_of(COLL_SENDRECV, DTYPE_FLOAT32, OP_NONE);
	strcpy(t.settings.api, "copies");
	refused(&t, &all, 90, "api = copies is of alltoall alone, not of sendrecv");
}

/* A launch with the room that they need would fail on older GPUs, with no word of why. */
TEST(bulk_copies_are_of_gpus_that_have_them)
{
	struct nccl_api all = newest();
	struct trial t = trial_of(COLL_ALLTOALL, DTYPE_FLOAT32, OP_NONE);
	strcpy(t.settings.api, "device");
	strcpy(t.settings.path, "bulk");
	taken(&t, &all, 90);
	refused(&t, &all, 80,
	        "path = bulk: GPUs of compute capability 9.0 or later have bulk copies; one here "
	        "has 8.0");
	strcpy(t.settings.path, "stores");
	taken(&t, &all, 80);
}

/* Only NCCL's own call takes a configuration. */
TEST(a_call_is_configured_where_it_is_one)
{
	struct nccl_api all = newest();
	struct trial t = trial_of(COLL_ALLTOALL, DTYPE_FLOAT32, OP_NONE);
	t.settings.call_ctas = 4;
	refused(&t, &all, 90,
	        "call_ctas: alltoall consists of sends and receives with api = grouped; allowed "
	        "are all_reduce, all_gather, reduce_scatter, and alltoall with api = native");
	strcpy(t.settings.api, "native");
	taken(&t, &all, 90);
	t = trial_of(COLL_SENDRECV, DTYPE_FLOAT32, OP_NONE);
	t.settings.call_ctas = 4;
	refused(&t, &all, 90,
	        "call_ctas: sendrecv consists of sends and receives; allowed are all_reduce, "
	        "all_gather, reduce_scatter, and alltoall with api = native");
	for (int coll = 0; coll < COLL_KINDS; coll++)
		assert_true(!nccl_coll((enum coll_kind)coll)->configured ||
		            nccl_coll((enum coll_kind)coll)->call);
}

TEST(a_cell_that_cannot_be_is_refused)
{
	struct nccl_api all = newest();
	struct trial t = trial_of(COLL_ALL_REDUCE, DTYPE_FLOAT8_E5M2, OP_SUM);
	refused(&t, &all, 80,
	        "NCCL reduces float8_e5m2 on GPUs of compute capability 9.0 or later; one here "
	        "has 8.0");
	taken(&t, &all, 90);
	t = trial_of(COLL_BROADCAST, DTYPE_FLOAT8_E5M2, OP_NONE);
	taken(&t, &all, 80);
	cell.root = 2;
	refused(&t, &all, 90,
	        "nccl: broadcast of 1024 bytes, root 2, for 2 ranks: the root is not a rank of the "
	        "communicator");
	t = trial_of(COLL_ALL_GATHER, DTYPE_FLOAT64, OP_NONE);
	t.settings.offset_bytes = 12;
	refused(&t, &all, 90,
	        "nccl: offset = 12 is not a whole number of elements of float64; allowed are "
	        "multiples of 8");
	t = trial_of(COLL_SENDRECV_PAIRS, DTYPE_FLOAT32, OP_NONE);
	t.settings.layout = (struct layout){1, 3, 1};
	refused(&t, &all, 90,
	        "nccl: sendrecv_pairs of 1024 bytes, root 0, for 3 ranks: sendrecv_pairs needs an "
	        "even number of ranks");
	t = trial_of(COLL_HYPERCUBE, DTYPE_FLOAT32, OP_NONE);
	t.settings.layout = (struct layout){1, 6, 1};
	refused(&t, &all, 90,
	        "nccl: hypercube of 1024 bytes, root 0, for 6 ranks: hypercube needs a power of "
	        "two of ranks");
	t.settings.split = (struct split){SPLIT_MOD, 3};
	taken(&t, &all, 90);
	t.settings.split = (struct split){SPLIT_DIV, 4};
	refused(&t, &all, 90,
	        "split = DIV:4 makes groups of different sizes out of 6 ranks; "
	        "allowed are splits into equal groups");
	t = plain();
	t.settings.start = START_GATED;
	t.calls = 257;
	refused(&t, &all, 90,
	        "start = gated with 257 calls of all_reduce at once: a held stream has "
	        "room for 256; allowed are calls up to that");
	t.calls = 256;
	taken(&t, &all, 90);
	/* One of 4 ranks is a copy and two launches. */
	cell.coll = COLL_HYPERCUBE;
	t.settings.layout = (struct layout){1, 4, 1};
	t.calls = 86;
	refused(&t, &all, 90,
	        "start = gated with 86 calls of hypercube at once: a held stream has "
	        "room for 85; allowed are calls up to that");
	t.calls = 85;
	taken(&t, &all, 90);
	t = trial_of(COLL_HYPERCUBE, DTYPE_FLOAT32, OP_NONE);
	t.settings.aggregate = 2;
	refused(&t, &all, 90,
	        "aggregate = 2 cannot be combined with hypercube: each of its rounds needs its "
	        "own group");
}

/* What a variant is called old for. */
TEST(a_library_that_is_not_below_is_refused)
{
	static const struct {
		const char *version, *below;
		bool goes;
	} cases[] = {
	    {"22803", "2.23", false}, {"22303", "2.23", false},   {"22300", "2.23", false},
	    {"22203", "2.23", true},  {"22105", "2.23", true},    {"2708", "2.23", true},
	    {"2708", "2.7", false},   {"22203", "2.22.3", false}, {"22203", "2.22.4", true},
	    {"22803", "3.0", true},   {"22803", "2.9", false},
	};
	char sentence[STANDIN_BYTES + 128];
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct nccl_api api = library(cases[i].version);
		struct trial t = plain();
		strcpy(t.settings.nccl_below, cases[i].below);
		snprintf(sentence, sizeof sentence,
		         "nccl_below = %s needs an older library; this is %s: %s", cases[i].below,
		         api.version, standin);
		if (cases[i].goes)
			taken(&t, &api, 90);
		else
			refused(&t, &api, 90, sentence);
	}
}

TESTS(.begin = find_standin);

#else
#include "../harness/backend/table.h"

TEST(a_build_without_says_so)
{
	struct trial trial = {0};
	struct status st = {0};
	assert_int_equal(backend_find("nccl")->supports(&trial, &st), -1);
	assert_says(st.text, "built without");
}
#endif
