/* Looks: which sessions of a record count as one, what is reported of them, and their cost. */
#include "made.h"

#include "../harness/chapters/chapters.h"
#include "../harness/report/section.h"

/* A record of sessions: a line of blocks each. */
struct session {
	unsigned blocks; /* that it has */
	int asked;       /* in its line; 0: auto; −1: an older program's, without a line */
	bool ends;       /* by itself, with its line */
};

static void write_record(const struct session *sessions, unsigned n)
{
	FILE *out = fopen(made_path("trials.jsonl"), "w");
	unsigned block = 0;
	assert_non_null(out);
	json_t *env = made_environment(&(struct made){.blocks = 1});
	json_object_set_new(env, "blocks", json_integer(sessions[0].asked));
	made_line(out, env);
	for (unsigned i = 0; i < n; i++) {
		if (i && sessions[i].asked >= 0)
			fputs(test_quotes(test_text(
			          "{'schema':1,'kind':'resume','first_block':%u,'command':[],"
			          "'created':'','launchgap':'','counters':false,'blocks':%d}\n",
			          block, sessions[i].asked)),
			      out);
		for (unsigned b = 0; b < sessions[i].blocks; b++)
			fputs(
			    test_quotes(test_text(
			        "{'schema':1,'kind':'failure','experiment':'x','variant':'threads',"
			        "'block':%u,'order':0,'error':'why'}\n",
			        block++)),
			    out);
		if (sessions[i].ends)
			fputs(
			    test_quotes("{'schema':1,'kind':'end','reason':'blocks','text':'x'}\n"),
			    out);
	}
	fclose(out);
}

static struct looks looks_of(const struct session *sessions, unsigned n)
{
	write_record(sessions, n);
	struct record_run run = cli_record(made_folder);
	return looks_count(&run);
}

TEST(sessions_count_when_they_add_to_the_plan)
{
	static const struct {
		unsigned nsessions;
		struct session sessions[4];
		unsigned looks, first, added;
	} cases[] = {
	    /* As planned. */
	    {1, {{10, 10, true}}, 1, 10, 0},
	    /* Interrupted at 6, and at 8; then whole. */
	    {3, {{6, 10, false}, {2, 4, false}, {2, 2, true}}, 1, 10, 0},
	    /* More of a whole one, and more again. */
	    {2, {{10, 10, true}, {7, 7, true}}, 2, 10, 7},
	    {3, {{10, 10, true}, {7, 7, true}, {3, 3, true}}, 3, 10, 10},
	    /* More blocks than an interrupted one had left. */
	    {2, {{6, 10, false}, {8, 8, true}}, 2, 6, 8},
	    /* That more is interrupted, and goes on: as it was planned by then. */
	    {3, {{10, 10, true}, {2, 7, false}, {5, 5, true}}, 2, 10, 7},
	    /* A shorter one that ended by itself, and that people saw. */
	    {3, {{4, 10, false}, {3, 3, true}, {3, 3, true}}, 2, 7, 3},
	    /* No interval was to be seen. */
	    {2, {{5, 5, true}, {5, 5, true}}, 1, 10, 0},
	    {3, {{2, 2, true}, {4, 4, true}, {4, 4, true}}, 2, 6, 4},
	    /* The session added nothing (yet). */
	    {2, {{10, 10, true}, {0, 5, false}}, 1, 10, 0},
	    {3, {{10, 10, true}, {0, 5, false}, {5, 5, true}}, 2, 10, 5},
	    /* Older programs: after an end; or beyond what was asked for. */
	    {2, {{6, 6, true}, {8, -1, true}}, 2, 6, 8},
	    {1, {{14, 6, false}}, 2, 6, 8},
	    /* auto: goes on when interrupted; adds when it had ended, or with a number. */
	    {2, {{7, 0, false}, {8, 0, true}}, 1, 15, 0},
	    {2, {{10, 0, true}, {5, 0, true}}, 2, 10, 5},
	    {2, {{7, 0, false}, {3, 3, true}}, 2, 7, 3},
	    {2, {{6, 10, false}, {9, 0, true}}, 2, 6, 9},
	};
	for (unsigned i = 0; i < LENGTH(cases); i++) {
		struct looks looks = looks_of(cases[i].sessions, cases[i].nsessions);
		if (looks.n != cases[i].looks || looks.first != cases[i].first ||
		    looks.added != cases[i].added)
			fail_msg("case %u: %u looks, first %u, added %u", i, looks.n, looks.first,
			         looks.added);
	}
}

static char said[256];

static void tell(struct arena *arena, void *of)
{
	const char *const chapter = "looks";
	const struct looks *looks = of;
	struct db *db = db_open(arena);
	struct story story;
	char *confidence = test_text("%.4g %%", 100 * looks->confidence);
	char *chance = test_text("%.3g %%", 100 * (1 - looks->confidence));
	assert_int_equal(db_run_text(db, "harness/chapters/figures.sql", WHY), 0);
	db_add(db, "look", "iiiitti", 17, looks->n, looks->first, looks->added, confidence, chance,
	       looks->by_width);
	db_seal(db);
	story_make(db, &chapter, 1, arena, &story);
	section_said(&story, STORY_TRUST | STORY_MEASURED, said, sizeof said);
}

static const char *says(struct looks looks)
{
	struct arena *arena;
	assert_int_equal(arena_run(tell, &looks, &arena), 0);
	arena_free(arena);
	return said;
}

TEST(looks_are_said_with_the_blocks)
{
	static const struct session more[] = {{10, 10, true}, {7, 7, true}},
	                            by_width[] = {{15, 0, true}};
	assert_string_equal(says(looks_of(more, 1)), "17 blocks (repetitions).");
	assert_string_equal(says(looks_of(more, 2)),
	                    "17 blocks (repetitions). 7 blocks were added after a look at 10: "
	                    "intervals with all blocks are 98.75 % intervals, for 2 looks.");
	assert_string_equal(says(looks_of(by_width, 1)),
	                    "17 blocks (repetitions). The run chose its blocks by the width of "
	                    "intervals, which are 96 % intervals.");
}

TEST(each_look_costs_confidence)
{
	static const struct session more[] = {
	    {10, 10, true}, {7, 7, true}, {7, 7, true}, {7, 7, true}};
	static const struct session by_width[] = {{15, 0, true}, {5, 0, true}};
	for (unsigned n = 1; n <= 4; n++) {
		double confidence = looks_of(more, n).confidence;
		assert_true(fabs(1 - confidence - 0.05 / (n * n)) < 1e-12);
	}
	struct looks looks = looks_of(by_width, 1);
	assert_true(looks.by_width && fabs(looks.confidence - 0.96) < 1e-12);
	looks = looks_of(by_width, 2);
	assert_true(fabs(looks.confidence - 0.99) < 1e-12);
}

/* Which blocks an interval has decides, not how many the run has. */
TEST(an_interval_has_looks_of_its_own)
{
	static const struct session more[] = {{10, 10, true}, {4, 4, true}};
	static const unsigned blocks[] = {0, 2, 3, 5, 6, 7, 8, 9, 10, 12};
	struct looks looks = looks_of(more, 2);
	assert_true(looks_confidence(&looks, blocks, 10) == looks.confidence);
	assert_true(looks_confidence(&looks, blocks, 8) == 0.95);
	assert_true(looks_confidence(&looks, blocks + 3, 7) == 0.95);
}

TESTS(.begin = made_begin, .end = made_end);
