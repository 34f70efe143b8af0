#include "sizes.h"

#include <errno.h>
#include <math.h>

#include "../memory.h"

static const char digits[] = "0123456789";

/* 1 for "", a power of two for the others; 0: no unit. */
static uint64_t unit_factor(const char *name)
{
	static const char *const units[] = {"", "K", "k", "KiB", "M", "m", "MiB", "G", "g", "GiB"};
	for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(name, units[i]))
			return UINT64_C(1) << (i + 2) / 3 * 10;
	return 0;
}

static int size_parse(const char *text, size_t *out, struct status *st)
{
	const char *allowed = "allowed is a number with K, M or G (powers of 1024) that comes to "
	                      "whole bytes, up to 64G";
	if (text[0] == '-')
		return status_set(st, "size '%s' is negative; %s", text, allowed);
	if (!text[0])
		return status_set(st, "a size is missing; %s", allowed);
	const size_t whole = strspn(text, digits), point = text[whole] == '.';
	const size_t decimals = point ? strspn(text + whole + 1, digits) : 0;
	const uint64_t factor = unit_factor(text + whole + point + decimals);
	if (!whole || (point && !decimals) || !factor)
		return status_set(st, "'%s' is not a size; %s", text, allowed);
	/* Exact: 64 bits for each of the two, and bytes have 36. */
	const long double part = (long double)factor * strtold(text + whole, NULL);
	const long double bytes = (long double)factor * strtoull(text, NULL, 10) + part;
	if (point && (factor == 1 || part != floorl(part) || part >= factor))
		return status_set(st, "size '%s' is not whole bytes of a unit; %s", text, allowed);
	if (bytes > (long double)SIZES_MAX_BYTES)
		return status_set(st, "size '%s' is too large; %s", text, allowed);
	if (bytes == 0)
		return status_set(st, "size '%s' is zero; %s", text, allowed);
	*out = (size_t)bytes;
	return 0;
}

struct sizes {
	unsigned count;
	size_t list[SIZES_MAX];
};

static int sizes_add(struct sizes *sizes, size_t size, const char *item, struct status *st)
{
	if (sizes->count && size <= sizes->list[sizes->count - 1])
		return status_set(st, "sizes descend or repeat at '%s'; allowed are ascending ones",
		                  item);
	if (sizes->count == SIZES_MAX)
		return status_set(st, "too many sizes; allowed are %d", SIZES_MAX);
	sizes->list[sizes->count++] = size;
	return 0;
}

/* What a range is stepped by: xN or +SIZE; the other one is 1 or 0. */
static int step_parse(const char *text, uint64_t *times, size_t *plus, struct status *st)
{
	const char *allowed = "allowed is x2 and up, or +SIZE, as in 4K..1G x4 or 4K..64K +4K";
	*times = 1;
	*plus = 0;
	const char *by = text[0] ? text + 1 + strspn(text + 1, " \t") : text;
	const bool times_it = text[0] == 'x' && by[0] && !by[strspn(by, digits)];
	errno = 0;
	if (times_it)
		*times = strtoull(by, NULL, 10);
	if (times_it && !errno) {
		if (*times >= 2)
			return 0;
		return status_set(st, "a range stepped by '%s' never ends; %s", text, allowed);
	}
	if (text[0] == '+' && by[0] && !by[strspn(by, "0")])
		return status_set(st, "a range stepped by '%s' never ends; %s", text, allowed);
	if (text[0] == '+')
		return size_parse(by, plus, st);
	return status_set(st, "a range has %s%s%s; %s", text[0] ? "'" : "no step", text,
	                  text[0] ? "' for a step" : "", allowed);
}

char *sizes_next(char **rest)
{
	char *word = strsep(rest, ",");
	if (!word)
		return NULL;
	word += strspn(word, " \t");
	for (size_t n = strlen(word); n && strchr(" \t", word[n - 1]);)
		word[--n] = '\0';
	return word;
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
	item = sizes_next(&(char *){item});
	char *high = dots + 2 + strspn(dots + 2, " \t");
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

int sizes_parse(const char *text, size_t out[SIZES_MAX], unsigned *count, struct status *st)
{
	struct sizes sizes = {0};
	char *copy = memory_text(text), *rest = copy;
	int rc = 0;
	for (char *item; rc == 0 && (item = sizes_next(&rest));)
		rc = sizes_add_item(&sizes, item, st);
	free(copy);
	if (rc)
		return -1;
	memcpy(out, sizes.list, sizeof sizes.list);
	*count = sizes.count;
	return 0;
}

bool sizes_one(const char *text, size_t *out)
{
	size_t sizes[SIZES_MAX];
	unsigned n;
	struct status why = {""};
	if (strchr(text, ',') || sizes_parse(text, sizes, &n, &why) || n != 1)
		return false;
	*out = sizes[0];
	return true;
}
