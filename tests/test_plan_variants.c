/* The variants of a plan: placed, refused, skipped, and joined by the twin and the limit. */
#include "../harness/config/keys.h"
#include "made_plan.h"
#include "settings_text.h"

/* "key=value VARIANT.key=value …", as a file says them; @ is a library, and `mode=-` none. */
static void set(const char *said)
{
	char *text = test_text("%s", said), *value;
	while ((value = strsep(&text, " ")) && *value) {
		char *name = strsep(&value, "="), *key = strchr(name, '.');
		struct spec_variant *v = spec.variants;
		if (!key) {
			assert_works(field_read(field_find(&keys_fields, name), value, &spec, WHY));
			continue;
		}
		*key++ = '\0';
		while (strcmp(v->name, name))
			assert_true(++v < spec.variants + spec.nvariants);
		if (!strcmp(key, "ranks"))
			v->ranks = (unsigned)atoi(value);
		else if (!strcmp(value, "-"))
			v->settings.mode[0] = '\0';
		else
			settings_read(&v->settings, key, *value == '@' ? standin : value);
	}
}

TEST(what_cannot_be_is_refused)
{
	static const struct {
		const char *set, *what;
	} rows[] = {
	    {"threads.nccl=/nonexistent/libnccl.so.2",
	     "nccl: /nonexistent/libnccl.so.2 cannot be read: No such file"},
	    {"threads.nccl=/tmp",
	     "nccl: /tmp cannot be read: Is a directory; allowed is a libnccl.so.2's file"},
	    {"named.mode=single named.layout=1x4x1",
	     "x.exp:30: variant named: layout 1x4x1 is mode threads, not single"},
	    {"named.mode=- named.layout=1x8x1", "layout 1x8x1 has 8 ranks, the experiment has 4"},
	    {"named.mode=teams", "x.exp:30: variant named: mode = 'teams' is not known; allowed is "
	                         "single, threads, processes"},
	    {"named.mode=- named.layout=2x2x1 named.ranks=2",
	     "x.exp:30: variant named: layout 2x2x1 has 4 ranks, and the variant says ranks = 2; "
	     "allowed are two that agree"},
	    {"named.mode=processes named.ranks=1",
	     "variant named: mode processes cannot place 1 rank; allowed are 2 ranks or more"},
	    {"named.ranks=2 named.delay_rank=2",
	     "variant named: delay_rank = 2, but ranks are 0 to 1"},
	    {"named.ranks=2 collective=broadcast root=2", "root = 2, but ranks are 0 to 1"},
	    {"threads.delay=1ns", "the reference 'threads' cannot run here"},
	    {"backend=null single.delay_rank=4", "delay_rank = 4, but ranks are 0 to 3"},
	    {"single.flip=4:0", "flip: rank = 4, but ranks are 0 to 3"},
	    {"single.flip=3:8388608", "a rank's buffer has"},
	    {"single.aggregate=3 calls=20",
	     "x.exp:10: variant single: calls = 20 cannot be issued in "
	     "groups of aggregate = 3; allowed are multiples of 3"},
	    /* Also of a variant that cannot run here: a file is right or wrong on every machine. */
	    {"single.aggregate=3 calls=20 single.backend=nccl", "calls = 20 cannot be issued"},
	    /* No other backend can distinguish a library from a text. */
	    {"threads.nccl=/etc/passwd", "nccl: cannot load NCCL: /etc/passwd"},
	    {"threads.nccl=/bin/sh", "nccl: cannot load NCCL: /bin/sh"},
	};
	const size_t n = LENGTH(rows) - (backend_find("nccl")->library ? 0 : 2);
	for (size_t i = 0; i < n; i++) {
		fresh();
		set(rows[i].set);
		refuse(rows[i].what);
	}
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

TEST(what_cannot_run_here_is_skipped)
{
	static const struct {
		unsigned gpus;
		const char *set, *why;
	} rows[] = {
	    {0, "named.backend=nccl", "room for 0 of 4 ranks here: no GPU answers"},
	    {3, "named.backend=nccl", "room for 3 of 4 ranks here"},
	    {0, "named.delay=5ns", "delay is a setting of backend null and has no effect on host"},
	    {0, "named.nccl=@", "nccl is a setting of backend nccl"},
	    {0, "named.flip=0:0 named.backend=null",
	     "flip is a setting of backend nccl or host and has no effect on null"},
	    /* Reads a peer's memory: one address space. */
	    {0, "named.mode=processes named.path=direct", ""},
	    {0, "named.mode=processes named.ranks=3 collective=hypercube", "power of two"},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		plan_free(&plan);
		fresh();
		gpus = rows[i].gpus;
		set(rows[i].set);
		expect_skip("named", rows[i].why);
	}
}

TEST(a_layout_has_its_mode)
{
	static const char *const rows[][2] = {
	    {"1x2x2", "threads"}, {"1x1x4", "single"}, {"2x2x1", "processes"}};
	for (unsigned i = 0; i < 3; i++) {
		set(test_text("named.mode=- named.layout=%s", rows[i][0]));
		make(1);
		assert_string_equal(plan.variants[2].settings.mode, rows[i][1]);
	}
	spec.roots[0] = spec.nroots = 0;
	set("named.mode=processes collective=broadcast");
	spec.variants[2].settings.layout = (struct layout){0};
	spec.variants[2].ranks = 2;
	make(1);
	assert_int_equal(plan.nnotes, 1);
	assert_string_equal(plan.notes[0],
	                    "root = all is 0 to 1, as variants have as few ranks as 2");
}

static int cannot_isolate(unsigned what, struct status *st)
{
	return status_set(st, "isolate %u: not here", what);
}

/* If the kernel or the user may not, the variant is skipped and the others run. */
TEST(test_what_cannot_be_isolated_is_left_out)
{
	variant_add("apart", "processes")->settings.isolate = ISOLATE_BIT(ISOLATE_IPC);
	machine.isolates = cannot_isolate;
	make(3);
	machine.isolates = NULL;
	assert_string_equal(plan.variants[find("apart")].skip, "isolate 2: not here");
	assert_string_equal(plan.variants[find("threads")].skip, "");
}

TEST(test_twin)
{
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

TEST(test_limit)
{
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
	}
	assert_int_equal(seen, 10);
	spec.paces[PACE_STREAM] = false; /* still a bandwidth */
	make(3);
	for (unsigned i = 0; i < plan.ntrials; i++) {
		struct trial *t = trial_at(i);
		assert_int_equal(t->cells[0].pace, is_limit(t) ? PACE_STREAM : PACE_ISOLATED);
	}
	spec.limit = false;
	make(3);
	assert_false(listed("limit"));
	spec.limit = true;
	strcpy(spec.backend, "null"); /* moves nothing */
	make(3);
	assert_false(listed("limit"));
}

/* A variant may have fewer ranks than the run, by its mode or by a layout. */
TEST(variants_have_ranks_of_their_own)
{
	static const struct {
		const char *name;
		unsigned ranks;
		size_t bytes; /* of 4160 asked for: a multiple of 16 bytes for each rank */
	} rows[] = {{"single", 3, 4128}, {"threads", 4, 4160}, {"named", 2, 4160}};
	struct spec_variant *mixed = variant_add("mixed", "");
	mixed->ranks = 6;
	mixed->settings.layout = (struct layout){2, 3, 1};
	spec.variants[0].ranks = 3;
	spec.variants[2].ranks = 2;
	machine.cores = 3;
	spec.sizes[0] = 4160;
	spec.limit = false;
	make(1);
	assert_string_equal(plan.variants[find("mixed")].skip,
	                    "it has 6 ranks, and this run has 4");
	assert_int_equal(trials_of("mixed"), 0);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct trial *t = trial_of(rows[i].name, 0);
		assert_int_equal(layout_ranks(t->settings.layout), rows[i].ranks);
		assert_int_equal(t->yield, rows[i].ranks > 3);
		assert_int_equal(count_cells(t, COLL_ALLTOALL, rows[i].bytes, PACE_STREAM), 1);
		for (unsigned c = 0; c < t->ncells; c++)
			assert_true(t->arena_bytes >= t->cells[c].bytes);
	}
	spec.ranks = 6;
	make(1);
	assert_string_equal(plan.variants[find("mixed")].skip, "");
	assert_int_equal(plan.variants[find("mixed")].settings.layout.threads, 3);
	/* Any of them rounds parts of 4160 and 4175 bytes to one size: it is left out for all. */
	spec.sizes[1] = 4175;
	make(1);
	assert_int_equal(plan.ncells, 2 * (2 + 3));
}

