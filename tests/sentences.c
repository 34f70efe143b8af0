#include "sentences.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../harness/story/column.h"

#define SAID_BYTES ((size_t)256 << 10)

/* Numbers that sentences have of themselves: they define something, and no run moves them. */
static const char *const literals[] = {
    "95 %",     /* the confidence of an interval */
    "10\u2079", /* bytes of a GB */
    "1 is slower",
    "1 is faster",
    "1 is noise", /* the variant that a speed is compared with */
    "1024 bytes", /* a KiB */
    "1 − exposed ÷",
    "0 where the two", /* overlap */
    "16 experts the e-th",
    "1 ÷ e^1.2",
    "1.2.",       /* Zipf's law, as it is named */
    "1)",         /* ranks − 1 */
    "0 ns are",   /* calls without length */
    "12 blocks;", /* from where a far trial is no end of an interval */
};

/* All that the cited rows can say, in one text. */
static char said[SAID_BYTES], verdicts[SAID_BYTES];
static size_t nsaid, nverdicts;

static void add(char *to, size_t *used, const char *text)
{
	const size_t n = strlen(text);
	if (*used + n + 2 > SAID_BYTES)
		return;
	memcpy(to + *used, text, n);
	memcpy(to + *used + n, "\n", 2);
	*used += n + 1;
}

/* report.json has six digits of a number, and a sentence rounds the number itself: 35006.51 is
 * 35006.5 there and 35007 in words. So what a row can say is asked of the number as it is written
 * (0), and of the least and the greatest that are written so (-1, 1). */
static double as_written(double x, int side)
{
	return x ? x + side * 0.5 * pow(10, floor(log10(fabs(x))) - 5) : x;
}

static double figure(const json_t *value, const char *key, int side)
{
	const json_t *one = json_object_get(value, key);
	return json_is_number(one) ? as_written(json_number_value(one), side) : NAN;
}

static struct entry entry_of(const char *kind, const json_t *value, int side)
{
	struct entry e = {.kind = KIND_TEXT, .has = !json_is_null(value), .lo = NAN, .hi = NAN};
	e.text = json_is_string(value) ? json_string_value(value) : "";
	if (!strcmp(kind, "count") || !strcmp(kind, "bytes")) {
		e.kind = !strcmp(kind, "count") ? KIND_COUNT : KIND_BYTES;
		e.count = (unsigned long long)json_integer_value(value);
	} else if (!strcmp(kind, "number") || !strcmp(kind, "share")) {
		e.kind = !strcmp(kind, "share") ? KIND_SHARE : KIND_NUMBER;
		e.x = as_written(json_number_value(value), side);
	} else if (!strcmp(kind, "spread") || !strcmp(kind, "ratio")) {
		e.kind = !strcmp(kind, "spread") ? KIND_SPREAD : KIND_RATIO;
		e.x = figure(value, !strcmp(kind, "spread") ? "value" : "estimate", side);
		e.lo = figure(value, "lo", side);
		e.hi = figure(value, "hi", side);
	} else if (!strcmp(kind, "flag")) {
		e.kind = KIND_FLAG;
	}
	return e;
}

static void add_row(const json_t *table, const json_t *row)
{
	static const char *const hows[] = {NULL,   "full", "interval", "percent", "percents",
	                                   "less", "more", "times",    "effect",  "duration"};
	const json_t *columns = json_object_get(table, "columns");
	char text[ENTRY_TEXT_BYTES];
	for (size_t c = 0; c < json_array_size(columns); c++) {
		const json_t *column = json_array_get(columns, c);
		const char *kind = json_string_value(json_object_get(column, "kind")),
		           *unit = json_string_value(json_object_get(column, "unit"));
		/* Seconds alone are a duration. */
		const size_t nhows = sizeof hows / sizeof *hows - (!unit || strcmp(unit, "s") != 0);
		for (int side = -1; side <= 1; side++) {
			const struct entry e = entry_of(kind, json_array_get(row, c), side);
			for (size_t h = 0; e.has && h < nhows; h++)
				if (entry_say(&e, hows[h], text, sizeof text))
					add(said, &nsaid, text);
			if (e.has && !side && !strcmp(kind, "verdict"))
				add(verdicts, &nverdicts, e.text);
		}
	}
}

const json_t *sentences_table(const json_t *chapters, const char *name)
{
	for (size_t i = 0; i < json_array_size(chapters); i++) {
		const json_t *tables = json_object_get(json_array_get(chapters, i), "tables");
		for (size_t t = 0; t < json_array_size(tables); t++)
			if (!strcmp(json_string_value(
			                json_object_get(json_array_get(tables, t), "name")),
			            name))
				return json_array_get(tables, t);
	}
	return NULL;
}

static bool gather(const json_t *chapters, const json_t *sentence)
{
	const json_t *of = json_object_get(sentence, "of");
	nsaid = nverdicts = 0;
	said[0] = verdicts[0] = '\0';
	for (size_t i = 0; i < json_array_size(of); i++) {
		const json_t *basis = json_array_get(of, i), *rows = json_object_get(basis, "rows");
		const json_t *table =
		    sentences_table(chapters, json_string_value(json_object_get(basis, "table")));
		for (size_t r = 0; r < json_array_size(rows); r++) {
			const json_t *row =
			    json_array_get(json_object_get(table, "rows"),
			                   (size_t)json_integer_value(json_array_get(rows, r)));
			if (!row)
				return false;
			add_row(table, row);
		}
	}
	return true;
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || (unsigned char)c >= 0x80;
}

