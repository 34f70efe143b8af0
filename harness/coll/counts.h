/* How alltoallv's counts are written: weights of what each rank sends to each (value_cut.h).
 *
 *   even            alike for all
 *   skewed          0:1:2: …: as many parts as ranks lie between, and none for oneself; the
 *                   default of nccl-tests' alltoallv_perf (NCCL_TESTS_ALLTOALLV_SPREAD=1)
 *   1:2:4           by distance, to oneself first
 *   0:9:1, 1:0:1, 1:9:0   one row for each rank, one weight for each that it sends to
 *   ./traffic.txt   the same in a file (a path has a slash; from the working folder): a line
 * for each rank, numbers with spaces between, as NCCL_TESTS_ALLTOALLV_MATRIX_FILE. Where they
 * are no whole numbers up to 65535, the largest becomes 65535, and no other than 0 becomes 0 */
#ifndef LAUNCHGAP_COUNTS_H
#define LAUNCHGAP_COUNTS_H

#include <jansson.h>

#include "../status.h"
#include "value.h"

#define COUNTS_TEXT_BYTES 96

int counts_parse(const char *text, struct value_weights *out, struct status *st);
/* Why that many ranks cannot have them (fewer rows than ranks, nothing that is sent), or 0. */
int counts_check(const struct value_weights *weights, unsigned nranks, struct status *st);
/* What they are for that many ranks, in smallest numbers, so that equal texts are equal counts:
 * "0:1:2:3", "even". Where there is no room, their form and a hash. */
void counts_text(const struct value_weights *weights, unsigned nranks,
                 char text[COUNTS_TEXT_BYTES]);

/* [], [1, 2, 4] or a list of rows. The caller owns the result. */
json_t *counts_to_json(const struct value_weights *weights);
int counts_from_json(const json_t *json, struct value_weights *out, struct status *st);

#endif
