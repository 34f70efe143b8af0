#include "build.h"

#include <stdlib.h>
#include <string.h>

int build_fail(const struct build *b, struct text_place at, const char *what, struct status *st)
{
	if (at.line == 0)
		return status_set(st, "command line: %s", what);
	return status_set(st, "%s:%u: %s", spec_file(b->spec, at), at.line, what);
}

bool build_here(const struct build *b, const struct text_entry *entry)
{
	return !entry->on[0] || (b->backend && !strcmp(entry->on, b->backend));
}

const struct text_entry *build_next(const struct build *b, unsigned section, bool of_one,
                                    unsigned *i)
{
	while (*i < b->from->text.nentries) {
		const struct text_entry *entry = &b->from->text.entries[(*i)++];
		if (entry->section == section && of_one == (entry->on[0] != '\0'))
			return entry;
	}
	return NULL;
}

static int entry_apply(struct build *b, const struct text_entry *entry,
                       const struct keys_target *target, struct status *st)
{
	struct status why = {""};
	struct keys_target to = *target;
	if (!build_here(b, entry)) {
		if (!b->elsewhere && !(b->elsewhere = calloc(1, sizeof *b->elsewhere)))
			return status_set(st, "out of memory");
		to.spec = to.spec ? b->elsewhere : NULL;
		if (to.variant && to.variant != &b->defaults && !to.variant->elsewhere[0])
			text_key(entry, to.variant->elsewhere, sizeof to.variant->elsewhere);
		to.variant = to.variant ? &b->elsewhere_variant : NULL;
		b->elsewhere_variant = (struct spec_variant){0};
	}
	if (keys_apply(&to, entry->key, entry->value, &why))
		return build_fail(b, entry->at, why.text, st);
	return 0;
}

bool build_is_like(const struct text_entry *entry)
{
	return !entry->on[0] && !strcmp(entry->key, "like");
}

/* One layer of a section: the entries for all backends, or those for one.
 *
 * Mode and layout say the same thing, so the one that is set here drops the other one if that came
 * from further out. Both in one layer stay, for the plan to compare. */
static int layer_apply(struct build *b, unsigned section, bool of_one,
                       const struct keys_target *target, struct status *st)
{
	struct settings *settings = target->variant ? &target->variant->settings : NULL;
	struct {
		char mode[TRIAL_NAME_BYTES];
		struct layout layout;
	} outer;
	if (settings) {
		memcpy(outer.mode, settings->mode, sizeof outer.mode);
		outer.layout = settings->layout;
		settings->mode[0] = '\0';
		settings->layout = (struct layout){0};
	}
	const struct text_entry *entry;
	for (unsigned i = 0; (entry = build_next(b, section, of_one, &i));) {
		if (!target->spec && build_is_like(entry))
			continue;
		if (section == BUILD_COMMAND_LINE && !target->spec &&
		    !keys_in(KEYS_VARIANT, entry->key))
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

int build_layers(struct build *b, unsigned section, const struct keys_target *target,
                 struct status *st)
{
	if (layer_apply(b, section, false, target, st))
		return -1;
	return layer_apply(b, section, true, target, st);
}
