/* report.html is one file that needs nothing else, well-formed, and holds no text of a record
 * as markup. The first page of every reference record is short, and fits. */
#include "made.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>

#include "../harness/report/html.h"
#include "../harness/terminal.h"
#include "cli.h"

#define MOST_DEEP  64
#define MOST_NAMES 4000

/* --- a strict reader of what we write --- */

struct reader {
	const char *at;
	unsigned deep;
	char open[MOST_DEEP][16];
	unsigned nids, nlinks, images;
	const char *ids[MOST_NAMES], *links[MOST_NAMES]; /* up to a quote */
};

static void wrong(const struct reader *r, const char *why)
{
	fail_msg("%s: %.60s", why, r->at);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool same_value(const char *a, const char *b)
{
	size_t n = strcspn(a, "\"");
	return n == strcspn(b, "\"") && !strncmp(a, b, n);
}

static void read_attribute(struct reader *r, const char *tag)
{
	char name[32];
	size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz-");
	if (!n || n >= sizeof name)
		wrong(r, "no attribute");
	snprintf(name, sizeof name, "%.*s", (int)n, r->at);
	r->at += n;
	if (!begins(r->at, "=\""))
		wrong(r, "an attribute without a value");
	const char *value = r->at += 2;
	size_t end = strcspn(value, "\"<");
	if (value[end] != '"')
		wrong(r, "a value without an end");
	if (begins(name, "on") || !strcmp(name, "style") || !strcmp(name, "srcset"))
		wrong(r, "what runs or fetches");
	if (!strcmp(name, "src") && !begins(value, "data:image/"))
		wrong(r, "a picture from elsewhere");
	if (!strcmp(name, "id") && r->nids < MOST_NAMES)
		r->ids[r->nids++] = value;
	if (!strcmp(name, "href") && r->nlinks < MOST_NAMES)
		r->links[r->nlinks++] = value;
	if (!strcmp(name, "href") && memchr(value, ':', end))
		wrong(r, "a link to elsewhere");
	r->images += !strcmp(tag, "img") && !strcmp(name, "src");
	r->at = value + end + 1;
}

static void read_tag(struct reader *r)
{
	static const char *const empty[] = {"meta", "img", "br", "hr"};
	static const char *const forbidden[] = {"script", "iframe", "object", "embed", "link",
	                                        "form",   "base",   "b",      "input"};
	char tag[16];
	bool closes = r->at[1] == '/', alone = false;
	r->at += 1 + closes;
	size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz123456");
	if (!n || n >= sizeof tag)
		wrong(r, "no tag");
	snprintf(tag, sizeof tag, "%.*s", (int)n, r->at);
	for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
		if (!strcmp(tag, forbidden[i]))
			wrong(r, "a tag that we never write");
	r->at += n;
	if (closes) {
		if (!r->deep || strcmp(r->open[--r->deep], tag) || *r->at != '>')
			wrong(r, "closed, but not open");
		r->at++;
		return;
	}
	for (r->at += strspn(r->at, " \n"); *r->at && *r->at != '>' && *r->at != '/';
	     r->at += strspn(r->at, " \n"))
		read_attribute(r, tag);
	r->at += *r->at == '/';
	if (*r->at++ != '>')
		wrong(r, "a tag without an end");
	for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
		alone |= !strcmp(tag, empty[i]);
	if (alone)
		return;
	assert_true(r->deep < MOST_DEEP);
	strcpy(r->open[r->deep++], tag);
	if (!strcmp(tag, "style")) {
		const char *end = strstr(r->at, "</style>");
		assert_non_null(end);
		for (const char *c = r->at; c < end; c++)
			if (begins(c, "url(") || begins(c, "@import"))
				wrong(r, "a style from elsewhere");
		r->at = end;
	}
}

static void read_text(struct reader *r)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
	bool known = *r->at != '&';
	for (size_t i = 0; i < 4; i++)
		known |= begins(r->at, entities[i]);
	if (!known || *r->at == '>')
		wrong(r, "not escaped");
	r->at++;
}

