/* Which variants are the same on several versions of the library, and what keeps a version out.
 */
#include <stdlib.h>
#include <string.h>

#include "versions_parts.h"

int versions_order(const char *a, const char *b)
{
	return strverscmp(a, b);
}

/* What picks are looked for among. */
struct search {
	const struct summary *s;
	json_t **settings; /* per variant: all that versions and modes have to have in common */
};

static const json_t *variant_of(const struct summary *s, unsigned v)
{
	return json_array_get(json_object_get(s->run->environment, "variants"), v);
}

static const char *library_file(const struct summary *s, unsigned v)
{
	const char *file = json_string_value(json_object_get(variant_of(s, v), "nccl"));
	return file ? file : "";
}

/* Asked for, whether it was measured or not. */
static bool is_planned(const struct summary *s, unsigned v)
{
	return s->variants[v].role == ROLE_VARIANT || s->variants[v].role == ROLE_REFERENCE;
}

static bool is_in(const struct summary *s, unsigned v)
{
	return is_planned(s, v) && s->variants[v].measured && *s->variants[v].library;
}

static int settings_take(struct search *find)
{
	static const char *const left_out[] = {"name", "role",   "skip",
	                                       "mode", "layout", "nccl"};
	const char *key;
	json_t *value;
	void *next;
	find->settings = calloc(find->s->nvariants, sizeof *find->settings);
	if (!find->settings)
		return -1;
	for (unsigned v = 0; v < find->s->nvariants; v++) {
		find->settings[v] =
		    json_copy((json_t *)(uintptr_t)variant_of(find->s, v)); /* jansson has no
		                                                               const */
		if (!find->settings[v])
			return -1;
		for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
			json_object_del(find->settings[v], left_out[i]);
		json_object_foreach_safe(find->settings[v], next, key, value)
		{
			if (settings_is_check(key))
				json_object_del(find->settings[v], key);
		}
	}
	return 0;
}

static void settings_drop(struct search *find)
{
	for (unsigned v = 0; find->settings && v < find->s->nvariants; v++)
		json_decref(find->settings[v]);
	free(find->settings);
}

/* The variant of a mode that is `like` in all else, library included. */
static unsigned sibling(const struct search *find, unsigned like, enum versions_mode mode)
{
	const struct summary *s = find->s;
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_in(s, v) && !strcmp(s->variants[v].mode, versions_mode_name(mode)) &&
		    !strcmp(s->variants[v].library, s->variants[like].library) &&
		    !strcmp(library_file(s, v), library_file(s, like)) &&
		    json_equal(find->settings[v], find->settings[like]))
			return v;
	return VERSIONS_NONE;
}

static bool has_version(const struct versions_pick *picks, unsigned n, const char *version)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(picks[i].version, version))
			return true;
	return false;
}

static int by_version(const void *a, const void *b)
{
	return versions_order(((const struct versions_pick *)a)->version,
	                      ((const struct versions_pick *)b)->version);
}

/* Each version that has both modes with the settings of variant `like`; of two files of one
 * version the first. `picks` has room for all variants. */
static unsigned picks_find(const struct search *find, unsigned like,
                           struct versions_pick *picks)
{
	unsigned n = 0;
	for (unsigned v = 0; v < find->s->nvariants; v++) {
		struct versions_pick pick = {find->s->variants[v].library,
		                             {VERSIONS_NONE, VERSIONS_NONE, VERSIONS_NONE}};
		if (!is_in(find->s, v) || has_version(picks, n, pick.version) ||
		    !json_equal(find->settings[v], find->settings[like]))
			continue;
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			pick.variants[mode] = sibling(find, v, (enum versions_mode)mode);
		if (pick.variants[VERSIONS_THREADS] != VERSIONS_NONE &&
		    pick.variants[VERSIONS_PROCESSES] != VERSIONS_NONE)
			picks[n++] = pick;
	}
	qsort(picks, n, sizeof *picks, by_version);
	return n;
}

