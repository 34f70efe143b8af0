#include "build.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suggest.h"

static const struct claim_range open_range = {0, SIZE_MAX};

/* Where a section's values go. Values for a backend that does not run are read to a place apart. */
struct place {
	const struct fields *fields;
	void *here, *elsewhere;
};

static int unknown_key(const struct place *place, const char *key, struct status *st)
{
	struct suggestion guess = suggest_for(key);
	for (size_t i = 0; i < place->fields->n; i++)
		if (!place->fields->rows[i].record)
			suggest_offer(&guess, place->fields->rows[i].key);
	return status_set(
	    st,
	    "unknown key '%s'%s; allowed is %s; for one backend alone in a section of the same "
	    "name, [claim NAME on host]",
	    key, suggestion_text(&guess).text, guess.allowed);
}

/* A key drops what it excludes further out: a test or a reason why it has none, sizes or a regime. */
static void claim_settle(struct claim *claim, const char *key)
{
	if (!strcmp(key, "needs"))
		claim->test = CLAIM_NEEDS;
	if (!strcmp(key, "bytes"))
		claim->regime = CLAIM_ANY_REGIME;
	if (!strcmp(key, "regime"))
		claim->bytes = open_range;
}

static int entry_read(struct build *b, const struct text_entry *entry, void *of, struct status *st)
{
	const struct place *place = of;
	const struct field *row = field_find(place->fields, entry->key);
	void *to = build_here(b, entry) ? place->here : place->elsewhere;
	if (row ? field_read(row, entry->value, to, st) : unknown_key(place, entry->key, st))
		return -1;
	if (place->fields == &claim_fields)
		claim_settle(to, entry->key);
	return 0;
}

/* The keys of sections that name variants. */
static bool names_variant(const struct text_entry *entry)
{
	const char *key = entry->key;
	return !strcmp(key, "from") || !strcmp(key, "to") || !strcmp(key, "left") ||
	       !strcmp(key, "right");
}

/* The backend for which a section names its variants, if it names none for the running backend: it
 * is about that one alone. NULL: none. */
static const char *named_elsewhere(const struct build *b, unsigned section)
{
	const struct text_entry *entry;
	for (unsigned i = 0; (entry = build_next(b, section, true, &i));)
		if (names_variant(entry))
			return entry->on;
	return NULL;
}

static int too_many(const struct build *b, const struct text_section *s, unsigned most,
                    struct status *st)
{
	return spec_error(b->spec, s->at, st, "too many %ss; allowed are %u", s->kind, most);
}

int asked_factor(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	if (list->nfactors == CLAIM_MAX)
		return too_many(b, s, CLAIM_MAX, st);
	struct factor *factor = &list->factors[list->nfactors], elsewhere = {.name = ""};
	struct place place = {&claim_factor_fields, factor, &elsewhere};
	if (build_section(b, section, entry_read, &place, st))
		return -1;
	bool here = factor->from[0] || factor->to[0];
	if (!here && !s->all) { /* its entries are for another backend */
		*factor = elsewhere;
		factor->from[0] = factor->to[0] = '\0';
	}
	snprintf(factor->name, sizeof factor->name, "%s", s->name);
	if (b->backend && (here || !named_elsewhere(b, section)) &&
	    (!factor->from[0] || !factor->to[0]))
		return spec_error(b->spec, s->at, st,
		                  "the factor has no from or no to; allowed are two variants");
	b->spec->factors_at[list->nfactors++] = s->at;
	return 0;
}

int asked_source(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	if (list->nsources == CLAIM_SOURCES)
		return too_many(b, s, CLAIM_SOURCES, st);
	struct claim_source *source = &list->sources[list->nsources], elsewhere;
	struct place place = {&claim_source_fields, source, &elsewhere};
	snprintf(source->name, sizeof source->name, "%s", s->name);
	if (build_section(b, section, entry_read, &place, st))
		return -1;
	if (!source->by[0] || !source->where[0])
		return spec_error(b->spec, s->at, st,
		                  "the source lacks by or where; allowed are both: who says it, "
		                  "and an address or a title");
	list->nsources++;
	return 0;
}

