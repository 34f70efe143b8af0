/* The Makefile as a front: what it refuses, what it lists, and what it leaves alone. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "here.h"
#include "test.h"

/* make with nothing of the make that runs the tests. The caller frees `out`. */
static struct cli make(const char *environment, const char *arguments)
{
	char command[1024], out[128];
	snprintf(out, sizeof out, "%s/out", folder);
	snprintf(command, sizeof command,
	         "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS %s make %s >%s 2>&1", environment,
	         arguments, out);
	int status = system(command);
	return (struct cli){WEXITSTATUS(status), cli_read(out)};
}

static void made(const char *environment, const char *arguments, bool good, const char *words)
{
	struct cli cli = make(environment, arguments);
	if ((cli.code == 0) != good || !strstr(cli.out, words))
		fail_msg("make %s: exit %d, wanted '%s' in:\n%s", arguments, cli.code, words,
		         cli.out);
	free(cli.out);
}

TEST(an_unknown_variable_is_refused)
{
	made("", "-n experiment NAME=smoke", false, "did you mean EXP?");
	made("", "-n experiment exp=smoke", false, "did you mean EXP?");
	made("", "-n experiment EXP=smoke MODE=threads", false,
	     "did you mean ARGS='--only threads'?");
	made("", "-n experiment EXP=smoke ranks=2", false, "did you mean RANKS?");
	made("", "-n all FROBNICATE=1", false, "FROBNICATE is no variable");
	made("", "-n selftest quick=1", false, "did you mean QUICK?");
}

/* Before anything is built or installed. */
TEST(a_value_that_is_not_allowed_is_refused)
{
	made("", "experiment EXP=smok", false, "there is no experiments/smok.exp");
	made("", "-n plots EXP=never_measured", false, "no run results/never_measured/latest");
	made("", "-n all DEPS=yes", false, "DEPS=yes is not allowed; allowed is install,manual");
	made("", "-n test SAN=address,undefind", false, "allowed is address,undefined,thread");
	made("", "-n selftest QUICK=0", false, "QUICK=0 is not allowed; allowed is 1");
	made("", "-n fuzz RUNS=1e6", false, "allowed is a number");
	made("", "-n all CUDA=/nowhere", false, "there is no /nowhere/bin/nvcc");
	made("", "-n deps DEPS=manual", true, " need build");
	made("", "-n deps DEPS=install", true, " install build");
	made("", "-n all DEPS=install", true, " install build");
	made("", "-n all", true, " need build");
}

/* A fuzzer's objects stay: no make ends by removing them. */
TEST(nothing_that_was_compiled_is_removed)
{
	char arguments[256];
	snprintf(arguments, sizeof arguments, "-n B=%s/build %s/build/tests/fuzz_sizes", folder,
	         folder);
	struct cli cli = make("", arguments);
	assert_int_equal(cli.code, 0);
	assert_non_null(strstr(cli.out, "fuzz_sizes.o"));
	assert_null(strstr(cli.out, "\nrm /"));
	free(cli.out);
}

TEST(what_args_says_is_passed_on_once)
{
	static const char line[] = "run 'smoke'", only[] = "--only threads";
	struct cli cli = make("", "-n experiment EXP=smoke ARGS='--only threads' DEPS=manual");
	char *run = strstr(cli.out, line), *said = run ? strstr(run, only) : NULL;
	if (!said || strstr(said + 1, only))
		fail_msg("make experiment ARGS='--only threads' runs:\n%s", cli.out);
	free(cli.out);
}

TEST(an_experiment_has_no_default)
{
	made("", "experiment", false, "make experiment EXP=name, of\n  access_pattern ");
	made("EXP=smoke", "experiment", false, "EXP is not given");
	made("", "plots", false, "make plots RUN=");
}

/* Only the command line of make counts. */
TEST(the_environment_does_not_leak_in)
{
	struct cli cli =
	    make("TIMEOUT=7 OP=max NCCL=/x BLOCKS=1 ARGS=--frob", "-n experiment EXP=smoke "
	                                                          "RANKS=3 DEPS=manual");
	char *line = strstr(cli.out, "launchgap run");
	assert_int_equal(cli.code, 0);
	assert_non_null(line);
	line[strcspn(line, "\n")] = '\0';
	assert_non_null(strstr(line, "'smoke' ranks='3'"));
	assert_null(strstr(line, "timeout"));
	assert_null(strstr(line, "op="));
	assert_null(strstr(line, "nccl"));
	assert_null(strstr(line, "blocks"));
	assert_null(strstr(line, "--frob"));
	free(cli.out);
}

/* Into a build folder that is not there: nothing is made in it. */
TEST(looking_builds_and_installs_nothing)
{
	char arguments[256], build[80];
	snprintf(build, sizeof build, "%s/build", folder);
	snprintf(arguments, sizeof arguments, "B=%s experiments", build);
	made("", arguments, true, "  smoke  ");
	snprintf(arguments, sizeof arguments, "B=%s doctor", build);
	made("", arguments, true, "not built yet");
	snprintf(arguments, sizeof arguments, "B=%s install DESTDIR=%s/to", build, folder);
	made("", arguments, false, "Build it first");
	assert_int_equal(access(build, F_OK), -1);
}

