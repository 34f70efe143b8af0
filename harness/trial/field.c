#include "field.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "../coll/split.h"
#include "../memory.h"
#include "../suggest.h"
#include "layout.h"
#include "sizes.h"

static const struct unit {
	const char *name;
	uint64_t factor;
} time_units[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000}, {"s", 1000000000},
    {"m", 60000000000}, {"h", 3600000000000}, {NULL, 0},
};

static bool is_wide(const struct field *f)
{
	return f->kind == FIELD_WIDE || f->kind == FIELD_NS;
}

/* Where whole numbers are: a word's index and a flag too. */
static int64_t number_get(const struct field *f, const void *at)
{
	if (f->kind == FIELD_FLAG)
		return *(const bool *)at;
	if (is_wide(f))
		return *(const int64_t *)at;
	const bool natural = f->kind != FIELD_RANK && f->kind != FIELD_MAYBE;
	return natural ? (int64_t) * (const unsigned *)at : *(const int *)at;
}

static int number_put(const struct field *f, void *at, int64_t n)
{
	if (f->kind == FIELD_FLAG)
		*(bool *)at = n;
	else if (is_wide(f))
		*(int64_t *)at = n;
	else
		*(int *)at = (int)n;
	return 0;
}

/* Digits and a unit, or `bare` of the first. False: another form, or out of bounds. */
static bool number_of(const struct field *f, const char *text, const struct unit *unit,
                      uint64_t bare, int64_t *out)
{
	char *end;
	errno = 0;
	const unsigned long long n = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno)
		return false;
	uint64_t factor = !n ? 1 : bare, product;
	while (*end && unit->name && strcmp(end, unit->name))
		unit++;
	if (*end)
		factor = unit->factor;
	if (!factor || __builtin_mul_overflow((uint64_t)n, factor, &product) ||
	    product > INT64_MAX || product < f->lo || product > f->hi)
		return false;
	*out = (int64_t)product;
	return true;
}

/* The word that a whole number's row allows too, for its `number`; NULL: none. */
static const char *or_word(const struct field *f, int64_t *number)
{
	*number = f->kind == FIELD_RANK ? -1 : 0;
	return f->kind == FIELD_AUTO ? "auto" : f->kind == FIELD_RANK ? "all" : NULL;
}

static int number_read(const struct field *f, const char *text, int64_t *out, struct status *st)
{
	static const struct unit none = {NULL, 0};
	const char * or = or_word(f, out);
	if ((or &&!strcmp(text, or)) || number_of(f, text, &none, 1, out))
		return 0;
	return status_set(st,
	                  "%s = '%s' is not allowed; allowed is a whole number from %" PRIu64
	                  " to %" PRIu64 "%s%s",
	                  f->key, text, f->lo, f->hi, or ? ", or " : "", or ? or : "");
}

static void duration_text(int64_t ns, char out[32])
{
	const struct unit *u = time_units;
	while (ns && u[1].name && ns % (int64_t)u[1].factor == 0)
		u++;
	snprintf(out, 32, "%" PRId64 "%s", ns / (int64_t)u->factor, ns ? u->name : "");
}

/* Seconds are whole, rounded up. */
static int duration_read(const struct field *f, const char *text, int64_t *out, struct status *st)
{
	const int64_t bare_ns = f->kind == FIELD_SECONDS ? FIELD_SECOND_NS : 0;
	char lo[32], hi[32];
	if (number_of(f, text, time_units, (uint64_t)bare_ns, out)) {
		*out = bare_ns ? (*out + bare_ns - 1) / bare_ns : *out;
		return 0;
	}
	duration_text((int64_t)f->lo, lo);
	duration_text((int64_t)f->hi, hi);
	return status_set(
	    st, "%s = '%s' is not allowed; allowed is %s to %s, as whole ns, us, ms, s, m or h%s",
	    f->key, text, lo, hi, bare_ns ? " (a bare number is seconds)" : "");
}

/* Digits, perhaps a point and more, and %: without the sign, 0.5 could mean a half. */
int field_percent(const struct field *f, const char *text, double *out, struct status *st)
{
	size_t whole = strspn(text, "0123456789");
	const char *rest = text + whole;
	size_t part = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
	bool good = whole > 0 && (*rest != '.' || part > 0);
	rest += part ? part + 1 : 0;
	rest += strspn(rest, " ");
	double hundredths = 100 * strtod(text, NULL);
	if (!good || strcmp(rest, "%") || hundredths < (double)f->lo || hundredths > (double)f->hi)
		return status_set(st, "%s = '%s' is not allowed; allowed is %g%% to %g%%%s", f->key,
		                  text, (double)f->lo / 100, (double)f->hi / 100,
		                  good && !*rest ? ", with the sign %" : "");
	*out = hundredths / 10000;
	return 0;
}

