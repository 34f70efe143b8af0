#include "place.h"

#include <ctype.h>
#include <string.h>

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *find(const char *text, const char *word)
{
	const size_t bytes = strlen(word);
	const char *at = bytes ? strstr(text, word) : NULL;
	while (at && ((at > text && of_word(at[-1]) && of_word(*word)) ||
	              (of_word(word[bytes - 1]) && of_word(at[bytes]))))
		at = strstr(at + 1, word);
	return at;
}

int place_refuse(const char *file, const char *text, unsigned line, const char *word,
                 const char *what, const char *which, struct status *st)
{
	for (unsigned i = 1; i < line && *text; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	const char *found = find(text, word), *at = found ? found : text + strspn(text, " \t");
	for (const char *end; (end = strchr(text, '\n')) && end < at; text = end + 1)
		line++;
	return status_set(st, "%s:%u:%d: %s%s", file, line, (int)(at - text) + 1, what, which);
}
