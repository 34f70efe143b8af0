#include "settings.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind { TEXT, WORD, NUMBER, INTEGER, NS, FLAG, LAYOUT, SPLIT };

static const char *const binds[] = {"none", "core", "numa", "near-gpu", NULL};
static const char *const starts[] = {"free", "gated", NULL};
static const char *const allocators[] = {"auto", "nccl", "cuda", NULL};
static const char *const registrations[] = {"none", "local", "window", NULL};
static const char *const cta_policies[] = {"library", "default", "efficiency", "zero", NULL};
static const char *const inits[] = {"parallel", "grouped", NULL};
static const char *const groupings[] = {"auto", "never", NULL};
static const char *const paths[] = {"auto", "direct", "fifo", "shared", NULL};
static const char *const apis[] = {"grouped", "native", NULL};

#define AT(FIELD)     offsetof(struct settings, FIELD)
#define LENGTH(FIELD) sizeof(((struct settings *)0)->FIELD)
#define ALL           NULL

/* The key, its kind and place, bytes of a text, the words of a key of words, the backends that
 * heed it, and the key in an experiment file where it is another. */
static const struct row {
	const char *key;
	enum kind kind;
	size_t at, bytes;
	const char *const *words;
	const char *backends[3];
	const char *said;
} rows[] = {
    {"mode", TEXT, AT(mode), LENGTH(mode), NULL, {ALL}, NULL},
    {"layout", LAYOUT, AT(layout), 0, NULL, {ALL}, NULL},
    {"backend", TEXT, AT(backend), LENGTH(backend), NULL, {ALL}, NULL},
    {"bind", WORD, AT(bind), 0, binds, {ALL}, NULL},
    {"start", WORD, AT(start), 0, starts, {ALL}, NULL},
    {"split", SPLIT, AT(split), 0, NULL, {"nccl", "host"}, NULL},
    {"aggregate", NUMBER, AT(aggregate), 0, NULL, {ALL}, NULL},
    {"graph", NUMBER, AT(graph), 0, NULL, {"nccl"}, NULL},
    {"force", FLAG, AT(force), 0, NULL, {ALL}, NULL},
    {"offset", NUMBER, AT(offset_bytes), 0, NULL, {"nccl", "host"}, NULL},
    {"expect", TEXT, AT(expect), LENGTH(expect), NULL, {ALL}, NULL},
    {"path", TEXT, AT(path), LENGTH(path), paths, {"host"}, NULL},
    {"nccl", TEXT, AT(nccl), LENGTH(nccl), NULL, {"nccl"}, NULL},
    {"nccl_below", TEXT, AT(nccl_below), LENGTH(nccl_below), NULL, {"nccl"}, NULL},
    {"api", TEXT, AT(api), LENGTH(api), apis, {"nccl"}, NULL},
    {"allocator", WORD, AT(allocator), 0, allocators, {"nccl"}, NULL},
    {"register", WORD, AT(registration), 0, registrations, {"nccl"}, NULL},
    {"cta_policy", WORD, AT(cta_policy), 0, cta_policies, {"nccl"}, NULL},
    {"min_ctas", NUMBER, AT(min_ctas), 0, NULL, {"nccl"}, NULL},
    {"max_ctas", NUMBER, AT(max_ctas), 0, NULL, {"nccl"}, NULL},
    {"nonblocking", FLAG, AT(nonblocking), 0, NULL, {"nccl"}, NULL},
    {"init", WORD, AT(init), 0, inits, {"nccl"}, NULL},
    {"group", WORD, AT(grouping), 0, groupings, {"nccl"}, NULL},
    {"delay_ns", NS, AT(delay_ns), 0, NULL, {"null"}, "delay"},
    {"delay_rank", INTEGER, AT(delay_rank), 0, NULL, {ALL}, NULL},
    {"extra_ns", NS, AT(extra_ns), 0, NULL, {"null", "host"}, "extra"},
    {"flip_rank", INTEGER, AT(flip_rank), 0, NULL, {"nccl", "host"}, "flip"},
    {"flip_byte", NS, AT(flip_byte), 0, NULL, {ALL}, "flip"},
};

#define NROWS (sizeof rows / sizeof *rows)

void settings_default(struct settings *out)
{
	*out = (struct settings){
	    .bind = BIND_NEAR_GPU, .aggregate = 1, .delay_rank = -1, .flip_rank = -1};
	strcpy(out->backend, "auto");
	strcpy(out->path, "auto");
	strcpy(out->api, "grouped");
}

