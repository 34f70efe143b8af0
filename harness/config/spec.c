#include "spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec_build.h"
#include "spec_keys.h"

static int overrides_add(struct spec_build *b, unsigned n, char *const overrides[],
                         struct status *st)
{
	for (unsigned i = 0; i < n; i++) {
		const char *equals = strchr(overrides[i], '=');
		char key[TRIAL_NAME_BYTES * 2];
		if (!equals || equals == overrides[i] ||
		    equals - overrides[i] >= (long)sizeof key)
			return status_set(
			    st, "command line: '%s' is no setting; allowed is key=value",
			    overrides[i]);
		memcpy(key, overrides[i], (size_t)(equals - overrides[i]));
		key[equals - overrides[i]] = '\0';
		if (!strcmp(key, SPEC_ONLY)) {
			b->only = equals + 1;
			continue;
		}
		if (spec_text_add(&b->text, SPEC_COMMAND_LINE, (struct spec_place){0}, key,
		                  equals + 1))
			return status_set(st, "out of memory");
	}
	return 0;
}

#define TITLE_COLLS 3 /* beyond that a title counts them */

/* A file's title is about its own collectives: where the command line says others, it says so.
 * Without room for that the file's name stands for its title. */
static void title_amend(struct spec *spec)
{
	char colls[128] = "", title[sizeof spec->title];
	for (unsigned i = 0; i < spec->ncolls && spec->ncolls <= TITLE_COLLS; i++)
		status_list(colls, sizeof colls, coll_info(spec->colls[i])->name);
	if (!colls[0])
		snprintf(colls, sizeof colls, "%u collectives", spec->ncolls);
	if ((size_t)snprintf(title, sizeof title, "%s (measured: %s)", spec->title, colls) >=
	    sizeof title)
		snprintf(title, sizeof title, "%s (measured: %s)", spec->name, colls);
	strcpy(spec->title, title);
}

/* The command line beats the file: the experiment's keys, and a variant's keys in every
 * variant. */
static int overrides_apply(struct spec_build *b, struct status *st)
{
	const struct spec_target experiment = {&b->spec, &b->defaults, b->lookup};
	enum coll_kind colls[COLL_KINDS];
	char title[sizeof b->spec.title];
	unsigned ncolls = b->spec.ncolls;
	memcpy(colls, b->spec.colls, sizeof colls);
	strcpy(title, b->spec.title);
	if (spec_build_layers(b, SPEC_COMMAND_LINE, &experiment, st))
		return -1;
	if (title[0] && !strcmp(title, b->spec.title) && ncolls &&
	    (ncolls != b->spec.ncolls || memcmp(colls, b->spec.colls, ncolls * sizeof *colls)))
		title_amend(&b->spec);
	struct spec_variant *before = malloc(sizeof b->spec.variants);
	if (!before)
		return status_set(st, "out of memory");
	memcpy(before, b->spec.variants, sizeof b->spec.variants);
	int rc = 0;
	for (unsigned i = 0; i < b->spec.nvariants && rc == 0; i++) {
		struct spec_variant *v = &b->spec.variants[i];
		const struct spec_target variant = {NULL, v, b->lookup};
		strcpy(v->backend, v->settings.backend);
		rc = spec_build_layers(b, SPEC_COMMAND_LINE, &variant, st);
	}
	rc = rc ? rc : spec_only_check(b, before, st);
	free(before);
	return rc;
}

/* Where the reference is set, for the error. */
static struct spec_place reference_at(const struct spec_build *b)
{
	for (unsigned i = b->text.nentries; i-- > 0;) {
		char backend[TRIAL_NAME_BYTES];
		const struct spec_entry *entry = &b->text.entries[i];
		const char *key = spec_keys_split(entry->key, backend);
		if (key && !strcmp(key, "reference") &&
		    !strcmp(entry->value, b->spec.reference))
			return entry->at;
	}
	return (struct spec_place){0};
}

