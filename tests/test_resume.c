/* Going on with a run: which trials it has already, and so which are not measured again. */
#include "../harness/run/describe.h"
#include "here.h"

static json_t *environment(void)
{
	json_t *env = test_keep(json_loads(
	    test_quotes("{'experiment':'x','title':'','question':'','command':[],'created':'',"
	                "'launchgap':'','backend':'nccl','backend_why':'','ranks':2,'seed':'2a',"
	                "'reference':'a','blocks':2,'warmup':1,'stretches':1,'calls':1,"
	                "'isolated_calls':1,'machine':{'cores':2},'variants':[{'name':'a',"
	                "'role':'reference','mode':'threads','layout':'1x2x1','backend':'nccl',"
	                "'nccl':'','path':'auto','bind':'none','env':[],'skip':''}],"
	                "'collectives':[],'bytes':[],'arena_bytes':1,'dtypes':[],'ops':[],"
	                "'roots':[],'counts':[],'in_place':[],'paces':[],'cycles':1,"
	                "'connections':1,'allocations':1}"),
	    0, NULL));
	assert_non_null(env);
	return env;
}

/* A run that was stopped after its second block, between the paths of a and b. */
TEST_WITH(what_a_run_has_is_told, set_up, tear_down)
{
	struct trial trial = {.experiment = "x", .variant = "a"};
	struct record_run run;
	json_t *env = environment();
	json_t *b = json_deep_copy(json_array_get(json_object_get(env, "variants"), 0));
	json_object_set_new(b, "name", json_string("b"));
	json_object_set_new(b, "role", json_string("variant"));
	json_array_append_new(json_object_get(env, "variants"), b);
	FILE *out = fopen(test_text("%s/trials.jsonl", folder), "w");
	assert_non_null(out);
	assert_int_equal(record_write_environment(out, env, WHY), 0);
	assert_int_equal(record_write_failure(out, &trial, "why", WHY), 0);
	assert_int_equal(record_write_path(out, &trial, json_object(), WHY), 0);
	strcpy(trial.variant, "b");
	trial.block = 1;
	assert_int_equal(record_write_failure(out, &trial, "why", WHY), 0);
	fclose(out);
	assert_works(resume_load(folder, &run, WHY));
	assert_int_equal(record_next_block(&run), 2);
	assert_int_equal(run.npaths, 1);
	assert_string_equal(run.paths[0].variant, "a");
	record_free(&run);
}

TEST(what_is_called_has_to_be_the_same)
{
	/* The last three, if any. */
	static const char *const keys[] = {
	    "dtypes", "ops",         "roots",       "counts", "in_place",         "paces",
	    "cycles", "connections", "allocations", "search", "connection_bytes", "turns"};
	json_t *before = environment(), *now = environment();
	/* All but the machine's cores is missing there, which does not count as the same. */
	assert_refused(resume_same(before, now, WHY), "another machine");
	for (unsigned i = 0; i < LENGTH(keys); i++) {
		json_t *own = json_object_get(before, keys[i]);
		json_object_set_new(now, keys[i], json_integer(17));
		assert_refused(resume_same(before, now, WHY), keys[i]);
		if (own)
			json_object_set(now, keys[i], own);
		else
			json_object_del(now, keys[i]);
	}
	json_array_append_new(json_object_get(before, "variants"), json_object());
	assert_refused(resume_same(before, now, WHY), "`variants`");
}

/* The GPUs may be others, but not of another kind or in another place. */
TEST(gpus_are_the_same_by_kind_and_place)
{
	static const struct {
		const char *gpus;
		int rc;
	} cases[] = {{"[{'name':'H','pci':'1'}]", 0},
	             {"[{'name':'H','pci':'1','uuid':'GPU-9'}]", 0},
	             {"[{'name':'H','pci':'2'}]", -1},
	             {"[{'name':'A','pci':'1'}]", -1},
	             {"[]", -1}};
	json_t *before = environment(), *now = environment();
	json_t *is = json_pack("{s:s, s:s, s:i, s:s, s:[{s:s, s:s}]}", "host", "h", "cpu", "c",
	                       "cores", 2, "driver", "1", "gpus", "name", "H", "pci", "1");
	json_object_set_new(before, "machine", is);
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		json_t *other = json_copy(is);
		json_object_set_new(other, "gpus", json_loads(test_quotes(cases[i].gpus), 0, NULL));
		json_object_set_new(now, "machine", other);
		if (resume_same(before, now, WHY) != cases[i].rc)
			fail_msg("%s: %s", cases[i].gpus, because());
	}
}
