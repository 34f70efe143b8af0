/* A known fault, from an experiment's file to the verdict: it is found wherever data is checked,
 * and elsewhere the missing check is an error too. */
#include "here.h"
#include "json.h"

/* Runs two ranks on host with these lines, and looks for words in the output. */
static void run(const char *lines, int code, const char *words)
{
	char *text =
	    test_text("; A test.\n[experiment]\nbackend = host\nlimit = no\nranks = 2\nblocks = 1\n"
	              "stretches = 2\npace = stream\n%s\n[variant a]\nmode = threads\n",
	              lines);
	cli_expect(here_run(text, NULL), code, words);
}

/* One buffer for more than one call: in place each call reduces what the one before left, and a
 * fresh call is all that can be checked. */
#define SPOILT "collective = all_reduce\nbytes = 5M\nin_place = yes\ncalls = 2\n"

TEST(a_flip_is_found_where_only_a_fresh_call_is_checked)
{
	run(SPOILT "flip = 1:0", 1, "wrong data in all_reduce_in_place of 5242880 bytes");
	run(SPOILT "flip = 0:5242879", 1, "rank 0, byte 5242876");
}

/* Of the last run's report: so many of the cells, and whether it says so. */
static void fresh_calls(unsigned cells)
{
	json_t *report = json_report(here_path("report.json"));
	const json_t *checked = json_cell(json_table(report, "checked"), JSON_ALL, "fresh_cells");
	json_assert_number(checked, "", cells, 0);
	assert_int_equal(json_one_says(json_section(report, "checks"), "fresh call"), cells > 0);
}

TEST(the_report_says_where_only_a_fresh_call_was_checked)
{
	run(SPOILT, 0, "data correct");
	fresh_calls(2); /* the variant, and its twin */
}

TEST(nor_does_it_where_all_are)
{
	run("collective = all_reduce, all_gather\nbytes = 4K\nin_place = both\ncalls = 2", 0,
	    "data correct");
	fresh_calls(0);
}

TEST(a_flip_that_hits_nothing_fails_the_run)
{
	run("collective = all_reduce, sendrecv\nbytes = 4K, 8K\nflip = 1:1000000", 1,
	    "flip = 1:1000000 hit nothing that is checked");
	run("collective = reduce\nroot = 1\nbytes = 4K\nflip = 0:0", 1,
	    "flip = 0:0 hit nothing that is checked");
	/* In one cell of two is enough. */
	run("collective = reduce, broadcast\nroot = 1\nbytes = 4K\nflip = 0:0", 1,
	    "wrong data in broadcast_root1");
}

TESTS(.undrawn = true, .slow = true, .before = set_up, .after = tear_down);
