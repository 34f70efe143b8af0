/* Words, names and paths as experiment files write them. */
#include "spec_keys.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "near.h"
#include "spec_text.h"

const char *spec_word_coll(unsigned i)
{
	return i < COLL_KINDS ? coll_info(i)->name : NULL;
}

const char *spec_word_dtype(unsigned i)
{
	return i < DTYPE_KINDS ? coll_dtype_name(i) : NULL;
}

const char *spec_word_op(unsigned i)
{
	return i < OP_NONE ? coll_op_name(i) : NULL;
}

const char *spec_word_pace(unsigned i)
{
	return i < PACE_KINDS ? coll_pace_name(i) : NULL;
}

const char *spec_word_backend(unsigned i)
{
	if (i == 0)
		return "auto";
	return backend_table[i - 1] ? backend_table[i - 1]->name : NULL;
}

const char *spec_word_no_yes(unsigned i)
{
	static const char *const words[] = {"no", "yes", NULL};
	return words[i];
}

static const char *word_at(const struct spec_key *key, unsigned i)
{
	return key->word ? key->word(i) : settings_words(key->name)[i];
}

static void words_list(const struct spec_key *key, char *out, size_t bytes)
{
	out[0] = '\0';
	for (unsigned i = 0; word_at(key, i); i++)
		status_list(out, bytes, word_at(key, i));
}

static int word_find(const struct spec_key *key, const char *text, unsigned *out,
                     struct status *st)
{
	struct near near = near_to(text);
	for (unsigned i = 0; word_at(key, i); i++) {
		near_offer(&near, word_at(key, i));
		if (strcmp(word_at(key, i), text))
			continue;
		*out = i;
		return 0;
	}
	char allowed[512];
	words_list(key, allowed, sizeof allowed);
	return status_set(st, "%s = '%s' is not known%s; allowed is %s", key->name, text,
	                  near_say(&near).text, allowed);
}

int spec_word_enum(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	return word_find(key, v->text, field, st);
}

int spec_word_yes(const struct spec_key *key, const struct spec_value *v, void *field,
                  struct status *st)
{
	unsigned i;
	if (word_find(key, v->text, &i, st))
		return -1;
	*(bool *)field = i;
	return 0;
}

int spec_word_text(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	unsigned i;
	if (word_find(key, v->text, &i, st))
		return -1;
	snprintf(field, TRIAL_NAME_BYTES, "%s", word_at(key, i));
	return 0;
}

int spec_word_free(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	if (!v->text[0] || strlen(v->text) >= key->hi)
		return status_set(st, "%s has %zu bytes; allowed is 1 to %" PRIu64, key->name,
		                  strlen(v->text), key->hi - 1);
	strcpy(field, v->text);
	return 0;
}

int spec_word_name(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	if (!spec_text_is_name(v->text, SPEC_TEXT_NAME_BYTES))
		return status_set(
		    st,
		    "%s = '%s' is no name; allowed are at most %d letters, digits, "
		    "'-', '_', '.'",
		    key->name, v->text, SPEC_TEXT_NAME_BYTES - 1);
	strcpy(field, v->text);
	return 0;
}

int spec_word_list(const struct spec_key *key, const char *text, unsigned *list,
                   unsigned *count, struct status *st)
{
	char *copy = strdup(text);
	if (!copy)
		return status_set(st, "out of memory");
	unsigned n = 0;
	int rc = 0;
	char *rest = copy;
	for (char *word; rc == 0 && (word = strsep(&rest, ","));) {
		unsigned i;
		word += strspn(word, " \t");
		for (size_t length = strlen(word); length && strchr(" \t", word[length - 1]);)
			word[--length] = '\0';
		rc = word_find(key, word, &i, st);
		for (unsigned k = 0; rc == 0 && k < n; k++)
			if (list[k] == i)
				rc = status_set(st, "%s names '%s' twice; allowed is once",
				                key->name, word);
		if (rc == 0)
			list[n++] = i; /* each at most once, so they fit */
	}
	free(copy);
	if (rc)
		return -1;
	*count = n;
	return 0;
}

int spec_word_colls(const struct spec_key *key, const struct spec_value *v, void *base,
                    struct status *st)
{
	struct spec *spec = base;
	unsigned list[COLL_KINDS], n;
	if (spec_word_list(key, v->text, list, &n, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		spec->colls[i] = list[i];
	spec->ncolls = n;
	return 0;
}

int spec_word_paces(const struct spec_key *key, const struct spec_value *v, void *field,
                    struct status *st)
{
	bool *paces = field;
	unsigned list[PACE_KINDS], n;
	if (spec_word_list(key, v->text, list, &n, st))
		return -1;
	memset(paces, 0, PACE_KINDS * sizeof *paces);
	for (unsigned i = 0; i < n; i++)
		paces[list[i]] = true;
	return 0;
}

int spec_word_expand(const char *text, spec_lookup_fn *lookup, char *out, size_t bytes,
                     char name[TRIAL_NAME_BYTES], struct status *st)
{
	size_t used = 0;
	while (*text) {
		const char *piece = text;
		size_t n = 1;
		if (text[0] == '$' && text[1] == '{') {
			size_t length = strcspn(text + 2, "}");
			if (length == 0 || length >= TRIAL_NAME_BYTES ||
			    text[2 + length] != '}')
				return status_set(
				    st,
				    "'%s' is no ${NAME}; allowed is the name of a variable in "
				    "braces",
				    text);
			memcpy(name, text + 2, length);
			name[length] = '\0';
			text += length + 2;
			piece = lookup ? lookup(name) : NULL;
			if (!piece || !*piece)
				return 1;
			n = strlen(piece);
		}
		if (used + n >= bytes)
			return status_set(
			    st, "longer than a path may be; allowed are %zu bytes", bytes - 1);
		memcpy(out + used, piece, n);
		used += n;
		text++;
	}
	out[used] = '\0';
	return 0;
}

/* A library's path. An unset ${NAME} leaves the variant out: so a file can name what not every
 * machine has. */
int spec_word_library(const struct spec_key *key, const struct spec_value *v, void *field,
                      struct status *st)
{
	struct spec_variant *variant = field;
	char path[PATH_MAX], name[TRIAL_NAME_BYTES] = "";
	struct status why = {""};
	if (!v->text[0])
		return status_set(st,
		                  "%s is empty; allowed is a path, or no such line for the "
		                  "system's library",
		                  key->name);
	int unset = spec_word_expand(v->text, v->lookup, path, sizeof path, name, &why);
	if (unset < 0)
		return status_set(st, "%s: %s", key->name, why.text);
	variant->skip[0] = '\0';
	if (unset)
		snprintf(variant->skip, sizeof variant->skip,
		         "%s is not set: it names the library of this variant", name);
	strcpy(variant->variable, name);
	strcpy(variant->settings.nccl, unset ? "" : path);
	return 0;
}
