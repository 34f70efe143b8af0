/* The calls of MPI that we make: the processes' exchange, and MPI's own collectives. Linked with
 * MPI and with nothing of the program. */
#include "mpi_calls.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

static int ok(int result, const char *what, char *why)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int n = 0;
	if (result == MPI_SUCCESS)
		return 0;
	MPI_Error_string(result, text, &n);
	snprintf(why, MPI_CALLS_WHY, "%s: %.*s", what, n, text);
	return -1;
}

/* Those of MPI, or MPI_DATATYPE_NULL. */
static MPI_Datatype type_of(enum dtype dtype)
{
	// clang-format off
	switch (dtype) {
	case DTYPE_INT8:    return MPI_INT8_T;
	case DTYPE_UINT8:   return MPI_UINT8_T;
	case DTYPE_INT32:   return MPI_INT32_T;
	case DTYPE_UINT32:  return MPI_UINT32_T;
	case DTYPE_INT64:   return MPI_INT64_T;
	case DTYPE_UINT64:  return MPI_UINT64_T;
	case DTYPE_FLOAT32: return MPI_FLOAT;
	case DTYPE_FLOAT64: return MPI_DOUBLE;
	default:            return MPI_DATATYPE_NULL;
	}
	// clang-format on
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
	return op == OP_SUM    ? MPI_SUM
	       : op == OP_PROD ? MPI_PROD
	       : op == OP_MIN  ? MPI_MIN
	       : op == OP_MAX  ? MPI_MAX
	                       : MPI_OP_NULL;
}

/* --- processes that a launcher started --- */

static int start(unsigned *rank, unsigned *size, char *why)
{
	int provided, me, n;
	if (ok(MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread", why))
		return -1;
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	*rank = (unsigned)me;
	*size = (unsigned)n;
	return 0;
}

static int gather(void *all, size_t bytes, char *why)
{
	return ok(
	    MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD),
	    "MPI_Allgather", why);
}

static int first(void *data, size_t bytes, char *why)
{
	return ok(MPI_Bcast(data, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast", why);
}

static void end(void)
{
	MPI_Finalize();
}

static int link_open(unsigned color, unsigned key, void **out, char *why)
{
	MPI_Comm *comm = malloc(sizeof *comm);
	if (!comm)
		snprintf(why, MPI_CALLS_WHY, "no memory");
	else if (!ok(MPI_Comm_split(MPI_COMM_WORLD, (int)color, (int)key, comm), "MPI_Comm_split",
	             why) &&
	         !ok(MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler",
	             why)) {
		*out = comm;
		return 0;
	}
	free(comm);
	return -1;
}

static void link_close(void *of)
{
	MPI_Comm_free(of);
	free(of);
}

/* --- the collectives --- */

/* In place MPI puts the result at the start of the buffer, and NCCL at the rank's part. */
static int reduce_scatter(MPI_Comm comm, const struct coll_call *c, MPI_Datatype type, MPI_Op op)
{
	char *whole = c->in_place ? c->to - c->me * c->part * c->element : c->to;
	int result = MPI_Reduce_scatter_block(c->in_place ? MPI_IN_PLACE : c->from, whole,
	                                      (int)c->part, type, op, comm);
	if (c->in_place)
		memmove(c->to, whole, c->part * c->element);
	return result;
}

static int carry_out(MPI_Comm comm, const struct coll_call *c)
{
	const MPI_Datatype type = c->reduces ? type_of(c->dtype) : moved_as(c->element);
	const MPI_Op op = op_of(c->op);
	const int all = (int)c->elements, part = (int)c->part, root = (int)c->root;
	const bool is_root = c->me == c->root;
	const void *from = c->in_place ? MPI_IN_PLACE : c->from;
	const void *roots = is_root ? from : c->from; /* only there it may be in place */
	switch (c->coll) {
	case COLL_ALL_REDUCE:
		return MPI_Allreduce(from, c->to, all, type, op, comm);
	case COLL_ALL_GATHER:
		return MPI_Allgather(from, part, type, c->to, part, type, comm);
	case COLL_REDUCE_SCATTER:
		return reduce_scatter(comm, c, type, op);
	case COLL_BROADCAST:
		if (is_root && !c->in_place)
			memcpy(c->to, c->from, c->elements * c->element);
		return MPI_Bcast(c->to, all, type, root, comm);
	case COLL_REDUCE:
		return MPI_Reduce(roots, is_root ? c->to : NULL, all, type, op, root, comm);
	case COLL_ALLTOALL:
		return MPI_Alltoall(c->from, part, type, c->to, part, type, comm);
	case COLL_ALLTOALLV:
		return MPI_Alltoallv(c->from, c->sent, c->sent_at, type, c->to, c->received,
		                     c->received_at, type, comm);
	case COLL_GATHER:
		return MPI_Gather(roots, part, type, is_root ? c->to : NULL, part, type, root,
		                  comm);
	case COLL_SCATTER:
		return MPI_Scatter(is_root ? c->from : NULL, part, type,
		                   is_root && c->in_place ? MPI_IN_PLACE : c->to, part, type, root,
		                   comm);
	default:
		return MPI_ERR_UNSUPPORTED_OPERATION;
	}
}

static int call(void *of, const struct coll_call *c, char *why)
{
	const MPI_Comm *comm = of;
	return ok(carry_out(*comm, c), "MPI", why);
}

static int exchange(void *of, const struct coll_exchange *m, char *why)
{
	const MPI_Comm *comm = of;
	MPI_Datatype type = moved_as(m->element);
	return ok(MPI_Sendrecv(m->out, (int)m->out_elements, type,
	                       m->to < 0 ? MPI_PROC_NULL : m->to, 0, m->in, (int)m->in_elements,
	                       type, m->from < 0 ? MPI_PROC_NULL : m->from, 0, *comm,
	                       MPI_STATUS_IGNORE),
	          "MPI_Sendrecv", why);
}

/* --- facts --- */

/* Each says it in its own form, "Open MPI v4.1.4, package: …", "MPICH Version:\t4.0.2\n…": what
 * comes before the first number is the name. */
static void library(char *text, size_t bytes)
{
	char said[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "", *next;
	int n = 0;
	size_t used = 0;
	bool number = false;
	MPI_Get_library_version(said, &n);
	said[strcspn(said, ",\n")] = '\0';
	text[0] = '\0';
	for (char *word = strtok_r(said, " \t:", &next); word && !number && used < bytes;
	     word = strtok_r(NULL, " \t:", &next)) {
		word += word[0] == 'v' && isdigit((unsigned char)word[1]);
		number = isdigit((unsigned char)word[0]);
		if (strcmp(word, "Version"))
			used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? " " : "",
			                         word);
	}
}

static void describe(char *text, size_t bytes)
{
	char name[64];
	library(name, sizeof name);
#ifdef MPIX_CUDA_AWARE_SUPPORT
	const char *aware = MPIX_Query_cuda_support() ? "yes" : "no";
#else
	const char *aware = "no";
#endif
	snprintf(text, bytes, "mpi=%s\nmpi_cuda_aware=%s\n", name, aware);
}

extern const struct mpi_calls launchgap_mpi;
const struct mpi_calls launchgap_mpi = {
    .library = library,
    .start = start,
    .gather = gather,
    .first = first,
    .end = end,
    .connect = link_open,
    .calls = {call, exchange, link_close},
    .describe = describe,
};
