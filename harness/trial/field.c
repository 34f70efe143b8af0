#include "field.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/split.h"
#include "../suggest.h"
#include "layout.h"
#include "sizes.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000}, {"s", 1000000000},
    {"m", 60000000000}, {"h", 3600000000000}, {NULL, 0},
};

static const struct unit no_units[] = {{NULL, 0}};

/* Digits, then one of the units. False: another form, or beyond 64 bits. */
static bool number_with_unit(const char *text, const struct unit *units, uint64_t bare,
                             uint64_t *out)
{
	if (!isdigit((unsigned char)text[0]))
		return false;
	char *end;
	errno = 0;
	unsigned long long n = strtoull(text, &end, 10);
	if (errno)
		return false;
	uint64_t factor = *end || n == 0 ? 0 : bare;
	bool known = !*end && (n == 0 || bare);
	for (; !known && units->name; units++) {
		known = !strcmp(end, units->name);
		factor = units->factor;
	}
	uint64_t product;
	if (!known || __builtin_mul_overflow((uint64_t)n, factor, &product))
		return false;
	*out = product;
	return true;
}

/* or: "auto" or "all" if that is allowed too, else NULL. */
static int number_read(const struct field *f, const char *text, const char * or, uint64_t *out,
                       struct status *st)
{
	uint64_t n = 0;
	if (!number_with_unit(text, no_units, 1, &n) || n < f->lo || n > f->hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is a whole number from "
		                  "%" PRIu64 " to %" PRIu64 "%s%s",
		                  f->key, text, f->lo, f->hi, or ? ", or " : "", or ? or : "");
	*out = n;
	return 0;
}

static void duration_text(int64_t ns, char out[32])
{
	const struct unit *u = time_units;
	while (ns && u[1].name && ns % (int64_t)u[1].factor == 0)
		u++;
	snprintf(out, 32, "%" PRId64 "%s", ns / (int64_t)u->factor, ns ? u->name : "");
}

static int duration_read(const struct field *f, const char *text, uint64_t bare_ns, int64_t *out,
                         struct status *st)
{
	uint64_t n = 0;
	if (!number_with_unit(text, time_units, bare_ns, &n) || n > INT64_MAX || n < f->lo ||
	    n > f->hi) {
		char lo[32], hi[32];
		duration_text((int64_t)f->lo, lo);
		duration_text((int64_t)f->hi, hi);
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is %s to %s, as whole ns, us, "
		                  "ms, s, m or h%s",
		                  f->key, text, lo, hi,
		                  bare_ns ? " (a bare number is seconds)" : "");
	}
	*out = (int64_t)n;
	return 0;
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

static int word_read(const struct field *f, const char *text, unsigned *out, struct status *st)
{
	struct suggestion guess = suggest_for(text);
	char allowed[512] = "";
	for (unsigned i = 0; field_word(f, i); i++) {
		suggest_offer(&guess, field_word(f, i));
		status_list(allowed, sizeof allowed, field_word(f, i));
		if (strcmp(field_word(f, i), text))
			continue;
		*out = i;
		return 0;
	}
	return status_set(st, "%s = '%s' is not known%s; allowed is %s", f->key, text,
	                  suggestion_text(&guess).text, allowed);
}

int field_word_list(const struct field *f, const char *text, unsigned *list, unsigned *count,
                    struct status *st)
{
	char *copy = strdup(text);
	if (!copy)
		return status_set(st, "out of memory");
	unsigned n = 0;
	int rc = 0;
	char *rest = copy;
	for (char *word; rc == 0 && (word = strsep(&rest, ","));) {
		unsigned i;
		word += strspn(word, " \t");
		for (size_t length = strlen(word); length && strchr(" \t", word[length - 1]);)
			word[--length] = '\0';
		rc = word_read(f, word, &i, st);
		for (unsigned k = 0; rc == 0 && k < n; k++)
			if (list[k] == i)
				rc = status_set(st, "%s names '%s' twice; allowed is once", f->key,
				                word);
		if (rc == 0)
			list[n++] = i; /* each at most once, so they fit */
	}
	free(copy);
	if (rc)
		return -1;
	*count = n;
	return 0;
}

/* Words as bits; "none" is none of them. */
static int bits_read(const struct field *f, const char *text, unsigned *out, struct status *st)
{
	unsigned list[FIELD_MAX_BITS], n = 0, bits = 0;
	if (strcmp(text, "none") && field_word_list(f, text, list, &n, st))
		return -1;
	for (unsigned i = 0; i < n; i++)
		bits |= 1u << list[i];
	*out = bits;
	return 0;
}

