#include "claim.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../trial/sizes.h"

#define KIB     ((size_t)1 << 10)
#define MOST_BY ((uint64_t)(10000 * CLAIM_MOST_MARGIN)) /* hundredths of a percent */

// clang-format off
static const struct metric_info metrics[METRIC_KINDS] = {
    [METRIC_BUSBW] = {"busbw", "bus bandwidth", "GB/s", false, false, PACE_STREAM, true, REGIME_LARGE, 0, false},
    [METRIC_TIME] = {"time", "time per call", "µs", false, false, PACE_STREAM, false, REGIME_LARGE, 0, false},
    [METRIC_LATENCY] = {"latency", "p50 of isolated calls", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, 0, false},
    [METRIC_P95] = {"p95", "p95 of isolated calls", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, 0, false},
    [METRIC_P99] = {"p99", "p99 of isolated calls", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, METRIC_P99_CALLS, false},
    [METRIC_LAUNCH] = {"launch", "launch cost per call", "µs", false, true, CLAIM_ANY_PACE, false, REGIME_SMALL, 0, false},
    [METRIC_NVLINK_TX] = {"nvlink_tx", "sent over NVLink", "GB/s", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false},
    [METRIC_DRAM] = {"dram", "DRAM traffic", "GB/s", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false},
    [METRIC_DRAM_PER_NVLINK] = {"dram_per_nvlink", "DRAM bytes per byte sent over NVLink", "", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false},
    [METRIC_ISSUE_CORES] = {"issue_cores", "cores that are busy while calls are issued", "cores", true, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, false},
    [METRIC_COPIES] = {"copies", "bytes copied per byte delivered", "", true, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, false},
    [METRIC_INIT] = {"init", "making the communicators of a fresh job", "ms", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true},
    [METRIC_MEMORY] = {"memory", "CPU memory of all processes, each shared page once", "MiB", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true},
    [METRIC_RANK_MEMORY] = {"rank_memory", "memory of a rank: buffers, communicator, calls", "MiB", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true},
};
// clang-format on

static const char *const regimes[REGIME_KINDS] = {
    [REGIME_SMALL] = "small", [REGIME_LARGE] = "large"};

/* The usual range ends; they depend on whether ranks are GPUs. */
static const struct {
	size_t small_to, large_from;
} usual[] = {[false] = {4 * KIB, 256 * KIB}, [true] = {64 * KIB, 16 * KIB *KIB}};

static const char *const tests[CLAIM_TESTS + 1] = {"less", "more", "within", "needs"};

const struct metric_info *metric_info(enum metric metric)
{
	return &metrics[metric];
}

static const char *metric_name(unsigned i)
{
	return i < METRIC_KINDS ? metrics[i].name : NULL;
}

const char *claim_test_name(enum claim_test test)
{
	return tests[test];
}

const char *claim_regime_name(unsigned i)
{
	return i < REGIME_KINDS ? regimes[i] : NULL;
}

int claim_regime(const struct claim *c)
{
	return c->regime == CLAIM_ANY_REGIME ? metrics[c->metric].regime : c->regime;
}

bool claim_range_open(struct claim_range range)
{
	return range.lo == 0 && range.hi == SIZE_MAX;
}

/* Where in the list the sizes of a range begin; *count of them. */
static unsigned within(struct claim_range range, const size_t *sizes, unsigned n, unsigned *count)
{
	unsigned first = 0, end = n;
	while (first < n && sizes[first] < range.lo)
		first++;
	while (end > first && sizes[end - 1] > range.hi)
		end--;
	*count = end - first;
	return first;
}

struct claim_range claim_regime_range(enum regime_kind kind, bool gpus, const size_t *sizes,
                                      unsigned n, bool *third)
{
	const bool small = kind == REGIME_SMALL;
	const size_t small_to = usual[gpus].small_to, large_from = usual[gpus].large_from;
	const struct claim_range asked =
	    small ? (struct claim_range){0, small_to} : (struct claim_range){large_from, SIZE_MAX};
	const struct claim_range side = small ? (struct claim_range){0, large_from - 1}
	                                      : (struct claim_range){small_to + 1, SIZE_MAX};
	unsigned has, most;
	within(asked, sizes, n, &has);
	const size_t *list = sizes + within(side, sizes, n, &most);
	*third = !has && most;
	if (!*third)
		return asked;
	return small ? (struct claim_range){0, list[(most + 2) / 3 - 1]}
	             : (struct claim_range){list[most - (most + 2) / 3], SIZE_MAX};
}

/* --- the rows of [factor NAME] and [claim NAME]: as in a file and in the record --------------- */

static field_read_fn test_read;

#define FACTOR(FIELD) offsetof(struct factor, FIELD), sizeof(((struct factor *)0)->FIELD)
#define CLAIM(FIELD)  offsetof(struct claim, FIELD), sizeof(((struct claim *)0)->FIELD)

