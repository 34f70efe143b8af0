/* The explanation of a gap: shares with their intervals, and the words for them. */
#include "made.h"

#include "../harness/analysis/analysis.h"
#include "../harness/data/format.h"
#include "../harness/story/verdict_text.h"
#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/story/tell.h"

/* A square: each of two settings switched or not. How fast each corner is. */
enum corner { NONE, BOTH, FIRST, SECOND };
static const struct made_variant corners[MADE_VARIANTS] = {
    [NONE] = {.name = "none", .mode = "processes"},
    [BOTH] = {.name = "both", .role = "reference", .env = "NCCL_BUFFSIZE=1"},
    [FIRST] = {.name = "first"},
    [SECOND] = {.name = "second", .mode = "processes", .env = "NCCL_BUFFSIZE=1"},
    [MADE_LIMIT] = {.name = "limit", .role = "limit"},
};
static double speed[4], noise;
static struct claim_list asked;
static unsigned gone, gone_from; /* a corner that fails from that block on */

static void stamps(const struct made_place *p, int64_t out[6])
{
	double ns = 1e6 / (p->variant < 4 ? speed[p->variant] : 1);
	ns *= 1 + noise * made_noise(p->variant, p->block, p->size);
	out[1] = 1000;
	out[2] = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[3] = 10;
}

static void line(json_t *cell, const struct made_place *p)
{
	if (p->variant == gone && p->block >= gone_from)
		made_error(cell);
}

static struct made made = {
    .blocks = 10, .sizes = 2, .variants = corners, .asked = &asked, .line = line, .stamps = stamps};

static void factor(const char *name, enum corner from, enum corner to)
{
	struct factor *f = &asked.factors[asked.nfactors++];
	*f = (struct factor){.bytes = {0, SIZE_MAX}};
	strcpy(f->name, name);
	strcpy(f->from, corners[from].name);
	strcpy(f->to, corners[to].name);
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
	noise = 0.002;
	gone = gone_from = UINT_MAX;
	made.blocks = 10;
	return 0;
}

static void make(struct waterfall *w)
{
	struct made_loaded l;
	made_load(&made, &l);
	*w = waterfall_make(&l.summary, NULL, &asked);
	made_unload(&l);
}

static const struct waterfall_step *step(const struct waterfall *w, const char *name)
{
	for (unsigned i = 0; i < w->nsteps; i++)
		if (!strcmp(w->steps[i].name, name))
			return &w->steps[i];
	fail_msg("there is no step %s", name);
	return NULL;
}

/* Of one order of the steps: the first setting has 39 % of the gap, taken last 80. */
TEST(shares_add_up_to_the_gap)
{
	struct waterfall w;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	make(&w);
	assert_int_equal(w.nsteps, 2);
	assert_near(step(&w, "a")->share.estimate, log(1.2) / log(1.6), 0.01);
	assert_near(step(&w, "b")->share.estimate, 1 - step(&w, "a")->share.estimate, 1e-9);
	assert_near(w.steps[0].from_gbs * exp(w.log), w.steps[1].to_gbs, 1e-6);
	asked.nfactors = 0;
	factor("b", NONE, SECOND);
	factor("a", SECOND, BOTH);
	make(&w);
	assert_near(step(&w, "a")->share.estimate, 1 - log(1.1) / log(1.6), 0.01);
}

/* The blocks of a variant that is not on the way are not counted. */
TEST(a_corner_elsewhere_takes_no_block)
{
	struct waterfall w;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	gone = SECOND;
	gone_from = 6;
	make(&w);
	assert_int_equal(w.nblocks, 10);
}

/* --- in words --- */

/* What the chapter answers of a waterfall. */
struct telling {
	const struct waterfall *w;
	char text[512];
};

static void work(struct arena *arena, void *of)
{
	struct telling *t = of;
	const struct summary s = {.run = ARENA_NEW(arena, struct record_run), .arena = arena};
	struct analysis *a = ARENA_NEW(arena, struct analysis);
	const char *const gap = "gap";
	const struct figures figures = {a, &s, arena, db_open(arena)};
	struct status st = {""};
	struct story story;
	a->s = &s;
	strcpy(a->asked.gap.from, "x");
	strcpy(a->asked.gap.to, "y");
	a->waterfall = *t->w;
	assert_int_equal(db_run_text(figures.db, "harness/data/schema.sql", &st), 0);
	assert_int_equal(db_run_text(figures.db, "harness/chapters/figures.sql", &st), 0);
	assert_int_equal(db_run_text(figures.db, "harness/chapters/versions.sql", &st), 0);
	figures_of_claims(&figures);
	story_make(figures.db, &gap, 1, arena, &story);
	snprintf(t->text, sizeof t->text, "%s", story_said(&story, STORY_ANSWER, 1)->text);
}

