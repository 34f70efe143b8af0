/* Buffers on GPUs, and libraries that work in CPU memory: on stand-ins for CUDA's runtime, so that
 * each call goes from the device to pinned memory and back. */
#include "gpus.h"

/* Every element comes back, in place too, and equal to NCCL's. A bit is flipped where the buffer
 * is: on the device. */
TEST(device_buffers_are_staged)
{
	char path[256];
	unsigned mpi = 0, gloo = 0;
	struct cli cli =
	    run_two("nccl",
	            "collective = all_reduce, all_gather, alltoall, scatter, hypercube\n"
	            "bytes = 4K\nin_place = both\nroot = 1\npace = stream\n"
	            "[variant nccl]\nmode = processes\n"
	            "[variant mpi]\nbackend = mpi\nmode = processes\nmemory = device\n"
	            "[variant gloo]\nbackend = gloo\nmode = threads\nmemory = device\n"
	            "[variant turned]\nlike = mpi\nflip = 1:40\n",
	            "--no-report");
	assert_says(cli.out, "turned, block 1: wrong data in ");
	assert_lacks(cli.out, "mpi, block 1: ");
	cli_result(folder, "t", "trials.jsonl", path, sizeof path);
	struct record_run record = cli_record(path);
	for (unsigned i = 0; i < record.ncells; i++) {
		assert_string_equal(record.cells[i].error, "");
		assert_true(!strcmp(record.cells[i].variant, "turned") || !record.cells[i].wrong);
		mpi += !strcmp(record.cells[i].variant, "mpi");
		gloo += !strcmp(record.cells[i].variant, "gloo");
	}
	/* alltoall has only one place. */
	assert_true(mpi >= 2 * 4 + 1);
	assert_true(gloo == mpi || strstr(cli.out, "no Gloo here"));
	char *text = cli_read(path);
	assert_non_null(text);
	assert_says(text, "device, staged through pinned CPU memory");
}

TESTS(.undrawn = true, .begin = find_all, .before = begin, .after = tear_down);