// clang-format off
static const struct field factor_rows[] = {
    {"name", FIELD_NAME, FACTOR(name), .record = true},
    {"text", FIELD_TEXT, FACTOR(text), .otherwise = "none", .help = "what it is"},
    {"from", FIELD_NAME, FACTOR(from), .otherwise = "required", .help = "the variant before"},
    {"to", FIELD_NAME, FACTOR(to), .otherwise = "required", .help = "the variant after"},
    {"setting", FIELD_TEXT, FACTOR(setting), .record = true},
    {"placebo", FIELD_FLAG, FACTOR(placebo), .initial = "no", .help = "a setting that should change nothing"},
    {"bytes", FIELD_RANGE, FACTOR(bytes), .otherwise = "gap_bytes", .help = "LO..HI"},
};

/* The first three apply to every claim, the last one to claims without a test. */
static const struct field claim_rows[] = {
    {"name", FIELD_NAME, CLAIM(name), .record = true},
    {"text", FIELD_TEXT, CLAIM(text), .otherwise = "required", .help = "the sentence"},
    {"is", FIELD_WORD, CLAIM(test), .lo = 1, .hi = MOST_BY, .words = tests, .read = test_read, .otherwise = "required",
     .help = "less by 2%, more by 2%, within 2%"},
    {"left", FIELD_NAME, CLAIM(left), .otherwise = "required", .help = "a variant"},
    {"right", FIELD_NAME, CLAIM(right), .otherwise = "required", .help = "a variant"},
    {"metric", FIELD_WORD, CLAIM(metric), .word = metric_name, .otherwise = "required", .help = "what is compared"},
    {"by", FIELD_PERCENT, CLAIM(by), .hi = MOST_BY, .record = true},
    {"bytes", FIELD_RANGE, CLAIM(bytes), .otherwise = "the regime's", .help = "LO..HI: other sizes"},
    {"regime", FIELD_MAYBE, CLAIM(regime), .word = claim_regime_name, .optional = true, .otherwise = "the metric's", .help = "its sizes"},
    {"pace", FIELD_MAYBE, CLAIM(pace), .words = coll_pace_names, .optional = true, .otherwise = "the metric's"},
    {"collective", FIELD_MAYBE, CLAIM(coll), .word = coll_name, .optional = true, .otherwise = "all"},
    {"needs", FIELD_TEXT, CLAIM(needs), .otherwise = "none", .help = "in place of a test: what it would take"},
};

static const struct field gap_rows[] = {
    {"from", FIELD_NAME, .at = offsetof(struct gap, from), .bytes = TRIAL_NAME_BYTES},
    {"to", FIELD_NAME, .at = offsetof(struct gap, to), .bytes = TRIAL_NAME_BYTES},
    {"bytes", FIELD_RANGE, .at = offsetof(struct gap, bytes)},
};

static const struct field primary_row = {"primary", FIELD_NAME, 0, TRIAL_NAME_BYTES, .optional = true};
// clang-format on

#define NROWS(ROWS) (sizeof(ROWS) / sizeof *(ROWS))
#define OF_EVERY    3

const struct field *claim_fields(bool of_claims, size_t *n)
{
	*n = of_claims ? NROWS(claim_rows) : NROWS(factor_rows);
	return of_claims ? claim_rows : factor_rows;
}

/* "less by 2%" */
static int test_read(const struct field *key, const char *text, void *base, struct status *st)
{
	static const char *const forms[] = {"less by ", "more by ", "within "};
	struct claim *claim = base;
	struct status why = {""};
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t n = strlen(forms[i]);
		if (strncmp(text, forms[i], n))
			continue;
		if (field_percent(key, text + n + strspn(text + n, " "), &claim->by, &why))
			break;
		claim->test = (enum claim_test)i;
		return 0;
	}
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed is less by X%%, more by X%% or "
	                  "within X%%, X from 0.01 to %g",
	                  key->key, text, 100 * CLAIM_MOST_MARGIN);
}

/* The rows that the record has of a claim beyond the common ones. */
static const struct field *rows_of(const struct claim *c, size_t *n)
{
	const size_t last = NROWS(claim_rows) - 1;
	*n = c->test == CLAIM_NEEDS ? 1 : last - OF_EVERY;
	return c->test == CLAIM_NEEDS ? &claim_rows[last] : &claim_rows[OF_EVERY];
}

static json_t *claim_json(const struct claim *c)
{
	size_t n;
	const struct field *rows = rows_of(c, &n);
	json_t *json = field_object(claim_rows, OF_EVERY, c), *more = field_object(rows, n, c);
	if (!json || !more || json_object_update(json, more)) {
		json_decref(json);
		json = NULL;
	}
	json_decref(more);
	return json;
}