static const char *told(const struct waterfall *w)
{
	static struct telling t;
	t = (struct telling){.w = w};
	assert_int_equal(arena_run(work, &t, NULL), 0);
	return t.text;
}

static void says(double lo, double hi, const char *expected)
{
	struct waterfall w = {.nsteps = 2, .explained = {(lo + hi) / 2, lo, hi, 10, 0.95}};
	w.steps[0].name = "a";
	w.steps[0].counts = true;
	w.steps[0].share = w.explained;
	assert_string_equal(told(&w), test_text("Between x and y, %s.", expected));
}

TEST_WITH(words_go_with_the_interval, NULL, NULL)
{
	says(0.98, 1.06, "a explains all of the gap (98 to 106 %)");
	says(0.999, 1.002, "a explains all of the gap (99.9 to 100.2 %)");
	says(0.6, 0.75,
	     "a explains 60 to 75 % of the gap; nothing here is shown to explain the other 25 "
	     "to 40 %");
	says(0.975, 0.998,
	     "a explains 97.5 to 99.8 % of the gap; nothing here is shown to explain the other "
	     "0.2 to 2.5 %");
	says(0.4, 1.3,
	     "a explains 40 to 130 % of the gap: too wide to say whether anything is left");
	says(1.02, 1.1,
	     "a explains more than the gap (102 to 110 %); the other steps take 2 to 10 % back");
	says(1, 1, "a explains all of the gap");
	struct waterfall w = {.nsteps = 2, .explained = {1, 0.99, 1.01, 10, 0.95}};
	assert_says(told(&w), "no factor explains any of the gap beyond the margin");
	for (unsigned i = 0; i < 2; i++) {
		w.steps[i].name = i ? "large" : "small";
		w.steps[i].counts = true;
		w.steps[i].share =
		    (struct stats_ratio){i ? 0.8 : 0.2, i ? 0.8 : 0.2, i ? 0.8 : 0.2, 10, 0.95};
	}
	assert_says(told(&w), "large (80.0 %) and small (20.0 %) explain all of the gap (");
}

/* A step may widen the gap, and another close it. */
TEST(what_works_against_it_is_named)
{
	struct waterfall w;
	speed[FIRST] = 0.9;
	speed[SECOND] = 1.7;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	make(&w);
	assert_true(step(&w, "a")->share.hi < 0);
	const char *text = told(&w);
	assert_says(text, "b (12");
	assert_says(text, " explains all of the gap; a (-2");
	assert_says(text, " works against it");
}

/* If the A/A line is off, a gap within it is none. */
TEST(no_gap_below_the_noise)
{
	struct regimes regimes = {.n = 1, .list = {{.kind = REGIME_LARGE, .least_effect = 0.3}}};
	struct made_loaded l;
	struct waterfall w;
	char verdict[VERDICT_TEXT_BYTES];
	speed[FIRST] = 1.35;
	factor("a", NONE, FIRST);
	factor("b", FIRST, BOTH);
	made_load(&made, &l);
	/* The gap is 1.6, the steps 1.35 and 1.19. */
	w = waterfall_make(&l.summary, &regimes, &asked);
	assert_int_equal(w.gap.kind, VERDICT_FASTER);
	assert_true(w.steps[0].counts);
	assert_false(w.steps[1].counts);
	assert_true(w.explained.hi < 0.7);
	regimes.list[0].least_effect = 0.7;
	w = waterfall_make(&l.summary, &regimes, &asked);
	assert_true(isnan(w.explained.estimate) && isnan(w.steps[0].share.estimate));
	assert_says(made_reason(&w.why), "A/A line");
	verdict_text(&w.gap, verdict, sizeof verdict);
	assert_says(verdict, "too noisy to decide below ");
	regimes.list[0].tells = true;
	w = waterfall_make(&l.summary, &regimes, &asked);
	assert_true(w.steps[0].counts && w.steps[1].counts);
	made_unload(&l);
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
