#include "../backend/table.h"
#include "../memory.h"
#include "../suggest.h"
#include "../texts.h"
#include "build.h"
#include "search.h"

/* --- a section's entries --- */

const struct text_entry *build_find(const struct build *b, unsigned section, const char *key)
{
	const struct text_entry *found = NULL;
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		if (entry->section == section && entry->here && !strcmp(entry->key, key))
			found = entry;
	}
	return found;
}

/* The command line's, or else that of [experiment]. */
static const struct text_entry *said_of(const struct build *b, const char *key)
{
	const struct text_entry *said = build_find(b, BUILD_COMMAND_LINE, key);
	return said ? said : build_find(b, 0, key);
}

int build_section(struct build *b, unsigned section,
                  int (*read)(struct build *b, const struct text_entry *entry, void *to,
                              struct status *st),
                  void *to, struct status *st)
{
	struct status why = {""};
	for (unsigned i = 0; i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		if (entry->section == section && read(b, entry, to, &why))
			return spec_error(b->spec, entry->at, st, "%s", why.text);
	}
	return 0;
}

/* Whether an entry names the variant that its section starts from, which is one on all backends. */
static bool is_like(const struct text_entry *entry)
{
	return !entry->on[0] && !strcmp(entry->key, "like");
}

static int entry_apply(struct build *b, const struct text_entry *entry, void *target,
                       struct status *st)
{
	struct keys_target to = *(const struct keys_target *)target;
	if (!to.spec && (is_like(entry) ||
	                 (entry->section == BUILD_COMMAND_LINE && !keys_of_variant(entry->key))))
		return 0;
	if (!entry->here) {
		to.spec = to.spec ? &b->elsewhere : NULL;
		if (entry->on[0] && to.variant != &b->defaults && !to.variant->elsewhere[0])
			text_key(entry, to.variant->elsewhere, sizeof to.variant->elsewhere);
		to.variant = &b->elsewhere_variant;
		b->elsewhere_variant = (struct spec_variant){0};
	}
	return keys_apply(&to, entry->key, entry->value, st);
}

/* A section's keys of the experiment, or with NULL of a variant alone. */
static int keys_of(struct build *b, unsigned section, struct spec *spec,
                   struct spec_variant *variant, struct status *st)
{
	struct keys_target target = {spec, variant, b->from->from->lookup, b->from->from->closed};
	/* They say the same thing: what a section says replaces what it starts from. */
	if (build_find(b, section, "mode") || build_find(b, section, "layout")) {
		variant->settings.mode[0] = '\0';
		variant->settings.layout = (struct layout){0};
	}
	return build_section(b, section, entry_apply, &target, st);
}

/* --- sections --- */

static int experiment_apply(struct build *b, unsigned section, struct status *st)
{
	return keys_of(b, section, b->spec, &b->defaults, st);
}

/* What a variant starts from: another one, or the values of [experiment]. */
static const struct spec_variant *variant_base(struct build *b, unsigned section, struct status *st)
{
	const struct text_entry *like = build_find(b, section, "like");
	const struct spec_variant *base =
	    like && is_like(like) ? spec_find(b->spec, like->value) : &b->defaults;
	if (!base)
		spec_no_variant(b->spec, like->at, "like", like->value, " above", st);
	return base;
}

static int variant_apply(struct build *b, unsigned section, struct status *st)
{
	const struct text_section *s = &b->from->text.sections[section];
	if (b->spec->nvariants == SPEC_MAX_VARIANTS)
		return spec_error(b->spec, s->at, st, "too many variants; allowed are 32");
	size_t n = strlen(s->name);
	if (!strcmp(s->name, "limit") || (n >= 6 && !strcmp(s->name + n - 6, "-again")))
		return spec_error(
		    b->spec, s->at, st,
		    "a name that the plan gives itself; allowed is any but 'limit' and '…-again'");

	if (!s->all) {
		struct suggestion guess = suggest_for(s->name);
		for (unsigned i = 0; i < b->spec->nvariants; i++)
			suggest_offer(&guess, b->spec->variants[i].name);
		return spec_error(b->spec, s->at, st,
		                  "a section for one backend, and there is no [variant %s]%s; "
		                  "allowed is beside one for all",
		                  s->name, suggestion_text(&guess).text);
	}
	const struct spec_variant *base = variant_base(b, section, st);
	if (!base)
		return -1;
	struct spec_variant *variant = &b->spec->variants[b->spec->nvariants];
	*variant = *base;
	snprintf(variant->name, sizeof variant->name, "%s", s->name);
	variant->at = s->at;
	if (keys_of(b, section, NULL, variant, st))
		return -1;
	b->spec->nvariants++;
	return 0;
}