static void bits_text(const struct field *f, unsigned bits, char *out, size_t bytes)
{
	out[0] = '\0';
	for (unsigned i = 0; field_word(f, i); i++)
		if (bits & 1u << i)
			status_list(out, bytes, field_word(f, i));
	if (!bits)
		snprintf(out, bytes, "none");
}

const struct field *field_find(const struct field *rows, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!rows[i].record && !strcmp(rows[i].key, key))
			return &rows[i];
	return NULL;
}

static int rank_read(const struct field *f, const char *text, int *out, struct status *st)
{
	const bool all = !strcmp(text, "all") || !strcmp(text, "-1");
	uint64_t n = 0;
	if (!all && number_read(f, text, "all", &n, st))
		return -1;
	*out = all ? -1 : (int)n;
	return 0;
}

/* Whole seconds, rounded up. */
static int seconds_read(const struct field *f, const char *text, unsigned *out, struct status *st)
{
	int64_t ns;
	if (duration_read(f, text, FIELD_SECOND_NS, &ns, st))
		return -1;
	*out = (unsigned)(((uint64_t)ns + FIELD_SECOND_NS - 1) / FIELD_SECOND_NS);
	return 0;
}

/* A name, or any text that fits. */
static int text_read(const struct field *f, const char *text, char *out, struct status *st)
{
	if (f->kind == FIELD_NAME && !field_is_name(text, FIELD_NAME_BYTES))
		return status_set(st,
		                  "%s = '%s' is no name; allowed are at most %d letters, "
		                  "digits, '-', '_', '.'",
		                  f->key, text, FIELD_NAME_BYTES - 1);
	if (f->kind == FIELD_TEXT && (!text[0] || strlen(text) >= f->bytes))
		return status_set(st, "%s has %zu bytes; allowed is 1 to %zu", f->key, strlen(text),
		                  f->bytes - 1);
	strcpy(out, text);
	return 0;
}

/* One size without blanks around it. */
static int size_read(const char *text, size_t bytes, size_t *out)
{
	char copy[64];
	size_t sizes[SIZES_MAX];
	unsigned count;
	struct status why = {""};
	snprintf(copy, sizeof copy, "%.*s", (int)bytes, text);
	if (strchr(copy, ',') || sizes_parse(copy, sizes, &count, &why) || count != 1)
		return -1;
	*out = sizes[0];
	return 0;
}

static int range_read(const struct field *f, const char *text, size_t *range, struct status *st)
{
	const char *dots = strstr(text, "..");
	size_t lo, hi, first = dots ? (size_t)(dots - text) : strlen(text);
	if (size_read(text, first, &lo) || size_read(dots ? dots + 2 : text, strlen(text), &hi) ||
	    lo > hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is LO..HI, both included, "
		                  "as in 16M..1G, or one size",
		                  f->key, text);
	range[0] = lo;
	range[1] = hi;
	return 0;
}

