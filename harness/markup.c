#include "markup.h"

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
