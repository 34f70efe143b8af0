#include "launch.h"

#include <stdio.h>

#include "../config/plan.h"

int launch_trial(const struct trial *trial, const char *self, const char *scratch,
                 unsigned timeout_s, struct launched *out, struct status *st)
{
	char order[96], ended[112];
	const char *env[TRIAL_MAX_ENV];
	struct mode_argv argv = {0};
	int result = -1;
	snprintf(order, sizeof order, "%s/trial.json", scratch);
	snprintf(out->lines, sizeof out->lines, "%s/trial.json.lines", scratch);
	snprintf(out->log, sizeof out->log, "%s/log", scratch);
	snprintf(ended, sizeof ended, "%s" MODE_ENDED, order);
	remove(out->lines);
	remove(ended);
	for (unsigned i = 0; i < trial->settings.nenv; i++)
		env[i] = trial->settings.env[i];
	if (!trial_save(trial, order, st) &&
	    !plan_command(trial, self, order, scratch, &argv, st))
		result = job_run(argv.args, env, trial->settings.nenv, out->log, timeout_s,
		                 &out->job, st);
	out->ended = !remove(ended);
	mode_argv_free(&argv);
	return result;
}
