#include "build.h"

#include "../suggest.h"

static const struct claim_range open_range = {0, SIZE_MAX};

/* Where a section's values go, after its name; those that do not count go elsewhere. */
struct place {
	const struct fields *fields;
	void *here, *elsewhere;
	const char *other; /* a backend that does not run, whose variants it names; NULL: none */
};

static int unknown_key(const struct place *place, const char *key, struct status *st)
{
	struct suggestion guess = suggest_for(key);
	for (size_t i = 0; i < place->fields->n; i++)
		if (!place->fields->rows[i].record)
			suggest_offer(&guess, place->fields->rows[i].key);
	return status_set(st,
	                  "unknown key '%s'%s; allowed is %s; for one backend alone in a section "
	                  "of the same name, [claim NAME on host]",
	                  key, suggestion_text(&guess).text, guess.allowed);
}

static bool names_variant(const struct text_entry *entry)
{
	const char *key = entry->key;
	return !strcmp(key, "from") || !strcmp(key, "to") || !strcmp(key, "left") ||
	       !strcmp(key, "right");
}

static int entry_read(struct build *b, const struct text_entry *entry, void *of, struct status *st)
{
	struct place *place = of;
	const struct field *row = field_find(place->fields, entry->key);
	(void)b;
	if (!entry->here && entry->on[0] && names_variant(entry) && !place->other)
		place->other = entry->on;
	return row ? field_read(row, entry->value, entry->here ? place->here : place->elsewhere, st)
	           : unknown_key(place, entry->key, st);
}

/* A section of which n were read before. */
static int section_read(struct build *b, unsigned section, unsigned n, unsigned most,
                        struct place *place, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	if (n == most)
		return spec_error(b->spec, s->at, st, "too many %ss; allowed are %u", s->kind,
		                  most);
	strcpy(place->here, s->name);
	return build_section(b, section, entry_read, place, st);
}

int spec_claims_factor(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	struct factor *factor = &list->factors[list->nfactors], elsewhere = {.name = ""};
	struct place place = {&claim_factor_fields, factor, &elsewhere, NULL};
	if (section_read(b, section, list->nfactors, CLAIM_MAX, &place, st))
		return -1;
	const bool here = factor->from[0] || factor->to[0];
	if (!here && !s->all) { /* its entries are for another backend */
		*factor = elsewhere;
		factor->from[0] = factor->to[0] = '\0';
		strcpy(factor->name, s->name);
	}
	if (b->backend && (here || !place.other) && (!factor->from[0] || !factor->to[0]))
		return spec_error(b->spec, s->at, st,
		                  "the factor has no from or no to; allowed are two variants");
	b->spec->factors_at[list->nfactors++] = s->at;
	return 0;
}

int spec_claims_source(struct build *b, unsigned section, struct status *st)
{
	struct claim_list *list = &b->spec->asked;
	struct claim_source *source = &list->sources[list->nsources], elsewhere;
	struct place place = {&claim_source_fields, source, &elsewhere, NULL};
	if (section_read(b, section, list->nsources, CLAIM_SOURCES, &place, st))
		return -1;
	if (!source->by[0] || !source->where[0])
		return spec_error(b->spec, b->from->text.sections[section].at, st,
		                  "the source lacks by or where; allowed are both: who says it, "
		                  "and an address or a title");
	list->nsources++;
	return 0;
}

/* What a claim must say, checked after all of it is read; NULL: it does. */
static const char *claim_lacks(const struct claim *c)
{
	const bool tests = c->test != CLAIM_NEEDS, own = c->left_coll[0];
	const bool whole = c->left[0] && c->right[0] && c->metric != METRIC_KINDS;
	// clang-format off
	const struct {
		bool wrong;
		const char *says;
	} rules[] = {
	    {c->source[0] && !c->says[0], "the claim has a source but no line of it; say says = the line, in English"},
	    {!c->source[0] && (c->says[0] || c->original[0]), "the claim has a line of a source but names none; say source = NAME of a [source NAME]"},
	    {!c->text[0], "the claim has no text; say text = the sentence"},
	    {tests && (!whole || c->test == CLAIM_TESTS), "the claim lacks left, right, metric or is; allowed are all four, or needs = what it would take"},
	    {tests && (own != (bool)c->right_coll[0] || (own && c->coll != CLAIM_ANY_COLL)),
	     "allowed is collective for both sides, or left_collective and right_collective"},
	    {tests && !strcmp(c->left, c->right) && !strcmp(c->left_coll, c->right_coll),
	     "left and right are the same variant; allowed are two, or two collectives"},
	    {tests && whole && metric_info(c->metric)->pace == PACE_ISOLATED && c->pace == PACE_STREAM,
	     "latency, p95 and p99 are of isolated calls; allowed is metric = time with pace = stream"},
	};
	// clang-format on
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		if (rules[i].wrong)
			return rules[i].says;
	return NULL;
}

