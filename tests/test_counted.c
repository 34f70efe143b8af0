/* Counters in fewer blocks than times: which blocks a plan reads them in, what claims on them rest
 * on then, and that so many blocks decide what all blocks of the reference records decide. */
#include "made_claims.h"

#include "here.h"

/* Each claim by its own blocks; in a family of four, that of six blocks cannot pass the
 * correction. */
TEST(claims_on_counters_rest_on_the_blocks_that_have_them)
{
	counted_blocks = 6;
	dram_per_byte[2] = 4;
	speed[2] = 0.7;
	claim(METRIC_DRAM_PER_NVLINK, CLAIM_MORE, 0.5);
	claim(METRIC_BUSBW, CLAIM_LESS, 0.02);
	find();
	assert_string_equal(
	    says_sql("SELECT outcome, ratio_blocks, alone FROM claimed ORDER BY id"),
	    "holds 6 0; holds 10 0");
	assert_near(claim_number(0, "p"), 1.0 / (1 << 6), 1e-12);
	assert_near(claim_number(0, "ratio"), 2, 1e-9);
	assert_near(claim_number(1, "p"), 1.0 / (1 << 10), 1e-12);
	done();
	claim(METRIC_NVLINK_TX, CLAIM_WITHIN, 0.02);
	claim(METRIC_NVLINK_TX, CLAIM_WITHIN, 0.02);
	find();
	assert_string_equal(says_sql("SELECT alone FROM claimed WHERE id < 3 ORDER BY id"),
	                    "1; 0; 1");
	done();
}

TEST(five_blocks_are_too_few)
{
	counted_blocks = 5;
	dram_per_byte[2] = 4;
	claim(METRIC_DRAM_PER_NVLINK, CLAIM_MORE, 0.5);
	find();
	claim_is(0, "undecided");
	assert_says(claim_says(0, "verdict"), "needs about 1 more block");
	done();
}

/* --- runs --- */

/* Blocks in which a variant of the run has cells with counters, as bits. */
static unsigned blocks_of(const struct record_run *run, const char *variant)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < run->ncells; i++)
		if (run->cells[i].cell.pass == PASS_COUNTERS &&
		    !strcmp(run->cells[i].variant, variant))
			bits |= 1u << run->cells[i].block;
	return bits;
}

/* By default six where one claim wants them, three elsewhere, and all added ones. */
TEST_WITH(a_plan_reads_counters_in_some_blocks, set_up, tear_down)
{
	static const char text[] =
	    "[experiment]\ncollective = alltoall\nbytes = 4K\nbackend = host\nlimit = no\n"
	    "ranks = 2\nblocks = 7\npace = stream\nstretches = 1\ncalls = 2\nwarmup = 0\n"
	    "counters = yes\nreference = a\n[variant a]\nmode = threads\n[variant b]\n"
	    "mode = threads\npath = fifo\n[variant c]\nmode = threads\npath = shared\n"
	    "[claim more]\ntext = more\nleft = b\nright = a\nmetric = copies\n"
	    "is = more by 2%\n";
	char run[256];
	cli_expect(here_run(text, "--no-report", NULL), 0, "block 7 of 7");
	cli_result(folder, "t", "", run, sizeof run);
	struct record_run r = cli_record(run);
	assert_int_equal(blocks_of(&r, "a"), 0x3f);
	assert_int_equal(blocks_of(&r, "a-again"), 0x3f);
	assert_int_equal(blocks_of(&r, "b"), 0x3f);
	assert_int_equal(blocks_of(&r, "c"), 0x7);
	cli_expect(cli_call(folder, "resume", run, "--no-report", "blocks=1", NULL), 0,
	           "block 8 of 8");
	r = cli_record(run);
	assert_int_equal(blocks_of(&r, "b"), 0xbf);
	assert_int_equal(blocks_of(&r, "c"), 0x87);
}

/* --- the reference records --- */

struct choice {
	struct claim claim;
	const char *outcome;     /* by all */
	double x[32], again[32]; /* a log ratio per block; to the twin's trial */
	bool twinned;
	unsigned nblocks;
};

static enum claims_outcome outcome_of(struct arena *arena, const struct choice *c, unsigned bits)
{
	double x[32], again[32];
	unsigned n = 0, more;
	for (unsigned b = 0; b < c->nblocks; b++) {
		if (!(bits >> b & 1))
			continue;
		x[n] = c->x[b];
		again[n++] = c->again[b];
	}
	const struct arena_mark mark = arena_mark(arena);
	const struct stats_walsh of = stats_walsh_of(arena, x, c->twinned ? again : NULL, n);
	const struct claims_ratio ratio = {stats_walsh_ratio(&of, 2 * VERDICT_CONFIDENCE - 1),
	                                   stats_walsh_ratio(&of, VERDICT_CONFIDENCE)};
	arena_release(arena, mark);
	return claims_decide(&ratio, c->claim.test, c->claim.by, &more);
}

