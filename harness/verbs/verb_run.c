/* run: an experiment from its file to its record, and the report of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../backend/backend.h"
#include "../machine.h"
#include "../report/report.h"
#include "../run/run.h"
#include "verbs.h"

static unsigned capacity(const char *name, struct status *st)
{
	const struct backend *backend = backend_find(name);
	return backend ? backend->capacity(st) : 0;
}

static int find_experiment(const struct home *home, const char *name, char *file, size_t bytes,
                           struct status *st)
{
	if (!name[0] || strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                             "0123456789_-") != strlen(name))
		return status_set(
		    st,
		    "'%s' is no experiment's name: allowed are letters, digits, _ "
		    "and -, as in experiments/NAME.exp (--file takes a path)",
		    name);
	snprintf(file, bytes, "%s/%s.exp", home->experiments, name);
	if (access(file, R_OK))
		return status_set(
		    st,
		    "there is no experiment '%s': no readable %s (`launchgap list` "
		    "names them)",
		    name, file);
	return 0;
}

int verb_run(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct plan_machine machine = {machine_cores(), capacity};
	struct run_request request = {.results = "results",
	                              .self = home->self,
	                              .argc = argc,
	                              .argv = argv,
	                              .machine = &machine};
	struct status report = {0};
	char file[2 * PATH_MAX] = "", folder[PATH_MAX] = "", *overrides[64];
	struct report_options options = {0};
	bool want_report = true;
	int result, taken;
	for (int i = 2; i < argc; i++) {
		const char **option = !strcmp(argv[i], "--file")      ? &request.file
		                      : !strcmp(argv[i], "--results") ? &request.results
		                      : !strcmp(argv[i], "--resume")  ? &request.resume
		                                                      : NULL;
		if (option && ++i < argc)
			*option = argv[i];
		else if (option)
			return status_set(st, "%s wants a value", argv[i - 1]);
		else if ((taken = report_option(argv[i], argv[i + 1], &options, st))) {
			if (taken < 0)
				return -1;
			i++;
		} else if (!strcmp(argv[i], "--no-report"))
			want_report = false;
		else if (strchr(argv[i], '=') && request.noverrides < 64)
			overrides[request.noverrides++] = argv[i];
		else if (argv[i][0] == '-' || file[0])
			return status_set(st, "run: '%s' is not understood (`launchgap help`)",
			                  argv[i]);
		else if (find_experiment(home, argv[i], file, sizeof file, st))
			return -1;
	}
	request.overrides = overrides;
	if (options.format == REPORT_NCCL_TESTS && !want_report)
		return status_set(st,
		                  "run: --format nccl-tests is of a report, and --no-report "
		                  "wants none; allowed is one of both");
	request.nccl_tests = options.format == REPORT_NCCL_TESTS;
	if (!request.file)
		request.file = file;
	if (report_options_settle(&options, st))
		return -1;
	if (!request.file[0])
		return status_set(st, "run: which experiment? (`launchgap list` names them)");
	result = run_experiment(&request, folder, st);
	if (result >= 0 && want_report && report_make(folder, home->plot, &options, &report)) {
		status_complain(&report);
		result = 1;
	}
	return result;
}
