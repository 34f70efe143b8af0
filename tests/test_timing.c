/* From stamps to times, and where the stamps are. */
#include "../harness/analysis/timing.h"
#include "test.h"

TEST(time_is_from_first_start_to_last_end)
{
	/* Two ranks, two rows; rank 1 starts row 0 first and ends it last. */
	static const struct sample samples[] = {
	    {110, 130, 300, 5, 0, 0},
	    {1000, 1010, 1100, 5, 0, 0},
	    {100, 190, 340, 7, 0, 0},
	    {1040, 1050, 1060, 9, 0, 0},
	};
	struct timing_view view = {.nranks = 2, .rows = 2, .calls = 1, .samples = samples};
	assert_true(timing_row_ns(&view, 0) == 240);
	assert_true(timing_row_ns(&view, 1) == 100);
	assert_true(timing_launch_ns(&view, 0) == 90);
	assert_true(timing_launch_ns(&view, 1) == 10);
	assert_true(timing_skew_ns(&view, 0) == 10);
	assert_true(timing_skew_ns(&view, 1) == 40);
	/* Per call, but the skew is of the row. */
	view.calls = 20;
	assert_true(timing_row_ns(&view, 0) == 12);
	assert_true(timing_launch_ns(&view, 0) == 4.5);
	assert_true(timing_skew_ns(&view, 0) == 10);
}

TEST(each_worker_has_its_own_time)
{
	/* Four ranks, two rows; row 0 lasts 200, 260, 90, 120 on the ranks' own clocks. */
	static const struct sample samples[] = {
	    {100, 0, 300, 0, 0, 0}, {0, 0, 10, 0, 0, 0},    {140, 0, 400, 0, 0, 0},
	    {0, 0, 20, 0, 0, 0},    {120, 0, 210, 0, 0, 0}, {0, 0, 30, 0, 0, 0},
	    {130, 0, 250, 0, 0, 0}, {0, 0, 60, 0, 0, 0},
	};
	struct timing_view view = {.nranks = 4, .rows = 2, .calls = 1, .samples = samples};
	struct timing_workers w = timing_workers(&view, 1, 0);
	assert_true(w.rank0_ns == 200 && w.min_ns == 90 && w.max_ns == 260);
	assert_true(w.mean_ns == 167.5);
	/* The span over all also includes the difference of their starts. */
	assert_true(timing_row_ns(&view, 0) == 300);
	w = timing_workers(&view, 1, 1);
	assert_true(w.rank0_ns == 10 && w.min_ns == 10 && w.max_ns == 60 && w.mean_ns == 30);
	/* Two ranks to a worker: 100 to 400, and 120 to 250. */
	w = timing_workers(&view, 2, 0);
	assert_true(w.rank0_ns == 300 && w.min_ns == 130 && w.max_ns == 300);
	assert_true(w.mean_ns == 215);
	/* One worker for all has the span, whichever way it is looked at. */
	w = timing_workers(&view, 4, 0);
	assert_true(w.rank0_ns == 300 && w.min_ns == 300 && w.max_ns == 300);
	assert_true(w.mean_ns == 300);
	view.calls = 20;
	w = timing_workers(&view, 1, 0);
	assert_true(w.rank0_ns == 10 && w.min_ns == 4.5 && w.max_ns == 13);
	assert_true(w.mean_ns == 8.375);
}

TEST(one_rank_has_no_skew)
{
	static const struct sample samples[] = {{7, 8, 9, 1, 0, 0}};
	struct timing_view view = {.nranks = 1, .rows = 1, .calls = 1, .samples = samples};
	assert_true(timing_row_ns(&view, 0) == 2);
	assert_true(timing_skew_ns(&view, 0) == 0);
}

TEST(large_stamps_stay_exact)
{
	/* ns since boot after a hundred days do not fit a double's 53 bits by much; differences
	 * do. */
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

static struct cell cells[] = {
    {.coll = COLL_ALLTOALL, .pace = PACE_STREAM, .bytes = 64},
    {.coll = COLL_ALLTOALL, .pace = PACE_ISOLATED, .bytes = 64},
    {.coll = COLL_SENDRECV, .pace = PACE_STREAM, .bytes = 128},
};

static struct trial trial_of(struct layout layout)
{
	return (struct trial){.settings = {.layout = layout},
	                      .stretches = 5,
	                      .calls = 20,
	                      .isolated_calls = 33,
	                      .ncells = 3,
	                      .cells = cells};
}

TEST(area_holds_every_part_once)
{
	struct trial trial = trial_of((struct layout){2, 2, 2});
	size_t bytes = sample_area_bytes(&trial);
	unsigned char *area = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	assert_non_null(area);
	memset(area, 0, bytes);
	for (unsigned c = 0; c < trial.ncells; c++)
		for (unsigned r = 0; r < 8; r++) {
			struct tally *tally = sample_tally(&trial, area, c, r);
			struct sample *rows = sample_rows(&trial, area, c, r);
			unsigned n = trial_rows(&trial, &cells[c]);
			/* Separate lines, within the area, and not written by anyone before. */
			assert_int_equal((uintptr_t)tally % 64, 0);
			assert_int_equal((uintptr_t)rows % 64, 0);
			assert_true((unsigned char *)tally >= area);
			assert_true((unsigned char *)(rows + n) <= area + bytes);
			for (size_t i = 0; i < sizeof *tally; i++)
				assert_int_equal(((unsigned char *)tally)[i], 0);
			for (size_t i = 0; i < n * sizeof *rows; i++)
				assert_int_equal(((unsigned char *)rows)[i], 0);
			memset(tally, 0xAA, sizeof *tally);
			memset(rows, 0xBB, n * sizeof *rows);
		}
	free(area);
}

TEST(area_does_not_depend_on_the_mode)
{
	struct trial single = trial_of((struct layout){1, 1, 8});
	struct trial threads = trial_of((struct layout){1, 8, 1});
	struct trial processes = trial_of((struct layout){8, 1, 1});
	char *nowhere = NULL;
	assert_int_equal(sample_area_bytes(&single), sample_area_bytes(&threads));
	assert_int_equal(sample_area_bytes(&single), sample_area_bytes(&processes));
	assert_ptr_equal(sample_rows(&single, nowhere, 2, 5),
	                 sample_rows(&processes, nowhere, 2, 5));
}

/* Found once, or again at each call. */
TEST(parts_lie_where_they_lay)
{
	struct trial found = trial_of((struct layout){2, 2, 2}), anew = found;
	struct status st = {""};
	char *nowhere = NULL;
	assert_int_equal(sample_place(&found, &st), 0);
	assert_non_null(found.places);
	assert_int_equal(sample_area_bytes(&found), sample_area_bytes(&anew));
	for (unsigned c = 0; c < anew.ncells; c++)
		for (unsigned r = 0; r < 8; r++)
			assert_ptr_equal(sample_rows(&found, nowhere, c, r),
			                 sample_rows(&anew, nowhere, c, r));
	/* They are not sought again. */
	found.places[1] += 128;
	assert_ptr_equal((char *)sample_tally(&found, nowhere, 1, 3),
	                 (char *)sample_tally(&anew, nowhere, 1, 3) + 128);
	free(found.places);
}
