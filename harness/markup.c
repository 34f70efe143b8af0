#include "markup.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Bytes that are no character of XML: controls, and U+FFFE and U+FFFF; 0: it is one. */
static size_t forbidden(const char *text)
{
	const unsigned char c = (unsigned char)*text;
	if (c < ' ' && c != '\t' && c != '\n' && c != '\r')
		return 1;
	return !strncmp(text, "\xEF\xBF\xBE", 3) || !strncmp(text, "\xEF\xBF\xBF", 3) ? 3 : 0;
}

void markup_escape(FILE *out, const char *text)
{
	static const char *const named[][2] = {
	    {"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}};
	while (*text) {
		const size_t none = forbidden(text);
		const char *as = none ? " " : NULL;
		for (unsigned i = 0; i < 4 && !as; i++)
			if (*text == *named[i][0])
				as = named[i][1];
		if (as)
			fputs(as, out);
		else
			fputc(*text, out);
		text += none ? none : 1;
	}
}

/* Whether the character at `at` is the > of "]]>": XML forbids that in a text, and gnuplot writes
 * it into its SVG. A blank has to precede it. */
static bool ends_cdata(const char *begin, const char *at)
{
	return *at == '>' && at - begin >= 2 && at[-1] == ']' && at[-2] == ']';
}

void markup_csv(FILE *out, const char *text, bool gnuplot)
{
	const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "", *begin = text;
	fputs(quote, out);
	if (!gnuplot && *text && strchr("=+-@\t", *text))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"' || (gnuplot && ends_cdata(begin, text)))
			fputc(*text == '"' ? '"' : ' ', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputs(quote, out);
}

void markup_gnuplot(const char *text, char *out, size_t bytes)
{
	/* gnuplot does not read two adjacent single quotes reliably. */
	char quote = strchr(text, '\'') ? '"' : '\'';
	const char *begin = text;
	size_t n = 0;
	out[n++] = quote;
	while (*text) {
		char part[8] = {0};
		size_t len = 1;
		unsigned char c = (unsigned char)*text;
		if (ends_cdata(begin, text) && n + 3 < bytes)
			out[n++] = ' ';
		if (c < ' ' || c == 0x7F)
			part[0] = ' ';
		else if (quote == '"' && c < 0x80 && c != ' ' && !isalpha(c))
			len = (size_t)sprintf(part, "\\%03o", c);
		else
			for (len = 0;
			     len < 4 && (!len || ((unsigned char)text[len] & 0xC0) == 0x80); len++)
				part[len] = text[len];
		if (n + len + 2 > bytes)
			break;
		memcpy(out + n, part, len);
		n += len;
		text += len > 1 && part[0] != '\\' ? len : 1;
	}
	out[n++] = quote;
	out[n] = 0;
}
