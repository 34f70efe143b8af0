#include "build.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suggest.h"

static const struct claim_range open_range = {0, SIZE_MAX};

/* Where a section's values go. Values for a backend that does not run are read to a place apart. */
struct place {
	bool of_claims;
	void *here, *elsewhere;
};

static int unknown_key(const struct place *place, const char *key, struct status *st)
{
	size_t n;
	const struct field *rows = claim_fields(place->of_claims, &n);
	char allowed[256] = "";
	struct suggestion guess = suggest_for(key);
	for (size_t i = 0; i < n; i++) {
		if (rows[i].record)
			continue;
		status_list(allowed, sizeof allowed, rows[i].key);
		suggest_offer(&guess, rows[i].key);
	}
	return status_set(
	    st,
	    "unknown key '%s'%s; allowed is %s; for one backend alone in a section of the same "
	    "name, [claim NAME on host]",
	    key, suggestion_text(&guess).text, allowed);
}

static int entry_read(struct build *b, const struct text_entry *entry, const struct place *place,
                      struct status *st)
{
	size_t n;
	const struct field *rows = claim_fields(place->of_claims, &n);
	const struct field *row = field_find(rows, n, entry->key);
	void *to = build_here(b, entry) ? place->here : place->elsewhere;
	struct status why = {""};
	int rc =
	    row ? field_read(row, entry->value, to, &why) : unknown_key(place, entry->key, &why);
	return rc ? build_fail(b, entry->at, why.text, st) : 0;
}

/* Keys of claims that come in pairs: the key of the nearer layer drops the other. Its line where a
 * layer sets it, else 0. */
enum paired { IS, NEEDS, REGIME, BYTES, PAIRED };
static const char *const paired_keys[PAIRED] = {"is", "needs", "regime", "bytes"};

struct layer {
	struct text_place at[PAIRED];
};

/* Reads the entries for all backends, or those for one. */
static int layer_read(struct build *b, unsigned section, const struct place *place, bool of_one,
                      struct layer *layer, struct status *st)
{
	const struct text_entry *entry;
	*layer = (struct layer){0};
	for (unsigned i = 0; (entry = build_next(b, section, of_one, &i));) {
		if (entry_read(b, entry, place, st))
			return -1;
		for (unsigned k = 0; k < PAIRED && build_here(b, entry); k++)
			if (!strcmp(entry->key, paired_keys[k]))
				layer->at[k] = entry->at;
	}
	return 0;
}

