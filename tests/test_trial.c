/* The order of a job: the saved order is loaded unchanged, another's is not. */

#include "../harness/backend/table.h"
#include "here.h"
#include "settings_text.h"

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

/* Of two variants as a file has them, both of threads, 1x4x1, where nothing is said. */
TEST(what_differs_is_named)
{
	static const char *const rows[][3] = {
	    {"", "", ""},
	    {"", "mode=processes layout=4x1x1", "mode"},
	    /* What starts one process is no difference; a layout that is not known yet may have
	     * more. */
	    {"", "mode=processes layout=4x1x1 launcher=exec", "mode"},
	    {"mode=processes layout=4x1x1", "mode=processes layout=4x1x1 launcher=exec",
	     "launcher"},
	    {"", "layout=1x2x2", "layout"},
	    {"", "layout=1x8x1", "ranks"},
	    {"", "layout=1x4x2", "ranks"},
	    {"", "mode=processes layout=1x2x1", "mode, ranks"},
	    {"", "layout=1x3x2", "layout, ranks"},
	    {"", "nccl_below=2.23", ""},
	    {"", "register=local min_ctas=4", "register, min_ctas"}};
	struct settings of[2];
	char keys[256];
	for (unsigned i = 0; i < LENGTH(rows); i++) {
		for (unsigned k = 0; k < 2; k++) {
			settings_default(&of[k]);
			settings_of_text(&of[k], "mode=threads layout=1x4x1");
			settings_of_text(&of[k], rows[i][k]);
		}
		settings_differ(&of[0], &of[1], keys, sizeof keys);
		assert_string_equal(keys, rows[i][2]);
	}
	of[0].layout = of[1].layout = (struct layout){0};
	strcpy(of[1].launcher, "exec");
	assert_int_equal(settings_differ(&of[0], &of[1], keys, sizeof keys), 3);
	assert_string_equal(keys, "launcher, register, min_ctas");
	of[1] = of[0];
	strcpy(of[0].env[of[0].nenv++], "NCCL_AB=1");
	strcpy(of[1].env[of[1].nenv++], "NCCL_A=1");
	assert_int_equal(settings_differ(&of[0], &of[1], keys, sizeof keys), 2);
	assert_string_equal(keys, "env.NCCL_AB, env.NCCL_A");
	strcpy(of[1].env[0], "NCCL_AB=2");
	assert_int_equal(settings_differ(&of[0], &of[1], keys, sizeof keys), 1);
	assert_string_equal(keys, "env.NCCL_AB");
}

TESTS(.begin = set_up, .end = tear_down);
