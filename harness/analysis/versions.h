/* The gap by NCCL version: where a run holds the same variants on several versions of the
 * library, how threads and processes compare on each, and what changed between two. Pure.
 *
 * Of a version the variants are taken that are threads, processes (and single) and have the
 * reference's settings else. A version without them is left out, with a sentence: a pair with
 * other settings would answer another question. All figures of a collective rest on the same
 * cells and blocks, those that every one of its variants has: a version's bandwidth in a block
 * is the geometric mean over the cells. Over blocks too it is that mean, as in claims and
 * waterfall: one quantity has one value in a report. */
#ifndef LAUNCHGAP_VERSIONS_H
#define LAUNCHGAP_VERSIONS_H

#include "contrast.h"
#include "evidence.h"
#include "regime.h"

#define VERSIONS_TEXT_BYTES 2048
#define VERSIONS_SENTENCES  16
#define VERSIONS_SAY_BYTES  512

enum versions_mode { VERSIONS_THREADS, VERSIONS_PROCESSES, VERSIONS_SINGLE, VERSIONS_MODES };
const char *versions_mode_name(enum versions_mode mode);

/* One mode on one version. Texts are borrowed from the summary and its evidence. */
struct versions_side {
	unsigned variant;
	const char *name;     /* the variant's */
	double value, lo, hi; /* GB/s or µs: geometric mean over blocks, as claims have it;
	                         quartiles */
	const char *data_path;  /* struct evidence_path's, "" where not known */
	double dram_per_nvlink; /* at the largest size with counters; NaN */
	/* Against the same mode one version below: this ÷ that. Of the first version nothing.
	 */
	struct verdict change;
};

struct versions_row {
	const char *version; /* "2.21.5" */
	struct versions_side sides[VERSIONS_MODES];
	struct verdict verdict; /* processes ÷ threads */
};

/* One collective in one regime: bandwidth of large sizes, latency of small ones. */
struct versions_coll {
	enum coll_kind coll;
	enum regime_kind regime;
	enum metric metric;
	unsigned nranks;
	unsigned ncells, nblocks;
	struct claim_range sizes;     /* of the cells, as asked */
	struct versions_row *rows;    /* by version, ascending; `nrows` of them */
	char why[CONTRAST_WHY_BYTES]; /* why there are no figures, or "" */
};

struct versions {
	unsigned nmodes; /* 2, or 3 where single was measured on all versions */
	unsigned nrows;  /* versions: at least two, or none: see missing */
	unsigned ncolls;
	struct versions_coll colls[2 * COLL_KINDS]; /* large ones first */
	/* Versions that were measured and are left out, and what each of them lacks; or "". */
	char missing[VERSIONS_TEXT_BYTES];
};

/* Large: stream bandwidth over the gap's sizes, where the experiment asks for one; else from
 * 16 MiB up; else, where none is so large, over all. Small: the latency of isolated calls over
 * that regime's sizes, where it was measured. A regime that cannot tell variants apart (of
 * `regimes`, or NULL) withholds verdicts here too. The caller frees with versions_free. -1 only
 * when memory is out. */
int versions_make(const struct summary *summary, const struct regimes *regimes,
                  const struct gap *gap,
                  const struct evidence *evidence, struct versions *out, struct status *st);
void versions_free(struct versions *versions);

/* Whether version a is below b, number by number: 2.9 is below 2.21. < 0, 0 or > 0. */
int versions_order(const char *a, const char *b);

/* "alltoall", or "alltoall, latency": which entry it is. */
struct words versions_title(const struct versions_coll *coll);
/* What was measured of a collective, in sentences, and how many there are: the ratio by
 * version, and where its verdict changes which mode's own bandwidth did. */
unsigned versions_say(const struct versions *versions, unsigned coll,
                      char text[VERSIONS_SENTENCES][VERSIONS_SAY_BYTES]);

#endif
