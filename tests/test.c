#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 256

static struct line {
	struct CMUnitTest test;
	unsigned line;
} lines[MOST];
static unsigned nlines;

/* A file without fixtures has none. A weak definition would not do: clang takes its values for
 * those of the program. */
#pragma weak test_file
static struct test_file of_the_file(void)
{
	return &test_file ? test_file : (struct test_file){.begin = NULL};
}

void test_add(const struct CMUnitTest *test, unsigned line, bool alone)
{
	if (nlines == MOST) {
		fprintf(stderr, "more than %d tests in a file\n", MOST);
		abort();
	}
	lines[nlines] = (struct line){*test, line};
	if (!alone) {
		lines[nlines].test.setup_func = of_the_file().before;
		lines[nlines].test.teardown_func = of_the_file().after;
	}
	nlines++;
}

static int by_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return (x->line > y->line) - (x->line < y->line);
}

int test_run_all(void)
{
	const struct test_file file = of_the_file();
	struct CMUnitTest tests[MOST];
	size_t n = 0;
	qsort(lines, nlines, sizeof *lines, by_line);
	for (unsigned i = 0; i < nlines; i++)
		if (!file.leave_out || !file.leave_out(lines[i].test.name))
			tests[n++] = lines[i].test;
	cmocka_set_test_filter(getenv("ONLY"));
	return _cmocka_run_group_tests("tests", tests, n, file.begin, file.end);
}

__attribute__((weak)) int main(void)
{
	return test_run_all();
}
