/* `make nccl-legacy` without a network: its messages, and the files that it takes. */
#include <unistd.h>

#include "here.h"
#include "test.h"

static int begin(void **state)
{
	return access("Makefile", R_OK) ? -1 : set_up(state);
}

/* With the variables in front, the wheel's place in the folder; nothing of the make that runs the
 * tests. The caller frees the output. */
static struct cli legacy(const char *version, const char *variables)
{
	return here_shell("env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS %s make -s nccl-legacy "
	                  "WHEELS=$HERE/wheels %s",
	                  variables, version);
}

static bool no_pip(void)
{
	return system("python3 -m pip --version >/dev/null 2>&1") != 0;
}

/* Nothing listens at port 9 of this machine. */
TEST(no_index_is_said)
{
	if (no_pip())
		skip();
	struct cli cli = legacy("", "PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX= "
	                            "PIP_EXTRA_INDEX_URL= PIP_FIND_LINKS= PIP_RETRIES=0 "
	                            "PIP_TIMEOUT=1 PIP_INDEX_URL=http://127.0.0.1:9/simple "
	                            "no_proxy=127.0.0.1");
	assert_lacks(cli.out, "NCCL_LEGACY=/");
	cli_expect(cli, CLI_FAILS, "is there a network? Elsewhere: pip download");
}

/* A python3 before all others. */
#define PLAYED "PATH=$HERE:\"$PATH\""
static void python_is(const char *script)
{
	cli_write(folder, "python3", script);
	cli_expect(here_shell("chmod +x $HERE/python3"), 0, "");
}

TEST(no_pip_is_said)
{
	python_is("#!/bin/sh\nexit 1\n");
	cli_expect(legacy("", PLAYED), CLI_FAILS, "python3 with pip is needed");
}

/* A library of that version, and a pip that can say its version and no more. */
static void there_is(const char *version)
{
	cli_expect(here_shell("d=$HERE/wheels/%s/nvidia/nccl/lib; mkdir -p $d && "
	                      "echo a library >$d/libnccl.so.2",
	                      version),
	           0, "");
	python_is("#!/bin/sh\n[ \"$3\" = --version ]\n");
}

/* An existing library is not fetched again, and its place is printed. */
TEST(what_is_there_is_taken)
{
	char right[224];
	there_is("2.21.5");
	snprintf(right, sizeof right, "NCCL_LEGACY=%s/wheels/2.21.5/nvidia/nccl/lib/libnccl.so.2\n",
	         folder);
	cli_expect(legacy("", PLAYED), 0, right);
}

TEST(several_versions_are_a_list)
{
	char right[320];
	there_is("2.19.3");
	there_is("2.26.2.post1");
	snprintf(right, sizeof right,
	         "NCCL_LIBS=%s/wheels/2.19.3/nvidia/nccl/lib/libnccl.so.2:"
	         "%s/wheels/2.26.2.post1/nvidia/nccl/lib/libnccl.so.2\n",
	         folder, folder);
	cli_expect(legacy("VERSION='2.19.3 2.26.2.post1'", PLAYED), 0, right);
}

/* A pip that sees the folder's files alone. */
#define PIP_HERE                                                                                   \
	"PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_EXTRA_INDEX_URL= PIP_FIND_LINKS=$HERE"

/* Another file under the name of a pinned wheel. */
TEST(a_wheel_of_another_hash_is_refused)
{
	if (no_pip())
		skip();
	cli_write(folder, "nvidia_nccl_cu12-2.21.5-py3-none-any.whl", "a wheel");
	cli_expect(legacy("", PIP_HERE), CLI_FAILS, "DO NOT MATCH THE HASHES",
	           "has not the hash in harness/nccl_wheels.txt");
}

/* To download a source package, pip runs it. */
TEST(a_source_package_is_not_run)
{
	if (no_pip())
		skip();
	cli_expect(
	    here_shell("cd $HERE && mkdir nvidia-nccl-cu12-2.99.1 && "
	               "echo \"open('$HERE/ran', 'w')\" >nvidia-nccl-cu12-2.99.1/setup.py && "
	               "tar czf nvidia-nccl-cu12-2.99.1.tar.gz nvidia-nccl-cu12-2.99.1"),
	    0, "");
	cli_expect(legacy("VERSION=2.99.1", PIP_HERE " PIP_NO_BUILD_ISOLATION=0"), CLI_FAILS,
	           "NCCL 2.99.1: no hash of its wheel is pinned here");
	cli_expect(here_shell("test ! -e $HERE/ran"), 0, "");
}

TEST(what_documents_say_to_fetch_is_pinned)
{
	cli_expect(
	    here_shell("for v in 2.21.5 $(grep -hoE \"VERSION='?[0-9. ]+\" README.md Makefile "
	               "experiments/*.md experiments/*.exp | grep -oE '2[.][0-9.]+[0-9]'); "
	               "do grep -q \"==$v .*sha256\" harness/nccl_wheels.txt || "
	               "{ echo \"$v is not pinned\"; exit 1; }; done"),
	    0, "");
}

TEST(what_is_no_version_is_said)
{
	there_is("2.21.5");
	cli_expect(legacy("VERSION='2.21.5 newest'", PLAYED), CLI_FAILS,
	           "VERSION=newest is no release of NCCL; allowed are such as 2.21.5");
}

TESTS(.before = begin, .after = tear_down);
