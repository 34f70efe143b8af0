/* The mpi backend: MPI's own collectives, on its own communicator; the launcher has started MPI. */
#include "../mpi/mpi_load.h"
#include "blocking/blocking.h"

static const char *mpi_refuses(const struct settings *set)
{
	if (settings_isolates(set))
		return "isolated processes are children of those that MPI started; allowed is "
		       "isolate = none";
	return set->layout.processes > 1 && layout_ranks(set->layout) == set->layout.processes
	           ? NULL
	           : "an MPI rank is a process; allowed is mode = processes, or a layout of Nx1x1";
}

static int mpi_connect(const struct blocking_place *place, const struct coll_calls **calls,
                       void **link, struct status *st)
{
	const struct mpi_calls *mpi = mpi_load(st);
	char why[MPI_CALLS_WHY] = "";
	if (!mpi)
		return -1;
	*calls = &mpi->calls;
	return mpi->connect(place->color, place->me, link, why) ? status_set(st, "mpi: %s", why)
	                                                        : 0;
}

static void mpi_describe(struct team *team, char *text, size_t bytes)
{
	struct status ignored = {""};
	const struct mpi_calls *mpi = mpi_load(&ignored);
	(void)team;
	if (mpi)
		mpi->describe(text, bytes);
}

const struct blocking_library blocking_mpi = {
    .name = "mpi",
    .reduces = BLOCKING_REDUCES,
    .reduces_else =
        "MPI reduces no 16-bit and 8-bit floats; allowed are integers, float32 and float64",
    /* Open MPI 4.1's op/avx; MPI does not define overflow. */
    .sums_bytes_else = "Open MPI's sums of 8-bit integers saturate, and those of all other "
                       "backends wrap; allowed are 32 and 64 bits",
    .refuses = mpi_refuses,
    .connect = mpi_connect,
    .describe = mpi_describe,
};

unsigned mpi_capacity(struct status *st)
{
	char name[64];
	return mpi_find(name, sizeof name, st) ? 0 : UINT_MAX;
}