int claim_list_put(const struct claim_list *list, json_t *environment)
{
	json_t *factors = json_array(), *claims = json_array();
	int bad = 0;
	for (unsigned i = 0; i < list->nfactors; i++)
		bad |= json_array_append_new(
		    factors, field_object(factor_rows, NROWS(factor_rows), &list->factors[i]));
	for (unsigned i = 0; i < list->nclaims; i++)
		bad |= json_array_append_new(claims, claim_json(&list->claims[i]));
	bad |= json_object_set_new(environment, "factors", factors);
	bad |= json_object_set_new(environment, "claims", claims);
	bad |= json_object_set_new(
	    environment, "gap",
	    list->gap.from[0] ? field_object(gap_rows, NROWS(gap_rows), &list->gap) : json_null());
	if (list->primary.n)
		bad |= json_object_set_new(environment, "primary",
		                           json_string(list->primary.names[0]));
	return bad ? -1 : 0;
}

static int factor_take(const json_t *from, struct factor *out, struct status *st)
{
	if (field_object_take(factor_rows, NROWS(factor_rows), from, out, st))
		return -1;
	out->latency_bytes = out->bytes;
	return 0;
}

static int claim_take(const json_t *from, struct claim *out, struct status *st)
{
	size_t n;
	out->pace = out->coll = out->regime = -1;
	if (field_object_take(claim_rows, OF_EVERY, from, out, st))
		return -1;
	const struct field *rows = rows_of(out, &n);
	return field_object_take(rows, n, from, out, st);
}

static int list_fail(const char *what, size_t i, const struct status *why, struct status *st)
{
	return status_set(st, "the record's environment, %s %zu: %s", what, i + 1, why->text);
}

int claim_list_take(const json_t *environment, struct claim_list *out, struct status *st)
{
	const json_t *factors = json_object_get(environment, "factors");
	const json_t *claims = json_object_get(environment, "claims");
	const json_t *gap = json_object_get(environment, "gap");
	struct claim_list list = {0};
	struct status why = {""};
	size_t nfactors = json_array_size(factors), nclaims = json_array_size(claims);
	if (nfactors > CLAIM_MAX || nclaims > CLAIM_MAX)
		return status_set(st,
		                  "the record's environment has %zu factors and %zu claims; "
		                  "allowed are %d of each",
		                  nfactors, nclaims, CLAIM_MAX);
	list.nfactors = (unsigned)nfactors;
	list.nclaims = (unsigned)nclaims;
	for (size_t i = 0; i < nfactors; i++)
		if (factor_take(json_array_get(factors, i), &list.factors[i], &why))
			return list_fail("factor", i, &why, st);
	for (size_t i = 0; i < nclaims; i++)
		if (claim_take(json_array_get(claims, i), &list.claims[i], &why))
			return list_fail("claim", i, &why, st);
	if (json_is_object(gap) &&
	    field_object_take(gap_rows, NROWS(gap_rows), gap, &list.gap, &why))
		return list_fail("gap", 0, &why, st);
	const json_t *primary = json_object_get(environment, "primary");
	list.primary.n = primary != NULL;
	if (field_from_json(&primary_row, primary, list.primary.names[0], &why))
		return status_set(st, "the record's environment: %s", why.text);
	*out = list;
	return 0;
}

/* "FROM, TO", and where it ends: at the text's end, or after an "or". */
static bool ends_read(const char **text, struct gap_ends *out)
{
	int n = 0;
	if (sscanf(*text, " %63[^, \t] , %63[^, \t]%n", out->from, out->to, &n) != 2 ||
	    !field_is_name(out->from, sizeof out->from) ||
	    !field_is_name(out->to, sizeof out->to) || !strcmp(out->from, out->to))
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

int claim_primary_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct primary *primary = (struct primary *)(void *)((char *)base + key->at), read = {0};
	const char *rest = text;
	int n;
	bool good;
	do {
		char *name = read.names[read.n];
		n = 0;
		good = sscanf(rest, " %63[^ \t]%n", name, &n) == 1 &&
		       field_is_name(name, sizeof read.names[0]);
		rest += n;
		read.n++;
		n = 0;
		sscanf(rest, " or%n", &n);
		rest += n;
	} while (good && n && read.n < CLAIM_PRIMARIES);
	if (!good || rest[strspn(rest, " \t")])
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is a claim's name, and up "
		                  "to %d more such after an 'or' each",
		                  key->key, text, CLAIM_PRIMARIES - 1);
	*primary = read;
	return 0;
}

int claim_gap_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct gap *gap = (struct gap *)(void *)((char *)base + key->at);
	struct gap_ends ends[1 + GAP_OTHERS] = {{"", ""}};
	const char *rest = text;
	unsigned n = 0;
	do {
		if (n == 1 + GAP_OTHERS || !ends_read(&rest, &ends[n++]))
			return status_set(st,
			                  "%s = '%s' is not allowed; allowed is FROM, TO: two "
			                  "variants, and up to %d more such after an 'or' each",
			                  key->key, text, GAP_OTHERS);
	} while (*rest);
	memcpy(gap->from, ends[0].from, sizeof gap->from);
	memcpy(gap->to, ends[0].to, sizeof gap->to);
	memcpy(gap->others, ends + 1, sizeof gap->others);
	gap->nothers = n - 1;
	return 0;
}