/* The keys of sections that name variants. */
static bool names_variant(const struct text_entry *entry)
{
	static const char *const named[] = {"from", "to", "left", "right"};
	for (unsigned k = 0; k < sizeof named / sizeof *named; k++)
		if (!strcmp(entry->key, named[k]))
			return true;
	return false;
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

int asked_factor(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	if (list->nfactors == CLAIM_MAX)
		return build_fail(b, s->at, "too many factors; allowed are 32", st);
	struct factor *factor = &list->factors[list->nfactors], elsewhere = {.name = ""};
	const struct place place = {false, factor, &elsewhere};
	struct layer layer;
	if (layer_read(b, section, &place, false, &layer, st) ||
	    layer_read(b, section, &place, true, &layer, st))
		return -1;
	bool here = factor->from[0] || factor->to[0];
	if (!here && !s->all) { /* its entries are for another backend */
		*factor = elsewhere;
		factor->from[0] = factor->to[0] = '\0';
	}
	snprintf(factor->name, sizeof factor->name, "%s", s->name);
	if (b->backend && (here || !named_elsewhere(b, section)) &&
	    (!factor->from[0] || !factor->to[0]))
		return build_fail(b, s->at,
		                  "the factor has no from or no to; allowed are two variants", st);
	b->spec->factors_at[list->nfactors++] = s->at;
	return 0;
}

/* What a claim must say, checked after all of it is read. */
static int claim_check(const struct build *b, const struct claim *c, struct text_place at,
                       struct status *st)
{
	if (!c->text[0])
		return build_fail(b, at, "the claim has no text; say text = the sentence", st);
	if (c->test == CLAIM_NEEDS)
		return 0;
	if (!c->left[0] || !c->right[0] || c->metric == METRIC_KINDS || c->test == CLAIM_TESTS)
		return build_fail(b, at,
		                  "the claim lacks left, right, metric or is; allowed are "
		                  "all four, or needs = what it would take",
		                  st);
	if (!strcmp(c->left, c->right))
		return build_fail(b, at, "left and right are the same variant; allowed are two",
		                  st);
	if (metric_info(c->metric)->pace == PACE_ISOLATED && c->pace == PACE_STREAM)
		return build_fail(b, at,
		                  "latency, p95 and p99 are of isolated calls; allowed is "
		                  "metric = time with pace = stream",
		                  st);
	return 0;
}

/* A test, or a reason why it has none; sizes, or a regime. */
static int claim_settle(const struct build *b, struct claim *c, const struct layer *layer,
                        struct status *st)
{
	const struct text_place *at = layer->at;
	if (at[IS].line && at[NEEDS].line)
		return build_fail(b, at[NEEDS],
		                  "is and needs exclude each other; allowed is one of them", st);
	if (at[REGIME].line && at[BYTES].line)
		return build_fail(b, at[REGIME],
		                  "regime and bytes exclude each other; allowed is one of them",
		                  st);
	if (at[NEEDS].line)
		c->test = CLAIM_NEEDS;
	if (at[BYTES].line)
		c->regime = CLAIM_ANY_REGIME;
	if (at[REGIME].line)
		c->bytes = open_range;
	return 0;
}

int asked_claim(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	struct claim_list *list = &b->spec->asked;
	if (list->nclaims == CLAIM_MAX)
		return build_fail(b, s->at, "too many claims; allowed are 32", st);
	struct claim *claim = &list->claims[list->nclaims], elsewhere = {.name = ""};
	const char *other = named_elsewhere(b, section);
	const struct place place = {true, claim, &elsewhere};
	*claim = (struct claim){.metric = METRIC_KINDS,
	                        .test = CLAIM_TESTS,
	                        .bytes = open_range,
	                        .regime = CLAIM_ANY_REGIME,
	                        .pace = CLAIM_ANY_PACE,
	                        .coll = CLAIM_ANY_COLL};
	snprintf(claim->name, sizeof claim->name, "%s", s->name);
	for (unsigned of_one = 0; of_one < 2; of_one++) {
		struct layer layer;
		if (layer_read(b, section, &place, of_one, &layer, st) ||
		    claim_settle(b, claim, &layer, st))
			return -1;
	}
	if (b->backend && !claim->left[0] && !claim->right[0] && claim->test != CLAIM_NEEDS &&
	    other) {
		claim->test = CLAIM_NEEDS;
		if (!s->all) /* its entries are for another backend */
			memcpy(claim->text, elsewhere.text, sizeof claim->text);
		snprintf(claim->needs, sizeof claim->needs, CLAIM_NEEDS_BACKEND "%s", other);
	}
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
	char what[1024];
	if (is_named(b->spec, name))
		return 0;
	spec_no_variant(b->spec, key, name, "", what, sizeof what);
	return build_fail(b, entry->at, what, st);
}

/* Both ends of each pair that a gap names. */
static int gap_names_check(struct build *b, const struct text_entry *entry, struct status *st)
{
	const struct field row = {.key = "gap"};
	struct gap gap;
	if (claim_gap_read(&row, entry->value, &gap, st) ||
	    name_check(b, entry, "gap", gap.from, st) || name_check(b, entry, "gap", gap.to, st))
		return -1;
	for (unsigned i = 0; i < gap.nothers; i++)
		if (name_check(b, entry, "gap", gap.others[i].from, st) ||
		    name_check(b, entry, "gap", gap.others[i].to, st))
			return -1;
	return 0;
}

/* Every name of a variant, also those for other backends, so that a typo shows at once. */
static int names_check(struct build *b, struct status *st)
{
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		bool outside = entry->section == BUILD_COMMAND_LINE;
		const char *kind = outside ? "" : b->from->text.sections[entry->section].kind;
		bool of_claim = !strcmp(kind, "factor") || !strcmp(kind, "claim");
		if (of_claim && names_variant(entry) &&
		    name_check(b, entry, entry->key, entry->value, st))
			return -1;
		if ((outside || !strcmp(kind, "experiment")) && !strcmp(entry->key, "gap") &&
		    gap_names_check(b, entry, st))
			return -1;
	}
	return 0;
}

/* The primary claims of every backend, after all claims are read. */
static int primary_check(struct build *b, struct status *st)
{
	const struct claim_list *list = &b->spec->asked;
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		const struct field row = {.key = "primary"};
		char what[1024];
		struct primary primary;
		if (strcmp(entry->key, "primary") ||
		    claim_primary_read(&row, entry->value, &primary, st))
			continue;
		for (unsigned k = 0; k < primary.n; k++) {
			struct suggestion guess = suggest_for(primary.names[k]);
			bool is = false;
			for (unsigned c = 0; c < list->nclaims; c++) {
				is = is || !strcmp(list->claims[c].name, primary.names[k]);
				suggest_offer(&guess, list->claims[c].name);
			}
			if (is)
				continue;
			snprintf(what, sizeof what,
			         "primary = '%s' names no claim%s; allowed is a [claim NAME] "
			         "of this file",
			         primary.names[k], suggestion_text(&guess).text);
			return build_fail(b, entry->at, what, st);
		}
	}
	return 0;
}

/* gap_bytes in a file that has no gap on any backend, and no factor that would use it. */
static int gap_check(struct build *b, struct status *st)
{
	const struct text_entry *bytes = NULL;
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		if (!strcmp(entry->key, "gap"))
			return 0;
		if (!strcmp(entry->key, "gap_bytes") && entry->section != BUILD_COMMAND_LINE)
			bytes = entry;
	}
	if (!bytes || b->spec->asked.nfactors)
		return 0;
	return build_fail(
	    b, bytes->at,
	    "gap_bytes without gap; allowed is beside gap = FROM, TO, or with a factor", st);
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
	spec->gap_open = !list->gap.bytes.hi;
	if (spec->gap_open)
		list->gap.bytes = spans.hi ? spans : open_range;
	for (unsigned i = 0; i < list->nfactors; i++) {
		spec->factors_open[i] = !list->factors[i].bytes.hi;
		if (spec->factors_open[i])
			list->factors[i].bytes = list->gap.bytes;
	}
}

int asked_finish(struct build *b, struct status *st)
{
	if (names_check(b, st) || gap_check(b, st) || primary_check(b, st))
		return -1;
	ranges_set(b->spec);
	return 0;
}
