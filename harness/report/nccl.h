/* What nccl-tests prints and writes, with our figures, for programs that already read it: the
 * comment lines, columns and widths of its text, the keys and types of its -J (2.19.6,
 * src/common.cu and src/util.cu). nccl.sql has its tables, one per variant and collective. One
 * without a line is omitted; so are limits, and the reference's twin: who takes a variant's average
 * from the last table would take it for another variant's. */
#ifndef LAUNCHGAP_REPORT_NCCL_H
#define LAUNCHGAP_REPORT_NCCL_H

#include "model.h"

/* The time of a line: the workers' own, in the order of nccl-tests' -a; ours, from the earliest
 * start to the latest end; or that of launching alone, as its -C 1. NULL after the last. */
extern const char *const nccl_averages[];

/* A list of the tables, each as -J has it but for the record, and `printed`, what is printed above
 * its lines. The arena's; NULL: a defect of nccl.sql. */
json_t *nccl_tables(const struct model *model, const char *average, struct status *st);
/* As text. A half without a time reads nan, and N/A for its wrong elements. */
void nccl_print(const json_t *tables, FILE *out);
/* A file for each table: `file`, or if it exists file.0, file.1, …, as nccl-tests does. Says on
 * `out`, in a comment line, where each is. `dir`: the record's, which the file names. -1 with a
 * sentence: one cannot be written. */
int nccl_write(const json_t *tables, const char *dir, const char *file, FILE *out,
               struct status *st);

#endif
