/* A folder for each test, or for all of a file's: set_up makes it, tear_down removes it. In it
 * results go to `results`, and an experiment may be at `file`. */
#pragma once

#include "cli.h"
#include "test.h"

extern char folder[64], results[80], file[80];

void set_up(void);
void tear_down(void);

/* Runs `file` into `results`, with the arguments that follow, up to NULL; the text, if any, is
 * written there first. */
struct cli here_run(const char *text, ...) __attribute__((sentinel));
/* Measures two ranks and few calls on a backend, with the text's additions; `how`: an argument. */
struct cli run_two(const char *backend, const char *text, const char *how);

/* A command line of sh, in which $HERE is the folder and $LAUNCHGAP the program. */
struct cli here_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The program with these arguments, which sh takes apart. */
struct cli here_call(const char *arguments);
/* Until the record of the only run of `file` has so many lines; returns its path. */
const char *here_waits_for(unsigned lines);

/* Of the only run of `file`: the path of an entry of the run's folder, for "" the folder's own. The
 * path of the call before the last is no longer valid. */
const char *here_path(const char *name);
/* The same of another experiment's only run. */
const char *here_in(const char *experiment, const char *name);
/* Its whole text. */
char *here_read(const char *name);
