/* Planning as a pure function of a spec and of a machine's properties: the order of trials, the
 * backend, the ranks. */
#include "made_plan.h"

TEST(test_blocks_are_permutations)
{
	make(1);
	assert_int_equal(plan.nvariants, 5); /* and the twin, and the limit */
	assert_int_equal(plan.ntrials, 50);
	unsigned differ = 0, starters = 0;
	bool first[PLAN_MAX_VARIANTS] = {false};
	for (unsigned block = 0; block < 10; block++) {
		bool seen[PLAN_MAX_VARIANTS] = {false};
		for (unsigned i = 0; i < 5; i++) {
			const struct plan_trial *t = &plan.trials[block * 5 + i];
			assert_int_equal(t->block, block);
			assert_int_equal(t->order, block * 5 + i);
			assert_true(t->variant < 5);
			assert_false(seen[t->variant]);
			seen[t->variant] = true;
			differ += t->variant != plan.trials[i].variant;
		}
		first[plan.trials[block * 5].variant] = true;
	}
	assert_true(differ > 0);
	for (unsigned v = 0; v < 5; v++)
		starters += first[v];
	assert_true(starters >= 3); /* no variant owns the first place */
}

/* A run that stops early has measured the same as a run of so many blocks. */
TEST(test_more_blocks_change_no_block)
{
	struct plan_trial kept[50];
	make(3);
	memcpy(kept, plan.trials, sizeof kept);
	struct trial *few = trial_at(47);
	spec.blocks = SPEC_MAX_BLOCKS;
	make(3);
	assert_int_equal(plan.ntrials, 5 * SPEC_MAX_BLOCKS);
	assert_memory_equal(kept, plan.trials, sizeof kept);
	struct trial *many = trial_at(47);
	assert_true(same_cells(few, many));
	assert_true(few->seed == many->seed);
}

TEST(test_seed_decides_the_order)
{
	struct plan_trial kept[50];
	make(1);
	memcpy(kept, plan.trials, sizeof kept);
	struct trial *a = trial_at(0);
	make(1);
	assert_memory_equal(kept, plan.trials, sizeof kept);
	struct trial *same = trial_at(0);
	assert_int_equal(plan.seed, 1);
	make(2);
	assert_memory_not_equal(kept, plan.trials, sizeof kept);
	struct trial *other = trial_at(0);
	assert_true(a->seed == same->seed);
	assert_true(a->seed != other->seed);
	spec.seed = 1; /* the file's wins */
	make(99);
	assert_int_equal(plan.seed, 1);
	assert_memory_equal(kept, plan.trials, sizeof kept);
}

/* Timing spins; releasing the CPU is for ranks that share one, or on request. */
TEST(test_how_workers_wait)
{
	static const struct {
		enum wait wait;
		const char *cpus;
		unsigned cores;
		bool yields;
		const char *launcher, *hosts;
	} cases[] = {
	    {WAIT_AUTO, "", 4, false, "auto", ""},
	    {WAIT_AUTO, "", 3, true, "auto", ""},
	    {WAIT_AUTO, "1", 4, false, "auto", ""},
	    {WAIT_AUTO, "1/2", 4, true, "auto", ""},
	    {WAIT_SPIN, "1/2", 3, false, "auto", ""},
	    {WAIT_YIELD, "", 4, true, "auto", ""},
	    /* 4 ranks on two hosts, with cores of their own or simulated. */
	    {WAIT_AUTO, "", 2, false, "mpirun", "a:2,b:2"},
	    {WAIT_AUTO, "", 2, true, "exec", "2"},
	    {WAIT_AUTO, "", 4, false, "exec", "2"},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		spec.variants[1].settings.wait = cases[i].wait;
		strcpy(spec.variants[1].settings.cpus, cases[i].cpus);
		machine.cores = 4;
		make(3);
		struct settings *set = &plan.variants[find("threads")].settings;
		strcpy(set->launcher, cases[i].launcher);
		strcpy(set->hosts, cases[i].hosts);
		set->layout = (struct layout){settings_hosts(set), 4 / settings_hosts(set), 1};
		machine.cores = cases[i].cores;
		struct trial *t = trial_of("threads", 0);
		assert_int_equal(t->yield, cases[i].yields);
	}
}

static void expect_backend(const char *name, const char *why_part)
{
	char why[512] = "?";
	strcpy(spec.backend, "auto");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), name);
	assert_says(why, why_part);
	assert_int_equal(!why[0], !why_part[0]);
}

