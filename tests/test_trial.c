/* The order of a job: the saved order is loaded unchanged, and no damaged file is believed. */

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
	struct status st = {""};
	assert_works(trial_save(t, file, &st), st);
}

/* What is loaded is saved again to the letter; that each key is there is test_damage_is_refused's. */
TEST(test_round_trip)
{
	struct trial *a = trial_make(9), *b = NULL;
	struct status st = {""};
	save(a);
	assert_works(trial_load(file, &b, &st), st);
	char *first = cli_read(file);
	save(b);
	char *second = cli_read(file);
	assert_string_equal(first, second);
	assert_string_equal(b->variant, a->variant);
	assert_string_equal(b->settings.env[0], a->settings.env[0]);
	assert_true(b->seed == a->seed && b->arena_bytes == a->arena_bytes);
	assert_memory_equal(b->cells, a->cells, 9 * sizeof *a->cells);
	trial_free(a);
	trial_free(b);
	trial_free(NULL);
}

/* The saved file with one value replaced (NULL: taken away) must be refused. inner: a key of
 * the object, or of the first element of the list, at `key`. */
static void refuse_with(const char *key, const char *inner, json_t *value)
{
	json_t *json = json_load_file(file, 0, NULL);
	assert_non_null(json);
	json_t *at = json;
	if (inner) {
		at = json_object_get(json, key);
		if (json_is_array(at))
			at = json_array_get(at, 0);
		key = inner;
	}
	assert_non_null(json_object_get(at, key));
	if (value)
		json_object_set_new(at, key, value);
	else
		json_object_del(at, key);
	char *bad = test_text("%s.bad", file);
	assert_int_equal(json_dump_file(json, bad, 0), 0);
	json_decref(json);
	struct status st = {""};
	struct trial *out = (void *)folder;
	if (!trial_load(bad, &out, &st))
		fail_msg("a damaged %s is accepted", key);
	assert_ptr_equal(out, folder); /* set only on success */
	assert_begins(st.text, bad);
	assert_says(st.text, "not a trial's order");
	unlink(bad);
}

static void refuse_each_missing(void)
{
	json_t *json = json_load_file(file, 0, NULL);
	const char *key;
	json_t *value;
	json_object_foreach(json, key, value) refuse_with(key, NULL, NULL);
	json_object_foreach(json_object_get(json, "settings"), key, value)
	    refuse_with("settings", key, NULL);
	json_object_foreach(json_array_get(json_object_get(json, "cells"), 0), key, value)
	    refuse_with("cells", key, NULL);
	json_decref(json);
}

TEST(test_damage_is_refused)
{
	struct trial *t = trial_make(3);
	save(t);
	trial_free(t);
	refuse_each_missing();
	char long_text[PATH_MAX + 1];
	memset(long_text, 'a', sizeof long_text - 1);
	long_text[sizeof long_text - 1] = '\0';
	refuse_with("experiment", NULL, json_string(long_text));
	refuse_with("variant", NULL, json_string(long_text));
	refuse_with("block", NULL, json_integer(-1));
	refuse_with("order", NULL, json_string("3"));
	refuse_with("warmup", NULL, json_integer(-1));
	refuse_with("stretches", NULL, json_integer(0));
	refuse_with("calls", NULL, json_integer(0));
	refuse_with("isolated_calls", NULL, json_integer(0));
	refuse_with("arena_bytes", NULL, json_integer(0));
	refuse_with("arena_bytes", NULL, json_integer(4096)); /* smaller than a cell */
	refuse_with("cells", NULL, json_array());
	refuse_with("cells", NULL, json_object());
	refuse_with("settings", NULL, json_null());
	refuse_with("settings", "mode", json_string(long_text));
	refuse_with("settings", "nccl", json_string(long_text));
	refuse_with("settings", "bind", json_string("sometimes"));
	refuse_with("settings", "layout", json_string("1x2"));
	refuse_with("settings", "layout", json_string("0x2x2"));
	refuse_with("settings", "layout", json_string("-1x-2x2"));
	refuse_with("settings", "layout", json_string("65536x65536x1"));
	refuse_with("settings", "env", json_pack("[s]", "NCCL_A"));
	refuse_with("settings", "env", json_pack("[i]", 3));
	refuse_with("settings", "env", json_object());
	refuse_with("cells", "collective", json_string("all2all"));
	refuse_with("cells", "dtype", json_string("float7"));
	refuse_with("cells", "op", json_string("mean"));
	refuse_with("cells", "pace", json_string("fast"));
	refuse_with("cells", "bytes", json_integer(0));
	refuse_with("cells", "root", json_integer(-1));
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
