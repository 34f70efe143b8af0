/* What the command line may not do to variants that have names of their own, and which of them
 * it keeps. */
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "spec_build.h"

/* The names of --only, one by one, from *rest on; false behind the last. */
static bool only_next(const char **rest, char name[TRIAL_NAME_BYTES])
{
	const char *from = *rest + strspn(*rest, ", ");
	size_t n = strcspn(from, ", ");
	*rest = from + n;
	snprintf(name, TRIAL_NAME_BYTES, "%.*s", (int)n, from);
	return n > 0;
}

/* Whether `name` is the variant's own, or of those that several libraries make of one. */
static bool only_is(const struct spec_variant *v, const char *name)
{
	size_t n = strlen(name), own = strlen(v->name);
	return !strcmp(v->name, name) ||
	       (v->several && ((!strncmp(v->name, name, n) && v->name[n] == '-') ||
	                       (!strncmp(v->name, name, own) && name[own] == '-')));
}

static bool is_kept(const struct spec_build *b, const struct spec_variant *v)
{
	char name[TRIAL_NAME_BYTES];
	const char *rest = b->only;
	while (rest && only_next(&rest, name))
		if (only_is(v, name))
			return true;
	return !b->only;
}

/* A key that variants differ in would make them all alike, under names that say otherwise. */
static int key_check(const struct spec_build *b, const struct spec_entry *entry,
                     const char *key, const struct spec_variant *before, struct status *st)
{
	const struct spec *spec = &b->spec;
	const struct spec_variant *first = NULL;
	bool placed = !strcmp(key, "mode") || !strcmp(key, "layout");
	bool differ = false, moved = false;
	char names[512] = "", as[512] = "";
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &before[i];
		if (!is_kept(b, v))
			continue;
		first = first ? first : v;
		status_list(names, sizeof names, v->name);
		if (!placed && settings_alike(key, &first->settings, &v->settings))
			snprintf(as + strlen(as), sizeof as - strlen(as), "%s%s",
			         as[0] ? "," : "", v->name);
		differ = differ || !settings_alike(key, &first->settings, &v->settings);
		moved =
		    moved || !settings_alike(key, &v->settings, &spec->variants[i].settings);
		if (placed && !strcmp(v->settings.mode, entry->value))
			snprintf(as, sizeof as, "%s", v->name);
	}
	/* A mode is what its variant is about, even where there is but one. */
	if (!moved || !(differ || placed))
		return 0;
	return status_set(
	    st,
	    "command line: %s=%.100s would be set in all variants, and they are "
	    "named for what they say themselves: %s. To measure some of them alone, "
	    "say --only %s",
	    entry->key, entry->value, names, as[0] ? as : "NAME");
}

int spec_only_check(struct spec_build *b, const struct spec_variant *before, struct status *st)
{
	for (unsigned i = b->nread; b->backend && i < b->text.nentries; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		/* Of a backend each variant that is not for it says so itself. */
		if (!key || !spec_keys_in(SPEC_SCOPE_VARIANT, key) || settings_is_check(key) ||
		    !strcmp(key, "backend") || (backend[0] && strcmp(backend, b->backend)))
			continue;
		if (key_check(b, entry, key, before, st))
			return -1;
	}
	return 0;
}

/* Every name is one's; with what is meant by one that is not. */
static int names_check(const struct spec_build *b, struct status *st)
{
	char name[TRIAL_NAME_BYTES], what[1024];
	const char *rest = b->only;
	unsigned names = 0;
	for (; only_next(&rest, name); names++) {
		unsigned i = 0;
		while (i < b->spec.nvariants && !only_is(&b->spec.variants[i], name))
			i++;
		if (i < b->spec.nvariants)
			continue;
		spec_build_no_variant(&b->spec, "--only", name, "", what, sizeof what);
		return status_set(st, "command line: %s", what);
	}
	return names ? 0 : status_set(st, "command line: --only names no variant");
}