/* A number on its own in a text: not of p95, threads-2, NCCL_P2P. */
static bool has_number(const char *text, const char *number, size_t bytes)
{
	for (const char *at = text; (at = strstr(at, number)); at++) {
		const bool begins =
		               at == text || !(isdigit((unsigned char)at[-1]) || at[-1] == '.'),
		           ends = !isdigit((unsigned char)at[bytes]) &&
		                  !(at[bytes] == '.' && isdigit((unsigned char)at[bytes + 1]));
		if (begins && ends)
			return true;
	}
	return false;
}

static bool is_literal(const char *at)
{
	for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
		if (!strncmp(at, literals[i], strlen(literals[i])))
			return true;
	return false;
}

static bool numbers_right(const char *text, char *why, size_t bytes)
{
	for (const char *at = text; *at;) {
		size_t n = strspn(at, "0123456789");
		if (!n) {
			at++;
			continue;
		}
		while (at[n] == '.' && isdigit((unsigned char)at[n + 1]))
			n += 1 + strspn(at + n + 1, "0123456789");
		char number[64];
		snprintf(number, sizeof number, "%.*s", (int)n, at);
		if (!(at > text && is_part(at[-1])) && !is_literal(at) &&
		    !has_number(said, number, strlen(number))) {
			snprintf(why, bytes, "%s is in no row that it names: %s", number, text);
			return false;
		}
		at += n;
	}
	return true;
}

/* A word on its own in a text: not of a name, processes-slower. */
static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; (at = strstr(at, word)); at++)
		if (!(at > text && is_part(at[-1])) && !is_part(at[strlen(word)]))
			return true;
	return false;
}

/* A sentence without its quotes from its rows: 'a claim's own words' say nothing. */
static const char *unquoted(const char *text)
{
	static char out[4096];
	char quoted[1024];
	size_t n = 0;
	for (const char *at = text, *end; *at && n + 1 < sizeof out;) {
		end = at;
		/* A quote may hold an apostrophe. */
		for (bool found = false; *at == '\'' && !found && (end = strchr(end + 1, '\''));) {
			snprintf(quoted, sizeof quoted, "%.*s", (int)(end - at - 1), at + 1);
			found = end > at + 1 && strstr(said, quoted);
			at = found ? end + 1 : at;
			if (found)
				break;
		}
		if (*at)
			out[n++] = *at++;
	}
	out[n] = '\0';
	return out;
}

/* If a sentence has a verdict's word, one of its rows has it. */
static bool verdicts_right(const char *sentence, char *why, size_t bytes)
{
	const char *text = unquoted(sentence);
	static const char *const words[] = {"faster", "slower", "no difference", "undecided",
	                                    "does not hold"};
	for (size_t i = 0; nverdicts && i < sizeof words / sizeof *words; i++)
		if (has_word(text, words[i]) && !strstr(verdicts, words[i])) {
			snprintf(why, bytes, "'%s' is no verdict of its rows (%s): %s", words[i],
			         verdicts, text);
			return false;
		}
	return true;
}

/* No riddles, and no interval but "(a to b)", but for an older run's end. */
static bool wording_right(const char *text, char *why, size_t bytes)
{
	// clang-format off
	static const char *const riddles[] = {
	    "of no regime", "cannot be seen here", "too noisy to", "none shown", "no quotient", "no mean tells", "It measured", "has nothing to run",
	    "undecided by one", "is left out here", "pretends to be", "took its sockets", "inside it, without", "gained none",
	    "% in none", "lost none", "waste no bandwidth", "All the same but", "asked of a run", ", of means",
	    "between the classes", "full says of what", "planned without", "overstates", "not what it seems", " rests on ", "an earlier size", "±"};
	// clang-format on
	size_t i = 0;
	while (i < sizeof riddles / sizeof *riddles && !strstr(text, riddles[i]))
		i++;
	if (i == sizeof riddles / sizeof *riddles || strstr(text, "the widest interval is"))
		return true;
	snprintf(why, bytes, "'%s' is a riddle or another notation: %s", riddles[i], text);
	return false;
}

bool sentences_right(const json_t *report, char *why, size_t bytes)
{
	const json_t *chapters = json_object_get(report, "chapters");
	for (size_t i = 0; i < json_array_size(chapters); i++) {
		const json_t *sentences = json_object_get(json_array_get(chapters, i), "sentences");
		for (size_t s = 0; s < json_array_size(sentences); s++) {
			const json_t *sentence = json_array_get(sentences, s);
			const char *text = json_string_value(json_object_get(sentence, "text"));
			if (strstr(text, "<<")) {
				snprintf(why, bytes, "a key that no column has: %s", text);
				return false;
			}
			if (!gather(chapters, sentence)) {
				snprintf(why, bytes, "it names a row that is not there: %s", text);
				return false;
			}
			if (!numbers_right(text, why, bytes) || !verdicts_right(text, why, bytes) ||
			    !wording_right(text, why, bytes))
				return false;
		}
	}
	return true;
}
