/* compare: two results, or more runs, against each other. */
#include "../compare/compare.h"
#include "../machine.h"
#include "../report/report.h"
#include "verbs.h"

int verb_compare(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct compare_request request;
	(void)home;
	if (compare_parse(argc, argv, &request, st))
		return COMPARE_NOT_DONE;
	request.summary = machine_env(REPORT_SUMMARY);
	return compare_run(&request, st);
}
