/* The lines of a source and what a run makes of those that the reference records have not. */
#include "made.h"

enum { THREADS, PROCESSES, THREADS_OLD, AGAIN, VARIANTS };

static const struct made_variant variants[VARIANTS] = {
    {.name = "threads", .role = "reference", .library = "2.28.3"},
    {.name = "processes", .mode = "processes", .library = "2.28.3"},
    {.name = "threads-old", .nccl = "/old/libnccl.so.2", .library = "2.21.5"},
    {.name = "threads-again", .role = "again", .library = "2.28.3"},
};

static double speed[VARIANTS];

static void stamps(const struct made_place *p, int64_t out[6])
{
	const double ns = (1e6 + 40960.0 * (1 << 2 * p->size)) / speed[p->variant];
	out[2] = (int64_t)(ns * (1 + 0.002 * made_noise(p->variant, p->block, p->size)));
}

static struct claim_list asked;
static struct made made = {.blocks = 10,
                           .sizes = 4,
                           .no_limit = true,
                           .variants = variants,
                           .nvariants = VARIANTS,
                           .asked = &asked,
                           .stamps = stamps};

static void line(const char *name, const char *right, enum claim_test test, const char *says)
{
	struct claim *c = made_claim(&asked, METRIC_BUSBW, test, "processes", right);
	strcpy(c->name, name);
	strcpy(c->text, name);
	strcpy(c->says, says);
	strcpy(c->source, "paper");
}

FIXTURE(fresh)
{
	asked = (struct claim_list){.nsources = 1,
	                            .sources = {{"paper", "a paper", "its pages", "8 × X"}}};
	for (unsigned v = 0; v < VARIANTS; v++)
		speed[v] = 1;
}

static const json_t *row(const json_t *report, const char *says)
{
	return json_entries(report, "source_lines", JSON_IS("says", says));
}

/* The cause of a gap is none where there is no gap, or less than is said, and undecided as the gap
 * is; nor does CPU memory test what is said of GPUs. */
TEST(a_cause_needs_its_effect)
{
	line("lower", "threads", CLAIM_LESS, "processes are slower");
	line("cause", "threads-old", CLAIM_WITHIN, "without it both are the same");
	const json_t *report = made_report(&made);
	json_assert_text(row(report, "processes are slower"), "outcome", "refuted");
	json_assert_text(row(report, "without it both are the same"), "outcome", "not applicable");
	speed[PROCESSES] = speed[THREADS_OLD] = 0.8;
	report = made_report(&made);
	json_assert_text(row(report, "without it both are the same"), "outcome", "reproduced");
	asked.claims[0].by = 0.25; /* below 0.8 */
	report = made_report(&made);
	json_assert_text(row(report, "processes are slower"), "outcome", "undecided");
	json_assert_text(row(report, "without it both are the same"), "outcome", "undecided");
	json_assert_text(row(report, "without it both are the same"), "why",
	                 "the gap is undecided");
	asked.claims[0].by = 0.5;
	report = made_report(&made);
	json_assert_text(row(report, "without it both are the same"), "outcome", "not applicable");
	made.backend = "host";
	report = made_report(&made);
	made.backend = NULL;
	json_assert_text(row(report, "processes are slower"), "outcome", "cannot be tested here");
	json_lacks(report, "answer", "reproduced");
	json_assert_text(json_array_get(json_object_get(report, "answer"), 0), "",
	                 "CPU memory only (backend host): it says nothing about NCCL.");
}

/* 60 % is refuted by 0.6 % as well as by 100 %. */
TEST(a_share_is_refuted_from_both_sides)
{
	static const struct {
		double speed;
		const char *outcome;
	} rows[] = {{0.6, "reproduced"}, {0.006, "refuted"}, {1, "refuted"}};
	line("share", "threads", CLAIM_WITHIN, "processes have 60 %");
	asked.claims[0].by = 0.2;
	asked.claims[0].of = 0.6;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		speed[PROCESSES] = rows[i].speed;
		const json_t *report = made_report(&made);
		json_assert_text(row(report, "processes have 60 %"), "outcome", rows[i].outcome);
		json_assert_text(json_claim(report, "share"), "test", "0.500 to 0.720");
	}
}

/* How many lines are reproduced is no verdict on all of them. */
TEST(lines_are_counted_alone)
{
	static const char *const names[] = {"first", "second", "third", "fourth", "fifth"};
	speed[PROCESSES] = 0.8;
	for (size_t i = 0; i < LENGTH(names); i++)
		line(names[i], "threads", CLAIM_LESS, names[i]);
	assert_true(json_one_says(json_object_get(made_report(&made), "answer"),
	                          "Of 5 lines of a paper: 5 reproduced, "));
	made.blocks = 6;
	assert_true(json_one_says(
	    json_object_get(made_report(&made), "answer"),
	    "Of 5 lines of a paper: 5 reproduced, 0 refuted, 0 undecided; 5 of the decided "
	    "ones are taken alone, as the only test."));
	made.blocks = 10;
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