int spec_claims_claim(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	struct claim *claim = &list->claims[list->nclaims], elsewhere = {.name = ""};
	struct place place = {&claim_fields, claim, &elsewhere, NULL};
	const char *lacks;
	if (list->nclaims < CLAIM_MAX)
		*claim = (struct claim){.metric = METRIC_KINDS,
		                        .test = CLAIM_TESTS,
		                        .bytes = open_range,
		                        .regime = CLAIM_ANY_REGIME,
		                        .pace = CLAIM_ANY_PACE,
		                        .coll = CLAIM_ANY_COLL};
	if (section_read(b, section, list->nclaims, CLAIM_MAX, &place, st))
		return -1;
	if (b->backend && !claim->left[0] && !claim->right[0] && !claim->needs[0] && place.other) {
		if (!s->all) /* its entries are for another backend */
			memcpy(claim->text, elsewhere.text, sizeof claim->text);
		snprintf(claim->needs, sizeof claim->needs, CLAIM_NEEDS_BACKEND "%s", place.other);
	}
	if (claim->needs[0])
		claim->test = CLAIM_NEEDS;
	if (!claim->text[0])
		memcpy(claim->text, claim->says, sizeof claim->text);
	if (b->backend && (lacks = claim_lacks(claim)))
		return spec_error(b->spec, s->at, st, "%s", lacks);
	list->nclaims++;
	return 0;
}

/* --- names and values left open, after all sections are read ---------------------------------- */

/* A name in an entry that no variant has, or could have: with one variant per library, names are
 * known only on a machine that has the libraries. */
static int variant_check(const struct build *b, const struct text_entry *entry, const char *name,
                         struct status *st)
{
	for (unsigned i = 0; i < b->spec->nvariants; i++) {
		const struct spec_variant *v = &b->spec->variants[i];
		const size_t n = strlen(v->name);
		if (!strcmp(v->name, name) ||
		    (v->several && !strncmp(v->name, name, n) && name[n] == '-'))
			return 0;
	}
	return spec_no_variant(b->spec, entry->at, entry->key, name, "", st);
}

/* An entry that names one of n structs, which begin with their names. */
static int named_check(const struct build *b, const struct text_entry *entry, const char *name,
                       const char *kind, const void *list, unsigned n, size_t bytes,
                       struct status *st)
{
	struct suggestion guess = suggest_for(name);
	for (unsigned i = 0; i < n; i++) {
		const char *own = (const char *)list + i * bytes;
		if (!strcmp(own, name))
			return 0;
		suggest_offer(&guess, own);
	}
	return spec_error(b->spec, entry->at, st,
	                  "%s = '%s' names no %s%s; allowed is a [%s NAME] of this file",
	                  entry->key, name, kind, suggestion_text(&guess).text, kind);
}

/* Every name in an entry, also in one that does not count here: a typo shows on every machine. */
static int entry_check(struct build *b, const struct text_entry *entry, struct status *st)
{
	const struct claim_list *list = &b->spec->asked;
	const bool of_gap = !strcmp(entry->key, "gap"), of_claim = !strcmp(entry->key, "primary");
	const bool of_source = !strcmp(entry->key, "source");
	const struct field row = {.key = entry->key, .lo = of_gap ? 2 : 1};
	struct claim_names read = {.n = 0};
	int rc = 0;
	if (of_gap || of_claim || of_source || names_variant(entry))
		rc = claim_names_read(&row, entry->value, &read, st);
	for (unsigned i = 0; i < read.n && !rc; i++)
		rc = of_claim    ? named_check(b, entry, read.names[i], "claim", list->claims,
		                               list->nclaims, sizeof *list->claims, st)
		     : of_source ? named_check(b, entry, read.names[i], "source", list->sources,
		                               list->nsources, sizeof *list->sources, st)
		                 : variant_check(b, entry, read.names[i], st);
	return rc;
}

/* Sizes that are left open. The gap takes those that the claims about bandwidth name, from the
 * least to the most; a factor takes the gap's. If no claim names sizes, they stay open: the
 * analysis takes a regime's. */
static void ranges_set(struct spec *spec)
{
	struct claim_list *list = &spec->asked;
	struct claim_range spans = {SIZE_MAX, 0};
	for (unsigned i = 0; i < list->nclaims; i++) {
		const struct claim *c = &list->claims[i];
		if (c->metric != METRIC_BUSBW || c->test == CLAIM_NEEDS ||
		    claim_range_open(c->bytes))
			continue;
		spans.lo = c->bytes.lo < spans.lo ? c->bytes.lo : spans.lo;
		spans.hi = c->bytes.hi > spans.hi ? c->bytes.hi : spans.hi;
	}
	list->gap.bytes = spans.hi ? spans : open_range;
	for (unsigned i = 0; i < list->nfactors; i++) {
		list->factors[i].as_gap = !list->factors[i].bytes.hi;
		if (list->factors[i].as_gap)
			list->factors[i].bytes = list->gap.bytes;
	}
}

int spec_claims_finish(struct build *b, struct status *st)
{
	const struct text *text = &b->from->text;
	for (unsigned i = 0; i < text->nentries; i++)
		if (entry_check(b, &text->entries[i], st))
			return -1;
	ranges_set(b->spec);
	return 0;
}