static int layout_read(const struct field *f, const char *text, struct layout *out,
                       struct status *st)
{
	struct layout l;
	char after;
	if (text[strspn(text, "0123456789x")] ||
	    sscanf(text, "%4ux%4ux%4u%c", &l.processes, &l.threads, &l.ranks_per_thread, &after) !=
	        3 ||
	    layout_workers(l) == 0 || layout_workers(l) > f->hi || layout_ranks(l) == 0 ||
	    layout_ranks(l) > f->hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is PxTxR, as in 2x2x2: "
		                  "processes, threads in each, ranks of a thread, %" PRIu64
		                  " ranks at most",
		                  f->key, text, f->hi);
	*out = l;
	return 0;
}

bool field_is_name(const char *text, size_t bytes)
{
	size_t n = strlen(text);
	if (n == 0 || n >= bytes || text[0] == '.' || text[0] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("-_.", text[i]))
			return false;
	return true;
}

const char *field_word(const struct field *f, unsigned i)
{
	static const char *const no_yes[] = {"no", "yes", NULL};
	if (f->word)
		return f->word(i);
	if (f->words)
		return f->words[i];
	return f->kind == FIELD_FLAG ? no_yes[i] : NULL;
}

static int word_find(const struct field *f, const char *text)
{
	for (int i = 0; field_word(f, (unsigned)i); i++)
		if (!strcmp(field_word(f, (unsigned)i), text))
			return i;
	return -1;
}

static int word_read(const struct field *f, const char *text, int64_t *out, struct status *st)
{
	struct suggestion guess = suggest_for(text);
	*out = word_find(f, text);
	if (*out >= 0)
		return 0;
	for (unsigned i = 0; field_word(f, i); i++)
		suggest_offer(&guess, field_word(f, i));
	return status_set(st, "%s = '%s' is not known%s; allowed is %s", f->key, text,
	                  suggestion_text(&guess).text, guess.allowed);
}

int field_word_list(const struct field *f, const char *text, unsigned *list, unsigned *count,
                    struct status *st)
{
	char *copy = memory_text(text), *rest = copy;
	unsigned n = 0;
	int rc = 0;
	for (char *word; rc == 0 && (word = sizes_next(&rest));) {
		int64_t i;
		rc = word_read(f, word, &i, st);
		for (unsigned k = 0; rc == 0 && k < n; k++)
			if (list[k] == i)
				rc = status_set(st, "%s names '%s' twice; allowed is once", f->key,
				                word);
		if (rc == 0)
			list[n++] = (unsigned)i; /* each at most once, so they fit */
	}
	free(copy);
	if (rc == 0)
		*count = n;
	return rc;
}

const struct field *field_find(const struct fields *of, const char *key)
{
	for (size_t i = 0; i < of->n; i++)
		if (!of->rows[i].record && !strcmp(of->rows[i].key, key))
			return &of->rows[i];
	return NULL;
}

static int text_read(const struct field *f, const char *text, char *out, struct status *st)
{
	if (f->kind == FIELD_NAME && !field_is_name(text, FIELD_NAME_BYTES))
		return status_set(
		    st,
		    "%s = '%s' is no name; allowed are at most %d letters, digits, '-', '_', '.'",
		    f->key, text, FIELD_NAME_BYTES - 1);
	if (f->kind == FIELD_TEXT && (!text[0] || strlen(text) >= f->bytes))
		return status_set(st, "%s has %zu bytes; allowed is 1 to %zu", f->key, strlen(text),
		                  f->bytes - 1);
	strcpy(out, text);
	return 0;
}

static int range_read(const struct field *f, const char *text, size_t *range, struct status *st)
{
	const char *dots = strstr(text, "..");
	char first[64];
	size_t lo, hi;
	snprintf(first, sizeof first, "%.*s", dots ? (int)(dots - text) : 63, text);
	if (!sizes_one(first, &lo) || !sizes_one(dots ? dots + 2 : text, &hi) || lo > hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is LO..HI, both included, as "
		                  "in 16M..1G, or one size",
		                  f->key, text);
	range[0] = lo;
	range[1] = hi;
	return 0;
}

