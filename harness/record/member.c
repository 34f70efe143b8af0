#include "member.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int member_bad(const struct member_place *at, const char *format, ...)
{
	char what[512], line[16] = "";
	va_list args;
	va_start(args, format);
	vsnprintf(what, sizeof what, format, args);
	va_end(args);
	if (at->line)
		snprintf(line, sizeof line, ":%u", at->line);
	return status_set(at->st, "%s%s: %s", at->file, line, what);
}

const char *member_or_empty(const json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));
	return text ? text : "";
}

int member_text(const struct member_place *at, const json_t *from, const char *key,
                const char **out)
{
	const char *text = json_string_value(json_object_get(from, key));
	if (!text)
		return member_bad(at, "\"%s\" is missing or is no text", key);
	*out = text;
	return 0;
}

int member_name(const struct member_place *at, const json_t *from, const char *key, char *out,
                size_t bytes)
{
	const char *text = NULL;
	if (member_text(at, from, key, &text))
		return -1;
	if (!*text || strlen(text) >= bytes)
		return member_bad(at, "\"%s\" has to have 1 to %zu characters", key, bytes - 1);
	strcpy(out, text);
	return 0;
}

int member_error(const struct member_place *at, const json_t *from, const char *key, char *out,
                 size_t bytes)
{
	const json_t *error = json_object_get(from, key);
	if (!error || !(json_is_null(error) || json_is_string(error)))
		return member_bad(at, "\"%s\" is missing; it is text or null", key);
	snprintf(out, bytes, "%s", json_is_string(error) ? json_string_value(error) : "");
	return 0;
}

int member_number(const struct member_place *at, const json_t *from, const char *key,
                  json_int_t least, json_int_t most, json_int_t *out)
{
	const json_t *value = json_object_get(from, key);
	if (!json_is_integer(value))
		return member_bad(at, "\"%s\" is missing or is no whole number", key);
	json_int_t number = json_integer_value(value);
	if (number < least || number > most)
		return member_bad(at, "\"%s\" is %lld, allowed are %lld to %lld", key,
		                  (long long)number, (long long)least, (long long)most);
	*out = number;
	return 0;
}

int member_count(const struct member_place *at, const json_t *from, const char *key, unsigned least,
                 unsigned *out)
{
	json_int_t number = 0;
	if (member_number(at, from, key, least, INT_MAX, &number))
		return -1;
	*out = (unsigned)number;
	return 0;
}
