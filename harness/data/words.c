#include "words.h"

#include <ctype.h>
#include <string.h>

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *words_find(const char *text, const char *word)
{
	const size_t bytes = strlen(word);
	const char *at = bytes ? strstr(text, word) : NULL;
	while (at && ((at > text && of_word(at[-1]) && of_word(*word)) ||
	              (of_word(word[bytes - 1]) && of_word(at[bytes]))))
		at = strstr(at + 1, word);
	return at;
}

int words_refuse(const char *file, const char *text, unsigned line, const char *word,
                 const char *what, const char *which, struct status *st)
{
	for (unsigned i = 1; i < line && *text; i++) {
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	const char *found = words_find(text, word),
	           *at = found ? found : text + strspn(text, " \t");
	for (const char *end; (end = strchr(text, '\n')) && end < at; text = end + 1)
		line++;
	return status_set(st, "%s:%u:%d: %s%s", file, line, (int)(at - text) + 1, what, which);
}

char *words_trimmed(struct arena *arena, const char *text, size_t bytes)
{
	while (bytes && isblank((unsigned char)*text))
		text++, bytes--;
	while (bytes && isblank((unsigned char)text[bytes - 1]))
		bytes--;
	char *copy = arena_take(arena, bytes + 1);
	memcpy(copy, text, bytes);
	return copy;
}

char *words_next(struct arena *arena, const char **rest, const char *between)
{
	const char *end = strstr(*rest, between), *from = *rest;
	*rest = end ? end + strlen(between) : from + strlen(from);
	return words_trimmed(arena, from, end ? (size_t)(end - from) : strlen(from));
}

int words_index(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

/* A word and its value in front of *rest: "by title"; NULL: it is another. */
const char *words_option(struct arena *arena, const char **rest, const char *word)
{
	const size_t bytes = strlen(word);
	if (strncmp(*rest, word, bytes) != 0 || (*rest)[bytes] != ' ')
		return NULL;
	*rest += bytes + 1;
	return words_next(arena, rest, " ");
}

bool words_takes(const char **rest, const char *word)
{
	const size_t bytes = strlen(word);
	if (strncmp(*rest, word, bytes) != 0)
		return false;
	*rest += bytes + strspn(*rest + bytes, " ");
	return true;
}
