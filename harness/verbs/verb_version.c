/* --version: release, commit, and what is built in. */
#include "../mpi/mpi_load.h"
#include "verbs.h"

int verb_version(int argc, char *argv[], const struct home *home, struct status *st)
{
	char library[64];
	struct status why = {0};
	(void)argc, (void)argv, (void)home, (void)st;
	puts("launchgap " LAUNCHGAP_VERSION " (" LAUNCHGAP_COMMIT ")\nbuilt with " LAUNCHGAP_BUILT);
	if (mpi_find(library, sizeof library, &why))
		puts("without MPI");
	else
		printf("loads %s\n", library);
	return 0;
}
