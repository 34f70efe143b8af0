#include "tensor.h"

int tensor_refuses(const struct trial *trial, struct status *st)
{
	const struct settings *set = &trial->settings;
	unsigned group;
	if (set->split.op != SPLIT_NONE &&
	    split_size(set->split, layout_ranks(set->layout), set->tensor ? 1 : 2, &group, st))
		return -1;
	if (set->tensor && set->split.op == SPLIT_NONE)
		return status_set(st,
		                  "tensor = yes needs groups that reduce gradients, as in "
		                  "split = MOD:2: ranks at the same place in them share a model");
	if (set->tensor && trial->network.n && !network_sums(&trial->network).activations)
		return status_set(st,
		                  "tensor = yes reduces activations, and model = %s has none: the "
		                  "fourth number of a line",
		                  trial->network.name);
	return 0;
}

static bool trains(const struct trial *trial)
{
	for (unsigned c = 0; c < trial->ncells; c++)
		if (coll_info(trial->cells[c].coll)->is & COLL_TRAINS)
			return true;
	return false;
}

unsigned tensor_ranks(const struct trial *trial)
{
	bool shares =
	    trial->settings.tensor && network_sums(&trial->network).activations && trains(trial);
	return shares ? layout_ranks(trial->settings.layout) / trial_comm_ranks(trial) : 0;
}

struct split_place tensor_place(const struct trial *trial, unsigned rank)
{
	const struct split split = trial->settings.split;
	unsigned nranks = layout_ranks(trial->settings.layout);
	struct split_place at = {.color = split_place(split, nranks, rank).index,
	                         .size = nranks / trial_comm_ranks(trial)};
	for (unsigned r = 0; r < rank; r++)
		at.index += split_place(split, nranks, r).index == at.color;
	return at;
}

bool tensor_sums(enum coll_kind coll)
{
	return coll == COLL_DDP_STEP || coll == COLL_DDP_COMMUNICATION;
}

uint64_t tensor_elements(const struct trial *trial, unsigned layer)
{
	return trial->network.layers[layer].activations * trial->settings.batch;
}

static size_t bytes_of(const struct trial *trial, enum dtype dtype)
{
	return network_sums(&trial->network).activations * trial->settings.batch *
	       coll_dtype_bytes(dtype);
}

size_t tensor_bytes(const struct trial *trial)
{
	size_t most = 0;
	for (unsigned c = 0; tensor_ranks(trial) && c < trial->ncells; c++) {
		size_t bytes = bytes_of(trial, trial->cells[c].dtype);
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Inputs differ from those of the groups that reduce gradients, which have small colours. */
struct buffers tensor_buffers(const struct trial *trial, enum dtype dtype, unsigned rank,
                              uint64_t seed, char *send, char *recv)
{
	struct split_place at = tensor_place(trial, rank);
	const struct cell cell = {
	    .coll = COLL_ALL_REDUCE, .dtype = dtype, .op = OP_SUM, .bytes = bytes_of(trial, dtype)};
	const struct value_parts parts = coll_parts(&cell, &trial->weights, at.size);
	at.color = UINT_MAX - at.color;
	struct buffers sums = buffers_of(trial, &cell, &parts, at, 1, seed, send, recv);
	sums.before = trial_arena_elements(trial, dtype);
	return sums;
}
