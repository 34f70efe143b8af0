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

#endif
