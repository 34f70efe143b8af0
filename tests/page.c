#include "page.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "../harness/terminal.h"
#include "cli.h"
#include "json.h"
#include "test.h"
#include "told.h"

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
	static const char *const empty[] = {"meta", "img", "br", "hr", "wbr"};
	static const char *const forbidden[] = {"script", "iframe", "object", "embed", "link",
	                                        "form",   "base",   "b",      "input"};
	char tag[16];
	bool closes = r->at[1] == '/', alone = false;
	r->at += 1 + closes;
	size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz123456");
	if (!n || n >= sizeof tag)
		wrong(r, "no tag");
	snprintf(tag, sizeof tag, "%.*s", (int)n, r->at);
	for (size_t i = 0; i < LENGTH(forbidden); i++)
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
	for (size_t i = 0; i < LENGTH(empty); i++)
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
unsigned page_read(const char *html)
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

static char *whole(const char *folder, const char *name)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	char *text = cli_read(path);
	if (!text)
		fail_msg("%s is missing", path);
	return text;
}

/* --- what a report made --- */

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

/* What a reader sees first: the answer in a sentence, six variants, a picture, three things to do.
 * Returns whether it has the picture. */
static bool page_1_is_short(const char *folder)
{
	char *text = whole(folder, "report.md");
	const char *begin = strchr(text, '\n'), *end = strstr(text, "\n## The answer in full\n"),
	           *headline = strstr(text, "\n# "), *strip = strstr(text, "\n|");
	if (!end || !headline || headline > end)
		fail_msg("page 1 has no headline");
	const unsigned said = words(headline, headline + 1 + strcspn(headline + 1, "\n") + 1),
	               before = strip && strip < end ? words(begin, strip) : 0,
	               all = words(begin, end), rows = lines(begin, end, "|");
	if (!said || said > 25 || before > 80 || all > 150)
		fail_msg("%u words of a headline, %u before the strip, %u on page 1", said, before,
		         all);
	if (strchr("'\"", headline[strlen("\n# ")]))
		fail_msg("the headline quotes before it answers");
	if (rows > 2 + 6 || lines(begin, end, "![") > 1 || lines(begin, end, "- ") > 3)
		fail_msg("too much is on page 1");
	return lines(begin, end, "![");
}

/* --- page 1 and the data --- */

/* Without what Markdown escapes, and with blanks that break. */
static char *plain(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (begins(from, "\u00a0"))
			*to++ = (from++, ' ');
		else if (*from != '\\')
			*to++ = *from;
	*to = '\0';
	return text;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || strchr("-_.", c);
}

static bool has_name(const char *text, const char *name)
{
	const size_t n = strlen(name);
	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text || !is_of_name(at[-1])) && (!at[n] || !is_of_name(at[n])))
			return true;
	return false;
}

/* The variants in the rows of a sentence are in the strip. */
static void strip_has_rows(const json_t *chapters, const json_t *sentence, const char *strip)
{
	static const char *const keys[] = {"variant", "left", "right"};
	const json_t *basis, *row, *column, *columns;
	size_t b, r, c;
	json_array_foreach(json_object_get(sentence, "of"), b, basis)
	{
		const json_t *table =
		    told_table(chapters, json_string_value(json_object_get(basis, "table")));
		columns = json_object_get(table, "columns");
		json_array_foreach(json_object_get(basis, "rows"), r, row)
		    json_array_foreach(columns, c, column)
		{
			const char *key = json_string_value(json_object_get(column, "key")),
			           *name = json_string_value(json_array_get(
			               json_array_get(json_object_get(table, "rows"),
			                              (size_t)json_integer_value(row)),
			               c));
			for (size_t k = 0; name && k < sizeof keys / sizeof *keys; k++)
				if (!strcmp(key, keys[k]) && !has_name(strip, name))
					fail_msg("the headline is of %s, the strip is not", name);
		}
	}
}

/* Whether it compares, and has no size that this is of. */
static bool lacks_size(const char *text)
{
	static const char *const words[] = {" times ", " as fast", " faster", " slower", " % of"};
	char unit[4] = "";
	size_t i = 0;
	while (i < LENGTH(words) && !strstr(text, words[i]))
		i++;
	while (*text && !(isdigit((unsigned char)*text) &&
	                  sscanf(text, "%*f %3[KMGTiB]", unit) == 1 && strchr(unit, 'B')))
		text++;
	return i < LENGTH(words) && !*text;
}

