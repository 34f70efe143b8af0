/* Planning as a pure function of a spec and of what a machine says of itself: a fake one here.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../harness/backend/backend.h"
#include "../harness/config/plan.h"
#include "../harness/config/planner.h"
#include "standin.h"

static struct spec spec; /* large: not for the stack */
static struct plan plan;
static char standin[STANDIN_BYTES];

static unsigned gpus;

static unsigned capacity(const char *backend, struct status *st)
{
	if (strcmp(backend, "nccl"))
		return UINT_MAX;
	if (gpus == 0)
		status_set(st, "no GPU answers");
	return gpus;
}

static struct plan_machine machine = {.cores = 4, .capacity = capacity};

static struct spec_variant *variant_add(const char *name, const char *mode)
{
	struct spec_variant *v = &spec.variants[spec.nvariants++];
	*v = (struct spec_variant){.at.line = 10 * spec.nvariants};
	strcpy(v->name, name);
	settings_default(&v->settings);
	strcpy(v->settings.mode, mode);
	return v;
}

static int fresh(void **state)
{
	(void)state;
	gpus = 0;
	machine.cores = 4;
	memset(&spec, 0, sizeof spec);
	memset(&plan, 0, sizeof plan);
	strcpy(spec.name, "x");
	strcpy(spec.file, "experiments/x.exp");
	strcpy(spec.backend, "host");
	spec.ncolls = 2;
	spec.colls[0] = COLL_ALLTOALL;
	spec.colls[1] = COLL_SENDRECV;
	spec.nsizes = 3;
	spec.sizes[0] = 4096;
	spec.sizes[1] = 16384;
	spec.sizes[2] = 65536;
	spec.paces[PACE_STREAM] = spec.paces[PACE_ISOLATED] = true;
	spec.ndtypes = spec.nops = spec.nroots = 1;
	spec.dtypes[0] = DTYPE_FLOAT32;
	spec.in_place[0] = true;
	spec.cycles = 1;
	spec.ranks = 4;
	spec.blocks = 10;
	spec.warmup = 1;
	spec.stretches = 2;
	spec.calls = 3;
	spec.isolated_calls = 4;
	spec.limit = true;
	strcpy(spec.reference, "threads");
	variant_add("single", "single");
	variant_add("threads", "threads");
	variant_add("named", "threads");
	return 0;
}

static int done(void **state)
{
	(void)state;
	plan_free(&plan);
	return 0;
}

static void make(uint64_t seed)
{
	struct status st = {""};
	plan_free(&plan);
	if (plan_make(&spec, &machine, seed, &plan, &st))
		fail_msg("%s", st.text);
}

static void refuse(const char *what)
{
	struct status st = {""};
	struct plan *untouched = calloc(1, sizeof *untouched);
	assert_non_null(untouched);
	untouched->nranks = 77;
	assert_int_equal(plan_make(&spec, &machine, 1, untouched, &st), -1);
	assert_int_equal(untouched->nranks, 77); /* set only on success */
	assert_null(untouched->trials);
	free(untouched);
	if (!strstr(st.text, what) || strncmp(st.text, "experiments/x.exp", 17))
		fail_msg("'%s' does not say '%s' with its file", st.text, what);
}

static unsigned find(const char *name)
{
	for (unsigned i = 0; i < plan.nvariants; i++)
		if (!strcmp(plan.variants[i].name, name))
			return i;
	fail_msg("no variant %s", name);
	return 0;
}

static bool listed(const char *name)
{
	for (unsigned i = 0; i < plan.nvariants; i++)
		if (!strcmp(plan.variants[i].name, name))
			return true;
	return false;
}

static unsigned trials_of(const char *name)
{
	unsigned v = find(name), n = 0;
	for (unsigned i = 0; i < plan.ntrials; i++)
		n += plan.trials[i].variant == v;
	return n;
}

static struct trial *trial_at(unsigned index)
{
	struct status st = {""};
	struct trial *t = plan_trial(&plan, &machine, index, &st);
	if (!t)
		fail_msg("%s", st.text);
	return t;
}

