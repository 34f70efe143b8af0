/* The tables that people read: values by size, ratios by size, peaks and means. */
#ifndef LAUNCHGAP_BYSIZE_H
#define LAUNCHGAP_BYSIZE_H

#include "../config/claim.h"
#include "../analysis/summary.h"
#include "../analysis/words.h"
#include "grid.h"

/* The same under their older names. */
#define bysize_range     words_range
#define bysize_number    words_number
#define bysize_plural    words_plural
#define bysize_ratio     words_ratio
#define bysize_limit     summary_limit
#define bysize_has_ratio summary_has_ratio

/* More groups than anybody reads tables of: what is said of each is in the CSV files alone. */
bool bysize_too_many(const struct summary *summary);
/* What the group's values are, with unit and backend: the table's title. */
void bysize_title(const struct summary *summary, unsigned group, char *text, size_t text_bytes);
/* The value of a row in the table of its group: bus bandwidth, or µs (isolated, and where no
 * data moves). */
double bysize_value(const struct summary_row *row);

/* Each is NULL when memory is out; the caller frees with table_free. */

/* Sizes × variants: values, then ratios to the reference in short, "0.941 ±0.7%" (the wider
 * side of its interval). */
struct grid *bysize_short(const struct summary *summary, unsigned group);
/* The values with the quartiles over blocks. */
struct grid *bysize_values(const struct summary *summary, unsigned group);
/* The ratios with their intervals. */
struct grid *bysize_ratios(const struct summary *summary, unsigned group);
/* Launch cost, skew and resolution by variant at the smallest and largest size. */
struct grid *bysize_launch(const struct summary *summary, unsigned group);
/* What each rank had of a call, at the smallest, a middle and the largest size. */
struct grid *bysize_ranks(const struct summary *summary, unsigned group);
/* Peak and mean bus bandwidth per collective and variant. */
struct grid *bysize_peaks(const struct summary *summary);
/* The ratio over all sizes, one number a block, and the verdict, per group and variant. */
struct grid *bysize_gaps(const struct summary *summary);
/* The same of one group in short, without a header. */
struct grid *bysize_verdicts(const struct summary *summary, unsigned group);

#endif