/* What limits the answer precedes it, and the strip, if it compares, has what the headline is of. */
static void page_1_is_of_the_data(const char *folder, const json_t *report)
{
	char *text = plain(whole(folder, "report.md")), *headline = strstr(text, "\n# "),
	     *strip = strstr(text, "\n|"), *end = strstr(text, "\n## ");
	const json_t *chapters = json_object_get(report, "chapters"), *chapter, *sentence, *role;
	size_t i, s, k;
	headline[strcspn(headline + 1, "\n") + 1] = '\0';
	strip = strip && end && strip > end ? NULL : strip;
	if (end)
		*end = '\0';
	json_array_foreach(chapters, i, chapter)
	    json_array_foreach(json_object_get(chapter, "sentences"), s, sentence)
	        json_array_foreach(json_object_get(sentence, "roles"), k, role)
	{
		const char *said = json_string_value(json_object_get(sentence, "text")),
		           *as = json_string_value(role);
		const bool is_headline = !strcmp(said, headline + strlen("\n# "));
		if (!strcmp(as, "caveat") && !is_headline && !strstr(text, said))
			fail_msg("it limits the answer, and is not before it: %s", said);
		if ((is_headline || strstr("headline caption advice", as)) && lacks_size(said))
			fail_msg("of which size? %s", said);
		if (is_headline && strip && strstr(strip, "░"))
			strip_has_rows(chapters, sentence, strip);
	}
	if (strstr(json_string_value(json_object_get(report, "trust")), "Cores were shared") &&
	    strstr(headline, "no variant was shown"))
		fail_msg("nothing can be shown when cores are shared: %s", headline);
	if (strip && strstr(strip, "| speed |"))
		fail_msg("against what is a speed in the strip?");
	if (strip && strstr(headline, " of threads' bandwidth") && !strstr(strip, " ÷ threads"))
		fail_msg("the strip is against another reference than the headline");
}

/* Settings that are confirmed, then other gains, the largest first, then hints; and how to register. */
static void the_largest_gain_is_first(const char *folder)
{
	char *text = whole(folder, "report.md"), *end = strstr(text, "\n## Can it be believed?");
	*end = '\0';
	double least = INFINITY;
	for (char *at = text; (at = strstr(at, "\n- ")); at++) {
		char *line = test_text("%.*s", (int)strcspn(at + 1, "\n"), at + 1),
		     *gain = strstr(line, " times the ");
		while (gain && strchr("0123456789.", gain[-1]))
			gain--;
		const bool set = begins(line, "- Give ") || begins(line, "- Set in");
		const double of = set ? INFINITY : gain ? atof(gain) : 0;
		if (of > least)
			fail_msg("what gains less is before it: %s", line);
		if (begins(line, "- Register") && !strstr(line, "ncclComm"))
			fail_msg("it does not say how: %s", line);
		least = of;
	}
}

static void the_terminal_is_narrow(const char *said)
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
			fail_msg("%u columns: %.*s", width, (int)strcspn(at, "\n"), at);
	}
}

/* No two tables of one name: by it a program finds them. */
static void tables_have_names(const json_t *tables, const char *names[], size_t *n)
{
	for (size_t i = 0; i < json_array_size(tables); i++) {
		const char *name = json_string_value(json_at(json_array_get(tables, i), "name"));
		for (size_t k = 0; k < *n; k++)
			if (!strcmp(name, names[k]))
				fail_msg("two tables %s", name);
		assert_true(*n < 200);
		names[(*n)++] = name;
	}
}

static void tables_are_data(const json_t *report)
{
	const json_t *chapters = json_object_get(report, "chapters");
	const char *names[200];
	size_t n = 0;
	for (size_t i = 0; i < json_array_size(chapters); i++)
		tables_have_names(json_at(json_array_get(chapters, i), "tables"), names, &n);
	n = 0;
	tables_have_names(json_object_get(report, "tables"), names, &n);
}

void page_right(const char *folder, const json_t *report)
{
	char *html = whole(folder, "report.html"), *said = whole(folder, "said");
	the_terminal_is_narrow(said);
	if (page_1_is_short(folder) && !strstr(html, "<div class=\"front\">"))
		fail_msg("the picture is not beside the strip");
	page_1_is_of_the_data(folder, report);
	the_largest_gain_is_first(folder);
	tables_are_data(report);
	page_read(html);
}