int field_read(const struct field *f, const char *text, void *base, struct status *st)
{
	char *at = (char *)base + f->at;
	unsigned list[FIELD_MAX_BITS], nlist = 0;
	int64_t n = 0;
	double share = 0;
	if (f->read)
		return f->read(f, text, base, st);
	switch (f->kind) {
	case FIELD_AUTO:
	case FIELD_NUMBER:
	case FIELD_WIDE:
	case FIELD_RANK:
		return number_read(f, text, &n, st) ? -1 : number_put(f, at, n);
	case FIELD_SECONDS:
	case FIELD_NS:
		return duration_read(f, text, &n, st) ? -1 : number_put(f, at, n);
	case FIELD_FLAG:
	case FIELD_WORD:
	case FIELD_MAYBE:
		return word_read(f, text, &n, st) ? -1 : number_put(f, at, n);
	case FIELD_WORDS:
		if (strcmp(text, "none") && field_word_list(f, text, list, &nlist, st))
			return -1;
		for (; nlist; nlist--) /* as bits; "none" is none of them */
			n |= 1 << list[nlist - 1];
		return number_put(f, at, n);
	case FIELD_PERCENT:
		if (field_percent(f, text, &share, st))
			return -1;
		memcpy(at, &share, sizeof share);
		return 0;
	case FIELD_RANGE:
		return range_read(f, text, (size_t *)at, st);
	case FIELD_CHOICE:
		if (word_read(f, text, &n, st))
			return -1;
		strcpy(at, text);
		return 0;
	case FIELD_NAME:
	case FIELD_TEXT:
		return text_read(f, text, at, st);
	case FIELD_LAYOUT:
		return layout_read(f, text, (struct layout *)at, st);
	case FIELD_SPLIT:
		return split_parse(text, (struct split *)at, st);
	default:
		return status_set(st, "%s is not written in files", f->key);
	}
}

void field_defaults(const struct fields *of, void *base)
{
	struct status none = {""}; /* a test reads them all */
	for (size_t i = 0; i < of->n; i++)
		if (of->rows[i].initial)
			field_read(&of->rows[i], of->rows[i].initial, base, &none);
}

void field_allowed(const struct field *f, char *out, size_t bytes)
{
	char lo[32], hi[32];
	int64_t number;
	const char * or = or_word(f, &number);
	snprintf(out, bytes, "%s", f->kind == FIELD_WORDS ? "none" : "");
	duration_text((int64_t)f->lo, lo);
	duration_text((int64_t)f->hi, hi);
	switch (f->kind) {
	case FIELD_AUTO:
	case FIELD_NUMBER:
	case FIELD_RANK:
	case FIELD_WIDE:
		if (f->kind == FIELD_NUMBER || (f->hi && !f->read))
			snprintf(out, bytes, "%" PRIu64 " to %" PRIu64 "%s%s", f->lo, f->hi,
			         or ? ", or " : "", or ? or : "");
		break;
	case FIELD_SECONDS:
	case FIELD_NS:
		snprintf(out, bytes, "%s to %s", lo, hi);
		break;
	case FIELD_PERCENT:
		snprintf(out, bytes, "%g%% to %g%%", (double)f->lo / 100, (double)f->hi / 100);
		break;
	case FIELD_LAYOUT:
		snprintf(out, bytes, "PxTxR");
		break;
	default:
		for (unsigned i = 0; (!f->read || f->kind == FIELD_OWN) && field_word(f, i); i++)
			status_list(out, bytes, field_word(f, i));
	}
}

static unsigned *count_of(const struct field *f, const void *base)
{
	return (unsigned *)((uintptr_t)base + f->bytes);
}

static json_t *list_to_json(const struct field *f, const char *list, unsigned count)
{
	json_t *json = json_array();
	int bad = 0;
	for (unsigned i = 0; i < count; i++)
		bad |= json_array_append_new(
		    json, f->kind == FIELD_TEXTS
		              ? json_string(list + i * f->lo)
		              : field_object(f->list, list + i * f->list->bytes));
	if (!bad)
		return json;
	json_decref(json);
	return NULL;
}

