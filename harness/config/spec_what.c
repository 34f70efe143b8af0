/* What is called, as experiment files write it: datatypes, operations, roots, places, counts;
 * and the settings that are no plain word or number. */
#include "spec_keys.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/counts.h"
#include "../record/path.h"

/* A list, or all of them. */
static int list_or_all(const struct spec_key *key, const char *text, unsigned *list,
                       unsigned *n, struct status *st)
{
	struct status why = {""};
	if (!strcmp(text, "all")) {
		for (*n = 0; key->word(*n); (*n)++)
			list[*n] = *n;
		return 0;
	}
	if (spec_word_list(key, text, list, n, &why))
		return status_set(st, "%s, or all", why.text);
	return 0;
}

int spec_what_dtypes(const struct spec_key *key, const struct spec_value *v, void *base,
                     struct status *st)
{
	struct spec *spec = base;
	unsigned list[DTYPE_KINDS], n;
	if (list_or_all(key, v->text, list, &n, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		spec->dtypes[i] = (enum dtype)list[i];
	spec->ndtypes = n;
	return 0;
}

int spec_what_ops(const struct spec_key *key, const struct spec_value *v, void *base,
                  struct status *st)
{
	struct spec *spec = base;
	unsigned list[OP_KINDS], n;
	if (list_or_all(key, v->text, list, &n, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		spec->ops[i] = (enum op)list[i];
	spec->nops = n;
	return 0;
}

/* Whole numbers with commas between, up to `most` of them, none above hi. */
static bool numbers(const char *text, unsigned hi, unsigned most, unsigned *list, unsigned *n)
{
	*n = 0;
	for (;;) {
		char *end;
		text += strspn(text, " \t");
		if (!isdigit((unsigned char)*text) || *n == most)
			return false;
		unsigned long x = strtoul(text, &end, 10);
		if (x > hi)
			return false;
		list[(*n)++] = (unsigned)x;
		text = end + strspn(end, " \t");
		if (*text == '\0')
			return true;
		if (*text++ != ',')
			return false;
	}
}

int spec_what_roots(const struct spec_key *key, const struct spec_value *v, void *base,
                    struct status *st)
{
	struct spec *spec = base;
	if (!strcmp(v->text, "all")) {
		spec->nroots = 0;
		return 0;
	}
	bool good =
	    numbers(v->text, (unsigned)key->hi, SPEC_MAX_ROOTS, spec->roots, &spec->nroots);
	for (unsigned i = 0; good && i < spec->nroots; i++)
		for (unsigned k = 0; k < i; k++)
			if (spec->roots[i] == spec->roots[k])
				return status_set(st, "root names %u twice; allowed is once",
				                  spec->roots[i]);
	if (good)
		return 0;
	return status_set(st,
	                  "root = '%s' is not allowed; allowed is a rank, a list of at most %d "
	                  "ranks, or all",
	                  v->text, SPEC_MAX_ROOTS);
}

int spec_what_in_place(const struct spec_key *key, const struct spec_value *v, void *base,
                       struct status *st)
{
	struct spec *spec = base;
	bool both = !strcmp(v->text, "both"), yes = !strcmp(v->text, "yes");
	(void)key;
	if (!both && !yes && strcmp(v->text, "no"))
		return status_set(
		    st, "in_place = '%s' is not allowed; allowed is no, yes or both", v->text);
	spec->in_place[0] = !yes;
	spec->in_place[1] = both || yes;
	spec->in_place_said = true;
	return 0;
}

int spec_what_counts(const struct spec_key *key, const struct spec_value *v, void *base,
                     struct status *st)
{
	struct spec *spec = base;
	(void)key;
	return counts_parse(v->text, &spec->weights, st);
}

int spec_what_flip(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	struct settings *settings = field;
	unsigned rank;
	unsigned long long byte;
	char after;
	(void)key;
	if (v->text[strspn(v->text, "0123456789:")] ||
	    sscanf(v->text, "%4u:%12llu%c", &rank, &byte, &after) != 2)
		return status_set(st,
		                  "flip = '%s' is not allowed; allowed is RANK:BYTE, as in "
		                  "1:4096",
		                  v->text);
	settings->flip_rank = (int)rank;
	settings->flip_byte = (int64_t)byte;
	return 0;
}

int spec_what_split(const struct spec_key *key, const struct spec_value *v, void *field,
                    struct status *st)
{
	(void)key;
	return split_parse(v->text, field, st);
}

/* MAJOR.MINOR or MAJOR.MINOR.PATCH, each of up to two digits, as NCCL counts. any: undoes what
 * is set further out. */
int spec_what_below(const struct spec_key *key, const struct spec_value *v, void *field,
                    struct status *st)
{
	unsigned part[3];
	int used = 0;
	bool any = !strcmp(v->text, "any");
	if (!v->text[strspn(v->text, "0123456789.")])
		sscanf(v->text, "%2u.%2u%n.%2u%n", &part[0], &part[1], &used, &part[2], &used);
	bool whole = used && !v->text[used];
	if (!any && !whole)
		return status_set(st,
		                  "%s = '%.100s' is no version; allowed is MAJOR.MINOR or "
		                  "MAJOR.MINOR.PATCH, as in 2.23, or any",
		                  key->name, v->text);
	strcpy(field, any ? "" : v->text);
	return 0;
}

/* any: undoes what is set further out. */
int spec_what_expect(const struct spec_key *key, const struct spec_value *v, void *field,
                     struct status *st)
{
	struct status why = {""};
	(void)key;
	if (strlen(v->text) >= TRIAL_NAME_BYTES)
		return status_set(st, "expect has %zu bytes; allowed are up to %d",
		                  strlen(v->text), TRIAL_NAME_BYTES - 1);
	bool any = !strcmp(v->text, "any");
	if (!any && path_expect_check(v->text, &why))
		return status_set(st, "expect = %s; or any", why.text);
	strcpy(field, any ? "" : v->text);
	return 0;
}
