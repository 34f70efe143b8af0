/* Numbers, durations and layouts as experiment files write them. */
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
