#include "csv.h"

#include <math.h>
#include <string.h>

void summary_put_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fprintf(out, "%s,", text);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
	}
	fputs("\",", out);
}

void summary_put_number(FILE *out, double x)
{
	if (isfinite(x))
		fprintf(out, "%.6g", x);
	fputc(',', out);
}
