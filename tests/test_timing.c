/* From stamps to times. */
#include "../harness/analysis/timing.h"
#include "test.h"

TEST(one_rank_has_no_skew)
{
	static const struct sample samples[] = {{7, 8, 9, 1, 0, 0}};
	struct timing_view view = {.nranks = 1, .rows = 1, .calls = 1, .samples = samples};
	assert_true(timing_row_ns(&view, 0) == 2);
	assert_true(timing_skew_ns(&view, 0) == 0);
}

TEST(large_stamps_stay_exact)
{
	/* ns since boot after a hundred days do not fit a double's 53 bits by much. */
	int64_t base = (int64_t)1 << 62;
	struct sample samples[] = {{base + 1, base + 2, base + 4, 0, 0, 0},
	                           {base, base + 1, base + 3, 0, 0, 0}};
	struct timing_view view = {.nranks = 2, .rows = 1, .calls = 1, .samples = samples};
	assert_true(timing_row_ns(&view, 0) == 4);
}

TEST(each_rank_has_its_own)
{
	static const struct sample samples[] = {
	    {110, 130, 300, 5, 0, 0},
	    {1000, 1010, 1100, 5, 0, 0},
	    {100, 190, 340, 7, 0, 0},
	    {1040, 1050, 1100, 9, 0, 0},
	};
	struct timing_view view = {.nranks = 2, .rows = 2, .calls = 1, .samples = samples};
	struct timing_rank r = timing_rank(&view, 0, 0);
	assert_true(r.skew_ns == 10 && r.launch_ns == 20 && r.finish_ns == 200);
	assert_true(r.late_ns == -20 && r.last == 0);
	r = timing_rank(&view, 1, 0);
	assert_true(r.skew_ns == 0 && r.launch_ns == 90 && r.finish_ns == 240);
	assert_true(r.late_ns == 20 && r.last == 1);
	/* Both end at once: each was last to one half. */
	assert_true(timing_rank(&view, 0, 1).last == 0.5);
	assert_true(timing_rank(&view, 1, 1).last == 0.5);
	view.calls = 10;
	r = timing_rank(&view, 1, 0);
	assert_true(r.skew_ns == 0 && r.launch_ns == 9 && r.finish_ns == 24 && r.late_ns == 2);
}

TEST(a_slow_beginning_shows)
{
	double times[10];
	for (unsigned i = 0; i < 10; i++)
		times[i] = i < 2 ? 150 : 100;
	assert_true(timing_early(times, 10) == 1.5);
	assert_true(isnan(timing_early(times, 2)));
}

TEST(the_clocks_step_is_found)
{
	struct sample samples[16];
	struct timing_view view = {.nranks = 2, .rows = 8, .calls = 1, .samples = samples};
	for (int i = 0; i < 16; i++)
		samples[i] = (struct sample){.start_ns = 100 * i, .idle_ns = 100 * (i * i + 7)};
	assert_int_equal(timing_step_ns(&view), 100);
	samples[3].idle_ns++;
	assert_int_equal(timing_step_ns(&view), 1);
	/* Too few to tell. */
	view.rows = 7;
	assert_int_equal(timing_step_ns(&view), 0);
}
