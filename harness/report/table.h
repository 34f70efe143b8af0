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

struct stats_interval;
struct stats_ratio;
struct story_table;
struct story_pivot;

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
/* The same with columns, which are borrowed until it returns. */
struct table *table_of(const char *name, const char *title, const struct table_column *columns,
                       unsigned n);

/* The same of a chapter's table, less the columns of `less`: ONLY_FILES for people, ONLY_PEOPLE
 * for programs. */
struct table *table_of_told(const struct story_table *told, unsigned less);
/* A row for each value of its column down, a column for each one across, in the order of the
 * rows. */
struct table *table_of_pivot(const struct story_pivot *pivot);

const char *table_title(const struct table *table);
unsigned table_rows(const struct table *table);

/* Before the first row. */
void table_columns(struct table *table, const struct table_column *columns, unsigned n);
void table_column(struct table *table, const char *key, const char *head, const char *unit,
                  enum table_kind kind);

#define TABLE_COLUMNS(...)                                                                     \
	(const struct table_column[]){__VA_ARGS__},                                            \
	    sizeof((const struct table_column[]){__VA_ARGS__}) / sizeof(struct table_column)
/* A table of these columns. */
#define TABLE_NEW(name, title, ...) table_of(name, title, TABLE_COLUMNS(__VA_ARGS__))

/* What a cell holds, of its column's kind: made by CELL or one of the functions below. */
struct table_value {
	unsigned kinds; /* a set of table_kind in which it may stand */
	bool has;
	unsigned long long count;
	double x, lo, hi;
	unsigned blocks;
	const char *text; /* borrowed until it is put */
};

/* By the type of x: a text (TEXT, VERDICT; "" is no value), an unsigned number (COUNT, BYTES),
 * a comparison (FLAG), a double (NUMBER, SHARE; NaN is no value), the address of a ratio
 * (RATIO). */
// clang-format off
#define CELL(x) _Generic((x), \
	char *: table_of_text, const char *: table_of_text, \
	unsigned: table_of_count, unsigned long: table_of_count, unsigned long long: table_of_count, \
	bool: table_of_flag, int: table_of_flag, \
	double: table_of_number, float: table_of_number, \
	struct stats_ratio *: table_of_ratio, const struct stats_ratio *: table_of_ratio)(x)
// clang-format on
struct table_value table_of_text(const char *text);
struct table_value table_of_count(unsigned long long n);
struct table_value table_of_flag(bool yes);
struct table_value table_of_number(double x);
struct table_value table_of_spread(double x, double lo, double hi);
struct table_value table_of_ratio(const struct stats_ratio *ratio);
struct table_value table_of_none(void);
/* A number where there is one. */
struct table_value table_of_known(bool known, unsigned long long n);

/* Begins a row; what is put after it fills its columns from the left. */
void table_row(struct table *table);
void table_put(struct table *table, const struct table_value *values, unsigned n);
void table_text(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define TABLE_VALUES(...)                                                                      \
	(const struct table_value[]){__VA_ARGS__},                                             \
	    sizeof((const struct table_value[]){__VA_ARGS__}) / sizeof(struct table_value)
#define TABLE_PUT(table, ...) table_put(table, TABLE_VALUES(__VA_ARGS__))
/* Begins a row with these. */
void table_add(struct table *table, const struct table_value *values, unsigned n);
#define TABLE_ROW(table, ...) table_add(table, TABLE_VALUES(__VA_ARGS__))

/* Leaves out the columns of these keys. */
void table_drop(struct table *table, const char *const *keys, unsigned n);
#define TABLE_DROP(table, ...)                                                                 \
	table_drop(table, (const char *const[]){__VA_ARGS__},                                  \
	           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
/* Leaves out all columns but those of these keys, with blanks between. */
void table_keep(struct table *table, const char *keys);
/* Leaves out columns in which no row has a value. */
void table_drop_empty(struct table *table);
/* Leaves out TEXT columns behind the first that say the same in each of several rows, and adds
 * "head text" of each to `said`, with commas; for people: JSON keeps them. */
void table_drop_common(struct table *table, char *said, size_t bytes);

/* As a grid of at most `width` characters. Ratios in short, "0.796 ±1.2%". */
void table_write_text(const struct table *table, FILE *out, unsigned width);
void table_write_markdown(const struct table *table, FILE *out);
void table_write_csv(const struct table *table, FILE *out);
/* CSV as a data block of gnuplot, $name, for `set datafile separator comma`: nine digits, NaN
 * for no number. */
void table_write_gnuplot(const struct table *table, FILE *out);
/* A text as a field of CSV: quoted where a reader would take it for something else, with ' in front
 * where a spreadsheet would take it for a formula. */
void table_csv_text(FILE *out, const char *text);
/* Whether the character at `at` is the > of "]]>": XML forbids that in a text, and gnuplot writes
 * it into its SVG. A blank has to come in front. */
bool table_ends_cdata(const char *begin, const char *at);
/* {"name", "title", "columns": [{"key", "head", "unit", "kind"}], "rows": [[…]]}. The caller's
 * reference; NULL when memory is out. */
json_t *table_to_json(const struct table *table);

/* Text from elsewhere, so that Markdown takes it as text. */
void table_escape(FILE *out, const char *text);

#endif
