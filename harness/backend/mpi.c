/* The mpi backend: MPI's own collectives between processes, in CPU memory, or staged through it if
 * buffers are on GPUs. The mode that places the processes has already started MPI; this backend
 * makes its own communicator. */
#include "blocking/blocking.h"

#include <limits.h>
#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link {
	MPI_Comm comm;
};

static int ok(int result, const char *what, struct status *st)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n = 0;
	if (result == MPI_SUCCESS)
		return 0;
	MPI_Error_string(result, text, &n);
	return status_set(st, "mpi: %s: %.*s", what, n, text);
}

static MPI_Datatype type_of(enum dtype dtype)
{
	switch (dtype) {
	case DTYPE_INT8:
		return MPI_INT8_T;
	case DTYPE_UINT8:
		return MPI_UINT8_T;
	case DTYPE_INT32:
		return MPI_INT32_T;
	case DTYPE_UINT32:
		return MPI_UINT32_T;
	case DTYPE_INT64:
		return MPI_INT64_T;
	case DTYPE_UINT64:
		return MPI_UINT64_T;
	case DTYPE_FLOAT32:
		return MPI_FLOAT;
	case DTYPE_FLOAT64:
		return MPI_DOUBLE;
	default:
		return MPI_DATATYPE_NULL;
	}
}

/* For data that is only moved, its width alone matters. */
static MPI_Datatype moved_as(size_t element)
{
	return element == 1   ? MPI_UINT8_T
	       : element == 2 ? MPI_UINT16_T
	       : element == 4 ? MPI_UINT32_T
	                      : MPI_UINT64_T;
}

static MPI_Op op_of(enum op op)
{
	switch (op) {
	case OP_SUM:
		return MPI_SUM;
	case OP_PROD:
		return MPI_PROD;
	case OP_MIN:
		return MPI_MIN;
	case OP_MAX:
		return MPI_MAX;
	default:
		return MPI_OP_NULL;
	}
}

