/* [factor NAME] and [claim NAME]: what the variants are measured for. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "near.h"
#include "spec_build.h"

#define FACTOR(FIELD) SPEC_SCOPE_EXPERIMENT, offsetof(struct factor, FIELD)
#define CLAIM(FIELD)  SPEC_SCOPE_EXPERIMENT, offsetof(struct claim, FIELD)

static spec_value_fn claim_test_read;

static const struct spec_key factor_keys[] = {
    {"text", FACTOR(text), spec_word_free, NULL, 0, CLAIM_TEXT_BYTES},
    {"from", FACTOR(from), spec_word_name, NULL, 0, 0},
    {"to", FACTOR(to), spec_word_name, NULL, 0, 0},
    {"placebo", FACTOR(placebo), spec_word_yes, spec_word_no_yes, 0, 0},
    {"bytes", FACTOR(bytes), spec_claims_range, NULL, 0, 0},
    {NULL, 0, 0, NULL, NULL, 0, 0},
};

static const struct spec_key claim_keys[] = {
    {"text", CLAIM(text), spec_word_free, NULL, 0, CLAIM_TEXT_BYTES},
    {"left", CLAIM(left), spec_word_name, NULL, 0, 0},
    {"right", CLAIM(right), spec_word_name, NULL, 0, 0},
    {"metric", CLAIM(metric), spec_word_enum, metric_name, 0, 0},
    {"is", SPEC_SCOPE_EXPERIMENT, 0, claim_test_read, NULL, 1,
     (uint64_t)(10000 * CLAIM_MOST_MARGIN)},
    {"bytes", CLAIM(bytes), spec_claims_range, NULL, 0, 0},
    {"pace", CLAIM(pace), spec_word_enum, spec_word_pace, 0, 0},
    {"collective", CLAIM(coll), spec_word_enum, spec_word_coll, 0, 0},
    {"needs", CLAIM(needs), spec_word_free, NULL, 0, CLAIM_TEXT_BYTES},
    {NULL, 0, 0, NULL, NULL, 0, 0},
};

/* One size without blanks around it. */
static int size_read(const char *text, size_t bytes, size_t *out, struct status *st)
{
	char copy[64];
	size_t sizes[SPEC_MAX_SIZES];
	unsigned count;
	snprintf(copy, sizeof copy, "%.*s", (int)bytes, text);
	if (strchr(copy, ',') || spec_parse_sizes(copy, sizes, &count, st) || count != 1)
		return -1;
	*out = sizes[0];
	return 0;
}

int spec_claims_range(const struct spec_key *key, const struct spec_value *v, void *field,
                      struct status *st)
{
	struct claim_range *range = field, read;
	struct status why = {""};
	const char *dots = strstr(v->text, "..");
	size_t first = dots ? (size_t)(dots - v->text) : strlen(v->text);
	if (size_read(v->text, first, &read.lo, &why) ||
	    size_read(dots ? dots + 2 : v->text, strlen(v->text), &read.hi, &why) ||
	    read.lo > read.hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is LO..HI, both included, "
		                  "as in 16M..1G, or one size",
		                  key->name, v->text);
	*range = read;
	return 0;
}

/* "FROM, TO", and where it ends: at the text's own end, or behind an "or". */
static bool ends_read(const char **text, struct gap_ends *out)
{
	int n = 0;
	if (sscanf(*text, " %63[^, \t] , %63[^, \t]%n", out->from, out->to, &n) != 2 ||
	    !spec_text_is_name(out->from, sizeof out->from) ||
	    !spec_text_is_name(out->to, sizeof out->to) || !strcmp(out->from, out->to))
		return false;
	*text += n;
	size_t blanks = strspn(*text, " \t");
	*text += blanks;
	if (!**text)
		return true;
	bool more = blanks && !strncmp(*text, "or", 2) && strspn(*text + 2, " \t");
	*text += more ? 2 : 0;
	return more;
}

