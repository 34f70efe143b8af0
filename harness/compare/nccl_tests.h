/* JSON of nccl-tests (option -J), as its version 2.19.6 writes it. */
#ifndef LAUNCHGAP_NCCL_TESTS_H
#define LAUNCHGAP_NCCL_TESTS_H

#include "../coll/counts.h"
#include "compare_parts.h"

/* Adds one file's rows to the side as the trial `trial`, in pace stream. The variant is named
 * `variant`, or, when that is NULL, after the layout. Of the file's dump of the environment
 * nothing is kept but alltoallv's counts. */
int nccl_tests_read(const char *file, const char *variant, unsigned trial,
                    struct compare_side *side, struct status *st);

/* Of its "args", the value of -a: which of the ranks' times is the time. */
int nccl_tests_average(const json_t *args);
/* The other options that tell one measurement from another, as far as they are not the usual
 * ones: "-R 2 -n 50", or "". */
void nccl_tests_others(const json_t *args, const json_t *config, char out[NCCL_TESTS_OTHERS]);
/* Of its "config", the options by which its calls are not simply back to back, or "". */
void nccl_tests_manner(const json_t *config, char out[64]);
/* Of its "env", what NCCL_TESTS_ALLTOALLV_* ask alltoallv for, in the words of counts where it
 * has them. Whether parts are cut from a size, so that a row's is their sum. */
bool nccl_tests_counts(const json_t *env, unsigned nranks, char out[COUNTS_TEXT_BYTES]);

#endif
