/* The order of a job: the saved order is loaded unchanged, and another program's is not believed. */

#include "../harness/backend/table.h"
#include "here.h"

static struct trial *trial_make(unsigned ncells)
{
	struct trial *t = calloc(1, sizeof *t);
	assert_non_null(t);
	t->cells = calloc(ncells, sizeof t->cells[0]);
	assert_non_null(t->cells);
	strcpy(t->experiment, "x");
	strcpy(t->variant, "threads \"old\" \xC3\xBC");
	t->block = 3;
	t->order = 41;
	t->settings = (struct settings){
	    .mode = "threads",
	    .layout = {1, 4, 2},
	    .backend = "host",
	    .nccl = "/opt/a b/libnccl.so.2",
	    .nccl_below = "2.23",
	    .path = "fifo",
	    .bind = BIND_NUMA,
	    .delay_ns = 60000000000,
	    .delay_rank = -1,
	    .extra_ns = 7,
	    .nenv = 2,
	    .env = {"NCCL_A=b=c", "UCX_TLS="},
	};
	t->yield = true;
	t->warmup = 5;
	t->stretches = 6;
	t->calls = 20;
	t->isolated_calls = 100;
	t->arena_bytes = (size_t)64 << 30;
	t->seed = UINT64_MAX - 5;
	t->ncells = ncells;
	for (unsigned i = 0; i < ncells; i++)
		t->cells[i] = (struct cell){
		    .coll = i % COLL_KINDS,
		    .pace = i % PACE_KINDS,
		    .in_place = i % 3 == 0,
		    .root = i,
		    .asked_bytes = ((size_t)1 << 35) + i,
		    .bytes = (size_t)1 << 35,
		};
	return t;
}

static void save(const struct trial *t)
{
	assert_works(trial_save(t, file, WHY));
}

TEST(what_is_loaded_is_what_was_saved)
{
	struct trial *a = trial_make(9), *b = NULL;
	save(a);
	assert_works(trial_load(file, &b, WHY));
	assert_string_equal(b->variant, a->variant);
	assert_memory_equal(&b->settings, &a->settings, sizeof a->settings);
	assert_true(b->seed == a->seed && b->arena_bytes == a->arena_bytes);
	assert_memory_equal(b->cells, a->cells, 9 * sizeof *a->cells);
	trial_free(a);
	trial_free(b);
	trial_free(NULL);
}

/* Of another program, or torn: such a file has another length or another beginning. */
TEST(what_is_no_order_is_refused)
{
	struct trial *t = trial_make(3), *out = (void *)folder;
	save(t);
	trial_free(t);
	size_t bytes, before = 0;
	char *whole = trial_read(file, &bytes, WHY);
	assert_non_null(whole);
	for (size_t n = 0; n < bytes; n += n < 200 ? 1 : bytes / 50)
		before += !trial_take(whole, n, file, &out, WHY);
	assert_int_equal(before, 0);
	whole[0] ^= 1;
	assert_int_equal(trial_take(whole, bytes, file, &out, WHY), -1);
	assert_string_equal(because(), test_text("%s: not a trial's order: do all run the same "
	                                         "launchgap?",
	                                         file));
	assert_ptr_equal(out, folder); /* set only on success */
	whole[0] ^= 1;
	assert_works(trial_take(whole, bytes, file, &out, WHY));
	trial_free(out);
	free(whole);
}

static unsigned differ(const struct settings *a, const struct settings *b, const char *expected)
{
	char keys[256];
	unsigned n = settings_differ(a, b, keys, sizeof keys);
	assert_string_equal(keys, expected);
	return n;
}

TEST(test_differ)
{
	struct settings a, b;
	settings_default(&a);
	strcpy(a.mode, "threads");
	a.layout = (struct layout){1, 4, 1};
	b = a;
	assert_int_equal(differ(&a, &b, ""), 0);
	strcpy(b.mode, "processes");
	b.layout = (struct layout){4, 1, 1};
	assert_int_equal(differ(&a, &b, "mode"), 1);
	/* What starts one process is no difference; a layout that is not known yet may have more. */
	strcpy(b.launcher, "exec");
	assert_int_equal(differ(&a, &b, "mode"), 1);
	a.layout = b.layout = (struct layout){0};
	assert_int_equal(differ(&a, &b, "mode, launcher"), 2);
	strcpy(a.mode, b.mode);
	a.layout = b.layout = (struct layout){4, 1, 1};
	assert_int_equal(differ(&a, &b, "launcher"), 1);
	strcpy(a.mode, "threads");
	a.layout = (struct layout){1, 4, 1};
	b = a;
	b.layout = (struct layout){1, 2, 2};
	assert_int_equal(differ(&a, &b, "layout"), 1);
	b.layout = (struct layout){1, 8, 1};
	assert_int_equal(differ(&a, &b, "ranks"), 1);
	b.layout = (struct layout){1, 4, 2};
	assert_int_equal(differ(&a, &b, "ranks"), 1);
	b.layout = (struct layout){1, 2, 1};
	strcpy(b.mode, "processes");
	assert_int_equal(differ(&a, &b, "mode, ranks"), 2);
	strcpy(b.mode, "threads");
	b.layout = (struct layout){1, 3, 2};
	assert_int_equal(differ(&a, &b, "layout, ranks"), 2);
	b = a;
	strcpy(b.nccl_below, "2.23");
	assert_int_equal(differ(&a, &b, ""), 0);
	b.registration = REGISTER_LOCAL;
	b.min_ctas = 4;
	assert_int_equal(differ(&a, &b, "register, min_ctas"), 2);
	b = a;
	strcpy(a.env[a.nenv++], "NCCL_AB=1");
	strcpy(b.env[b.nenv++], "NCCL_A=1");
	assert_int_equal(differ(&a, &b, "env.NCCL_AB, env.NCCL_A"), 2);
	strcpy(b.env[0], "NCCL_AB=2");
	assert_int_equal(differ(&a, &b, "env.NCCL_AB"), 1);
}

TESTS(.begin = set_up, .end = tear_down);
