/* Cells that are asked for and impossible: omitted, and named before the first trial and in the
 * report. */
#include "here.h"
#include "json.h"

TEST_WITH(the_rest_is_measured, set_up, tear_down)
{
	static const char *const said[] = {
	    "left out: init: backend host has no communicators to make",
	    "left out: all_gather of less than 64 bytes: each of 4 ranks has a part ",
	    "measured out of place only: sendrecv: ",
	};
	struct cli cli =
	    here_run("; A test.\n[experiment]\nbackend = host\nlimit = no\nranks = 4\nblocks = 1\n"
	             "collective = all_reduce, all_gather, sendrecv, init\nbytes = 8..128 x2\n"
	             "pace = isolated\nisolated_calls = 2\nin_place = both\n"
	             "[variant a]\nmode = threads\n",
	             NULL);
	assert_int_equal(cli.code, 0);
	assert_says(cli.out, "all right");
	json_t *report = json_report(here_path("report.json"));
	for (unsigned i = 0; i < LENGTH(said); i++) {
		assert_says(cli.out, said[i]);
		json_assert_one_says(json_section(report, "method"), said[i]);
	}
	/* The head; the variant and its twin, each 5 + 2 sizes in two places, and 5 in one. */
	assert_int_equal(cli_lines(here_path("summary.csv")), 1 + 2 * (2 * (5 + 2) + 5));
}
