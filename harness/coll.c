#include "coll.h"

#include <string.h>

#define COLL_ALIGN 16 /* bytes; nccl-tests rounds each rank's part down to this */

static double factor_one(unsigned nranks)
{
	(void)nranks;
	return 1;
}

static double factor_exchange(unsigned nranks)
{
	return (nranks - 1.0) / nranks;
}

static double factor_all_reduce(unsigned nranks)
{
	return 2 * factor_exchange(nranks);
}

static const struct coll_info infos[COLL_KINDS] = {
    [COLL_ALL_REDUCE] = {"all_reduce", "every rank gets the reduction over all ranks", true,
                         factor_all_reduce},
    [COLL_ALLTOALL] = {"alltoall", "every rank sends a part of its buffer to every rank", false,
                       factor_exchange},
    [COLL_SENDRECV] = {"sendrecv", "a ring: each rank sends to the next one", false,
                       factor_one},
    [COLL_COPY] = {"copy", "the limit: plain copies to the next rank, no handshake", false,
                   factor_one},
};

static const char *const dtype_names[DTYPE_KINDS] = {[DTYPE_FLOAT32] = "float32"};
static const size_t dtype_sizes[DTYPE_KINDS] = {[DTYPE_FLOAT32] = 4};
static const char *const op_names[OP_KINDS] = {[OP_SUM] = "sum"};
static const char *const pace_names[PACE_KINDS] = {
    [PACE_STREAM] = "stream", [PACE_ISOLATED] = "isolated"};

static const char *const pass_names[PASS_KINDS] = {
    [PASS_TIMED] = "timed", [PASS_TIMELINE] = "timeline"};

static int find(const char *const names[], int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

const struct coll_info *coll_info(enum coll_kind kind)
{
	return &infos[kind];
}

int coll_find(const char *name)
{
	for (int i = 0; i < COLL_KINDS; i++)
		if (!strcmp(infos[i].name, name))
			return i;
	return -1;
}

int coll_find_dtype(const char *name)
{
	return find(dtype_names, DTYPE_KINDS, name);
}

int coll_find_op(const char *name)
{
	return find(op_names, OP_KINDS, name);
}

int coll_find_pace(const char *name)
{
	return find(pace_names, PACE_KINDS, name);
}

int coll_find_pass(const char *name)
{
	return find(pass_names, PASS_KINDS, name);
}

const char *coll_dtype_name(enum dtype dtype)
{
	return dtype_names[dtype];
}

const char *coll_op_name(enum op op)
{
	return op_names[op];
}

const char *coll_pace_name(enum pace pace)
{
	return pace_names[pace];
}

const char *coll_pass_name(enum pass pass)
{
	return pass_names[pass];
}

size_t coll_dtype_bytes(enum dtype dtype)
{
	return dtype_sizes[dtype];
}

size_t coll_round(size_t bytes, unsigned nranks)
{
	return bytes - bytes % ((size_t)nranks * COLL_ALIGN);
}

double coll_algbw(size_t bytes, double seconds)
{
	return (double)bytes / seconds / 1e9;
}

double coll_busbw(enum coll_kind kind, unsigned nranks, size_t bytes, double seconds)
{
	return coll_algbw(bytes, seconds) * infos[kind].bus_factor(nranks);
}