int spec_claims_gap(const struct spec_key *key, const struct spec_value *v, void *field,
                    struct status *st)
{
	struct gap *gap = field;
	struct gap_ends ends[1 + GAP_OTHERS] = {{"", ""}};
	const char *text = v->text;
	unsigned n = 0;
	do {
		if (n == 1 + GAP_OTHERS || !ends_read(&text, &ends[n++]))
			return status_set(
			    st,
			    "%s = '%s' is not allowed; allowed is FROM, TO: two "
			    "variants, and up to %d more such behind an 'or' each",
			    key->name, v->text, GAP_OTHERS);
	} while (*text);
	memcpy(gap->from, ends[0].from, sizeof gap->from);
	memcpy(gap->to, ends[0].to, sizeof gap->to);
	memcpy(gap->others, ends + 1, sizeof gap->others);
	gap->nothers = n - 1;
	return 0;
}

/* "less by 2%" */
static int claim_test_read(const struct spec_key *key, const struct spec_value *v, void *field,
                           struct status *st)
{
	static const char *const forms[] = {"less by ", "more by ", "within "};
	struct claim *claim = field;
	struct status why = {""};
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t n = strlen(forms[i]);
		if (strncmp(v->text, forms[i], n))
			continue;
		const struct spec_value percent = {v->text + n + strspn(v->text + n, " "),
		                                   NULL};
		if (spec_number_percent(key, &percent, &claim->by, &why))
			break;
		claim->test = (enum claim_test)i;
		return 0;
	}
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed is less by X%%, more by X%% or "
	                  "within X%%, X from 0.01 to %g",
	                  key->name, v->text, 100 * CLAIM_MOST_MARGIN);
}

static int unknown_key(const struct spec_key *keys, const char *key, struct status *st)
{
	char allowed[256] = "";
	struct near near = near_to(key);
	for (const struct spec_key *row = keys; row->name; row++) {
		status_list(allowed, sizeof allowed, row->name);
		near_offer(&near, row->name);
	}
	return status_set(
	    st,
	    "unknown key '%s'%s; allowed is %s, each also with a backend in front, "
	    "as in host.bytes",
	    key, near_say(&near).text, allowed);
}

/* Where a section's values go: those for a backend that does not run are read to a place of
 * their own. */
struct place {
	const struct spec_key *keys;
	void *here, *elsewhere;
};

static int entry_read(struct spec_build *b, const struct spec_entry *entry,
                      const struct place *place, const char *key, bool here, struct status *st)
{
	const struct spec_value value = {entry->value, b->lookup};
	const struct spec_key *row = place->keys;
	struct status why = {""};
	char *base = here ? place->here : place->elsewhere;
	while (row->name && strcmp(row->name, key))
		row++;
	int rc = row->name ? row->read(row, &value, base + row->offset, &why)
	                   : unknown_key(place->keys, key, &why);
	return rc ? spec_build_fail(b, entry->at, why.text, st) : 0;
}

/* Reads the plain keys or those with a backend in front. *is, *needs: what sets these
 * two, else line 0. */
static int layer_read(struct spec_build *b, unsigned section, const struct place *place,
                      bool prefixed, struct spec_place *is, struct spec_place *needs,
                      struct status *st)
{
	*is = *needs = (struct spec_place){0};
	for (unsigned i = 0; i < b->nread; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		char backend[TRIAL_NAME_BYTES];
		const char *key = spec_keys_split(entry->key, backend);
		if (entry->section != section || prefixed != (key && backend[0]))
			continue;
		bool here = !prefixed || (b->backend && !strcmp(backend, b->backend));
		key = key ? key : entry->key; /* the error then lists what is allowed */
		if (entry_read(b, entry, place, key, here, st))
			return -1;
		if (here && !strcmp(key, "is"))
			*is = entry->at;
		if (here && !strcmp(key, "needs"))
			*needs = entry->at;
	}
	return 0;
}

/* Whether another backend names the variants of a section that names none for the one that
 * runs, and which: it is about that one alone. */
static bool named_elsewhere(const struct spec_build *b, unsigned section, char *backend)
{
	static const char *const named[] = {"from", "to", "left", "right"};
	for (unsigned i = 0; i < b->nread; i++) {
		const struct spec_entry *entry = &b->text.entries[i];
		const char *key = spec_keys_split(entry->key, backend);
		if (entry->section != section || !key || !backend[0])
			continue;
		for (unsigned k = 0; k < sizeof named / sizeof *named; k++)
			if (!strcmp(key, named[k]))
				return true;
	}
	return false;
}

