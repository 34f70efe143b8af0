/* The interface of the part that is linked with MPI. The program loads that part if it exists
 * (mpi_load.h), so that it runs on machines without MPI, and with the MPI of each. Plain C structs
 * alone, so that the part needs no symbol of the program, and the program no handle of MPI's. */
#pragma once

#include "../coll/call.h"

#define MPI_CALLS_FILE  "liblaunchgap_mpi.so"
#define MPI_CALLS_ENTRY "launchgap_mpi" /* the one name that is looked up */
#define MPI_CALLS_WHY   COLL_CALL_WHY

/* 0, or -1 with a sentence. All of them block, but for library and describe. */
struct mpi_calls {
	/* Name and version: "Open MPI 4.1.4", "MPICH 4.0.2". Before start, too. */
	void (*library)(char *text, size_t bytes);

	/* The processes that MPI's launcher started together. Once in a process. */
	int (*start)(unsigned *rank, unsigned *size, char why[MPI_CALLS_WHY]);
	/* Each gives `bytes` at its place of `all`; all get those of all, in the order of ranks. */
	int (*gather)(void *all, size_t bytes, char why[MPI_CALLS_WHY]);
	/* Bytes of the first, to all. */
	int (*first)(void *data, size_t bytes, char why[MPI_CALLS_WHY]);
	void (*end)(void);

	/* A communicator for what is measured: of those that give the same color, in the order of
	 * `key`. After start. */
	int (*connect)(unsigned color, unsigned key, void **link, char why[MPI_CALLS_WHY]);
	struct coll_calls calls;
	/* "key=value" lines: the library, and whether it takes GPU memory. */
	void (*describe)(char *text, size_t bytes);
};
