/* The tour: it shows what the collectives do, in every mode, and experiments/tour.md is its output.
 * UPDATE=1 writes that page again. */
#include "here.h"

#define PAGE "experiments/tour.md"
#define HEAD                                                                                       \
	"# The tour\n\n"                                                                           \
	"`make tour MODE=threads` shows what each collective does to a few numbers, rank by "      \
	"rank, in the mode\nthat you choose. The job checks every byte that a rank received. "     \
	"Here on 4 ranks of the `host` backend,\non GPUs with NCCL's own calls.\n\n```\n"
#define FOOT "```\n"

static char *tour_in(const char *mode)
{
	char *key = test_text("mode=%s", mode);
	struct cli cli = cli_call(folder, "tour", key, "backend=host", "ranks=4", NULL);
	assert_int_equal(cli.code, 0);
	return cli.out;
}

TEST(its_page_is_what_it_prints)
{
	char *page = test_text("%s%s%s", HEAD, tour_in("threads"), FOOT);
	if (getenv("UPDATE"))
		cli_write(".", PAGE, page);
	char *kept = cli_read(PAGE);
	assert_non_null(kept);
	if (strcmp(kept, page) != 0)
		fail_msg("%s is not what the tour prints; if that is meant: UPDATE=1, then "
		         "look at git diff",
		         PAGE);
}

/* "  modes/threads.c: threads_spread, which …": the file has that function. */
TEST(where_it_says_that_it_is_done_it_is)
{
	char *out = tour_in("processes"), *line = strstr(out, "\n  modes/");
	unsigned files = 0;
	assert_non_null(line);
	for (; !strncmp(line, "\n  ", 3); line = strchr(line + 1, '\n'), files++) {
		char path[128], name[64], *text;
		assert_int_equal(sscanf(line, " %127[^:]: %63[a-z_]", path, name), 2);
		text = cli_read(path);
		assert_non_null(text);
		char *call = test_text(" %s(", name);
		assert_says(text, call);
	}
	assert_int_equal(files, 3);
}

/* The rows of ranks, with nothing that differs by mode. */
static const char *from_step(char *out, const char *step)
{
	const char *at = strstr(out, step);
	assert_non_null(at);
	return at;
}

TEST(every_mode_shows_the_same_numbers)
{
	char *threads = tour_in("threads"), *single = tour_in("single"),
	     *processes = tour_in("processes");
	assert_string_equal(from_step(single, "\n2. "), from_step(threads, "\n2. "));
	assert_string_equal(from_step(processes, "\n2. "), from_step(threads, "\n2. "));
	assert_says(single, "1 process with 1 thread, 4 ranks a thread");
	assert_says(processes, "4 processes with 1 thread each, 1 rank a thread");
}

/* Libraries with blocking calls show what they have too, in the modes that they have. */
TEST(other_libraries_show_the_same)
{
	static const char *const asked[][2] = {{"mode=processes", "backend=mpi"},
	                                       {"mode=threads", "backend=gloo"}};
	for (unsigned i = 0; i < 2; i++) {
		struct cli cli = cli_call(folder, "tour", asked[i][0], asked[i][1], "ranks=2",
		                          "collective=sendrecv", NULL);
		if (cli.code && strstr(cli.out, "no Gloo here")) {
			continue;
		}
		cli_expect(cli, 0, "rank 1: [20 21 22 23] ─┘              rank 1: [10 11 12 13]");
	}
}

TEST(what_cannot_be_shown_is_said)
{
	cli_expect(
	    cli_call(folder, "tour", "mode=thread", NULL), 1,
	    "reference = 'thread' names no variant (did you mean 'threads'?); allowed is single, "
	    "threads, processes");
	cli_expect(cli_call(folder, "tour", "mode=", NULL), 1, "mode has 0 bytes");
	cli_expect(cli_call(folder, "tour", "--ranks", "2", NULL), 1,
	           "tour: '--ranks' is not understood");
	cli_expect(cli_call(folder, "tour", "backend=null", NULL), 1,
	           "backend null carries no data: there is nothing to show");
	cli_expect(cli_call(folder, "tour", "dtype=int8", NULL), 1, "a tour shows float64 alone");
	cli_expect(cli_call(folder, "tour", "backend=host", "flip=1:9", NULL), 1, "wrong");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