json_t *field_to_json(const struct field *f, const void *base)
{
	const char *at = (const char *)base + f->at;
	const struct layout *l = (const struct layout *)at;
	const size_t *range = (const size_t *)at;
	double share;
	char text[48];
	switch (f->kind) {
	case FIELD_CHOICE:
	case FIELD_NAME:
	case FIELD_TEXT:
		return json_string(at);
	case FIELD_WORD:
	case FIELD_MAYBE:
		return number_get(f, at) < 0 ? json_null()
		                             : json_string(field_word(f, *(const unsigned *)at));
	case FIELD_RANGE:
		return json_pack("[I, o]", (json_int_t)range[0],
		                 range[1] == SIZE_MAX ? json_null()
		                                      : json_integer((json_int_t)range[1]));
	case FIELD_WORDS:
		snprintf(text, sizeof text, "%s", *(const unsigned *)at ? "" : "none");
		for (unsigned i = 0; field_word(f, i); i++)
			if (*(const unsigned *)at & 1u << i)
				status_list(text, sizeof text, field_word(f, i));
		return json_string(text);
	case FIELD_REAL:
	case FIELD_RATE:
	case FIELD_SIGNED:
	case FIELD_PERCENT:
		memcpy(&share, at, sizeof share);
		return f->kind == FIELD_RATE && isnan(share) ? json_null() : json_real(share);
	case FIELD_FLAG:
		return json_boolean(*(const bool *)at);
	case FIELD_LAYOUT:
		return json_sprintf("%ux%ux%u", l->processes, l->threads, l->ranks_per_thread);
	case FIELD_SPLIT:
		split_text(*(const struct split *)at, text, sizeof text);
		return json_string(text);
	case FIELD_LIST:
		return list_to_json(f, *(const char *const *)at, *count_of(f, base));
	case FIELD_ARRAY:
	case FIELD_TEXTS:
		return list_to_json(f, at, *count_of(f, base));
	case FIELD_OBJECT:
		return field_object(f->list, at);
	case FIELD_OWN:
		return NULL;
	default:
		return json_integer(number_get(f, at));
	}
}

static const char *json_key(const struct field *f)
{
	return f->json ? f->json : f->key;
}

static int text_from_json(const struct field *f, const char *text, char *at, struct status *st)
{
	int64_t n;
	switch (f->kind) {
	case FIELD_WORD:
	case FIELD_MAYBE:
		n = word_find(f, text);
		return n < 0 ? status_set(st, "\"%s\" is \"%.60s\", which is not known here",
		                          json_key(f), text)
		             : number_put(f, at, n);
	case FIELD_WORDS:
	case FIELD_LAYOUT:
	case FIELD_SPLIT:
		return field_read(f, text, at - f->at, st);
	default:
		if (strlen(text) >= f->bytes)
			return status_set(st, "%s: a text is too long", json_key(f));
		strcpy(at, text);
		return 0;
	}
}

static int range_from_json(const struct field *f, const json_t *value, size_t *range,
                           struct status *st)
{
	const json_t *lo = json_array_get(value, 0), *hi = json_array_get(value, 1);
	if (json_array_size(value) != 2 || !json_is_integer(lo) || json_integer_value(lo) < 0 ||
	    !(json_is_null(hi) || json_is_integer(hi)) || json_integer_value(hi) < 0)
		return status_set(st,
		                  "%s has to be a list of two sizes, the second a number or null",
		                  json_key(f));
	range[0] = (size_t)json_integer_value(lo);
	range[1] = json_is_null(hi) ? SIZE_MAX : (size_t)json_integer_value(hi);
	return 0;
}

/* An older program's settings may be beyond the row's bounds. */
static int number_from_json(const struct field *f, json_int_t n, char *at, struct status *st)
{
	const bool natural =
	    f->kind == FIELD_NUMBER || f->kind == FIELD_AUTO || f->kind == FIELD_SECONDS;
	json_int_t lo = natural ? 0 : f->kind == FIELD_RANK ? INT_MIN : INT64_MIN;
	json_int_t hi = natural ? UINT_MAX : f->kind == FIELD_RANK ? INT_MAX : INT64_MAX;
	if (f->record && f->hi) {
		lo = (json_int_t)f->lo;
		hi = (json_int_t)f->hi;
	}
	if (n < lo || n > hi)
		return status_set(st, "\"%s\" is %lld, allowed are %lld to %lld", json_key(f),
		                  (long long)n, (long long)lo, (long long)hi);
	return number_put(f, at, n);
}

