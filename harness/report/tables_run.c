/* The tables of the run itself: memory, checks, the machine, its variants. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/memory.h"
#include "../coll/coll.h"
#include "../trial/settings.h"

/* --- what a variant sets --- */

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

static void add_setting(char *text, const char *key, const char *value)
{
	size_t n = strlen(text);
	snprintf(text + n, SETTINGS_BYTES - n, "%s%s = %s", n ? ", " : "", key, value);
}

static void add_json(char *text, const char *key, const json_t *value)
{
	char number[32];
	if (json_is_string(value)) {
		add_setting(text, key, json_string_value(value));
	} else if (json_is_boolean(value)) {
		add_setting(text, key, json_is_true(value) ? "yes" : "no");
	} else if (json_is_integer(value)) {
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
		add_setting(text, key, number);
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
		add_setting(text, key, strchr(entry, '=') + 1);
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

/* What the record's variant sets beyond the defaults: "register = local, env.NCCL_X = 1". Older
 * records name fewer settings; what they do not name was the default then. */
static void settings_of(const struct model *m, unsigned variant, char text[SETTINGS_BYTES])
{
	const json_t *variants = json_object_get(m->run.environment, "variants");
	const json_t *given = json_array_get(variants, variant);
	bool logs_path = record_traits(&m->run, m->summary.variants[variant].name)->logs_path;
	struct settings none;
	settings_default(&none);
	json_t *plain = settings_to_json(&none), *value;
	const char *key;
	text[0] = '\0';
	take_allocator(variants, plain);
	json_object_foreach(plain, key, value)
	{
		const json_t *own = json_object_get(given, key);
		bool idle = !strcmp(key, "expect") && !logs_path;
		if (own && !has_column(key) && strcmp(key, "env") && !idle &&
		    !json_equal(own, value))
			add_json(text, key, own);
	}
	add_env(text, json_object_get(given, "env"));
	json_decref(plain);
}

struct table *tables_variants(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = TABLE_NEW(
	    "variants", "Variants", {"variant", "variant", "", TABLE_TEXT},
	    {"role", "role", "", TABLE_TEXT}, {"mode", "mode", "", TABLE_TEXT},
	    {"layout", "layout", "", TABLE_TEXT}, {"backend", "backend", "", TABLE_TEXT},
	    {"bind", "binding", "", TABLE_TEXT}, {"library", "library", "", TABLE_TEXT},
	    {"settings", "settings", "", TABLE_TEXT},
	    {"data_path", "data path", "", TABLE_TEXT});
	for (unsigned i = 0; i < s->nvariants; i++) {
		const struct summary_variant *v = &s->variants[i];
		char settings[SETTINGS_BYTES];
		/* What was left out has settings of another machine; why, is a warning. */
		if (v->skip[0])
			continue;
		settings_of(m, i, settings);
		const char *const texts[] = {v->name,    summary_role_name(v->role),
		                             v->mode,    v->layout,
		                             v->backend, v->bind,
		                             v->library, settings,
		                             v->path};
		table_row(t);
		for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
			TABLE_PUT(t, CELL(texts[n]));
	}
	table_drop_empty(t);
	return t;
}
