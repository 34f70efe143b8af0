/* What lies beside NCCL's own calls on the way to zero-copy, on stand-ins for CUDA's runtime and
 * NCCL: copy engines and plain copies. */
#include "gpus.h"

TEST(an_alltoall_of_plain_copies_is_right)
{
	cli_expect(run("collective = alltoall\nbytes = 4K, 40K\n"
	               "[variant threads]\nmode = threads\napi = copies\n"
	               "[variant single]\nmode = single\napi = copies\nengine = sm\n"
	               "[variant graph]\nmode = threads\napi = copies\ngraph = 2\n"),
	           0, "");
}

/* In each mode, in a stream and in a graph; without windows they are asked for in vain. */
TEST(copy_engines_are_proved_by_the_log)
{
	static const char text[] =
	    "collective = alltoall\nbytes = 4K\npace = isolated\n"
	    "[variant threads]\nmode = threads\napi = native\nregister = window\n"
	    "cta_policy = zero\nenv.NCCL_NVLS_ENABLE = 0\n"
	    "[variant single]\nlike = threads\nmode = single\n"
	    "[variant processes]\nlike = threads\nmode = processes\nlauncher = exec\n"
	    "[variant graph]\nlike = threads\ngraph = 2\n"
	    "[variant in-vain]\nlike = threads\nregister = none\n";
	cli_expect(run(text), 0, "");
	struct record_run record = cli_record(here_in("t", "trials.jsonl"));
	for (unsigned i = 0; i < record.npaths; i++) {
		const bool vain = !strcmp(record.paths[i].variant, "in-vain");
		const json_t *path = record.paths[i].path, *set = json_object_get(path, "settings");
		json_assert_text(json_array_get(set, json_array_size(set) - 1), "act",
		                 vain ? "ignored" : "as asked");
		assert_int_equal(json_is_true(json_object_get(path, "copy_engine")), !vain);
	}
	assert_int_equal(record.npaths, 5);
}

/* With this library all of its ways can be measured, in all modes; without GPUs two. */
TEST(the_experiment_has_all_ways_in_all_modes)
{
	struct cli all = cli_call(folder, "run", "zero_copy", "--dry-run", "ranks=2", NULL),
	           cpu = cli_call(folder, "run", "zero_copy", "--dry-run", "ranks=2",
	                          "backend=host", NULL);
	assert_int_equal(all.code, 0);
	assert_int_equal(text_count(all.out, "left out"), 1);
	assert_says(all.out, "left out: turns: the buffers of 26 jobs need too much memory");
	assert_says(all.out, "single-device-no-entry");
	assert_int_equal(text_count(cpu.out, "left out"), 4);
	assert_says(cpu.out, "processes-ce-graph, threads-ce-graph, single-ce-graph: graph");
}

TESTS(.undrawn = true, .begin = find_all, .before = begin, .after = tear_down);
