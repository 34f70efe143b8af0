/* The bandwidth that reference records reached: results/reference/bandwidth.csv, which `make reference`
 * makes of the committed records and which is built into the program. A row is a cell of one record
 * of at least STATS_MIN_BLOCKS blocks, in stream, from REFERENCE_BYTES up.
 *
 * A record is one machine at one time, so that records and not blocks say how far machines differ. The
 * range is where one more record's median falls in 95 of 100 cases: of the logarithms' mean m and
 * standard deviation s over n records, m ± t √(1 + 1 ÷ n) s, t Student's with n − 1 degrees of
 * freedom (Hahn and Meeker, Statistical Intervals, 1991, 4.8). It takes records for a sample of
 * machines, which those of few machines are not: `boots` says of how many they are at most. Below
 * REFERENCE_RECORDS there is no such range. Then it is as wide as two records of one cell differ at
 * most, over all cells of these GPUs that have several, of small sizes or of those from
 * REFERENCE_LARGE up.
 *
 * Pure. */
#ifndef LAUNCHGAP_REFERENCE_H
#define LAUNCHGAP_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "../arena.h"

#define REFERENCE_BYTES   ((size_t)1 << 20) /* below, launching decides more than the links do */
#define REFERENCE_LARGE   ((size_t)16 << 20)
#define REFERENCE_RECORDS 3 /* for a range of one more record */

/* What has to be equal. */
struct reference_key {
	const char *gpu, *layout, *what, *settings; /* "NVIDIA H200", "2x1x1", "all_reduce", "" */
	size_t bytes;
	/* Its version: the same, else the nearest that there is of the same data path, where both are
	 * known. */
	const char *library, *data_path;
	const char *created; /* of the run itself, which is no reference of its own */
};

struct reference_row {
	struct reference_key key;
	const char *record, *boot, *link;
	unsigned blocks;
	double gbs, least, most; /* the median over blocks; of blocks */
};

struct reference_table {
	struct reference_row *rows;
	unsigned n;
};

/* From the text of a table; what is no row of it is omitted. All memory is the arena's. */
struct reference_table reference_read(const char *text, struct arena *arena);
/* What the reference records reached: a table that is part of the program (texts.h). */
#define REFERENCE_BANDWIDTH "results/reference/bandwidth.csv"

struct reference {
	unsigned records, boots;      /* 0: there is none */
	const char *library;          /* of these records */
	const char *link, *data_path; /* of the last of them that says it, or "" */
	const char *names;            /* of the records: "2x-h200/collectives, …" */
	double gbs;                   /* the geometric mean of their medians */
	double lo, hi;                /* the range */
	double least, most;           /* of all their blocks */
	double spread;                /* by which records of one cell differ at most: 0.1 is 10 % */
	bool predicted;               /* lo and hi are of one more record */
};
struct reference reference_find(const struct reference_table *table,
                                const struct reference_key *key, struct arena *arena);

#endif