const char *const *settings_words(const char *key)
{
	for (size_t i = 0; i < NROWS; i++)
		if (!strcmp(rows[i].key, key))
			return rows[i].words;
	return NULL;
}

static json_t *row_to_json(const struct row *row, const struct settings *settings)
{
	const char *at = (const char *)settings + row->at;
	char text[48];
	switch (row->kind) {
	case TEXT:
		return json_string(at);
	case WORD:
		return json_string(row->words[*(const unsigned *)at]);
	case NUMBER:
		return json_integer(*(const unsigned *)at);
	case INTEGER:
		return json_integer(*(const int *)at);
	case NS:
		return json_integer(*(const int64_t *)at);
	case FLAG:
		return json_boolean(*(const bool *)at);
	case LAYOUT:
		snprintf(text, sizeof text, "%ux%ux%u", settings->layout.processes,
		         settings->layout.threads, settings->layout.ranks_per_thread);
		return json_string(text);
	case SPLIT:
		split_text(settings->split, text, sizeof text);
		return json_string(text);
	}
	return NULL;
}

json_t *settings_to_json(const struct settings *settings)
{
	json_t *json = json_object(), *env = json_array();
	bool failed = !json || !env;
	for (unsigned i = 0; !failed && i < settings->nenv; i++)
		failed = json_array_append_new(env, json_string(settings->env[i]));
	for (size_t i = 0; !failed && i < NROWS; i++)
		failed =
		    json_object_set_new(json, rows[i].key, row_to_json(&rows[i], settings));
	failed = failed || json_object_set(json, "env", env);
	json_decref(env);
	if (!failed)
		return json;
	json_decref(json);
	return NULL;
}

static int text_take(const struct row *row, const char *text, char *at, struct settings *s,
                     struct status *st)
{
	struct layout l;
	char after;
	switch (row->kind) {
	case TEXT:
		if (strlen(text) >= row->bytes)
			return status_set(st, "%s: a text is too long", row->key);
		strcpy(at, text);
		return 0;
	case WORD:
		for (unsigned i = 0; row->words[i]; i++)
			if (!strcmp(row->words[i], text)) {
				*(unsigned *)at = i;
				return 0;
			}
		return status_set(st, "%s is unknown", row->key);
	case LAYOUT:
		if (sscanf(text, "%5ux%5ux%5u%c", &l.processes, &l.threads, &l.ranks_per_thread,
		           &after) != 3 ||
		    !l.processes || !l.threads || !l.ranks_per_thread ||
		    (uint64_t)l.processes * l.threads * l.ranks_per_thread > 65536)
			return status_set(st, "the layout is not possible");
		s->layout = l;
		return 0;
	default:
		return split_parse(text, &s->split, st);
	}
}

static int row_take(const struct row *row, const json_t *value, struct settings *s,
                    struct status *st)
{
	char *at = (char *)s + row->at;
	bool textual =
	    row->kind == TEXT || row->kind == WORD || row->kind == LAYOUT || row->kind == SPLIT;
	json_int_t n = json_integer_value(value);
	if (textual && json_is_string(value))
		return text_take(row, json_string_value(value), at, s, st);
	if (row->kind == FLAG && json_is_boolean(value)) {
		*(bool *)at = json_is_true(value);
		return 0;
	}
	if (textual || row->kind == FLAG || !json_is_integer(value) ||
	    (row->kind == NUMBER && (n < 0 || n > UINT_MAX)) ||
	    (row->kind == INTEGER && (n < INT_MIN || n > INT_MAX)))
		return status_set(st, "%s is missing or not what it has to be", row->key);
	if (row->kind == NUMBER)
		*(unsigned *)at = (unsigned)n;
	else if (row->kind == INTEGER)
		*(int *)at = (int)n;
	else
		*(int64_t *)at = n;
	return 0;
}

static int env_take(const json_t *env, struct settings *s, struct status *st)
{
	if (!json_is_array(env) || json_array_size(env) > TRIAL_MAX_ENV)
		return status_set(st, "env is no list, or too long");
	s->nenv = (unsigned)json_array_size(env);
	for (unsigned i = 0; i < s->nenv; i++) {
		const char *text = json_string_value(json_array_get(env, i));
		if (!text || !strchr(text, '='))
			return status_set(st, "an entry of env is no KEY=value");
		if (strlen(text) >= sizeof s->env[i])
			return status_set(st, "env: a text is too long");
		strcpy(s->env[i], text);
	}
	return 0;
}

