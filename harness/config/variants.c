#include "build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/table.h"

#define MOST_NAMED 8 /* variants in a sentence */

/* "threads-nccl" and 2.21.5 make "threads-nccl-2.21.5"; if no backend here can read versions,
 * libraries are counted instead. -1: the file is not a library, which shows at once, not when its
 * trial's turn comes. */
static int name_variant(struct spec_variant *v, const char *base, unsigned nth, struct status *st)
{
	struct library library;
	if (backend_library(v->settings.nccl, &library, st))
		return -1;
	if (!library.version[0])
		snprintf(library.version, sizeof library.version, "%u", nth);
	snprintf(v->name, sizeof v->name, "%.30s-%.9s", base, library.version);
	return 0;
}

static int spread_to(struct build *b, const struct spec_variant *from, const char *path,
                     unsigned nth, struct spec_variant *out, struct status *st)
{
	struct status why = {""};
	char what[sizeof why.text + 192];
	const char *of = from->variable;
	*out = *from;
	out->each[0] = '\0';
	strcpy(out->settings.nccl, path);
	if (!name_variant(out, from->name, nth, &why))
		return 0;
	snprintf(what, sizeof what, "each%s%s: %s; allowed are NCCL libraries with ':' between",
	         of[0] ? ", from the variable " : "", of, why.text);
	return build_fail(b, from->at, what, st);
}

/* Whether a variant above has the name of the one at n. */
static bool name_taken(const struct spec_variant *out, unsigned n)
{
	unsigned i = 0;
	while (i < n && strcmp(out[i].name, out[n].name))
		i++;
	return i < n;
}

static int spread_one(struct build *b, const struct spec_variant *from, struct spec_variant *out,
                      unsigned *n, struct status *st)
{
	char each[SPEC_EACH_BYTES], *rest = each;
	unsigned nth = 0;
	strcpy(each, from->each);
	for (char *path; (path = strsep(&rest, ":"));) {
		if (!path[0])
			continue;
		if (*n == SPEC_MAX_VARIANTS)
			return build_fail(b, from->at, "too many variants; allowed are 32", st);
		if (spread_to(b, from, path, ++nth, &out[*n], st))
			return -1;
		if (name_taken(out, *n))
			return build_fail(
			    b, from->at,
			    "each names two libraries of one version, or makes the name of "
			    "another variant; allowed is one of each",
			    st);
		(*n)++;
	}
	return nth ? 0
	           : build_fail(b, from->at,
	                        "each names no library; allowed are NCCL libraries with "
	                        "':' between",
	                        st);
}

static int names_fail(struct build *b, struct text_place at, const char *who, const char *names,
                      struct status *st)
{
	char what[512];
	snprintf(what, sizeof what,
	         "%.63s names a library, a file or a network address (%.300s), which "
	         "--no-libraries refuses",
	         who, names);
	return build_fail(b, at, what, st);
}

int variants_name_none(struct build *b, struct status *st)
{
	const struct search_space *space = &b->spec->search;
	char text[TRIAL_NAME_BYTES + SEARCH_VALUE_BYTES];
	for (unsigned i = 0; b->from->no_libraries && i < b->spec->nvariants; i++) {
		const struct spec_variant *v = &b->spec->variants[i];
		const struct settings *s = &v->settings;
		const char *names = v->each[0] ? "each" : s->nccl[0] ? "nccl" : NULL;
		for (unsigned e = 0; e < s->nenv && !names; e++)
			names = keys_names_file(s->env[e]) ? s->env[e] : NULL;
		snprintf(text, sizeof text, "variant %s", v->name);
		if (names)
			return names_fail(b, v->at, text, names, st);
	}
	for (unsigned k = 0; b->from->no_libraries && k < space->nkeys; k++)
		for (unsigned v = 1; v < space->keys[k].nvalues; v++) {
			snprintf(text, sizeof text, "%s=%s", space->keys[k].key,
			         space->keys[k].values[v]);
			if (!strncmp(text, "env.", 4) && keys_names_file(text + 4))
				return names_fail(b, space->keys[k].at, "the search", text, st);
		}
	return 0;
}

static bool any_each(const struct spec *spec)
{
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (spec->variants[i].each[0])
			return true;
	return false;
}

