/* The lines of a source and what the run makes of each: four words, and what is counted of them. */
#include "made.h"

enum { THREADS, PROCESSES, THREADS_OLD, PROCESSES_OLD, AGAIN, VARIANTS };

static const struct made_variant variants[VARIANTS] = {
    {.name = "threads", .role = "reference", .library = "2.28.3"},
    {.name = "processes", .mode = "processes", .library = "2.28.3"},
    {.name = "threads-old", .nccl = "/old/libnccl.so.2", .library = "2.21.5"},
    {.name = "processes-old",
     .mode = "processes",
     .nccl = "/old/libnccl.so.2",
     .library = "2.21.5"},
    {.name = "threads-again", .role = "again", .library = "2.28.3"},
};

static double speed[VARIANTS], noise;

static void stamps(const struct made_place *p, int64_t out[6])
{
	const double ns = (1e6 + 40960.0 * (1 << 2 * p->size)) / speed[p->variant];
	out[1] = 100;
	out[2] = (int64_t)(ns * (1 + noise * made_noise(p->variant, p->block, p->size)));
	out[3] = 10;
}

static struct claim_list asked;
static struct made made = {.blocks = 10,
                           .sizes = 4,
                           .no_limit = true,
                           .variants = variants,
                           .nvariants = VARIANTS,
                           .asked = &asked,
                           .stamps = stamps};

static void line(const char *name, const char *left, const char *right, const char *says)
{
	struct claim *c = &asked.claims[asked.nclaims++];
	*c = (struct claim){.metric = METRIC_BUSBW,
	                    .test = CLAIM_LESS,
	                    .by = 0.02,
	                    .bytes = {1, SIZE_MAX},
	                    .regime = CLAIM_ANY_REGIME,
	                    .pace = CLAIM_ANY_PACE,
	                    .coll = CLAIM_ANY_COLL};
	snprintf(c->name, sizeof c->name, "%s", name);
	snprintf(c->text, sizeof c->text, "claim %s", name);
	snprintf(c->left, sizeof c->left, "%s", left);
	snprintf(c->right, sizeof c->right, "%s", right);
	snprintf(c->says, sizeof c->says, "%s", says);
	snprintf(c->source, sizeof c->source, "%s", *says ? "paper" : "");
}

FIXTURE(fresh)
{
	asked = (struct claim_list){.nsources = 1,
	                            .sources = {{"paper", "a paper", "its pages", "8 × X"}}};
	for (unsigned v = 0; v < VARIANTS; v++)
		speed[v] = 1;
	noise = 0.002;
	made.more = NULL;
	return 0;
}

static const json_t *row(const json_t *report, const char *says)
{
	return json_entries(report, "source_lines", JSON_IS("says", says));
}

static void has_counts(const json_t *report, int reproduced, int refuted, int undecided,
                       const char *untested)
{
	const json_t *of = json_entries(report, "sources", JSON_IS("by", "a paper"));
	json_assert_number(of, "reproduced", reproduced, 0);
	json_assert_number(of, "refuted", refuted, 0);
	json_assert_number(of, "undecided", undecided, 0);
	if (untested)
		json_assert_number(of, "untested", atoi(untested), 0);
	else
		json_assert_null(of, "untested");
}

TEST(a_line_has_one_of_four_words)
{
	speed[PROCESSES] = 0.9;
	speed[THREADS_OLD] = 1.1;
	line("lower", "processes", "threads", "processes are slower");
	line("higher", "threads", "processes", "threads are slower");
	line("away", "elsewhere", "threads", "elsewhere it is slower");
	line("nodes", "", "", "across nodes all is well");
	asked.claims[3].test = CLAIM_NEEDS;
	strcpy(asked.claims[3].needs, "2 nodes");
	strcpy(asked.claims[0].original, "langsamer");
	const json_t *report = made_report(&made);
	json_assert_text(row(report, "processes are slower"), "outcome", "reproduced");
	json_assert_text(row(report, "processes are slower"), "original", "langsamer");
	json_assert_text(row(report, "processes are slower"), "found", "reproduced, 0.900");
	json_assert_text(row(report, "processes are slower"), "ratio", "0.900");
	json_assert_text(row(report, "threads are slower"), "outcome", "refuted");
	json_assert_text(row(report, "elsewhere it is slower"), "outcome", "cannot be tested here");
	json_assert_text(row(report, "across nodes all is well"), "why", "it needs 2 nodes");
	json_assert_null(row(report, "across nodes all is well"), "ratio");
	has_counts(report, 1, 1, 0, "2");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "Of 4 lines of a paper: 1 reproduced, 1 refuted, 0 undecided; 2 "
	                     "cannot be tested here.");
	json_assert_one_says(json_object_get(report, "answer"),
	                     "The source used 8 × X; this run used");
}

TEST(a_line_that_noise_covers_is_undecided)
{
	noise = 0.2;
	line("lower", "processes", "threads", "processes are slower");
	const json_t *report = made_report(&made);
	json_assert_text(row(report, "processes are slower"), "outcome", "undecided");
	json_assert_says(row(report, "processes are slower"), "why", "too noisy to decide below ");
	has_counts(report, 0, 0, 1, NULL);
}

