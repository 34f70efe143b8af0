#include "claim.h"

#include "../memory.h"
#include "../trial/trial.h"

#define KIB     ((size_t)1 << 10)
#define MOST_OF 10000000                                /* a thousand times, in the same */
#define MOST_BY ((uint64_t)(10000 * CLAIM_MOST_MARGIN)) /* hundredths of a percent */

// clang-format off
static const struct metric_info metrics[METRIC_KINDS] = {
    [METRIC_BUSBW] = {"busbw", "bus bandwidth", "bus bandwidth", "GB/s", false, false, PACE_STREAM, true, REGIME_LARGE, 0, false, false},
    [METRIC_TIME] = {"time", "time per call", "call time", "µs", false, false, PACE_STREAM, false, REGIME_LARGE, 0, false, false},
    [METRIC_LATENCY] = {"latency", "p50 of single calls", "latency (p50)", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, 0, false, false},
    [METRIC_P95] = {"p95", "p95 of single calls", "latency (p95)", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, 0, false, false},
    [METRIC_P99] = {"p99", "p99 of single calls", "latency (p99)", "µs", false, true, PACE_ISOLATED, false, REGIME_SMALL, TRIAL_P99_CALLS, false, false},
    [METRIC_LAUNCH] = {"launch", "launch cost per call", "launch cost", "µs", false, true, CLAIM_ANY_PACE, false, REGIME_SMALL, 0, false, false},
    [METRIC_NVLINK_TX] = {"nvlink_tx", "sent over NVLink", "NVLink traffic", "GB/s", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false, false},
    [METRIC_DRAM] = {"dram", "DRAM traffic", "DRAM traffic", "GB/s", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false, false},
    [METRIC_DRAM_PER_NVLINK] = {"dram_per_nvlink", "DRAM bytes per byte sent over NVLink", "DRAM bytes per NVLink byte", "", true, false, CLAIM_ANY_PACE, true, CLAIM_ANY_REGIME, 0, false, false},
    [METRIC_ISSUE_CORES] = {"issue_cores", "cores that are busy while calls are issued", "busy cores", "cores", true, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, false, false},
    [METRIC_COPIES] = {"copies", "bytes copied per byte delivered", "bytes copied per byte", "", true, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, false, false},
    [METRIC_INIT] = {"init", "making the communicators of a fresh job", "setup time", "ms", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true, true},
    [METRIC_MEMORY] = {"memory", "CPU memory of all processes, each shared page once", "CPU memory", "MiB", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true, false},
    [METRIC_RANK_MEMORY] = {"rank_memory", "memory of a rank: buffers, communicator, calls", "memory per rank", "MiB", false, false, CLAIM_ANY_PACE, false, CLAIM_ANY_REGIME, 0, true, true},
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

int claim_coll(const struct claim *c, bool right)
{
	const char *own = right ? c->right_coll : c->left_coll;
	return *own ? coll_find(own) : c->coll;
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
	const unsigned first = within(side, sizes, n, &most);
	*third = !has && most;
	if (!*third)
		return asked;
	const size_t *list = sizes + first;
	return small ? (struct claim_range){0, list[(most + 2) / 3 - 1]}
	             : (struct claim_range){list[most - (most + 2) / 3], SIZE_MAX};
}

/* --- the rows of [factor NAME] and [claim NAME]: as in a file and in the record --------------- */

static field_read_fn test_read;

#define FACTOR(FIELD) offsetof(struct factor, FIELD), sizeof(((struct factor *)0)->FIELD)
#define SOURCE(FIELD)                                                                              \
	offsetof(struct claim_source, FIELD), sizeof(((struct claim_source *)0)->FIELD)
#define CLAIM(FIELD) offsetof(struct claim, FIELD), sizeof(((struct claim *)0)->FIELD)

// clang-format off
static const struct field factor_rows[] = {
    {"name", FIELD_NAME, FACTOR(name), .record = true},
    {"text", FIELD_TEXT, FACTOR(text), .otherwise = "none", .help = "what it is"},
    {"from", FIELD_NAME, FACTOR(from), .otherwise = "required", .help = "the variant before"},
    {"to", FIELD_NAME, FACTOR(to), .otherwise = "required", .help = "the variant after"},
    {"setting", FIELD_TEXT, FACTOR(setting), .record = true},
    {"placebo", FIELD_FLAG, FACTOR(placebo), .initial = "no", .help = "a setting that should change nothing"},
    {"bytes", FIELD_RANGE, FACTOR(bytes), .otherwise = "of the claims", .help = "LO..HI"},
};

static const struct field source_rows[] = {
    {"name", FIELD_NAME, SOURCE(name), .record = true},
    {"by", FIELD_TEXT, SOURCE(by), .otherwise = "required", .help = "who says it: a report on 8 × H800"},
    {"where", FIELD_TEXT, SOURCE(where), .otherwise = "required", .help = "an address, a title"},
    {"machine", FIELD_TEXT, SOURCE(machine), .otherwise = "none", .help = "on which it was measured"},
};

/* The first six apply to every claim, the last one to claims without a test. */
static const struct field claim_rows[] = {
    {"name", FIELD_NAME, CLAIM(name), .record = true},
    {"text", FIELD_TEXT, CLAIM(text), .otherwise = "says", .help = "the sentence"},
    {"source", FIELD_NAME, CLAIM(source), .optional = true, .otherwise = "none", .help = "a [source NAME], whose line it tests"},
    {"says", FIELD_TEXT, CLAIM(says), .optional = true, .otherwise = "none", .help = "that line, in English"},
    {"original", FIELD_TEXT, CLAIM(original), .optional = true, .otherwise = "none", .help = "and in the source's own words"},
    {"is", FIELD_WORD, CLAIM(test), .lo = 1, .hi = MOST_BY, .words = tests, .read = test_read, .otherwise = "required", .help = "less by 2%, more by 2%, within 2%, within 20% of 60%"},
    {"left", FIELD_NAME, CLAIM(left), .otherwise = "required", .help = "a variant"},
    {"right", FIELD_NAME, CLAIM(right), .otherwise = "required", .help = "a variant"},
    {"metric", FIELD_WORD, CLAIM(metric), .word = metric_name, .otherwise = "required", .help = "what is compared"},
    {"by", FIELD_PERCENT, CLAIM(by), .hi = MOST_BY, .record = true},
    {"of", FIELD_REAL, CLAIM(of), .record = true, .optional = true},
    {"bytes", FIELD_RANGE, CLAIM(bytes), .otherwise = "the regime's", .help = "LO..HI: other sizes"},
    {"regime", FIELD_MAYBE, CLAIM(regime), .word = claim_regime_name, .optional = true, .otherwise = "the metric's", .help = "the sizes that it is about"},
    {"pace", FIELD_MAYBE, CLAIM(pace), .words = coll_pace_names, .optional = true, .otherwise = "the metric's", .help = "how calls are timed"},
    {"collective", FIELD_MAYBE, CLAIM(coll), .word = coll_name, .optional = true, .otherwise = "all", .help = "one of the experiment's"},
    {"left_collective", FIELD_CHOICE, CLAIM(left_coll), .word = coll_name, .optional = true, .otherwise = "collective", .help = "of left alone; with right_collective"},
    {"right_collective", FIELD_CHOICE, CLAIM(right_coll), .word = coll_name, .optional = true, .otherwise = "collective", .help = "of right alone"},
    {"needs", FIELD_TEXT, CLAIM(needs), .otherwise = "none", .help = "in place of a test: what it would take"},
};

static const struct field gap_rows[] = {
    {"from", FIELD_NAME, .at = offsetof(struct gap, from), .bytes = TRIAL_NAME_BYTES},
    {"to", FIELD_NAME, .at = offsetof(struct gap, to), .bytes = TRIAL_NAME_BYTES},
    {"bytes", FIELD_RANGE, .at = offsetof(struct gap, bytes)},
};

// clang-format on

const struct fields claim_factor_fields = FIELDS_OF(factor_rows, struct factor),
                    claim_fields = FIELDS_OF(claim_rows, struct claim),
                    claim_source_fields = FIELDS_OF(source_rows, struct claim_source);
static const struct fields gaps = FIELDS_OF(gap_rows, struct gap);

/* What the record has of each claim, of one with a test, and of one without. */
#define OF_EVERY  6
#define OF_NEEDED (sizeof claim_rows / sizeof *claim_rows - 1)
static const struct fields of_every = {claim_rows, OF_EVERY, sizeof(struct claim)},
                           of_tested = {claim_rows + OF_EVERY, OF_NEEDED - OF_EVERY,
                                        sizeof(struct claim)},
                           of_needed = {claim_rows + OF_NEEDED, 1, sizeof(struct claim)};

#define ASKED(FIELD) offsetof(struct claim_list, FIELD)
#define LIST(FIELD)  ASKED(FIELD), ASKED(n##FIELD)
// clang-format off
static const struct field list_rows[] = {
    {"factors", FIELD_ARRAY, LIST(factors), .hi = CLAIM_MAX, .list = &claim_factor_fields, .optional = true},
    {"claims", FIELD_ARRAY, LIST(claims), .hi = CLAIM_MAX, .list = &of_every, .optional = true},
    {"sources", FIELD_ARRAY, LIST(sources), .hi = CLAIM_SOURCES, .list = &claim_source_fields, .optional = true},
    {"gap", FIELD_OBJECT, ASKED(gap), .list = &gaps, .optional = true},
    {"primary", FIELD_NAME, ASKED(primary), TRIAL_NAME_BYTES, .optional = true},
};
// clang-format on
static const struct fields lists = FIELDS_OF(list_rows, struct claim_list);

/* Its other members, after those of every claim. */
static const struct fields *rest_of(const struct claim *c)
{
	return c->test == CLAIM_NEEDS ? &of_needed : &of_tested;
}

/* " of 60%" after a test's share, or nothing; *share is cut before it. */
static int of_read(char *share, double *of, struct status *st)
{
	static const struct field bounds = {"of", FIELD_PERCENT, .lo = 1, .hi = MOST_OF};
	char *at = strstr(share, " of ");
	if (!at)
		return 0;
	*at = '\0';
	return field_percent(&bounds, at + 4 + strspn(at + 4, " "), of, st);
}

/* "less by 2%", "within 20% of 60%" */
static int test_read(const struct field *key, const char *text, void *base, struct status *st)
{
	static const char *const forms[] = {"less by ", "more by ", "within "};
	struct claim *claim = base;
	struct status why = {""};
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		size_t n = strlen(forms[i]);
		char share[64];
		double of = 0;
		if (strncmp(text, forms[i], n))
			continue;
		snprintf(share, sizeof share, "%s", text + n + strspn(text + n, " "));
		if ((i == CLAIM_WITHIN && of_read(share, &of, &why)) ||
		    field_percent(key, share, &claim->by, &why))
			break;
		claim->test = (enum claim_test)i;
		claim->of = of;
		return 0;
	}
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed is less by X%%, more by X%%, within "
	                  "X%% or within X%% of Y%%, X from 0.01 to %g, Y from 0.01 to %g",
	                  key->key, text, 100 * CLAIM_MOST_MARGIN, MOST_OF / 100.);
}

