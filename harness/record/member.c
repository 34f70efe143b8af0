#include "member.h"

const char *member_or_empty(const json_t *from, const char *key)
{
	const char *text = json_string_value(json_object_get(from, key));
	return text ? text : "";
}

json_int_t member_number(const json_t *from, const char *key)
{
	return json_integer_value(json_object_get(from, key));
}

int member_check(const struct member_place *at, const json_t *from, const struct member *rows)
{
	static const char *const types[] = {[JSON_OBJECT] = "an object",
	                                    [JSON_ARRAY] = "a list",
	                                    [JSON_STRING] = "text",
	                                    [JSON_INTEGER] = "a whole number",
	                                    [JSON_TRUE] = "true or false"};
	for (const struct member *m = rows; m->key; m++) {
		const json_t *value = json_object_get(from, m->key);
		const bool text = m->type == JSON_STRING;
		const json_int_t n =
		    text ? (json_int_t)json_string_length(value) : json_integer_value(value);
		if (value ? m->null && json_is_null(value) : m->optional)
			continue;
		if (!value || (json_is_false(value) ? JSON_TRUE : json_typeof(value)) != m->type)
			return member_bad(at, "\"%s\" %s %s%s", m->key,
			                  value ? "has to be" : "is missing; it is", types[m->type],
			                  m->null ? " or null" : "");
		if (m->hi && (n < m->lo || n > m->hi))
			return member_bad(at, "\"%s\" %s %lld%s, allowed are %lld to %lld", m->key,
			                  text ? "has" : "is", (long long)n, text ? " bytes" : "",
			                  (long long)m->lo, (long long)m->hi);
	}
	return 0;
}
