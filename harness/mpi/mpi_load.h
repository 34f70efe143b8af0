/* Loads the part that is linked with MPI. */
#pragma once

#include "../status.h"
#include "mpi_calls.h"

/* Stays loaded: MPI cannot be removed from a process. NULL, and a sentence why. For jobs: MPI's
 * libraries start threads and change signals, so no runner has them. */
const struct mpi_calls *mpi_load(struct status *st);

/* Whether it can be loaded, tried in a child. library: which MPI it is, "Open MPI 4.1.4". -1: it
 * cannot, and a sentence why. The first time takes milliseconds, 30 with UCX. */
int mpi_find(char *library, size_t bytes, struct status *st);
