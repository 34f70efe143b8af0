/* What every reader of a record relies on in its first line. */
#include "record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "record_parts.h"

static int check_variant(const struct field_place *at, const json_t *variant)
{
	static const char *const texts[] = {"role", "mode", "layout", "backend",
	                                    "nccl", "path", "bind",   "skip"};
	char name[TRIAL_NAME_BYTES];
	const char *text;
	if (field_name(at, variant, "name", name, sizeof name))
		return -1;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (field_text(at, variant, texts[i], &text))
			return -1;
	if (!json_is_array(json_object_get(variant, "env")))
		return field_bad(at, "variant %s: \"env\" is missing or is no list", name);
	return 0;
}

static int check_environment(const struct field_place *at, const json_t *env)
{
	static const char *const texts[] = {"experiment", "title",       "question", "created",
	                                    "launchgap",  "backend_why", "seed"};
	static const char *const counts[] = {"blocks", "warmup", "stretches", "calls",
	                                     "isolated_calls"};
	const json_t *variants = json_object_get(env, "variants");
	const char *text;
	char name[TRIAL_NAME_BYTES];
	json_int_t n;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (field_text(at, env, texts[i], &text))
			return -1;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		if (field_number(at, env, counts[i], 0, INT_MAX, &n))
			return -1;
	if (field_name(at, env, "backend", name, sizeof name) ||
	    field_name(at, env, "reference", name, sizeof name) ||
	    field_number(at, env, "ranks", 1, RECORD_MAX_RANKS, &n))
		return -1;
	if (!json_is_array(json_object_get(env, "command")))
		return field_bad(at, "\"command\" is missing or is no list");
	if (!json_is_object(json_object_get(env, "machine")))
		return field_bad(at, "\"machine\" is missing or is no object");
	if (!json_is_array(variants) || json_array_size(variants) == 0)
		return field_bad(at, "\"variants\" is missing or empty");
	for (size_t i = 0; i < json_array_size(variants); i++)
		if (check_variant(at, json_array_get(variants, i)))
			return -1;
	return 0;
}

int record_check_environment(const json_t *environment, const char *where, struct status *st)
{
	struct field_place at = {.file = where, .st = st};
	return check_environment(&at, environment);
}

static const struct record_backend *find_backend(const struct record_run *run, const char *name)
{
	for (unsigned i = 0; i < run->nbackends; i++)
		if (!strcmp(run->backends[i].name, name))
			return &run->backends[i];
	return NULL;
}

static int add_backend(const struct field_place *at, struct record_run *run, const json_t *of)
{
	struct record_backend *b = &run->backends[run->nbackends];
	if (field_name(at, of, "backend", b->name, sizeof b->name))
		return -1;
	if (find_backend(run, b->name))
		return 0;
	const json_t *said =
	    json_object_get(json_object_get(run->environment, "backends"), b->name);
	b->traits = *traits_find(b->name);
	const char *bad = traits_from_json(said, &b->traits);
	if (bad || (said && !json_is_object(said)))
		return field_bad(at, "backend %s: \"%s\" has to be %s", b->name,
		                 bad ? bad : "backends", bad ? "true or false" : "an object");
	run->nbackends++;
	return 0;
}

int record_take_backends(const struct field_place *at, struct record_run *run)
{
	const json_t *variants = json_object_get(run->environment, "variants");
	size_t n = json_array_size(variants);
	run->backends = calloc(n + 1, sizeof *run->backends);
	if (!run->backends)
		return field_bad(at, "out of memory for the record");
	if (add_backend(at, run, run->environment))
		return -1;
	for (size_t i = 0; i < n; i++)
		if (add_backend(at, run, json_array_get(variants, i)))
			return -1;
	return 0;
}

const struct backend_traits *record_traits(const struct record_run *run, const char *variant)
{
	const json_t *from = run->environment, *each;
	size_t i;
	json_array_foreach(json_object_get(run->environment, "variants"), i, each)
	{
		const char *name = json_string_value(json_object_get(each, "name"));
		if (variant && name && !strcmp(name, variant))
			from = each;
	}
	const char *name = json_string_value(json_object_get(from, "backend"));
	const struct record_backend *known = name ? find_backend(run, name) : NULL;
	return known ? &known->traits : traits_find(name ? name : "");
}
