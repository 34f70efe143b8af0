// clang-format off
/* An entry of a table: what a row's field holds, and how it is written for people and for
 * programs.
 *
 *   kind     C type                 terminal, Markdown       CSV                 JSON
 *   TEXT     const char *           as it is                 quoted if needed    string
 *   WORD     const char *           bold if decided          as TEXT             string
 *   COUNT    unsigned               12                       12                  12
 *   BYTES    size_t                 16 MiB                   16777216            16777216
 *   FLAG     int                    yes, or nothing          1, 0                true, false
 *   NUMBER   double                 three digits             six digits          number
 *   SHARE    double                 73 %                     0.73                0.73
 *   SPREAD   struct stats_interval  284 (283 to 285)         key, key_lo, key_hi {value, lo, hi}
 *   RATIO    struct stats_ratio     0.796 (0.788 to 0.815)   key, key_lo, key_hi {estimate, lo, hi,
 *                                                                                blocks}
 *
 * An entry without a value is "-", an empty field, null: NULL or "", UINT_MAX, SIZE_MAX, NaN. */
#ifndef LAUNCHGAP_COLUMN_H
#define LAUNCHGAP_COLUMN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../analysis/stats.h"

#define ENTRY_TEXT_BYTES 1024
#define ENTRY_NO_COUNT   UINT_MAX
#define ENTRY_NO_BYTES   SIZE_MAX
#define ENTRY_NO_FLAG    (-1)

enum column_kind {
	KIND_TEXT,
	KIND_WORD,
	KIND_COUNT,
	KIND_BYTES,
	KIND_FLAG,
	KIND_NUMBER,
	KIND_SHARE,
	KIND_SPREAD,
	KIND_RATIO,
	KINDS
};

/* One column over existing rows: the place of its value in a row, and its name. */
struct column {
	const char *key, *head,
	    *unit; /* key: CSV and JSON; head and unit: people; unit may be "" */
	enum column_kind kind;
	size_t offset;
	unsigned only; /* ONLY_FILES … ; 0: everywhere */
};

enum column_only {
	ONLY_FILES = 1,  /* not for people */
	ONLY_PEOPLE = 2, /* not in files */
	ONLY_FILLED = 4, /* for people only if a row has a value */
};

// clang-format off
/* The C type of each kind, so that a column of another type does not compile. */
#define KIND_C_TEXT    const char *
#define KIND_C_WORD    const char *
#define KIND_C_COUNT   unsigned
#define KIND_C_BYTES   size_t
#define KIND_C_FLAG    int
#define KIND_C_NUMBER  double
#define KIND_C_SHARE   double
#define KIND_C_SPREAD  struct stats_interval
#define KIND_C_RATIO   struct stats_ratio
#define KIND_IS(type, field, KIND) (0 * sizeof(char[_Generic(((type *)0)->field, KIND_C_##KIND: 1)]))
// clang-format on
/* A column of the field's own name. */
#define COLUMN(type, field, head, unit, KIND) COLUMN_AS(type, field, #field, head, unit, KIND, 0)
#define COLUMN_AS(type, field, key, head, unit, KIND, only)                                        \
	{                                                                                          \
		(key), (head), (unit), KIND_##KIND,                                                \
		    offsetof(type, field) + KIND_IS(type, field, KIND), (only)                     \
	}

/* A column's entry in a row; text is borrowed from the row. */
struct entry {
	enum column_kind kind;
	bool has;
	unsigned long long count; /* COUNT, BYTES, FLAG */
	double x, lo, hi;         /* NUMBER, SHARE, SPREAD, RATIO; lo and hi NaN: no interval */
	unsigned blocks;          /* RATIO */
	const char *text;         /* TEXT, WORD */
};
struct entry column_entry(const struct column *column, const void *row);

/* The size of a field of that kind. */
size_t column_bytes(enum column_kind kind);
/* Clears the column's value in a row. */
void column_clear(const struct column *column, void *row);

/* As people read it. */
void entry_write(const struct entry *entry, char *text, size_t bytes);
/* The same in the style that one word names, as sentences ask for it; NULL is short. false: there
 * is no such word, or the entry cannot be written so.
 *
 *   short     0.811                    percent   81.1 %
 *   full      0.811 (0.807 to 0.814)   percents  81.1 % (80.7 to 81.4 %)
 *   interval  0.807 to 0.814           less      18.9 %: 1 − estimate
 *   inverse   1.23 (1.22 to 1.24)      more      25 %: estimate − 1
 *   times     1.25: to two places      duration  80 s, 12 min, 2.1 h: of seconds
 *   effect    81 %, a factor of 3.2
 *
 * For a count, the words after it: s, es, is, was: "1 call was", "2 calls were". */
bool entry_say(const struct entry *entry, const char *how, char *text, size_t bytes);
/* Whether a verdict's text says that something was decided: it is printed bold. */
bool entry_decided(const char *verdict);

#endif