static int sections_apply(struct build *b, struct status *st)
{
	for (unsigned i = 0; i < b->from->text.nsections; i++) {
		const struct text_section *s = &b->from->text.sections[i];
		const struct key_table *table;
		unsigned k = 0;
		while ((table = key_table_at(k)) && strcmp(table->name, s->kind))
			k++;
		if (!table || !strchr(table->head, ' ') != !s->name[0]) {
			char heads[256] = "";
			for (k = 0; (table = key_table_at(k)); k++)
				status_list(heads, sizeof heads, table->head);
			return spec_error(b->spec, s->at, st,
			                  "unknown section [%s%s%s]; allowed is %s", s->kind,
			                  s->name[0] ? " " : "", s->name, heads);
		}
		if (i == 0 && table->apply != experiment_apply)
			return spec_error(
			    b->spec, s->at, st,
			    "[experiment] has to come first, as it says what holds for all");
		if (table->apply(b, i, st))
			return -1;
	}
	return 0;
}

#define TITLE_COLLS 3 /* beyond that a title counts them */

/* A file's title is about its own collectives: if the command line names others, the title says so.
 * If it has no room for that, the file's name replaces its title. */
static void title_amend(struct spec *spec)
{
	char colls[52] = "", title[sizeof spec->title]; /* a name and colls fit into a title */
	for (unsigned i = 0; i < spec->ncolls && spec->ncolls <= TITLE_COLLS; i++)
		status_list(colls, sizeof colls, coll_info(spec->colls[i])->name);
	if (!colls[0])
		snprintf(colls, sizeof colls, "%u collectives", spec->ncolls);
	if ((size_t)snprintf(title, sizeof title, "%s (measured: %s)", spec->title, colls) >=
	    sizeof title)
		snprintf(title, sizeof title, "%s (measured: %s)", spec->name, colls);
	strcpy(spec->title, title);
}

/* The command line beats the file: the experiment's keys, and a variant's in every variant. */
static int overrides_apply(struct build *b, struct status *st)
{
	unsigned colls[COLL_KINDS];
	char title[sizeof b->spec->title];
	unsigned ncolls = b->spec->ncolls;
	memcpy(colls, b->spec->colls, sizeof colls);
	strcpy(title, b->spec->title);
	if (experiment_apply(b, BUILD_COMMAND_LINE, st))
		return -1;
	if (title[0] && !strcmp(title, b->spec->title) && ncolls &&
	    (ncolls != b->spec->ncolls || memcmp(colls, b->spec->colls, ncolls * sizeof *colls)))
		title_amend(b->spec);
	const size_t bytes = b->spec->nvariants * sizeof b->spec->variants[0];
	struct spec_variant *before = memory_take(1, bytes + 1);
	memcpy(before, b->spec->variants, bytes);
	int rc = 0;
	for (unsigned i = 0; i < b->spec->nvariants && rc == 0; i++) {
		struct spec_variant *v = &b->spec->variants[i];
		strcpy(v->backend, v->settings.backend);
		rc = keys_of(b, BUILD_COMMAND_LINE, NULL, v, st);
	}
	rc = rc ? rc : variants_check(b, before, st);
	free(before);
	return rc;
}

/* Five minutes for each time that all sizes are measured; a day at most. */
static unsigned usual_timeout(const struct spec *spec)
{
	const unsigned first = spec->cycles * spec->allocations;
	const uint64_t later = (uint64_t)(spec_times(spec) - first) * spec_sizes_again(spec);
	const uint64_t s = 300 * (first + later / (spec->nsizes ? spec->nsizes : 1));
	return s < 24 * 3600 ? (unsigned)s : 24 * 3600;
}

static int spec_check(struct build *b, struct status *st)
{
	struct spec *spec = b->spec;
	if (b->from->text.nsections == 0)
		return status_set(
		    st, "%s: no section; allowed is [experiment], then [variant NAME]", spec->file);
	const unsigned at = b->from->text.sections[0].at;
	/* Without a backend these may be given for each backend alone. */
	if (b->backend && !spec->ncolls)
		return spec_error(b->spec, at, st,
		                  "collective is missing; say collective = alltoall, or another");
	if (b->backend && !spec->nsizes)
		return spec_error(b->spec, at, st,
		                  "bytes is missing; say bytes = 4K..1M x4, or other sizes");
	if (!spec->nvariants)
		return spec_error(
		    b->spec, at, st,
		    "no variant; at least one [variant NAME] with a mode or a layout is needed");
	for (unsigned i = 0; b->backend && i < spec->nvariants; i++) {
		const struct spec_variant *v = &spec->variants[i];
		if (!v->settings.mode[0] && !layout_ranks(v->settings.layout))
			return spec_error(b->spec, v->at, st,
			                  "the variant has neither mode nor layout; say mode = "
			                  "threads, or another");
	}
	if (!spec->reference[0])
		strcpy(spec->reference, spec->variants[0].name);
	if (!spec_find(spec, spec->reference)) {
		return spec_no_variant(spec, said_of(b, "reference")->at, "reference",
		                       spec->reference, "", st);
	}
	spec_connections_settle(spec);
	/* A soak looks for changes within one state. */
	if (spec->cycles > 1 && spec->connections * spec->allocations > 1)
		return spec_error(b->spec, at, st,
		                  "cycles repeat in one connection, so that connections and "
		                  "allocations have to be 1; allowed is one of the two");
	if (!spec->title[0])
		strcpy(spec->title, spec->name);
	return 0;
}

