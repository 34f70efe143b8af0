#include "here.h"

char folder[64], results[80], file[80];

void set_up(void)
{
	cli_folder(folder);
	snprintf(results, sizeof results, "%s/results", folder);
	snprintf(file, sizeof file, "%s/t.exp", folder);
}

void tear_down(void)
{
	cli_clean(folder);
}

struct cli here_run(const char *text, ...)
{
	const char *args[16] = {"run", "--file", file, "--results", results};
	unsigned n = 5;
	va_list more;
	if (text)
		cli_write(folder, "t.exp", text);
	va_start(more, text);
	while ((args[n] = va_arg(more, const char *)) && n < 15)
		n++;
	va_end(more);
	assert_null(args[n]);
	return cli_run(folder, args);
}

struct cli here_shell(const char *format, ...)
{
	char all[4096], out[96];
	int n = snprintf(all, sizeof all, "exec >%s/out 2>&1; ", folder);
	va_list list;
	va_start(list, format);
	n += vsnprintf(all + n, sizeof all - (size_t)n, format, list);
	va_end(list);
	assert_true((size_t)n < sizeof all);
	setenv("HERE", folder, 1);
	setenv("LAUNCHGAP", "build/launchgap", 0);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* Open MPI's, as in cli_start */
	int status = system(all);
	snprintf(out, sizeof out, "%s/out", folder);
	return (struct cli){WEXITSTATUS(status), cli_read(out)};
}

struct cli here_call(const char *arguments)
{
	return here_shell("$LAUNCHGAP %s", arguments);
}

struct cli run_two(const char *backend, const char *text, const char *how)
{
	char *all =
	    test_text("; A test.\n[experiment]\nbackend = %s\nranks = 2\nblocks = 1\nwarmup = 1\n"
	              "stretches = 2\ncalls = 2\nisolated_calls = 2\nlimit = no\n%s",
	              backend, text);
	return here_run(all, how, NULL);
}

const char *here_in(const char *experiment, const char *name)
{
	static char path[2][512];
	static unsigned turn;
	turn = !turn;
	cli_result(folder, experiment, name, path[turn], sizeof path[turn]);
	return path[turn];
}

const char *here_path(const char *name)
{
	return here_in("t", name);
}

char *here_read(const char *name)
{
	char *text = cli_read(here_path(name));
	if (!text)
		fail_msg("%s is missing", name);
	return text;
}

const char *here_waits_for(unsigned lines)
{
	const struct timespec tick = {0, 50000000};
	for (unsigned i = 0; i < 120 * 20; i++, nanosleep(&tick, NULL)) {
		const char *path = here_path("trials.jsonl");
		if (*path && cli_lines(path) >= lines)
			return path;
	}
	fail_msg("after 2 minutes the record lacks its %u lines", lines);
	return NULL;
}
