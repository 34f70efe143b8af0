#include "rendezvous.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rendezvous_open_tcp(const struct rendezvous_seat *seat, struct rendezvous **out,
                        struct status *st)
{
	struct rendezvous *x = calloc(1, sizeof *x);
	int failed = -1;
	if (!x)
		status_set(st, "out of memory");
	else if (seat->rank >= seat->size)
		status_set(st, "this process is rank %u of a world of %u: ranks begin with 0",
		           seat->rank, seat->size);
	else
		failed = peers_open(seat, &x->peers, st);
	if (!seat->rank && seat->door >= 0)
		close(seat->door);
	if (failed) {
		rendezvous_close(x);
		return -1;
	}
	x->rank = seat->rank;
	x->size = seat->size;
	snprintf(x->secret, sizeof x->secret, "%s", seat->secret ? seat->secret : "");
	*out = x;
	return 0;
}

int rendezvous_open_mpi(struct rendezvous **out, struct status *st)
{
	struct rendezvous *x = calloc(1, sizeof *x);
	char why[MPI_CALLS_WHY] = "";
	const struct mpi_calls *mpi = x ? mpi_load(st) : NULL;
	if (!x)
		return status_set(st, "out of memory");
	if (!mpi || mpi->start(&x->rank, &x->size, why)) {
		free(x);
		return status_set(st, "%s", why);
	}
	x->mpi = mpi;
	*out = x;
	if (!wire_secret(x->secret, st) && !rendezvous_first(x, x->secret, sizeof x->secret, st))
		return 0;
	rendezvous_close(x);
	return -1;
}

void rendezvous_close(struct rendezvous *x)
{
	if (!x)
		return;
	if (x->mpi)
		x->mpi->end();
	else
		peers_close(&x->peers);
	free(x);
}

/* Of each rank its part of `data`, where `mine` is put; or of the first one all of it. */
static int swap(struct rendezvous *x, const void *mine, void *data, size_t bytes, bool all,
                struct status *st)
{
	char why[MPI_CALLS_WHY] = "";
	if (bytes > RENDEZVOUS_MOST_BYTES / x->size)
		return status_set(st, "%zu bytes of each of %u ranks are too many for an exchange",
		                  bytes, x->size);
	if (all)
		memmove((char *)data + x->rank * bytes, mine, bytes);
	if (x->mpi)
		return (all ? x->mpi->gather : x->mpi->first)(data, bytes, why)
		           ? status_set(st, "%s", why)
		           : 0;
	for (unsigned r = 1; r <= x->size; r++)
		x->peers.parts[r] = all ? r * bytes : bytes;
	return peers_share(&x->peers, data, x->peers.parts, st);
}

int rendezvous_all(struct rendezvous *x, const void *mine, void *all, size_t bytes,
                   struct status *st)
{
	return swap(x, mine, all, bytes, true, st);
}

int rendezvous_first(struct rendezvous *x, void *data, size_t bytes, struct status *st)
{
	return swap(x, NULL, data, bytes, false, st);
}
