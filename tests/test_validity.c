/* Injected disturbances are found and named, and a quiet run has none. */
#include "query.h"
#include "made_warnings.h"

/* A call's length: 20 µs × size, ±1 % by trial and ±1 % by row. */
static double quiet_ns(const struct made_place *p)
{
	return 20000.0 * (1 << 2 * p->size) *
	       (1 + 0.01 * made_noise(p->variant, p->block, p->isolated)) *
	       (1 + 0.01 * made_noise(p->row, p->variant * 1000 + p->block, p->size));
}

static void set(const struct made_place *p, double ns, int64_t out[6])
{
	int64_t length = (int64_t)(ns * (p->isolated ? 1 : 10));
	out[0] = 10 * p->rank;
	out[1] = out[0] + length / 4;
	out[2] = length - (p->rank ? 0 : 7);
	out[3] = 100;
}

static void quiet(const struct made_place *p, int64_t out[6])
{
	set(p, quiet_ns(p), out);
}

static void one_drifts(const struct made_place *p, int64_t out[6])
{
	set(p, quiet_ns(p) * (p->variant == MADE_SINGLE ? 1 + 0.015 * p->block : 1), out);
}

static void late_poll(const struct made_place *p, int64_t out[6])
{
	quiet(p, out);
	out[3] = 3000;
}

static void coarse_clock(const struct made_place *p, int64_t out[6])
{
	quiet(p, out);
	for (unsigned i = 0; i < 3; i++)
		out[i] = out[i] / 2000 * 2000 - 1; /* rows begin at 1 ns */
	out[0] += 2000;
}

#define PAUSE_NS 3000000000

/* One call of each trial of one cell, in which its rank 1 was stopped. */
static bool is_paused(const struct made_place *p)
{
	return p->variant == MADE_PROCESSES && p->size == 1 && p->isolated;
}

static void paused(const struct made_place *p, int64_t out[6])
{
	quiet(p, out);
	if (is_paused(p) && p->row == 4)
		out[2] += PAUSE_NS;
}

static void off_core(json_t *line, const struct made_place *p)
{
	made_set(line, "{'off_core_ns':[0,%lld]}", (long long)is_paused(p) * PAUSE_NS);
}

static const struct made plain = {.blocks = 10, .sizes = 3, .rows = 10, .stamps = quiet};

static struct made m;

FIXTURE(fresh)
{
	m = plain;
}

/* So many warnings, which say this. */
static void warns(unsigned wanted, const char *words)
{
	const struct warnings *w = made_warnings(&m, false);
	if (wanted != w->count)
		fail_msg("%u warnings, not %u: %s", w->count, wanted, w->all);
	assert_says(w->all, words);
}

TEST(a_quiet_run_has_none)
{
	warns(0, "");
}

static bool has_no_reference(const struct made_place *p)
{
	return p->variant != MADE_THREADS;
}

/* As in a run that was stopped in its first block: the twin's trial is the reference's, too. */
TEST(a_twin_stands_for_its_reference)
{
	m.has = has_no_reference;
	const struct warnings *w = made_warnings(&m, false);
	assert_says(w->all, "threads has no times at all");
	assert_lacks(w->all, "there are no ratios");
}

TEST(drift_is_told_from_one_variants)
{
	m.stamps = one_drifts;
	m.sizes = 4;
	warns(2, "single alone drifts in alltoall, stream, 256 KiB: it became 1");
}

TEST(a_coarse_end_is_named)
{
	m.stamps = coarse_clock;
	warns(1, "The clock is coarse: it steps by 2.00 µs");
	m.stamps = late_poll;
	warns(1, "Timer resolution: in 4 of 24 rows");
	/* There the worker's own copying is in the round. */
	m.backend = "host";
	assert_lacks(made_warnings(&m, false)->all, "resolution");
}

static double p95_of(void)
{
	return query_number(
	    made_tables(&m, NULL),
	    "SELECT p95_us FROM result JOIN place p ON p.id = place JOIN variant v ON "
	    "v.id = variant WHERE name = 'processes' AND bytes = 16384 AND pace = 'isolated'");
}

