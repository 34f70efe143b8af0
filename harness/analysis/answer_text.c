#include "answer_text.h"

#include <stdarg.h>
#include <stdio.h>

void answer_say(struct answer *a, const char *format, ...)
{
	va_list args;
	if (a->n == ANSWER_MOST)
		return;
	va_start(args, format);
	vsnprintf(a->text[a->n++], ANSWER_TEXT_BYTES, format, args);
	va_end(args);
}