/* Drops what is about a variant that is not here any more. */
static unsigned asked_keep(struct spec *spec)
{
	struct claim_list *list = &spec->asked;
	unsigned n = 0, had = list->nfactors + list->nclaims;
	for (unsigned i = 0; i < list->nfactors; i++) {
		const struct factor *f = &list->factors[i];
		if (f->from[0] &&
		    (!spec_build_find(spec, f->from) || !spec_build_find(spec, f->to)))
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
		    (spec_build_find(spec, c->left) && spec_build_find(spec, c->right)))
			list->claims[n++] = *c;
	}
	list->nclaims = n;
	return had - list->nfactors - list->nclaims;
}

/* The first pair of the gap that is here; none, no gap. */
static void gap_keep(struct spec *spec)
{
	struct gap *gap = &spec->asked.gap;
	struct gap_ends ends[1 + GAP_OTHERS];
	unsigned n = 0;
	memcpy(ends[0].from, gap->from, sizeof gap->from);
	memcpy(ends[0].to, gap->to, sizeof gap->to);
	memcpy(ends + 1, gap->others, sizeof gap->others);
	for (unsigned i = 0; i < 1 + gap->nothers; i++)
		if (spec_build_find(spec, ends[i].from) && spec_build_find(spec, ends[i].to))
			ends[n++] = ends[i];
	if (!n)
		ends[0].from[0] = ends[0].to[0] = '\0';
	memcpy(gap->from, ends[0].from, sizeof gap->from);
	memcpy(gap->to, ends[0].to, sizeof gap->to);
	memcpy(gap->others, ends + 1, sizeof gap->others);
	gap->nothers = n ? n - 1 : 0;
}

int spec_only_keep(struct spec_build *b, struct status *st)
{
	struct spec *spec = &b->spec;
	char left[256] = "", old[TRIAL_NAME_BYTES];
	unsigned n = 0;
	bool said = false;
	if (!b->only)
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
	for (unsigned i = b->nread; i < b->text.nentries; i++)
		said = said || !strcmp(b->text.entries[i].key, "reference");
	int used = snprintf(spec->only, sizeof spec->only, "left out by --only: %s", left);
	if (asked)
		used += snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		                 ", and %u factor%s or claim%s about them", asked,
		                 asked == 1 ? "" : "s", asked == 1 ? "" : "s");
	strcpy(old, spec->reference);
	/* What all are compared with is the first of those that are left. */
	if (old[0] && !said && !spec_build_find(spec, old)) {
		strcpy(spec->reference, spec->variants[0].name);
		snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		         "; the reference is %s in place of %s", spec->reference, old);
	}
	return 0;
}

int spec_heeded(struct spec_build *b, bool command_line, struct status *st)
{
	static const struct {
		const char *key;
		unsigned is;
		const char *has_none;
	} heeded[] = {{"op", COLL_REDUCES, "reduces"}, {"root", COLL_ROOTED, "has a root"}};
	unsigned is = 0;
	char colls[256] = "", what[512];
	for (unsigned i = 0; i < b->spec.ncolls; i++) {
		is |= coll_info(b->spec.colls[i])->is;
		status_list(colls, sizeof colls, coll_info(b->spec.colls[i])->name);
	}
	for (unsigned i = 0; b->backend && b->spec.ncolls && i < b->text.nentries; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		if (!key || (i >= b->nread) != command_line ||
		    (backend[0] && strcmp(backend, b->backend)))
			continue;
		for (unsigned k = 0; k < sizeof heeded / sizeof *heeded; k++) {
			if (strcmp(key, heeded[k].key) || is & heeded[k].is)
				continue;
			snprintf(
			    what, sizeof what,
			    "%s = %.60s is heeded by no collective of the experiment: none "
			    "of %s %s; allowed is to leave %s away, or a collective that "
			    "heeds it",
			    key, entry->value, colls, heeded[k].has_none, key);
			return spec_build_fail(b, entry->at, what, st);
		}
	}
	return 0;
}
