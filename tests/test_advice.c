/* Each recommendation is there when the figures say so, and only then. */
#include "made.h"

#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"

static double speed[5]; /* single, threads, processes, -, one more: against 1 */
static double noise;
static double small_only;   /* sizes up to this many bytes have the speed; 0: all */
static double beyond = 1;   /* processes at larger ones */
static const char *setting; /* JSON that single has and threads has not, or NULL */
static const char *mode;    /* of both, then */

static void stamps(const struct made_place *p, int64_t out[6])
{
	double bytes = 4096.0 * (1 << 2 * p->size), ns = 1e6 + 10 * bytes;
	bool has = p->variant < LENGTH(speed) && (small_only == 0 || bytes <= small_only);
	ns /= p->variant == MADE_AGAIN && (small_only == 0 || bytes <= small_only)
	          ? speed[MADE_THREADS]
	      : has             ? speed[p->variant]
	      : p->variant == 2 ? beyond
	                        : 1;
	/* The reference does not differ from itself: the run can detect differences. */
	ns *= 1 + noise * made_noise(p->variant == MADE_AGAIN ? MADE_THREADS : p->variant, p->block,
	                             p->size + 8 * p->isolated);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static void environment(json_t *env)
{
	json_t *variants = json_object_get(env, "variants");
	for (size_t i = 0; setting && i < json_array_size(variants); i++) {
		json_t *v = json_array_get(variants, i);
		/* The third differs in more than one. */
		made_set_mode(v, i == 2 ? "processes" : mode);
		made_set(v, "%s", i == 2 ? "{'offset':64}" : i == 0 ? setting : "{}");
	}
}

static struct made made = {.blocks = 10, .sizes = 7, .environment = environment, .stamps = stamps};
static struct story story;
static struct arena *arena; /* of both */

FIXTURE(fresh)
{
	for (size_t i = 0; i < LENGTH(speed); i++)
		speed[i] = 1;
	noise = 0.003;
	small_only = 0;
	setting = NULL;
	made.blocks = 10;
	made.variants = NULL;
	made.nvariants = 0;
	made.cores = 16;
	made.sizes = 7;
	made.backend = "nccl";
}

static void judge(struct arena *into, void *run)
{
	const char *const chapters[] = {"advice"};
	story_make(figures_load(run, NULL, into, WHY), chapters, 1, into, &story);
}

/* For how many pairs of variants `words` are printed; with the last sentence that has them. */
static unsigned count(const char *words, const char **text)
{
	const struct story_sentence *said;
	struct made_loaded l;
	unsigned n = 0;
	made_load(&made, &l);
	arena_free(arena);
	assert_int_equal(arena_run(judge, &l.run, &arena), 0);
	made_unload(&l);
	const struct story_table *t = story_find_table(&story, "advice");
	for (unsigned i = 0; t && i < t->nrows; i++)
		n += strstr(story_entry(t, i, "what")->text, words) != NULL;
	for (unsigned i = 0; text && (said = story_said(&story, STORY_ADVICE, i)); i++)
		if (strstr(said->text, words))
			*text = said->text;
	return n;
}

TEST(noise_and_few_blocks_say_nothing)
{
	speed[2] = 1.05;
	assert_int_equal(count("Use processes, not threads", NULL), 1);
	noise = 0.5;
	assert_int_equal(count("Use ", NULL), 0);
	assert_int_equal(count("choose by convenience", NULL), 0);
	noise = 0.003;
	made.blocks = 5;
	assert_int_equal(count("", NULL), 0);
}

TEST(sizes_that_go_both_ways_are_no_advice)
{
	const char *text;
	made.sizes = 8; /* up to 64 MiB */
	speed[2] = 1.3;
	small_only = 1 << 24;
	beyond = 1.2;
	assert_int_equal(count("Use processes, not threads", &text), 1);
	assert_says(text, ": 1.20 to 1.30 times the bandwidth by size (alltoall, 16 MiB to 64");
	beyond = 0.9;
	assert_int_equal(count("Use processes, not threads", NULL), 0);
	/* Nor is what one of its sizes does not gain by. */
	beyond = 0.99;
	assert_int_equal(count("Use processes, not threads", NULL), 0);
	beyond = 1;
}

TEST(where_nothing_large_was_measured)
{
	const char *text;
	made.sizes = 5; /* up to 1 MiB */
	speed[2] = 1.1;
	assert_int_equal(count("Use processes, not threads", &text), 1);
	assert_says(text, "(alltoall, 1 MiB)");
	made.sizes = 4;
	assert_int_equal(count("Use processes, not threads", NULL), 0);
}

TEST(several_workers_launch_small_sizes)
{
	const char *text;
	speed[0] = 0.4;
	small_only = 65536;
	assert_int_equal(count("Use a thread per GPU", &text), 1); /* no processes */
	assert_says(text, ": 2.50 times the speed (alltoall, single calls of 4 KiB to 64 KiB).");
	speed[0] = 1;
	assert_int_equal(count("Use a thread per GPU", NULL), 0);
	/* Latencies on shared cores are the scheduler's. */
	speed[0] = 0.4;
	made.cores = 1;
	assert_int_equal(count("Use a thread per GPU", NULL), 0);
	/* Where workers move the data themselves, one of them is slow for that reason. */
	made.cores = 16;
	made.backend = "host";
	assert_int_equal(count("Use a thread per GPU", NULL), 0);
}

TEST(of_several_numbers_of_ranks_the_largest)
{
	static const struct made_variant ranks[] = {
	    {.name = "single-2", .mode = "single"},
	    {.name = "threads-2", .role = "reference"},
	    {.name = "processes-4", .mode = "processes", .layout = "4x1x1"},
	    {.name = "threads-2-again", .role = "again"},
	    {.name = "single-4", .mode = "single", .layout = "1x1x4"},
	    {.name = "threads-4", .layout = "1x4x1"},
	    {.name = "mixed-2x2", .mode = "processes", .layout = "2x2x1"},
	};
	const char *text;
	made.variants = ranks;
	made.nvariants = LENGTH(ranks);
	speed[0] = 0.4; /* with two ranks alone */
	speed[2] = 1.3; /* with four */
	speed[4] = 1 / 1.3;
	assert_int_equal(count("Use a thread per GPU", &text), 1);
	assert_says(text, ": 1.30");
	assert_int_equal(count("Use processes, not threads", &text), 1);
	assert_says(text, ": 1.30");
	assert_says(text, ", 4 ranks)");
	assert_string_equal(story_entry(story_find_table(&story, "advice"), 0, "from")->text,
	                    "threads-4");
}

TEST(one_setting_at_a_time)
{
	static const struct {
		const char *setting, *mode, *words;
		unsigned times, in_threads;
	} rows[] = {
	    {"{'register':'local'}", "threads", "Register user buffers", 1, 1},
	    {"{'api':'native'}", "single", "native collective", 1, 0},
	    {"{'bind':'core'}", "threads", "Bind the workers", 1, 1},
	    {"{'graph':1}", "single", "CUDA graph", 2, 1},
	};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		setting = rows[i].setting;
		mode = rows[i].mode;
		speed[0] = 1.1;
		assert_int_equal(count(rows[i].words, NULL), rows[i].times);
		/* The pairs exclude the variant that differs in two settings. */
		assert_int_equal(count("processes", NULL), 0);
		speed[0] = 0.9;
		assert_int_equal(count(rows[i].words, NULL), 0);
		speed[0] = 1;
		assert_int_equal(count(rows[i].words, NULL), 0);
		/* The rules about single are not about threads. */
		speed[0] = 1.1;
		mode = "threads";
		assert_int_equal(count(rows[i].words, NULL), rows[i].in_threads);
	}
}

FIXTURE(end)
{
	arena_free(arena);
	made_end();
}

TESTS(.begin = made_begin, .end = end, .before = fresh);
