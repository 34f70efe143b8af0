/* How alltoallv's counts are written: weights of the data from each rank to each (value_cut.h).
 *
 *   even            equal for all
 *   skewed          0:1:2: …: nccl-tests' default (NCCL_TESTS_ALLTOALLV_SPREAD=1)
 *   1:2:4           by distance, from 0 (the rank itself)
 *   0:9:1, 1:0:1, 1:9:0   one row for each rank, one weight for each that it sends to
 *   ./traffic.txt   the same in a file, a line for each rank (NCCL_TESTS_ALLTOALLV_MATRIX_FILE)
 * Unless they are integers up to 65535 the largest becomes 65535, and only 0 becomes 0. */
#pragma once

#include <jansson.h>

#include "../status.h"
#include "value.h"

#define COUNTS_TEXT_BYTES 96

int counts_parse(const char *text, struct value_weights *out, struct status *st);
/* 0, or -1 with a sentence why so many ranks cannot have them (fewer rows than ranks, no data). */
int counts_check(const struct value_weights *weights, unsigned nranks, struct status *st);
/* Their text for so many ranks, in smallest numbers, so that equal texts are equal counts:
 * "0:1:2:3", "even". Without room for that, their form and a hash. */
void counts_text(const struct value_weights *weights, unsigned nranks,
                 char text[COUNTS_TEXT_BYTES]);

/* [], [1, 2, 4] or a list of rows. The caller owns the result. */
json_t *counts_to_json(const struct value_weights *weights);
int counts_from_json(const json_t *json, struct value_weights *out, struct status *st);
