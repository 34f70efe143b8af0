/* The host backend carries out every collective, on every path, in every layout, in one process
 * and in several. */
#include "host_rig.h"

#ifdef __SANITIZE_THREAD__
#define TSAN true
#else
#define TSAN false
#endif
#ifdef __SANITIZE_ADDRESS__
#define ASAN true
#else
#define ASAN false
#endif

/* Larger ones for one call only: checking them is what takes the time. */
#define STREAM_BYTES 200000

/* Parts below, at and above a piece and the fifo, and sizes that are no powers of two. */
static const size_t sizes[] = {64, 240, 4096, 65536, 100000, 196624, 524288 + 48, 1 << 20};

static void add_cells(struct rig *rig, bool limit, size_t most)
{
	for (size_t s = 0; s < LENGTH(sizes) && sizes[s] <= most; s++) {
		for (int c = 0; c < COLL_INIT; c++) {
			enum coll_kind coll = (enum coll_kind)c;
			unsigned n = layout_ranks(rig->trial.settings.layout);
			/* A third of the collectives is large at once, by turns. */
			if (!coll_refuses(coll, n) && (limit || coll != COLL_COPY) &&
			    (sizes[s] < 60000 || ((size_t)c + s + n) % 3 == 0))
				rig_add(rig, coll, sizes[s]);
		}
	}
}

static void run_all(struct layout layout, const char *path, unsigned calls, unsigned slots)
{
	static struct rig rig;
	/* The limit has no handshake: its order is the team's meetings, and where another
	 * process opens a meeting TSan does not see that this one's threads have met. */
	bool seen = !TSAN || layout.processes == 1;
	rig_init(&rig, layout, path);
	add_cells(&rig, strcmp(path, "fifo") != 0 && seen, calls > 1 ? STREAM_BYTES : SIZE_MAX);
	rig.calls = calls;
	rig.slots = slots;
	rig_is_right(&rig);
}

/* With all ranks in a thread, a thread for each, and processes; one call and several. */
TEST(every_collective_is_right_on_every_path_in_every_layout)
{
	static const struct {
		struct layout layout;
		unsigned calls, slots;
	} rows[] = {
	    {{1, 1, 1}, 7, 3}, {{1, 1, 2}, 1, 1}, {{1, 1, 5}, 7, 3}, {{1, 2, 1}, 7, 3},
	    {{1, 3, 1}, 1, 1}, {{1, 5, 1}, 1, 1}, {{1, 2, 2}, 9, 4}, {{1, 3, 2}, 5, 1},
	    {{2, 1, 1}, 9, 4}, {{3, 1, 1}, 1, 1}, {{2, 1, 2}, 5, 5}, {{2, 2, 2}, 3, 2},
	};
	static const char *const paths[] = {"direct", "fifo", "shared"};
	for (size_t i = 0; i < LENGTH(rows); i++)
		for (unsigned p = rows[i].layout.processes > 1; p < 3; p++)
			run_all(rows[i].layout, paths[p], rows[i].calls, rows[i].slots);
}

/* Many small calls in flight: the counters come round the slots many times. */
TEST(a_stretch_of_many_calls)
{
	static const char *const paths[] = {"direct", "fifo", "shared"};
	static struct rig rig;
	for (unsigned p = 0; p < 3; p++) {
		rig_init(&rig, (struct layout){1, 2, 1}, paths[p]);
		for (unsigned repeat = 0; repeat < 4; repeat++) {
			rig_add(&rig, COLL_ALLTOALL, 512);
			rig_add(&rig, COLL_ALL_REDUCE, 1024);
			if (p != 1)
				rig_add(&rig, COLL_COPY, 256);
			rig_add(&rig, COLL_SENDRECV, 2048);
		}
		rig.calls = 2000;
		rig.slots = 100;
		rig_is_right(&rig);
	}
}

TEST(timed_calls_fault_no_pages)
{
	static const struct {
		struct layout layout;
		const char *path;
	} rows[] = {
	    {{1, 2, 1}, "direct"}, {{1, 2, 1}, "fifo"}, {{2, 1, 1}, "fifo"}, {{2, 1, 2}, "shared"}};
	static struct rig rig;
	for (size_t i = 0; i < LENGTH(rows); i++) {
		uint64_t faults = 0;
		rig_init(&rig, rows[i].layout, rows[i].path);
		rig_add(&rig, COLL_ALLTOALL, 1 << 20);
		rig_add(&rig, COLL_ALL_REDUCE, 1 << 20);
		rig_add(&rig, COLL_SENDRECV, 1 << 20);
		rig.slots = rig.calls = 4;
		rig_raise(&rig);
		rig_run(&rig);
		rig_assert_right(&rig);
		for (unsigned r = 0; r < layout_ranks(rows[i].layout); r++)
			faults += rig.results[r].faults;
		/* A few are the program's own (a stack, a page of code); buffers would be hundreds.
		 * Shadow memory faults too. */
		assert_true(TSAN || ASAN || faults < 16);
		rig_lower(&rig);
	}
}

TESTS(.slow = true);
