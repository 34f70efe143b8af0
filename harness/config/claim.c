#include "claim.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../trial/sizes.h"

#define KIB ((size_t)1 << 10)

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

/* The usual ends, by whether ranks are GPUs. */
static const struct {
	size_t small_to, large_from;
} usual[] = {[false] = {4 * KIB, 256 * KIB}, [true] = {64 * KIB, 16 * KIB *KIB}};

static const char *const tests[CLAIM_TESTS] = {"less", "more", "within", "needs"};

const struct metric_info *metric_info(enum metric metric)
{
	return &metrics[metric];
}

const char *metric_name(unsigned i)
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
static unsigned within(struct claim_range range, const size_t *sizes, unsigned n,
                       unsigned *count)
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
	const struct claim_range asked = small ? (struct claim_range){0, small_to}
	                                       : (struct claim_range){large_from, SIZE_MAX};
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

/* [lo, hi], hi null where there is no end. */
static json_t *range_json(struct claim_range range)
{
	if (range.hi == SIZE_MAX)
		return json_pack("[I, n]", (json_int_t)range.lo);
	return json_pack("[I, I]", (json_int_t)range.lo, (json_int_t)range.hi);
}

static json_t *factor_json(const struct factor *f)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:o}", "name", f->name, "text",
	                 f->text, "from", f->from, "to", f->to, "setting", f->setting,
	                 "placebo", (int)f->placebo, "bytes", range_json(f->bytes));
}

static json_t *claim_json(const struct claim *c)
{
	json_t *json = json_pack("{s:s, s:s, s:s}", "name", c->name, "text", c->text, "is",
	                         tests[c->test]);
	if (c->test == CLAIM_NEEDS) {
		json_object_set_new(json, "needs", json_string(c->needs));
		return json;
	}
	json_t *more = json_pack(
	    "{s:s, s:s, s:s, s:f, s:o, s:o, s:o, s:o}", "left", c->left, "right", c->right,
	    "metric", metrics[c->metric].name, "by", c->by, "bytes", range_json(c->bytes),
	    "regime", c->regime < 0 ? json_null() : json_string(regimes[c->regime]), "pace",
	    c->pace < 0 ? json_null() : json_string(coll_pace_name((enum pace)c->pace)),
	    "collective",
	    c->coll < 0 ? json_null() : json_string(coll_info((enum coll_kind)c->coll)->name));
	if (json && json_object_update(json, more)) {
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
		bad |= json_array_append_new(factors, factor_json(&list->factors[i]));
	for (unsigned i = 0; i < list->nclaims; i++)
		bad |= json_array_append_new(claims, claim_json(&list->claims[i]));
	bad |= json_object_set_new(environment, "factors", factors);
	bad |= json_object_set_new(environment, "claims", claims);
	json_t *gap = json_null();
	if (list->gap.from[0])
		gap = json_pack("{s:s, s:s, s:o}", "from", list->gap.from, "to", list->gap.to,
		                "bytes", range_json(list->gap.bytes));
	bad |= json_object_set_new(environment, "gap", gap);
	if (list->primary.n)
		bad |= json_object_set_new(environment, "primary",
		                           json_string(list->primary.names[0]));
	return bad ? -1 : 0;
}

/* Copies a text that has to be there and to fit. */
static int take_text(const json_t *from, const char *key, char *out, size_t bytes,
                     struct status *st)
{
	const char *text = json_string_value(json_object_get(from, key));
	if (!text || strlen(text) >= bytes)
		return status_set(st, "\"%s\" has to be a text of less than %zu bytes", key,
		                  bytes);
	strcpy(out, text);
	return 0;
}

/* A word that `find` knows, or nothing and null: -1. */
static int take_word(const json_t *from, const char *key, int (*find)(const char *), int *out,
                     struct status *st)
{
	const json_t *value = json_object_get(from, key);
	*out = -1;
	if (!value || json_is_null(value))
		return 0;
	const char *text = json_string_value(value);
	*out = text ? find(text) : -1;
	return *out < 0 ? status_set(st, "\"%s\" is no word that is known here", key) : 0;
}

static int take_range(const json_t *from, struct claim_range *out, struct status *st)
{
	const json_t *range = json_object_get(from, "bytes");
	const json_t *lo = json_array_get(range, 0), *hi = json_array_get(range, 1);
	*out = (struct claim_range){0, SIZE_MAX};
	if (json_array_size(range) != 2 || !json_is_integer(lo) || json_integer_value(lo) < 0 ||
	    !(json_is_null(hi) || json_is_integer(hi)) || json_integer_value(hi) < 0)
		return status_set(st, "\"bytes\" has to be a list of two sizes, the second a "
		                      "number or null");
	out->lo = (size_t)json_integer_value(lo);
	if (json_is_integer(hi))
		out->hi = (size_t)json_integer_value(hi);
	return 0;
}

static int find_metric(const char *name)
{
	for (int i = 0; i < METRIC_KINDS; i++)
		if (!strcmp(metrics[i].name, name))
			return i;
	return -1;
}

static int find_regime(const char *name)
{
	for (int i = 0; i < REGIME_KINDS; i++)
		if (!strcmp(regimes[i], name))
			return i;
	return -1;
}

static int find_test(const char *name)
{
	for (int i = 0; i < CLAIM_TESTS; i++)
		if (!strcmp(tests[i], name))
			return i;
	return -1;
}

static int factor_take(const json_t *from, struct factor *out, struct status *st)
{
	if (take_text(from, "name", out->name, sizeof out->name, st) ||
	    take_text(from, "text", out->text, sizeof out->text, st) ||
	    take_text(from, "from", out->from, sizeof out->from, st) ||
	    take_text(from, "to", out->to, sizeof out->to, st) ||
	    take_text(from, "setting", out->setting, sizeof out->setting, st) ||
	    take_range(from, &out->bytes, st))
		return -1;
	out->latency_bytes = out->bytes;
	out->placebo = json_is_true(json_object_get(from, "placebo"));
	return 0;
}

static int claim_take(const json_t *from, struct claim *out, struct status *st)
{
	int test, metric;
	if (take_text(from, "name", out->name, sizeof out->name, st) ||
	    take_text(from, "text", out->text, sizeof out->text, st) ||
	    take_word(from, "is", find_test, &test, st))
		return -1;
	if (test < 0)
		return status_set(st, "\"is\" is missing");
	out->test = (enum claim_test)test;
	out->pace = out->coll = out->regime = -1;
	if (out->test == CLAIM_NEEDS)
		return take_text(from, "needs", out->needs, sizeof out->needs, st);
	if (take_text(from, "left", out->left, sizeof out->left, st) ||
	    take_text(from, "right", out->right, sizeof out->right, st) ||
	    take_word(from, "metric", find_metric, &metric, st) ||
	    take_word(from, "regime", find_regime, &out->regime, st) ||
	    take_word(from, "pace", coll_find_pace, &out->pace, st) ||
	    take_word(from, "collective", coll_find, &out->coll, st) ||
	    take_range(from, &out->bytes, st))
		return -1;
	if (metric < 0)
		return status_set(st, "\"metric\" is missing");
	out->metric = (enum metric)metric;
	out->by = json_number_value(json_object_get(from, "by"));
	if (!(out->by > 0 && out->by <= CLAIM_MOST_MARGIN))
		return status_set(st, "\"by\" has to be a number above 0, up to %g",
		                  CLAIM_MOST_MARGIN);
	return 0;
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
	    (take_text(gap, "from", list.gap.from, sizeof list.gap.from, &why) ||
	     take_text(gap, "to", list.gap.to, sizeof list.gap.to, &why) ||
	     take_range(gap, &list.gap.bytes, &why)))
		return list_fail("gap", 0, &why, st);
	if (json_object_get(environment, "primary")) {
		list.primary.n = 1;
		if (take_text(environment, "primary", list.primary.names[0],
		              sizeof list.primary.names[0], &why))
			return status_set(st, "the record's environment: %s", why.text);
	}
	*out = list;
	return 0;
}

