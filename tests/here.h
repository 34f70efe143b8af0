/* A folder for each test, or for all of a file's: set_up makes it, tear_down removes it. In it
 * results go to `results`, and an experiment may lie at `file`. */
#ifndef LAUNCHGAP_TESTS_HERE_H
#define LAUNCHGAP_TESTS_HERE_H

#include <stdio.h>

#include "cli.h"

static char folder[64], results[80], file[80];

static inline int set_up(void **state)
{
	(void)state;
	cli_folder(folder);
	snprintf(results, sizeof results, "%s/results", folder);
	snprintf(file, sizeof file, "%s/t.exp", folder);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	cli_clean(folder);
	return 0;
}

/* Measures two ranks and few calls on a backend, with what the text adds; `how`: one more
 * argument. The caller frees what it said. */
static inline struct cli run_two(const char *backend, const char *text, const char *how)
{
	char all[4096];
	snprintf(all, sizeof all,
	         "; A test.\n[experiment]\nbackend = %s\nranks = 2\nblocks = 1\nwarmup = 1\n"
	         "stretches = 2\ncalls = 2\nisolated_calls = 2\nlimit = no\n%s",
	         backend, text);
	cli_write(folder, "t.exp", all);
	return cli_run(
	    folder, (const char *[]){"run", "--file", file, "--results", results, how, NULL});
}

#endif