static int spec_check(struct spec_build *b, struct status *st)
{
	struct spec *spec = &b->spec;
	if (b->text.nsections == 0)
		return status_set(
		    st, "%s: no section; allowed is [experiment], then [variant NAME]",
		    spec->file);
	const struct spec_place at = b->text.sections[0].at;
	/* Without a backend these may be given for each backend alone. */
	if (b->backend && !spec->ncolls)
		return spec_build_fail(
		    b, at, "collective is missing; say collective = alltoall, or another", st);
	if (b->backend && !spec->nsizes)
		return spec_build_fail(
		    b, at, "bytes is missing; say bytes = 4K..1M x4, or other sizes", st);
	if (!spec->nvariants)
		return spec_build_fail(
		    b, at,
		    "no variant; at least one [variant NAME] with a mode or a "
		    "layout is needed",
		    st);
	for (unsigned i = 0; b->backend && i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		if (!v->settings.mode[0] && !layout_ranks(v->settings.layout))
			return spec_build_fail(
			    b, v->at,
			    "the variant has neither mode nor layout; say mode = "
			    "threads, or another",
			    st);
	}
	if (!spec->reference[0])
		strcpy(spec->reference, spec->variants[0].name);
	if (!spec_build_find(spec, spec->reference)) {
		char what[1024];
		spec_build_no_variant(spec, "reference", spec->reference, "", what,
		                      sizeof what);
		return spec_build_fail(b, reference_at(b), what, st);
	}
	if (!spec->title[0])
		strcpy(spec->title, spec->name);
	return 0;
}

static int name_from_file(const char *file, char name[TRIAL_NAME_BYTES], struct status *st)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strlen(base);
	if (n > 4 && !strcmp(base + n - 4, ".exp"))
		n -= 4;
	char copy[TRIAL_NAME_BYTES] = "";
	if (n < sizeof copy)
		memcpy(copy, base, n);
	if (!spec_text_is_name(copy, sizeof copy))
		return status_set(
		    st,
		    "%s: the file's name is the experiment's; allowed are letters, "
		    "digits, '-', '_', '.', at most %zu, and .exp",
		    file, sizeof copy - 1);
	memcpy(name, copy, sizeof copy);
	return 0;
}

static void defaults_set(struct spec_build *b)
{
	struct spec *spec = &b->spec;
	struct settings *settings = &b->defaults.settings;
	strcpy(spec->backend, "auto");
	spec->ndtypes = spec->nops = spec->nroots = 1;
	spec->dtypes[0] = DTYPE_FLOAT32;
	spec->ops[0] = OP_SUM;
	spec->in_place[0] = true;
	spec->cycles = 1;
	spec->paces[PACE_STREAM] = spec->paces[PACE_ISOLATED] = true;
	spec->blocks = 10;
	spec->ranks_per_core = 8;
	spec->precision = 0.01;
	spec->budget_s = 600;
	spec->warmup = 5;
	spec->stretches = 5;
	spec->calls = 20;
	spec->isolated_calls = 100;
	spec->limit = true;
	settings_default(settings);
}

const char *spec_file(const struct spec *spec, struct spec_place at)
{
	return at.file ? spec->bases[at.file - 1] : spec->file;
}

int spec_load(const char *file, unsigned n, char *const overrides[], const char *backend,
              spec_lookup_fn *lookup, struct spec *out, struct status *st)
{
	struct spec_build *b = calloc(1, sizeof *b);
	if (!b)
		return status_set(st, "out of memory");
	b->backend = backend;
	b->lookup = lookup;
	defaults_set(b);

	int rc = -1;
	if (strlen(file) >= sizeof b->spec.file) {
		status_set(st, "the experiment's path is too long");
		goto done;
	}
	strcpy(b->spec.file, file);
	if (spec_like_read(b, st))
		goto done;
	b->nread = b->text.nentries;
	strcpy(b->spec.question, b->text.question);
	if (name_from_file(file, b->spec.name, st) || overrides_add(b, n, overrides, st) ||
	    spec_build_sections(b, st) || spec_heeded(b, false, st) || overrides_apply(b, st) ||
	    spec_heeded(b, true, st) || spec_claims_finish(b, st) || spec_each_spread(b, st) ||
	    spec_only_keep(b, st) || spec_check(b, st))
		goto done;
	*out = b->spec;
	if (!out->timeout_s) /* of a soak as much for each cycle, and a day at most */
		out->timeout_s = out->cycles < 288 ? 300 * out->cycles : 24 * 3600;
	rc = 0;
done:
	spec_text_free(&b->text);
	free(b);
	return rc;
}
