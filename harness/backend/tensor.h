/* Ranks that share a model, as in tensor parallelism: those at the same place in the groups of a
 * split communicator. With split = MOD:2 four ranks are two groups that reduce gradients, 0 with
 * 2 and 1 with 3, and two models, of 0 with 1 and of 2 with 3. After a layer's work they sum its
 * result (the gradients of activations), and continue with the sum.
 *
 * Common to every backend with `tensor`: which ranks share a model, what they sum, the right
 * answer, and the sentences why not. Pure. */
#ifndef LAUNCHGAP_TENSOR_H
#define LAUNCHGAP_TENSOR_H

#include "../core/buffers.h"

/* 0, or -1 with a sentence why the trial's groups or shared models are not possible. */
int tensor_refuses(const struct trial *trial, struct status *st);

/* How many ranks share a model that has activations to sum; 0: each has its own model. */
unsigned tensor_ranks(const struct trial *trial);
/* A rank's model, and its place among those that share it. */
struct split_place tensor_place(const struct trial *trial, unsigned rank);
/* Whether its calls sum activations if ranks share a model. */
bool tensor_sums(enum coll_kind coll);
/* Elements of a layer's activations for all samples of a rank. */
uint64_t tensor_elements(const struct trial *trial, unsigned layer);
/* Bytes for the largest sum, in the widest datatype of the trial's cells. */
size_t tensor_bytes(const struct trial *trial);

/* A rank's buffers, with room for the largest sum once. Every sum reads the first elements of the
 * same inputs and writes to the same place, so the buffer must end up with the largest sum. Its
 * elements are counted after those of the arena. */
struct buffers tensor_buffers(const struct trial *trial, enum dtype dtype, unsigned rank,
                              uint64_t seed, char *send, char *recv);
#endif
