#include "warnings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void warnings_add(struct warnings *w, const char *format, ...)
{
	if (w->count == WARNINGS_MOST) {
		snprintf(
		    w->text[WARNINGS_MOST - 1], WARNINGS_BYTES,
		    "There are more warnings than fit here: see the errors in trials.jsonl.");
		return;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(w->text[w->count++], WARNINGS_BYTES, format, args);
	va_end(args);
}

void warnings_promote(struct warnings *w, unsigned first)
{
	char text[WARNINGS_BYTES];
	for (unsigned i = first, to = w->doubts; i < w->count; i++, to++) {
		memcpy(text, w->text[i], sizeof text);
		memmove(w->text[to + 1], w->text[to], (i - to) * sizeof w->text[0]);
		memcpy(w->text[to], text, sizeof text);
	}
}
