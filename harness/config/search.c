#include "search.h"

#include "../memory.h"
#include "build.h"
#include "family.h"
#include "plan.h"

#define ROW_LOSS   0.06 /* what values beside a row's first pair may lose together, a log */
#define SPARE_ROWS 8    /* for values that lose, and so share no row */

bool search_set_equal(const struct search_set *a, const struct search_set *b)
{
	return !memcmp(a->level, b->level, sizeof a->level);
}

unsigned search_set_size(const struct search_space *space, const struct search_set *set)
{
	unsigned n = 0;
	for (unsigned k = 0; k < space->nkeys; k++)
		n += set->level[k] > 0;
	return n;
}

bool search_set_crosses(const struct search_space *space, const struct search_set *set)
{
	char most[TRIAL_NAME_BYTES];
	bool crosses = false;
	for (unsigned a = 0; a < space->nkeys; a++) {
		const struct search_key *least = &space->keys[a];
		char *at = strcpy(most, least->key);
		if (!(at = strstr(most, "MIN_")) && !(at = strstr(most, "min_")))
			continue;
		memcpy(at, *at == 'M' ? "MAX" : "max", 3);
		for (unsigned b = 0; b < space->nkeys; b++)
			crosses |= set->level[a] && set->level[b] &&
			           !strcmp(space->keys[b].key, most) &&
			           atof(least->values[set->level[a]]) >
			               atof(space->keys[b].values[set->level[b]]);
	}
	return crosses;
}

unsigned search_singles(const struct search_space *space, struct search_set *rows, unsigned most)
{
	unsigned n = 0;
	for (unsigned k = 0; k < space->nkeys; k++)
		for (unsigned v = 1; v < space->keys[k].nvalues && n < most; v++) {
			rows[n] = (struct search_set){{0}};
			rows[n++].level[k] = (unsigned char)v;
		}
	return n;
}

/* --- the covering array --- */

/* Two values that are in no row yet. */
struct pair {
	unsigned char key[2], value[2];
	unsigned class; /* how much they lose alone */
	uint64_t draw;  /* decides between equals */
};

static int by_loss(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	return x->class != y->class ? (x->class > y->class) - (x->class < y->class)
	                            : (x->draw > y->draw) - (x->draw < y->draw);
}

static double loss_of(const search_losses *losses, unsigned key, unsigned value)
{
	return losses && value ? (*losses)[key][value] : 0;
}

static unsigned pairs_list(const struct search_space *space, const search_losses *losses,
                           uint64_t seed, struct pair *out)
{
	unsigned n = 0;
	for (unsigned a = 0; a < space->nkeys; a++)
		for (unsigned b = a + 1; b < space->nkeys; b++)
			for (unsigned x = 1; x < space->keys[a].nvalues; x++)
				for (unsigned y = 1; y < space->keys[b].nvalues; y++) {
					const double loss =
					    loss_of(losses, a, x) + loss_of(losses, b, y);
					struct search_set both = {{0}};
					both.level[a] = (unsigned char)x;
					both.level[b] = (unsigned char)y;
					if (isinf(loss) || search_set_crosses(space, &both))
						continue;
					out[n] = (struct pair){{(unsigned char)a, (unsigned char)b},
					                       {(unsigned char)x, (unsigned char)y},
					                       (unsigned)(loss / ROW_LOSS),
					                       value_mix(seed + n)};
					n++;
				}
	qsort(out, n, sizeof *out, by_loss);
	return n;
}

static bool has(const struct search_set *row, const struct pair *p)
{
	return row->level[p->key[0]] == p->value[0] && row->level[p->key[1]] == p->value[1];
}

static double loss_beside(const struct search_space *space, const search_losses *losses,
                          const struct search_set *row, const struct pair *p)
{
	double sum = 0;
	for (unsigned k = 0; k < space->nkeys; k++)
		sum += k == p->key[0] || k == p->key[1] ? 0 : loss_of(losses, k, row->level[k]);
	return sum;
}

