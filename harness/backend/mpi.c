/* The mpi backend: MPI's own collectives between processes, in CPU memory, or staged through it if
 * buffers are on GPUs. The code that is linked with MPI is a separate library (mpi/mpi_calls), loaded
 * if it exists. What started the processes has already started MPI; this backend makes its own
 * communicator. */
#include "../mpi/mpi_load.h"
#include "blocking/blocking.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct link {
	const struct mpi_calls *calls;
	void *of;
};

// clang-format off
static const bool colls[COLL_KINDS] = {
    [COLL_ALL_REDUCE] = true, [COLL_ALL_GATHER] = true, [COLL_REDUCE_SCATTER] = true,
    [COLL_BROADCAST]  = true, [COLL_REDUCE]     = true, [COLL_ALLTOALL]       = true,
    [COLL_ALLTOALLV]  = true, [COLL_GATHER]     = true, [COLL_SCATTER]        = true,
}, reduced[DTYPE_KINDS] = {
    [DTYPE_INT8]    = true, [DTYPE_UINT8]  = true, [DTYPE_INT32]   = true,
    [DTYPE_UINT32]  = true, [DTYPE_INT64]  = true, [DTYPE_UINT64]  = true,
    [DTYPE_FLOAT32] = true, [DTYPE_FLOAT64] = true,
}, ops[OP_KINDS] = {
    [OP_SUM] = true, [OP_PROD] = true, [OP_MIN] = true, [OP_MAX] = true,
};
// clang-format on

static bool mpi_carries(enum coll_kind coll)
{
	return colls[coll];
}

static const char *mpi_refuses(const struct cell *cell)
{
	if (!(coll_info(cell->coll)->is & COLL_REDUCES))
		return NULL;
	if (!reduced[cell->dtype])
		return "MPI reduces no 16-bit and 8-bit floats; allowed are integers, float32 and "
		       "float64";
	if (!ops[cell->op])
		return "MPI has no such operation; allowed are sum, prod, min and max";
	/* Open MPI 4.1's op/avx saturates; MPI does not define overflow. */
	if (cell->op == OP_SUM && coll_dtype_bytes(cell->dtype) == 1)
		return "Open MPI's sums of 8-bit integers saturate, and those of all other "
		       "backends "
		       "wrap; allowed are 32 and 64 bits";
	return NULL;
}

static const char *mpi_refuses_layout(struct layout layout)
{
	return layout.processes > 1 && layout.threads == 1 && layout.ranks_per_thread == 1
	           ? NULL
	           : "an MPI rank is a process; allowed is mode = processes, or a layout of Nx1x1";
}

static int mpi_connect(const struct blocking_place *place, void **out, struct status *st)
{
	struct link *link = calloc(1, sizeof *link);
	char why[MPI_CALLS_WHY] = "";
	*out = NULL;
	if (!link)
		return status_set(st, "mpi: no memory");
	link->calls = mpi_load(st);
	if (!link->calls)
		goto fail;
	if (link->calls->connect((int)place->color, (int)place->me, &link->of, why)) {
		status_set(st, "mpi: %s", why);
		goto fail;
	}
	*out = link;
	return 0;
fail:
	free(link);
	return -1;
}

static void mpi_disconnect(void *of)
{
	struct link *link = of;
	link->calls->disconnect(link->of);
	free(link);
}

static int mpi_call(void *of, const struct blocking_call *c, struct status *st)
{
	const struct link *link = of;
	char why[MPI_CALLS_WHY] = "";
	const struct mpi_call call = {
	    .coll = c->coll,
	    .reduces = coll_info(c->coll)->is & COLL_REDUCES,
	    .dtype = c->dtype,
	    .op = c->op,
	    .me = (int)c->me,
	    .root = (int)c->root,
	    .in_place = c->in_place,
	    .element = c->element,
	    .elements = c->elements,
	    .part = c->part,
	    .sent = c->sent,
	    .sent_at = c->sent_at,
	    .received = c->received,
	    .received_at = c->received_at,
	    .from = c->from,
	    .to = c->to,
	};
	return link->calls->call(link->of, &call, why) ? status_set(st, "mpi: %s", why) : 0;
}

static int mpi_exchange(void *of, const struct blocking_exchange *e, struct status *st)
{
	const struct link *link = of;
	char why[MPI_CALLS_WHY] = "";
	const struct mpi_move move = {
	    .to = e->to == UINT_MAX ? -1 : (int)e->to,
	    .from = e->from == UINT_MAX ? -1 : (int)e->from,
	    .out = e->out,
	    .in = e->in,
	    .out_elements = e->out_elements,
	    .in_elements = e->in_elements,
	    .element = e->element,
	};
	return link->calls->move(link->of, &move, why) ? status_set(st, "mpi: %s", why) : 0;
}

static void mpi_describe(void *of, char *text, size_t bytes)
{
	const struct link *link = of;
	link->calls->describe(text, bytes);
}

static const struct blocking_library library = {
    .name = "mpi",
    .carries = mpi_carries,
    .refuses = mpi_refuses,
    .refuses_layout = mpi_refuses_layout,
    .connect = mpi_connect,
    .disconnect = mpi_disconnect,
    .call = mpi_call,
    .exchange = mpi_exchange,
    .describe = mpi_describe,
};

static unsigned mpi_capacity(struct status *st)
{
	char name[64];
	return mpi_find(name, sizeof name, st) ? 0 : UINT_MAX;
}

static int mpi_supports(const struct trial *trial, struct status *st)
{
	if (settings_isolates(&trial->settings))
		return status_set(st, "mpi: isolated processes are children of those that MPI "
		                      "started; allowed is isolate = none");
	return blocking_supports(&library, trial, st);
}

static int mpi_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	return blocking_open(&library, place, out, st);
}

const struct backend backend_mpi = {
    .name = "mpi",
    .summary = "MPI's own collectives between processes, in CPU memory or staged through it",
    .costs = "MPI's own collectives",
    .mend = "apt-get install libopenmpi-dev openmpi-bin && make",
    .is = {.carries_data = true, .connects = true, .blocks = true, .messages = true},
    .capacity = mpi_capacity,
    .supports = mpi_supports,
    .open = mpi_open,
    BLOCKING_ROWS,
};
