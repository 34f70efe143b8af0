#include "schema.h"

#include <stdio.h>
#include <string.h>

#include "../harness/texts.h"

struct checking {
	const json_t *defs;
	char *why; /* "" so far */
	size_t bytes;
};

static bool wrong(const struct checking *c, const char *name, const char *what)
{
	snprintf(c->why, c->bytes, "'%s' has another %s than the schema", name, what);
	return false;
}

static bool is_type(const json_t *value, const char *type)
{
	return (!strcmp(type, "object") && json_is_object(value)) ||
	       (!strcmp(type, "array") && json_is_array(value)) ||
	       (!strcmp(type, "string") && json_is_string(value)) ||
	       (!strcmp(type, "integer") && json_is_integer(value)) ||
	       (!strcmp(type, "number") && json_is_number(value)) ||
	       (!strcmp(type, "boolean") && json_is_boolean(value)) ||
	       (!strcmp(type, "null") && json_is_null(value));
}

static bool is_one(const json_t *value, const json_t *types)
{
	if (json_is_string(types))
		return is_type(value, json_string_value(types));
	for (size_t i = 0; i < json_array_size(types); i++)
		if (is_type(value, json_string_value(json_array_get(types, i))))
			return true;
	return !types;
}

static bool check(const struct checking *c, const json_t *schema, const json_t *value,
                  const char *name);

static bool check_object(const struct checking *c, const json_t *schema, const json_t *value,
                         const char *name)
{
	const json_t *required = json_object_get(schema, "required"),
	             *properties = json_object_get(schema, "properties");
	const char *key;
	json_t *one;
	for (size_t i = 0; i < json_array_size(required); i++)
		if (!json_object_get(value, json_string_value(json_array_get(required, i))))
			return wrong(c, name, "set of keys");
	json_object_foreach((json_t *)(size_t)value, key, one)
	{
		const json_t *of = json_object_get(properties, key);
		if (!of)
			return wrong(c, key, "set of keys");
		if (of && !check(c, of, one, key))
			return false;
	}
	return true;
}

static bool check_list(const struct checking *c, const json_t *schema, const json_t *value,
                       const char *name)
{
	const json_t *least = json_object_get(schema, "minItems"),
	             *most = json_object_get(schema, "maxItems");
	const json_int_t n = (json_int_t)json_array_size(value);
	if ((least && n < json_integer_value(least)) || (most && n > json_integer_value(most)))
		return wrong(c, name, "number of items");
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!check(c, json_object_get(schema, "items"), json_array_get(value, i), name))
			return false;
	return true;
}

static bool is_any(const struct checking *c, const json_t *schemas, const json_t *value)
{
	char none[128];
	const struct checking quiet = {c->defs, none, sizeof none};
	for (size_t i = 0; i < json_array_size(schemas); i++)
		if (check(&quiet, json_array_get(schemas, i), value, ""))
			return true;
	return !schemas;
}

static bool has(const json_t *list, const json_t *value)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_equal(json_array_get(list, i), value))
			return true;
	return !list;
}

static bool check(const struct checking *c, const json_t *schema, const json_t *value,
                  const char *name)
{
	const char *of = json_string_value(json_object_get(schema, "$ref"));
	const json_t *same = json_object_get(schema, "const"),
	             *least = json_object_get(schema, "minimum");
	if (of)
		return check(c, json_object_get(c->defs, strrchr(of, '/') + 1), value, name);
	if (!is_one(value, json_object_get(schema, "type")) ||
	    !is_any(c, json_object_get(schema, "anyOf"), value))
		return wrong(c, name, "type");
	if ((same && !json_equal(same, value)) || !has(json_object_get(schema, "enum"), value) ||
	    (least && json_is_number(value) && json_number_value(value) < json_number_value(least)))
		return wrong(c, name, "value");
	return json_is_object(value)  ? check_object(c, schema, value, name)
	       : json_is_array(value) ? check_list(c, schema, value, name)
	                              : true;
}

bool schema_right(const json_t *report, char *why, size_t bytes)
{
	json_t *schema = json_loads(texts_find("results/report.schema.json"), 0, NULL);
	const struct checking c = {json_object_get(schema, "$defs"), why, bytes};
	const bool right = check(&c, schema, report, "report");
	json_decref(schema);
	return right;
}
