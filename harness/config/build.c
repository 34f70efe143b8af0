#include "build.h"

#include <stdlib.h>
#include <string.h>

bool build_here(const struct build *b, const struct text_entry *entry)
{
	return !entry->on[0] || (b->backend && !strcmp(entry->on, b->backend));
}

const struct text_entry *build_said(const struct build *b, const char *key)
{
	const struct text_entry *said = NULL;
	unsigned most = 0;
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		const unsigned near = (i >= b->from->nread ? 4 : 1) + (entry->on[0] != '\0');
		if (strcmp(entry->key, key) || !build_here(b, entry) || entry->without[0] ||
		    near < most)
			continue;
		said = entry;
		most = near;
	}
	return said;
}

const struct text_entry *build_next(const struct build *b, unsigned section, bool of_one,
                                    unsigned *i)
{
	while (*i < b->from->text.nentries) {
		const struct text_entry *entry = &b->from->text.entries[(*i)++];
		if (entry->section == section && of_one == (entry->on[0] != '\0') &&
		    !entry->without[0])
			return entry;
	}
	return NULL;
}

const struct text_entry *build_rival(const struct build *b, const struct text_entry *entry)
{
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *other = &b->from->text.entries[i];
		if (other->section == entry->section && text_same_layer(other, entry) &&
		    text_rivals(other->key, entry->key))
			return other;
	}
	return NULL;
}

/* Mode and layout say the same thing, so the one that is set here drops the other one if that came
 * from further out. Both in one layer stay, for the plan to compare. */
static void place_settle(const struct build *b, const struct text_entry *entry,
                         struct settings *settings)
{
	if (!strcmp(entry->key, "mode") && !build_rival(b, entry))
		settings->layout = (struct layout){0};
	if (!strcmp(entry->key, "layout") && !build_rival(b, entry))
		settings->mode[0] = '\0';
}

bool build_is_like(const struct text_entry *entry)
{
	return !entry->on[0] && !strcmp(entry->key, "like");
}

static int entry_apply(struct build *b, const struct text_entry *entry, void *target,
                       struct status *st)
{
	struct keys_target to = *(const struct keys_target *)target;
	if (!to.spec && (build_is_like(entry) ||
	                 (entry->section == BUILD_COMMAND_LINE && !keys_of_variant(entry->key))))
		return 0;
	if (!build_here(b, entry)) {
		if (!b->elsewhere && !(b->elsewhere = calloc(1, sizeof *b->elsewhere)))
			return status_set(st, "out of memory");
		to.spec = to.spec ? b->elsewhere : NULL;
		if (to.variant && to.variant != &b->defaults && !to.variant->elsewhere[0])
			text_key(entry, to.variant->elsewhere, sizeof to.variant->elsewhere);
		to.variant = to.variant ? &b->elsewhere_variant : NULL;
		b->elsewhere_variant = (struct spec_variant){0};
	}
	if (keys_apply(&to, entry->key, entry->value, st))
		return -1;
	if (to.variant)
		place_settle(b, entry, &to.variant->settings);
	return 0;
}

int build_section(struct build *b, unsigned section,
                  int (*read)(struct build *b, const struct text_entry *entry, void *to,
                              struct status *st),
                  void *to, struct status *st)
{
	const struct text_entry *entry;
	struct status why = {""};
	for (unsigned of_one = 0; of_one < 2; of_one++)
		for (unsigned i = 0; (entry = build_next(b, section, of_one, &i));)
			if (read(b, entry, to, &why))
				return spec_error(b->spec, entry->at, st, "%s", why.text);
	return 0;
}

int build_keys(struct build *b, unsigned section, struct spec *spec, struct spec_variant *variant,
               struct status *st)
{
	struct keys_target target = {spec, variant, b->lookup, b->from->no_libraries};
	return build_section(b, section, entry_apply, &target, st);
}