/* The cause of a gap is none where there is no gap; nor does CPU memory test what is said of GPUs. */
TEST(a_cause_needs_its_effect)
{
	line("lower", "processes", "threads", "processes are slower");
	line("cause", "processes", "threads-old", "without it both are the same");
	asked.claims[1].test = CLAIM_WITHIN;
	const json_t *report = made_report(&made);
	json_assert_text(row(report, "processes are slower"), "outcome", "refuted");
	json_assert_text(row(report, "without it both are the same"), "outcome", "not applicable");
	json_assert_text(row(report, "without it both are the same"), "why", "no gap here");
	has_counts(report, 0, 1, 0, NULL);
	speed[PROCESSES] = speed[THREADS_OLD] = 0.8;
	report = made_report(&made);
	json_assert_text(row(report, "without it both are the same"), "outcome", "reproduced");
	made.backend = "host";
	report = made_report(&made);
	made.backend = NULL;
	json_assert_text(row(report, "processes are slower"), "outcome", "cannot be tested here");
	assert_false(json_one_says(json_object_get(report, "answer"), "reproduced"));
	json_assert_text(json_array_get(json_object_get(report, "answer"), 0), "",
	                 "CPU memory was measured, by backend host: it says nothing about NCCL.");
}

TEST(two_versions_have_a_column_each)
{
	speed[PROCESSES_OLD] = 0.8;
	line("lower", "processes", "threads", "processes are slower");
	line("lower-old", "processes-old", "threads-old", "");
	const json_t *report = made_report(&made);
	const json_t *one = row(report, "processes are slower");
	json_assert_text(one, "found", "reproduced, 0.800");
	json_assert_text(one, "found_new", "no longer so, 1.000");
	assert_int_equal(json_count(report, "source_lines"), 1);
	const json_t *of = json_entries(report, "sources", JSON_IS("by", "a paper"));
	json_assert_number(of, "reproduced", 1, 0);
	json_assert_number(of, "reproduced_new", 0, 0);
	json_assert_number(of, "refuted_new", 0, 0);
	json_assert_number(of, "gone", 1, 0);
	/* Why, of each if they differ. */
	speed[PROCESSES_OLD] = speed[PROCESSES] = 0.98;
	noise = 0.1;
	const json_t *both = row(made_report(&made), "processes are slower");
	json_assert_says(both, "why", " with NCCL 2.21.5; too noisy to decide below ");
	json_assert_says(both, "why", " % with 2.28.3");
}

/* 60 % is refuted by 0.6 % as well as by 100 %. */
TEST(a_share_is_refuted_from_both_sides)
{
	static const struct {
		double speed;
		const char *outcome;
	} rows[] = {{0.6, "reproduced"}, {0.006, "refuted"}, {1, "refuted"}};
	line("share", "processes", "threads", "processes have 60 %");
	asked.claims[0].test = CLAIM_WITHIN;
	asked.claims[0].by = 0.2;
	asked.claims[0].of = 0.6;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		speed[PROCESSES] = rows[i].speed;
		const json_t *report = made_report(&made);
		json_assert_text(row(report, "processes have 60 %"), "outcome", rows[i].outcome);
		json_assert_text(json_claim(report, "share"), "test", "0.500 to 0.720");
	}
}

/* All lines are once in the report, below page 1, and in no table of claims. */
TEST(the_lines_have_a_section)
{
	speed[PROCESSES] = 0.9;
	for (unsigned i = 0; i < 16; i++) {
		line(test_text("c%u", i), "processes", "threads",
		     test_text("line number %u of it", i));
	}
	line("other", "processes", "threads", "");
	asked.claims[16].source[0] = '\0';
	const json_t *report = made_report(&made);
	const char *page = made_read("report.md"), *last = "line number 15 of it",
	           *at = strstr(page, last);
	assert_non_null(at);
	assert_true(at > strstr(page, "\n## Can it be believed?"));
	assert_null(strstr(at + 1, last));
	assert_int_equal(json_count(report, "claims_short"), 1);
}

static void ask_later(FILE *out)
{
	json_t *record =
	    json_pack("{s:s, s:s}", "created", "2026-01-02T03:04:05Z", "launchgap", "abcdef0");
	line("lower", "processes", "threads", "processes are slower");
	assert_int_equal(claim_list_put(&asked, record), 0);
	assert_int_equal(json_object_set_new(record, "kind", json_string("asked")), 0);
	assert_int_equal(json_object_set_new(record, "schema", json_integer(RECORD_SCHEMA)), 0);
	made_line(out, record);
}

/* The last line of a record may ask what its first did not. */
TEST(claims_may_come_after_the_run)
{
	speed[PROCESSES] = 0.9;
	line("higher", "threads", "processes", "threads are slower");
	made.more = ask_later;
	const json_t *report = made_report(&made);
	assert_int_equal(json_count(report, "source_lines"), 2);
	json_assert_text(row(report, "processes are slower"), "outcome", "reproduced");
	json_assert_text(json_entries(report, "claims_later", JSON_ALL), "date", "2026-01-02");
	assert_says(made_read("report.md"),
	            "These claims were added after the run, on 2026-01-02, by launchgap abcdef0");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
