/* From stamps to times, and where the stamps are. */
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