int spec_claims_factor(struct spec_build *b, unsigned section, struct status *st)
{
	const struct spec_section *s = &b->text.sections[section];
	struct claim_list *list = &b->spec.asked;
	if (list->nfactors == CLAIM_MAX)
		return spec_build_fail(b, s->at, "too many factors; allowed are 32", st);
	struct factor *factor = &list->factors[list->nfactors], elsewhere;
	const struct place place = {factor_keys, factor, &elsewhere};
	struct spec_place is, needs;
	char other[TRIAL_NAME_BYTES];
	snprintf(factor->name, sizeof factor->name, "%s", s->name);
	if (layer_read(b, section, &place, false, &is, &needs, st) ||
	    layer_read(b, section, &place, true, &is, &needs, st))
		return -1;
	bool none = !factor->from[0] && !factor->to[0] && named_elsewhere(b, section, other);
	if (b->backend && !none && (!factor->from[0] || !factor->to[0]))
		return spec_build_fail(
		    b, s->at, "the factor has no from or no to; allowed are two variants", st);
	b->spec.factors_at[list->nfactors++] = s->at;
	return 0;
}

/* What a claim must say, once all of it is read. */
static int claim_check(const struct spec_build *b, const struct claim *c, struct spec_place at,
                       struct status *st)
{
	if (!c->text[0])
		return spec_build_fail(b, at, "the claim has no text; say text = the sentence",
		                       st);
	if (c->test == CLAIM_NEEDS)
		return 0;
	if (!c->left[0] || !c->right[0] || c->metric == METRIC_KINDS || c->test == CLAIM_TESTS)
		return spec_build_fail(b, at,
		                       "the claim lacks left, right, metric or is; allowed are "
		                       "all four, or needs = what it would take",
		                       st);
	if (!strcmp(c->left, c->right))
		return spec_build_fail(
		    b, at, "left and right are the same variant; allowed are two", st);
	if (c->metric == METRIC_LATENCY && c->pace == PACE_STREAM)
		return spec_build_fail(b, at,
		                       "latency is of isolated calls; allowed is metric = time "
		                       "with pace = stream",
		                       st);
	return 0;
}

/* A test, or a reason why there is none: the nearer layer drops the other. */
static int claim_settle(const struct spec_build *b, struct claim *c, struct spec_place is,
                        struct spec_place needs, struct status *st)
{
	if (is.line && needs.line)
		return spec_build_fail(
		    b, needs, "is and needs exclude each other; allowed is one of them", st);
	if (needs.line)
		c->test = CLAIM_NEEDS;
	return 0;
}

int spec_claims_claim(struct spec_build *b, unsigned section, struct status *st)
{
	const struct spec_section *s = &b->text.sections[section];
	struct claim_list *list = &b->spec.asked;
	if (list->nclaims == CLAIM_MAX)
		return spec_build_fail(b, s->at, "too many claims; allowed are 32", st);
	struct claim *claim = &list->claims[list->nclaims], elsewhere;
	char other[TRIAL_NAME_BYTES];
	const struct place place = {claim_keys, claim, &elsewhere};
	*claim = (struct claim){.metric = METRIC_KINDS,
	                        .test = CLAIM_TESTS,
	                        .bytes = {0, SIZE_MAX},
	                        .pace = CLAIM_ANY_PACE,
	                        .coll = CLAIM_ANY_COLL};
	snprintf(claim->name, sizeof claim->name, "%s", s->name);
	for (unsigned prefixed = 0; prefixed < 2; prefixed++) {
		struct spec_place is, needs;
		if (layer_read(b, section, &place, prefixed, &is, &needs, st) ||
		    claim_settle(b, claim, is, needs, st))
			return -1;
	}
	if (b->backend && !claim->left[0] && !claim->right[0] && claim->test != CLAIM_NEEDS &&
	    named_elsewhere(b, section, other)) {
		claim->test = CLAIM_NEEDS;
		snprintf(claim->needs, sizeof claim->needs, CLAIM_NEEDS_BACKEND "%s", other);
	}
	if (b->backend && claim_check(b, claim, s->at, st))
		return -1;
	list->nclaims++;
	return 0;
}
