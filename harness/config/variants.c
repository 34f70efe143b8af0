#include "build.h"

#include "../backend/table.h"
#include "../memory.h"

/* Adds a copy of a variant; of several, with the nth library: "threads-nccl" and 2.21.5 make
 * "threads-nccl-2.21.5". If no backend here can read versions, libraries are counted instead. What
 * is no library shows at once, not when its trial's turn comes. */
static int spread_to(struct build *b, const struct spec_variant *from, const char *path,
                     unsigned nth, struct spec *out, struct status *st)
{
	struct spec_variant *v = &out->variants[out->nvariants];
	struct library library = {.version = ""};
	struct status why = {""};
	if (out->nvariants == SPEC_MAX_VARIANTS)
		return spec_error(b->spec, from->at, st, "too many variants; allowed are 32");
	*v = *from;
	if (path && backend_library(path, &library, &why))
		return spec_error(b->spec, from->at, st,
		                  "each%s%s: %s; allowed are NCCL libraries with ':' between",
		                  from->variable[0] ? ", from the variable " : "", from->variable,
		                  why.text);
	if (path) {
		v->each[0] = '\0';
		strcpy(v->settings.nccl, path);
		if (!library.version[0])
			snprintf(library.version, sizeof library.version, "%u", nth);
		snprintf(v->name, sizeof v->name, "%.30s-%.9s", from->name, library.version);
	}
	if (spec_find(out, v->name))
		return spec_error(b->spec, from->at, st,
		                  path ? "each names two libraries of one version, or makes the "
		                         "name of another variant; allowed is one of each"
		                       : "the name is one that each makes for a variant above; "
		                         "allowed is another");
	out->nvariants++;
	return 0;
}

static int spread_one(struct build *b, const struct spec_variant *from, struct spec *out,
                      struct status *st)
{
	char each[SPEC_EACH_BYTES], *rest = each;
	unsigned nth = 0;
	if (!from->each[0])
		return spread_to(b, from, NULL, 0, out, st);
	strcpy(each, from->each);
	for (char *path; (path = strsep(&rest, ":"));)
		if (path[0] && spread_to(b, from, path, ++nth, out, st))
			return -1;
	return nth ? 0
	           : spec_error(
	                 b->spec, from->at, st,
	                 "each names no library; allowed are NCCL libraries with ':' between");
}

int variants_spread(struct build *b, struct status *st)
{
	struct spec *all = memory_take(1, sizeof *all), *spec = b->spec;
	int rc = 0;
	for (unsigned i = 0; rc == 0 && i < spec->nvariants; i++)
		rc = spread_one(b, &spec->variants[i], all, st);
	if (rc == 0) {
		spec->nvariants = all->nvariants;
		memcpy(spec->variants, all->variants, all->nvariants * sizeof *all->variants);
	}
	free(all);
	return rc;
}

/* The names of --only, one by one, beginning at *rest; false after the last. */
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
	const char *rest = b->from->from->only;
	while (rest && only_next(&rest, name))
		if (only_is(v, name))
			return true;
	return !b->from->from->only;
}

/* Whether a variant says itself how it is placed. Otherwise the place is that of [experiment], and
 * no name promises another one. */
static bool variants_placed(const struct build *b)
{
	const struct text *text = &b->from->text;
	for (unsigned i = 0; i < text->nsections; i++)
		if (!strcmp(text->sections[i].kind, "variant") &&
		    (build_find(b, i, "mode") || build_find(b, i, "layout")))
			return true;
	return false;
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
	char names[512] = "", as[512] = "", whole[TRIAL_NAME_BYTES];
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &before[i];
		if (!is_kept(b, v))
			continue;
		first = first ? first : v;
		status_list(names, sizeof names, v->name);
		const bool same = settings_same(key, &first->settings, &v->settings);
		differ = differ || !same;
		moved = moved || !settings_same(key, &v->settings, &spec->variants[i].settings);
		if (placed ? !strcmp(v->settings.mode, entry->value) : same)
			status_add(as, sizeof as, "%s%s", as[0] ? "," : "", v->name);
	}
	/* A mode defines even a single variant, but not in a search. */
	if (!moved || !(differ || (placed && !spec->search.nkeys && variants_placed(b))))
		return 0;
	text_key(entry, whole, sizeof whole);
	return status_set(
	    st,
	    "command line: %s=%.100s would be set in all variants, and they are named for what "
	    "they say themselves: %s. To measure some of them alone, say --only %s",
	    whole, entry->value, names, as[0] ? as : "NAME");
}

int variants_check(struct build *b, const struct spec_variant *before, struct status *st)
{
	for (unsigned i = 0; b->backend && i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		/* Each variant that is not for a backend says so itself. */
		if (entry->section != BUILD_COMMAND_LINE || !entry->here ||
		    !keys_of_variant(entry->key) || settings_is_check(entry->key) ||
		    !strcmp(entry->key, "backend"))
			continue;
		if (key_check(b, entry, before, st))
			return -1;
	}
	return 0;
}

/* Every name belongs to a variant; else an error with the likely intent. */
static int names_check(const struct build *b, struct status *st)
{
	char name[TRIAL_NAME_BYTES];
	const char *rest = b->from->from->only;
	unsigned names = 0;
	for (; only_next(&rest, name); names++) {
		unsigned i = 0;
		while (i < b->spec->nvariants && !only_is(&b->spec->variants[i], name))
			i++;
		if (i < b->spec->nvariants)
			continue;
		return spec_no_variant(b->spec, 0, "--only", name, "", st);
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
		spec->factors_at[n++] = spec->factors_at[i];
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

int variants_keep(struct build *b, struct status *st)
{
	struct spec *spec = b->spec;
	char left[256] = "", old[TRIAL_NAME_BYTES];
	unsigned n = 0;
	if (!b->from->from->only)
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
	int used = snprintf(spec->only, sizeof spec->only, "left out by --only: %s", left);
	if (asked)
		used += snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		                 ", and %u factor%s or claim%s about them", asked,
		                 asked == 1 ? "" : "s", asked == 1 ? "" : "s");
	strcpy(old, spec->reference);
	/* All are compared with the first of those that are left. */
	if (old[0] && !build_find(b, BUILD_COMMAND_LINE, "reference") && !spec_find(spec, old)) {
		strcpy(spec->reference, spec->variants[0].name);
		snprintf(spec->only + used, sizeof spec->only - (size_t)used,
		         "; the reference is %s in place of %s", spec->reference, old);
	}
	return 0;
}