static int element_take(const struct field *f, const json_t *json, char *at, struct status *st)
{
	const char *text = json_string_value(json);
	if (f->kind != FIELD_TEXTS) {
		field_defaults(f->list, at);
		return field_object_take(f->list, json, at, st);
	}
	if (!text || strlen(text) >= f->lo)
		return status_set(st, text ? "a text is too long" : "it has to be text");
	strcpy(at, text);
	return 0;
}

static int list_from_json(const struct field *f, const json_t *json, char *at, unsigned *count,
                          struct status *st)
{
	const size_t n = json_array_size(json), most = f->hi ? f->hi : UINT_MAX;
	const size_t each = f->kind == FIELD_TEXTS ? f->lo : f->list->bytes;
	struct status why = {""};
	if (n > most)
		return status_set(st, "%s has %zu elements; allowed are %zu", json_key(f), n, most);
	if (f->kind == FIELD_LIST && n) {
		void *all = memory_take(n, each);
		memcpy(at, &all, sizeof all);
		at = all;
	}
	*count = (unsigned)n;
	for (size_t i = 0; i < n; i++)
		if (element_take(f, json_array_get(json, i), at + i * each, &why))
			return status_set(st, "%s %zu: %s", json_key(f), i + 1, why.text);
	return 0;
}

int field_from_json(const struct field *f, const json_t *value, void *base, struct status *st)
{
	const char *wanted = "a whole number";
	char *at = (char *)base + f->at;
	const double x =
	    f->kind == FIELD_RATE && json_is_null(value) ? NAN : json_number_value(value);
	const bool fits = f->kind == FIELD_PERCENT
	                      ? !f->record || (x > 0 && x <= (double)f->hi / 10000)
	                      : f->kind == FIELD_SIGNED || x >= 0;
	if (f->optional && !value)
		return 0;
	if (f->kind == FIELD_MAYBE && json_is_null(value))
		return number_put(f, at, -1);
	switch (f->kind) {
	case FIELD_CHOICE:
	case FIELD_NAME:
	case FIELD_TEXT:
	case FIELD_WORD:
	case FIELD_MAYBE:
	case FIELD_WORDS:
	case FIELD_LAYOUT:
	case FIELD_SPLIT:
		if (json_is_string(value))
			return text_from_json(f, json_string_value(value), at, st);
		wanted = f->kind == FIELD_MAYBE ? "text or null" : "text";
		break;
	case FIELD_FLAG:
		if (json_is_boolean(value))
			return number_put(f, at, json_is_true(value));
		wanted = "true or false";
		break;
	case FIELD_REAL:
	case FIELD_RATE:
	case FIELD_SIGNED:
	case FIELD_PERCENT:
		wanted = f->kind == FIELD_SIGNED ? "a number" : "a number from 0";
		if (!isnan(x) && !(json_is_number(value) && fits))
			break;
		memcpy(at, &x, sizeof x);
		return 0;
	case FIELD_RANGE:
		return range_from_json(f, value, (size_t *)at, st);
	case FIELD_LIST:
	case FIELD_ARRAY:
	case FIELD_TEXTS:
		if (json_is_array(value))
			return list_from_json(f, value, at, count_of(f, base), st);
		wanted = "a list";
		break;
	case FIELD_OBJECT:
		if (json_is_object(value))
			return field_object_take(f->list, value, at, st);
		if (json_is_null(value))
			return 0;
		wanted = "an object";
		break;
	case FIELD_OWN:
		break;
	default:
		if (json_is_integer(value))
			return number_from_json(f, json_integer_value(value), at, st);
	}
	return status_set(st, "\"%s\" %s %s", json_key(f),
	                  value ? "has to be" : "is missing; it is", wanted);
}

json_t *field_object(const struct fields *of, const void *base)
{
	json_t *json = json_object();
	int bad = 0;
	for (const struct field *f = of->rows; f < of->rows + of->n; f++)
		bad |= json_object_set_new(json, json_key(f), field_to_json(f, base));
	if (!bad)
		return json;
	json_decref(json);
	return NULL;
}

int field_object_take(const struct fields *of, const json_t *json, void *base, struct status *st)
{
	for (const struct field *f = of->rows; f < of->rows + of->n; f++)
		if (field_from_json(f, json_object_get(json, json_key(f)), base, st))
			return -1;
	return 0;
}