/* Flagged, and in no figure; if nothing shows that a rank did not run, it is a result. */
TEST(a_call_without_a_rank_is_named_and_left_out)
{
	double well = p95_of();
	m.stamps = paused;
	assert_true(p95_of() > 100 * well);
	m.line = off_core;
	assert_true(p95_of() < 1.05 * well);
	warns(1, "Disturbed: 10 timed calls or stretches of 10 cells are left out of all "
	         "figures, for a rank did not run in them, most in processes, block 1: rank 1 "
	         "was off its core for 3.00 s in alltoall 16 KiB, isolated.");
}

TEST(load_is_named)
{
	m.load1 = 3.25;
	warns(1, "a load of 3.25 in the minute before, on 16 cores");
	m.load1 = 0.9;
	warns(0, "");
}

/* report.json has each with its figures. */
TEST(a_warning_is_a_row)
{
	m.load1 = 3.25;
	const json_t *row = json_entries(made_report(&m), "ended", JSON_ALL);
	json_assert_number(row, "load", 3.25, 0);
	json_assert_number(row, "cores", 16, 0);
	json_assert_null(row, "uncompared");
}

static void stopped_clock(const struct made_place *p, int64_t out[6])
{
	quiet(p, out);
	if (p->variant == MADE_PROCESSES && p->block == 3)
		out[2] = out[1] = out[0];
}

static void impossibly_fast(const struct made_place *p, int64_t out[6])
{
	set(p, quiet_ns(p) / (p->variant == MADE_PROCESSES ? 100 : 1), out);
}

/* On page 1, and among the warnings. */
static bool is_doubted(const json_t *report, const char *words)
{
	bool first = json_one_says(json_section(report, "trust"), words);
	assert_int_equal(json_one_says(json_object_get(report, "warnings"), words), first);
	return first;
}

TEST(what_cannot_be_is_said_on_page_1)
{
	const json_t *report = made_report(&m);
	assert_false(is_doubted(report, "Calls of 0 ns"));
	assert_false(is_doubted(report, "Far beyond"));
	json_says(report, "measured", "No line of the record has a checksum");
	m.stamps = stopped_clock;
	assert_true(is_doubted(made_report(&m), "Calls of 0 ns are in 6 of 270 timed cells, "
	                                        "first in processes, block 4 (line "));
	m.stamps = impossibly_fast;
	report = made_report(&m);
	assert_true(is_doubted(report, "Far beyond the limit: 6 rows have more than 3 times "
	                               "the bandwidth"));
	assert_true(is_doubted(report, " times, processes in alltoall of "));
}

TEST(kendalls_test_is_exact)
{
	/* Hollander, Wolfe and Chicken 2014, Table A.19: P(K ≥ 8) = 0.042 and P(K ≥ 10) =
	 * 0.008 for n = 5; P(K ≥ 15) = 0.0014 for n = 6. */
	static const double up[] = {1, 2, 3, 4, 5, 6}, nearly[] = {1, 2, 3, 5, 4};
	static const double same[] = {2, 2, 2, 2};
	assert_true(fabs(stats_trend_probability(up, 5) - 2.0 / 120) < 1e-12);
	assert_true(fabs(stats_trend_probability(nearly, 5) - 2 * 5.0 / 120) < 1e-12);
	assert_true(fabs(stats_trend_probability(up, 6) - 2.0 / 720) < 1e-12);
	assert_true(stats_trend_probability(same, 4) == 1);
	assert_true(stats_trend_probability(up, 2) == 1);
	/* 9 or 10 of 10: 11 ÷ 1024. */
	assert_true(fabs(stats_sign_probability(9, 10) - 11.0 / 1024) < 1e-12);
	assert_true(stats_sign_probability(0, 10) >= 1 - 1e-12);
}

TEST(kendalls_normal_joins_the_exact)
{
	double x[160];
	for (unsigned i = 0; i < 160; i++)
		x[i] = 0.008 * i + made_noise(i, 1, 2) * 2;
	double exact = stats_trend_probability(x, 150), normal = stats_trend_probability(x, 160);
	assert_true(exact > 1e-6 && exact < 0.5);
	assert_true(normal > exact / 10 && normal < exact * 10);
}

TESTS(.begin = made_begin, .end = made_end, .before = fresh);