unsigned search_cover(const struct search_space *space, const search_losses *losses, uint64_t seed,
                      struct search_set *rows, unsigned most)
{
	enum { VALUES = SEARCH_MAX_KEYS * SEARCH_MAX_VALUES };
	struct pair *pairs = memory_have(malloc(VALUES * VALUES / 2 * sizeof *pairs));
	unsigned left = pairs_list(space, losses, value_mix(seed), pairs), n = 0;
	for (; left && n < most; n++) {
		unsigned kept = 0;
		rows[n] = (struct search_set){{0}};
		/* The first pair, and each further one that fits and does not hide it. */
		for (unsigned i = 0; i < left; i++) {
			const struct pair *p = &pairs[i];
			struct search_set with = rows[n];
			bool fits = true;
			for (unsigned e = 0; e < 2; e++) {
				unsigned char *level = &with.level[p->key[e]];
				fits = fits && (!*level || *level == p->value[e]);
				*level = p->value[e];
			}
			if (fits && !search_set_crosses(space, &with) &&
			    loss_beside(space, losses, &with, pairs) < ROW_LOSS + 1e-9)
				rows[n] = with;
		}
		for (unsigned i = 0; i < left; i++)
			if (!has(&rows[n], &pairs[i]) ||
			    loss_beside(space, losses, &rows[n], &pairs[i]) > ROW_LOSS + 1e-9)
				pairs[kept++] = pairs[i];
		left = kept;
	}
	free(pairs);
	return n;
}

/* The product of the two longest lists is the least that any array takes. */
unsigned search_cover_most(const struct search_space *space)
{
	unsigned first = 0, second = 0;
	for (unsigned k = 0; k < space->nkeys; k++) {
		unsigned n = space->keys[k].nvalues - 1;
		second = n > first ? first : n > second ? n : second;
		first = n > first ? n : first;
	}
	return second ? first * second + SPARE_ROWS : 0;
}

unsigned search_round_most(unsigned round)
{
	static const unsigned most[SEARCH_ROUNDS] = {
	    [SEARCH_SCREENS] = 4, [SEARCH_SCREENS + 1] = 4, [SEARCH_ROUNDS - 1] = 8};
	return most[round];
}

/* --- the file's section --- */

// clang-format off
static const struct field own_rows[] = {
    {"finalists", FIELD_NUMBER, offsetof(struct search_space, finalists), .lo = 1, .hi = SEARCH_MAX_FINALISTS, .initial = "3", .help = "sets of values that are confirmed in separate blocks"},
};
// clang-format on

const struct fields search_fields = FIELDS_OF(own_rows, struct search_space);

/* Keys that cannot be searched: they do not configure the measured library. */
static const char *const no_keys[] = {"mode",       "layout", "backend", "nccl", "each",
                                      "nccl_below", "force",  "flip",    NULL};

static bool is_key(const char *key)
{
	unsigned i = 0;
	while (no_keys[i] && strcmp(key, no_keys[i]))
		i++;
	return !no_keys[i] && keys_of_variant(key);
}

static int values_read(struct build *b, const char *key, const char *text, struct search_key *out,
                       struct status *st)
{
	char *copy = memory_text(text), *rest = copy, *word;
	int rc = 0;
	/* Whether a value is allowed, a copy says that gets it. */
	struct spec_variant scratch = b->defaults;
	const struct keys_target target = {NULL, &scratch, b->from->from->lookup,
	                                   b->from->from->closed};
	out->nvalues = 1;
	while (!rc && (word = sizes_next(&rest))) {
		bool known = !strcmp(word, "default");
		for (unsigned v = 1; v < out->nvalues; v++)
			known = known || !strcmp(out->values[v], word);
		if (known)
			continue;
		if (!*word || strlen(word) >= SEARCH_VALUE_BYTES ||
		    out->nvalues == SEARCH_MAX_VALUES)
			rc = status_set(st,
			                "%s = '%.100s' is not allowed; allowed are up to %d values "
			                "of up to %d characters, with commas between",
			                key, text, SEARCH_MAX_VALUES - 1, SEARCH_VALUE_BYTES - 1);
		else if (!(rc = keys_apply(&target, key, word, st)))
			strcpy(out->values[out->nvalues++], word);
	}
	free(copy);
	return rc;
}