/* A library is of no use without a GPU, nor if another backend runs. */
TEST(test_what_is_missing_first_is_said_first)
{
	struct spec_variant *named = &spec.variants[2];
	strcpy(named->skip, "NCCL_LEGACY is not set");
	strcpy(named->backend, "nccl");
	strcpy(named->settings.backend, "nccl");
	expect_skip("named", "room for 0 of 4 ranks here: no GPU answers");
	gpus = 4;
	expect_skip("named", "NCCL_LEGACY is not set");
	strcpy(named->settings.backend, "host");
	expect_skip("named", "for backend nccl alone, and the command line says backend = host");
	named->skip[0] = '\0';
	strcpy(named->settings.nccl, standin);
	expect_skip("named", "for backend nccl alone, and the command line says backend = host");
	strcpy(named->settings.backend, "nccl");
	strcpy(named->settings.nccl, "/nope");
	refuse("nccl: /nope cannot be read: No such file");
	strcpy(named->variable, "NCCL_LEGACY");
	refuse("nccl, from the variable NCCL_LEGACY: /nope cannot be read: No such file");
}

TEST(a_reference_that_is_skipped_is_refused)
{
	gpus = 4;
	strcpy(spec.variants[1].skip, "NCCL_LEGACY is not set");
	set("threads.backend=nccl");
	refuse("the reference 'threads' cannot run here, and all is compared with it: NCCL_LEGACY");
}

/* Keys of another backend leave a variant equal to another one: named before the run, and not
 * measured twice. */
TEST(test_what_is_the_same_here_is_left_out)
{
	strcpy(variant_add("conf", "threads")->elsewhere, "nccl.env.NCCL_BUFFSIZE");
	struct spec_variant *other = variant_add("conf-direct", "threads");
	strcpy(other->elsewhere, "nccl.env.NCCL_BUFFSIZE");
	strcpy(other->settings.path, "direct");
	variant_add("again", "threads"); /* on purpose: no key of it is for another backend */
	make(3);
	assert_string_equal(plan.variants[find("conf")].skip,
	                    "nccl.env.NCCL_BUFFSIZE has no effect on host, where it is the same "
	                    "as threads");
	assert_string_equal(plan.variants[find("conf-direct")].skip, "");
	assert_string_equal(plan.variants[find("again")].skip, "");
	/* The reference stays, also after others that equal it. */
	strcpy(spec.reference, "conf");
	make(3);
	assert_string_equal(plan.variants[find("conf")].skip, "");
}

TEST(test_a_question_about_gpus_is_noted)
{
	make(3);
	assert_int_equal(plan.nnotes, 0);
	spec.needs_gpus = true;
	make(3);
	assert_int_equal(plan.nnotes, 1);
	assert_says(plan.notes[0], "needs GPUs");
}

TESTS(.begin = find_standin, .before = fresh, .after = done);