/* A machine without them: the words for three kinds of systems. */
TEST(what_is_missing_is_named_for_each_system)
{
	char command[512];
	static const char *const words[] = {"libjansson-dev", "jansson-devel",
	                                    "module load gcc gnuplot hwloc", "openmpi-bin"};
	snprintf(command, sizeof command,
	         "mkdir %s/bin; for p in sh cat sed grep sort tr cut; do ln -s $(command -v $p) "
	         "%s/bin; done; PATH=%s/bin /bin/sh harness/packages.sh need build use >%s/out "
	         "2>&1",
	         folder, folder, folder, folder);
	assert_int_equal(WEXITSTATUS(system(command)), 1);
	snprintf(command, sizeof command, "%s/out", folder);
	char *said = cli_read(command);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strstr(said, words[i]))
			fail_msg("no '%s' in:\n%s", words[i], said);
	free(said);
}

/* A user who is not root and has no sudo: nothing is tried, and missing packages are named once. */
TEST(without_a_way_to_be_root_nothing_is_installed)
{
	char command[1024];
	snprintf(command, sizeof command,
	         "mkdir %s/bin; for p in sh cat sed grep sort tr cut; do ln -s $(command -v $p) "
	         "%s/bin; done; echo 'echo 1000' >%s/bin/id; echo 'echo apt-get ran' "
	         ">%s/bin/apt-get; chmod +x %s/bin/*; PATH=%s/bin /bin/sh harness/packages.sh "
	         "install build >%s/out 2>&1",
	         folder, folder, folder, folder, folder, folder, folder);
	assert_int_equal(WEXITSTATUS(system(command)), 1);
	snprintf(command, sizeof command, "%s/out", folder);
	char *said = cli_read(command);
	if (strstr(said, "not found") || strstr(said, "apt-get ran") ||
	    !strstr(said, "To install, as root:\n  Debian, Ubuntu: apt-get update"))
		fail_msg("%s", said);
	free(said);
}

/* As releases of cmocka print it: skipped tests are counted once, and never as failed. */
TEST(the_tests_are_counted_with_each_release_of_cmocka)
{
	static const char *const named[] = {"", "t: "};
	char command[1024], out[80];
	for (unsigned i = 0; i < 2; i++) {
		snprintf(command, sizeof command,
		         "printf '#!/bin/sh\ncat <<END\n[ RUN      ] a\n[       OK ] a\n[ RUN "
		         "     ] b\n[  SKIPPED ] b\n[==========] %s2 test(s) run.\n[  PASSED  ] "
		         "1 test(s).\n[  SKIPPED ] %s1 test(s), listed below:\n[  SKIPPED ] "
		         "b\n\n 1 SKIPPED TEST(S)\nEND\n' >%s/t; chmod +x %s/t; tests/run %s/t "
		         ">%s/out 2>&1",
		         named[i], named[i], folder, folder, folder, folder);
		int status = system(command);
		snprintf(out, sizeof out, "%s/out", folder);
		char *said = cli_read(out);
		if (status || !strstr(said, "\n1 passed, 0 failed, 1 skipped\n"))
			fail_msg("%s", said);
		free(said);
	}
}

/* What the program is linked with, a bare machine gets. */
TEST_WITH(every_library_has_its_package, NULL, NULL)
{
	char *makefile = cli_read("Makefile"), *packages = cli_read("harness/packages.sh"), *next;
	assert_non_null(makefile);
	assert_non_null(packages);
	char *libraries = strstr(makefile, "\nLIBS    := ");
	assert_non_null(libraries);
	libraries = strtok_r(libraries + strlen("\nLIBS    := "), "\n", &next);
	unsigned found = 0;
	for (char *name = strtok_r(libraries, " ", &next); name;
	     name = strtok_r(NULL, " ", &next), found++) {
		char proof[80];
		snprintf(proof, sizeof proof, "pkg-config --exists %s", name);
		if (!strstr(packages, proof))
			fail_msg("harness/packages.sh has no row for %s", name);
	}
	assert_true(found > 3);
	free(makefile);
	free(packages);
}

/* mpirun and gnuplot are no reason to stop: commands that run without them say so. */
TEST(what_is_only_of_use_stops_nothing)
{
	char command[512];
	snprintf(command, sizeof command,
	         "mkdir %s/bin; for p in sh cat sed grep sort tr cut; do ln -s $(command -v $p) "
	         "%s/bin; done; PATH=%s/bin /bin/sh harness/packages.sh need use >%s/out 2>&1",
	         folder, folder, folder, folder);
	assert_int_equal(WEXITSTATUS(system(command)), 0);
	snprintf(command, sizeof command, "%s/out", folder);
	char *said = cli_read(command);
	assert_non_null(strstr(said, "done without: "));
	assert_non_null(strstr(said, "mpirun"));
	free(said);
}

TESTS(.before = set_up, .after = tear_down);
