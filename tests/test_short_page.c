/* What is left of the terminal's page where it has too little room. */
#include "../harness/report/short_page.h"
#include "storied.h"

static const struct section {
	const char *title;
	enum short_page_use use;
	unsigned items;
} sections[] = {
    {"", SHORT_PAGE_MOST, 9},         {"Advice", SHORT_PAGE_MUCH, 3},
    {"Trust", SHORT_PAGE_ALWAYS, 1},  {"Claims", SHORT_PAGE_SOME, 12},
    {"Results", SHORT_PAGE_LEAST, 8}, {"Pairs", SHORT_PAGE_LEAST, 8},
    {"Warnings", SHORT_PAGE_MUCH, 2},
};

static char *text;
static size_t bytes;
static FILE *out;

static struct page begun(void)
{
	free(text);
	text = NULL;
	out = open_memstream(&text, &bytes);
	struct page p = {.kind = PAGE_TERMINAL, .out = out, .arena = scratch()};
	short_page_begin(&p);
	return p;
}

static void end(struct page *p)
{
	short_page_end(p);
	fclose(out);
}

/* The page of these sections, with more items in one of them. */
static void page_with(const char *title, unsigned more)
{
	struct page p = begun();
	for (size_t i = 0; i < LENGTH(sections); i++) {
		const struct section *s = &sections[i];
		const unsigned n = s->items + (strcmp(s->title, title) ? 0 : more);
		short_page_mark(&p, s->title, s->use);
		page_heading(&p, 2, "%s", *s->title ? s->title : "Top");
		for (unsigned k = 0; k < n; k++)
			page_item(&p, "%s%u", s->title, k);
	}
	end(&p);
}

static void assert_page(const char *title, unsigned more, const char *const has[],
                        const char *const lacks[])
{
	page_with(title, more);
	assert_true(text_count(text, "\n") <= SHORT_PAGE_LINES - 2);
	for (unsigned i = 0; has[i]; i++)
		assert_says(text, has[i]);
	for (unsigned i = 0; lacks[i]; i++)
		assert_lacks(text, lacks[i]);
}
#define LIST(...)                                                                                  \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

TEST(a_page_with_room_is_whole)
{
	/* 43 items, 7 headings, 6 blank lines between. */
	page_with("", 0);
	assert_int_equal(text_count(text, "\n"), 56);
	assert_lacks(text, "In the report");
}

TEST(the_last_of_least_use_goes_first_and_is_named)
{
	assert_page("Claims", 10,
	            LIST("Results7", "Claims21", "Warnings1", "  In the report too: Pairs.\n"),
	            LIST("Pairs0"));
}

TEST(what_has_room_of_a_section_stays)
{
	assert_page("Results", 20,
	            LIST("Results0", "Claims11", "Warnings1",
	                 "  In the report too: the rest of Results, Pairs.\n"),
	            LIST("Pairs0", "Results27"));
	assert_page("Claims", 60,
	            LIST("Claims0", "Warnings1", "Advice2",
	                 "  In the report too: the rest of Claims, Results, Pairs.\n"),
	            LIST("Results0", "Claims71"));
}

TEST(the_answer_goes_last_and_only_if_it_has_to)
{
	page_with("", 70);
	assert_int_equal(text_count(text, "\n"), SHORT_PAGE_LINES - 2);
	assert_says(text, "  - 0\n");
	assert_says(text, "Trust0");
	assert_says(text,
	            "  In the report too: the rest of the answer, Advice, Claims, Results, Pairs,\n"
	            "  Warnings.\n");
}

