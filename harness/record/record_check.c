/* What every reader of a record relies on in its first line. */
#include "record.h"

#include <limits.h>

#include "field.h"

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
