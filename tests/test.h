/* A test registers itself: TEST(what_holds) { … }. The file has no main; a file-wide fixture
 * is named by TESTS. ONLY=pattern in the environment runs those whose names match. */
#ifndef LAUNCHGAP_TEST_H
#define LAUNCHGAP_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Fixtures of a file; each may be NULL. */
struct test_file {
	CMFixtureFunction begin, end;    /* once, around all tests */
	CMFixtureFunction before, after; /* around each TEST */
	/* Tests that are not for this machine; NULL: none. */
	bool (*leave_out)(const char *name);
	bool slow; /* over 10 s: tests/run, which reads it here, begins the program early */
};
extern const struct test_file test_file;
#define TESTS(...) const struct test_file test_file = {__VA_ARGS__}

/* For the macros below. Tests run in the order of their lines. */
void test_add(const struct CMUnitTest *test, unsigned line, bool alone);
/* Runs them all; returns main's status. A file with a main of its own calls it. */
int test_run_all(void);

#define TEST_AS(test, alone, ...)                                                                  \
	static void test(void **state);                                                            \
	__attribute__((constructor)) static void test##_is_added(void)                             \
	{                                                                                          \
		test_add(&(struct CMUnitTest){#test, test, __VA_ARGS__}, __LINE__, alone);         \
	}                                                                                          \
	static void test(void **state __attribute__((unused)))
/* A test between the file's `before` and `after`. */
#define TEST(test) TEST_AS(test, false, NULL, NULL, NULL)
/* Between its own fixtures, or none: TEST_WITH(name, NULL, NULL). */
#define TEST_WITH(test, before, after) TEST_AS(test, true, before, after, NULL)

#endif