/* Wherever the cut is. */
TEST(no_heading_is_left_alone)
{
	for (unsigned fill = 0; fill < 8; fill++) {
		struct page p = begun();
		short_page_mark(&p, "", SHORT_PAGE_ALWAYS);
		for (unsigned i = 0; i < fill; i++)
			page_item(&p, "filled");
		short_page_mark(&p, "Results", SHORT_PAGE_LEAST);
		for (unsigned i = 0; i < 20; i++) {
			page_heading(&p, 3, "Part");
			for (unsigned k = 0; k < 4; k++)
				page_item(&p, "item %u", k);
		}
		end(&p);
		assert_says(text, "the rest of Results");
		assert_int_equal(text_count(text, "Part\n"), text_count(text, "item 0\n"));
	}
}

/* Of the answer's paragraphs those that are whole. */
TEST(no_paragraph_is_cut)
{
	static const char line[] =
	    "It is so, and it is said on one line of this page, which it fills";
	struct page p = begun();
	short_page_mark(&p, "", SHORT_PAGE_MOST);
	for (unsigned i = 0; i < 12; i++)
		page_say(&p, "%u. %s. %s. %s. %s. %s.", i, line, line, line, line, "The end");
	end(&p);
	assert_true(text_count(text, "\n") <= SHORT_PAGE_LINES - 2);
	assert_true(text_count(text, "The end") > 5);
	assert_int_equal(text_count(text, "The end"), text_count(text, "\n\n"));
}

/* The page of a table of so many rows, after others that stay. */
static void page_of(unsigned n, const char *locale)
{
	const struct story_table *t = table_of(test_text(
	    "t | t | bars=speed\n  variant\n  speed:ratio\n  verdict:word\n"
	    "  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %u - 1)\n"
	    "  SELECT 'v' || i variant, CASE i WHEN 1 THEN 2 WHEN 2 THEN 0.5 END speed,\n"
	    "         iif(i = 2, 0.4, NULL) speed_lo, iif(i = 2, 0.6, NULL) speed_hi,\n"
	    "         iif(i, 'differs: 0.9 in ' || hex(zeroblob(40)), NULL) verdict FROM n\n",
	    n));
	struct page p;
	setenv("LC_ALL", locale, 1);
	p = begun();
	short_page_mark(&p, "", SHORT_PAGE_ALWAYS);
	page_say(&p, "Answer.");
	short_page_mark(&p, "Results", SHORT_PAGE_SOME);
	page_heading(&p, 2, "Results");
	page_table(&p, t);
	page_say(&p, "What speed is.");
	short_page_mark(&p, "Claims", SHORT_PAGE_MOST);
	page_heading(&p, 2, "Claims");
	page_item(&p, "holds");
	end(&p);
	setenv("LC_ALL", "C.UTF-8", 1);
}

/* Full up to the interval's lower end, light up to its upper one; the reference has 1, a word no bar. */
TEST(a_ratio_is_drawn_with_its_interval)
{
	page_of(4, "C");
	const char *at = strstr(text, "  v0 ");
	assert_non_null(at);
	assert_says(text, "  - interval\n");
	assert_says(at, " ####################\n  v1 ");
	assert_says(at, " ########################################\n  v2 ");
	assert_says(at, " ########----\n");
	assert_says(at, " differs\n");
	assert_lacks(text, "0.9 in");
	page_of(4, "en_US.UTF-8");
	assert_says(text, " ████████░░░░\n");
}

TEST(a_table_is_cut_after_a_row_and_counts_the_others)
{
	page_of(58, "C");
	unsigned more = 0, rows = 0;
	assert_true(text_count(text, "\n") <= SHORT_PAGE_LINES - 2);
	const char *at = strstr(text, " more rows in report.md.\n");
	assert_true(at && at > text + 2);
	assert_int_equal(sscanf(at - 2, "%u", &more), 1);

	for (const char *row = text; (row = strstr(row, "\n  v")); row++)
		rows += row[4] >= '0' && row[4] <= '9';
	assert_int_equal(rows + more, 58);
	assert_true(rows > 40);
	assert_says(text, "  - holds\n");
	assert_says(text, "In the report too: the rest of Results.");
	assert_lacks(text, "What speed is.");
}