int variants_spread(struct build *b, struct status *st)
{
	if (!any_each(b->spec))
		return 0;
	struct spec_variant *all = calloc(SPEC_MAX_VARIANTS, sizeof *all);
	unsigned n = 0;
	int rc = all ? 0 : status_set(st, "out of memory");
	for (unsigned i = 0; rc == 0 && i < b->spec->nvariants; i++) {
		const struct spec_variant *v = &b->spec->variants[i];
		if (v->each[0])
			rc = spread_one(b, v, all, &n, st);
		else if (n == SPEC_MAX_VARIANTS)
			rc = build_fail(b, v->at, "too many variants; allowed are 32", st);
		else {
			all[n] = *v;
			if (name_taken(all, n++))
				rc = build_fail(
				    b, v->at,
				    "the name is one that each makes for a variant above; "
				    "allowed is another",
				    st);
		}
	}
	if (rc == 0) {
		memcpy(b->spec->variants, all, n * sizeof *all);
		b->spec->nvariants = n;
	}
	free(all);
	return rc;
}

/* The names of --only, one by one, from *rest on; false after the last. */
static bool only_next(const char **rest, char name[TRIAL_NAME_BYTES])
{
	const char *from = *rest + strspn(*rest, ", ");
	size_t n = strcspn(from, ", ");
	*rest = from + n;
	snprintf(name, TRIAL_NAME_BYTES, "%.*s", (int)n, from);
	return n > 0;
}

/* Whether `name` is the variant's own, or one of those that several libraries make of it. */
static bool only_is(const struct spec_variant *v, const char *name)
{
	size_t n = strlen(name), own = strlen(v->name);
	return !strcmp(v->name, name) ||
	       (v->several && ((!strncmp(v->name, name, n) && v->name[n] == '-') ||
	                       (!strncmp(v->name, name, own) && name[own] == '-')));
}

static bool is_kept(const struct build *b, const struct spec_variant *v)
{
	char name[TRIAL_NAME_BYTES];
	const char *rest = b->from->only;
	while (rest && only_next(&rest, name))
		if (only_is(v, name))
			return true;
	return !b->from->only;
}

/* A key in which variants differ would make them all equal, under names that say otherwise. */
static int key_check(const struct build *b, const struct text_entry *entry,
                     const struct spec_variant *before, struct status *st)
{
	const char *key = entry->key;
	const struct spec *spec = b->spec;
	const struct spec_variant *first = NULL;
	bool placed = !strcmp(key, "mode") || !strcmp(key, "layout");
	bool differ = false, moved = false;
	unsigned kept = 0, alike = 0;
	char names[512] = "", as[512] = "", more[32] = "", whole[TRIAL_NAME_BYTES];
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &before[i];
		if (!is_kept(b, v))
			continue;
		first = first ? first : v;
		if (++kept <= MOST_NAMED)
			status_list(names, sizeof names, v->name);
		if (!placed && settings_alike(key, &first->settings, &v->settings) &&
		    ++alike <= MOST_NAMED)
			snprintf(as + strlen(as), sizeof as - strlen(as), "%s%s", as[0] ? "," : "",
			         v->name);
		differ = differ || !settings_alike(key, &first->settings, &v->settings);
		moved = moved || !settings_alike(key, &v->settings, &spec->variants[i].settings);
		if (placed && !strcmp(v->settings.mode, entry->value))
			snprintf(as, sizeof as, "%s", v->name);
	}
	/* A mode defines its variant, even if there is but one; not in a search, whose variants are
	 * about other settings. */
	if (!moved || !(differ || (placed && !spec->search.nkeys)))
		return 0;
	if (kept > MOST_NAMED)
		snprintf(more, sizeof more, " and %u more", kept - MOST_NAMED);
	text_key(entry, whole, sizeof whole);
	return status_set(
	    st,
	    "command line: %s=%.100s would be set in all variants, and they are "
	    "named for what they say themselves: %s%s. To measure some of them alone, "
	    "say --only %s",
	    whole, entry->value, names, more, as[0] ? as : "NAME");
}

int variants_check(struct build *b, const struct spec_variant *before, struct status *st)
{
	for (unsigned i = b->from->nread; b->backend && i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		/* Each variant that is not for a backend says so itself. */
		if (!keys_in(KEYS_VARIANT, entry->key) || settings_is_check(entry->key) ||
		    !strcmp(entry->key, "backend") || !build_here(b, entry))
			continue;
		if (key_check(b, entry, before, st))
			return -1;
	}
	return 0;
}

