/* The exchange of processes that MPI's launcher started. MPI ends a process in whose call something
 * fails, and its launcher the others. */
#include "../mpi/mpi_load.h"
#include "exchange.h"

static int mpi_all(void *of, const void *mine, void *all, size_t bytes, struct status *st)
{
	const struct mpi_calls *calls = of;
	char why[MPI_CALLS_WHY] = "";
	return calls->gather(mine, all, bytes, why) ? status_set(st, "%s", why) : 0;
}

static int mpi_first(void *of, void *data, size_t bytes, struct status *st)
{
	const struct mpi_calls *calls = of;
	char why[MPI_CALLS_WHY] = "";
	return calls->first(data, bytes, why) ? status_set(st, "%s", why) : 0;
}

static void mpi_close(void *of)
{
	const struct mpi_calls *calls = of;
	calls->end();
}

int exchange_open_mpi(struct exchange **out, struct status *st)
{
	static const struct exchange_way way = {mpi_all, mpi_first, mpi_close};
	const struct mpi_calls *calls = mpi_load(st);
	char why[MPI_CALLS_WHY] = "";
	unsigned rank, size;
	if (!calls)
		return -1;
	if (calls->start(&rank, &size, why))
		return status_set(st, "%s", why);
	return exchange_make(&way, (void *)(uintptr_t)calls, rank, size, NULL, out, st);
}
