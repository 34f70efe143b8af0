/* Numbers, durations, layouts and sizes as experiment files write them. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec_keys.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},         {"K", 1u << 10},   {"k", 1u << 10},   {"KiB", 1u << 10},
    {"M", 1u << 20}, {"m", 1u << 20},   {"MiB", 1u << 20}, {"G", 1u << 30},
    {"g", 1u << 30}, {"GiB", 1u << 30}, {NULL, 0},
};

static const struct unit time_units[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000}, {"s", 1000000000},
    {"m", 60000000000}, {"h", 3600000000000}, {NULL, 0},
};

static const struct unit no_units[] = {{NULL, 0}};

/* Digits, then one of the units. False: not that, or beyond 64 bits. */
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

static int number_parse(const char *what, const char *text, uint64_t lo, uint64_t hi,
                        uint64_t *out, struct status *st)
{
	uint64_t n = 0;
	if (!number_with_unit(text, no_units, 1, &n) || n < lo || n > hi)
		return status_set(st,
		                  "%s = '%s' is not allowed; allowed is a whole number from "
		                  "%" PRIu64 " to %" PRIu64,
		                  what, text, lo, hi);
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

static int duration_parse(const char *what, const char *text, int64_t bare_ns, int64_t lo_ns,
                          int64_t hi_ns, int64_t *out, struct status *st)
{
	uint64_t n = 0;
	if (!number_with_unit(text, time_units, (uint64_t)bare_ns, &n) || n > INT64_MAX ||
	    (int64_t)n < lo_ns || (int64_t)n > hi_ns) {
		char lo[32], hi[32];
		duration_text(lo_ns, lo);
		duration_text(hi_ns, hi);
		return status_set(
		    st,
		    "%s = '%s' is not allowed; allowed is %s to %s, as whole ns, us, "
		    "ms, s, m or h%s",
		    what, text, lo, hi, bare_ns ? " (a bare number is seconds)" : "");
	}
	*out = (int64_t)n;
	return 0;
}

static int size_parse(const char *text, size_t *out, struct status *st)
{
	const char *allowed =
	    "allowed is a whole number with K, M or G (powers of 1024), up to 64G";
	uint64_t n = 0;
	if (text[0] == '-')
		return status_set(st, "size '%s' is negative; %s", text, allowed);
	if (!text[0])
		return status_set(st, "a size is missing; %s", allowed);
	size_t digits = strspn(text, "0123456789");
	bool unit = false;
	for (const struct unit *u = size_units; u->name; u++)
		unit = unit || !strcmp(text + digits, u->name);
	if (!digits || !unit)
		return status_set(st, "'%s' is not a size; %s", text, allowed);
	if (!number_with_unit(text, size_units, 1, &n) || n > SPEC_MAX_BYTES)
		return status_set(st, "size '%s' is too large; %s", text, allowed);
	if (n == 0)
		return status_set(st, "size '%s' is zero; %s", text, allowed);
	*out = (size_t)n;
	return 0;
}

struct sizes {
	unsigned count;
	size_t list[SPEC_MAX_SIZES];
};

static int sizes_add(struct sizes *sizes, size_t size, const char *item, struct status *st)
{
	if (sizes->count && size <= sizes->list[sizes->count - 1])
		return status_set(
		    st, "sizes descend or repeat at '%s'; allowed are ascending ones", item);
	if (sizes->count == SPEC_MAX_SIZES)
		return status_set(st, "too many sizes; allowed are %d", SPEC_MAX_SIZES);
	sizes->list[sizes->count++] = size;
	return 0;
}

/* What a range is stepped by: xN or +SIZE; the other one is 1 or 0. */
static int step_parse(const char *text, uint64_t *times, size_t *plus, struct status *st)
{
	const char *allowed = "allowed is x2 and up, or +SIZE, as in 4K..1G x4 or 4K..64K +4K";
	*times = 1;
	*plus = 0;
	if (text[0] == 'x' && number_with_unit(text + 1, no_units, 1, times)) {
		if (*times >= 2)
			return 0;
		return status_set(st, "a range stepped by '%s' never ends; %s", text, allowed);
	}
	if (text[0] == '+' && text[1] && !text[1 + strspn(text + 1, "0")])
		return status_set(st, "a range stepped by '%s' never ends; %s", text, allowed);
	if (text[0] == '+')
		return size_parse(text + 1, plus, st);
	return status_set(st, "a range has %s%s%s; %s", text[0] ? "'" : "no step", text,
	                  text[0] ? "' for a step" : "", allowed);
}

static char *trim(char *text)
{
	text += strspn(text, " \t");
	for (size_t n = strlen(text); n && isblank((unsigned char)text[n - 1]); n--)
		text[n - 1] = '\0';
	return text;
}

/* One trimmed item: a size, or LO..HI STEP. Cuts it up. */
static int sizes_add_item(struct sizes *sizes, char *item, struct status *st)
{
	char *dots = strstr(item, "..");
	size_t lo, hi;
	if (!dots)
		return size_parse(item, &lo, st) ? -1 : sizes_add(sizes, lo, item, st);

	char whole[64], step[32];
	snprintf(whole, sizeof whole, "%.63s", item);
	*dots = '\0';
	item = trim(item);
	char *high = trim(dots + 2);
	char *high_end = high + strcspn(high, " \tx+");
	snprintf(step, sizeof step, "%.31s", high_end + strspn(high_end, " \t"));
	*high_end = '\0';

	uint64_t times;
	size_t plus;
	if (size_parse(item, &lo, st) || size_parse(high, &hi, st) ||
	    step_parse(step, &times, &plus, st))
		return -1;
	if (hi < lo)
		return status_set(st, "the range '%s' is empty; allowed is from small to large",
		                  whole);
	for (size_t size = lo;;) {
		if (sizes_add(sizes, size, whole, st))
			return -1;
		if (plus > hi - size || size > hi / times)
			return 0;
		size = size * times + plus;
	}
}

int spec_parse_sizes(const char *text, size_t out[SPEC_MAX_SIZES], unsigned *count,
                     struct status *st)
{
	struct sizes sizes = {0};
	char *copy = strdup(text);
	if (!copy)
		return status_set(st, "out of memory");
	int rc = 0;
	char *rest = copy;
	for (char *item; rc == 0 && (item = strsep(&rest, ","));)
		rc = sizes_add_item(&sizes, trim(item), st);
	free(copy);
	if (rc)
		return -1;
	memcpy(out, sizes.list, sizeof sizes.list);
	*count = sizes.count;
	return 0;
}

int spec_number_unsigned(const struct spec_key *key, const struct spec_value *v, void *field,
                         struct status *st)
{
	uint64_t n = 0;
	if (number_parse(key->name, v->text, key->lo, key->hi, &n, st))
		return -1;
	*(unsigned *)field = (unsigned)n;
	return 0;
}

int spec_number_ranks(const struct spec_key *key, const struct spec_value *v, void *field,
                      struct status *st)
{
	if (!strcmp(v->text, "auto")) {
		*(unsigned *)field = 0;
		return 0;
	}
	struct status why = {""};
	if (spec_number_unsigned(key, v, field, &why))
		return status_set(st, "%s, or auto", why.text);
	return 0;
}

int spec_number_u64(const struct spec_key *key, const struct spec_value *v, void *field,
                    struct status *st)
{
	return number_parse(key->name, v->text, key->lo, key->hi, field, st);
}

int spec_number_seconds(const struct spec_key *key, const struct spec_value *v, void *field,
                        struct status *st)
{
	const int64_t second = 1000000000;
	int64_t ns;
	if (duration_parse(key->name, v->text, second, (int64_t)key->lo, (int64_t)key->hi, &ns,
	                   st))
		return -1;
	*(unsigned *)field = (unsigned)((ns + second - 1) / second);
	return 0;
}

int spec_number_ns(const struct spec_key *key, const struct spec_value *v, void *field,
                   struct status *st)
{
	return duration_parse(key->name, v->text, 0, (int64_t)key->lo, (int64_t)key->hi, field,
	                      st);
}

int spec_number_rank(const struct spec_key *key, const struct spec_value *v, void *field,
                     struct status *st)
{
	uint64_t n = 0;
	if (!strcmp(v->text, "all") || !strcmp(v->text, "-1")) {
		*(int *)field = -1;
		return 0;
	}
	struct status why = {""};
	if (number_parse(key->name, v->text, key->lo, key->hi, &n, &why))
		return status_set(st, "%s, or all", why.text);
	*(int *)field = (int)n;
	return 0;
}

int spec_number_layout(const struct spec_key *key, const struct spec_value *v, void *field,
                       struct status *st)
{
	struct layout l;
	char after;
	if (v->text[strspn(v->text, "0123456789x")] ||
	    sscanf(v->text, "%4ux%4ux%4u%c", &l.processes, &l.threads, &l.ranks_per_thread,
	           &after) != 3 ||
	    layout_workers(l) == 0 || layout_workers(l) > key->hi || layout_ranks(l) == 0 ||
	    layout_ranks(l) > key->hi)
		return status_set(
		    st,
		    "layout = '%s' is not allowed; allowed is PxTxR, as in 2x2x2: "
		    "processes, threads in each, ranks of a thread, %" PRIu64 " ranks at most",
		    v->text, key->hi);
	*(struct layout *)field = l;
	return 0;
}

int spec_number_sizes(const struct spec_key *key, const struct spec_value *v, void *field,
                      struct status *st)
{
	(void)key;
	struct spec *spec = field;
	return spec_parse_sizes(v->text, spec->sizes, &spec->nsizes, st);
}
