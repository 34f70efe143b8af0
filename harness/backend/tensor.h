/* Ranks that share a model, as in tensor parallelism: those at one place of the groups that a
 * communicator is split into. With split = MOD:2 four ranks are two groups that reduce
 * gradients, 0 with 2 and 1 with 3, and two models, of 0 with 1 and of 2 with 3. Behind a
 * layer's work they sum what it came to (activations' gradients), and go on with the sum.
 *
 * What every backend that heeds `tensor` has in common: who shares, what is summed, with which
 * answer, and the sentences why not. Pure. */
#ifndef LAUNCHGAP_TENSOR_H
#define LAUNCHGAP_TENSOR_H

#include "buffers.h"

/* 0, or -1 with the sentence why the trial's groups, or models that they share, cannot be. */
int tensor_refuses(const struct trial *trial, struct status *st);

/* How many ranks share a model that has something to sum; 0: each has one of its own. */
unsigned tensor_ranks(const struct trial *trial);
/* Which model, and a rank's place among those that share it. */
struct split_place tensor_place(const struct trial *trial, unsigned rank);
/* Whether calls of it sum activations, where ranks share a model. */
bool tensor_sums(enum coll_kind coll);
/* Of a layer's activations: what all samples of a rank come to. */
uint64_t tensor_elements(const struct trial *trial, unsigned layer);
/* Room for the largest, in the widest datatype of the trial's cells. */
size_t tensor_bytes(const struct trial *trial);

/* A rank's buffers, which hold the largest once: every sum takes the first of the same inputs
 * and puts them to the same place, so that the largest sum is what has to be found. */
struct buffers tensor_buffers(const struct trial *trial, enum dtype dtype, unsigned rank,
                              uint64_t seed, char *send, char *recv);
/* Adds what the check of activations found to what that of gradients did. Elements of
 * activations are counted behind those of the arena. */
void tensor_verdict_add(const struct trial *trial, enum dtype dtype,
                        struct backend_verdict *all, const struct backend_verdict *own);

#endif