/* Whose settings count; VERSIONS_NONE where nothing was measured. */
static unsigned like_whom(const struct summary *s)
{
	for (unsigned v = 0; v < s->nvariants && s->reference < 0; v++)
		if (is_in(s, v))
			return v;
	return s->reference < 0 ? VERSIONS_NONE : (unsigned)s->reference;
}

/* Whether threads and processes with these settings were asked for at all, on any library. */
static bool asks_for_both(const struct search *find, unsigned like)
{
	bool asked[VERSIONS_MODES] = {false};
	for (unsigned v = 0; v < find->s->nvariants; v++)
		for (unsigned mode = 0; mode < VERSIONS_MODES; mode++)
			asked[mode] |= is_planned(find->s, v) &&
			               !strcmp(find->s->variants[v].mode,
			                       versions_mode_name((enum versions_mode)mode)) &&
			               json_equal(find->settings[v], find->settings[like]);
	return asked[VERSIONS_THREADS] && asked[VERSIONS_PROCESSES];
}

/* Whether a variant is of this version: by its trials, or where it has none by its file. */
static bool is_of(const struct summary *s, unsigned v, const char *version)
{
	if (is_in(s, v))
		return !strcmp(s->variants[v].library, version);
	for (unsigned i = 0; i < s->nvariants; i++)
		if (is_in(s, i) && !strcmp(s->variants[i].library, version) &&
		    !strcmp(library_file(s, i), library_file(s, v)))
			return true;
	return false;
}

/* Why a version has no such mode, or "" where it has. */
static void say_absent(const struct search *find, unsigned like, const char *version,
                       enum versions_mode mode, char *why, size_t bytes)
{
	const struct summary *s = find->s;
	snprintf(why, bytes, "no variant of %s is like %s there", versions_mode_name(mode),
	         s->variants[like].name);
	for (unsigned v = 0; v < s->nvariants; v++)
		if (is_planned(s, v) && is_of(s, v, version) &&
		    !strcmp(s->variants[v].mode, versions_mode_name(mode)) &&
		    json_equal(find->settings[v], find->settings[like])) {
			pairs_absent(s, s->variants[v].name, why, bytes);
			if (!why[0])
				return;
		}
}

static void say_version(const struct search *find, unsigned like, const char *version,
                        char *text, size_t bytes)
{
	char why[2][PAIRS_WHY_BYTES];
	for (unsigned mode = 0; mode < 2; mode++)
		say_absent(find, like, version, (enum versions_mode)mode, why[mode],
		           sizeof why[mode]);
	if (!why[0][0] && !why[1][0])
		snprintf(why[0], sizeof why[0], "threads and processes are of two files of it");
	size_t at = strlen(text);
	snprintf(text + at, bytes - at, "%sNCCL %s is left out: %s%s%s.", at ? " " : "",
	         version, why[0], why[0][0] && why[1][0] ? "; " : "", why[1]);
}

/* Versions that were measured, but not in both modes with these settings. */
static void say_missing(const struct search *find, unsigned like,
                        const struct versions_pick *picks, unsigned n, char *text, size_t bytes)
{
	const struct summary *s = find->s;
	text[0] = '\0';
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *version = s->variants[v].library;
		bool first = is_in(s, v) && !has_version(picks, n, version);
		for (unsigned i = 0; i < v && first; i++)
			first = !is_in(s, i) || strcmp(s->variants[i].library, version);
		if (first)
			say_version(find, like, version, text, bytes);
	}
}

int versions_pick(const struct summary *s, struct versions_pick *picks, unsigned *n,
                  char *missing, size_t bytes)
{
	struct search find = {.s = s};
	unsigned like = like_whom(s);
	int rc = settings_take(&find);
	*n = 0;
	missing[0] = '\0';
	if (!rc && like != VERSIONS_NONE && asks_for_both(&find, like)) {
		*n = picks_find(&find, like, picks);
		say_missing(&find, like, picks, *n, missing, bytes);
	}
	/* Of one version alone there is nothing to say but why it is alone. */
	if (*n < 2)
		*n = 0;
	settings_drop(&find);
	return rc;
}
