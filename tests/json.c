#include "json.h"

#include "guards.h"
#include "test.h"
#include "sentences.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* The values of `key` in a list of objects, for callers that ask for a missing one. */
static const char *names_in(const json_t *list, const char *key)
{
	static char names[700];
	names[0] = '\0';
	for (size_t i = 0; i < json_array_size(list); i++) {
		size_t n = strlen(names);
		snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
		         text_of(json_array_get(list, i), key));
	}
	return names;
}

static const json_t *find_named(const json_t *list, const char *key, const char *name)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(text_of(json_array_get(list, i), key), name))
			return json_array_get(list, i);
	return NULL;
}

/* NULL: there is none. */
static const json_t *find_table(const json_t *report, const char *name)
{
	const json_t *chapters = json_object_get(report, "chapters"), *table = NULL;
	for (size_t i = 0; i < json_array_size(chapters) && !table; i++)
		table = find_named(json_object_get(json_array_get(chapters, i), "tables"), "name",
		                   name);
	return table ? table : find_named(json_object_get(report, "tables"), "name", name);
}

/* −1: no such column. */
static int find_column(const json_t *table, const char *key)
{
	const json_t *columns = json_object_get(table, "columns");
	for (size_t i = 0; i < json_array_size(columns); i++)
		if (!strcmp(text_of(json_array_get(columns, i), "key"), key))
			return (int)i;
	return -1;
}

static size_t column_of(const json_t *table, const char *key)
{
	const int at = find_column(table, key);
	if (at < 0)
		fail_msg("%s has no column %s; it has: %s", text_of(table, "name"), key,
		         names_in(json_object_get(table, "columns"), "key"));
	return (size_t)at;
}

static bool cell_is(const json_t *cell, const char *value)
{
	char *end;
	double number = strtod(value, &end);
	if (json_is_number(cell))
		return end != value && !*end && json_number_value(cell) == number;
	if (json_is_boolean(cell))
		return !strcmp(value, json_is_true(cell) ? "true" : "false");
	return json_is_string(cell) ? !strcmp(json_string_value(cell), value)
	                            : json_is_null(cell) && !*value;
}

/* How many rows are so, the first of them in *row. */
static size_t count_rows(const json_t *table, json_keys is, const json_t **row)
{
	const json_t *cells;
	size_t found = 0, r;
	*row = NULL;
	for (size_t k = 0; is[k]; k += 2)
		column_of(table, is[k]);
	json_array_foreach(json_object_get(table, "rows"), r, cells)
	{
		bool so = true;
		for (size_t k = 0; so && is[k]; k += 2)
			so = cell_is(json_array_get(cells, column_of(table, is[k])), is[k + 1]);
		if (so && !found++)
			*row = cells;
	}
	return found;
}

json_t *json_report(const char *file)
{
	char why[1024];
	json_error_t error;
	json_t *report = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	if (!report)
		fail_msg("%s:%d: %s", file, error.line, error.text);
	if (!sentences_right(report, why, sizeof why) || !guards_right(report, why, sizeof why))
		fail_msg("%s: %s", file, why);
	return test_keep(report);
}

const json_t *json_table(const json_t *report, const char *name)
{
	const json_t *table = find_table(report, name);
	if (!table)
		fail_msg("no table %s; there are: %s", name,
		         names_in(json_object_get(report, "tables"), "name"));
	return table;
}

const json_t *json_row(const json_t *table, json_keys is)
{
	const json_t *row;
	const char *asked = "";
	const size_t found = count_rows(table, is, &row);
	for (size_t k = 0; found != 1 && is[k]; k += 2)
		asked = test_text("%s %s=%s", asked, is[k], is[k + 1]);
	if (found != 1)
		fail_msg("%zu rows of %s have%s, and one was wanted", found, text_of(table, "name"),
		         asked);
	return row;
}

const json_t *json_cell(const json_t *table, json_keys is, const char *column)
{
	return json_array_get(json_row(table, is), column_of(table, column));
}

