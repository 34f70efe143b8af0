/* The output of sections: a terminal of 80 columns, or Markdown and HTML in which no text is
 * markup. */
#include "../harness/report/page.h"
#include "../harness/terminal.h"
#include "json.h"
#include "made_story.h"

static char *text;
static size_t bytes;

static struct page page_on(enum page_kind kind)
{
	free(text);
	text = NULL;
	struct page page = {.kind = kind, .out = open_memstream(&text, &bytes), .arena = scratch()};
	assert_non_null(page.out);
	return page;
}

static void is(struct page *p, const char *right)
{
	fclose(p->out);
	assert_string_equal(text, right);
}

static void fits(struct page *p)
{
	char line[8192];
	fclose(p->out);
	for (const char *at = text; *at; at += strcspn(at, "\n") + 1) {
		size_t n = strcspn(at, "\n");
		snprintf(line, sizeof line, "%.*s", (int)n, at);
		if (terminal_width(line) > 80 || (n && line[n - 1] == ' '))
			fail_msg("%u wide: \"%s\"", terminal_width(line), line);
	}
}

TEST(a_terminal_has_80_columns)
{
	static const char words[] =
	    "Größe µs ÷ → sentences of 16 MiB and 100 % and 3 blocks that go on and on, ";
	char long_text[2000] = "";
	for (unsigned i = 0; i < 12; i++)
		strcat(long_text, words);
	strcat(long_text, "end");
	/* At each place of the margin. */
	for (unsigned i = 0; i < sizeof words; i++) {
		struct page p = page_on(PAGE_TERMINAL);
		page_heading(&p, 1, "%s", long_text + (i < 4 ? 0 : i));
		page_say(&p, "%.*s%s", (int)i, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
		         long_text);
		page_stress(&p, "%s", long_text);
		page_item(&p, "%s", long_text);
		page_end_list(&p);
		static const char *const files[] = {"trials.jsonl", "report.json", "summary.csv",
		                                    "ranks.csv"};
		page_files(&p, "The record, and all of this as data", files, 4);
		char *some = test_text("%.20s", words + 12);
		page_table(&p, table_of(test_text("t | t\n  a\n  b\n  SELECT '%s' a, '%s' b\n",
		                                  some, long_text)));
		fits(&p);
	}
}

TEST(a_number_keeps_its_unit)
{
	struct page p = page_on(PAGE_TERMINAL);
	page_say(&p, "It moves data at a rate of so many bytes, and for each size of some up to 16 "
	             "MiB it does.");
	is(&p, "  It moves data at a rate of so many bytes, and for each size of some up to\n"
	       "  16 MiB it does.\n");
}

TEST(each_part_on_a_terminal)
{
	static const char *const files[] = {"a.csv", "b.csv"};
	static const char *const headings[] = {"Results"};
	struct page p = page_on(PAGE_TERMINAL);
	page_heading(&p, 1, "Why?");
	page_say(&p, "%s", "");
	page_say(&p, "Because <b>.");
	page_part(&p, "More");
	page_item(&p, "one");
	page_item(&p, "two");
	page_end_list(&p);
	page_picture(&p, "nccl_x", "What it shows", true);
	page_files(&p, "All", files, 2);
	page_code(&p, "launchgap run");
	page_links(&p, headings, 1);
	is(&p, "Why?\n\n  Because <b>.\n\nMore\n  - one\n  - two\n\n  plots/nccl_x.png\n\n"
	       "  All: a.csv, b.csv\n\n  launchgap run\n");
}

