/* report: makes a run's report from its record alone. */
#include "../machine.h"
#include "../report/report.h"
#include "verbs.h"

int verb_report(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct report_options options = {.summary = machine_env(REPORT_SUMMARY)};
	const char *dir = NULL;
	for (int i = 2; i < argc; i++) {
		int taken = report_option(argv[i], argv[i + 1], &options, st);
		if (taken < 0)
			return -1;
		if (taken)
			i += taken - 1;
		else if (dir || argv[i][0] == '-')
			return status_set(
			    st, "report: '%s' is not understood (`launchgap report --help`)",
			    argv[i]);
		else
			dir = argv[i];
	}
	if (!dir)
		return status_set(st, "report needs one run's folder, e.g. results/smoke/latest");
	return report_options_settle(&options, st) ? -1
	                                           : report_make(dir, home->plot, &options, st);
}
