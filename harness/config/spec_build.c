/* From sections and entries to settings: which layer wins, which variant starts from which. */
#include "spec_build.h"

#include <stdio.h>
#include <string.h>

#include "near.h"
#include "spec_keys.h"

int spec_build_fail(const struct spec_build *b, struct spec_place at, const char *what,
                    struct status *st)
{
	if (at.line == 0)
		return status_set(st, "command line: %s", what);
	return status_set(st, "%s:%u: %s", spec_file(&b->spec, at), at.line, what);
}

static int entry_apply(struct spec_build *b, const struct spec_entry *entry,
                       const struct spec_target *target, struct status *st)
{
	char backend[TRIAL_NAME_BYTES];
	struct status why = {""};
	struct spec_target here = *target;
	const char *key = spec_keys_split(entry->key, backend);
	if (!key) {
		key = entry->key; /* the error then lists what is allowed */
	} else if (backend[0] && (!b->backend || strcmp(backend, b->backend))) {
		here.spec = here.spec ? &b->elsewhere : NULL;
		here.variant = here.variant ? &b->elsewhere_variant : NULL;
		b->elsewhere_variant = (struct spec_variant){0};
	}
	if (spec_keys_apply(&here, key, entry->value, &why))
		return spec_build_fail(b, entry->at, why.text, st);
	return 0;
}

static bool is_like(const struct spec_entry *entry)
{
	return !strcmp(entry->key, "like");
}

/* One layer of a section: its plain keys, or those with a backend in front.
 *
 * Mode and layout say the same thing, so the one that is set here drops the other one if that
 * came from further out. Both in one layer stay, for the plan to compare. */
static int layer_apply(struct spec_build *b, unsigned section, bool prefixed,
                       const struct spec_target *target, struct status *st)
{
	struct settings *settings = target->variant ? &target->variant->settings : NULL;
	struct settings outer;
	if (settings) {
		outer = *settings;
		settings->mode[0] = '\0';
		settings->layout = (struct layout){0};
	}
	for (unsigned i = 0; i < b->text.nentries; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		if (entry->section != section || prefixed != (key && backend[0]))
			continue;
		if (!target->spec && is_like(entry))
			continue;
		if (section == SPEC_COMMAND_LINE && !target->spec &&
		    !spec_keys_in(SPEC_SCOPE_VARIANT, key ? key : entry->key))
			continue;
		if (entry_apply(b, entry, target, st))
			return -1;
	}
	if (settings && !settings->mode[0] && !layout_ranks(settings->layout)) {
		memcpy(settings->mode, outer.mode, sizeof settings->mode);
		settings->layout = outer.layout;
	}
	return 0;
}

int spec_build_layers(struct spec_build *b, unsigned section, const struct spec_target *target,
                      struct status *st)
{
	if (layer_apply(b, section, false, target, st))
		return -1;
	return layer_apply(b, section, true, target, st);
}

struct spec_variant *spec_build_find(struct spec *spec, const char *name)
{
	for (unsigned i = 0; i < spec->nvariants; i++)
		if (!strcmp(spec->variants[i].name, name))
			return &spec->variants[i];
	return NULL;
}

void spec_build_no_variant(const struct spec *spec, const char *key, const char *name,
                           const char *where, char *what, size_t bytes)
{
	struct near near = near_to(name);
	char allowed[512];
	snprintf(allowed, sizeof allowed, "%s", spec->nvariants ? "" : "none");
	for (unsigned i = 0; i < spec->nvariants; i++) {
		near_offer(&near, spec->variants[i].name);
		status_list(allowed, sizeof allowed, spec->variants[i].name);
	}
	snprintf(what, bytes, "%s = '%.100s' names no variant%s%s; allowed is %s", key, name,
	         where, near_say(&near).text, allowed);
}

static int experiment_apply(struct spec_build *b, unsigned section, struct status *st)
{
	const struct spec_target target = {&b->spec, &b->defaults, b->lookup};
	return spec_build_layers(b, section, &target, st);
}

/* What a variant starts from: another one, or what [experiment] says. */
static const struct spec_variant *variant_base(struct spec_build *b, unsigned section,
                                               struct status *st)
{
	for (unsigned i = 0; i < b->nread; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		if (entry->section != section || !is_like(entry))
			continue;
		const struct spec_variant *base = spec_build_find(&b->spec, entry->value);
		if (base)
			return base;
		char what[1024];
		spec_build_no_variant(&b->spec, "like", entry->value, " above", what,
		                      sizeof what);
		spec_build_fail(b, entry->at, what, st);
		return NULL;
	}
	return &b->defaults;
}

static int variant_apply(struct spec_build *b, unsigned section, struct status *st)
{
	const struct spec_section *s = &b->text.sections[section];
	if (b->spec.nvariants == SPEC_MAX_VARIANTS)
		return spec_build_fail(b, s->at, "too many variants; allowed are 32", st);
	size_t n = strlen(s->name);
	if (!strcmp(s->name, "limit") || (n >= 6 && !strcmp(s->name + n - 6, "-again")))
		return spec_build_fail(b, s->at,
		                       "a name that the plan gives itself; allowed is any but "
		                       "'limit' and '…-again'",
		                       st);

	const struct spec_variant *base = variant_base(b, section, st);
	if (!base)
		return -1;
	struct spec_variant *variant = &b->spec.variants[b->spec.nvariants];
	*variant = *base;
	snprintf(variant->name, sizeof variant->name, "%s", s->name);
	variant->at = s->at;
	const struct spec_target target = {NULL, variant, b->lookup};
	if (spec_build_layers(b, section, &target, st))
		return -1;
	b->spec.nvariants++;
	return 0;
}

/* The kinds of sections. */
static const struct section_kind {
	const char *kind;
	const char *form;
	bool named;
	int (*apply)(struct spec_build *b, unsigned section, struct status *st);
} section_kinds[] = {
    {"experiment", "[experiment]", false, experiment_apply},
    {"variant", "[variant NAME]", true, variant_apply},
    {"factor", "[factor NAME]", true, spec_claims_factor},
    {"claim", "[claim NAME]", true, spec_claims_claim},
};

int spec_build_sections(struct spec_build *b, struct status *st)
{
	const unsigned nkinds = sizeof section_kinds / sizeof section_kinds[0];
	for (unsigned i = 0; i < b->text.nsections; i++) {
		const struct spec_section *s = &b->text.sections[i];
		const struct section_kind *kind = section_kinds;
		while (kind < section_kinds + nkinds && strcmp(kind->kind, s->kind))
			kind++;
		if (kind == section_kinds + nkinds || kind->named != (s->name[0] != '\0')) {
			char what[512];
			size_t used = (size_t)snprintf(what, sizeof what,
			                               "unknown section [%s%s%s]; allowed is",
			                               s->kind, s->name[0] ? " " : "", s->name);
			for (unsigned k = 0; k < nkinds && used < sizeof what; k++)
				used +=
				    (size_t)snprintf(what + used, sizeof what - used, "%s %s",
				                     k ? "," : "", section_kinds[k].form);
			return spec_build_fail(b, s->at, what, st);
		}
		if (i == 0 && kind->apply != experiment_apply)
			return spec_build_fail(
			    b, s->at,
			    "[experiment] has to come first, as it says what holds "
			    "for all",
			    st);
		if (kind->apply(b, i, st))
			return -1;
	}
	return 0;
}