/* Reads an entry into the search, or aside if it does not count. */
static int entry_read(struct build *b, const struct text_entry *entry, void *ignored,
                      struct status *st)
{
	(void)ignored;
	const char *key = entry->key;
	struct search_space *space = &b->spec->search, elsewhere = {.nkeys = 0};
	struct search_key read = {.at = entry->at};
	if (field_find(&search_fields, key))
		return field_read(own_rows, entry->value, entry->here ? space : &elsewhere, st);
	if (!is_key(key))
		return status_set(
		    st,
		    "'%.80s' cannot be searched; allowed are finalists, env.NAME and the settings "
		    "of a variant (`launchgap list keys`) but mode, layout, backend and library; "
		    "for one backend alone in [search on host]",
		    key);
	if (entry->here && space->nkeys == SEARCH_MAX_KEYS)
		return status_set(st, "too many settings to search; allowed are %d",
		                  SEARCH_MAX_KEYS);
	if (values_read(b, key, entry->value, &read, st))
		return -1;
	snprintf(read.key, sizeof read.key, "%.63s", key);
	if (entry->here)
		space->keys[space->nkeys++] = read;
	return 0;
}

int search_apply(struct build *b, unsigned section, struct status *st)
{
	b->spec->search.at = b->from->text.sections[section].at;
	field_defaults(&search_fields, &b->spec->search);
	return build_section(b, section, entry_read, NULL, st);
}

int search_settings(const struct search_space *space, const struct search_set *set,
                    struct settings *settings, struct status *st)
{
	struct spec_variant scratch = {.settings = *settings};
	const struct keys_target target = {NULL, &scratch, NULL, false};
	for (unsigned k = 0; k < space->nkeys; k++)
		if (set->level[k] && keys_apply(&target, space->keys[k].key,
		                                space->keys[k].values[set->level[k]], st))
			return -1;
	*settings = scratch.settings;
	return 0;
}

/* --- the plan --- */

int search_plan_set(struct plan *plan, const struct search_set *set, struct status *st)
{
	struct settings settings = plan_reference(plan)->settings;
	char name[TRIAL_NAME_BYTES];
	unsigned v = plan->nfile;
	while (v < plan->nvariants && !search_set_equal(&plan->variants[v].set, set))
		v++;
	if (v < plan->nvariants)
		return (int)v;
	if (v - plan->nfile == SEARCH_MAX_SETS)
		return status_set(st, "the search has more than %d sets; allowed are fewer values",
		                  SEARCH_MAX_SETS);
	snprintf(name, sizeof name, "set-%u", v - plan->nfile + 1);
	plan->variants[v].set = *set;
	if (search_settings(&plan->search, set, &settings, st))
		return -1;
	plan_variants_add(plan, name, "search", &settings, NULL);
	return (int)v;
}

/* Drops values that the reference has already; and those that cannot run here, with a note why. */
static int values_here(struct plan *plan, struct status *st)
{
	struct search_space left = {.finalists = plan->search.finalists};
	for (unsigned k = 0; k < plan->search.nkeys; k++) {
		const struct search_key *key = &plan->search.keys[k];
		struct search_key *to = &left.keys[left.nkeys];
		*to = *key;
		to->nvalues = 1;
		for (unsigned v = 1; v < key->nvalues; v++) {
			struct search_set set = {{0}};
			char keys[256];
			set.level[k] = (unsigned char)v;
			if (search_plan_set(plan, &set, st) < 0)
				return -1;
			const struct plan_variant *one = &plan->variants[--plan->nvariants];
			if (!settings_differ(&plan_reference(plan)->settings, &one->settings, keys,
			                     sizeof keys))
				continue;
			if (one->skip[0])
				plan_note(plan, "not searched: %s = %s: %.200s", key->key,
				          key->values[v], one->skip);
			else
				strcpy(to->values[to->nvalues++], key->values[v]);
		}
		left.nkeys += to->nvalues > 1;
	}
	plan->search = left;
	return 0;
}

unsigned search_blocks(const struct plan *plan)
{
	unsigned least = family_blocks(plan->search.finalists, FAMILY_ALPHA);
	return plan->spec->blocks > least ? plan->spec->blocks : least;
}