/* A claim holds or not, as by all blocks; or a difference within the margin is found where all
 * blocks find none, or is not found. */
struct agreement {
	unsigned claims, choices, same, opposite; /* opposite: one holds, the other doesn't */
};

static void tally_choices(struct arena *arena, const struct choice *c, struct agreement *t)
{
	const unsigned all = (1u << c->nblocks) - 1;
	const enum claims_outcome is = outcome_of(arena, c, all);
	assert_string_equal(c->outcome, is == CLAIMS_HOLD     ? "holds"
	                                : is == CLAIMS_FAIL   ? "fails"
	                                : is == CLAIMS_LITTLE ? "little"
	                                                      : "undecided");
	t->claims++;
	for (unsigned bits = 0; bits <= all; bits++) {
		if (__builtin_popcount(bits) != CLAIM_BLOCKS)
			continue;
		const enum claims_outcome by_these = outcome_of(arena, c, bits);
		t->choices++;
		t->same += by_these == is;
		t->opposite += (by_these == CLAIMS_HOLD && is == CLAIMS_FAIL) ||
		               (by_these == CLAIMS_FAIL && is == CLAIMS_HOLD);
	}
}

/* Its claims on counters that have an interval, block by block. */
static void tally_record(struct arena *arena, const char *folder_of, struct agreement *t)
{
	static const struct db_source blocks = {
	    .file = "test",
	    .sql = "SELECT c.id, outcome, kind, by, first, second, two FROM claimed c "
	           "JOIN metric m ON m.name = metric AND counters JOIN contrast_found f "
	           "ON (finding, part) = ('claims', c.id) JOIN contrast_block b USING (asked) "
	           "JOIN asked_side s ON s.asked = b.asked AND side = 0 "
	           "WHERE ratio_lo NOT NULL ORDER BY c.id, block"};
	struct record_run run;
	assert_works(record_load(folder_of, &run, WHY));
	struct db *db = figures_load(&run, NULL, arena, WHY);
	assert_non_null(db);
	struct choice choice = {.nblocks = 0};
	double id = NAN;
	struct db_rows *rows = db_ask(db, &blocks, WHY);
	for (bool more = rows && db_next(rows); choice.nblocks || more;
	     more = more && db_next(rows)) {
		if (choice.nblocks && (!more || db_real(rows, 0) != id)) {
			if (choice.nblocks > CLAIM_BLOCKS)
				tally_choices(arena, &choice, t);
			choice.nblocks = 0;
		}
		if (!more)
			break;
		id = db_real(rows, 0);
		choice.outcome = arena_copy(arena, db_text(rows, 1));
		choice.claim.test = !strcmp(db_text(rows, 2), "less")   ? CLAIM_LESS
		                    : !strcmp(db_text(rows, 2), "more") ? CLAIM_MORE
		                                                        : CLAIM_WITHIN;
		choice.claim.by = db_real(rows, 3);
		choice.x[choice.nblocks] = db_real(rows, 4);
		choice.again[choice.nblocks++] = db_real(rows, 5);
		choice.twinned = db_real(rows, 6) > 0;
	}
	assert_works(db_end(rows, WHY));
	arena_undo(arena, db);
	record_free(&run);
}

/* As the method says, with these numbers. */
TEST(six_blocks_decide_what_all_decide)
{
	static const char *const records[] = {"2x-h200/h800_alltoall", "2x-h200/h800_sendrecv"};
	struct agreement t = {0};
	for (unsigned i = 0; i < LENGTH(records); i++) {
		tally_record(scratch(), test_text("results/reference/%s", records[i]), &t);
	}
	assert_true(t.claims > 0);
	assert_int_equal(t.opposite, 0);
	char says[256], *method = cli_read("harness/analysis/README.md");
	snprintf(
	    says, sizeof says,
	    "%u claims on counters come out as by all blocks in %u of %u choices, and in none the "
	    "other way",
	    t.claims, t.same, t.choices);
	if (!strstr(method, says))
		fail_msg("the method lacks: %s", says);
}

TESTS(.undrawn = true, .begin = made_begin, .end = made_end, .before = fresh);
