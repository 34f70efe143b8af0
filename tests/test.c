#include "test.h"

#include <ctype.h>

#include "../harness/terminal.h"

#define MOST 256

static struct test_case all[MOST];
static unsigned nall;

/* A file without fixtures has none. A weak definition would not do: clang takes its values for
 * those of the program. */
#pragma weak test_file
static struct test_file of_the_file(void)
{
	return &test_file ? test_file : (struct test_file){.begin = NULL};
}

void test_add(struct test_case test, bool alone)
{
	if (nall == MOST) {
		fprintf(stderr, "more than %d tests in a file\n", MOST);
		abort();
	}
	if (!alone) {
		test.before = of_the_file().before;
		test.after = of_the_file().after;
	}
	all[nall++] = test;
}

static int call(void (*fixture)(void))
{
	if (fixture)
		fixture();
	return 0;
}

static int begin(void **state)
{
	(void)state;
	return call(of_the_file().begin);
}

static int end(void **state)
{
	(void)state;
	return call(of_the_file().end);
}

static int before(void **state)
{
	return call(((const struct test_case *)*state)->before);
}

static int after(void **state)
{
	return call(((const struct test_case *)*state)->after);
}

static void do_test(void **state)
{
	((const struct test_case *)*state)->test();
}

void *test_keep(void *memory)
{
	static void **kept;
	static size_t n;
	kept = realloc(kept, ++n * sizeof *kept);
	return kept[n - 1] = memory;
}

char *test_text(const char *format, ...)
{
	char *text;
	va_list list;
	va_start(list, format);
	assert_true(vasprintf(&text, format, list) >= 0);
	va_end(list);
	return test_keep(text);
}

char *test_quotes(const char *text)
{
	char *copy = test_text("%s", text);
	for (char *at = copy; (at = strchr(at, '\'')); at++)
		if (at == copy || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)at[1]))
			*at = '"';
	return copy;
}

void text_unwrap(char *text)
{
	char *to = text;
	for (const char *from = text; *from;) {
		bool line = *from == '\n' && from[1] == ' ';
		*to++ = line ? ' ' : *from;
		from += line ? 1 + strspn(from + 1, " ") : 1;
	}
	*to = '\0';
}

/* Where a line breaks depends on the figures in it. */
static bool text_says(const char *text, const char *words)
{
	if (strstr(text, words))
		return true;
	char *whole = strdup(text);
	text_unwrap(whole);
	bool says = strstr(whole, words);
	free(whole);
	return says;
}

void test_says(const char *text, const char *words, bool has, const char *at, int line)
{
	if (text && text_says(text, words) == has)
		return;
	fprintf(stderr, "%s\n", text ? text : "nothing"); /* too long for cmocka's own */
	print_error("%s \"%s\"\n", has ? "lacks" : "says", words);
	_fail(at, line);
}

void test_works(int failed, const char *why, const char *at, int line)
{
	if (!failed)
		return;
	print_error("%s\n", why);
	_fail(at, line);
}

static _Thread_local struct status why;

struct status *test_why(void)
{
	why.text[0] = '\0';
	return &why;
}

char *because(void)
{
	return why.text;
}

void test_refused(int result, const char *words, const char *at, int line)
{
	if (result != -1) {
		print_error("%d is no refusal\n", result);
		_fail(at, line);
	}
	test_says(because(), words, true, at, line);
}

void test_begins(const char *text, const char *with, const char *at, int line)
{
	if (text && !strncmp(text, with, strlen(with)))
		return;
	fprintf(stderr, "%s\n", text ? text : "nothing");
	print_error("does not begin with \"%s\"\n", with);
	_fail(at, line);
}

void test_near(double is, double wanted, double within, double share, const char *at, int line)
{
	within += share * fabs(wanted);
	if (fabs(is - wanted) <= within)
		return;
	print_error("%.12g is not within %g of %.12g\n", is, within, wanted);
	_fail(at, line);
}

unsigned text_count(const char *text, const char *words)
{
	unsigned n = 0;
	for (const char *at = text; (at = strstr(at, words)); at++)
		n++;
	return n;
}

void assert_narrow(const char *text)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (terminal_width(line) > 80)
			fail_msg("%u columns: %.*s", terminal_width(line), (int)strcspn(line, "\n"),
			         line);
}

static int by_line(const void *a, const void *b)
{
	const struct test_case *x = a, *y = b;
	return (x->line > y->line) - (x->line < y->line);
}

/* tests/undrawn has a gnuplot that draws nothing. */
static void draw_nothing(void)
{
	char path[4096], *here = realpath("tests/undrawn", NULL);
	snprintf(path, sizeof path, "%s:%s", here ? here : "", getenv("PATH"));
	setenv("PATH", path, 1);
	free(here);
}

int test_run_all(void)
{
	const struct test_file file = of_the_file();
	struct CMUnitTest tests[MOST];
	size_t n = 0;
	qsort(all, nall, sizeof *all, by_line);
	for (unsigned i = 0; i < nall; i++)
		if (!file.leave_out || !file.leave_out(all[i].name))
			tests[n++] =
			    (struct CMUnitTest){all[i].name, do_test, before, after, &all[i]};
	setenv("COLUMNS", "80", 1); /* whatever the terminal is that starts them */
	setenv("LC_ALL", "C.UTF-8", 1);
	if (file.undrawn)
		draw_nothing();
	cmocka_set_test_filter(getenv("ONLY"));
	return _cmocka_run_group_tests("tests", tests, n, begin, end);
}

__attribute__((weak)) int main(void)
{
	return test_run_all();
}
