/* Plain copies over one link: runs on the host backend, and what is refused. The nccl backend's own
 * are in tests/standin/test_runs.c, and reports of them are reference records' (links,
 * link_latency). */
#include "here.h"
#include "json.h"

static const char experiment[] =
    "; Which way?\n[experiment]\ncollective = to_device, to_host, pair_copy, pair_staged\n"
    "bytes = 20, 4K\nranks = 3\nbackend = host\nblocks = 1\nwarmup = 1\nstretches = 2\n"
    "calls = 2\nisolated_calls = 2\nlimit = no\nreference = a\n"
    "[variant a]\nmode = threads\n[variant b]\nmode = processes\n"
    "[variant c]\nlike = a\nengine = sm\n";

TEST(on_a_host_they_are_copies_of_cores)
{
	cli_expect(here_run(experiment, NULL), 0, "by a core");
	json_t *report = json_report(here_path("report.json"));
	const json_t *table = json_table(report, "copies");
	assert_int_equal(json_rows(table, JSON_ALL), 8);
	json_assert_number(
	    json_cell(table, JSON_IS("way", "Rank to rank", "variant", "b"), "pairs"), "", 6, 0);
}

static void refused(const char *experiment_lines, const char *why)
{
	char *text = test_text("[experiment]\nbytes = 4K\nranks = 2\nblocks = 1\nlimit = no\n%s",
	                       experiment_lines);
	cli_expect(here_run(text, NULL), 1, why);
}

TEST(what_is_no_plain_copy_is_refused)
{
	refused(
	    "backend = host\ncollective = all_reduce\n[variant a]\nmode = single\nengine = sm\n",
	    "engine = sm is of plain copies");
	refused("backend = host\ncollective = to_host\n[variant a]\nmode = single\npeer = read\n",
	        "peer = read is of the collective pair_copy");
	refused("backend = mpi\ncollective = pair_copy\n[variant a]\nmode = processes\n",
	        "pair_copy: plain copies without a library");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
