/* The JSON that nccl-tests' -J writes (its file version 3, src/util.cu), with our figures, for programs
 * that read it: the same keys in the same order, of the same types. */
#ifndef LAUNCHGAP_NCCL_JSON_H
#define LAUNCHGAP_NCCL_JSON_H

#include "nccl_table.h"

/* A file for each table: `file`, or if it exists file.0, file.1, …, as nccl-tests does. Says on `out`,
 * in a comment line, where each is. `dir`: the record's, which the file names. -1 with a sentence: one
 * cannot be written. */
int nccl_json_write(const struct summary *summary, enum nccl_average average, bool per_call,
                    const char *dir, const char *file, FILE *out, struct status *st);

#endif
