/* The Makefile as a front: what it refuses, what it lists, and what it leaves alone. */
#include "here.h"

/* make with nothing of the make that runs the tests. */
static struct cli make(const char *environment, const char *arguments)
{
	return here_shell("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS %s make %s", environment,
	                  arguments);
}

/* Before anything is built or installed, with what was meant or is allowed. A pattern of what is
 * done if it is allowed. */
TEST(what_is_not_allowed_is_refused)
{
	static const struct {
		const char *arguments, *words;
		bool good;
	} rows[] = {
	    {"-n experiment NAME=smoke", "did you mean EXP?", false},
	    {"-n experiment exp=smoke", "did you mean EXP?", false},
	    {"-n experiment EXP=smoke MODE=threads", "did you mean ARGS='--only threads'?", false},
	    {"-n experiment EXP=smoke ranks=2", "did you mean RANKS?", false},
	    {"-n all FROBNICATE=1", "FROBNICATE is no variable", false},
	    {"-n experiment EXP=smoke quick=1", "did you mean QUICK?", false},
	    {"experiment EXP=smok", "there is no experiments/smok.exp", false},
	    {"experiment", "make experiment EXP=name, of\n  access_pattern ", false},
	    {"plots", "make plots RUN=", false},
	    {"-n plots EXP=never_measured", "no run results/never_measured/latest", false},
	    {"-n all DEPS=yes", "DEPS=yes is not allowed; allowed is install,manual", false},
	    {"-n test SAN=address,undefind", "allowed is address,undefined,thread", false},
	    {"-n test WITHOUT='tidy fuzed'", "WITHOUT holds fuzed", false},
	    {"-n experiment EXP=smoke QUICK=0", "QUICK=0 is not allowed; allowed is 1", false},
	    {"-n experiment EXP=smoke QUICK=1", "run 'smoke' --quick", true},
	    {"-n fuzz RUNS=1e6", "allowed is a number", false},
	    {"-n all CUDA=/nowhere", "there is no /nowhere/bin/nvcc", false},
	    {"-n deps DEPS=manual", " need build", true},
	    {"-n deps DEPS=install", " install build", true},
	    {"-n all", " need build", true},
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		cli_expect(make("", rows[i].arguments), rows[i].good ? 0 : CLI_FAILS,
		           rows[i].words);
	cli_expect(make("EXP=smoke", "experiment"), CLI_FAILS, "EXP is not given");
}

/* A fuzzer's objects stay: no make ends by removing them. */
TEST(nothing_that_was_compiled_is_removed)
{
	char *arguments = test_text("-n B=%s/build %s/build/tests/fuzz_sizes", folder, folder);
	struct cli cli = make("", arguments);
	cli_expect(cli, 0, "fuzz_sizes.o");
	assert_lacks(cli.out, "\nrm /");
}

/* What make says it would run is run, with another program in the place of ours. */
TEST(what_a_variable_holds_is_run_by_nobody)
{
	static const char *const says[] = {
	    "experiment EXP='$(shell touch $E)smoke'",
	    "experiment EXP=smoke BYTES=\"'; touch $E; '\"",
	    "experiment EXP=smoke ARGS='; touch $E'",
	    "beside EXP=smoke NCCL_TESTS=/ BLOCKS=\"1 '; touch $E; '\"",
	    "plots RUN=\"/ '; touch $E; '\"",
	    "nccl-legacy VERSION='`touch $E`'",
	    "fuzz RUNS=\"1'; touch $E; '\"",
	    "fuzz TARGET=\"x'; touch $E; '\"",
	    "tour MODE=\"x'; touch $E; '\"",
	    "install DESTDIR=\"/nowhere'; touch $E; '\"",
	};
	for (size_t i = 0; i < LENGTH(says); i++) {
		char text[256], *rest = text, *dollar;
		strcpy(text, says[i]);
		while ((dollar = strstr(rest, "$E"))) {
			char after[256];
			strcpy(after, dollar + 2);
			snprintf(dollar, sizeof text - (size_t)(dollar - text), "%s/evil%s", folder,
			         after);
			rest = dollar + 1;
		}
		cli_expect(
		    here_shell("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -n DEPS=manual %s "
		               ">$HERE/said 2>&1; sed -n 's,^[^ ]*launchgap ,true ,p; s,^install "
		               ",true ,p; s,^harness/nccl_legacy.sh ,true ,p; s,tests/fuzzed "
		               ",true ,p; s,experiments/beside.sh ,true ,p' $HERE/said | sh; true",
		               text),
		    0, "");
		snprintf(text, sizeof text, "%s/evil", folder);
		if (!access(text, F_OK))
			fail_msg("run: %s", says[i]);
	}
}

TEST(its_help_fits_a_terminal)
{
	struct cli cli = make("", "help");
	assert_narrow(cli.out);
	cli_expect(cli, 0, "make experiment EXP=name ", "make lint, format, clean ");
}

/* Only the command line of make counts. */
TEST(the_environment_does_not_leak_in)
{
	struct cli cli = make("TIMEOUT=7 OP=max NCCL=/x BLOCKS=1 ARGS=--frob",
	                      "-n experiment EXP=smoke RANKS=3 "
	                      "ARGS='--only threads' DEPS=manual");
	char *line = strstr(cli.out, "launchgap run");
	assert_int_equal(cli.code, 0);
	assert_non_null(line);
	line[strcspn(line, "\n")] = '\0';
	assert_says(line, "'smoke' ranks='3'");
	assert_int_equal(text_count(line, "--only threads"), 1);
	assert_lacks(line, "timeout");
	assert_lacks(line, "op=");
	assert_lacks(line, "nccl");
	assert_lacks(line, "blocks");
	assert_lacks(line, "--frob");
}

/* Into a build folder that is not there: nothing is made in it. */
TEST(looking_builds_and_installs_nothing)
{
	static const struct {
		const char *goal, *words;
		bool good;
	} rows[] = {{"experiments", "  smoke  ", true},
	            {"doctor", "not built yet", true},
	            {"install DESTDIR=/nowhere", "Build it first", false}};
	const char *build = test_text("%s/build", folder);
	for (size_t i = 0; i < LENGTH(rows); i++)
		cli_expect(make("", test_text("B=%s %s", build, rows[i].goal)),
		           rows[i].good ? 0 : CLI_FAILS, rows[i].words);
	assert_int_equal(access(build, F_OK), -1);
}

/* harness/packages.sh on a machine that has a few programs and nothing else. */
#define BARE                                                                                       \
	"mkdir $HERE/bin; for p in sh cat sed grep sort tr cut; do "                               \
	"ln -s $(command -v $p) $HERE/bin; done; "
#define PACKAGES "PATH=$HERE/bin /bin/sh harness/packages.sh "

TEST(what_is_missing_is_named_for_each_system)
{
	cli_expect(here_shell(BARE PACKAGES "need build use"), 1, "libjansson-dev", "jansson-devel",
	           "module load gcc gnuplot hwloc", "openmpi-bin");
}

/* mpirun and gnuplot are no reason to stop: commands that run without them say so. */
TEST(what_is_only_of_use_stops_nothing)
{
	cli_expect(here_shell(BARE PACKAGES "need use"), 0, "done without: ", "mpirun");
}

/* A user who is not root and has no sudo: nothing is tried, and missing packages are named once. */
TEST(without_a_way_to_be_root_nothing_is_installed)
{
	struct cli cli = here_shell(
	    BARE "echo 'echo 1000' >$HERE/bin/id; echo 'echo apt-get ran' >$HERE/bin/apt-get; "
	         "chmod +x $HERE/bin/*; " PACKAGES "install build");
	assert_lacks(cli.out, "not found");
	assert_lacks(cli.out, "apt-get ran");
	cli_expect(cli, 1, "To install, as root:\n  Debian, Ubuntu: apt-get update");
}

/* As releases of cmocka print it: skipped tests are counted once, and never as failed. */
TEST(the_tests_are_counted_with_each_release_of_cmocka)
{
	static const char *const named[] = {"", "t: "};
	for (unsigned i = 0; i < 2; i++) {
		char *program = test_text(
		    "#!/bin/sh\ncat <<END\n[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n"
		    "[  SKIPPED ] b\n[==========] %s2 test(s) run.\n[  PASSED  ] 1 test(s).\n"
		    "[  SKIPPED ] %s1 test(s), listed below:\n[  SKIPPED ] b\n\n"
		    " 1 SKIPPED TEST(S)\nEND\n",
		    named[i], named[i]);
		cli_write(folder, "t", program);
		cli_expect(here_shell("chmod +x $HERE/t; tests/run $HERE/t"), 0,
		           "\n1 passed, 0 failed, 1 skipped\n");
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
		assert_says(packages, test_text("pkg-config --exists %s", name));
	}
	assert_true(found > 3);
}

TESTS(.before = set_up, .after = tear_down);