static bool is_limit(const struct trial *t)
{
	return !strcmp(t->variant, "limit");
}

static bool same_cells(const struct trial *a, const struct trial *b)
{
	for (unsigned i = 0; a->ncells == b->ncells && i < a->ncells; i++)
		if (a->cells[i].coll != b->cells[i].coll ||
		    a->cells[i].bytes != b->cells[i].bytes ||
		    a->cells[i].pace != b->cells[i].pace)
			return false;
	return a->ncells == b->ncells;
}

static void test_blocks_are_permutations(void **state)
{
	(void)state;
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
	assert_true(starters >= 3); /* nobody owns the first place */
}

/* blocks = auto plans the most; a run that stops early has measured what a run of so many
 * blocks would have. */
static void test_more_blocks_change_no_block(void **state)
{
	(void)state;
	struct plan_trial kept[50];
	make(3);
	memcpy(kept, plan.trials, sizeof kept);
	struct trial *few = trial_at(47);
	spec.blocks = SPEC_MAX_BLOCKS;
	spec.blocks_auto = true;
	make(3);
	assert_int_equal(plan.ntrials, 5 * SPEC_MAX_BLOCKS);
	assert_memory_equal(kept, plan.trials, sizeof kept);
	struct trial *many = trial_at(47);
	assert_true(same_cells(few, many));
	assert_true(few->seed == many->seed);
	trial_free(few);
	trial_free(many);
}

/* Over many blocks each variant stands at each place about equally often. */
static void test_shuffle_is_even(void **state)
{
	(void)state;
	spec.blocks = 1000;
	make(7);
	unsigned at[5][5] = {{0}};
	for (unsigned i = 0; i < plan.ntrials; i++)
		at[plan.trials[i].variant][i % 5]++;
	for (unsigned v = 0; v < 5; v++)
		for (unsigned place = 0; place < 5; place++)
			assert_in_range(at[v][place], 140, 260); /* 200 ± 4.7 sigma */
}

static void test_seed_decides_the_order(void **state)
{
	(void)state;
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
	trial_free(a);
	trial_free(same);
	trial_free(other);
	spec.seed = 1; /* the file's wins */
	make(99);
	assert_int_equal(plan.seed, 1);
	assert_memory_equal(kept, plan.trials, sizeof kept);
}

static unsigned count_cells(const struct trial *t, enum coll_kind coll, size_t bytes,
                            unsigned pace)
{
	unsigned n = 0;
	for (unsigned i = 0; i < t->ncells; i++)
		n += t->cells[i].coll == coll && t->cells[i].bytes == bytes &&
		     t->cells[i].pace == pace && t->cells[i].pass == PASS_TIMED;
	return n;
}

/* Every collective × size × pace, once. */
static void expect_all_cells(const struct trial *t)
{
	assert_int_equal(t->ncells, t->block ? 12 : 12 + 2);
	for (unsigned c = 0; c < 2; c++)
		for (unsigned s = 0; s < 3; s++)
			for (unsigned p = 0; p < PACE_KINDS; p++)
				assert_int_equal(
				    count_cells(t, spec.colls[c], spec.sizes[s], p), 1);
	/* The timeline's pass comes last, in the first block, once a collective. */
	for (unsigned i = 12; i < t->ncells; i++) {
		assert_int_equal(t->cells[i].pass, PASS_TIMELINE);
		assert_int_equal(t->cells[i].pace, PACE_ISOLATED);
		assert_int_equal(t->cells[i].coll, spec.colls[i - 12]);
		assert_int_equal(t->cells[i].bytes, spec.sizes[0]);
	}
}

static void test_cells(void **state)
{
	(void)state;
	make(3);
	struct trial *first[10] = {NULL};
	unsigned differ = 0;
	uint64_t data = 0;
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		assert_int_equal(t->order, i);
		assert_string_equal(t->experiment, "x");
		data = i ? data : t->seed;
		assert_true(t->seed == data); /* digests are compared across all trials */
		assert_true(t->seed < (uint64_t)1 << 53);
		if (!is_limit(t)) {
			expect_all_cells(t);
			if (!first[t->block]) {
				first[t->block] = t;
				continue;
			}
			assert_true(same_cells(t, first[t->block]));
		}
		trial_free(t);
	}
	for (unsigned b = 1; b < 10; b++)
		differ += !same_cells(first[b], first[0]);
	assert_int_equal(differ, 9);
	for (unsigned b = 0; b < 10; b++)
		trial_free(first[b]);
}

