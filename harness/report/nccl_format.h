/* The text that nccl-tests prints, with our figures, for programs that already read it: its comment
 * lines, its columns in its widths, its footer. The layout is that of version 2.19.6: src/util.cu
 * writes it and src/common.cu decides its content. */
#ifndef LAUNCHGAP_NCCL_FORMAT_H
#define LAUNCHGAP_NCCL_FORMAT_H

#include "nccl_table.h"

/* All tables (nccl_tables). A half without a time reads nan, and N/A for its wrong elements. Returns
 * how many tables. */
unsigned nccl_format_print(const struct summary *summary, enum nccl_average average, bool per_call,
                           FILE *out);

#endif
