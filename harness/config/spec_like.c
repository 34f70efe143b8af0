/* like = NAME in [experiment]: a file starts from NAME.exp beside it, which may be like another
 * one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec_build.h"

static const struct spec_entry *like_find(const struct spec_text *text)
{
	const struct spec_section *first = text->sections;
	if (!text->nsections || strcmp(first->kind, "experiment") || first->name[0])
		return NULL;
	for (unsigned i = 0; i < text->nentries; i++)
		if (text->entries[i].section == 0 && !strcmp(text->entries[i].key, "like"))
			return &text->entries[i];
	return NULL;
}

/* The path of the nth base, which `like` names. */
static int base_find(struct spec_build *b, const struct spec_entry *like, unsigned nth,
                     struct status *st)
{
	const char *file = b->spec.file, *slash = strrchr(file, '/');
	int folder = slash ? (int)(slash + 1 - file) : 0;
	char path[PATH_MAX], why[PATH_MAX + 256] = "", what[sizeof why + 256];
	if (!spec_text_is_name(like->value, TRIAL_NAME_BYTES))
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
		if (!strcmp(path, spec_file(&b->spec, (struct spec_place){.file = i})))
			snprintf(why, sizeof why, "a circle, back to %s", path);
	if (!why[0]) {
		strcpy(b->spec.bases[nth], path);
		return 0;
	}
	snprintf(
	    what, sizeof what,
	    "like = '%.100s': %s; allowed is the NAME of another NAME.exp in the same folder",
	    like->value, why);
	return spec_build_fail(b, like->at, what, st);
}

/* Whether a key takes the place of another: of itself, or of what says the same or excludes it.
 */
static bool replaces(const char *own, const char *old)
{
	static const char *const rivals[][2] = {{"mode", "layout"}, {"is", "needs"}};
	char ours[TRIAL_NAME_BYTES], theirs[TRIAL_NAME_BYTES];
	if (!strcmp(own, old))
		return true;
	own = spec_keys_split(own, ours);
	old = spec_keys_split(old, theirs);
	for (unsigned i = 0; own && old && i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			if (!strcmp(own, rivals[i][k]) && !strcmp(old, rivals[i][!k]))
				return !strcmp(ours, theirs);
	return false;
}

/* One key over the base, whose own are those of `file`. */
static int entry_lay(struct spec_text *base, unsigned file, unsigned section,
                     const struct spec_entry *own)
{
	for (unsigned i = base->nentries; i-- > 0;) {
		const struct spec_entry *old = &base->entries[i];
		if (old->section == section && old->at.file == file &&
		    replaces(own->key, old->key))
			spec_text_drop(base, i);
	}
	return spec_text_add(base, section, own->at, own->key, own->value);
}

/* All of `own` over the base, which is `file` from then on. -1 when memory is out. */
static int text_lay(struct spec_text *base, unsigned file, const struct spec_text *own)
{
	for (unsigned i = 0; i < base->nsections; i++)
		base->sections[i].at.file = file;
	for (unsigned i = 0; i < base->nentries; i++)
		base->entries[i].at.file = file;
	for (unsigned i = 0; i < own->nsections; i++) {
		unsigned to = spec_text_find(base, &own->sections[i]);
		if (to == base->nsections && spec_text_add_section(base, &own->sections[i]))
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

int spec_like_read(struct spec_build *b, struct status *st)
{
	const struct spec_entry *like;
	if (spec_text_read(b->spec.file, &b->text, st))
		return -1;
	for (unsigned nth = 0; (like = like_find(&b->text)); nth++) {
		struct spec_text own = b->text, base;
		if (base_find(b, like, nth, st) ||
		    spec_text_read(b->spec.bases[nth], &base, st))
			return -1;
		spec_text_drop(&own, (unsigned)(like - own.entries));
		int rc = text_lay(&base, nth + 1, &own);
		spec_text_free(&own);
		b->text = base;
		if (rc)
			return status_set(st, "out of memory");
	}
	return 0;
}