int claim_list_put(const struct claim_list *list, json_t *environment)
{
	json_t *all = field_object(&lists, list), *claims = json_object_get(all, "claims");
	int bad = !all;
	for (unsigned i = 0; i < list->nclaims && !bad; i++)
		bad = json_object_update_new(
		    json_array_get(claims, i),
		    field_object(rest_of(&list->claims[i]), &list->claims[i]));
	if (!list->nsources)
		json_object_del(all, "sources");
	if (!list->primary[0])
		json_object_del(all, "primary");
	if (!list->gap.from[0])
		json_object_set_new(all, "gap", json_null());
	return json_object_update_new(environment, all) || bad ? -1 : 0;
}

static int claim_take(const json_t *from, struct claim *out, struct status *st)
{
	out->pace = out->coll = out->regime = -1;
	if (field_object_take(rest_of(out), from, out, st))
		return -1;
	if (!out->left_coll[0] != !out->right_coll[0] ||
	    (out->left_coll[0] && (claim_coll(out, false) < 0 || claim_coll(out, true) < 0)))
		return status_set(st,
		                  "left_collective and right_collective are no two collectives");
	return 0;
}

int claim_list_take(const json_t *environment, struct claim_list *out, struct status *st)
{
	struct claim_list list = {0};
	struct status why = {""};
	const json_t *claims = json_object_get(environment, "claims");
	if (field_object_take(&lists, environment, &list, &why))
		return status_set(st, "the record's environment, %s", why.text);
	for (unsigned i = 0; i < list.nfactors; i++)
		list.factors[i].latency_bytes = list.factors[i].bytes;
	for (unsigned i = 0; i < list.nclaims; i++)
		if (claim_take(json_array_get(claims, i), &list.claims[i], &why))
			return status_set(st, "the record's environment, claims %u: %s", i + 1,
			                  why.text);
	*out = list;
	return 0;
}

