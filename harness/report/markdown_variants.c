/* The table of the variants: what each is, so that no two look alike. */
#include <string.h>

#include "../config/settings.h"
#include "markdown_parts.h"

#define SETTINGS_BYTES 1024

/* What has a column of its own; a library's path says less than its version, and so does what
 * that had to be. */
static bool has_column(const char *key)
{
	static const char *const keys[] = {"mode", "layout", "backend",
	                                   "bind", "nccl",   "nccl_below"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strcmp(key, keys[i]))
			return true;
	return false;
}

static void add(char *text, const char *key, const char *value)
{
	size_t n = strlen(text);
	snprintf(text + n, SETTINGS_BYTES - n, "%s%s = %s", n ? ", " : "", key, value);
}

static void add_json(char *text, const char *key, const json_t *value)
{
	char number[32];
	if (json_is_string(value)) {
		add(text, key, json_string_value(value));
	} else if (json_is_boolean(value)) {
		add(text, key, json_is_true(value) ? "yes" : "no");
	} else if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		add(text, key, number);
	}
}

static void add_env(char *text, const json_t *env)
{
	for (size_t i = 0; i < json_array_size(env); i++) {
		const char *entry = json_string_value(json_array_get(env, i));
		char key[TRIAL_ENV_BYTES];
		if (!entry || !strchr(entry, '='))
			continue;
		snprintf(key, sizeof key, "env.%.*s", (int)strcspn(entry, "="), entry);
		add(text, key, strchr(entry, '=') + 1);
	}
}

/* The default allocator was `nccl` before it was `auto`. A run in which no variant says `auto`
 * is of that time, or sets `nccl` in all of them: a setting of none either way. */
static void take_allocator(const json_t *variants, json_t *plain)
{
	for (size_t i = 0; i < json_array_size(variants); i++) {
		const json_t *v = json_array_get(variants, i);
		const char *own = json_string_value(json_object_get(v, "allocator"));
		if (own && !strcmp(own, "auto"))
			return;
	}
	json_object_set_new(plain, "allocator", json_string("nccl"));
}

/* What its backend is asked nothing of: the path is nccl's alone. */
static bool is_idle(const char *key, const json_t *given)
{
	const char *backend = json_string_value(json_object_get(given, "backend"));
	return !strcmp(key, "expect") && backend && strcmp(backend, "nccl");
}

/* What the record's variant sets beyond the defaults: "register = local, env.NCCL_X = 1". Older
 * records name fewer settings; what they do not name was the default then. */
static void settings_of(const struct summary *s, unsigned variant, char text[SETTINGS_BYTES])
{
	const json_t *variants = json_object_get(s->run->environment, "variants");
	const json_t *given = json_array_get(variants, variant);
	struct settings none;
	settings_default(&none);
	json_t *plain = settings_to_json(&none), *value;
	const char *key;
	text[0] = '\0';
	take_allocator(variants, plain);
	json_object_foreach(plain, key, value)
	{
		const json_t *own = json_object_get(given, key);
		if (own && !has_column(key) && strcmp(key, "env") && !is_idle(key, given) &&
		    !json_equal(own, value))
			add_json(text, key, own);
	}
	add_env(text, json_object_get(given, "env"));
	json_decref(plain);
}

enum { NAME, ROLE, MODE, LAYOUT, BACKEND, BIND, LIBRARY, SETTINGS, DATA_PATH, NCOLUMNS };

static const char *const heads[NCOLUMNS] = {
    "variant", "role", "mode", "layout", "backend", "bind", "library", "settings", "data path"};

static const char *text_in(const struct summary *s, unsigned variant, unsigned column,
                           char settings[SETTINGS_BYTES])
{
	const struct summary_variant *v = &s->variants[variant];
	const char *const texts[NCOLUMNS] = {v->name,    summary_role_name(v->role),
	                                     v->mode,    v->layout,
	                                     v->backend, v->bind,
	                                     v->library, settings,
	                                     v->path};
	if (column == SETTINGS)
		settings_of(s, variant, settings);
	return texts[column];
}

/* Variants that were run. What was left out has settings of another machine; why it was is
 * among the warnings. */
static bool is_run(const struct summary *s, unsigned v)
{
	return !s->variants[v].skip[0];
}

static unsigned first_run(const struct summary *s)
{
	unsigned v = 0;
	while (v < s->nvariants && !is_run(s, v))
		v++;
	return v;
}

/* One text in every row: then it is said once, below. */
static bool is_equal_for_all(const struct summary *s, unsigned column)
{
	char first[SETTINGS_BYTES], other[SETTINGS_BYTES];
	unsigned from = first_run(s);
	for (unsigned v = from + 1; v < s->nvariants; v++)
		if (is_run(s, v) &&
		    strcmp(text_in(s, from, column, first), text_in(s, v, column, other)))
			return false;
	return column >= BACKEND;
}

static void put_common(FILE *out, const struct summary *s, const bool common[NCOLUMNS])
{
	char settings[SETTINGS_BYTES];
	const char *sep = "All variants: ";
	unsigned from = first_run(s);
	for (unsigned i = 0; i < NCOLUMNS; i++) {
		if (!common[i] || !*text_in(s, from, i, settings))
			continue;
		fprintf(out, "%s%s%s", sep, i == SETTINGS ? "" : heads[i],
		        i == SETTINGS ? "" : " ");
		grid_escape(out, text_in(s, from, i, settings));
		sep = ", ";
	}
	fputs(*sep == ',' ? ". " : "", out);
}

static void put_left_out(FILE *out, const struct summary *s)
{
	const char *sep = "Left out, for the reasons among the warnings: ";
	for (unsigned v = 0; v < s->nvariants; v++) {
		if (is_run(s, v))
			continue;
		fprintf(out, "%s`%s`", sep, s->variants[v].name);
		sep = ", ";
	}
	fputs(*sep == ',' ? ". " : "", out);
}

void markdown_variants(FILE *out, const struct summary *s)
{
	char settings[SETTINGS_BYTES];
	bool common[NCOLUMNS];
	if (first_run(s) == s->nvariants)
		return;
	for (unsigned i = 0; i < NCOLUMNS; i++) {
		common[i] = is_equal_for_all(s, i);
		if (!common[i])
			markdown_cell(out, heads[i]);
	}
	fputs("|\n", out);
	for (unsigned i = 0; i < NCOLUMNS; i++)
		fputs(common[i] ? "" : "|---", out);
	fputs("|\n", out);
	for (unsigned v = 0; v < s->nvariants; v++) {
		for (unsigned i = 0; i < NCOLUMNS && is_run(s, v); i++)
			if (!common[i])
				markdown_cell(out, text_in(s, v, i, settings));
		fputs(is_run(s, v) ? "|\n" : "", out);
	}
	fputc('\n', out);
	put_left_out(out, s);
	put_common(out, s, common);
	fprintf(out,
	        "Layout: processes × threads × ranks per thread. Settings: what a variant sets "
	        "beyond the defaults. `again` is the reference a second time in every block: "
	        "the A/A line. `limit` moves the data with plain copies and no handshake.\n\n");
}
