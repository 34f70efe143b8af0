/* Traffic during the timed calls: it moves something, stops with every cell in every mode, and leaves data
 * right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/record/record.h"
#include "here.h"
#include "test.h"

static struct cli run(const char *variants)
{
	char text[2048];
	snprintf(text, sizeof text,
	         "cell_timeout = 60s\ncollective = all_reduce\nbytes = 64, 4K\n"
	         "[variant a]\nmode = threads\n%s",
	         variants);
	return run_two("host", text, "--no-report");
}

/* Four cells: it goes on and off for each of them. */
TEST_WITH(traffic_stops_with_each_cell, set_up, tear_down)
{
	static const char *const moving[] = {"threads-links", "processes-links", "single-links",
	                                     "gloo-links"};
	bool moved[4] = {false};
	struct cli cli =
	    run("[variant threads-links]\nmode = threads\ntraffic = links\n"
	        "[variant processes-links]\nmode = processes\ntraffic = links\n"
	        "[variant single-links]\nmode = single\ntraffic = links\n"
	        "[variant threads-cpu]\nmode = threads\ntraffic = cpu\n"
	        "[variant gloo-links]\nbackend = gloo\nmode = processes\ntraffic = links\n");
	if (cli.code)
		fail_msg("%s", cli.out);
	struct record_run record = cli_record(here_path("trials.jsonl"));
	for (unsigned i = 0; i < record.ncells; i++) {
		const struct record_cell *cell = &record.cells[i];
		assert_string_equal(cell->error, "");
		assert_int_equal(cell->wrong, 0);
		const json_t *facts = json_array_get(json_object_get(cell->json, "facts"), 0);
		for (unsigned m = 0; m < 4; m++)
			moved[m] = moved[m] || (!strcmp(cell->variant, moving[m]) &&
			                        json_object_get(facts, "traffic_gbs"));
		/* Cells without traffic, or that move nothing, report none. */
		if (!strcmp(cell->variant, "a") || !strcmp(cell->variant, "threads-cpu"))
			assert_null(json_object_get(facts, "traffic_gbs"));
	}
	assert_true(moved[0] && moved[1] && moved[2]);
	assert_true(moved[3] || strstr(cli.out, "no Gloo here"));
	record_free(&record);
	free(cli.out);
}
