/* A table of typed cells: filled once, written by one emitter per format. The cell knows what
 * it is (a number, a ratio with its interval, a size in bytes); only the emitter knows how that
 * is written on a terminal, in Markdown, in CSV and in JSON.
 *
 *   kind     terminal, Markdown          CSV                      JSON
 *   TEXT     as it is                    quoted where needed      string
 *   VERDICT  as it is; bold if decided   the same                 string
 *   COUNT    12                          12                       12
 *   BYTES    16 MiB                      16777216                 16777216
 *   FLAG     yes, or nothing             1, 0                     true, false
 *   NUMBER   three digits                six digits               number
 *   SPREAD   284 (283 to 285)            key, key_lo, key_hi      {value, lo, hi}
 *   RATIO    0.796 (0.788 to 0.815)      key, key_lo, key_hi      {estimate, lo, hi, blocks}
 *   SHARE    73 %                        0.73                     0.73
 *
 * A cell without a value is "-", an empty field, null. When memory is out the table remembers
 * it and every further call does nothing; table_failed says so once, at the end. */
#ifndef LAUNCHGAP_TABLE_H
#define LAUNCHGAP_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct stats_ratio;

enum table_kind {
	TABLE_TEXT,
	TABLE_VERDICT,
	TABLE_COUNT,
	TABLE_BYTES,
	TABLE_FLAG,
	TABLE_NUMBER,
	TABLE_SPREAD,
	TABLE_RATIO,
	TABLE_SHARE,
	TABLE_KINDS
};

/* The key names the column in CSV and JSON, the head to people; the unit may be "". */
struct table_column {
	const char *key, *head, *unit;
	enum table_kind kind;
};

struct table;

/* `name` is unique in a report, lower case; texts are copied. NULL when memory is out, which
 * all functions here accept. The caller frees with table_free. */
struct table *table_new(const char *name, const char *title);
void table_free(struct table *table);
bool table_failed(const struct table *table); /* NULL: true */

const char *table_name(const struct table *table);
const char *table_title(const struct table *table);
unsigned table_rows(const struct table *table);

/* Before the first row. */
void table_columns(struct table *table, const struct table_column *columns, unsigned n);
void table_column(struct table *table, const char *key, const char *head, const char *unit,
                  enum table_kind kind);

/* Begins a row; the calls after it fill its columns from the left, each of the column's kind.
 */
void table_row(struct table *table);
void table_text(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));                   /* TEXT, VERDICT; "" is no value */
void table_count(struct table *table, unsigned long long n); /* COUNT, BYTES */
void table_flag(struct table *table, bool yes);
void table_number(struct table *table, double x); /* NUMBER, SHARE; NaN is no value */
void table_spread(struct table *table, double x, double lo, double hi);
void table_ratio(struct table *table, const struct stats_ratio *ratio);
void table_none(struct table *table);

/* Leaves out columns in which no row has a value. */
void table_drop_empty(struct table *table);
/* Leaves out TEXT columns behind the first that say the same in each of several rows, and adds
 * "head text" of each to `said`, with commas; for people: JSON keeps them. */
void table_drop_common(struct table *table, char *said, size_t bytes);

/* At most `width` characters wide: columns that do not fit go on below, behind the first again.
 * Ratios in short, "0.796 ±1.2%". */
void table_write_text(const struct table *table, FILE *out, unsigned width);
void table_write_markdown(const struct table *table, FILE *out);
void table_write_csv(const struct table *table, FILE *out);
/* CSV as a data block of gnuplot, $name, for `set datafile separator comma`: nine digits, NaN
 * for no number. */
void table_write_gnuplot(const struct table *table, FILE *out);
/* A text as a field of CSV: quoted where a reader would take it for something else. */
void table_csv_text(FILE *out, const char *text);
/* {"name", "title", "columns": [{"key", "head", "unit", "kind"}], "rows": [[…]]}. The caller's
 * reference; NULL when memory is out. */
json_t *table_to_json(const struct table *table);

/* Text from elsewhere, so that Markdown takes it as text. */
void table_escape(FILE *out, const char *text);
/* Characters that a text takes on a terminal. */
unsigned table_width(const char *text);

#endif
