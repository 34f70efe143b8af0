/* What factors, claims and the gap name, and what they leave open, once all sections are read.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "spec_build.h"

/* Whether a variant has the name, or could have it: one library each makes names that are known
 * only where the libraries are. */
static bool is_named(const struct spec *spec, const char *name)
{
	for (unsigned i = 0; i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		size_t n = strlen(v->name);
		if (!strcmp(v->name, name) ||
		    (v->several && !strncmp(v->name, name, n) && name[n] == '-'))
			return true;
	}
	return false;
}

/* A name in an entry that no variant has. */
static int name_check(struct spec_build *b, const struct spec_entry *entry, const char *key,
                      const char *name, struct status *st)
{
	char what[1024];
	if (is_named(&b->spec, name))
		return 0;
	spec_build_no_variant(&b->spec, key, name, "", what, sizeof what);
	return spec_build_fail(b, entry->at, what, st);
}

/* All ends that a gap names. */
static int gap_names_check(struct spec_build *b, const struct spec_entry *entry,
                           struct status *st)
{
	const struct spec_key row = {.name = "gap"};
	const struct spec_value value = {entry->value, NULL};
	struct gap gap;
	if (spec_claims_gap(&row, &value, &gap, st) ||
	    name_check(b, entry, "gap", gap.from, st) ||
	    name_check(b, entry, "gap", gap.to, st))
		return -1;
	for (unsigned i = 0; i < gap.nothers; i++)
		if (name_check(b, entry, "gap", gap.others[i].from, st) ||
		    name_check(b, entry, "gap", gap.others[i].to, st))
			return -1;
	return 0;
}

/* Every name of a variant, those for other backends too, so that a slip shows at once. */
static int names_check(struct spec_build *b, struct status *st)
{
	static const char *const named[] = {"from", "to", "left", "right"};
	for (unsigned i = 0; i < b->text.nentries; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		if (!key)
			continue;
		bool outside = entry->section == SPEC_COMMAND_LINE;
		const char *kind = outside ? "" : b->text.sections[entry->section].kind;
		bool of_claim = !strcmp(kind, "factor") || !strcmp(kind, "claim");
		for (unsigned k = 0; of_claim && k < sizeof named / sizeof *named; k++)
			if (!strcmp(key, named[k]) &&
			    name_check(b, entry, key, entry->value, st))
				return -1;
		if ((outside || !strcmp(kind, "experiment")) && !strcmp(key, "gap") &&
		    gap_names_check(b, entry, st))
			return -1;
	}
	return 0;
}

/* gap_bytes in a file that has no gap on any backend, and no factor that would take it. */
static int gap_check(struct spec_build *b, struct status *st)
{
	const struct spec_entry *bytes = NULL;
	for (unsigned i = 0; i < b->text.nentries; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		if (key && !strcmp(key, "gap"))
			return 0;
		if (key && !strcmp(key, "gap_bytes") && entry->section != SPEC_COMMAND_LINE)
			bytes = entry;
	}
	if (!bytes || b->spec.asked.nfactors)
		return 0;
	return spec_build_fail(
	    b, bytes->at,
	    "gap_bytes without gap; allowed is beside gap = FROM, TO, or with a factor", st);
}

/* Sizes that are left open: the gap takes those that the claims about bandwidth name, from the
 * least to the most, and a factor those of the gap. */
static void ranges_set(struct spec *spec)
{
	struct claim_list *list = &spec->asked;
	struct claim_range spans = {SIZE_MAX, 0};
	for (unsigned i = 0; i < list->nclaims; i++) {
		const struct claim *c = &list->claims[i];
		bool names = c->bytes.lo > 0 || c->bytes.hi < SIZE_MAX;
		if (c->metric != METRIC_BUSBW || c->test == CLAIM_NEEDS || !names)
			continue;
		spans.lo = c->bytes.lo < spans.lo ? c->bytes.lo : spans.lo;
		spans.hi = c->bytes.hi > spans.hi ? c->bytes.hi : spans.hi;
	}
	spec->gap_open = !list->gap.bytes.hi;
	if (spec->gap_open)
		list->gap.bytes = spans.hi ? spans : (struct claim_range){0, SIZE_MAX};
	for (unsigned i = 0; i < list->nfactors; i++) {
		spec->factors_open[i] = !list->factors[i].bytes.hi;
		if (spec->factors_open[i])
			list->factors[i].bytes = list->gap.bytes;
	}
}

int spec_claims_finish(struct spec_build *b, struct status *st)
{
	if (names_check(b, st) || gap_check(b, st))
		return -1;
	ranges_set(&b->spec);
	return 0;
}