/* One more variant must not move the cells of the others. */
static void test_cells_do_not_depend_on_variants(void **state)
{
	(void)state;
	make(3);
	struct trial *few = NULL, *many = NULL;
	for (unsigned i = 0; !few; i++)
		if (plan.trials[i].variant == find("single"))
			few = trial_at(i);
	variant_add("more", "single");
	make(3);
	for (unsigned i = 0; !many; i++)
		if (plan.trials[i].variant == find("single"))
			many = trial_at(i);
	assert_true(same_cells(few, many));
	trial_free(few);
	trial_free(many);
}

static void test_trial_takes_over(void **state)
{
	(void)state;
	make(3);
	struct status st = {""};
	assert_null(plan_trial(&plan, &machine, plan.ntrials, &st));
	assert_non_null(strstr(st.text, "50 trials"));
	struct trial *t = trial_at(0);
	assert_int_equal(t->warmup, 1);
	assert_int_equal(t->stretches, 2);
	assert_int_equal(t->calls, 3);
	assert_int_equal(t->isolated_calls, 4);
	assert_false(t->yield);
	trial_free(t);
	machine.cores = 3; /* fewer than ranks */
	t = trial_at(0);
	assert_true(t->yield);
	trial_free(t);
}

/* Spinning is what is timed; giving the CPU away is for ranks that share one, or for who asks.
 */
static void test_how_workers_wait(void **state)
{
	static const struct {
		enum wait wait;
		const char *cpus;
		unsigned cores;
		bool yields;
	} cases[] = {
	    {WAIT_AUTO, "", 4, false},    {WAIT_AUTO, "", 3, true},
	    {WAIT_AUTO, "1", 4, false},   {WAIT_AUTO, "1/2", 4, true},
	    {WAIT_SPIN, "1/2", 3, false}, {WAIT_YIELD, "", 4, true},
	};
	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		spec.variants[1].settings.wait = cases[i].wait;
		strcpy(spec.variants[1].settings.cpus, cases[i].cpus);
		make(3);
		struct trial *t =
		    plan_order_trial(&plan, cases[i].cores, find("threads"), 0, 0);
		assert_int_equal(t->yield, cases[i].yields);
		trial_free(t);
	}
}

static int cannot_isolate(unsigned what, struct status *st)
{
	return status_set(st, "isolate %u: not here", what);
}

/* Where the kernel or the user may not, the variant is left out and the others run. */
static void test_what_cannot_be_isolated_is_left_out(void **state)
{
	(void)state;
	variant_add("apart", "processes")->settings.isolate = ISOLATE_BIT(ISOLATE_IPC);
	machine.isolates = cannot_isolate;
	make(3);
	machine.isolates = NULL;
	assert_string_equal(plan.variants[find("apart")].skip, "isolate 2: not here");
	assert_string_equal(plan.variants[find("threads")].skip, "");
}

static void test_library_must_be_there(void **state)
{
	(void)state;
	char *nccl = spec.variants[1].settings.nccl;
	strcpy(nccl, "/nonexistent/libnccl.so.2");
	refuse("nccl: /nonexistent/libnccl.so.2 cannot be read: No such file");
	strcpy(nccl, "/tmp");
	refuse("nccl: /tmp is no file; allowed is a libnccl.so.2's file");
	if (!backend_find("nccl")->library)
		return; /* nobody here can tell a library from a text */
	strcpy(nccl, "/etc/passwd");
	refuse("nccl: cannot load NCCL: /etc/passwd");
	strcpy(nccl, "/bin/sh");
	refuse("nccl: cannot load NCCL: /bin/sh");
}