size_t json_rows(const json_t *table, json_keys is)
{
	const json_t *row;
	return count_rows(table, is, &row);
}

size_t json_count(const json_t *report, const char *table)
{
	return json_has_table(report, table)
	           ? json_rows(json_table(report, table), (json_keys){NULL})
	           : 0;
}

const json_t *json_entries(const json_t *report, const char *name, json_keys is)
{
	const json_t *table = json_table(report, name),
	             *columns = json_object_get(table, "columns");
	const json_t *row = json_row(table, is);
	json_t *entries = json_object(), *kept = json_object_get(report, "rows as objects");
	for (size_t i = 0; i < json_array_size(columns); i++)
		json_object_set(entries, text_of(json_array_get(columns, i), "key"),
		                json_array_get(row, i));
	if (!kept)
		json_object_set_new((json_t *)(size_t)report, "rows as objects",
		                    kept = json_array());
	json_array_append_new(kept, entries);
	return entries;
}

const json_t *json_claim(const json_t *report, const char *name)
{
	return json_entries(report, "claims", (json_keys){"claim", name, NULL});
}

bool json_has_table(const json_t *report, const char *name)
{
	return find_table(report, name) != NULL;
}

bool json_has_column(const json_t *table, const char *key)
{
	return find_column(table, key) >= 0;
}

const json_t *json_section(const json_t *report, const char *id)
{
	const json_t *section = find_named(json_object_get(report, "sections"), "id", id);
	return json_object_get(section, "sentences");
}

bool json_one_says(const json_t *texts, const char *words)
{
	for (size_t i = 0; i < json_array_size(texts); i++)
		if (strstr(json_string_value(json_array_get(texts, i)), words))
			return true;
	return false;
}

void json_assert_one_says(const json_t *texts, const char *words)
{
	if (json_one_says(texts, words))
		return;
	for (size_t i = 0; i < json_array_size(texts); i++)
		print_error("%s\n", json_string_value(json_array_get(texts, i)));
	fail_msg("none of them says \"%s\"", words);
}

static const json_t *list_of(const json_t *report, const char *name)
{
	return !strcmp(name, "answer") || !strcmp(name, "warnings") ? json_object_get(report, name)
	                                                            : json_section(report, name);
}

void json_says(const json_t *report, const char *list, const char *words)
{
	json_assert_one_says(list_of(report, list), words);
}

void json_lacks(const json_t *report, const char *list, const char *words)
{
	if (json_one_says(list_of(report, list), words))
		fail_msg("%s says \"%s\"", list, words);
}

const json_t *json_at(const json_t *value, const char *path)
{
	const json_t *at = value;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, ".");
		char *key = test_text("%.*s", (int)n, p);
		at = json_object_get(at, key);
		if (!at)
			fail_msg("%s: there is no %s", path, key);
		p += n + (p[n] == '.');
	}
	return at;
}

static const char *string_at(const json_t *value, const char *path)
{
	const json_t *at = json_at(value, path);
	if (!json_is_string(at))
		fail_msg("%s is no text", path);
	return json_string_value(at);
}

void json_assert_text(const json_t *value, const char *path, const char *text)
{
	assert_string_equal(string_at(value, path), text);
}

void json_assert_says(const json_t *value, const char *path, const char *words)
{
	const char *text = string_at(value, path);
	if (!strstr(text, words))
		fail_msg("lacks \"%s\": %s", words, text);
}

void json_assert_number(const json_t *value, const char *path, double number, double within)
{
	const json_t *at = json_at(value, path);
	if (!json_is_number(at))
		fail_msg("%s is no number", path);
	if (!(fabs(json_number_value(at) - number) <= within))
		fail_msg("%s is %.17g, and %.17g was wanted, within %g", path,
		         json_number_value(at), number, within);
}

void json_assert_null(const json_t *value, const char *path)
{
	assert_true(json_is_null(json_at(value, path)));
}
