/* report.html is one file that needs nothing else, well-formed, and holds no text of a record
 * as markup. */
#include "made.h"

#include "../harness/report/page.h"
#include "scratch.h"

static char *whole(const char *name)
{
	char *text = cli_read(made_path(name));
	assert_non_null(text);
	return text;
}

/* Of a page that page.py finds right. */
static int pictures_in(const char *name)
{
	int pictures = -1;
	FILE *said = popen(test_text("python3 tests/page.py %s", made_path(name)), "r");
	assert_non_null(said);
	assert_int_equal(fscanf(said, "%d", &pictures), 1);
	assert_int_equal(pclose(said), 0);
	return pictures;
}

/* --- a record that would be more than text --- */

static const struct made_variant hostile[MADE_VARIANTS] = {
    {.name = "<script>alert(1)</script>", .mode = "single"},
    {.name = "a|b`c`", .role = "reference"},
    {.name = "[x](http://e)", .mode = "processes"},
    {.name = "*a* _b_ **", .role = "again"},
    {.name = "&lt;\"'><img src=x>", .role = "limit"},
};

static struct made made = {
    .blocks = 6,
    .sizes = 3,
    .cores = 8,
    .variants = hostile,
    .more_of_run = "{'title':'</title><script src=//e>|`','question':'<b>Why</b> [a](javascript:x) "
                   "`y`?','command':['a\\n```\\n<script>','b'],"
                   "'machine':{'cores':8,'cpu':'<i>|x|`','<script>':'<script>'}}"};

TEST(names_stay_text)
{
	const json_t *report = made_report(&made);
	char *html = whole("report.html"), *text = whole("report.md");
	pictures_in("report.html");
	assert_says(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
	assert_lacks(html, "<b>");
	assert_lacks(html, "javascript:x\"");
	/* In a table's row it is one cell. */
	assert_says(html, "</em>a|b`c`</td>");
	assert_says(text, "a\\|b\\`c\\`");
	assert_int_equal(
	    json_rows(json_table(report, "variants"), JSON_IS("variant", hostile[1].name)), 1);
}

/* What page 1 names and does not say: once for all modes, and not what a name says itself. */
TEST(names_are_explained_below_the_strip)
{
	static const struct made_variant named[] = {
	    {.name = "threads", .role = "reference", .nccl = "/new", .library = "2.28.3"},
	    {.name = "threads-old", .nccl = "/old", .library = "2.21.5"},
	    {.name = "processes-old", .mode = "processes", .nccl = "/old", .library = "2.21.5"},
	    {.name = "threads-nccl-2.19.3", .nccl = "/older", .library = "2.19.3"},
	    {.name = "big",
	     .mode = "processes",
	     .env = "NCCL_BUFFSIZE=4096",
	     .nccl = "/new",
	     .library = "2.28.3"},
	};
	struct made with = {.blocks = 6, .sizes = 3, .variants = named};
	with.nvariants = LENGTH(named);
	made_report(&with);
	assert_says(whole("report.md"),
	            "\n\n-old: NCCL 2.21.5; big: processes, NCCL\\_BUFFSIZE=4096\n\n");
	assert_says(whole("report.html"), "processes, NCCL_<wbr>BUFFSIZE=4096</p>");
}

/* A variable that only the reference sets is a difference too. */
TEST(a_name_without_a_variable_says_so)
{
	static const struct made_variant named[] = {
	    {.name = "ring", .role = "reference", .env = "NCCL_ALGO=Ring"}, {.name = "free"}};
	struct made with = {.blocks = 6, .sizes = 3, .variants = named};
	with.nvariants = LENGTH(named);
	made_report(&with);
	assert_says(whole("report.md"), "\n\nfree: NCCL\\_ALGO unset\n\n");
}

/* What follows two modes' names is explained once only if it means the same in both. */
TEST(a_name_that_means_two_things_is_told_whole)
{
	static const struct made_variant named[] = {
	    {.name = "threads", .role = "reference"},
	    {.name = "threads-few", .env = "NCCL_MAX_CTAS=2"},
	    {.name = "processes-few", .mode = "processes", .env = "NCCL_MAX_CTAS=4"}};
	struct made with = {.blocks = 6, .sizes = 3, .variants = named};
	with.nvariants = LENGTH(named);
	made_report(&with);
	assert_says(whole("report.md"), "\n\nprocesses-few: NCCL\\_MAX\\_CTAS=4; "
	                                "threads-few: NCCL\\_MAX\\_CTAS=2\n\n");
}

TEST(pictures_are_in_it)
{
	mkdir(made_path("plots"), 0777);
	FILE *picture = fopen(made_path("plots/a.svg"), "w");
	fputs("<svg></svg>", picture);
	fclose(picture);
	picture = fopen(made_path("plots/b.png"), "w");
	fputs("PNG!", picture);
	fclose(picture);
	struct page page = {.kind = PAGE_HTML,
	                    .out = fopen(made_path("a.html"), "w"),
	                    .arena = scratch(),
	                    .dir = made_folder};
	page_begin(&page, "a & b");
	page_picture(&page, "a", "one", false);
	page_picture(&page, "b", "\"two\"", false);
	page_end(&page);
	fclose(page.out);
	const char *html = whole("a.html");
	assert_int_equal(pictures_in("a.html"), 2);
	assert_says(html, "<title>a &amp; b</title>");
	assert_says(html, "src=\"data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=\"");
	assert_says(html, "src=\"data:image/png;base64,UE5HIQ==\"");
	assert_says(html, "alt=\"&quot;two&quot;\"");
	/* Touched it opens large, without a script; touched again it closes, at its place. */
	assert_says(html, "<a id=\"at-picture-2\"></a><span class=\"picture\" "
	                  "id=\"picture-2\"><a href=\"#picture-2\"><img ");
	assert_says(html, "class=\"close\" href=\"#at-picture-2\"");
	assert_says(html, ".picture:target img{width:max(900px,100vw)");
	unlink(made_path("plots/a.svg"));
	unlink(made_path("plots/b.png"));
}

TESTS(.begin = made_begin, .end = made_end);