static void test_twin(void **state)
{
	(void)state;
	make(3);
	const struct plan_variant *twin = &plan.variants[find("threads-again")];
	const struct plan_variant *reference = &plan.variants[find("threads")];
	assert_string_equal(twin->role, "again");
	assert_string_equal(reference->role, "reference");
	assert_string_equal(plan.variants[find("single")].role, "variant");
	assert_memory_equal(&twin->settings, &reference->settings, sizeof twin->settings);
	assert_int_equal(trials_of("threads-again"), 10);
	spec.blocks = 2;
	make(3);
	assert_true(listed("threads-again"));
	spec.blocks = 1; /* so that a resumed run may add blocks to it */
	make(3);
	assert_true(listed("threads-again"));
}

static void test_limit(void **state)
{
	(void)state;
	make(3);
	const struct plan_variant *limit = &plan.variants[find("limit")];
	assert_string_equal(limit->role, "limit");
	assert_string_equal(limit->settings.mode, "threads");
	assert_int_equal(layout_ranks(limit->settings.layout), 4);
	assert_string_equal(limit->settings.backend, "host");
	unsigned seen = 0;
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		if (is_limit(t)) {
			seen++;
			size_t bytes = 0; /* each size once */
			for (unsigned c = 0; c < t->ncells; c++) {
				assert_int_equal(t->cells[c].coll, COLL_COPY);
				assert_int_equal(t->cells[c].pace, PACE_STREAM);
				assert_int_equal(bytes & t->cells[c].bytes, 0);
				bytes |= t->cells[c].bytes; /* powers of two here */
			}
			assert_int_equal(t->ncells, spec.nsizes);
			assert_true(bytes & 65536);
		}
		trial_free(t);
	}
	assert_int_equal(seen, 10);
	spec.paces[PACE_STREAM] = false; /* still a bandwidth */
	make(3);
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		assert_int_equal(t->cells[0].pace, is_limit(t) ? PACE_STREAM : PACE_ISOLATED);
		trial_free(t);
	}
}

static void test_no_limit(void **state)
{
	(void)state;
	spec.limit = false;
	make(3);
	assert_false(listed("limit"));
	spec.limit = true;
	strcpy(spec.backend, "null"); /* moves nothing */
	make(3);
	assert_false(listed("limit"));
}

static void test_sizes_are_rounded(void **state)
{
	(void)state;
	spec.ranks = 3; /* alltoall: multiples of 48; sendrecv: of 4 */
	spec.sizes[0] = 90;
	spec.sizes[1] = 95;
	spec.sizes[2] = 1000;
	make(1);
	assert_int_equal(plan.ncells, 2 * 2 + 2 * 3);
	assert_int_equal(plan.nnotes, 0);
	for (unsigned i = 0; i < plan.ncells; i++) {
		const struct cell *c = &plan.cells[i];
		if (c->coll == COLL_SENDRECV) {
			assert_int_equal(c->bytes, c->asked_bytes / 4 * 4);
			continue;
		}
		/* 90 and 95 are the same once rounded. */
		assert_int_equal(c->asked_bytes, c->bytes == 48 ? 90 : 1000);
		assert_true(c->bytes == 48 || c->bytes == 960);
	}
	assert_true(plan.arena_bytes >= 1000);
}

/* A size of nothing is left out, and said; refused only where nothing else is left. */
static void test_small_sizes(void **state)
{
	(void)state;
	spec.ranks = 3;
	spec.ndtypes = 2;
	spec.dtypes[0] = DTYPE_INT8;
	spec.dtypes[1] = DTYPE_FLOAT64;
	spec.sizes[0] = 5;
	spec.sizes[1] = 47;
	spec.sizes[2] = 48;
	make(1);
	for (unsigned i = 0; i < plan.ncells; i++)
		assert_true(plan.cells[i].bytes > 0);
	/* alltoall: 48 in two types; sendrecv: 5, 47, 48 and 40, 48. Each in two paces. */
	assert_int_equal(plan.ncells, 2 * (2 + 3 + 2));
	assert_int_equal(plan.nnotes, 2);
	assert_non_null(strstr(plan.notes[0], "left out: alltoall of less than 48 bytes"));
	assert_non_null(strstr(plan.notes[1], "left out: sendrecv of less than 8 bytes"));
	spec.ncolls = spec.ndtypes = 1;
	make(1);
	assert_int_equal(plan.ncells, 2);
	assert_int_equal(plan.nnotes, 1);
	spec.nsizes = 2;
	refuse("bytes = 47 is too small");
	refuse("the smallest for 3 ranks is 48");
}

