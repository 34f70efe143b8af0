/* `make nccl-legacy` without a network: its messages, and the files that it takes. */
#include "here.h"

FIXTURE(begin)
{
	assert_int_equal(access("Makefile", R_OK), 0);
	set_up();
}

/* With the variables in front, the wheel's place in the folder, and no make's variables. */
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

/* The script with hashes of its own, and a folder with a wheel of each release. */
#define WHEELS                                                                                     \
	"cp harness/nccl_legacy.sh $HERE; "                                                        \
	"python3 -c \"import hashlib, os, sys, zipfile\nfor v in sys.argv[2:]:\n"                  \
	" d = sys.argv[1] + '/wheels/' + v; os.makedirs(d)\n"                                      \
	" w = d + '/nvidia_nccl_cu12-' + v + '-py3-none-any.whl'\n"                                \
	" zipfile.ZipFile(w, 'w').writestr('nvidia/nccl/lib/libnccl.so.2', 'library ' + v)\n"      \
	" h = hashlib.sha256(open(w, 'rb').read()).hexdigest()\n"                                  \
	" print('nvidia-nccl-cu12==' + v, '--hash=sha256:' + h)\n\" $HERE 2.21.5 2.19.3 "          \
	"2.26.2.post1 >$HERE/nccl_wheels.txt"
#define RUN                                                                                        \
	"PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS= sh $HERE/nccl_legacy.sh "        \
	"$HERE/wheels "
#define LIBRARY "$HERE/wheels/2.21.5/nvidia/nccl/lib/libnccl.so.2"

/* An existing wheel is not fetched again, and its library's place is printed; several are a list.
 * It is looked at each time: another library is replaced by the wheel's, another wheel is none. */
TEST(what_is_there_is_taken_and_looked_at)
{
	if (no_pip())
		skip();
	char *one =
	    test_text("NCCL_LEGACY=%s/wheels/2.21.5/nvidia/nccl/lib/libnccl.so.2\n", folder);
	char *two = test_text("NCCL_LIBS=%s/wheels/2.19.3/nvidia/nccl/lib/libnccl.so.2:"
	                      "%s/wheels/2.26.2.post1/nvidia/nccl/lib/libnccl.so.2\n",
	                      folder, folder);
	cli_expect(here_shell(WHEELS), 0, "");
	cli_expect(here_shell(RUN "2.21.5 && cat " LIBRARY), 0, one, "library 2.21.5");
	cli_expect(here_shell(RUN "2.19.3 2.26.2.post1"), 0, two);
	cli_expect(here_shell("echo evil >" LIBRARY "; " RUN "2.21.5 && cat " LIBRARY), 0, one,
	           "library 2.21.5");
	cli_expect(here_shell("echo evil | tee -a $HERE/wheels/2.21.5/*.whl; " RUN "2.21.5"),
	           CLI_FAILS, "has not the hash in harness/nccl_wheels.txt");
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

/* Nor is it fetched, if no hash is pinned: pip would run a source package. */
TEST(a_release_without_a_hash_is_refused)
{
	python_is("#!/bin/sh\n[ \"$3\" = --version ] || touch \"$(dirname \"$0\")/asked\"\n");
	cli_expect(legacy("VERSION=2.99.1", PLAYED), CLI_FAILS,
	           "VERSION=2.99.1: no hash of its wheel is in harness/nccl_wheels.txt");
	cli_expect(here_shell("test ! -e $HERE/asked"), 0, "");
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
	python_is("#!/bin/sh\n[ \"$3\" = --version ]\n");
	cli_expect(legacy("VERSION='newest 2.21.5'", PLAYED), CLI_FAILS,
	           "VERSION=newest is no release of NCCL; allowed are such as 2.21.5");
}

TESTS(.undrawn = true, .before = begin, .after = tear_down);