/* Fails if it is malformed; returns how many pictures are in it. */
static unsigned read_html(const char *html)
{
	static struct reader r;
	static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n";
	r = (struct reader){.at = html};
	assert_true(begins(html, head));
	for (r.at += strlen("<!DOCTYPE html>"); *r.at;)
		if (*r.at == '<')
			read_tag(&r);
		else
			read_text(&r);
	assert_int_equal(r.deep, 0);
	const char *second = strstr(html + sizeof head, "<html");
	assert_null(second);
	for (unsigned i = 0; i < r.nids; i++)
		for (unsigned k = 0; k < i; k++)
			if (same_value(r.ids[i], r.ids[k]))
				fail_msg("two headings %.60s", r.ids[i]);
	for (unsigned i = 0; i < r.nlinks; i++) {
		bool there = *r.links[i] != '#';
		for (unsigned k = 0; k < r.nids && !there; k++)
			there = same_value(r.links[i] + 1, r.ids[k]);
		if (!there)
			fail_msg("no heading %.60s", r.links[i]);
	}
	return r.images;
}

static char *whole(const char *name)
{
	char *text = cli_read(made_path(name));
	assert_non_null(text);
	return text;
}

/* --- a record that would be more than text --- */

static void stamps(const struct made_place *p, int64_t out[6])
{
	out[1] = 100;
	out[2] = (int64_t)(10000.0 * (p->size + 1) * (1 + 0.01 * (p->block % 3)) *
	                   (p->isolated ? 1 : 10));
	out[3] = 10;
}

static const struct made_variant hostile[MADE_VARIANTS] = {
    {.name = "<script>alert(1)</script>", .mode = "single"},
    {.name = "a|b`c`", .role = "reference"},
    {.name = "[x](http://e)", .mode = "processes"},
    {.name = "*a* _b_ **", .role = "again"},
    {.name = "&lt;\"'><img src=x>", .role = "limit"},
};

static void evil(json_t *env)
{
	json_object_set_new(env, "title", json_string("</title><script src=//e>|`"));
	json_object_set_new(env, "question", json_string("<b>Why</b> [a](javascript:x) `y`?"));
	json_object_set_new(env, "command", json_pack("[s, s]", "a\n```\n<script>", "b"));
	json_object_set_new(
	    env, "machine",
	    json_pack("{s:i, s:s, s:s}", "cores", 8, "cpu", "<i>|x|`", "<script>", "<script>"));
}

static struct made made = {.blocks = 6,
                           .sizes = 3,
                           .cores = 8,
                           .variants = hostile,
                           .environment = evil,
                           .stamps = stamps};

TEST(names_stay_text)
{
	const json_t *report = made_report(&made);
	char *html = whole("report.html"), *text = whole("report.md");
	read_html(html);
	assert_says(html, "&lt;script&gt;alert(1)&lt;/script&gt;");
	assert_lacks(html, "<b>");
	assert_lacks(html, "javascript:x\"");
	/* In a table's row it is one cell. */
	assert_says(html, "</em>a|b`c`</td>");
	assert_says(text, "a\\|b\\`c\\`");
	assert_int_equal(json_rows(json_table(report, "variants"),
	                           (json_keys){"variant", hostile[1].name, NULL}),
	                 1);
	free(html);
	free(text);
}

TEST(pictures_are_in_it)
{
	char *html = NULL;
	size_t bytes = 0;
	struct status st = {""};
	mkdir(made_path("plots"), 0777);
	FILE *picture = fopen(made_path("plots/a.svg"), "w");
	fputs("<svg></svg>", picture);
	fclose(picture);
	picture = fopen(made_path("plots/b.png"), "w");
	fputs("PNG!", picture);
	fclose(picture);
	FILE *out = open_memstream(&html, &bytes);
	assert_int_equal(html_write("# A\n\n![one](plots/a.png)\n\n![\"two\"](plots/b.png)\n",
	                            made_folder, "a & b", out, &st),
	                 0);
	fclose(out);
	assert_int_equal(read_html(html), 2);
	assert_says(html, "<title>a &amp; b</title>");
	assert_says(html, "src=\"data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=\"");
	assert_says(html, "src=\"data:image/png;base64,UE5HIQ==\"");
	assert_says(html, "alt=\"&quot;two&quot;\"");
	/* Touched it opens large, without a script; touched again it closes, at its place. */
	assert_says(html, "<a id=\"at-picture-2\"></a><span class=\"picture\" "
	                  "id=\"picture-2\"><a href=\"#picture-2\"><img ");
	assert_says(html, "class=\"close\" href=\"#at-picture-2\"");
	assert_says(html, ".picture:target img{width:max(900px,100vw)");
	free(html);
	unlink(made_path("plots/a.svg"));
	unlink(made_path("plots/b.png"));
}

