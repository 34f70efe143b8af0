#include "draft.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../modes/mode.h"
#include "../backend/table.h"
#include "../config/keys.h"
#include "../suggest.h"
#include "../trial/sizes.h"

#define BLANKS  " \t"
#define LIBRARY "nccl" /* the key of a library's path, and how variants of several are named */

/* --- 1: what is compared --- */

#define MODES    "modes"
#define VERSIONS "versions"
#define SETTING  "KEY=VALUE,VALUE"

void draft_comparisons(void (*use)(const char *form, const char *what))
{
	use(MODES, "the launch modes");
	use(VERSIONS, "NCCL libraries, which NCCL_LIBS=path:path names");
	use(SETTING, "a setting: any key of a variant, as in register=none,local; one value is "
	             "compared with the default, as in env.NCCL_BUFFSIZE=8388608");
}

/* A variant's name: what a name must not have becomes '-'; what is too long loses its beginning, as
 * paths differ at their ends. */
static void name_variant(struct draft *draft, struct draft_variant *v, const char *key,
                         const char *value)
{
	char text[2 * DRAFT_ANSWER];
	const size_t most = FIELD_NAME_BYTES - 4;
	size_t n = (size_t)snprintf(text, sizeof text, "%s%s%s", key, *key ? "-" : "", value);
	for (char *c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
			*c = '-';
	const char *from = n > most ? text + n - most : text;
	from += strspn(from, "-.");
	snprintf(v->name, sizeof v->name, "%s", *from ? from : "value");
	for (struct draft_variant *other = draft->variants; other < v; other++)
		if (!strcmp(other->name, v->name))
			snprintf(v->name + strlen(v->name), 4, "-%u",
			         (unsigned)(v - draft->variants) + 1);
}

static int compare_modes(struct draft *draft, const char *mode, struct status *st)
{
	if (*mode)
		return status_set(st,
		                  "modes are compared, and mode %s is asked for; allowed is one "
		                  "of them, or mode=A,B",
		                  mode);
	strcpy(draft->key, "mode");
	for (const struct mode *const *m = mode_table; *m; m++) {
		struct draft_variant *v = &draft->variants[draft->nvariants++];
		strcpy(v->value, (*m)->name);
		strcpy(v->name, (*m)->name);
	}
	return 0;
}

static const char *usual_mode(const char *mode)
{
	return *mode ? mode : mode_for_layout((struct layout){2, 1, 1}, 1)->name;
}

static void compare_versions(struct draft *draft, const char *mode)
{
	strcpy(draft->key, "each");
	draft->of_key = backend_using(LIBRARY);
	for (const struct mode *const *m = mode_table; *m; m++) {
		struct draft_variant *v = &draft->variants[draft->nvariants];
		if (*mode && strcmp(mode, (*m)->name))
			continue;
		draft->nvariants += 2;
		v[0].mode = v[1].mode = (*m)->name;
		strcpy(v[0].name, (*m)->name);
		snprintf(v[1].name, sizeof v->name, "%s-" LIBRARY, (*m)->name);
		strcpy(v[1].value, "${NCCL_LIBS}");
	}
}

/* Whether every backend that `auto` could choose knows a key: those up to the first that needs no
 * device. */
static bool known_to_all(const char *key)
{
	size_t n;
	const struct field *rows = settings_fields(&n), *row = field_find(rows, n, key);
	bool known = true, last = row ? !row->special : strncmp(key, "env.NCCL_", 9) != 0;
	for (const struct backend *const *b = backend_table; known && !last && *b; b++) {
		known = backend_uses(*b, key);
		last = !(*b)->capacity;
	}
	return known;
}

/* Whether the key may have the value, as a file's variant. */
static int value_check(struct draft *draft, const char *value, struct status *st)
{
	struct spec_variant *scratch = calloc(1, sizeof *scratch);
	const struct keys_target target = {NULL, scratch, NULL, false};
	if (!scratch)
		return status_set(st, "out of memory");
	settings_default(&scratch->settings);
	int rc = keys_apply(&target, draft->key, value, st);
	if (!rc && (*value == ';' || strstr(value, " ;") || strstr(value, "\t;")))
		rc = status_set(st,
		                "'%s': ';' begins a comment in a file, at the start of a value or "
		                "after a blank; allowed is a value without",
		                value);
	if (!rc)
		draft->ranks = layout_ranks(scratch->settings.layout);
	free(scratch);
	return rc;
}

static int mode_check(const char *name, struct status *st)
{
	static const struct field row = {"mode", FIELD_CHOICE, .bytes = TRIAL_NAME_BYTES,
	                                 .word = mode_name};
	char unused[TRIAL_NAME_BYTES];
	return field_read(&row, name, unused, st);
}

/* Whether a key says where workers are. */
static bool is_place(const char *key)
{
	return !strcmp(key, "mode") || !strcmp(key, "layout");
}

static char *trimmed(char *text)
{
	text += strspn(text, BLANKS);
	for (size_t n = strlen(text); n && strchr(BLANKS, text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

static int value_add(struct draft *draft, const char *value, const char *mode, struct status *st)
{
	const bool unset = !strcmp(value, "default");
	struct draft_variant *v = &draft->variants[draft->nvariants];
	if (draft->nvariants == DRAFT_VALUES)
		return status_set(st, "too many values; allowed are %d", DRAFT_VALUES);
	if ((!unset && value_check(draft, value, st)) ||
	    (!strcmp(draft->key, "mode") && mode_check(value, st)))
		return -1;
	for (unsigned i = 0; i < draft->nvariants; i++)
		if (!strcmp(draft->variants[i].value, unset ? "" : value))
			return status_set(st, "'%s' is there twice; allowed is once", value);
	v->mode = is_place(draft->key) ? NULL : mode;
	snprintf(v->value, sizeof v->value, "%s", unset ? "" : value);
	name_variant(draft, v,
	             unset || !v->mode                 ? ""
	             : !strncmp(draft->key, "env.", 4) ? draft->key + 4
	                                               : draft->key,
	             value);
	draft->nvariants++;
	return 0;
}

static int compare_values(struct draft *draft, char *values, const char *mode, struct status *st)
{
	if (settings_is_check(draft->key))
		return status_set(st,
		                  "%s is a check, and no setting in which variants differ; "
		                  "allowed is another key",
		                  draft->key);
	if (!known_to_all(draft->key))
		draft->of_key = backend_using(draft->key);
	if (!strchr(values, ',') && !is_place(draft->key) && strcmp(trimmed(values), "default") &&
	    value_add(draft, "default", mode, st))
		return -1;
	for (char *value; (value = strsep(&values, ","));)
		if (value_add(draft, trimmed(value), mode, st))
			return -1;
	if (draft->nvariants < 2)
		return status_set(st,
		                  "%s: one value is compared with nothing; allowed are two or "
		                  "more",
		                  draft->key);
	return 0;
}

/* What is neither a word of ours nor KEY=VALUE. */
static int not_a_comparison(const char *answer, struct status *st)
{
	size_t n;
	const struct field *rows = settings_fields(&n), *row = field_find(rows, n, answer);
	struct suggestion guess = suggest_for(answer);
	char allowed[512];
	if (row) {
		field_allowed(row, allowed, sizeof allowed);
		return status_set(st, "%s needs its values, as in %s=A,B%s%s", answer, answer,
		                  allowed[0] ? "; allowed is " : "", allowed);
	}
	suggest_offer(&guess, MODES);
	suggest_offer(&guess, VERSIONS);
	for (size_t i = 0; i < n; i++)
		suggest_offer(&guess, rows[i].key);
	keys_offer_env(&guess);
	return status_set(st,
	                  "'%s' is not understood%s; allowed is " MODES ", " VERSIONS " or " SETTING
	                  " (`launchgap list keys` names keys and values)",
	                  answer, suggestion_text(&guess).text);
}

int draft_compare(struct draft *draft, const char *answer, const char *mode, struct status *st)
{
	struct draft d = {.of_collectives = draft->of_collectives, .test = CLAIM_TESTS};
	char text[DRAFT_ANSWER], *values = text;
	int rc = 0;
	if (*mode && mode_check(mode, st))
		return -1;
	memcpy(d.collectives, draft->collectives, sizeof d.collectives);
	memcpy(d.bytes, draft->bytes, sizeof d.bytes);
	snprintf(text, sizeof text, "%s", answer);
	const char *key = trimmed(strsep(&values, "="));
	if (!values && !strcmp(key, MODES)) {
		rc = compare_modes(&d, mode, st);
	} else if (!values && !strcmp(key, VERSIONS)) {
		compare_versions(&d, mode);
	} else if (!values || !keys_of_variant(key)) {
		rc = not_a_comparison(key, st);
	} else {
		strcpy(d.key, key);
		rc = compare_values(&d, values, usual_mode(mode), st);
	}
	if (!rc)
		*draft = d;
	return rc;
}

/* --- 2: what is measured --- */

int draft_collectives(struct draft *draft, const char *answer, struct status *st)
{
	struct spec *scratch = calloc(1, sizeof *scratch);
	const struct keys_target target = {scratch, NULL, NULL, false};
	const char *backend = NULL;
	int rc = scratch ? keys_apply(&target, "collective", answer, st)
	                 : status_set(st, "out of memory");
	for (unsigned i = 0; !rc && i < scratch->ncolls; i++) {
		const struct coll_info *coll = coll_info(scratch->colls[i]);
		if (coll->is & COLL_TRAINS)
			rc =
			    status_set(st,
			               "%s is of a model: it has experiments of its own, as "
			               "`launchgap run ddp_step model=gpt2_xl`; allowed is another "
			               "collective",
			               coll->name);
		for (const struct backend *const *b = backend_table;
		     scratch->colls[i] == COLL_INIT && *b && !backend; b++)
			backend = (*b)->is.connects ? (*b)->name : NULL;
	}
	free(scratch);
	if (rc)
		return rc;
	draft->of_collectives = backend;
	snprintf(draft->collectives, sizeof draft->collectives, "%s", answer);
	return 0;
}

int draft_bytes(struct draft *draft, const char *answer, struct status *st)
{
	size_t sizes[SIZES_MAX];
	unsigned n;
	struct status ignored = {""};
	char stepped[DRAFT_ANSWER];
	snprintf(stepped, sizeof stepped, "%.*s x4", DRAFT_ANSWER - 4, answer);
	const char *taken = sizes_parse(answer, sizes, &n, &ignored) ? stepped : answer;
	if (taken == stepped && sizes_parse(stepped, sizes, &n, &ignored))
		return sizes_parse(answer, sizes, &n, st);
	snprintf(draft->bytes, sizeof draft->bytes, "%s", taken);
	return 0;
}

/* --- 3: what is expected --- */

/* is: of left ÷ right, and of speed if the word is about that. */
static const struct relation {
	const char *word;
	enum claim_test is;
	bool speed;
} relations[] = {
    {"slower", CLAIM_LESS, true}, {"faster", CLAIM_MORE, true}, {"equal", CLAIM_WITHIN, false},
    {"less", CLAIM_LESS, false},  {"more", CLAIM_MORE, false},
};

#define NRELATIONS (sizeof relations / sizeof *relations)

void draft_relations(char *out, size_t bytes)
{
	for (size_t i = 0; i < NRELATIONS; i++)
		status_list(out, bytes, relations[i].word);
}

void draft_metrics(char *out, size_t bytes)
{
	for (unsigned i = 0; i < METRIC_KINDS; i++)
		status_list(out, bytes, metric_info((enum metric)i)->name);
}

/* The test in a metric; CLAIM_TESTS: it says nothing of speed. */
static enum claim_test test_of(const struct relation *r, enum metric metric)
{
	const char *unit = metric_info(metric)->unit;
	if (!r->speed || metric == METRIC_BUSBW)
		return r->is;
	if (strcmp(unit, "µs") && strcmp(unit, "ms"))
		return CLAIM_TESTS;
	return r->is == CLAIM_LESS ? CLAIM_MORE : CLAIM_LESS;
}

/* Bandwidth, unless all sizes are small ones. */
static enum metric usual_metric(const struct draft *draft)
{
	size_t sizes[SIZES_MAX];
	unsigned n;
	bool third;
	struct status ignored = {""};
	if (sizes_parse(draft->bytes, sizes, &n, &ignored))
		return METRIC_BUSBW;
	const struct claim_range small = claim_regime_range(REGIME_SMALL, true, sizes, n, &third);
	return third || sizes[n - 1] > small.hi ? METRIC_BUSBW : METRIC_LATENCY;
}

/* What an answer said so far. */
struct expected {
	const struct relation *relation;
	unsigned sides[2], nsides;
	enum metric metric;
	char share[16];
};

static int side_take(const struct draft *draft, unsigned i, struct expected *e, struct status *st)
{
	const struct draft_variant *v = &draft->variants[i];
	if (!strcmp(draft->key, "each") && v->value[0])
		return status_set(st,
		                  "%s becomes a variant for each library, which no claim can name "
		                  "yet; allowed are the others",
		                  v->name);
	if (e->nsides == 2)
		return status_set(st, "'%s' is a third variant; allowed are two", v->name);
	e->sides[e->nsides++] = i;
	return 0;
}

/* A word of the answer; 1: it is none. A value stands for its variant, if the word is nothing else. */
static int word_take(const struct draft *draft, const char *word, struct expected *e,
                     struct status *st)
{
	static const char *const fillers[] = {"is", "are", "than", "as",
	                                      "by", "in",  "to",   "within"};
	for (unsigned i = 0; i < draft->nvariants; i++)
		if (!strcmp(word, draft->variants[i].name))
			return side_take(draft, i, e, st);
	for (size_t i = 0; i < NRELATIONS; i++)
		if (!strcmp(word, relations[i].word)) {
			e->relation = &relations[i];
			return 0;
		}
	for (unsigned i = 0; i < METRIC_KINDS; i++)
		if (!strcmp(word, metric_info((enum metric)i)->name)) {
			e->metric = (enum metric)i;
			return 0;
		}
	for (unsigned i = 0; i < draft->nvariants; i++)
		if (!strcmp(word, draft->variants[i].value))
			return side_take(draft, i, e, st);
	for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
		if (!strcmp(word, fillers[i]))
			return 0;
	if (!strchr(word, '%'))
		return 1;
	snprintf(e->share, sizeof e->share, "%s", word);
	return 0;
}

static int not_expected(const struct draft *draft, const char *word, struct status *st)
{
	struct suggestion guess = suggest_for(word);
	char variants[512] = "", words[128] = "", metrics[256] = "";
	for (unsigned i = 0; i < draft->nvariants; i++) {
		suggest_offer(&guess, draft->variants[i].name);
		status_list(variants, sizeof variants, draft->variants[i].name);
	}
	for (size_t i = 0; i < NRELATIONS; i++)
		suggest_offer(&guess, relations[i].word);
	for (unsigned i = 0; i < METRIC_KINDS; i++)
		suggest_offer(&guess, metric_info((enum metric)i)->name);
	draft_relations(words, sizeof words);
	draft_metrics(metrics, sizeof metrics);
	return status_set(st,
	                  "'%s' is not understood%s; allowed are two variants (%s), one of %s "
	                  "between, a share as in 5%%, and one of %s",
	                  word, suggestion_text(&guess).text, variants, words, metrics);
}

/* "less by 2%", as a file has it, if the share is one. */
static int test_write(enum claim_test test, const char *share, char *out, size_t bytes,
                      struct status *st)
{
	size_t n;
	const struct field *rows = claim_fields(CLAIM_SECTION_CLAIM, &n);
	struct claim scratch;
	snprintf(out, bytes, "%s %s%s", claim_test_name(test), test == CLAIM_WITHIN ? "" : "by ",
	         share);
	return field_read(field_find(rows, n, "is"), out, &scratch, st);
}

int draft_expect(struct draft *draft, const char *answer, struct status *st)
{
	struct expected e = {.metric = METRIC_KINDS, .share = "2%"};
	char text[DRAFT_ANSWER], test[64], *rest = text;
	snprintf(text, sizeof text, "%s", answer);
	for (char *word; (word = strsep(&rest, BLANKS));) {
		const int rc = *word ? word_take(draft, word, &e, st) : 0;
		if (rc)
			return rc < 0 ? rc : not_expected(draft, word, st);
	}
	draft->test = CLAIM_TESTS;
	if (!answer[strspn(answer, BLANKS)])
		return 0;
	if (!e.relation || e.nsides < 2 || e.sides[0] == e.sides[1])
		return not_expected(draft, answer, st);
	const enum metric metric = e.metric == METRIC_KINDS ? usual_metric(draft) : e.metric;
	const enum claim_test is = test_of(e.relation, metric);
	if (is == CLAIM_TESTS)
		return status_set(st,
		                  "%s is no speed, so that nothing is %s in it; allowed is less, "
		                  "more or equal",
		                  metric_info(metric)->name, e.relation->word);
	if (test_write(is, e.share, test, sizeof test, st))
		return -1;
	draft->test = is;
	draft->left = e.sides[0];
	draft->right = e.sides[1];
	draft->metric = metric;
	memcpy(draft->share, e.share, sizeof draft->share);
	snprintf(draft->text, sizeof draft->text, "%s: %s %s %s (%s)",
	         draft->variants[draft->left].name, e.relation->word,
	         is == CLAIM_WITHIN ? "to" : "than", draft->variants[draft->right].name,
	         metric_info(metric)->summary);
	return 0;
}

/* --- the file --- */

static void key_write(FILE *out, const char *key, const char *value)
{
	if (value)
		fprintf(out, "%-14s = %s\n", key, value);
}

static void number_write(FILE *out, const char *key, unsigned value)
{
	if (value)
		fprintf(out, "%-14s = %u\n", key, value);
}

void draft_write(const struct draft *d, const char *name, FILE *out)
{
	const char *backend = d->of_key ? d->of_key : d->of_collectives;
	const struct metric_info *metric = d->test == CLAIM_TESTS ? NULL : metric_info(d->metric);
	char test[64];
	struct status ignored = {""};
	const bool modes = !strcmp(d->key, "mode"), libraries = !strcmp(d->key, "each");
	fprintf(out, "; What does %s change in %s?\n;\n",
	        modes       ? "the launch mode"
	        : libraries ? "NCCL's version"
	                    : d->key,
	        d->collectives);
	fprintf(out, "; Drafted by `launchgap new %s`; `launchgap list keys` names all keys.\n",
	        name);
	fputs("[experiment]\n", out);
	key_write(out, "collective", d->collectives);
	key_write(out, "bytes", d->bytes);
	/* The first of the two: a default runs where other values may not. */
	const unsigned reference = !metric ? 0 : d->left < d->right ? d->left : d->right;
	key_write(out, "reference", d->variants[reference].name);
	key_write(out, "backend", backend);
	key_write(out, "primary", metric ? "expected" : NULL);
	key_write(out, "counters", metric && metric->counters ? "yes" : NULL);
	number_write(out, "ranks", d->ranks);
	number_write(out, "isolated_calls", metric ? metric->least_calls : 0);
	for (unsigned i = 0; i < d->nvariants; i++) {
		const struct draft_variant *v = &d->variants[i];
		fprintf(out, "\n[variant %s]\n", v->name);
		if (v->mode)
			fprintf(out, "mode = %s\n", v->mode);
		if (v->value[0])
			fprintf(out, "%s = %s\n", d->key, v->value);
	}
	if (!metric)
		return;
	test_write(d->test, d->share, test, sizeof test, &ignored);
	fprintf(out,
	        "\n[claim expected]\ntext   = %s\nleft   = %s\nright  = %s\nmetric = %s\n"
	        "is     = %s\n",
	        d->text, d->variants[d->left].name, d->variants[d->right].name, metric->name, test);
}