/* What a claim must say, checked after all of it is read. */
static int claim_check(const struct build *b, const struct claim *c, struct text_place at,
                       struct status *st)
{
	if (c->source[0] && !c->says[0])
		return spec_error(
		    b->spec, at, st,
		    "the claim has a source but no line of it; say says = the line, in "
		    "English");
	if (!c->source[0] && (c->says[0] || c->original[0]))
		return spec_error(b->spec, at, st,
		                  "the claim has a line of a source but names none; say source = "
		                  "NAME of a [source NAME]");
	if (!c->text[0])
		return spec_error(b->spec, at, st,
		                  "the claim has no text; say text = the sentence");
	if (c->test == CLAIM_NEEDS)
		return 0;
	if (!c->left[0] || !c->right[0] || c->metric == METRIC_KINDS || c->test == CLAIM_TESTS)
		return spec_error(b->spec, at, st,
		                  "the claim lacks left, right, metric or is; allowed are "
		                  "all four, or needs = what it would take");
	if (!c->left_coll[0] != !c->right_coll[0] || (c->left_coll[0] && c->coll != CLAIM_ANY_COLL))
		return spec_error(b->spec, at, st,
		                  "allowed is collective for both sides, or left_collective and "
		                  "right_collective");
	if (!strcmp(c->left, c->right) && !strcmp(c->left_coll, c->right_coll))
		return spec_error(b->spec, at, st,
		                  "left and right are the same variant; allowed are two, or two "
		                  "collectives");
	if (metric_info(c->metric)->pace == PACE_ISOLATED && c->pace == PACE_STREAM)
		return spec_error(b->spec, at, st,
		                  "latency, p95 and p99 are of isolated calls; allowed is "
		                  "metric = time with pace = stream");
	return 0;
}

int asked_claim(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	if (list->nclaims == CLAIM_MAX)
		return too_many(b, s, CLAIM_MAX, st);
	struct claim *claim = &list->claims[list->nclaims], elsewhere = {.name = ""};
	const char *other = named_elsewhere(b, section);
	struct place place = {&claim_fields, claim, &elsewhere};
	*claim = (struct claim){.metric = METRIC_KINDS,
	                        .test = CLAIM_TESTS,
	                        .bytes = open_range,
	                        .regime = CLAIM_ANY_REGIME,
	                        .pace = CLAIM_ANY_PACE,
	                        .coll = CLAIM_ANY_COLL};
	snprintf(claim->name, sizeof claim->name, "%s", s->name);
	if (build_section(b, section, entry_read, &place, st))
		return -1;
	if (b->backend && !claim->left[0] && !claim->right[0] && claim->test != CLAIM_NEEDS &&
	    other) {
		claim->test = CLAIM_NEEDS;
		if (!s->all) /* its entries are for another backend */
			memcpy(claim->text, elsewhere.text, sizeof claim->text);
		snprintf(claim->needs, sizeof claim->needs, CLAIM_NEEDS_BACKEND "%s", other);
	}
	if (!claim->text[0])
		memcpy(claim->text, claim->says, sizeof claim->text);
	if (b->backend && claim_check(b, claim, s->at, st))
		return -1;
	list->nclaims++;
	return 0;
}

/* --- names and values left open, after all sections are read ---------------------------------- */

/* Whether a variant has the name, or could have it: with one variant per library, names are known
 * only on a machine that has the libraries. */
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
static int name_check(struct build *b, const struct text_entry *entry, const char *key,
                      const char *name, struct status *st)
{
	return is_named(b->spec, name) ? 0 : spec_no_variant(b->spec, entry->at, key, name, "", st);
}

/* The primary claim, after all claims are read. */
static int primary_check(struct build *b, const struct text_entry *entry, const char *name,
                         struct status *st)
{
	const struct claim_list *list = &b->spec->asked;
	struct suggestion guess = suggest_for(name);
	for (unsigned c = 0; c < list->nclaims; c++) {
		if (!strcmp(list->claims[c].name, name))
			return 0;
		suggest_offer(&guess, list->claims[c].name);
	}
	return spec_error(b->spec, entry->at, st,
	                  "primary = '%s' names no claim%s; allowed is a [claim NAME] of this file",
	                  name, suggestion_text(&guess).text);
}

