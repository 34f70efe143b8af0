/* The explanation of a gap: shares with their intervals, and the words for them. */
#include "made.h"

#include "queried.h"

/* A square: each of two settings switched or not. How fast each corner is. */
enum corner { NONE, BOTH, FIRST, SECOND, AGAIN };
static const struct made_variant corners[MADE_VARIANTS] = {
    [NONE] = {.name = "none", .mode = "processes"},
    [BOTH] = {.name = "both", .env = "NCCL_BUFFSIZE=1"},
    [FIRST] = {.name = "first"},
    [SECOND] = {.name = "second",
                .role = "reference",
                .mode = "processes",
                .env = "NCCL_BUFFSIZE=1"},
    [AGAIN] = {.name = "second-again",
               .role = "again",
               .mode = "processes",
               .env = "NCCL_BUFFSIZE=1"},
};
static double speed[4], noise;
static double line_end = 1; /* of the A/A line */
static double share[2]; /* of the gap, up to the first corner: in the first block, in the last */
static struct claim_list asked;
static unsigned gone, gone_from; /* a corner that fails from that block on */

static void stamps(const struct made_place *p, int64_t out[6])
{
	const unsigned as = p->variant == AGAIN ? SECOND : p->variant;
	double ns = 1e6 / speed[as];
	if (p->variant == FIRST && share[0])
		ns = 1e6 * pow(speed[BOTH], -(share[0] + (share[1] - share[0]) * p->block / 9));
	ns *= 1 + noise * made_noise(as, p->block, p->size);
	ns *= p->variant == AGAIN ? line_end : 1;
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->variant == gone && p->block >= gone_from)
		made_error(cell);
}

static const struct made_call calls[] = {{.bytes = 16 << 20}, {.bytes = 64 << 20}};
static struct made made = {.blocks = 10,
                           .sizes = 2,
                           .calls = calls,
                           .variants = corners,
                           .asked = &asked,
                           .line = line,
                           .stamps = stamps};

static struct factor *factor(const char *name, enum corner from, enum corner to)
{
	struct factor *f = &asked.factors[asked.nfactors++];
	*f = (struct factor){.bytes = {0, SIZE_MAX}};
	strcpy(f->name, name);
	strcpy(f->from, corners[from].name);
	strcpy(f->to, corners[to].name);
	return f;
}

FIXTURE(fresh)
{
	asked = (struct claim_list){.gap = {.bytes = {1, SIZE_MAX}}};
	strcpy(asked.gap.from, "none");
	strcpy(asked.gap.to, "both");
	speed[NONE] = 1;
	speed[FIRST] = 1.2;
	speed[SECOND] = 1.1;
	speed[BOTH] = 1.6;
	share[0] = share[1] = 0;
	noise = 0.002;
	gone = gone_from = UINT_MAX;
	made.blocks = 10;
}

/* Its tables. */
static struct db *find(void)
{
	return made_tables(&made, NULL);
}

/* The blocks of a variant that is not on the way are not counted. */
TEST(a_corner_elsewhere_takes_no_block)
{
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	gone = SECOND;
	gone_from = 6;
	assert_string_equal(query(find(), "SELECT blocks FROM gap_whole"), "10");
}

/* --- in words --- */

/* What the chapter answers. */
struct telling {
	struct db *db;
	char text[512];
};

static void work(struct arena *arena, void *of)
{
	struct telling *t = of;
	const char *const gap = "gap";
	struct story story;
	story_make(t->db, &gap, 1, arena, &story);
	snprintf(t->text, sizeof t->text, "%s", story_said(&story, STORY_ANSWER, 1)->text);
}

static const char *told(void)
{
	static struct telling t;
	t = (struct telling){.db = find()};
	assert_int_equal(arena_run(work, &t, NULL), 0);
	return t.text;
}

static void says(double from, double to, const char *expected)
{
	share[0] = from;
	share[1] = to;
	assert_string_equal(told(), test_text("Between none and both, %s: bandwidth of both is "
	                                      "1.600 times that of none, 16 MiB to 64 MiB.",
	                                      expected));
}

TEST(words_go_with_the_interval)
{
	noise = 0;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH)->placebo = true;
	says(0.96, 1.08, "a explains all of the gap (99 to 105 %)");
	says(0.998, 1.003, "a explains all of the gap (99.9 to 100.2 %)");
	says(0.5, 0.75,
	     "a explains 56 to 69 % of the gap; nothing here is shown to explain the other 31 "
	     "to 44 %");
	says(0.97, 1,
	     "a explains 97.7 to 99.3 % of the gap; nothing here is shown to explain the other "
	     "0.7 to 2.3 %");
	says(0.1, 1.6,
	     "a explains 43 to 127 % of the gap: too wide to say whether anything is left");
	says(1, 1.12,
	     "a explains more than the gap (103 to 109 %); the other steps take 3 to 9 % back");
	says(1, 1, "a explains all of the gap");
	asked.factors[0].placebo = true;
	assert_says(told(), "no factor explains any of the gap beyond the margin");
	asked.nfactors = 0;
	factor("small", NONE, FIRST);
	factor("large", FIRST, BOTH);
	share[0] = share[1] = 0.2;
	assert_says(told(), "large (80.0 %) and small (20.0 %) explain all of the gap");
}

/* A step may widen the gap, and another close it. */
TEST(what_works_against_it_is_named)
{
	speed[FIRST] = 0.9;
	speed[SECOND] = 1.7;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	const char *text = told();
	assert_says(text, "b (12");
	assert_says(text, " explains all of the gap; a (-2");
	assert_says(text, " works against it");
}

/* If the A/A line is off, a gap within it is none. */
TEST(no_gap_below_the_noise)
{
	static const char *const steps = "SELECT counts, share NOT NULL FROM gap_step",
	                         *const whole = "SELECT verdict, why FROM gap_whole";
	speed[FIRST] = 1.35;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	/* The gap is 1.6, the steps 1.35 and 1.19. */
	line_end = 1.3;
	struct db *db = find();
	assert_string_equal(query(db, whole), "faster ");
	assert_string_equal(query(db, steps), "1 1; 0 1");
	line_end = 1.7;
	db = find();
	assert_string_equal(query(db, steps), "0 0; 0 0");
	assert_says(query(db, whole), "differences under ");
	assert_says(query(db, whole), "A/A line");
	line_end = 1;
	assert_string_equal(query(find(), steps), "1 1; 1 1");
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
