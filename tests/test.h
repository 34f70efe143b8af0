/* A test registers itself: TEST(what_holds) { … }. The file has no main; a file-wide fixture
 * is named by TESTS. ONLY=pattern in the environment runs those whose names match. The C and POSIX
 * headers that several tests need come with it. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../harness/status.h"

#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

/* Fixtures of a file; each may be NULL. */
struct test_file {
	void (*begin)(void), (*end)(void);    /* once, around all tests */
	void (*before)(void), (*after)(void); /* around each TEST */
	/* Tests that are not for this machine; NULL: none. */
	bool (*leave_out)(const char *name);
	bool undrawn; /* looks at no picture: none is drawn, which takes half of a run's time */
	bool slow;    /* over 10 s: tests/run, which reads it here, begins the program early */
};
extern const struct test_file test_file;
#define TESTS(...) const struct test_file test_file = {__VA_ARGS__}

/* Fails, with the whole text, if it lacks the words, on one line or wrapped; if it has them. */
#define assert_says(TEXT, WORDS)  test_says(TEXT, WORDS, true, __FILE__, __LINE__)
#define assert_lacks(TEXT, WORDS) test_says(TEXT, WORDS, false, __FILE__, __LINE__)
/* The one or the other. */
#define assert_says_if(HAS, TEXT, WORDS) test_says(TEXT, WORDS, HAS, __FILE__, __LINE__)
/* Where a call says why it failed: emptied each time that it is given away; and the text. */
#define WHY test_why()
struct status *test_why(void);
char *because(void);
/* Fails, with that text, if the call does; with that of another status. */
#define assert_works(CALL)            test_works(CALL, because(), __FILE__, __LINE__)
#define assert_worked(FAILED, STATUS) test_works(FAILED, (STATUS).text, __FILE__, __LINE__)
void test_works(int failed, const char *why, const char *at, int line);
/* Fails unless the call gives -1 and says the words. */
#define assert_refused(CALL, WORDS) test_refused(CALL, WORDS, __FILE__, __LINE__)
void test_refused(int result, const char *words, const char *at, int line);
/* Fails, with the whole text, if it begins otherwise. */
#define assert_begins(TEXT, WITH) test_begins(TEXT, WITH, __FILE__, __LINE__)
/* Fails, with both numbers, if they are further apart than `within`; than a share of the second. */
#define assert_near(IS, WANTED, WITHIN) test_near(IS, WANTED, WITHIN, 0, __FILE__, __LINE__)
#define assert_close(IS, WANTED, SHARE) test_near(IS, WANTED, 0, SHARE, __FILE__, __LINE__)
void test_says(const char *text, const char *words, bool has, const char *at, int line);
void test_begins(const char *text, const char *with, const char *at, int line);
void test_near(double is, double wanted, double within, double share, const char *at, int line);
/* Keeps memory reachable to the program's end, so that it is no leak. Returns it. */
void *test_keep(void *memory);
/* A text of its own, kept so. */
char *test_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Joins lines that go on below, set in, to one. */
void text_unwrap(char *text);
/* A copy, kept, with " for each ' but those within words. */
char *test_quotes(const char *text);
/* What printf makes of the rest. */
#define assert_prints(WANTED, ...) assert_string_equal(test_text(__VA_ARGS__), WANTED)
/* How often the words are in the text. */
unsigned text_count(const char *text, const char *words);
/* Fails if any line has more than a terminal's 80 columns. */
void assert_narrow(const char *text);

/* One of the fixtures: FIXTURE(fresh) { … } */
#define FIXTURE(name) static void name(void)
/* For the macros below. Tests run in the order of their lines. */
struct test_case {
	const char *name;
	void (*test)(void), (*before)(void), (*after)(void);
	unsigned line;
};
void test_add(struct test_case test, bool alone);
/* Runs them all; returns main's status. A file with a main of its own calls it. */
int test_run_all(void);

#define TEST_AS(test, alone, before, after)                                                        \
	static void test(void);                                                                    \
	__attribute__((constructor)) static void test##_is_added(void)                             \
	{                                                                                          \
		test_add((struct test_case){#test, test, before, after, __LINE__}, alone);         \
	}                                                                                          \
	static void test(void)
/* A test between the file's `before` and `after`. */
#define TEST(test) TEST_AS(test, false, NULL, NULL)
/* Between its own fixtures, or none: TEST_WITH(name, NULL, NULL). */
#define TEST_WITH(test, before, after) TEST_AS(test, true, before, after)