/* "a, b": an alternative of so many names. Writes into the text. */
static bool alternative_read(char *text, unsigned each, struct claim_names *out)
{
	const char *before = "";
	unsigned n = 0;
	for (char *name; (name = strsep(&text, ",")); n++) {
		name += strspn(name, " \t");
		for (size_t end = strlen(name); end && strchr(" \t", name[end - 1]);)
			name[--end] = '\0';
		if (out->n == CLAIM_NAMES || !field_is_name(name, TRIAL_NAME_BYTES) ||
		    !strcmp(name, before))
			return false;
		before = strcpy(out->names[out->n++], name);
	}
	return n == each;
}

int claim_names_read(const struct field *key, const char *text, void *base, struct status *st)
{
	static const char between[] = " else ";
	struct claim_names read = {0};
	const unsigned each = (unsigned)key->lo; /* names of an alternative */
	char *copy = memory_text(text), *at = copy, *next;
	bool good = true;
	do {
		next = strstr(at, between);
		if (next)
			*next = '\0';
		good = good && alternative_read(at, each, &read);
		at = next ? next + strlen(between) : at;
	} while (next);
	free(copy);
	if (good) {
		memcpy((char *)base + key->at, &read, sizeof read);
		return 0;
	}
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed is %s; alternatives follow `else`, "
	                  "at most %u in all",
	                  key->key, text, each == 2 ? "FROM, TO: two variants" : "a claim's name",
	                  CLAIM_NAMES / each);
}
