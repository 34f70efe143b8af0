/* The tables of the run itself: memory, checks, the machine, its variants. */
#include "tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/checks.h"
#include "../analysis/memory.h"
#include "../coll/coll.h"
#include "../config/settings.h"

struct table *tables_checks(const struct model *m)
{
	const struct summary *s = &m->summary;
	struct table *t = table_new("checks", "Cells that were checked");
	table_column(t, "collective", "collective", "", TABLE_TEXT);
	for (int d = 0; d < DTYPE_KINDS; d++)
		if (checks_count(s, -1, d).cells)
			table_column(t, coll_dtype_name((enum dtype)d),
			             coll_dtype_name((enum dtype)d), "", TABLE_TEXT);
	for (int c = 0; c < COLL_KINDS; c++) {
		if (!checks_count(s, c, -1).cells)
			continue;
		TABLE_ROW(t, CELL(coll_info((enum coll_kind)c)->name));
		for (int d = 0; d < DTYPE_KINDS; d++) {
			struct checks n = checks_count(s, c, d);
			if (!checks_count(s, -1, d).cells)
				continue;
			if (n.wrong_cells)
				table_text(t, "%u of %u WRONG", n.wrong_cells, n.cells);
			else if (n.cells)
				table_text(t, "%u", n.cells);
			else
				TABLE_PUT(t, table_of_none());
		}
	}
	return t;
}

/* "name=NVIDIA H200, pci=0000:00:06.0; …": lists and objects in a line. Empty texts, as of
 * variables that are set to nothing, are left out. */
static void add_value(char *text, size_t bytes, const json_t *value)
{
	size_t used = strlen(text), i;
	const char *key;
	json_t *member;
	if (json_is_array(value)) {
		json_array_foreach(value, i, member)
		{
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s", i ? "; " : "");
			add_value(text, bytes, member);
		}
	} else if (json_is_object(value)) {
		const char *comma = "";
		json_object_foreach((json_t *)(uintptr_t)value, key, member)
		{
			if (json_is_string(member) && !*json_string_value(member))
				continue;
			used = strlen(text);
			snprintf(text + used, bytes - used, "%s%s=", comma, key);
			add_value(text, bytes, member);
			comma = ", ";
		}
	} else if (json_is_string(value)) {
		snprintf(text + used, bytes - used, "%s", json_string_value(value));
	} else {
		char *dumped = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(4));
		snprintf(text + used, bytes - used, "%s", dumped ? dumped : "?");
		free(dumped);
	}
}

/* What a fact of the machine is called to people; one without a row by its key. */
static const char *fact_word(const char *key)
{
	static const struct {
		const char *key, *word;
	} words[] = {{"host", "host name"},
	             {"boot", "boot id"},
	             {"cpu", "CPU"},
	             {"cores", "cores that may be used"},
	             {"online", "cores online"},
	             {"numa_nodes", "NUMA nodes"},
	             {"os", "operating system"},
	             {"clock", "kernel's clock source"},
	             {"driver", "NVIDIA driver"},
	             {"load1", "load in the minute before"},
	             {"gpus", "GPUs"},
	             {"environment", "environment variables"},
	             {"cuda", "CUDA runtime"},
	             {"cuda_of_driver", "newest CUDA that the driver takes"}};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i].key, key))
			return words[i].word;
	return key;
}

/* "24684084 kB", as the kernel says it, in GiB. */
static void say_memory(char *text, size_t bytes)
{
	char unit[4];
	double kib;
	if (sscanf(text, "%lf %3s", &kib, unit) == 2 && !strcmp(unit, "kB"))
		snprintf(text, bytes, "%.1f GiB", kib / (1 << 20));
}

/* As the first worker that has CUDA said it. */
static void put_cuda(const struct model *m, struct table *t)
{
	static const char *const keys[] = {"cuda", "cuda_of_driver"};
	for (unsigned i = 0; i < m->run.ncells; i++) {
		const json_t *facts =
		    json_array_get(json_object_get(m->run.cells[i].json, "facts"), 0);
		if (!json_object_get(facts, keys[0]))
			continue;
		for (unsigned k = 0; k < 2; k++)
			TABLE_ROW(t, CELL(fact_word(keys[k])),
			          CELL(json_string_value(json_object_get(facts, keys[k]))));
		return;
	}
}

struct table *tables_machine(const struct model *m)
{
	json_t *machine = json_object_get(m->run.environment, "machine"), *value;
	const char *key;
	struct table *t = TABLE_NEW("machine", "Machine", {"what", "what", "", TABLE_TEXT},
	                            {"value", "value", "", TABLE_TEXT});
	json_object_foreach(machine, key, value)
	{
		char text[1024] = "";
		add_value(text, sizeof text, value);
		if (!strcmp(key, "memory"))
			say_memory(text, sizeof text);
		TABLE_ROW(t, CELL(fact_word(key)), CELL(text));
	}
	put_cuda(m, t);
	return t;
}

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
