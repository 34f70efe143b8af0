#include "shape.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../story/story.h"

/* --- the rows --- */

// clang-format off
const char *const shape_kinds[] = {
    [KIND_TEXT] = "text",     [KIND_WORD] = "verdict",
    [KIND_COUNT] = "count",   [KIND_BYTES] = "bytes",  [KIND_FLAG] = "flag",
    [KIND_NUMBER] = "number", [KIND_SHARE] = "share",  [KIND_SPREAD] = "spread",
    [KIND_RATIO] = "ratio",   [KINDS] = NULL};
const char *const shape_roles[] = {
    "answer", "caption", "advice", "warning",  "item",         "body",
    "stress", "instead", "caveat", "open",     "trust",        "row",
    "doubt",  "",        "",       "measured", "headline", "above pictures", NULL};
const char *const shape_places[] = {"first", "front", "body", "appendix", NULL};

static const struct {
	const char *name;
	const char *const *list;
} words[] = {{"kind", shape_kinds}, {"role", shape_roles}, {"place", shape_places}};

#define COUNT(list) (sizeof(list) / sizeof *(list))
/* What members are made of, as JSON Schema has it. */
static const struct {
	const char *name, *schema;
} types[] = {
    {"schema", "{\"const\": 2}"},
    {"text", "{\"type\": \"string\"}"},
    {"flag", "{\"type\": \"boolean\"}"},
    {"count", "{\"type\": \"integer\", \"minimum\": 0}"},
    {"number", "{\"type\": \"number\"}"},
    {"range", "{\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {\"type\": [\"integer\", \"null\"], \"minimum\": 0}}"},
};

/* NAME:TYPE with blanks between; NAME? may be missing, TYPE? may be null, TYPE[] is a list. */
static const struct {
	const char *name, *members;
} shapes[SHAPES] = {
    [SHAPE_REPORT] = {"report",
        "schema:schema launchgap:text experiment:text title:text question:text created:text backend:text seed:text "
        "verdicts:count intervals:count ranks:count blocks:count looks:looks sessions:session[] margin:number "
        "reference:text answer:text[] trust:text regimes:regime[] warnings:text[] pictures:picture[] "
        "sections:section[] tables:table[] chapters:chapter[]"},
    [SHAPE_LOOKS] = {"looks", "n:count first_blocks:count added_blocks:count by_width:flag confidence:number"},
    [SHAPE_SESSION] = {"session",
        "first_block:count blocks:count planned:flag created?:text launchgap?:text host?:text boot?:text "
        "begun?:count pause_s?:number?"},
    [SHAPE_REGIME] = {"regime",
        "name:text third:flag bytes:range metric:text pace:text tells:flag least_effect:number? why:text"},
    [SHAPE_PICTURE] = {"picture", "name:text title:text caption:text"},
    [SHAPE_SECTION] = {"section", "id:text title:text sentences:text[]"},
    [SHAPE_TABLE] = {"table", "name:text title:text columns:column[] rows:row[]"},
    [SHAPE_COLUMN] = {"column", "key:text head:text unit:text kind:kind"},
    [SHAPE_SPREAD] = {"spread", "value:number? lo:number? hi:number?"},
    [SHAPE_RATIO] = {"ratio", "estimate:number? lo:number? hi:number? blocks:count"},
    [SHAPE_CHAPTER] = {"chapter", "name:text title:text place:place tables:table[] sentences:sentence[]"},
    [SHAPE_SENTENCE] = {"sentence", "roles:role[] text:text of:basis[]"},
    [SHAPE_BASIS] = {"basis", "table:text rows:count[]"},
};
// clang-format on

/* --- a row's members --- */

struct member {
	char name[32], type[32];
	bool may_miss, may_null, list;
};

/* The next one, and goes behind it; false after the last. */
static bool member_next(const char **at, struct member *out)
{
	*out = (struct member){.list = false};
	*at += strspn(*at, " ");
	const size_t name = strcspn(*at, ":?"), miss = (*at)[name] == '?';
	if (!**at)
		return false;
	snprintf(out->name, sizeof out->name, "%.*s", (int)name, *at);
	out->may_miss = miss;
	*at += name + miss + 1;
	const size_t type = strcspn(*at, "?[ ");
	snprintf(out->type, sizeof out->type, "%.*s", (int)type, *at);
	*at += type;
	out->may_null = **at == '?';
	out->list = **at == '[';
	*at += strcspn(*at, " ");
	return true;
}

