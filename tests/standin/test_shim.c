/* A library in front of NCCL that needs it is loaded itself, and not the one that it needs: its
 * changes to a call reach the run. tests/shim_nccl.c is such a library; on GPUs it is in front of
 * the real NCCL. */

#include "../cli.h"
#include "../standin.h"
#include "../test.h"

static const struct {
	const char *does, *mode;
	int code;
	const char *says;
} cases[] = {
    {"nothing", "threads", 0, ""},
    {"hang", "threads", 1, "4096 bytes, stream, in a call that does not return (1 of 2 workers)"},
    {"late", "threads", 0, ""},
    {"error", "processes", 1, "NCCL: unhandled system error"},
    {"wrong", "single", 1, "wrong data in all_reduce"},
};
#define CASES LENGTH(cases)

static char folders[CASES][64];

static pid_t start(unsigned i)
{
	char shim[STANDIN_BYTES];
	cli_folder(folders[i]);
	standin_find_named("../shim_nccl.so", shim);
	char *file = test_text("%s/t.exp", folders[i]);
	char *results = test_text("%s/results", folders[i]);
	char *token = test_text("%s/struck", folders[i]);
	char *text = test_text("[experiment]\nbackend = nccl\nranks = 2\nblocks = 1\nwarmup = 1\n"
	                       "stretches = 6\ncalls = 20\nlimit = no\ncell_timeout = %s\n"
	                       "collective = all_reduce\nbytes = 4K\npace = stream\n"
	                       "[variant v]\nmode = %s\nnccl = %s\n",
	                       strcmp(cases[i].does, "hang") ? "60" : "2", cases[i].mode, shim);
	cli_write(folders[i], "t.exp", text);
	setenv("SHIM_NCCL", cases[i].does, 1);
	setenv("SHIM_TOKEN", token, 1);
	return cli_start(folders[i], (const char *[]){"run", "--file", file, "--results", results,
	                                              "--no-report", NULL});
}

/* The longest row of the record, as its stamps are. */
static json_int_t longest_ns(char *record)
{
	json_int_t most = 0;
	char *line;
	while ((line = strsep(&record, "\n")) && *line) {
		json_t *cell = json_loads(line, 0, NULL), *from = json_object_get(cell, "start_ns"),
		       *to = json_object_get(cell, "idle_ns");
		for (size_t r = 0; r < json_array_size(from); r++)
			for (size_t i = 0; i < json_array_size(json_array_get(from, r)); i++) {
				json_int_t ns =
				    json_integer_value(json_array_get(json_array_get(to, r), i)) -
				    json_integer_value(json_array_get(json_array_get(from, r), i));
				most = ns > most ? ns : most;
			}
		json_decref(cell);
	}
	return most;
}

static void expect(unsigned i, struct cli cli)
{
	char path[256], shim[STANDIN_BYTES], real[STANDIN_BYTES];
	print_message("%s:\n", cases[i].does);
	cli_expect(cli, cases[i].code, cases[i].says);
	cli_result(folders[i], "t", "trials.jsonl", path, sizeof path);
	char *record = cli_read(path);
	standin_find_named("../shim_nccl.so", shim);
	assert_non_null(realpath(shim, real));
	assert_says(record, real);
	assert_lacks(record, "libnccl.so.2\"");
	const bool late = !strcmp(cases[i].does, "late"); /* it sleeps for so long */
	assert_true(!late || longest_ns(record) >= 3000000000);
}

/* Side by side, as most of them wait. */
TEST(what_stands_before_nccl_acts)
{
	pid_t pids[CASES];
	struct cli ends[CASES];
	for (unsigned i = 0; i < CASES; i++)
		pids[i] = start(i);
	for (unsigned i = 0; i < CASES; i++)
		ends[i] = cli_wait(pids[i], folders[i], 60);
	for (unsigned i = 0; i < CASES; i++) {
		expect(i, ends[i]);
		cli_clean(folders[i]);
	}
}
