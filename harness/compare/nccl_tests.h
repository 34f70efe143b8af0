/* JSON of nccl-tests (option -J), as its version 2.19.6 writes it. */
#ifndef LAUNCHGAP_NCCL_TESTS_H
#define LAUNCHGAP_NCCL_TESTS_H

#include "result.h"

/* Adds one file's rows to the side as the trial `trial`, in pace stream. The variant is named
 * `variant`, or, when that is NULL, after the layout. Of the file's dump of the environment it
 * keeps only alltoallv's counts. */
int nccl_tests_read(const char *file, const char *variant, unsigned trial, struct result *side,
                    struct status *st);

#endif
