/* The text that nccl-tests prints, with our figures, for programs that already read it: its comment
 * lines, its columns in its widths, its footer. The layout is that of version 2.19.6: src/util.cu
 * writes it and src/common.cu decides its content. */
#ifndef LAUNCHGAP_NCCL_FORMAT_H
#define LAUNCHGAP_NCCL_FORMAT_H

#include "../analysis/summary.h"

/* The time that is printed: the workers' own, in the order of nccl-tests' -a, or ours, from the
 * earliest start to the latest end over all. Bandwidths follow it. */
enum nccl_average {
	NCCL_AVERAGE_RANK0,
	NCCL_AVERAGE_MEAN, /* nccl-tests' default */
	NCCL_AVERAGE_MIN,
	NCCL_AVERAGE_MAX,
	NCCL_AVERAGE_SPAN,
	NCCL_AVERAGE_KINDS
};

/* 0, 1, 2, 3 or span; -1 with the sentence for anything else. */
int nccl_average_find(const char *name, enum nccl_average *out, struct status *st);

/* One table per variant and collective of pace stream, as each nccl-tests program prints one: all
 * datatypes, operations and roots as rows, both halves if both were measured. A half without a time
 * reads nan, and N/A for its wrong elements. Limits, the reference's twin, and sizes without any
 * time are omitted. Returns how many tables. */
unsigned nccl_format_print(const struct summary *summary, enum nccl_average average, FILE *out);

/* Our name for nccl-tests' name of a datatype or operation: "float32" for "float". */
const char *nccl_format_ours(const char *theirs);

#endif