/* --- what is written --- */

static json_t *figure(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* Owned by the caller; NULL: it is missing, or memory is out. */
static json_t *value_next(const struct member *m, va_list *values)
{
	if (m->list)
		return va_arg(*values, json_t *);
	if (!strcmp(m->type, "text") || !strcmp(m->type, "kind") || !strcmp(m->type, "place")) {
		const char *text = va_arg(*values, const char *);
		return text ? json_string(text) : NULL;
	}
	if (m->may_miss)
		return va_arg(*values, json_t *);
	if (!strcmp(m->type, "flag"))
		return json_boolean(va_arg(*values, int));
	if (!strcmp(m->type, "count") || !strcmp(m->type, "schema"))
		return json_integer(va_arg(*values, int));
	if (!strcmp(m->type, "number"))
		return figure(va_arg(*values, double));
	return va_arg(*values, json_t *);
}

json_t *shape_make(enum shape shape, ...)
{
	const char *at = shapes[shape].members;
	json_t *object = json_object();
	struct member m;
	bool failed = false;
	va_list values;
	va_start(values, shape);
	while (member_next(&at, &m)) {
		json_t *value = value_next(&m, &values);
		if (value || !m.may_miss)
			failed |= json_object_set_new(object, m.name, value);
	}
	va_end(values);
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

/* --- the schema --- */

static json_t *type_of(const struct member *m)
{
	json_t *type = json_pack("{s:o}", "$ref", json_sprintf("#/$defs/%s", m->type));
	if (m->list)
		return json_pack("{s:s, s:o}", "type", "array", "items", type);
	if (m->may_null)
		return json_pack("{s:[o, {s:s}]}", "anyOf", type, "type", "null");
	return type;
}

static json_t *object_of(const char *members)
{
	json_t *required = json_array(), *properties = json_object();
	struct member m;
	while (member_next(&members, &m)) {
		json_object_set_new(properties, m.name, type_of(&m));
		if (!m.may_miss)
			json_array_append_new(required, json_string(m.name));
	}
	return json_pack("{s:s, s:o, s:o}", "type", "object", "required", required, "properties",
	                 properties);
}

/* A cell of a row, of any kind. Not by a reference to either figure: then readers need several times as
 * long. */
static json_t *cell_schema(void)
{
	json_t *spread = object_of(shapes[SHAPE_SPREAD].members),
	       *ratio = object_of(shapes[SHAPE_RATIO].members);
	json_t *properties = json_object_get(spread, "properties");
	json_object_update(properties, json_object_get(ratio, "properties"));
	json_t *cell = json_pack("{s:[s, s, s, s, s], s:O, s:[s, s], s:b}", "type", "null",
	                         "string", "number", "boolean", "object", "properties", properties,
	                         "required", "lo", "hi", "additionalProperties", 0);
	json_decref(spread);
	json_decref(ratio);
	return cell;
}

/* Each word once. */
static json_t *enum_of(const char *const *all)
{
	json_t *list = json_array();
	for (unsigned i = 0; all[i]; i++) {
		bool said = !*all[i];
		for (unsigned k = 0; k < i && !said; k++)
			said = !strcmp(all[i], all[k]);
		if (!said)
			json_array_append_new(list, json_string(all[i]));
	}
	return json_pack("{s:o}", "enum", list);
}

json_t *shape_schema(void)
{
	json_t *defs = json_object();
	for (unsigned i = 0; i < SHAPES; i++)
		json_object_set_new(defs, shapes[i].name, object_of(shapes[i].members));
	for (size_t i = 0; i < COUNT(words); i++)
		json_object_set_new(defs, words[i].name, enum_of(words[i].list));
	for (size_t i = 0; i < COUNT(types); i++)
		json_object_set_new(defs, types[i].name, json_loads(types[i].schema, 0, NULL));
	json_object_set_new(defs, "row",
	                    json_pack("{s:s, s:o}", "type", "array", "items", cell_schema()));
	return json_pack(
	    "{s:s, s:s, s:s, s:s, s:o}", "$schema", "https://json-schema.org/draft/2020-12/schema",
	    "title", "report.json of launchgap", "description",
	    "What each key means: results/README.md", "$ref", "#/$defs/report", "$defs", defs);
}