static void test_arena(void **state)
{
	(void)state;
	make(1);
	assert_true(plan.arena_bytes == 8 << 20); /* beyond a core's own cache */
	spec.sizes[2] = 64 << 20;
	make(1);
	assert_true(plan.arena_bytes == 64 << 20);
	struct trial *t = trial_at(0);
	assert_true(t->arena_bytes == 64 << 20);
	trial_free(t);
}

static void expect_backend(const char *name, const char *why_part)
{
	char why[512] = "?";
	strcpy(spec.backend, "auto");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), name);
	if (why_part[0] ? !strstr(why, why_part) : why[0])
		fail_msg("%u GPUs: '%s'", gpus, why);
}

static void test_auto_backend(void **state)
{
	(void)state;
	gpus = 8;
	expect_backend("nccl", "");
	gpus = 2;
	expect_backend("nccl", "");
	gpus = 1;
	expect_backend("host", "nccl has room for 1 rank here");
	gpus = 0;
	expect_backend("host", "no GPU answers");
	char why[8] = "?";
	strcpy(spec.backend, "null");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "null");
	assert_string_equal(why, "");
	strcpy(spec.backend, "auto");
	make(1);
	assert_string_equal(plan.variants[0].settings.backend, "host");
	strcpy(spec.backend, "magic");
	refuse("backend = 'magic' is not known");
}