/* A gap or a primary claim; what it is without a variant is kept here. */
static int question_read(struct build *b, const struct text_entry *entry, struct status *st)
{
	const bool of_gap = !strcmp(entry->key, "gap");
	const struct field row = {.key = entry->key};
	struct spec_lacking *out = &b->spec->lacking, read = {.variant = ""};
	const struct text_entry *said = build_said(b, entry->key);
	struct status why = {""};
	if (of_gap ? claim_gap_read(&row, entry->value, &read.gap, &why)
	           : claim_primary_read(&row, entry->value, read.primary, &why))
		return spec_error(b->spec, entry->at, st, "%s", why.text);
	if (of_gap ? name_check(b, entry, "gap", read.gap.from, st) ||
	                 name_check(b, entry, "gap", read.gap.to, st)
	           : primary_check(b, entry, read.primary, st))
		return -1;
	if (!entry->without[0] || !build_here(b, entry) ||
	    (said && said->section == BUILD_COMMAND_LINE))
		return 0;
	if (strcmp(out->variant, entry->without)) /* the nearer section replaces the other */
		*out = (struct spec_lacking){.variant = ""};
	strcpy(out->variant, entry->without);
	if (of_gap)
		out->gap = read.gap;
	else
		strcpy(out->primary, read.primary);
	return 0;
}

/* Every name in an entry, also of those for other backends, so that a typo shows at once. */
static int entry_check(struct build *b, const struct text_entry *entry, struct status *st)
{
	const bool outside = entry->section == BUILD_COMMAND_LINE;
	const char *kind = outside ? "experiment" : b->from->text.sections[entry->section].kind;
	const bool asks = !strcmp(kind, "experiment") &&
	                  (!strcmp(entry->key, "gap") || !strcmp(entry->key, "primary"));
	if (entry->without[0] && !asks)
		return spec_error(b->spec, entry->at, st,
		                  "a section for machines without a variant; allowed are gap and "
		                  "primary, in [experiment without VARIANT]");
	if (entry->without[0] && name_check(b, entry, "without", entry->without, st))
		return -1;
	if ((!strcmp(kind, "factor") || !strcmp(kind, "claim")) && names_variant(entry))
		return name_check(b, entry, entry->key, entry->value, st);
	return asks ? question_read(b, entry, st) : 0;
}

/* The entries for all backends, then those for one, which replace them. */
static int names_check(struct build *b, struct status *st)
{
	const struct text *text = &b->from->text;
	for (unsigned of_one = 0; of_one < 2; of_one++)
		for (unsigned i = 0; i < text->nentries; i++)
			if ((text->entries[i].on[0] != '\0') == of_one &&
			    entry_check(b, &text->entries[i], st))
				return -1;
	return 0;
}

/* The source of each claim, which may come after it. */
static int sources_check(struct build *b, struct status *st)
{
	const struct claim_list *list = &b->spec->asked;
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		struct suggestion guess = suggest_for(entry->value);
		if (entry->section == BUILD_COMMAND_LINE || strcmp(entry->key, "source") ||
		    claim_source_find(list, entry->value))
			continue;
		for (unsigned k = 0; k < list->nsources; k++)
			suggest_offer(&guess, list->sources[k].name);
		return spec_error(
		    b->spec, entry->at, st,
		    "source = '%s' names no source%s; allowed is a [source NAME] of this file",
		    entry->value, suggestion_text(&guess).text);
	}
	return 0;
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
	spec->lacking.gap.bytes = list->gap.bytes;
	for (unsigned i = 0; i < list->nfactors; i++) {
		list->factors[i].as_gap = !list->factors[i].bytes.hi;
		if (list->factors[i].as_gap)
			list->factors[i].bytes = list->gap.bytes;
	}
}

int asked_finish(struct build *b, struct status *st)
{
	if (names_check(b, st) || sources_check(b, st))
		return -1;
	ranges_set(b->spec);
	return 0;
}