TEST(each_part_in_markdown)
{
	static const char *const files[] = {"a.csv", "b.csv"};
	static const char *const headings[] = {"Results", "Why: what explains the gap"};
	struct page p = page_on(PAGE_MARKDOWN);
	page_heading(&p, 2, "Why | `x`?");
	page_say(&p, "%s", "");
	page_say(&p, "<b>*a*\nb");
	page_stress(&p, "so");
	page_part(&p, "More");
	page_item(&p, "one [a](b)");
	page_end_list(&p);
	page_picture(&p, "nccl_x", "What ] shows", true);
	page_picture(&p, "nccl_z", "It shows", false);
	page_picture(&p, "nccl_y", "", true);
	page_files(&p, "All", files, 2);
	page_code(&p, "launchgap run");
	page_links(&p, headings, 2);
	is(&p, "## Why \\| \\`x\\`?\n\n\\<b\\>\\*a\\* b\n\n**so**\n\n### More\n\n"
	       "- one \\[a\\](b)\n\nWhat \\] shows\n\n![What \\] shows](plots/nccl_x.png)\n\n"
	       "![It shows](plots/nccl_z.png)\n\n![nccl\\_y](plots/nccl_y.png)\n\nAll: "
	       "[a.csv](a.csv), [b.csv](b.csv).\n\n"
	       "```\nlaunchgap run\n```\n\n[Results](#results) · "
	       "[Why: what explains the gap](#why-what-explains-the-gap)\n\n");
}

TEST(each_part_in_html)
{
	struct page p = page_on(PAGE_HTML);
	page_heading(&p, 2, "Why <x>?");
	page_stress(&p, "1. <b>&\"*a*\" NCCL_P2P_");
	page_code(&p, "a < b");
	page_table(&p, table_of("t | t\n  n:count\n  b:word\n  SELECT 7 n, 'holds' b\n"));
	is(&p, "<h2><a id=\"why-x\"></a>Why &lt;x&gt;?</h2>\n<p><strong>1. "
	       "&lt;b&gt;&amp;&quot;*a*&quot; NCCL_<wbr>P2P_</strong></p>\n"
	       "<pre><code>a &lt; b\n</code></pre>\n<table>\n<thead>\n<tr>\n<th>n</th>\n"
	       "<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td><em>n</em>7</td>\n"
	       "<td><em>b</em><strong>holds</strong></td>\n</tr>\n</tbody>\n</table>\n");
}

TEST(anchors_are_those_of_github)
{
	static const char *const rows[][2] = {{"How it was measured", "how-it-was-measured"},
	                                      {"Why: by version of NCCL", "why-by-version-of-nccl"},
	                                      {"a_b-c (d), 1 %", "a_b-c-d-1-"},
	                                      {"Größe", "größe"}};
	char anchor[64];
	for (size_t i = 0; i < LENGTH(rows); i++) {
		page_anchor(rows[i][0], anchor, sizeof anchor);
		assert_string_equal(anchor, rows[i][1]);
	}
	page_anchor("aéé", anchor, 5); /* between characters */
	assert_string_equal(anchor, "aé");
	page_anchor("long enough", anchor, 5);
	assert_string_equal(anchor, "long");
}

TEST(what_is_written_is_data_too)
{
	struct page p = page_on(PAGE_MARKDOWN);
	p.tables = json_array();
	p.sentences = json_array();
	page_say(&p, "At 16 MiB.");
	page_item(&p, "b");
	const struct story_table *t = table_of("t | t\n  a\n  b\n  SELECT 'x' a, 'y' b\n");
	for (unsigned rows = 0; rows < 2; rows++)
		page_table(&p, &(const struct story_table){t->form, t->rows, rows});
	fclose(p.out);
	assert_int_equal(json_array_size(p.sentences), 2);
	json_assert_text(json_array_get(p.sentences, 0), "", "At 16 MiB."); /* as it was said */
	assert_int_equal(json_array_size(p.tables), 1); /* one without rows leaves no trace */
	json_assert_text(json_array_get(p.tables, 0), "name", "t");
	assert_lacks(text, "| a | b |\n|---|---|\n\n");
	json_decref(p.tables);
	json_decref(p.sentences);
}

FIXTURE(clean)
{
	free(text);
}

TESTS(.end = clean);
