/* `make nccl-legacy` without a network: its messages, and the files that it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "here.h"
#include "test.h"

static int begin(void **state)
{
	return access("Makefile", R_OK) ? -1 : set_up(state);
}

/* With the variables in front, the wheel's place in the folder; nothing of the make that runs the
 * tests. The caller frees the output. */
static int legacy_of(const char *version, const char *variables, char **said)
{
	char command[1024], path[128];
	snprintf(command, sizeof command,
	         "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS %s make -s nccl-legacy "
	         "WHEELS=%s/wheels %s >%s/out 2>&1",
	         variables, folder, version, folder);
	int code = system(command);
	snprintf(path, sizeof path, "%s/out", folder);
	*said = cli_read(path);
	assert_non_null(*said);
	return code;
}

static int legacy(const char *variables, char **said)
{
	return legacy_of("", variables, said);
}

static void says(char *said, const char *words)
{
	if (!strstr(said, words))
		fail_msg("'%s' does not say '%s'", said, words);
	free(said);
}

/* Nothing listens at port 9 of this machine. */
TEST(no_index_is_said)
{
	char *said;
	if (system("python3 -m pip --version >/dev/null 2>&1"))
		skip();
	assert_int_not_equal(legacy("PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX= "
	                            "PIP_EXTRA_INDEX_URL= PIP_FIND_LINKS= PIP_RETRIES=0 "
	                            "PIP_TIMEOUT=1 PIP_INDEX_URL=http://127.0.0.1:9/simple "
	                            "no_proxy=127.0.0.1",
	                            &said),
	                     0);
	assert_null(strstr(said, "NCCL_LEGACY=/"));
	says(said, "is there a network? Elsewhere: pip download");
}

TEST(no_pip_is_said)
{
	char variables[128], python[96], *said;
	cli_write(folder, "python3", "#!/bin/sh\nexit 1\n");
	snprintf(python, sizeof python, "%s/python3", folder);
	assert_int_equal(chmod(python, 0755), 0);
	snprintf(variables, sizeof variables, "PATH=%s:\"$PATH\"", folder);
	assert_int_not_equal(legacy(variables, &said), 0);
	says(said, "python3 with pip is needed");
}

/* A library of that version, and a pip that can say its version and no more. */
static void there_is(const char *version, char variables[256])
{
	char parent[160], library[128], python[96];
	snprintf(parent, sizeof parent, "mkdir -p %s/wheels/%s/nvidia/nccl/lib", folder, version);
	assert_int_equal(system(parent), 0);
	snprintf(library, sizeof library, "wheels/%s/nvidia/nccl/lib/libnccl.so.2", version);
	cli_write(folder, library, "a library");
	cli_write(folder, "python3", "#!/bin/sh\n[ \"$3\" = --version ]\n");
	snprintf(python, sizeof python, "%s/python3", folder);
	assert_int_equal(chmod(python, 0755), 0);
	snprintf(variables, 256, "PATH=%s:\"$PATH\"", folder);
}

/* An existing library is not fetched again, and its place is printed. */
TEST(what_is_there_is_taken)
{
	char variables[256], right[224], *said;
	there_is("2.21.5", variables);
	assert_int_equal(legacy(variables, &said), 0);
	snprintf(right, sizeof right, "NCCL_LEGACY=%s/wheels/2.21.5/nvidia/nccl/lib/libnccl.so.2\n",
	         folder);
	says(said, right);
}

TEST(several_versions_are_a_list)
{
	char variables[256], right[320], *said;
	there_is("2.19.3", variables);
	there_is("2.26.2.post1", variables);
	assert_int_equal(legacy_of("VERSION='2.19.3 2.26.2.post1'", variables, &said), 0);
	snprintf(right, sizeof right,
	         "NCCL_LIBS=%s/wheels/2.19.3/nvidia/nccl/lib/libnccl.so.2:"
	         "%s/wheels/2.26.2.post1/nvidia/nccl/lib/libnccl.so.2\n",
	         folder, folder);
	says(said, right);
}

/* A pip that sees the folder's files alone. */
#define PIP_HERE "PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_EXTRA_INDEX_URL= PIP_FIND_LINKS=%s"

/* Another file under the name of a pinned wheel. */
TEST(a_wheel_of_another_hash_is_refused)
{
	char variables[256], *said;
	if (system("python3 -m pip --version >/dev/null 2>&1"))
		skip();
	cli_write(folder, "nvidia_nccl_cu12-2.21.5-py3-none-any.whl", "a wheel");
	snprintf(variables, sizeof variables, PIP_HERE, folder);
	assert_int_not_equal(legacy(variables, &said), 0);
	assert_non_null(strstr(said, "DO NOT MATCH THE HASHES"));
	says(said, "has not the hash in harness/nccl_wheels.txt");
}

/* To download a source package, pip runs it. */
TEST(a_source_package_is_not_run)
{
	char command[512], variables[256], *said;
	if (system("python3 -m pip --version >/dev/null 2>&1"))
		skip();
	snprintf(command, sizeof command,
	         "cd %s && mkdir nvidia-nccl-cu12-2.99.1 && echo 'open(\"%s/ran\", \"w\")' "
	         ">nvidia-nccl-cu12-2.99.1/setup.py && "
	         "tar czf nvidia-nccl-cu12-2.99.1.tar.gz nvidia-nccl-cu12-2.99.1",
	         folder, folder);
	assert_int_equal(system(command), 0);
	snprintf(variables, sizeof variables, PIP_HERE " PIP_NO_BUILD_ISOLATION=0", folder);
	assert_int_not_equal(legacy_of("VERSION=2.99.1", variables, &said), 0);
	snprintf(command, sizeof command, "%s/ran", folder);
	assert_int_not_equal(access(command, F_OK), 0);
	says(said, "NCCL 2.99.1: no hash of its wheel is pinned here");
}

TEST(what_documents_say_to_fetch_is_pinned)
{
	assert_int_equal(
	    system("for v in 2.21.5 $(grep -hoE \"VERSION='?[0-9. ]+\" README.md Makefile "
	           "experiments/*.md experiments/*.exp | grep -oE '2[.][0-9.]+[0-9]'); do "
	           "grep -q \"==$v .*sha256\" harness/nccl_wheels.txt || "
	           "{ echo \"$v is not pinned\"; exit 1; }; done"),
	    0);
}

TEST(what_is_no_version_is_said)
{
	char variables[256], *said;
	there_is("2.21.5", variables);
	assert_int_not_equal(legacy_of("VERSION='2.21.5 newest'", variables, &said), 0);
	says(said, "VERSION=newest is no release of NCCL; allowed are such as 2.21.5");
}

TESTS(.before = begin, .after = tear_down);
