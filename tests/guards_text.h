/* What guards read: of a table's row its texts and numbers, of a sentence its sizes, ratios and ranges. */
#ifndef LAUNCHGAP_TESTS_GUARDS_TEXT_H
#define LAUNCHGAP_TESTS_GUARDS_TEXT_H

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 0.01 /* of two digits or more */

static inline const json_t *cell(const json_t *table, const json_t *row, const char *key)
{
	const json_t *columns = json_object_get(table, "columns");
	for (size_t c = 0; c < json_array_size(columns); c++)
		if (!strcmp(json_string_value(json_object_get(json_array_get(columns, c), "key")),
		            key))
			return json_array_get(row, c);
	return NULL;
}

static inline const char *text_at(const json_t *table, const json_t *row, const char *key)
{
	const char *text = json_string_value(cell(table, row, key));
	return text ? text : "";
}

static inline double number_at(const json_t *table, const json_t *row, const char *key,
                               const char *part)
{
	const json_t *x = json_object_get(cell(table, row, key), part);
	return json_is_number(x) ? json_number_value(x) : NAN;
}

struct range {
	double lo, hi;
};

static inline struct range interval(const json_t *table, const json_t *row, const char *key)
{
	return (struct range){number_at(table, row, key, "lo"), number_at(table, row, key, "hi")};
}

static inline double far_of(struct range line)
{
	return fmax(line.hi, 1 / line.lo);
}

/* What is the same everywhere has no ends. */
static inline struct range with(struct range r, const json_t *table, const json_t *row,
                                const char *key)
{
	const double x = number_at(table, row, key, "estimate"),
	             lo = number_at(table, row, key, "lo"), hi = number_at(table, row, key, "hi");
	return (struct range){fmin(r.lo, isnan(lo) ? x : lo), fmax(r.hi, isnan(hi) ? x : hi)};
}

static inline bool is_near(double a, double b)
{
	return fabs(a - b) <= ROUNDING * fmax(fabs(b), 0.1);
}

/* Whether a text has "LO to HI", or LO alone if they are the same. */
static inline bool has_range(const char *text, double lo, double hi)
{
	for (const char *at = text; *at; at++) {
		char *end;
		if (!isdigit((unsigned char)*at) ||
		    (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '.')))
			continue;
		const double a = strtod(at, &end),
		             b = strncmp(end, " to ", 4) ? a : strtod(end + 4, NULL);
		if (isfinite(lo) && is_near(a, lo) && is_near(b, hi))
			return true;
	}
	return false;
}

/* Where rows have the ends of a mean's cells: "LO to HI" in words, or a spread; of the second kind one
 * is enough. */
static const char *const ends[][2] = {{"each", "each_time"},     {"cells", NULL},
                                      {"bandwidth_cells", NULL}, {"latency_cells", NULL},
                                      {"speeds", NULL},          {"by_cell", NULL}};

static inline bool is_told(const json_t *entry, const char *text)
{
	const json_t *lo = json_object_get(entry, "lo"), *hi = json_object_get(entry, "hi");
	return json_is_string(entry) ? strstr(text, json_string_value(entry)) != NULL
	       : json_is_number(lo)  ? has_range(text, json_number_value(lo), json_number_value(hi))
	                             : true;
}

/* Whether a text has the ends that a row has; *known: it has a place for them. */
static inline bool ends_told(const json_t *table, const json_t *row, const char *text, bool *known)
{
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const json_t *first = cell(table, row, ends[i][0]),
		             *second = ends[i][1] ? cell(table, row, ends[i][1]) : NULL;
		*known |= first != NULL;
		if (!is_told(first, text) && !(second && is_told(second, text)))
			return false;
	}
	return true;
}

static inline bool begins(const char *text, const char *words)
{
	return !strncmp(text, words, strlen(words));
}

/* At which ratios a claim holds: "below 0.980", "0.980 to 1.020". */
static inline bool limits_of(const char *limits, struct range *of)
{
	*of = (struct range){0, INFINITY};
	return sscanf(limits, "below %lf", &of->hi) == 1 ||
	       sscanf(limits, "above %lf", &of->lo) == 1 ||
	       sscanf(limits, "%lf to %lf", &of->lo, &of->hi) == 2;
}

/* The same to the last digit. */
static inline struct range exact(struct range at, double by)
{
	const bool within = at.lo > 0 && isfinite(at.hi);
	const double of = within ? round(100 * sqrt(at.lo * at.hi)) / 100 : 1;
	return (struct range){at.lo > 0 ? of * (within ? 1 / (1 + by) : 1 + by) : 0,
	                      isfinite(at.hi) ? of * (within ? 1 + by : 1 / (1 + by)) : INFINITY};
}

static inline bool is_size(const char *text)
{
	char unit[4] = "";
	return sscanf(text, "%*f %3[KMGTiB]", unit) == 1 && strchr(unit, 'B');
}

/* "16 MiB to 256 MiB", "from 16 MiB up", "up to 64 KiB". */
static inline bool has_sizes(const char *text)
{
	for (const char *at = text; (at = strstr(at, " to ")); at++)
		if (is_size(at + 4) && at > text + 2 &&
		    (at[-1] == 'B' || !strncmp(at - 3, " up", 3)))
			return true;
	return strstr(text, "iB up");
}

/* "1.25", and no version. */
static inline bool has_figure(const char *text)
{
	for (const char *at = text; *at; at += strspn(at, "0123456789.")) {
		at += strcspn(at, "0123456789");
		const char *point = at + strspn(at, "0123456789");
		if (*point == '.' && isdigit((unsigned char)point[1]) &&
		    point[1 + strspn(point + 1, "0123456789")] != '.')
			return true;
	}
	return false;
}

static inline bool has_ratio(const char *text)
{
	return strstr(text, "times the ") || strstr(text, "times as ") ||
	       strstr(text, "times that of ") || strstr(text, " % of threads'") ||
	       strstr(text, " % of the bandwidth") || strstr(text, ": a step takes ");
}

/* What a page begins with names the sizes of a ratio; below that the ends of these are enough. */
static inline bool place_told(const char *role, const char *text)
{
	const bool first = !strcmp(role, "headline");
	bool is = !(first || !strcmp(role, "answer") || !strcmp(role, "caption")) ||
	          !has_ratio(text) || (!first && strstr(text, " size"));
	for (const char *at = text; *at && !is; at++)
		is = isdigit((unsigned char)*at) && is_size(at);
	return is;
}

/* In one sentence of a text. Of a run that is cut off means are shown, and no verdict. */
static inline bool has_ratio_over_sizes(const char *text)
{
	char one[4096];
	for (const char *end; *text; text = end + strspn(end, ". ")) {
		end = strstr(text, ". ");
		end = end ? end : text + strlen(text);
		snprintf(one, sizeof one, "%.*s", (int)(end - text), text);
		if (has_sizes(one) && !strstr(one, "means over") && has_ratio(one))
			return true;
	}
	return false;
}

#endif
