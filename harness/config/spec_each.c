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
	char paths[SPEC_EACH_BYTES], name[TRIAL_NAME_BYTES] = "";
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
	strcpy(variant->variable, name);
	strcpy(variant->each, unset ? "" : paths);
	return 0;
}

/* "threads-nccl" and 2.21.5 make "threads-nccl-2.21.5"; where no backend here can read
 * versions, libraries are counted instead. -1: the file is no library, which shows at once, not
 * when its trial's turn comes. */
static int name_variant(struct spec_variant *v, const char *base, unsigned nth,
                        struct status *st)
{
	char version[32];
	if (backend_library(v->settings.nccl, version, sizeof version, st))
		return -1;
	if (!version[0])
		snprintf(version, sizeof version, "%u", nth);
	snprintf(v->name, sizeof v->name, "%.30s-%.9s", base, version);
	return 0;
}

static int spread_to(struct spec_build *b, const struct spec_variant *from, const char *path,
                     unsigned nth, struct spec_variant *out, struct status *st)
{
	struct status why = {""};
	char what[sizeof why.text + 192];
	const char *of = from->variable;
	*out = *from;
	out->each[0] = '\0';
	strcpy(out->settings.nccl, path);
	if (!name_variant(out, from->name, nth, &why))
		return 0;
	snprintf(what, sizeof what, "each%s%s: %s; allowed are NCCL libraries with ':' between",
	         of[0] ? ", from the variable " : "", of, why.text);
	return spec_build_fail(b, from->at, what, st);
}

/* Whether a variant above has the name of the one at n. */
static bool name_taken(const struct spec_variant *out, unsigned n)
{
	unsigned i = 0;
	while (i < n && strcmp(out[i].name, out[n].name))
		i++;
	return i < n;
}

static int spread_one(struct spec_build *b, const struct spec_variant *from,
                      struct spec_variant *out, unsigned *n, struct status *st)
{
	char each[SPEC_EACH_BYTES], *rest = each;
	unsigned nth = 0;
	strcpy(each, from->each);
	for (char *path; (path = strsep(&rest, ":"));) {
		if (!path[0])
			continue;
		if (*n == SPEC_MAX_VARIANTS)
			return spec_build_fail(b, from->at, "too many variants; allowed are 32",
			                       st);
		if (spread_to(b, from, path, ++nth, &out[*n], st))
			return -1;
		if (name_taken(out, *n))
			return spec_build_fail(
			    b, from->at,
			    "each names two libraries of one version, or makes the name of "
			    "another variant; allowed is one of each",
			    st);
		(*n)++;
	}
	return nth ? 0
	           : spec_build_fail(b, from->at,
	                             "each names no library; allowed are NCCL libraries with "
	                             "':' between",
	                             st);
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
			rc = spec_build_fail(b, v->at, "too many variants; allowed are 32", st);
		else {
			all[n] = *v;
			if (name_taken(all, n++))
				rc = spec_build_fail(
				    b, v->at,
				    "the name is one that each makes for a variant above; "
				    "allowed is another",
				    st);
		}
	}
	if (rc == 0) {
		memcpy(b->spec.variants, all, n * sizeof *all);
		b->spec.nvariants = n;
	}
	free(all);
	return rc;
}
