/* report: makes a run's report from its record alone. */
#include "../machine.h"
#include "../report/report.h"
#include "verbs.h"

int verb_report(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct report_options options = {.summary = machine_env(REPORT_SUMMARY)};
	const char *dir = NULL;
	for (int i = 2, taken; i < argc; i += taken) {
		taken = report_option(argv, i, &options, st);
		if (taken < 0)
			return -1;
		if (!taken && (dir || argv[i][0] == '-'))
			return verb_not_understood("report", argv[i], st);
		if (!taken)
			dir = argv[i], taken = 1;
	}
	if (!dir)
		return status_set(st, "report needs one run's folder, e.g. results/smoke/latest");
	return report_options_settle(&options, st) ? -1
	                                           : report_make(dir, home->plot, &options, st);
}
