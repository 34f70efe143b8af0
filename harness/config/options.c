#include "options.h"

int options_borrow(const struct field *f, const char *text, void *base, struct status *st)
{
	if (!text[0] || (f->bytes && strlen(text) >= f->bytes))
		return status_set(st, "%s has %zu bytes; allowed is 1 to %zu", f->key, strlen(text),
		                  (f->bytes ? f->bytes : PATH_MAX) - 1);
	memcpy((char *)base + f->at, &text, sizeof text);
	return 0;
}

const char *options_name(const struct field *row, unsigned i, char name[64])
{
	const char *at = row->key;
	for (; i && *at; i--) {
		at += strcspn(at, ",");
		at += strspn(at, ", ");
	}
	snprintf(name, 64, "%.*s", (int)strcspn(at, ","), at);
	return name;
}

static const struct field *find(const struct fields *options, const char *argument)
{
	for (size_t r = 0; options && r < options->n; r++) {
		const struct field *row = &options->rows[r];
		char name[64];
		for (unsigned i = 0; *options_name(row, i, name); i++) {
			const size_t n = strlen(name);
			if ((name[0] == '-' || row->kind == FIELD_FLAG
			         ? !strcmp(argument, name)
			         : !strncmp(argument, name, n) && argument[n] == '=') &&
			    (row->kind != FIELD_OWN || row->read))
				return row;
		}
	}
	return NULL;
}

int options_take(const struct fields *options, char *const argv[], int i, void *base,
                 struct status *st)
{
	const struct field *row = find(options, argv[i]);
	if (!row)
		return 0;
	const bool own = row->kind == FIELD_FLAG || argv[i][0] != '-';
	const char *value = row->kind == FIELD_FLAG ? "yes"
	                    : own                   ? strchr(argv[i], '=') + 1
	                                            : argv[i + 1];
	if (!value)
		return status_set(st, "%s needs a value", argv[i]);
	return field_read(row, value, base, st) ? -1 : 2 - own;
}

void options_offer(const struct fields *options, struct suggestion *guess)
{
	char name[64];
	for (size_t r = 0; r < options->n; r++)
		for (unsigned i = 0; *options_name(&options->rows[r], i, name); i++)
			suggest_offer(guess, name);
}

const char *options_value(const struct field *row, char value[128])
{
	snprintf(value, 128, "%s", row->value ? row->value : "");
	for (unsigned i = 0; !row->value && row->kind != FIELD_FLAG && field_word(row, i); i++)
		status_add(value, 128, "%s%s", i ? "|" : "", field_word(row, i));
	return value;
}

const char *options_sign(const struct field *row)
{
	char value[128];
	const bool dashed = row->key[0] == '-' || row->kind == FIELD_FLAG;
	return !*options_value(row, value) ? "" : dashed ? " " : "=";
}

void options_help(const struct field *row, char *text, size_t bytes)
{
	const char *usual = row->otherwise ? row->otherwise : row->initial;
	snprintf(text, bytes, usual ? "%s (default: %s)" : "%s", row->help, usual);
}
