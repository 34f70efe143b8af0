#include "build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int build_fail(const struct build *b, struct text_place at, const char *what, struct status *st)
{
	if (at.line == 0)
		return status_set(st, "command line: %s", what);
	return status_set(st, "%s:%u: %s", spec_file(b->spec, at), at.line, what);
}

const struct text_entry *build_next(const struct build *b, unsigned section, bool prefixed,
                                    unsigned *i, struct build_key *key)
{
	while (*i < b->text.nentries) {
		const struct text_entry *entry = &b->text.entries[(*i)++];
		char backend[TRIAL_NAME_BYTES];
		const char *name = keys_split(entry->key, backend);
		if (entry->section != section || prefixed != (name && backend[0]))
			continue;
		key->here = !prefixed || (b->backend && !strcmp(backend, b->backend));
		key->name = name ? name : entry->key; /* the error then lists what is allowed */
		return entry;
	}
	return NULL;
}

static int entry_apply(struct build *b, const struct text_entry *entry,
                       const struct build_key *key, const struct keys_target *target,
                       struct status *st)
{
	struct status why = {""};
	struct keys_target to = *target;
	if (!key->here) {
		if (!b->elsewhere && !(b->elsewhere = calloc(1, sizeof *b->elsewhere)))
			return status_set(st, "out of memory");
		to.spec = to.spec ? b->elsewhere : NULL;
		if (to.variant && to.variant != &b->defaults && !to.variant->elsewhere[0])
			snprintf(to.variant->elsewhere, sizeof to.variant->elsewhere, "%.63s",
			         entry->key);
		to.variant = to.variant ? &b->elsewhere_variant : NULL;
		b->elsewhere_variant = (struct spec_variant){0};
	}
	if (keys_apply(&to, key->name, entry->value, &why))
		return build_fail(b, entry->at, why.text, st);
	return 0;
}

bool build_is_like(const struct text_entry *entry)
{
	return !strcmp(entry->key, "like");
}

/* One layer of a section: its plain keys, or those with a backend in front.
 *
 * Mode and layout say the same thing, so the one that is set here drops the other one if that
 * came from further out. Both in one layer stay, for the plan to compare. */
static int layer_apply(struct build *b, unsigned section, bool prefixed,
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
	struct build_key key;
	for (unsigned i = 0; (entry = build_next(b, section, prefixed, &i, &key));) {
		if (!target->spec && build_is_like(entry))
			continue;
		if (section == BUILD_COMMAND_LINE && !target->spec &&
		    !keys_in(KEYS_VARIANT, key.name))
			continue;
		if (entry_apply(b, entry, &key, target, st))
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

/* --- like = NAME in [experiment]: a file starts from NAME.exp beside it
 * ------------------------ */

static const struct text_entry *like_find(const struct text *text)
{
	const struct text_section *first = text->sections;
	if (!text->nsections || strcmp(first->kind, "experiment") || first->name[0])
		return NULL;
	for (unsigned i = 0; i < text->nentries; i++)
		if (text->entries[i].section == 0 && !strcmp(text->entries[i].key, "like"))
			return &text->entries[i];
	return NULL;
}

/* The path of the nth base, which `like` names. */
static int base_find(struct build *b, const struct text_entry *like, unsigned nth,
                     struct status *st)
{
	const char *file = b->spec->file, *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash + 1 - file) : 0;
	char path[PATH_MAX], why[PATH_MAX + 256] = "", what[sizeof why + 256];
	if (!field_is_name(like->value, TRIAL_NAME_BYTES))
		strcpy(why, "no name");
	else if (nth == SPEC_MAX_BASES)
		snprintf(why, sizeof why, "one file too many, of %d each like the next",
		         SPEC_MAX_BASES);
	else if (snprintf(path, sizeof path, "%.*s%s.exp", folder, file, like->value) >=
	         PATH_MAX)
		strcpy(why, "the path is too long");
	else if (access(path, R_OK))
		snprintf(why, sizeof why, "%s cannot be read: %s", path, strerror(errno));
	for (unsigned i = 0; !why[0] && i <= nth; i++)
		if (!strcmp(path, spec_file(b->spec, (struct text_place){.file = i})))
			snprintf(why, sizeof why, "a circle, back to %s", path);
	if (!why[0]) {
		strcpy(b->spec->bases[nth], path);
		return 0;
	}
	snprintf(
	    what, sizeof what,
	    "like = '%.100s': %s; allowed is the NAME of another NAME.exp in the same folder",
	    like->value, why);
	return build_fail(b, like->at, what, st);
}

/* Whether a key takes the place of another: of itself, or of what says the same or excludes it.
 */
static bool replaces(const char *own, const char *old)
{
	static const char *const rivals[][2] = {
	    {"mode", "layout"}, {"is", "needs"}, {"bytes", "tokens"}};
	char ours[TRIAL_NAME_BYTES], theirs[TRIAL_NAME_BYTES];
	if (!strcmp(own, old))
		return true;
	own = keys_split(own, ours);
	old = keys_split(old, theirs);
	for (unsigned i = 0; own && old && i < sizeof rivals / sizeof *rivals; i++)
		for (unsigned k = 0; k < 2; k++)
			if (!strcmp(own, rivals[i][k]) && !strcmp(old, rivals[i][!k]))
				return !strcmp(ours, theirs);
	return false;
}

/* One key over the base, whose own are those of `file`. */
static int entry_lay(struct text *base, unsigned file, unsigned section,
                     const struct text_entry *own)
{
	for (unsigned i = base->nentries; i-- > 0;) {
		const struct text_entry *old = &base->entries[i];
		if (old->section == section && old->at.file == file &&
		    replaces(own->key, old->key))
			text_drop(base, i);
	}
	return text_add(base, section, own->at, own->key, own->value);
}

/* All of `own` over the base, which is `file` from then on. -1 when memory is out. */
static int text_lay(struct text *base, unsigned file, const struct text *own)
{
	for (unsigned i = 0; i < base->nsections; i++)
		base->sections[i].at.file = file;
	for (unsigned i = 0; i < base->nentries; i++)
		base->entries[i].at.file = file;
	for (unsigned i = 0; i < own->nsections; i++) {
		unsigned to = text_find(base, &own->sections[i]);
		if (to == base->nsections && text_add_section(base, &own->sections[i]))
			return -1;
		base->sections[to].at = own->sections[i].at;
		for (unsigned k = 0; k < own->nentries; k++)
			if (own->entries[k].section == i &&
			    entry_lay(base, file, to, &own->entries[k]))
				return -1;
	}
	if (own->question[0])
		strcpy(base->question, own->question);
	return 0;
}

int build_read_text(struct build *b, struct status *st)
{
	const struct text_entry *like;
	if (text_read(b->spec->file, &b->text, st))
		return -1;
	for (unsigned nth = 0; (like = like_find(&b->text)); nth++) {
		struct text own = b->text, base;
		if (base_find(b, like, nth, st) || text_read(b->spec->bases[nth], &base, st))
			return -1;
		text_drop(&own, (unsigned)(like - own.entries));
		int rc = text_lay(&base, nth + 1, &own);
		text_free(&own);
		b->text = base;
		if (rc)
			return status_set(st, "out of memory");
	}
	return 0;
}
