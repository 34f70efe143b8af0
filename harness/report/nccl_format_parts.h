/* What the files of nccl-tests' format share with each other and with nobody else. */
#ifndef LAUNCHGAP_NCCL_FORMAT_PARTS_H
#define LAUNCHGAP_NCCL_FORMAT_PARTS_H

#include "nccl_format.h"

/* One table, as one of its programs prints: a variant's figures of a collective, whatever the
 * datatype, operation and root. */
struct nccl_table {
	const struct summary *s;
	unsigned variant;
	unsigned first; /* group */
	enum nccl_average average;
};

const struct summary_group *nccl_format_group(const struct nccl_table *table);
/* Whether a group's rows stand in the table. */
bool nccl_format_holds(const struct nccl_table *table, unsigned group);

/* Its names of ours. */
const char *nccl_format_dtype(enum dtype dtype);
const char *nccl_format_op(const struct cell *cell);
/* -1 where there is no root. */
int nccl_format_root(const struct cell *cell);
/* Elements as it counts them: one rank's part where the collective moves parts. */
size_t nccl_format_count(const struct nccl_table *table, const struct cell *cell);

/* All that stands above the rows. */
void nccl_format_head(const struct nccl_table *table, FILE *out);

#endif