static const char *mpi_refuses(const struct cell *cell)
{
	if (!(coll_info(cell->coll)->is & COLL_REDUCES))
		return NULL;
	if (type_of(cell->dtype) == MPI_DATATYPE_NULL)
		return "MPI reduces no 16-bit and 8-bit floats; allowed are integers, float32 and "
		       "float64";
	if (op_of(cell->op) == MPI_OP_NULL)
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
	*out = NULL;
	if (!link)
		return status_set(st, "mpi: no memory");
	if (ok(MPI_Comm_split(MPI_COMM_WORLD, (int)place->color, (int)place->me, &link->comm),
	       "MPI_Comm_split", st) ||
	    ok(MPI_Comm_set_errhandler(link->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler",
	       st)) {
		free(link);
		return -1;
	}
	*out = link;
	return 0;
}

static void mpi_disconnect(void *of)
{
	struct link *link = of;
	MPI_Comm_free(&link->comm);
	free(link);
}

/* --- the collectives --- */

typedef int call_fn(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type, MPI_Op op);

static int call_all_reduce(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type,
                           MPI_Op op)
{
	return MPI_Allreduce(c->in_place ? MPI_IN_PLACE : c->from, c->to, (int)c->elements, type,
	                     op, comm);
}

static int call_all_gather(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type,
                           MPI_Op op)
{
	(void)op;
	return MPI_Allgather(c->in_place ? MPI_IN_PLACE : c->from, (int)c->part, type, c->to,
	                     (int)c->part, type, comm);
}

/* In place MPI puts the result at the start of the buffer, and NCCL at the rank's part. */
static int call_reduce_scatter(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type,
                               MPI_Op op)
{
	char *whole = c->in_place ? c->to - c->me * c->part * c->element : c->to;
	int result = MPI_Reduce_scatter_block(c->in_place ? MPI_IN_PLACE : c->from, whole,
	                                      (int)c->part, type, op, comm);
	if (c->in_place)
		memmove(c->to, whole, c->part * c->element);
	return result;
}

static int call_broadcast(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type,
                          MPI_Op op)
{
	(void)op;
	if (c->me == c->root && !c->in_place)
		memcpy(c->to, c->from, c->elements * c->element);
	return MPI_Bcast(c->to, (int)c->elements, type, (int)c->root, comm);
}

static int call_reduce(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type, MPI_Op op)
{
	bool root = c->me == c->root;
	return MPI_Reduce(root && c->in_place ? MPI_IN_PLACE : c->from, root ? c->to : NULL,
	                  (int)c->elements, type, op, (int)c->root, comm);
}

static int call_alltoall(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type, MPI_Op op)
{
	(void)op;
	return MPI_Alltoall(c->from, (int)c->part, type, c->to, (int)c->part, type, comm);
}

static int call_alltoallv(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type,
                          MPI_Op op)
{
	(void)op;
	return MPI_Alltoallv(c->from, c->sent, c->sent_at, type, c->to, c->received, c->received_at,
	                     type, comm);
}

static int call_gather(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type, MPI_Op op)
{
	bool root = c->me == c->root;
	(void)op;
	return MPI_Gather(root && c->in_place ? MPI_IN_PLACE : c->from, (int)c->part, type,
	                  root ? c->to : NULL, (int)c->part, type, (int)c->root, comm);
}

static int call_scatter(MPI_Comm comm, const struct blocking_call *c, MPI_Datatype type, MPI_Op op)
{
	bool root = c->me == c->root;
	(void)op;
	return MPI_Scatter(root ? c->from : NULL, (int)c->part, type,
	                   root && c->in_place ? MPI_IN_PLACE : c->to, (int)c->part, type,
	                   (int)c->root, comm);
}

// clang-format off
static const struct {
	call_fn *call;
	const char *name;
} rows[COLL_KINDS] = {
    [COLL_ALL_REDUCE]     = {call_all_reduce, "MPI_Allreduce"},
    [COLL_ALL_GATHER]     = {call_all_gather, "MPI_Allgather"},
    [COLL_REDUCE_SCATTER] = {call_reduce_scatter, "MPI_Reduce_scatter_block"},
    [COLL_BROADCAST]      = {call_broadcast, "MPI_Bcast"},
    [COLL_REDUCE]         = {call_reduce, "MPI_Reduce"},
    [COLL_ALLTOALL]       = {call_alltoall, "MPI_Alltoall"},
    [COLL_ALLTOALLV]      = {call_alltoallv, "MPI_Alltoallv"},
    [COLL_GATHER]         = {call_gather, "MPI_Gather"},
    [COLL_SCATTER]        = {call_scatter, "MPI_Scatter"},
};
// clang-format on

static bool mpi_carries(enum coll_kind coll)
{
	return rows[coll].call;
}

static int mpi_call(void *of, const struct blocking_call *c, struct status *st)
{
	const struct link *link = of;
	bool reduces = coll_info(c->coll)->is & COLL_REDUCES;
	return ok(rows[c->coll].call(link->comm, c,
	                             reduces ? type_of(c->dtype) : moved_as(c->element),
	                             op_of(c->op)),
	          rows[c->coll].name, st);
}

static int mpi_exchange(void *of, const struct blocking_exchange *e, struct status *st)
{
	const struct link *link = of;
	MPI_Datatype type = moved_as(e->element);
	return ok(MPI_Sendrecv(e->out, (int)e->out_elements, type,
	                       e->to == UINT_MAX ? MPI_PROC_NULL : (int)e->to, 0, e->in,
	                       (int)e->in_elements, type,
	                       e->from == UINT_MAX ? MPI_PROC_NULL : (int)e->from, 0, link->comm,
	                       MPI_STATUS_IGNORE),
	          "MPI_Sendrecv", st);
}

/* --- facts for the record --- */

/* How Open MPI copies large messages between processes: once (cma, xpmem, knem), or through
 * shared memory (none); "" if it does not say. */
static void single_copy(char *text, size_t bytes)
{
	MPI_T_cvar_handle handle;
	MPI_T_enum names;
	MPI_Datatype type;
	int provided, at, count, value, verbosity, binding, scope, n = 0;
	text[0] = '\0';
	if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
		return;
	if (MPI_T_cvar_get_index("btl_vader_single_copy_mechanism", &at) == MPI_SUCCESS &&
	    MPI_T_cvar_get_info(at, NULL, &n, &verbosity, &type, &names, NULL, &n, &binding,
	                        &scope) == MPI_SUCCESS &&
	    MPI_T_cvar_handle_alloc(at, NULL, &handle, &count) == MPI_SUCCESS) {
		if (MPI_T_cvar_read(handle, &value) == MPI_SUCCESS)
			for (int i = 0, item = -1, room = (int)bytes; item != value;
			     i++, room = (int)bytes)
				if (MPI_T_enum_get_item(names, i, &item, text, &room) !=
				    MPI_SUCCESS)
					break;
		MPI_T_cvar_handle_free(&handle);
	}
	MPI_T_finalize();
}

static void mpi_describe(void *of, char *text, size_t bytes)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", copies[32];
	int n = 0;
	(void)of;
	MPI_Get_library_version(version, &n);
	version[strcspn(version, ",\n")] = '\0';
	single_copy(copies, sizeof copies);
#ifdef MPIX_CUDA_AWARE_SUPPORT
	const char *aware = MPIX_Query_cuda_support() ? "yes" : "no";
#else
	const char *aware = "no";
#endif
	snprintf(text, bytes, "mpi=%s\nmpi_single_copy=%s\nmpi_cuda_aware=%s\n", version,
	         copies[0] ? copies : "not known", aware);
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
	(void)st;
	return UINT_MAX;
}

static int mpi_supports(const struct trial *trial, struct status *st)
{
	if (settings_isolates(&trial->settings))
		return status_set(st, "mpi: isolated processes are children of those that MPI "
		                      "started; allowed is isolate = none");
	return blocking_supports(&library, trial, st);
}

static size_t mpi_store_bytes(const struct trial *trial)
{
	(void)trial;
	return 0;
}

static int mpi_open(const struct backend_place *place, struct backend_ctx **out, struct status *st)
{
	return blocking_open(&library, place, out, st);
}

const struct backend backend_mpi = {
    .name = "mpi",
    .summary = "MPI's own collectives between processes, in CPU memory or staged through it",
    .is = {.carries_data = true, .connects = true, .blocks = true, .messages = true},
    .capacity = mpi_capacity,
    .supports = mpi_supports,
    .store_bytes = mpi_store_bytes,
    .open = mpi_open,
    BLOCKING_ROWS,
};
