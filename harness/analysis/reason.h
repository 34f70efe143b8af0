/* Why there is no figure: a kind with its facts. What a report says of it is
 * chapters/reasons.h's. */
#ifndef LAUNCHGAP_REASON_H
#define LAUNCHGAP_REASON_H

#include <jansson.h>

#include "../config/claim.h"

enum reason_kind {
	REASON_NONE, /* there is one */

	/* What is asked for. */
	REASON_OTHER_BACKEND, /* it is about another one */
	REASON_NEEDS,         /* more than this machine has: detail */

	/* A variant, `of`. */
	REASON_UNKNOWN,    /* no variant of this name */
	REASON_SKIPPED,    /* detail: why */
	REASON_NO_TRIAL,   /* went through */
	REASON_UNCOMPARED, /* with the reference, in a regime */

	/* The run. */
	REASON_TROUBLE,        /* wrong data (struct trouble) */
	REASON_SHARED_GPU,     /* by n ranks of `of` */
	REASON_OVERSUBSCRIBED, /* of a metric with which ranks wait */
	REASON_FEW_CALLS,      /* n, and the metric needs more */
	REASON_NO_DATA,        /* is carried */

	/* Cells. */
	REASON_NO_CELL,   /* in range */
	REASON_NO_BLOCK,  /* with all of the cells */
	REASON_NO_WORKER, /* says it */

	/* Counters. */
	REASON_NO_COUNTERS,          /* in the run */
	REASON_NO_COUNTERS_OF,       /* of `of` */
	REASON_NO_COUNTERS_TOGETHER, /* of all variants in one cell */
	REASON_NO_LAUNCH,
	REASON_SHORT_ISSUE,  /* for a CPU's clock */
	REASON_NO_COUNTER,   /* detail: what the record says of it */
	REASON_NO_FIGURE_OF, /* `of` */

	REASONS
};

struct reason {
	enum reason_kind kind;
	enum metric metric;
	const char *of, *detail; /* borrowed: the record's, or the experiment's */
	unsigned n;
	struct claim_range range;
};

/* What is wrong with the data: of a cell of this variant and block. */
struct trouble {
	const char *collective, *variant; /* borrowed, as all here */
	size_t bytes;
	unsigned block;
	unsigned long long wrong; /* elements; 0: there is no trouble */
	const json_t *at;         /* the first wrong element, or NULL */
};

#endif