struct search_trials search_trials(const struct plan *plan)
{
	struct search_trials n = {0};
	unsigned here = 0, singles = 0;
	for (unsigned v = 0; v < plan->nfile; v++)
		here += !plan->variants[v].skip[0];
	const unsigned pairs = search_cover_most(&plan->search);
	for (unsigned k = 0; k < plan->search.nkeys; k++)
		singles += plan->search.keys[k].nvalues - 1;
	n.screen = 1 + singles + (pairs ? 1 + pairs : 0);
	for (unsigned round = SEARCH_SCREENS; round < SEARCH_ROUNDS; round++)
		n.narrow += 1 + search_round_most(round);
	n.confirm = search_blocks(plan) * (here + plan->search.finalists);
	n.all = n.screen + n.narrow + n.confirm;
	return n;
}

int search_plan(struct plan *plan, struct status *st)
{
	const struct spec *spec = plan->spec;
	const unsigned notes = plan->nnotes;
	plan->nfile = plan->nvariants;
	plan->search = spec->search;
	if (!spec->search.at)
		return 0;
	if (values_here(plan, st))
		return -1;
	if (!plan->search.nkeys && plan->nnotes > notes)
		return spec_error(spec, spec->search.at, st,
		                  "nothing of the search can run here: %s",
		                  plan->notes[plan->nnotes - 1]);
	if (!plan->search.nkeys)
		return spec_error(spec, spec->search.at, st,
		                  "the search has no setting that differs from the reference on "
		                  "this backend; allowed is at least one, as in env.NCCL_BUFFSIZE "
		                  "= 8388608, 16777216 in [search on nccl]");
	const struct search_trials n = search_trials(plan);
	if (search_blocks(plan) > spec->blocks)
		plan_note(plan,
		          "the confirmation has %u blocks in place of %u: with fewer nothing "
		          "passes the correction for %u finalist%s in %u cells",
		          search_blocks(plan), spec->blocks, plan->search.finalists,
		          plan->search.finalists == 1 ? "" : "s", plan->ncells);
	if (n.all <= SEARCH_FREE_TRIALS || spec->search.budget_said)
		return 0;
	return spec_error(
	    spec, spec->search.at, st,
	    "the search takes about %u trials (%u to screen %u settings, %u to narrow down, %u to "
	    "confirm); allowed are %d, fewer values, or budget = TIME that it may take",
	    n.all, n.screen, plan->search.nkeys, n.narrow, n.confirm, SEARCH_FREE_TRIALS);
}

/* --- the record --- */

#define KEY(FIELD) offsetof(struct search_key, FIELD)

// clang-format off
static const struct field key_rows[] = {
    {"key", FIELD_TEXT, KEY(key), .bytes = TRIAL_NAME_BYTES},
    {"values", FIELD_TEXTS, KEY(values), KEY(nvalues), .lo = SEARCH_VALUE_BYTES, .hi = SEARCH_MAX_VALUES},
};
static const struct fields keys = FIELDS_OF(key_rows, struct search_key);
static const struct field space_rows[] = {
    {"keys", FIELD_ARRAY, offsetof(struct search_space, keys), offsetof(struct search_space, nkeys), .hi = SEARCH_MAX_KEYS, .list = &keys},
    {"finalists", FIELD_NUMBER, offsetof(struct search_space, finalists), .lo = 1, .hi = SEARCH_MAX_FINALISTS, .record = true},
};
// clang-format on
static const struct fields spaces = FIELDS_OF(space_rows, struct search_space);

json_t *search_space_json(const struct search_space *space)
{
	return field_object(&spaces, space);
}

int search_space_take(const json_t *json, struct search_space *out, struct status *st)
{
	struct search_space read = {.nkeys = 0};
	struct status why = {""};
	if (field_object_take(&spaces, json, &read, &why))
		return status_set(st, "the record's search is damaged: %s", why.text);
	for (unsigned k = 0; k < read.nkeys; k++)
		if (read.keys[k].nvalues < 2)
			return status_set(st, "the record's search is damaged: %s has no values",
			                  read.keys[k].key);
	*out = read;
	return 0;
}
