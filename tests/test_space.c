/* The section [search]: its keys, and which trials of it are planned. */
#include "../harness/config/search.h"
#include "../harness/run/describe.h"
#include "spec_file.h"

#define BASE                                                                                       \
	"[experiment]\ncollective = alltoall\nbytes = 4K, 64K\nranks = 2\nbackend = null\n"        \
	"limit = no\npace = stream\n[variant a]\nmode = threads\nbind = none\n[search]\n"
#define BASE_LINES 11

static int load(const char *search, char *override)
{
	return read_text(test_text(BASE "%s", search), "null", override);
}

static void loads(const char *search)
{
	assert_works(load(search, NULL));
}

TEST(values_are_those_that_the_reference_lacks)
{
	const struct search_space *s = &plan.search;
	/* The reference's own value, "default" and repeated values are not values to try. */
	loads("bind = none, core, numa, core\ndelay = default, 0, 1ms\naggregate = 1\n"
	      "host.path = fifo\nnull.extra = 2ms\nextra = 1ms\n");
	assert_works(plan_it());
	const struct search_key *bind = s->keys, *delay = bind + 1, *extra = bind + 2;
	assert_prints("3 keys, 3 finalists", "%u keys, %u finalists", s->nkeys, s->finalists);
	assert_prints("bind, 3 values: , core, numa", "%s, %u values: %s, %s, %s", bind->key,
	              bind->nvalues, bind->values[0], bind->values[1], bind->values[2]);
	assert_prints("delay, 2 values: 1ms", "%s, %u values: %s", delay->key, delay->nvalues,
	              delay->values[1]);
	assert_prints("extra: 2ms", "%s: %s", extra->key, extra->values[1]);
	assert_false(spec.search.budget_said);
}

TEST(a_set_is_the_reference_with_its_values)
{
	const struct search_set set = {.level = {2, 1}};
	struct settings settings;
	loads("bind = core, numa\ndelay = 1ms\n");
	settings = spec.variants[0].settings;
	assert_int_equal(search_settings(&spec.search, &set, &settings, WHY), 0);
	assert_int_equal(settings.bind, BIND_NUMA);
	assert_int_equal(settings.delay_ns, 1000000);
	assert_string_equal(settings.mode, "threads");
	assert_int_equal(search_set_size(&spec.search, &set), 2);
}

TEST(slips_say_where_and_what_is_allowed)
{
	static const struct {
		const char *search, *says;
		unsigned line;
	} cases[] = {
	    {"mode = single, threads\n", "'mode' cannot be searched; allowed are", 1},
	    {"bind = core\nbnid = core\n", "'bnid' cannot be searched", 2},
	    {"env.LD_PRELOAD = x\n", "env.LD_PRELOAD is not allowed; allowed are names of letters",
	     1},
	    {"env.PATH = /tmp\n", "is not allowed", 1},
	    {"bind = core, bone\n", "bone", 1},
	    {"bind = core,,numa\n", "is not allowed; allowed are up to 8 values", 1},
	    {"finalists = 0\nbind = core\n",
	     "finalists = '0' is not allowed; allowed is a whole number from 1 to 6", 1},
	    {"host.path = around\n", "around", 1},
	    {"host.path = fifo\n", "no setting that differs from the reference on this backend", 0},
	    {"bind = none\n", "no setting that differs from the reference", 0},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		assert_true(load(cases[i].search, NULL) || plan_it());
		says_at(BASE_LINES + cases[i].line, "");
		assert_says(because(), cases[i].says);
		assert_says(because(), "allowed");
	}
}

/* Nothing is measured before its cost is known. */
TEST(a_large_space_asks_for_a_budget)
{
	char search[4096] = "";
	for (unsigned k = 0; k < 6; k++)
		snprintf(search + strlen(search), sizeof search - strlen(search),
		         "env.NCCL_%u = 1, 2, 3, 4, 5, 6, 7, 8\n", k);
	loads(search);
	assert_int_equal(plan_it(), -1); /* the null backend uses no such variable */
	assert_says(because(), "nothing of the search can run here");
	const char *large = "bind = core, numa, close, near-gpu\n"
	                    "delay = 1us, 2us, 3us, 4us, 5us, 6us, 7us, 8us\n"
	                    "extra = 1us, 2us, 3us, 4us, 5us, 6us, 7us, 8us\n"
	                    "aggregate = 2, 3, 4, 5, 6, 7, 8, 9\nfinalists = 6\n";
	assert_int_equal(load(large, "blocks=30"), 0);
	assert_int_equal(plan_it(), -1);
	assert_says(because(), "trials (");
	assert_says(because(), "allowed are 200");
	assert_says(because(), "budget =");
	assert_int_equal(load(large, "budget=20m"), 0);
	assert_true(spec.search.budget_said);
	assert_int_equal(plan_it(), 0);
}

TEST(the_confirmation_is_long_enough)
{
	loads("bind = core\n");
	assert_int_equal(load("bind = core\nfinalists = 6\n", "blocks=6"), 0);
	assert_int_equal(plan_it(), 0);
	/* 6 finalists: the least probability of each has to be below 5 % ÷ 6. */
	assert_int_equal(search_blocks(&plan), 7);
	const struct search_trials n = search_trials(&plan);
	assert_int_equal(n.confirm, 7 * (2 + 6));
	assert_int_equal(n.all, n.screen + n.narrow + n.confirm);
	assert_says(plan.notes[plan.nnotes - 1], "has 7 blocks in place of 6");
	/* No trial is planned beforehand, and the record knows the searched keys. */
	assert_int_equal(plan.ntrials, 0);
	json_t *run = describe_run(&plan, 0, NULL, "x");
	struct search_space again;
	assert_int_equal(json_integer_value(json_object_get(run, "blocks")), 7);
	assert_int_equal(search_space_take(json_object_get(run, "search"), &again, WHY), 0);
	assert_int_equal(again.nkeys, 1);
	assert_string_equal(again.keys[0].values[1], "core");
	json_decref(run);
}

TESTS(.begin = set_up, .end = tear_down);