/* Keys of collectives (op, root) apply to one of them; keys of the file, or of the command line. */
static int applies_check(struct build *b, bool command_line, struct status *st)
{
	static const struct {
		const char *key;
		unsigned is;
		const char *has_none;
	} applies[] = {{"op", COLL_REDUCES, "reduces"},
	               {"root", COLL_ROOTED, "has a root"},
	               {"tokens", COLL_ROUTED, "sends tokens"}};
	unsigned is = 0;
	char colls[256] = "";
	for (unsigned i = 0; i < b->spec->ncolls; i++) {
		is |= coll_info(b->spec->colls[i])->is;
		status_list(colls, sizeof colls, coll_info(b->spec->colls[i])->name);
	}
	for (unsigned i = 0; b->backend && b->spec->ncolls && i < b->from->text.nentries; i++) {
		const struct text_entry *entry = &b->from->text.entries[i];
		const char *key = entry->key;
		if ((entry->section == BUILD_COMMAND_LINE) != command_line || !entry->here)
			continue;
		for (unsigned k = 0; k < sizeof applies / sizeof *applies; k++) {
			if (strcmp(key, applies[k].key) || is & applies[k].is)
				continue;
			return spec_error(
			    b->spec, entry->at, st,
			    "%s = %.60s is used by no collective of the experiment: none of %s %s; "
			    "allowed is to leave %s away, or a collective that uses it",
			    key, entry->value, colls, applies[k].has_none, key);
		}
	}
	return 0;
}

/* Tokens become bytes, which have to be the same in all variants and datatypes. */
static int tokens_finish(struct build *b, struct status *st)
{
	struct spec *spec = b->spec;
	const struct text_entry *entry = said_of(b, "tokens");
	const unsigned at = entry ? entry->at : 0;
	if (!spec->in_tokens || !spec->nvariants)
		return 0;
	const size_t element = coll_dtype_bytes(spec->dtypes[0]);
	const unsigned hidden = spec->variants[0].settings.hidden;
	for (unsigned i = 1; i < spec->ndtypes; i++)
		if (coll_dtype_bytes(spec->dtypes[i]) != element)
			return spec_error(b->spec, at, st,
			                  "tokens are of other bytes in each datatype; allowed are "
			                  "datatypes of one size, or bytes in place of tokens");
	for (unsigned i = 1; i < spec->nvariants; i++)
		if (spec->variants[i].settings.hidden != hidden)
			return spec_error(
			    b->spec, at, st,
			    "tokens are of other bytes in each variant; allowed is one hidden for "
			    "all variants, or bytes in place of tokens");
	for (unsigned i = 0; i < spec->nsizes; i++) {
		if (spec->sizes[i] > SIZES_MAX_BYTES / hidden / element)
			return spec_error(
			    b->spec, at, st,
			    "%zu tokens of %u numbers of %zu bytes are too many; allowed are %zu",
			    spec->sizes[i], hidden, element, SIZES_MAX_BYTES / hidden / element);
		spec->sizes[i] *= hidden * element;
	}
	spec->in_tokens = false;
	return 0;
}

/* --- the files and the command line, read once --- */

static int name_from_file(const char *file, char name[TRIAL_NAME_BYTES], struct status *st)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	size_t n = strlen(base);
	if (n > 4 && !strcmp(base + n - 4, ".exp"))
		n -= 4;
	snprintf(name, TRIAL_NAME_BYTES, "%.*s", (int)n, base);
	if (n >= TRIAL_NAME_BYTES || !field_is_name(name, TRIAL_NAME_BYTES))
		return status_set(st,
		                  "%s: the file's name is the experiment's; allowed are letters, "
		                  "digits, '-', '_', '.', at most %zu, and .exp",
		                  file, (size_t)TRIAL_NAME_BYTES - 1);
	return 0;
}

static int overrides_add(struct spec_text *t, struct status *st)
{
	for (unsigned i = 0; i < t->from->noverrides; i++) {
		const char *said = t->from->overrides[i], *equals = strchr(said, '=');
		char key[TRIAL_NAME_BYTES * 2];
		if (!equals || equals == said || equals - said >= (long)sizeof key)
			return status_set(
			    st, "command line: '%s' is no setting; allowed is key=value", said);
		memcpy(key, said, (size_t)(equals - said));
		key[equals - said] = '\0';
		if (text_add(&t->text, BUILD_COMMAND_LINE, key, equals + 1, st))
			return -1;
	}
	return 0;
}