/* Every name belongs to a variant; else an error with the likely intent. */
static int names_check(const struct build *b, struct status *st)
{
	char name[TRIAL_NAME_BYTES], what[1024];
	const char *rest = b->from->only;
	unsigned names = 0;
	for (; only_next(&rest, name); names++) {
		unsigned i = 0;
		while (i < b->spec->nvariants && !only_is(&b->spec->variants[i], name))
			i++;
		if (i < b->spec->nvariants)
			continue;
		spec_no_variant(b->spec, "--only", name, "", what, sizeof what);
		return status_set(st, "command line: %s", what);
	}
	return names ? 0 : status_set(st, "command line: --only names no variant");
}

/* Drops factors and claims about a variant that is no longer here. */
static unsigned asked_keep(struct spec *spec)
{
	struct claim_list *list = &spec->asked;
	unsigned n = 0, had = list->nfactors + list->nclaims;
	for (unsigned i = 0; i < list->nfactors; i++) {
		const struct factor *f = &list->factors[i];
		if (f->from[0] && (!spec_find(spec, f->from) || !spec_find(spec, f->to)))
			continue;
		list->factors[n] = *f;
		spec->factors_at[n] = spec->factors_at[i];
		spec->factors_open[n++] = spec->factors_open[i];
	}
	list->nfactors = n;
	n = 0;
	for (unsigned i = 0; i < list->nclaims; i++) {
		const struct claim *c = &list->claims[i];
		if (c->test == CLAIM_NEEDS ||
		    (spec_find(spec, c->left) && spec_find(spec, c->right)))
			list->claims[n++] = *c;
	}
	list->nclaims = n;
	return had - list->nfactors - list->nclaims;
}

/* The first pair of the gap that is here; without one, no gap. */
static void gap_keep(struct spec *spec)
{
	struct gap *gap = &spec->asked.gap;
	struct gap_ends ends[1 + GAP_OTHERS];
	unsigned n = 0;
	memcpy(ends[0].from, gap->from, sizeof gap->from);
	memcpy(ends[0].to, gap->to, sizeof gap->to);
	memcpy(ends + 1, gap->others, sizeof gap->others);
	for (unsigned i = 0; i < 1 + gap->nothers; i++)
		if (spec_find(spec, ends[i].from) && spec_find(spec, ends[i].to))
			ends[n++] = ends[i];
	if (!n)
		ends[0].from[0] = ends[0].to[0] = '\0';
	memcpy(gap->from, ends[0].from, sizeof gap->from);
	memcpy(gap->to, ends[0].to, sizeof gap->to);
	memcpy(gap->others, ends + 1, sizeof gap->others);
	gap->nothers = n ? n - 1 : 0;
}

int variants_keep(struct build *b, struct status *st)
{
	struct spec *spec = b->spec;
	char left[256] = "", old[TRIAL_NAME_BYTES];
	unsigned n = 0;
	bool said = false;
	if (!b->from->only)
		return 0;
	if (names_check(b, st))
		return -1;
	for (unsigned i = 0; i < spec->nvariants; i++) {
		if (is_kept(b, &spec->variants[i]))
			spec->variants[n++] = spec->variants[i];
		else
			status_list(left, sizeof left, spec->variants[i].name);
	}
	if (n == spec->nvariants)
		return 0;
	spec->nvariants = n;
	unsigned asked = asked_keep(spec);
	gap_keep(spec);
	for (unsigned i = b->from->nread; i < b->from->text.nentries; i++)
		said = said || !strcmp(b->from->text.entries[i].key, "reference");
	int used = snprintf(spec->only, sizeof spec->only, "left out by --only: %s", left);
	if (asked)
		used += snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		                 ", and %u factor%s or claim%s about them", asked,
		                 asked == 1 ? "" : "s", asked == 1 ? "" : "s");
	strcpy(old, spec->reference);
	/* All are compared with the first of those that are left. */
	if (old[0] && !said && !spec_find(spec, old)) {
		strcpy(spec->reference, spec->variants[0].name);
		snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		         "; the reference is %s in place of %s", spec->reference, old);
	}
	return 0;
}
