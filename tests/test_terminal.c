/* What is printed on terminals of every width and kind, and elsewhere. */
#include <pty.h>

#include "../harness/terminal.h"
#include "here.h"

static const char experiment[] =
    "; Does the mode matter, or 模式是否有影响?\n[experiment]\ncollective = alltoall\n"
    "bytes = 4K, 1M\nbackend = null\nranks = 2\nblocks = 6\npace = stream, isolated\ncalls = 2\n"
    "reference = threads\n[variant threads]\nmode = threads\n"
    "[variant processes-of-a-name-that-is-long]\nmode = processes\nlauncher = exec\n"
    "[claim mode]\ntext = The launch mode matters for collectives of every size\n"
    "metric = busbw\nis = less by 2%\n"
    "left = processes-of-a-name-that-is-long\nright = threads\n";

/* The program's output on a terminal of so many columns; its exit status is 0. */
static char *on_terminal(unsigned columns, const char *term, const char *const argv[])
{
	struct winsize window = {.ws_row = 24, .ws_col = (unsigned short)columns};
	char *text = NULL, part[4096];
	size_t bytes = 0;
	FILE *all = open_memstream(&text, &bytes);
	int fd, status;
	const pid_t pid = forkpty(&fd, NULL, NULL, &window);
	assert_true(all && pid >= 0);
	if (!pid) {
		unsetenv("COLUMNS");
		setenv("TERM", term, 1);
		execv(getenv("LAUNCHGAP"), (char *const *)(size_t)argv);
		_exit(127);
	}
	for (ssize_t n; (n = read(fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
		fwrite(part, 1, n > 0 ? (size_t)n : 0, all);
	close(fd);
	fclose(all);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("%s", text);
	return test_keep(text);
}

/* Runs the experiment there; `more`: an option, or NULL. */
static char *run_on(unsigned columns, const char *term, const char *more)
{
	const char *const argv[] = {"launchgap", "run",   "--file", file,
	                            "--results", results, more,     NULL};
	cli_write(folder, "t.exp", experiment);
	return on_terminal(columns, term, argv);
}

/* But for what is to be copied, a command or a path, and for one long word. */
static void assert_fits(const char *text, unsigned columns)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *end = line + strcspn(line, "\n"), *path = strchr(line, '/'),
		           *command = strstr(line, "launchgap ");
		const char *word = line + strspn(line, " ");
		const bool copied = (path && path < end) || (command && command < end) ||
		                    word + strcspn(word, " \n") == end;
		if (terminal_width(line) > columns && !copied)
			fail_msg("%u columns in place of %u: %.*s", terminal_width(line), columns,
			         (int)(end - line), line);
	}
}

TEST(characters_have_their_widths)
{
	static const struct {
		const char *text;
		unsigned width;
	} rows[] = {{"", 0},         {"a b", 3},       {"±1.2 µs → ÷", 11},     {"模式,a", 6},
	            {"한국", 4},     {"e\xCC\x81", 1}, {"\xF0\x9F\x9A\x80", 2}, {"█▌", 2},
	            {"\xE6\x96", 1}, {"one\ntwo", 3}};
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (terminal_width(rows[i].text) != rows[i].width)
			fail_msg("%s: %u", rows[i].text, terminal_width(rows[i].text));
	assert_int_equal(terminal_fits("模式", 3), 3);
	assert_int_equal(terminal_fits("a模式", 3), 4);
	assert_int_equal(terminal_fits("abc", 3), 3);
	assert_int_equal(terminal_fits("abcd", 0), 0);
	assert_int_equal(terminal_fits("e\xCC\x81x", 1), 3);
}

TEST(columns_are_asked_for_or_80)
{
	static const struct {
		const char *asked;
		unsigned columns, prose;
	} rows[] = {{"40", 40, 40}, {"120", 120, 100}, {"7", 40, 40}, {"999", 200, 100}};
	for (size_t i = 0; i < LENGTH(rows); i++) {
		setenv("COLUMNS", rows[i].asked, 1);
		assert_int_equal(terminal_columns(), rows[i].columns);
		assert_int_equal(terminal_prose_columns(), rows[i].prose);
	}
	struct cli cli = here_shell("COLUMNS=wide $LAUNCHGAP list; COLUMNS= $LAUNCHGAP list");
	assert_narrow(cli.out);
	cli_expect(cli, 0, "all_reduce");
	setenv("COLUMNS", "80", 1);
}

/* At each width, of what there is to read. */
TEST(every_page_fits)
{
	static const unsigned widths[] = {40, 80, 200};
	run_on(80, "dumb", NULL);
	for (size_t i = 0; i < LENGTH(widths); i++) {
		struct cli cli = here_shell(
		    "export COLUMNS=%u; X=$(ls -d $HERE/results/t/2*); for v in \"report $X\" "
		    "\"report -v $X\" \"compare $X $X\" doctor help 'help run' 'help new' "
		    "'help all_reduce_perf' list 'list keys' \"run --file "
		    "$HERE/t.exp --dry-run\" 'run h800_alltoall --dry-run' "
		    "'tour backend=host ranks=4'; do $LAUNCHGAP $v || exit 1; done",
		    widths[i]);
		assert_fits(cli.out, widths[i]);
		assert_lacks(cli.out, "\033");
		cli_expect(cli, 0, "Does the mode matter");
	}
}

/* Each state of the line ends before the last column, so that it never goes on below. */
TEST(the_live_line_never_wraps)
{
	unsigned lines = 0;
	char *text = run_on(40, "xterm", NULL);
	for (const char *at = text; (at = strstr(at, "\r\033[K")); lines++) {
		at += strlen("\r\033[K");
		const size_t n = strcspn(at, "\r\n");
		char *line = test_text("%.*s", (int)n, at);
		if (!strncmp(at + n, "\r\033", 2) && terminal_width(line) >= 40)
			fail_msg("%s", line);
	}
	assert_true(lines > 12);
}

TEST(no_escape_where_there_is_no_line_to_redraw)
{
	char *text = run_on(80, "dumb", NULL);
	assert_says(text, "] block 2 of 6: ");
	assert_lacks(text, "\033");
	/* What a report prints elsewhere is above. */
	struct cli cli = here_run(experiment, "--no-report", NULL);
	assert_lacks(cli.out, "\033");
	cli_expect(cli, 0, "] block 2 of 6: ");
}

/* What is said is the answer as on the whole page, and where the report is: no more. */
TEST(quiet_says_the_answer_alone)
{
	char *text = run_on(80, "xterm", "--quiet");
	assert_lacks(text, "block 1 of");
	assert_lacks(text, "ranks on");
	assert_says(text, "report  ");
	struct cli cli =
	    here_shell("X=$(ls -d $HERE/results/t/2*); $LAUNCHGAP report $X > $HERE/page; "
	               "$LAUNCHGAP report $X -q > $HERE/quiet; cat $HERE/quiet");
	const char *page = cli_read(test_text("%s/page", folder));
	assert_int_equal(cli.code, 0);
	const char *end = strstr(cli.out, "\nreport  "), *more = strstr(cli.out, "\n\n");
	assert_true(end && more && end > cli.out);
	assert_int_equal(text_count(end + 1, "\n"), 1);
	assert_lacks(cli.out, "Measured on ");
	char *headline = test_text("%.*s", (int)(more - cli.out), cli.out);
	assert_true(strstr(page, headline) < strstr(page, "Can it be believed?"));
	cli_expect(here_call("report x -q -v"), 1, "allowed is one of them");
}

TESTS(.undrawn = true, .before = set_up, .after = tear_down);
