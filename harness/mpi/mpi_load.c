#include "mpi_load.h"

#include <dlfcn.h>
#include <signal.h>

#include "../part.h"

/* UCX, which Open MPI 5 loads, handles crashes and hang-ups from then on: it prints, and continues
 * where the signal should end the process. This restores the earlier handlers. */
static void take_back_signals(void)
{
	void (*one)(int), (*all)(void);
	void *symbols[] = {dlsym(RTLD_DEFAULT, "ucs_debug_disable_signal"),
	                   dlsym(RTLD_DEFAULT, "ucs_debug_disable_signals")};
	memcpy(&one, &symbols[0], sizeof one);
	memcpy(&all, &symbols[1], sizeof all);
	if (one)
		one(SIGHUP);
	if (all)
		all();
}

const struct mpi_calls *mpi_load(struct status *st)
{
	/* MPI's plugins may need its symbols without naming its library. */
	static const struct part mpi = {
	    .what = "MPI",
	    .file = MPI_CALLS_FILE,
	    .entry = MPI_CALLS_ENTRY,
	    .remedy = "Debian: apt-get install libopenmpi-dev openmpi-bin, then make",
	    .global = true,
	};
	void *library;
	const struct mpi_calls *calls = part_load(&mpi, &library, st);
	if (calls)
		take_back_signals();
	return calls;
}

struct answer {
	char library[64];
	struct status why;
};

static void try(const char *of, void *to)
{
	struct answer *answer = to;
	const struct mpi_calls *calls = mpi_load(&answer->why);
	(void)of;
	if (calls)
		calls->library(answer->library, sizeof answer->library);
}

/* The MPI that was found stays: each variant and each trial asks, and UCX takes 30 ms to load. */
static char found[64];

int mpi_find(char *library, size_t bytes, struct status *st)
{
	struct answer answer = {0};
	if (!found[0] && part_ask(try, NULL, &answer, sizeof answer, st))
		return status_set(st, "no MPI here: the process that tries to load it fails");
	if (answer.why.text[0])
		return status_set(st, "%s", answer.why.text);
	if (!found[0])
		snprintf(found, sizeof found, "%s", answer.library);
	snprintf(library, bytes, "%s", found);
	return 0;
}