TEST(test_auto_backend)
{
	gpus = 8;
	expect_backend("nccl", "");
	gpus = 2;
	expect_backend("nccl", "");
	gpus = 1;
	expect_backend("host", "nccl has room for 1 rank here");
	/* What a rank does with its own memory needs no second one. */
	const unsigned asked = spec.colls[0];
	spec.colls[0] = COLL_TO_DEVICE;
	expect_backend("nccl", "");
	spec.colls[0] = asked;
	gpus = 0;
	expect_backend("host", "no GPU answers");
	char why[8] = "?";
	strcpy(spec.backend, "null");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "null");
	assert_string_equal(why, "");
	strcpy(spec.backend, "auto");
	make(1);
	assert_string_equal(plan.variants[0].settings.backend, "host");
}

TEST(test_ranks)
{
	const struct {
		unsigned cores, ranks;
	} rows[] = {{1, 2}, {2, 2}, {5, 5}, {8, 8}, {128, 8}};
	spec.ranks = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		machine.cores = rows[i].cores;
		make(1);
		assert_int_equal(plan.nranks, rows[i].ranks);
		assert_int_equal(layout_ranks(plan.variants[0].settings.layout), rows[i].ranks);
	}
	machine.cores = 1;
	spec.ranks = 7; /* beyond the cores: slow, and allowed */
	make(1);
	assert_int_equal(plan.nranks, 7);
	strcpy(spec.backend, "nccl");
	gpus = 4;
	refuse("ranks = 7, but backend nccl has room for 4 here; allowed is 1 to 4");
	gpus = 0;
	refuse("nothing to run on here: no GPU answers");
	gpus = 1;
	spec.ranks = 0;
	refuse("room for 1 here");
}

TEST(test_one_rank)
{
	spec.ranks = 1;
	refuse("x.exp:20: variant threads: mode threads cannot place 1 rank;");
	strcpy(spec.reference, "single");
	spec.nvariants = 1;
	make(1);
	assert_int_equal(plan.nranks, 1);
	assert_true(listed("single-again"));
}

TEST(test_command)
{
	make(1);
	struct trial *t = trial_at(0);
	struct launcher_argv argv = {0};
	strcpy(t->settings.mode, "threads");
	t->settings.layout = (struct layout){1, 4, 1};
	assert_works(plan_command(t, "/bin/self", "/tmp/$(order)", "/tmp/scratch", &argv, WHY));
	assert_prints("/bin/self worker alone /tmp/$(order) 1", "%s %s %s %s %s", argv.args[0],
	              argv.args[1], argv.args[2], argv.args[3], argv.args[4]);
	assert_null(argv.args[argv.count]);
	launcher_argv_free(&argv);
	strcpy(t->settings.launcher, "catapult");
	assert_refused(plan_command(t, "self", "order", "scratch", &argv, WHY),
	               "launcher = 'catapult' is not known; allowed is auto, alone");
}

/* What has several algorithms is called at every size once, the largest last; else only that. */
TEST(the_path_has_every_size_with_a_choice)
{
	static const struct {
		enum coll_kind coll;
		size_t bytes;
	} right[] = {{COLL_ALL_REDUCE, 64},
	             {COLL_ALL_REDUCE, 4096},
	             {COLL_ALL_REDUCE, 65536},
	             {COLL_ALLTOALL, 65536}};
	spec.colls[0] = COLL_ALL_REDUCE;
	spec.colls[1] = COLL_ALLTOALL;
	spec.sizes[0] = 64;
	spec.sizes[1] = 4096;
	make(1);
	struct trial *t = plan_path_trial(&plan, find("threads"), 7);
	assert_int_equal(t->ncells, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(t->cells[i].coll, right[i].coll);
		assert_int_equal(t->cells[i].bytes, right[i].bytes);
		assert_int_equal(t->cells[i].pass, PASS_PATH);
		assert_int_equal(trial_rows(t, &t->cells[i]), 1);
	}
	assert_int_equal(t->warmup, 1);
	trial_free(t);
}

/* Two ranks on each GPU; a variant without it has one on each. */
TEST(ranks_may_share_gpus)
{
	char why[128];
	gpus = 1;
	strcpy(spec.backend, "auto");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "host");
	spec.variants[1].settings.ranks_per_gpu = 2;
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "nccl");
	assert_int_equal(plan_capacity(&machine, "nccl", plan_sharing(&spec), WHY), 2);
	assert_int_equal(plan_capacity(&machine, "nccl", 1, WHY), 1);
	struct trial trial = {0};
	settings_default(&trial.settings);
	assert_int_equal(trial_device(&trial, 3), 3);
	trial.settings.ranks_per_gpu = 2;
	assert_int_equal(trial_device(&trial, 2), 1);
	assert_int_equal(trial_device(&trial, 3), 1);
	/* Where a rank is no GPU. */
	assert_int_equal(plan_capacity(&machine, "host", 2, WHY), UINT_MAX);
}

TESTS(.begin = find_standin, .before = fresh, .after = done);
