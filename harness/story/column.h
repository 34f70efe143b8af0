/* An entry of a table: what a row has in a column, and how it is written for people and for
 * programs.
 *
 *   kind     of an entry            terminal, Markdown       CSV                 JSON
 *   TEXT     text                   as it is                 quoted if needed    string
 *   WORD     text                   bold if decided          as TEXT             string
 *   COUNT    count                  12                       12                  12
 *   BYTES    count                  16 MiB                   16777216            16777216
 *   FLAG     count                  yes, or nothing          1, 0                true, false
 *   NUMBER   x                      three digits             six digits          number
 *   SHARE    x                      73 %                     0.73                0.73
 *   SPREAD   x, lo, hi              284 (283 to 285)         key, key_lo, key_hi {value, lo, hi}
 *   RATIO    x, lo, hi, blocks      0.796 (0.788 to 0.815)   key, key_lo, key_hi {estimate, lo, hi,
 *                                                                                blocks}
 *
 * An entry without a value is "-", an empty field, null. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define ENTRY_TEXT_BYTES 1024

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

struct column {
	const char *key;         /* for CSV and JSON */
	const char *head, *unit; /* for people; unit may be "" */
	enum column_kind kind;
	unsigned at;   /* which of a row's entries */
	unsigned only; /* ONLY_FILES … ; 0: everywhere */
};

enum column_only {
	ONLY_FILES = 1,  /* not for people */
	ONLY_PEOPLE = 2, /* not in files */
	ONLY_FILLED = 4, /* for people only if a row has a value */
};

struct entry {
	enum column_kind kind;
	bool has;
	long long count;
	double x, lo, hi; /* lo and hi NaN: no interval */
	unsigned blocks;
	const char *text; /* "": none */
};
/* Without a value. */
struct entry entry_none(enum column_kind kind);

/* As people read it. */
void entry_write(const struct entry *entry, char *text, size_t bytes);
/* The same in the style that one word names, as sentences ask for it; NULL is short. false: there
 * is no such word, or the entry cannot be written so.
 *
 *   short     0.811                    percent   81.1 %
 *   full      0.811 (0.807 to 0.814)   percents  81.1 % (80.7 to 81.4 %)
 *   interval  0.807 to 0.814           less      18.9 %: 1 − estimate
 *   times     1.25: to two places      more      25 %: estimate − 1
 *   effect    81 %, a factor of 3.2    duration  80 s, 12 min, 2.1 h: of seconds
 *
 * For a count, the words after it: s, es, is, was: "1 call was", "2 calls were". */
bool entry_say(const struct entry *entry, const char *how, char *text, size_t bytes);
/* Whether a verdict's text says that something was decided: it is printed bold. */
bool entry_decided(const char *verdict);
