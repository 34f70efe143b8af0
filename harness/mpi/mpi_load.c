#include "mpi_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void try(int to)
{
	struct answer answer = {0};
	const struct mpi_calls *calls = mpi_load(&answer.why);
	if (calls)
		calls->library(answer.library, sizeof answer.library);
	if (write(to, &answer, sizeof answer) != (ssize_t)sizeof answer)
		_exit(1);
	_exit(0);
}

/* The MPI that was found stays: each variant and each trial asks, and UCX takes 30 ms to load. */
static char found[64];

int mpi_find(char *library, size_t bytes, struct status *st)
{
	struct answer answer = {0};
	int ends[2];
	if (found[0]) {
		snprintf(library, bytes, "%s", found);
		return 0;
	}
	if (pipe2(ends, O_CLOEXEC))
		return status_set(st, "cannot try whether MPI can be loaded: %s", strerror(errno));
	pid_t child = fork();
	if (child == 0)
		try(ends[1]);
	close(ends[1]);
	if (child < 0)
		status_set(st, "cannot try whether MPI can be loaded: %s", status_unstarted(errno));
	/* One write, of less than PIPE_BUF. */
	ssize_t n = child < 0 ? -1 : TEMP_FAILURE_RETRY(read(ends[0], &answer, sizeof answer));
	close(ends[0]);
	if (child > 0)
		(void)TEMP_FAILURE_RETRY(waitpid(child, NULL, 0));
	if (n != (ssize_t)sizeof answer)
		return status_set(st, "no MPI here: the process that tries to load it fails");
	if (answer.why.text[0])
		return status_set(st, "%s", answer.why.text);
	snprintf(found, sizeof found, "%s", answer.library);
	snprintf(library, bytes, "%s", found);
	return 0;
}
