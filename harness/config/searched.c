#include "searched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who they are for, or where they come from, is no setting of the measured library. */
static const char *const no_keys[] = {"mode",   "layout",     "backend", "nccl", "each",
                                      "expect", "nccl_below", "force",   "flip", NULL};

static bool is_key(const char *key)
{
	for (unsigned i = 0; no_keys[i]; i++)
		if (!strcmp(key, no_keys[i]))
			return false;
	return keys_in(KEYS_VARIANT, key);
}

/* One value, set where it does no harm. */
static int value_check(struct build *b, const char *key, const char *value, struct status *st)
{
	struct spec_variant *scratch = malloc(sizeof *scratch);
	if (!scratch)
		return status_set(st, "out of memory");
	*scratch = b->defaults;
	const struct keys_target target = {NULL, scratch, b->lookup};
	int rc = keys_apply(&target, key, value, st);
	free(scratch);
	return rc;
}

/* The values of a key, with commas between. */
static int values_read(struct build *b, const char *key, const char *text,
                       struct search_key *out, struct status *st)
{
	char *copy = strdup(text), *rest = copy, *word;
	int rc = copy ? 0 : status_set(st, "out of memory");
	out->nvalues = 1;
	while (!rc && (word = strsep(&rest, ","))) {
		word += strspn(word, " \t");
		word[strcspn(word, " \t")] = '\0';
		bool known = !strcmp(word, "default");
		for (unsigned v = 1; v < out->nvalues; v++)
			known = known || !strcmp(out->values[v], word);
		if (known)
			continue;
		if (!*word || strlen(word) >= SEARCH_VALUE_BYTES ||
		    out->nvalues == SEARCH_MAX_VALUES)
			rc = status_set(
			    st,
			    "%s = '%.100s' is not allowed; allowed are up to %d values "
			    "of up to %d characters, with commas between",
			    key, text, SEARCH_MAX_VALUES - 1, SEARCH_VALUE_BYTES - 1);
		else if (!(rc = value_check(b, key, word, st)))
			strcpy(out->values[out->nvalues++], word);
	}
	free(copy);
	return rc;
}

static int finalists_read(const char *text, struct search_space *out, struct status *st)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);
	if (*end || end == text || n < 1 || n > SEARCH_MAX_FINALISTS)
		return status_set(st, "finalists = '%.40s' is not allowed; allowed are 1 to %d",
		                  text, SEARCH_MAX_FINALISTS);
	out->finalists = (unsigned)n;
	return 0;
}

static struct search_key *key_of(struct search_space *space, const char *key)
{
	for (unsigned k = 0; k < space->nkeys; k++)
		if (!strcmp(space->keys[k].key, key))
			return &space->keys[k];
	return space->nkeys < SEARCH_MAX_KEYS ? &space->keys[space->nkeys] : NULL;
}

static int entry_apply(struct build *b, const struct text_entry *entry, const char *key,
                       bool here, struct status *st)
{
	struct search_space *space = &b->spec->search;
	struct search_key read = {.at = entry->at}, *to = key_of(space, key);
	struct status why = {""};
	if (!strcmp(key, "finalists"))
		return finalists_read(entry->value, space, &why)
		           ? build_fail(b, entry->at, why.text, st)
		           : 0;
	if (!is_key(key)) {
		status_set(
		    &why,
		    "'%.80s' cannot be searched; allowed are finalists, env.NAME and the "
		    "settings of a variant (`launchgap list keys`) but mode, layout, "
		    "backend and library, each also with a backend in front",
		    key);
		return build_fail(b, entry->at, why.text, st);
	}
	if (!to) {
		status_set(&why, "too many settings to search; allowed are %d",
		           SEARCH_MAX_KEYS);
		return build_fail(b, entry->at, why.text, st);
	}
	if (values_read(b, key, entry->value, &read, &why))
		return build_fail(b, entry->at, why.text, st);
	if (!here)
		return 0;
	snprintf(read.key, sizeof read.key, "%.63s", key);
	space->nkeys += to == &space->keys[space->nkeys];
	*to = read;
	return 0;
}

/* Plain keys, then those of the backend that runs. */
int searched_apply(struct build *b, unsigned section, struct status *st)
{
	const struct text_entry *entry;
	struct build_key key;
	b->spec->search.at = b->text.sections[section].at;
	b->spec->search.finalists = 3;
	for (unsigned prefixed = 0; prefixed < 2; prefixed++)
		for (unsigned i = 0; (entry = build_next(b, section, prefixed, &i, &key));)
			if (entry_apply(b, entry, key.name, key.here, st))
				return -1;
	return 0;
}

int searched_settings(const struct search_space *space, const struct search_set *set,
                      struct settings *settings, struct status *st)
{
	struct spec_variant *scratch = malloc(sizeof *scratch);
	const struct keys_target target = {NULL, scratch, NULL};
	int rc = scratch ? 0 : status_set(st, "out of memory");
	if (!rc)
		*scratch = (struct spec_variant){.settings = *settings};
	for (unsigned k = 0; k < space->nkeys && !rc; k++)
		if (set->level[k])
			rc = keys_apply(&target, space->keys[k].key,
			                space->keys[k].values[set->level[k]], st);
	if (!rc)
		*settings = scratch->settings;
	free(scratch);
	return rc;
}

/* Drops values that the reference has already, and keys that keep none. */
static int drop_own(struct search_space *space, const struct settings *own, struct status *st)
{
	unsigned n = 0;
	for (unsigned k = 0; k < space->nkeys; k++) {
		struct search_space one = {.nkeys = 1, .keys = {space->keys[k]}};
		struct search_key *key = &space->keys[n];
		unsigned values = 1;
		*key = one.keys[0];
		for (unsigned v = 1; v < one.keys[0].nvalues; v++) {
			struct search_set set = {.level = {(unsigned char)v}};
			struct settings with = *own;
			char keys[256];
			if (searched_settings(&one, &set, &with, st))
				return -1;
			if (settings_differ(own, &with, keys, sizeof keys))
				strcpy(key->values[values++], one.keys[0].values[v]);
		}
		key->nvalues = values;
		n += values > 1;
	}
	space->nkeys = n;
	return 0;
}

int searched_finish(struct build *b, struct status *st)
{
	struct search_space *space = &b->spec->search;
	const struct spec_variant *reference = spec_find(b->spec, b->spec->reference);
	if (!space->at.line || !b->backend)
		return 0;
	for (unsigned i = 0; i < b->text.nentries; i++) {
		char backend[TRIAL_NAME_BYTES];
		const char *key = keys_split(b->text.entries[i].key, backend);
		bool here = !backend[0] || !strcmp(backend, b->backend);
		space->budget_said |= key && !strcmp(key, "budget") && here;
	}
	if (drop_own(space, &reference->settings, st))
		return -1;
	if (!space->nkeys)
		return build_fail(
		    b, space->at,
		    "the search has no setting that differs from the reference on "
		    "this backend; allowed is at least one, as in "
		    "nccl.env.NCCL_BUFFSIZE = 8388608, 16777216",
		    st);
	if (b->spec->blocks_auto)
		return build_fail(
		    b, space->at,
		    "blocks = auto has no search; blocks = N is how often its finalists "
		    "are measured to confirm them",
		    st);
	return 0;
}
