/* The tables that people read: values by size, ratios by size, peaks and means. */
#ifndef LAUNCHGAP_BYSIZE_H
#define LAUNCHGAP_BYSIZE_H

#include "../config/claim.h"
#include "../analysis/summary.h"
#include "table.h"

/* "16 MiB to 256 MiB", or "16 MiB" where that is all. */
void bysize_range(struct claim_range range, char *text, size_t text_bytes);
/* Three digits, or "-" for NaN. */
void bysize_number(double x, char *text, size_t text_bytes);
/* What a noun of n things ends with: "" or "s". */
const char *bysize_plural(unsigned long long n);
/* "0.941 ±0.7%" (the wider side of its interval; beyond 50 %: "0.837 (0.39 to 1.8)"), or full
 * "0.941 (0.935 to 0.948)". */
void bysize_ratio(const struct stats_ratio *ratio, bool full, char *text, size_t text_bytes);
/* More groups than anybody reads tables of: what is said of each is in the CSV files alone. */
bool bysize_too_many(const struct summary *summary);
/* Whether a variant is held against the reference. */
bool bysize_has_ratio(const struct summary *summary, unsigned variant);
/* What the group's values are, with unit and backend: the table's title. */
void bysize_title(const struct summary *summary, unsigned group, char *text, size_t text_bytes);
/* The value of a row in the table of its group: bus bandwidth, or µs (isolated, and where no
 * data moves). */
double bysize_value(const struct summary_row *row);

/* Each is NULL when memory is out; the caller frees with table_free. */

/* Sizes × variants: values, then ratios to the reference in short, "0.941 ±0.7%" (the wider
 * side of its interval). */
struct table *bysize_short(const struct summary *summary, unsigned group);
/* The values with the quartiles over blocks. */
struct table *bysize_values(const struct summary *summary, unsigned group);
/* The ratios with their intervals. */
struct table *bysize_ratios(const struct summary *summary, unsigned group);
/* Launch cost, skew and resolution by variant at the smallest and largest size. */
struct table *bysize_launch(const struct summary *summary, unsigned group);
/* What each rank had of a call, at the smallest, a middle and the largest size. */
struct table *bysize_ranks(const struct summary *summary, unsigned group);
/* Peak and mean bus bandwidth per collective and variant. */
struct table *bysize_peaks(const struct summary *summary);
/* The ratio over all sizes, one number a block, and the verdict, per group and variant. */
struct table *bysize_gaps(const struct summary *summary);
/* The same of one group in short, without a header. */
struct table *bysize_verdicts(const struct summary *summary, unsigned group);

/* The limit's bus bandwidth at a size, its best where it was not measured there, NaN where it
 * was not measured at all. */
double bysize_limit(const struct summary *summary, size_t bytes);

#endif