static void test_ranks(void **state)
{
	(void)state;
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

static void test_one_rank(void **state)
{
	(void)state;
	spec.ranks = 1;
	refuse("x.exp:20: variant threads: mode threads cannot place 1 ranks");
	strcpy(spec.reference, "single");
	spec.nvariants = 1;
	make(1);
	assert_int_equal(plan.nranks, 1);
	assert_true(listed("single-again"));
}

static void test_layouts(void **state)
{
	(void)state;
	struct settings *s = &spec.variants[2].settings;
	strcpy(s->mode, "");
	s->layout = (struct layout){1, 2, 2};
	make(1);
	assert_string_equal(plan.variants[2].settings.mode, "threads");
	assert_int_equal(plan.variants[2].settings.layout.threads, 2);
	s->layout = (struct layout){1, 1, 4};
	make(1);
	assert_string_equal(plan.variants[2].settings.mode, "single");
	s->layout = (struct layout){2, 2, 1};
	make(1);
	assert_string_equal(plan.variants[2].settings.mode, "processes");
	s->layout = (struct layout){1, 4, 1};
	strcpy(s->mode, "threads");
	make(1);
	strcpy(s->mode, "single");
	refuse("x.exp:30: variant named: layout 1x4x1 is mode threads, not single");
	strcpy(s->mode, "");
	s->layout = (struct layout){1, 8, 1};
	refuse("layout 1x8x1 has 8 ranks, the experiment has 4");
	strcpy(s->mode, "teams");
	s->layout = (struct layout){0, 0, 0};
	refuse(
	    "x.exp:30: variant named: mode = 'teams' is not known; allowed is single, threads, "
	    "processes");
}

/* What cannot run here is listed with its reason, and the rest runs. */
static void expect_skip(const char *name, const char *why)
{
	make(1);
	const struct plan_variant *v = &plan.variants[find(name)];
	if (!v->skip[0] || !strstr(v->skip, why))
		fail_msg("'%s' does not say '%s'", v->skip, why);
	assert_int_equal(trials_of(name), 0);
	assert_int_equal(trials_of("threads"), 10);
	for (unsigned i = 0; i < plan.ntrials; i++)
		assert_int_equal(plan.variants[plan.trials[i].variant].skip[0], '\0');
}

static void test_skips(void **state)
{
	(void)state;
	struct spec_variant *named = &spec.variants[2];
	strcpy(named->settings.backend, "nccl");
	expect_skip("named", "room for 0 of 4 ranks here: no GPU answers");
	gpus = 3;
	expect_skip("named", "room for 3 of 4 ranks here");
	strcpy(named->settings.backend, "auto");
	named->settings.delay_ns = 5;
	expect_skip("named", "delay is a setting of backend null and has no effect on host");
	named->settings.delay_ns = 0;
	strcpy(named->settings.nccl, standin);
	expect_skip("named", "nccl is a setting of backend nccl");
	named->settings.nccl[0] = '\0';
	named->settings.flip_rank = 0;
	strcpy(named->settings.backend, "null");
	expect_skip("named",
	            "flip is a setting of backend nccl or host and has no effect on null");
}

/* A library is of no use without a GPU, nor where another backend runs. */
static void test_what_is_missing_first_is_said_first(void **state)
{
	(void)state;
	struct spec_variant *named = &spec.variants[2];
	strcpy(named->skip, "NCCL_LEGACY is not set");
	strcpy(named->backend, "nccl");
	strcpy(named->settings.backend, "nccl");
	expect_skip("named", "room for 0 of 4 ranks here: no GPU answers");
	gpus = 4;
	expect_skip("named", "NCCL_LEGACY is not set");
	strcpy(named->settings.backend, "host");
	expect_skip("named",
	            "for backend nccl alone, and the command line says backend = host");
	named->skip[0] = '\0';
	strcpy(named->settings.nccl, standin);
	expect_skip("named",
	            "for backend nccl alone, and the command line says backend = host");
	strcpy(named->settings.backend, "nccl");
	strcpy(named->settings.nccl, "/nope");
	refuse("nccl: /nope cannot be read: No such file");
	strcpy(named->variable, "NCCL_LEGACY");
	refuse("nccl, from the variable NCCL_LEGACY: /nope cannot be read: No such file");
}

static void test_backends_own_refusal(void **state)
{
	(void)state;
	struct settings *s = &spec.variants[2].settings;
	strcpy(s->mode, "processes");
	strcpy(s->path, "direct"); /* reads a peer's memory: one address space */
	expect_skip("named", "");
}

static void test_reference(void **state)
{
	(void)state;
	gpus = 4;
	strcpy(spec.variants[1].skip, "NCCL_LEGACY is not set");
	strcpy(spec.variants[1].settings.backend, "nccl");
	refuse("the reference 'threads' cannot run here, and all is compared with it: "
	       "NCCL_LEGACY");
	spec.variants[1].skip[0] = '\0';
	strcpy(spec.variants[1].settings.backend, "auto");
	spec.variants[1].settings.delay_ns = 1;
	refuse("the reference 'threads' cannot run here");
	spec.variants[1].settings.delay_ns = 0;
	strcpy(spec.reference, "gone");
	refuse("reference = 'gone' names no variant");
}

static void test_delay_rank(void **state)
{
	(void)state;
	strcpy(spec.backend, "null");
	spec.variants[0].settings.delay_rank = 3;
	make(1);
	assert_int_equal(plan.variants[0].settings.delay_rank, 3);
	spec.variants[0].settings.delay_rank = 4;
	refuse("delay_rank = 4, but ranks are 0 to 3");
}

static void test_flip(void **state)
{
	(void)state;
	spec.variants[0].settings.flip_rank = 3;
	make(1);
	spec.variants[0].settings.flip_rank = 4;
	refuse("flip: rank = 4, but ranks are 0 to 3");
	spec.variants[0].settings.flip_rank = 3;
	spec.variants[0].settings.flip_byte = (int64_t)plan.arena_bytes - 1;
	make(1);
	spec.variants[0].settings.flip_byte = (int64_t)plan.arena_bytes;
	refuse("a rank's buffer has");
}

/* Also of a variant that cannot run here: a file is right or wrong on every machine alike. */
static void test_aggregate_divides_calls(void **state)
{
	(void)state;
	spec.variants[0].settings.aggregate = 3;
	make(1);
	spec.calls = 20;
	refuse("x.exp:10: variant single: calls = 20 cannot be issued in groups of aggregate = "
	       "3; allowed are multiples of 3");
	strcpy(spec.variants[0].settings.backend, "nccl");
	refuse("calls = 20 cannot be issued");
	spec.calls = 21;
	make(1);
	assert_true(plan.variants[0].skip[0]);
}

/* Copies know sizes only, whatever else is varied. */
static void test_limit_of_many_cells(void **state)
{
	(void)state;
	spec.colls[0] = COLL_ALL_REDUCE;
	spec.dtypes[1] = DTYPE_INT8;
	spec.ops[1] = OP_MAX;
	spec.ndtypes = spec.nops = 2;
	spec.in_place[1] = true;
	make(1);
	assert_string_equal(plan.variants[find("limit")].skip, "");
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		for (unsigned c = 0; is_limit(t) && c < t->ncells; c++) {
			assert_int_equal(t->ncells, spec.nsizes);
			assert_false(t->cells[c].in_place);
			assert_int_equal(t->cells[c].op, OP_NONE);
		}
		trial_free(t);
	}
}

