#include "here.h"

char folder[64], results[80], file[80];

int set_up(void **state)
{
	(void)state;
	cli_folder(folder);
	snprintf(results, sizeof results, "%s/results", folder);
	snprintf(file, sizeof file, "%s/t.exp", folder);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	cli_clean(folder);
	return 0;
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

struct cli run_two(const char *backend, const char *text, const char *how)
{
	char all[4096];
	snprintf(all, sizeof all,
	         "; A test.\n[experiment]\nbackend = %s\nranks = 2\nblocks = 1\nwarmup = 1\n"
	         "stretches = 2\ncalls = 2\nisolated_calls = 2\nlimit = no\n%s",
	         backend, text);
	return here_run(all, how, NULL);
}

const char *here_path(const char *name)
{
	static char path[2][512];
	static unsigned turn;
	turn = !turn;
	cli_result(folder, "t", name, path[turn], sizeof path[turn]);
	return path[turn];
}

char *here_read(const char *name)
{
	char *text = cli_read(here_path(name));
	if (!text)
		fail_msg("%s is missing", name);
	return text;
}
