/* A search from end to end on the virtual device: its blocks, its confirmation, and that it goes on
 * where it was cut off. test_search.c tests its findings. */
#include "../harness/config/search.h"
#include "here.h"
#include "json.h"

#define SPACE                                                                                      \
	"[experiment]\ncollective = alltoall\nbytes = 4K\npace = stream\nbackend = null\n"         \
	"calls = 2\nstretches = 2\nwarmup = 0\nlimit = no\nblocks = 6\n"                           \
	"[variant default]\nmode = single\ndelay = 20ms\n"                                         \
	"[variant other]\nmode = single\ndelay = 21ms\n"                                           \
	"[search]\nfinalists = 1\ndelay = 1ms\nextra = 20ms\n"

static struct record_run load(char path[512])
{
	strcpy(path, here_path(""));
	return cli_record(path);
}

static unsigned confirms(const struct record_run *run)
{
	unsigned n = 0;
	for (unsigned i = 0; i < run->search->nblocks; i++)
		n += run->search->blocks[i].confirms;
	return n;
}

/* Cells of a variant, those of the search as well. */
static unsigned cells_of(const struct record_run *run, const char *variant)
{
	unsigned n = 0;
	for (unsigned i = 0; i < run->ncells + run->search->ncells; i++)
		n += !strcmp(run->cells[i].variant, variant);
	return n;
}

/* cut: blocks that lost trials. */
static void whole(const char *path, const struct record_run *run, unsigned cut)
{
	char name[600];
	assert_int_equal(confirms(run), 6);
	assert_int_equal(run->search->blocks[run->search->nblocks - 1].round, SEARCH_ROUNDS);
	assert_string_equal(run->end.reason, "search");
	assert_says(run->end.text, "the best of them again in 6 blocks");
	/* The reference in every block, its twin and others of the file in the confirmation. */
	assert_in_range(cells_of(run, "default"), run->search->nblocks - cut, run->search->nblocks);
	assert_int_equal(cells_of(run, "default-again"), 6);
	assert_int_equal(cells_of(run, "other"), 6);
	assert_int_equal(run->nvariants, 4);
	snprintf(name, sizeof name, "%s/report.json", path);
	json_t *report = json_report(name);
	assert_int_equal(json_count(report, "finalists"), 1);
	assert_true(json_has_table(report, "searched"));
	snprintf(name, sizeof name, "%s/nccl.conf", path);
	char *conf = cli_read(name);
	assert_non_null(conf);
	assert_says(conf, "NCCL_CONF_FILE");
}

TEST(a_search_is_confirmed_and_goes_on_where_it_was_cut_off)
{
	char path[512];
	cli_write(folder, "t.exp", SPACE);
	const char *args[] = {"run", "--file", file, "--results", results, NULL};
	cli_expect(cli_run(folder, args), 0, "Ended by search.");
	struct record_run run = load(path);
	whole(path, &run, 0);
	record_free(&run);
	/* Cut after a whole line in the middle of its second block. */
	char *file_name = test_text("%s/trials.jsonl", path);
	char *text = cli_read(file_name), *cut = text;
	for (unsigned i = 0; i < 2; i++)
		cut = strstr(cut + 1, "\"kind\":\"search\"");
	cut = strstr(cut, "\"kind\":\"cell\"");
	cut = strchr(cut, '\n') + 1;
	assert_says(cut, "\"confirms\":true");
	*cut = '\0';
	cli_write(path, "trials.jsonl", text);
	const char *again[] = {"resume", path, NULL};
	cli_expect(cli_run(folder, again), 0, "Ended by search.");
	run = load(path);
	whole(path, &run, 1);
	/* The second block's round again, for its missing trials. */
	assert_int_equal(run.search->blocks[2].round, run.search->blocks[1].round);
	record_free(&run);
	/* Then there is nothing to add. */
	cli_expect(cli_run(folder, again), 0, "Ended by search.");
	run = load(path);
	whole(path, &run, 1);
	record_free(&run);
}

/* The first block has four trials, of which three take 80 ms or more: by their mean, 24 trials of
 * the confirmation after another round take more than a second. */
TEST(a_spent_budget_ends_the_search_and_not_its_confirmation)
{
	char path[512];
	cli_write(folder, "t.exp", SPACE);
	const char *args[] = {"run",   "--file",      file,        "--results",
	                      results, "--no-report", "budget=1s", NULL};
	cli_expect(cli_run(folder, args), 0, "Ended by search.");
	struct record_run run = load(path);
	assert_int_equal(run.search->nblocks, 1 + 6);
	assert_false(run.search->blocks[0].confirms);
	assert_int_equal(confirms(&run), 6);
	record_free(&run);
}

TEST(a_plan_is_shown_without_a_trial)
{
	cli_write(folder, "t.exp", SPACE);
	const char *args[] = {"run", "--file", file, "--results", results, "--dry-run", NULL};
	cli_expect(cli_run(folder, args), 0, "to confirm 1 finalist\n");
	const char *large[] = {"run",   "--file",      file,          "--results",
	                       results, "finalists=6", "--no-report", NULL};
	cli_expect(cli_run(folder, large), 1, "unknown key 'finalists'");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