/* Staged through the host a call of 1 GiB takes a second, and a timeline 20 of them. */
static void test_long_calls_have_no_timeline(void **state)
{
	unsigned timelines = 0;
	(void)state;
	make(1);
	for (unsigned i = 0; i < plan.ncells; i++)
		if (plan.cells[i].coll == COLL_SENDRECV)
			plan.cells[i].asked_bytes = (size_t)1 << 30;
	struct trial *t = trial_at(0);
	for (unsigned c = 0; c < t->ncells; c++) {
		timelines += t->cells[c].pass == PASS_TIMELINE;
		assert_false(t->cells[c].pass == PASS_TIMELINE &&
		             t->cells[c].coll == COLL_SENDRECV);
	}
	assert_int_equal(timelines, 1);
	trial_free(t);
}

/* On GPUs the largest size that is not long has a timeline too, for its thread blocks: of one
 * collective that is its second of three sizes here. */
static void test_gpus_have_a_timeline_of_the_largest(void **state)
{
	size_t most = 0;
	(void)state;
	make(1);
	for (unsigned v = 0; v < plan.nvariants; v++)
		strcpy(plan.variants[v].settings.backend, "nccl");
	for (unsigned i = 0; i < plan.ncells; i++)
		if (plan.cells[i].coll == COLL_SENDRECV && plan.cells[i].bytes == spec.sizes[2])
			plan.cells[i].asked_bytes = (size_t)1 << 30;
	struct trial *t = trial_at(0);
	assert_int_equal(t->ncells, 12 + 4);
	for (unsigned c = 12; c < t->ncells; c++) {
		const struct cell *cell = &t->cells[c];
		assert_int_equal(cell->pass, PASS_TIMELINE);
		assert_int_equal(cell->pace, PACE_ISOLATED);
		most = c < 14                        ? spec.sizes[0]
		       : cell->coll == COLL_SENDRECV ? spec.sizes[1]
		                                     : spec.sizes[2];
		assert_int_equal(cell->bytes, most);
	}
	assert_int_not_equal(t->cells[14].coll, t->cells[15].coll);
	trial_free(t);
	t = trial_at(plan.ntrials - 1); /* the last block has none */
	for (unsigned c = 0; c < t->ncells; c++)
		assert_int_equal(t->cells[c].pass, PASS_TIMED);
	trial_free(t);
}

/* No call: its cells have no timeline. */
static void test_init_has_no_timeline(void **state)
{
	unsigned timelines = 0;
	(void)state;
	/* No backend here makes communicators: the cells are put where nccl would have them. */
	make(1);
	for (unsigned i = 0; i < plan.ncells; i++)
		if (plan.cells[i].coll == COLL_SENDRECV)
			plan.cells[i].coll = COLL_INIT;
	struct trial *t = trial_at(0);
	for (unsigned c = 0; c < t->ncells; c++) {
		timelines += t->cells[c].pass == PASS_TIMELINE;
		assert_false(t->cells[c].pass == PASS_TIMELINE &&
		             t->cells[c].coll == COLL_INIT);
	}
	assert_int_equal(timelines, 1);
	trial_free(t);
}

