/* The rule of who includes whom: the folders show the data flow only while this holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>

/* `what` (as a source line has it, a pattern) stands in no file of `where` but those that match
 * one of `except`. */
static const struct rule {
	const char *what, *where;
	const char *except[8];
} rules[] = {
    {"*#include*report/*", "harness/analysis/*", {NULL}},
    {"*FILE *", "harness/analysis/*", {NULL}},
    {"*#include*modes/*", "harness/*", {"harness/verbs/*", "harness/config/*"}},
    {"*#include*backend*", "modes/*", {NULL}},
    {"*#include*clock.h*", "modes/*", {NULL}},
    {"*#include*record.h*", "modes/*", {NULL}},
    {"*#include*<mpi.h>*", "*", {"modes/processes.c", "harness/backend/mpi.c"}},
    {"*#include*<nccl.h>*", "*", {"harness/backend/nccl/*"}},
    {"*#include*<cuda*", "*", {"harness/backend/*"}},
    {"*#include*<nvml*", "*", {NULL}},
    {"*[!a-z_]getenv(*", "*", {"harness/machine.c"}},
    {"*environ;*", "*", {"harness/machine.c"}},
    {"*clock_gettime(CLOCK_MONO*", "*", {"harness/clock.h"}},
    {"*gettimeofday(*", "*", {NULL}},
    {"*[!a-z_]system(*", "*", {NULL}},
    {"*[!a-z_]popen(*", "*", {NULL}},
    {"*[!a-z_]printf(*",
     "*",
     {"harness/verbs/*", "harness/status.c", "harness/report/*", "harness/compare/*",
      "harness/selftest/*", "harness/doctor.c"}},
    {"*[!a-z_]puts(*",
     "*",
     {"harness/main.c", "harness/status.c", "harness/report/*", "harness/compare/*"}},
};

static unsigned files, broken;

static int is_excepted(const struct rule *rule, const char *path)
{
	for (unsigned i = 0; rule->except[i]; i++)
		if (!fnmatch(rule->except[i], path, 0))
			return 1;
	return 0;
}

static int look(const char *path, const struct stat *stat, int type)
{
	char line[1024];
	FILE *f;
	(void)stat;
	const char *dot = strrchr(path, '.');
	if (type != FTW_F || !dot ||
	    (strcmp(dot, ".c") && strcmp(dot, ".h") && strcmp(dot, ".cu")))
		return 0;
	f = fopen(path, "r");
	assert_non_null(f);
	files++;
	for (unsigned n = 1; fgets(line, sizeof line, f); n++) {
		line[strcspn(line, "\n")] = '\0';
		for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++) {
			if (fnmatch(rules[i].where, path, 0) ||
			    fnmatch(rules[i].what, line, 0) || is_excepted(&rules[i], path))
				continue;
			print_error("%s:%u: `%s` does not belong here\n", path, n,
			            rules[i].what);
			broken++;
		}
	}
	fclose(f);
	return 0;
}

static void each_room_knows_only_what_it_may(void **state)
{
	(void)state;
	assert_int_equal(ftw("harness", look, 16), 0);
	assert_int_equal(ftw("modes", look, 16), 0);
	assert_true(files > 20);
	assert_int_equal(broken, 0);
}

static void the_patterns_catch_what_they_name(void **state)
{
	static const char *const bad[] = {
	    "#include \"../report/table.h\"",
	    "\tFILE *out;",
	    "#include \"../modes/mode.h\"",
	    "#include \"../harness/backend/backend.h\"",
	    "#include \"../harness/clock.h\"",
	    "#include \"../harness/record.h\"",
	    "#include <mpi.h>",
	    "#include <nccl.h>",
	    "#include <cuda_runtime.h>",
	    "#include <nvml.h>",
	    "\tx = getenv(\"HOME\");",
	    "extern char **environ;",
	    "\tclock_gettime(CLOCK_MONOTONIC, &t);",
	    "\tgettimeofday(&t, 0);",
	    "\tsystem(\"ls\");",
	    "\tpopen(\"ls\", \"r\");",
	    "\tprintf(\"x\");",
	    "\tputs(\"x\");",
	};
	(void)state;
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(fnmatch(rules[i].what, bad[i], 0), 0);
	assert_int_not_equal(fnmatch("*[!a-z_]printf(*", "\tsnprintf(a, 1, b);", 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_room_knows_only_what_it_may),
	    cmocka_unit_test(the_patterns_catch_what_they_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
