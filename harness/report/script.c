#include "script.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void script_quote(const char *text, char *out, size_t bytes)
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
		if (table_ends_cdata(begin, text) && n + 3 < bytes)
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

void script_put(struct script *p, const char *name, unsigned i, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs(name, p->out);
	fprintf(p->out, i ? "[%u] = " : " = ", i);
	vfprintf(p->out, format, list);
	fputc('\n', p->out);
	va_end(list);
}

void script_text(struct script *p, const char *name, unsigned i, const char *text)
{
	char quoted[2 * SCRIPT_TEXT_BYTES];
	script_quote(text, quoted, sizeof quoted);
	script_put(p, name, i, "%s", quoted);
}

void script_number(struct script *p, const char *name, unsigned i, double x)
{
	if (!isfinite(x))
		script_put(p, name, i, "NaN");
	else
		script_put(p, name, i, "1.0 * %.9g", x);
}

void script_arrays(struct script *p, unsigned n, const char *prefix, const char *words)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		fprintf(p->out, "array %s_%.*s[%u]\n", prefix, (int)len, words, n ? n : 1);
	}
}
