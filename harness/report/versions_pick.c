/* Which variants are the same on several versions of the library. */
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

static bool is_in(const struct summary *s, unsigned v)
{
	const struct summary_variant *x = &s->variants[v];
	return x->measured && *x->library &&
	       (x->role == ROLE_VARIANT || x->role == ROLE_REFERENCE);
}

static int settings_take(struct search *find)
{
	static const char *const left_out[] = {"name", "role",   "skip",
	                                       "mode", "layout", "nccl"};
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

/* The settings that at least two versions have: the reference's, or else the first. */
static unsigned picks_choose(const struct search *find, struct versions_pick *picks)
{
	const struct summary *s = find->s;
	unsigned n = s->reference < 0 ? 0 : picks_find(find, (unsigned)s->reference, picks);
	for (unsigned v = 0; v < s->nvariants && n < 2; v++)
		n = is_in(s, v) ? picks_find(find, v, picks) : n;
	return n < 2 ? 0 : n;
}

int versions_pick(const struct summary *s, struct versions_pick *picks, unsigned *n)
{
	struct search find = {.s = s};
	int rc = settings_take(&find);
	if (!rc)
		*n = picks_choose(&find, picks);
	settings_drop(&find);
	return rc;
}