struct spec_text *spec_read(const struct spec_source *from, struct status *st)
{
	struct spec_text *t = memory_take(1, sizeof *t);
	t->from = from;
	int rc = strlen(from->file) < PATH_MAX
	             ? text_read(from->file, &t->text, st)
	             : status_set(st, "the experiment's path is too long");
	if (!rc && !overrides_add(t, st))
		return t;
	spec_text_free(t);
	return NULL;
}

void spec_text_free(struct spec_text *t)
{
	if (!t)
		return;
	text_free(&t->text);
	free(t);
}

int spec_build(struct spec_text *t, const char *backend, struct spec *out, struct status *st)
{
	struct build *b = memory_take(1, sizeof *b);
	struct spec *spec = memory_take(1, sizeof *spec);
	b->from = t;
	b->spec = spec;
	b->backend = backend;
	text_settle(&t->text, backend);
	field_defaults(&keys_fields, spec);
	settings_default(&b->defaults.settings);
	strcpy(spec->file, t->from->file);
	strcpy(spec->question, t->text.question);
	const int rc = name_from_file(spec->file, spec->name, st) || sections_apply(b, st) ||
	                       applies_check(b, false, st) || overrides_apply(b, st) ||
	                       applies_check(b, true, st) || tokens_finish(b, st) ||
	                       spec_claims_finish(b, st) || variants_spread(b, st) ||
	                       variants_keep(b, st) || spec_check(b, st)
	                   ? -1
	                   : 0;
	spec->search.budget_said = said_of(b, "budget") != NULL;
	if (!spec->timeout_s)
		spec->timeout_s = usual_timeout(spec);
	if (!rc)
		memcpy(out, spec,
		       offsetof(struct spec, variants) +
		           spec->nvariants * sizeof spec->variants[0]);
	free(spec);
	free(b);
	return rc;
}

int spec_load(const struct spec_source *from, const char *backend, struct spec *out,
              struct status *st)
{
	struct spec_text *t = spec_read(from, st);
	int rc = t ? spec_build(t, backend, out, st) : -1;
	spec_text_free(t);
	return rc;
}

/* --- the kinds of sections --- */

/* What no row reads. */
// clang-format off
#define TOLD(...) {(const struct field[]){{__VA_ARGS__}}, 1, 1}
static const struct fields
    like_fields = TOLD("like", FIELD_OWN, .otherwise = "none", .help = "a variant above, whose settings this one starts from"),
    variable_fields = TOLD("env.NAME", FIELD_OWN, .otherwise = "none", .help = "a variable of the job's environment"),
    searched_fields = TOLD("KEY", FIELD_OWN, .otherwise = "none", .help = "up to 8 values with commas between, besides the reference's: of any key of a variant but mode, layout, backend, nccl, each, nccl_below, force, flip; up to 16 keys");

static const struct key_table tables[] = {
    {"experiment", "[experiment]", false, experiment_apply, {&keys_fields}},
    {"variant", "[variant NAME]", true, variant_apply, {&like_fields, &settings_fields, &keys_variant_fields, &variable_fields}},
    {"factor", "[factor NAME]", false, spec_claims_factor, {&claim_factor_fields}},
    {"claim", "[claim NAME]", false, spec_claims_claim, {&claim_fields}},
    {"source", "[source NAME]", false, spec_claims_source, {&claim_source_fields}},
    {"search", "[search]", false, search_apply, {&search_fields, &searched_fields}},
};
// clang-format on

const struct key_table *key_table_at(unsigned i)
{
	return i < sizeof tables / sizeof *tables ? &tables[i] : NULL;
}

void key_table_each(const struct key_table *table, void (*use)(const struct field *row, void *arg),
                    void *arg)
{
	for (unsigned k = 0; k < KEY_TABLE_PARTS && table->parts[k]; k++) {
		const struct fields *of = table->parts[k];
		for (const struct field *f = of->rows; f < of->rows + of->n; f++)
			if (f->help && !f->record)
				use(f, arg);
	}
}

const char *key_more(const struct key_table *table, const char *key)
{
	char begin[64];
	snprintf(begin, sizeof begin, "\n%s.%s: ", table->name, key);
	const char *at = strstr(texts_find("harness/config/keys.txt"), begin);
	return at ? at + strlen(begin) : "";
}

void key_backends(const struct field *row, char *names, size_t bytes)
{
	names[0] = '\0';
	for (const struct backend *const *b = backend_table; row->special && *b; b++)
		if (backend_uses(*b, row->key))
			status_list(names, bytes, (*b)->name);
}
