/* selftest: the instrument against itself. */
#include <stdio.h>
#include <string.h>

#include "../backend/backend.h"
#include "../machine.h"
#include "../selftest/selftest.h"
#include "verbs.h"

int verb_selftest(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct status why = {0};
	struct selftest_request request = {.self = home->self,
	                                   .ncores = machine_cores(),
	                                   .comparisons = 200,
	                                   .fresh = 20};
	for (const struct backend *const *b = backend_table; *b && !request.ngpus; b++)
		if ((*b)->is.gpus)
			request.ngpus = (*b)->capacity(&why);
	for (int i = 2; i < argc; i++) {
		if (!strcmp(argv[i], "quick"))
			request.comparisons = 40, request.fresh = 2;
		else if (!strncmp(argv[i], "backend=", 8) && backend_find(argv[i] + 8))
			request.backend = argv[i] + 8;
		else if (sscanf(argv[i], "comparisons=%u", &request.comparisons) != 1 &&
		         sscanf(argv[i], "fresh=%u", &request.fresh) != 1)
			return status_set(
			    st,
			    "selftest: '%s' is not understood; allowed are quick, "
			    "backend=NAME, comparisons=N, fresh=N",
			    argv[i]);
	}
	if (request.comparisons < 1 || request.comparisons > 1000 || request.fresh > 1000)
		return status_set(
		    st, "selftest: 1 to 1000 comparisons, and at most 1000 fresh ones");
	if (request.backend && traits_find(request.backend)->gpus && request.ngpus < 2)
		return status_set(st, "selftest: %s wants two GPUs: %s", request.backend,
		                  why.text);
	return selftest_run(&request, st);
}