int settings_from_json(json_t *json, struct settings *out, struct status *st)
{
	struct settings s = {0};
	if (!json_is_object(json) || json_object_size(json) != NROWS + 1)
		return status_set(st, "settings have %zu members, not %zu",
		                  json_object_size(json), NROWS + 1);
	for (size_t i = 0; i < NROWS; i++)
		if (row_take(&rows[i], json_object_get(json, rows[i].key), &s, st))
			return -1;
	if (env_take(json_object_get(json, "env"), &s, st))
		return -1;
	*out = s;
	return 0;
}

static const char *row_said(const struct row *row)
{
	return row->said ? row->said : row->key;
}

static bool row_equal(const struct row *row, const struct settings *a, const struct settings *b)
{
	json_t *x = row_to_json(row, a), *y = row_to_json(row, b);
	bool equal = json_equal(x, y);
	json_decref(x);
	json_decref(y);
	return equal;
}

/* The entry of a variable, or NULL. */
static const char *env_find(const struct settings *s, const char *entry)
{
	size_t n = strcspn(entry, "=") + 1;
	for (unsigned i = 0; i < s->nenv; i++)
		if (!strncmp(s->env[i], entry, n))
			return s->env[i];
	return NULL;
}

static void name_key(char *keys, size_t bytes, const char *prefix, const char *key, unsigned *n)
{
	size_t used = strlen(keys);
	snprintf(keys + used, bytes - used, "%s%s%.*s", used ? ", " : "", prefix,
	         (int)strcspn(key, "="), key);
	(*n)++;
}

unsigned settings_differ(const struct settings *a, const struct settings *b, char *keys,
                         size_t bytes)
{
	unsigned n = 0;
	keys[0] = '\0';
	for (size_t i = 0; i < NROWS; i++) {
		const char *key = rows[i].key;
		bool told = !strcmp(key, "layout") && strcmp(a->mode, b->mode);
		if (!told && !settings_is_check(key) && !row_equal(&rows[i], a, b))
			name_key(keys, bytes, "", row_said(&rows[i]), &n);
	}
	for (unsigned i = 0; i < a->nenv; i++) {
		const char *other = env_find(b, a->env[i]);
		if (!other || strcmp(other, a->env[i]))
			name_key(keys, bytes, "env.", a->env[i], &n);
	}
	for (unsigned i = 0; i < b->nenv; i++)
		if (!env_find(a, b->env[i]))
			name_key(keys, bytes, "env.", b->env[i], &n);
	return n;
}

bool settings_alike(const char *key, const struct settings *a, const struct settings *b)
{
	bool alike = true;
	bool placed = !strcmp(key, "mode") || !strcmp(key, "layout");
	if (!strncmp(key, "env.", 4)) {
		char entry[TRIAL_ENV_BYTES + 1];
		snprintf(entry, sizeof entry, "%.*s=", TRIAL_ENV_BYTES - 1, key + 4);
		const char *x = env_find(a, entry), *y = env_find(b, entry);
		return x && y ? !strcmp(x, y) : x == y;
	}
	for (size_t i = 0; i < NROWS; i++) {
		bool of_place = !strcmp(rows[i].key, "mode") || !strcmp(rows[i].key, "layout");
		if (placed ? of_place : !strcmp(row_said(&rows[i]), key))
			alike = alike && row_equal(&rows[i], a, b);
	}
	return alike;
}

static bool heeds(const struct row *row, const char *backend)
{
	for (unsigned i = 0; row->backends[i]; i++)
		if (!strcmp(row->backends[i], backend))
			return true;
	return !row->backends[0];
}

bool settings_without_effect(const struct settings *settings, char *key, size_t bytes,
                             const char *needs[2])
{
	struct settings none;
	settings_default(&none);
	for (size_t i = 0; i < NROWS; i++) {
		if (heeds(&rows[i], settings->backend) || row_equal(&rows[i], settings, &none))
			continue;
		memcpy(needs, rows[i].backends, 2 * sizeof *needs);
		snprintf(key, bytes, "%s", row_said(&rows[i]));
		return true;
	}
	for (unsigned i = 0; i < settings->nenv && strcmp(settings->backend, "nccl"); i++) {
		const char *entry = settings->env[i];
		if (strncmp(entry, "NCCL_", 5))
			continue;
		memcpy(needs, (const char *[]){"nccl", NULL}, 2 * sizeof *needs);
		snprintf(key, bytes, "env.%.*s", (int)strcspn(entry, "="), entry);
		return true;
	}
	return false;
}
