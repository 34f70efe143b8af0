/* A stand-in for the part that is linked with MPI: it only says which MPI it is. */
#include <stdio.h>

#include "../harness/mpi/mpi_calls.h"

static void library(char *text, size_t bytes)
{
	snprintf(text, bytes, "Stand-in MPI 3.14");
}

extern const struct mpi_calls launchgap_mpi;
const struct mpi_calls launchgap_mpi = {.library = library};