int field_read(const struct field *f, const char *text, void *base, struct status *st)
{
	char *at = (char *)base + f->at;
	uint64_t n = 0;
	unsigned i = 0;
	double share = 0;
	if (f->read)
		return f->read(f, text, base, st);
	switch (f->kind) {
	case FIELD_AUTO:
	case FIELD_NUMBER:
		if ((f->kind == FIELD_NUMBER || strcmp(text, "auto")) &&
		    number_read(f, text, f->kind == FIELD_AUTO ? "auto" : NULL, &n, st))
			return -1;
		*(unsigned *)at = (unsigned)n;
		return 0;
	case FIELD_WIDE:
		return number_read(f, text, NULL, (uint64_t *)at, st);
	case FIELD_RANK:
		return rank_read(f, text, (int *)at, st);
	case FIELD_SECONDS:
		return seconds_read(f, text, (unsigned *)at, st);
	case FIELD_NS:
		return duration_read(f, text, 0, (int64_t *)at, st);
	case FIELD_PERCENT:
		if (field_percent(f, text, &share, st))
			return -1;
		memcpy(at, &share, sizeof share);
		return 0;
	case FIELD_FLAG:
		if (word_read(f, text, &i, st))
			return -1;
		*(bool *)at = i;
		return 0;
	case FIELD_WORD:
	case FIELD_MAYBE:
		return word_read(f, text, (unsigned *)at, st);
	case FIELD_RANGE:
		return range_read(f, text, (size_t *)at, st);
	case FIELD_WORDS:
		return bits_read(f, text, (unsigned *)at, st);
	case FIELD_CHOICE:
		if (word_read(f, text, &i, st))
			return -1;
		snprintf(at, f->bytes, "%s", field_word(f, i));
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

void field_defaults(const struct field *rows, size_t n, void *base)
{
	struct status none = {""}; /* a test reads them all */
	for (size_t i = 0; i < n; i++)
		if (rows[i].initial)
			field_read(&rows[i], rows[i].initial, base, &none);
}

void field_allowed(const struct field *f, char *out, size_t bytes)
{
	char lo[32], hi[32];
	out[0] = '\0';
	duration_text((int64_t)f->lo, lo);
	duration_text((int64_t)f->hi, hi);
	switch (f->kind) {
	case FIELD_NUMBER:
	case FIELD_WIDE:
		if (f->kind == FIELD_NUMBER || !f->read)
			snprintf(out, bytes, "%" PRIu64 " to %" PRIu64, f->lo, f->hi);
		break;
	case FIELD_AUTO:
	case FIELD_RANK:
		if (f->hi)
			snprintf(out, bytes, "%" PRIu64 " to %" PRIu64 ", or %s", f->lo, f->hi,
			         f->kind == FIELD_AUTO ? "auto" : "all");
		break;
	case FIELD_SECONDS:
	case FIELD_NS:
		snprintf(out, bytes, "%s to %s", lo, hi);
		break;
	case FIELD_PERCENT:
		snprintf(out, bytes, "%g%% to %g%%", (double)f->lo / 100, (double)f->hi / 100);
		break;
	case FIELD_WORDS:
		snprintf(out, bytes, "none");
		/* fall through */
	case FIELD_FLAG:
	case FIELD_WORD:
	case FIELD_MAYBE:
	case FIELD_CHOICE:
		for (unsigned i = 0; !f->read && field_word(f, i); i++)
			status_list(out, bytes, field_word(f, i));
		break;
	case FIELD_LAYOUT:
		snprintf(out, bytes, "PxTxR");
		break;
	default:
		for (unsigned i = 0; field_word(f, i); i++)
			status_list(out, bytes, field_word(f, i));
		break;
	}
}

static json_t *range_json(const size_t *range)
{
	json_t *hi = range[1] == SIZE_MAX ? json_null() : json_integer((json_int_t)range[1]);
	return json_pack("[I, o]", (json_int_t)range[0], hi);
}

json_t *field_to_json(const struct field *f, const void *base)
{
	const char *at = (const char *)base + f->at;
	double share;
	char text[48];
	switch (f->kind) {
	case FIELD_CHOICE:
	case FIELD_NAME:
	case FIELD_TEXT:
		return json_string(at);
	case FIELD_WORD:
		return json_string(field_word(f, *(const unsigned *)at));
	case FIELD_MAYBE:
		return *(const int *)at < 0 ? json_null()
		                            : json_string(field_word(f, *(const unsigned *)at));
	case FIELD_RANGE:
		return range_json((const size_t *)at);
	case FIELD_WORDS:
		bits_text(f, *(const unsigned *)at, text, sizeof text);
		return json_string(text);
	case FIELD_NUMBER:
	case FIELD_AUTO:
	case FIELD_SECONDS:
		return json_integer(*(const unsigned *)at);
	case FIELD_RANK:
		return json_integer(*(const int *)at);
	case FIELD_WIDE:
	case FIELD_NS:
	case FIELD_PLACE:
		return json_integer(*(const int64_t *)at);
	case FIELD_REAL:
	case FIELD_PERCENT:
		memcpy(&share, at, sizeof share);
		return json_real(share);
	case FIELD_FLAG:
		return json_boolean(*(const bool *)at);
	case FIELD_LAYOUT: {
		const struct layout *l = (const struct layout *)at;
		snprintf(text, sizeof text, "%ux%ux%u", l->processes, l->threads,
		         l->ranks_per_thread);
		return json_string(text);
	}
	case FIELD_SPLIT:
		split_text(*(const struct split *)at, text, sizeof text);
		return json_string(text);
	case FIELD_OWN:
		break;
	}
	return NULL;
}

static const char *json_key(const struct field *f)
{
	return f->json ? f->json : f->key;
}

static int text_from_json(const struct field *f, const char *text, char *at, struct status *st)
{
	struct layout l;
	char after;
	switch (f->kind) {
	case FIELD_WORD:
	case FIELD_MAYBE:
		for (unsigned i = 0; field_word(f, i); i++)
			if (!strcmp(field_word(f, i), text)) {
				*(unsigned *)at = i;
				return 0;
			}
		return status_set(st, "%s is unknown", json_key(f));
	case FIELD_WORDS:
		return bits_read(f, text, (unsigned *)at, st);
	case FIELD_LAYOUT:
		if (sscanf(text, "%5ux%5ux%5u%c", &l.processes, &l.threads, &l.ranks_per_thread,
		           &after) != 3 ||
		    !l.processes || !l.threads || !l.ranks_per_thread ||
		    (uint64_t)l.processes * l.threads * l.ranks_per_thread > 65536)
			return status_set(st, "the layout is not possible");
		*(struct layout *)at = l;
		return 0;
	case FIELD_SPLIT:
		return split_parse(text, (struct split *)at, st);
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

/* Whole numbers; those of a settings' row may be beyond its bounds, in a record of an older
 * program. */
static int number_from_json(const struct field *f, json_int_t n, char *at, struct status *st)
{
	const bool natural =
	    f->kind == FIELD_NUMBER || f->kind == FIELD_AUTO || f->kind == FIELD_SECONDS;
	const bool bounded = f->record && f->hi;
	if ((natural && (n < 0 || n > UINT_MAX)) ||
	    (f->kind == FIELD_RANK && (n < INT_MIN || n > INT_MAX)) ||
	    (bounded && (n < (json_int_t)f->lo || (uint64_t)n > f->hi)))
		return status_set(st, "%s is out of range", json_key(f));
	if (natural)
		*(unsigned *)at = (unsigned)n;
	else if (f->kind == FIELD_RANK)
		*(int *)at = (int)n;
	else
		*(int64_t *)at = n;
	return 0;
}

int field_from_json(const struct field *f, const json_t *value, void *base, struct status *st)
{
	char *at = (char *)base + f->at;
	if (f->optional && !value)
		return 0;
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
		if (f->kind == FIELD_MAYBE && json_is_null(value))
			return (*(int *)at = -1, 0);
		break;
	case FIELD_FLAG:
		if (json_is_boolean(value))
			return (*(bool *)at = json_is_true(value), 0);
		break;
	case FIELD_REAL:
	case FIELD_PERCENT: {
		double share = json_number_value(value);
		bool possible = f->kind == FIELD_REAL
		                    ? share >= 0
		                    : !f->record || (share > 0 && share <= (double)f->hi / 10000);
		if (!json_is_number(value) || !possible)
			break;
		memcpy(at, &share, sizeof share);
		return 0;
	}
	case FIELD_RANGE:
		return range_from_json(f, value, (size_t *)at, st);
	case FIELD_OWN:
		break;
	default:
		if (json_is_integer(value))
			return number_from_json(f, json_integer_value(value), at, st);
	}
	return status_set(st, "%s is missing or not what it has to be", json_key(f));
}

json_t *field_object(const struct field *rows, size_t n, const void *base)
{
	json_t *json = json_object();
	for (size_t i = 0; json && i < n; i++)
		if (json_object_set_new(json, json_key(&rows[i]), field_to_json(&rows[i], base))) {
			json_decref(json);
			json = NULL;
		}
	return json;
}

int field_object_take(const struct field *rows, size_t n, const json_t *json, void *base,
                      struct status *st)
{
	for (size_t i = 0; i < n; i++)
		if (field_from_json(&rows[i], json_object_get(json, json_key(&rows[i])), base, st))
			return -1;
	return 0;
}

json_t *field_list(const struct field *rows, size_t n, const void *list, unsigned count,
                   size_t bytes)
{
	json_t *json = json_array();
	for (unsigned i = 0; json && i < count; i++)
		if (json_array_append_new(json,
		                          field_object(rows, n, (const char *)list + i * bytes))) {
			json_decref(json);
			json = NULL;
		}
	return json;
}

int field_list_take(const struct field *rows, size_t n, const json_t *json, size_t bytes,
                    void **list, unsigned *count, struct status *st)
{
	const size_t most = json_array_size(json);
	char *all = most && most <= UINT_MAX ? calloc(most, bytes) : NULL;
	if (most && !all)
		return status_set(st, "out of memory");
	for (size_t i = 0; i < most; i++)
		if (field_object_take(rows, n, json_array_get(json, i), all + i * bytes, st)) {
			free(all);
			return -1;
		}
	*list = all;
	*count = (unsigned)most;
	return 0;
}
