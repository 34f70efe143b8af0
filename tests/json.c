#include "json.h"

#include "guards.h"
#include "test.h"
#include "told.h"

static char said[1024];

static const json_t *nothing(const char **why, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(said, sizeof said, format, args);
	va_end(args);
	*why = said;
	return NULL;
}

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

const json_t *json_find_table(const json_t *report, const char *name, const char **why)
{
	const json_t *tables = json_object_get(report, "tables"), *table = NULL;
	const json_t *chapters = json_object_get(report, "chapters");
	for (size_t i = 0; i < json_array_size(chapters) && !table; i++)
		table = find_named(json_object_get(json_array_get(chapters, i), "tables"), "name",
		                   name);
	if (!table)
		table = find_named(tables, "name", name);
	return table ? table
	             : nothing(why, "no table %s; there are: %s", name, names_in(tables, "name"));
}

/* −1: no such column. */
static int column_of(const json_t *table, const char *key, const char **why)
{
	const json_t *columns = json_object_get(table, "columns");
	for (size_t i = 0; i < json_array_size(columns); i++)
		if (!strcmp(text_of(json_array_get(columns, i), "key"), key))
			return (int)i;
	nothing(why, "%s has no column %s; it has: %s", text_of(table, "name"), key,
	        names_in(columns, "key"));
	return -1;
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

/* How many rows are so, the first of them in *row; −1: a column is missing. */
static int count_rows(const json_t *table, json_keys is, const json_t **row, const char **why)
{
	const json_t *rows = json_object_get(table, "rows");
	int found = 0;
	*row = NULL;
	for (size_t k = 0; is[k]; k += 2)
		if (column_of(table, is[k], why) < 0)
			return -1;
	for (size_t r = 0; r < json_array_size(rows); r++) {
		const json_t *cells = json_array_get(rows, r);
		bool so = true;
		for (size_t k = 0; so && is[k]; k += 2)
			so = cell_is(json_array_get(cells, (size_t)column_of(table, is[k], why)),
			             is[k + 1]);
		if (so && !found++)
			*row = cells;
	}
	return found;
}

const json_t *json_find_row(const json_t *table, json_keys is, const char **why)
{
	char asked[300] = "";
	const json_t *row;
	int found = count_rows(table, is, &row, why);
	if (found < 0)
		return NULL;
	for (size_t k = 0; is[k]; k += 2) {
		size_t n = strlen(asked);
		snprintf(asked + n, sizeof asked - n, "%s%s=%s", k ? " " : "", is[k], is[k + 1]);
	}
	return found == 1 ? row
	                  : nothing(why, "%d rows of %s have %s, and one was wanted", found,
	                            text_of(table, "name"), asked);
}

const json_t *json_find_at(const json_t *value, const char *path, const char **why)
{
	const json_t *at = value;
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, ".");
		char *key = test_text("%.*s", (int)n, p);
		at = json_object_get(at, key);
		if (!at)
			return nothing(why, "%s: there is no %s", path, key);
		p += n + (p[n] == '.');
	}
	return at;
}

/* --- callers that ask and fail ------------------------------------------------------------- */

static const json_t *there(const json_t *found, const char *why)
{
	if (!found)
		fail_msg("%s", why);
	return found;
}

json_t *json_report(const char *file)
{
	json_error_t error;
	json_t *report = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	if (!report)
		fail_msg("%s:%d: %s", file, error.line, error.text);
	if (!told_right(report, said, sizeof said) || !guards_right(report, said, sizeof said))
		fail_msg("%s: %s", file, said);
	return test_keep(report);
}

const json_t *json_table(const json_t *report, const char *name)
{
	const char *why = "";
	const json_t *table = json_find_table(report, name, &why);
	return there(table, why);
}

const json_t *json_row(const json_t *table, json_keys is)
{
	const char *why = "";
	const json_t *row = json_find_row(table, is, &why);
	return there(row, why);
}

const json_t *json_cell(const json_t *table, json_keys is, const char *column)
{
	const char *why = "";
	const json_t *row = json_row(table, is);
	int at = column_of(table, column, &why);
	if (at < 0)
		fail_msg("%s", why);
	return json_array_get(row, (size_t)at);
}

size_t json_rows(const json_t *table, json_keys is)
{
	const char *why = "";
	const json_t *row;
	int found = count_rows(table, is, &row, &why);
	if (found < 0)
		fail_msg("%s", why);
	return (size_t)found;
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
	const char *why = "";
	const json_t *row = there(json_find_row(table, is, &why), why);
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
	const char *why;
	return json_find_table(report, name, &why) != NULL;
}

bool json_has_column(const json_t *table, const char *key)
{
	const char *why;
	return column_of(table, key, &why) >= 0;
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

const json_t *json_at(const json_t *value, const char *path)
{
	const char *why = "";
	const json_t *at = json_find_at(value, path, &why);
	return there(at, why);
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