/* --- committed pages --- */

/* What has a letter, but for a picture's text. */
static unsigned words(const char *at, const char *end)
{
	unsigned n = 0;
	for (bool letter = false; at < end; at++) {
		if (begins(at, "\n!["))
			at += strcspn(at + 1, "\n");
		if (isspace((unsigned char)*at) || at + 1 == end) {
			n += letter;
			letter = false;
		} else {
			letter |= isalpha((unsigned char)*at) != 0;
		}
	}
	return n;
}

static unsigned lines(const char *at, const char *end, const char *with)
{
	unsigned n = 0;
	for (; at < end; at++)
		n += *at == '\n' && begins(at + 1, with);
	return n;
}

/* What a reader sees first: the answer in a sentence, six variants, a picture, three things to do. */
static void page_1_is_short(const char *record)
{
	char *text = whole("report.md");
	const char *begin = strchr(text, '\n'), *end = strstr(text, "\n## The answer in full\n"),
	           *headline = strstr(text, "\n# "), *strip = strstr(text, "\n|");
	if (!end || !headline || headline > end)
		fail_msg("%s: page 1 has no headline", record);
	const unsigned said = words(headline, headline + 1 + strcspn(headline + 1, "\n") + 1),
	               before = strip && strip < end ? words(begin, strip) : 0,
	               all = words(begin, end), rows = lines(begin, end, "|");
	if (!said || said > 25 || before > 80 || all > 150)
		fail_msg("%s: %u words of a headline, %u before the strip, %u on page 1", record,
		         said, before, all);
	if (rows > 2 + 6 || lines(begin, end, "![") > 1 || lines(begin, end, "- ") > 3)
		fail_msg("%s: too much is on page 1", record);
	free(text);
}

static void the_terminal_is_narrow(const char *record, const char *said)
{
	for (const char *at = said; *at; at += strcspn(at, "\n") + 1) {
		const unsigned width = terminal_width(at);
		/* Except for text that is to be copied. */
		const char *run = strstr(at, "launchgap run "),
		           *resume = strstr(at, "launchgap resume "),
		           *command = !run || (resume && resume < run) ? resume : run;
		bool copied =
		    begins(at, "report ") || (command && command < at + strcspn(at, "\n"));
		if (width > 80 && !copied)
			fail_msg("%s: %u columns: %.*s", record, width, (int)strcspn(at, "\n"), at);
	}
}

/* No two tables of one name: by it a program finds them. */
static void tables_have_names(const char *record, const json_t *tables, const char *names[],
                              size_t *n)
{
	for (size_t i = 0; i < json_array_size(tables); i++) {
		const char *name = json_string_value(json_at(json_array_get(tables, i), "name"));
		for (size_t k = 0; k < *n; k++)
			if (!strcmp(name, names[k]))
				fail_msg("%s: two tables %s", record, name);
		assert_true(*n < 200);
		names[(*n)++] = name;
	}
}

static void tables_are_data(const char *record)
{
	json_t *report = json_report(made_path("report.json"));
	const json_t *chapters = json_object_get(report, "chapters");
	const char *names[200];
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(chapters); i++)
		tables_have_names(record, json_at(json_array_get(chapters, i), "tables"), names,
		                  &n);
	n = 0;
	tables_have_names(record, json_object_get(report, "tables"), names, &n);
	json_decref(report);
}

TEST(reference_records_have_good_pages)
{
	static const char *const patterns[] = {"results/reference/*/*/trials.jsonl.gz",
	                                       "results/reference/*/*/*/trials.jsonl.gz"};
	unsigned n = 0;
	unlink(made_path("trials.jsonl"));
	for (size_t p = 0; p < 2; p++) {
		glob_t found;
		if (glob(patterns[p], 0, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++, n++) {
			char from[PATH_MAX];
			const struct report_options options = {.verbose = true};
			assert_non_null(realpath(found.gl_pathv[i], from));
			unlink(made_path("trials.jsonl.gz"));
			assert_int_equal(symlink(from, made_path("trials.jsonl.gz")), 0);
			the_terminal_is_narrow(from, made_print(&options));
			page_1_is_short(from);
			tables_are_data(from);
			char *html = whole("report.html");
			read_html(html);
			free(html);
		}
		globfree(&found);
	}
	assert_true(n >= 14);
}

TESTS(.slow = true, .begin = made_begin, .end = made_end);