/* One size without blanks around it. */
static int size_read(const char *text, size_t bytes, size_t *out, struct status *st)
{
	char copy[64];
	size_t sizes[SIZES_MAX];
	unsigned count;
	snprintf(copy, sizeof copy, "%.*s", (int)bytes, text);
	if (strchr(copy, ',') || sizes_parse(copy, sizes, &count, st) || count != 1)
		return -1;
	*out = sizes[0];
	return 0;
}

int claim_range_read(const struct field *key, const char *text, void *base, struct status *st)
{
	struct claim_range *range = (struct claim_range *)(void *)((char *)base + key->at),
	                   read;
	struct status why = {""};
	const char *dots = strstr(text, "..");
	size_t first = dots ? (size_t)(dots - text) : strlen(text);
	if (size_read(text, first, &read.lo, &why) ||
	    size_read(dots ? dots + 2 : text, strlen(text), &read.hi, &why) ||
	    read.lo > read.hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is LO..HI, both included, "
		                  "as in 16M..1G, or one size",
		                  key->key, text);
	*range = read;
	return 0;
}

/* "FROM, TO", and where it ends: at the text's own end, or behind an "or". */
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
	struct primary *primary = (struct primary *)(void *)((char *)base + key->at),
	               read = {0};
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
		                  "to %d more such behind an 'or' each",
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
			return status_set(
			    st,
			    "%s = '%s' is not allowed; allowed is FROM, TO: two "
			    "variants, and up to %d more such behind an 'or' each",
			    key->key, text, GAP_OTHERS);
	} while (*rest);
	memcpy(gap->from, ends[0].from, sizeof gap->from);
	memcpy(gap->to, ends[0].to, sizeof gap->to);
	memcpy(gap->others, ends + 1, sizeof gap->others);
	gap->nothers = n - 1;
	return 0;
}