static void test_missing_sizes(void **state)
{
	(void)state;
	spec.nsizes = 0;
	refuse("no sizes or no collective");
}

static void test_command(void **state)
{
	(void)state;
	make(1);
	struct trial *t = trial_at(0);
	struct mode_argv argv = {0};
	struct status st = {""};
	strcpy(t->settings.mode, "threads");
	t->settings.layout = (struct layout){1, 4, 1};
	if (plan_command(t, "/bin/self", "/tmp/$(order)", "/tmp/scratch", &argv, &st))
		fail_msg("%s", st.text);
	assert_string_equal(argv.args[0], "/bin/self");
	assert_string_equal(argv.args[argv.count - 1], "/tmp/$(order)");
	assert_null(argv.args[argv.count]);
	mode_argv_free(&argv);
	strcpy(t->settings.mode, "teams");
	assert_int_equal(plan_command(t, "self", "order", "scratch", &argv, &st), -1);
	assert_non_null(strstr(st.text, "'teams' is not known"));
	trial_free(t);
}

static int find_standin(void **state)
{
	(void)state;
	return standin_find(standin);
}

#define TEST(F) cmocka_unit_test_setup_teardown(F, fresh, done)

/* Two ranks on each GPU; a variant without it has one on each. */
static void ranks_may_share_gpus(void **state)
{
	char why[128];
	struct status st = {""};
	(void)state;
	gpus = 1;
	strcpy(spec.backend, "auto");
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "host");
	spec.variants[1].settings.ranks_per_gpu = 2;
	assert_string_equal(plan_backend(&spec, &machine, why, sizeof why), "nccl");
	assert_int_equal(plan_capacity(&machine, "nccl", plan_sharing(&spec), &st), 2);
	assert_int_equal(plan_capacity(&machine, "nccl", 1, &st), 1);
	struct trial trial = {0};
	settings_default(&trial.settings);
	assert_int_equal(trial_device(&trial, 3), 3);
	trial.settings.ranks_per_gpu = 2;
	assert_int_equal(trial_device(&trial, 2), 1);
	assert_int_equal(trial_device(&trial, 3), 1);
	/* Where a rank is no GPU. */
	assert_int_equal(plan_capacity(&machine, "host", 2, &st), UINT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_blocks_are_permutations),
	    TEST(test_more_blocks_change_no_block),
	    TEST(test_shuffle_is_even),
	    TEST(test_seed_decides_the_order),
	    TEST(test_cells),
	    TEST(test_cells_do_not_depend_on_variants),
	    TEST(test_trial_takes_over),
	    TEST(test_twin),
	    TEST(test_how_workers_wait),
	    TEST(test_what_cannot_be_isolated_is_left_out),
	    TEST(test_library_must_be_there),
	    TEST(test_limit),
	    TEST(test_no_limit),
	    TEST(test_sizes_are_rounded),
	    TEST(test_small_sizes),
	    TEST(test_arena),
	    TEST(test_auto_backend),
	    TEST(test_ranks),
	    TEST(test_one_rank),
	    TEST(test_layouts),
	    TEST(test_skips),
	    TEST(test_what_is_missing_first_is_said_first),
	    TEST(test_backends_own_refusal),
	    TEST(test_reference),
	    TEST(test_delay_rank),
	    TEST(test_flip),
	    TEST(test_aggregate_divides_calls),
	    TEST(test_limit_of_many_cells),
	    TEST(test_gpus_have_a_timeline_of_the_largest),
	    TEST(test_init_has_no_timeline),
	    TEST(test_long_calls_have_no_timeline),
	    TEST(test_missing_sizes),
	    TEST(test_command),
	    TEST(ranks_may_share_gpus),
	};
	return cmocka_run_group_tests_name("plan", tests, find_standin, NULL);
}
