/* each = PATH:PATH:…: one variant per library, named after its version. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../backend/backend.h"
#include "spec_build.h"

int spec_each_read(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	struct spec_variant *variant = field;
	char paths[SPEC_EACH_BYTES], name[TRIAL_NAME_BYTES];
	struct status why = {""};
	int unset = spec_word_expand(v->text, v->lookup, paths, sizeof paths, name, &why);
	if (unset < 0 || !v->text[0])
		return status_set(st, "%s = '%.100s': %s; allowed are paths with ':' between",
		                  key->name, v->text, unset < 0 ? why.text : "is empty");
	variant->several = true;
	variant->skip[0] = '\0';
	if (unset)
		snprintf(variant->skip, sizeof variant->skip,
		         "%s is not set: it names the libraries of this variant, with ':' "
		         "between",
		         name);
	strcpy(variant->each, unset ? "" : paths);
	return 0;
}

/* "threads-nccl" and 2.21.5 make "threads-nccl-2.21.5"; a library that no backend can open is
 * counted instead. */
static void name_variant(struct spec_variant *v, const char *base, unsigned nth)
{
	char version[32] = "";
	struct status why = {""};
	for (const struct backend *const *b = backend_table; *b && !version[0]; b++)
		if ((*b)->version)
			(*b)->version(v->settings.nccl, version, sizeof version, &why);
	if (!version[0])
		snprintf(version, sizeof version, "%u", nth);
	snprintf(v->name, sizeof v->name, "%.30s-%.9s", base, version);
}

static int spread_one(struct spec_build *b, const struct spec_variant *from,
                      struct spec_variant *out, unsigned *n, struct status *st)
{
	const char *path = from->each;
	for (unsigned nth = 1; path; nth++) {
		size_t length = strcspn(path, ":");
		if (*n == SPEC_MAX_VARIANTS)
			return spec_build_fail(b, from->line,
			                       "too many variants; allowed are 32", st);
		if (length >= sizeof from->settings.nccl)
			return spec_build_fail(b, from->line, "each: a path is too long", st);
		if (length) {
			struct spec_variant *v = &out[(*n)++];
			*v = *from;
			v->each[0] = '\0';
			memcpy(v->settings.nccl, path, length);
			v->settings.nccl[length] = '\0';
			name_variant(v, from->name, nth);
			for (unsigned i = 0; i + 1 < *n; i++)
				if (!strcmp(out[i].name, v->name))
					return spec_build_fail(
					    b, from->line,
					    "each names two libraries of one version", st);
		}
		path = path[length] ? path + length + 1 : NULL;
	}
	return 0;
}

int spec_each_spread(struct spec_build *b, struct status *st)
{
	struct spec_variant *all = calloc(SPEC_MAX_VARIANTS, sizeof *all);
	unsigned n = 0;
	int rc = all ? 0 : status_set(st, "out of memory");
	for (unsigned i = 0; rc == 0 && i < b->spec.nvariants; i++) {
		const struct spec_variant *v = &b->spec.variants[i];
		if (v->each[0])
			rc = spread_one(b, v, all, &n, st);
		else if (n == SPEC_MAX_VARIANTS)
			rc = spec_build_fail(b, v->line, "too many variants; allowed are 32",
			                     st);
		else
			all[n++] = *v;
	}
	if (rc == 0) {
		memcpy(b->spec.variants, all, n * sizeof *all);
		b->spec.nvariants = n;
	}
	free(all);
	return rc;
}
