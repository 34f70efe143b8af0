/* What is left of the terminal's page where it has too little room. */
#include "../harness/report/page.h"
#include "made_story.h"

static const struct section {
	const char *title;
	bool whole;
	unsigned items;
} sections[] = {{"", true, 9},         {"Advice", true, 3}, {"Results", false, 8},
                {"Claims", false, 12}, {"Pairs", false, 6}, {"Warnings", false, 1}};

static char *text;
static size_t bytes;
static FILE *out;

static struct page begun(void)
{
	free(text);
	text = NULL;
	out = open_memstream(&text, &bytes);
	struct page p = {.kind = PAGE_TERMINAL, .out = out, .arena = scratch()};
	page_short_begin(&p);
	return p;
}

static void end(struct page *p)
{
	page_short_end(p);
	fclose(out);
}

/* The page of these sections, with more items in one of them. */
static void page_with(const char *title, unsigned more)
{
	struct page p = begun();
	for (size_t i = 0; i < LENGTH(sections); i++) {
		const struct section *s = &sections[i];
		const unsigned n = s->items + (strcmp(s->title, title) ? 0 : more);
		page_section(&p, s->title, s->whole);
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
	assert_true(text_count(text, "\n") <= PAGE_SHORT_LINES - 2);
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
	/* 39 items, 6 headings, 5 blank lines between. */
	page_with("", 0);
	assert_int_equal(text_count(text, "\n"), 50);
	assert_lacks(text, "In the report");
}

TEST(what_has_no_room_is_named)
{
	assert_page("Claims", 10,
	            LIST("Results7", "Claims21", "In the report too: the rest of Pairs"),
	            LIST("Pairs5"));
	assert_page("Claims", 60,
	            LIST("Results7", "Claims0", "In the report too: the rest of Claims"),
	            LIST("Claims71"));
	assert_page("Advice", 37,
	            LIST("Advice39", "In the report too: Results, Claims, Pairs, Warnings.\n"),
	            LIST("Results0", "Warnings0"));
}

/* However long it is. */
TEST(page_1_is_whole)
{
	page_with("", 70);
	assert_says(text, "  - 78\n");
	assert_says(text, "Advice2");
	assert_says(text, "  In the report too: Results, Claims, Pairs, Warnings.\n");
}

/* Wherever the cut is. */
TEST(no_heading_is_left_alone)
{
	for (unsigned fill = 0; fill < 8; fill++) {
		struct page p = begun();
		page_section(&p, "", true);
		for (unsigned i = 0; i < fill; i++)
			page_item(&p, "filled");
		page_section(&p, "Results", false);
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

/* Those that are whole are there. */
TEST(no_paragraph_is_cut)
{
	static const char line[] =
	    "It is so, and it is said on one line of this page, which it fills";
	struct page p = begun();
	page_section(&p, "The answer", false);
	for (unsigned i = 0; i < 12; i++)
		page_say(&p, "%u. %s. %s. %s. %s. %s.", i, line, line, line, line, "The end");
	end(&p);
	assert_true(text_count(text, "\n") <= PAGE_SHORT_LINES - 2);
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
	page_section(&p, "", true);
	page_say(&p, "Answer.");
	page_section(&p, "Results", false);
	page_heading(&p, 2, "Results");
	page_table(&p, t);
	page_say(&p, "What speed is.");
	page_section(&p, "Claims", false);
	page_heading(&p, 2, "Claims");
	page_item(&p, "holds");
	end(&p);
	setenv("LC_ALL", "C.UTF-8", 1);
}

/* Full up to the interval's lower end, light up to its upper one; the reference has 1. */
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

TEST(no_table_is_cut)
{
	page_of(58, "C");
	assert_true(text_count(text, "\n") <= PAGE_SHORT_LINES - 2);
	assert_lacks(text, "  v0 ");
	assert_lacks(text, "What speed is.");
	assert_says(text, "  - holds\n");
	assert_says(text, "In the report too: Results.");
}
