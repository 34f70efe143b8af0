/* ask: puts the claims of an experiment file to a record that was measured before. */
#include "../machine.h"
#include "../memory.h"
#include "../chapters/run.h"
#include "../report/report.h"
#include "../run/folder.h"
#include "verbs.h"

static const struct field rows[] = {
    {"--file", FIELD_OWN, 0, .read = options_borrow, .value = "FILE", .help = "its claims instead"},
};

const struct fields ask_options = FIELDS_OF(rows, const char *);

/* In place of the record's. Factors and the gap stay: the run was planned by them. */
static int read_claims(const struct record_run *run, const char *file, struct claim_list *out,
                       struct status *st)
{
	struct spec *spec = memory_take(1, sizeof *spec);
	int rc = claim_list_take(run->environment, out, st);
	if (!rc)
		rc = spec_load(&(struct spec_source){.file = file, .lookup = machine_env},
		               run_text(run, "backend"), spec, st);
	if (!rc && !spec->asked.nclaims)
		rc = status_set(st, "%s has no [claim NAME]; allowed is a file with one", file);
	if (!rc) {
		memcpy(out->claims, spec->asked.claims, sizeof out->claims);
		memcpy(out->sources, spec->asked.sources, sizeof out->sources);
		out->nclaims = spec->asked.nclaims;
		out->nsources = spec->asked.nsources;
		unsigned i = 0;
		while (i < out->nclaims && strcmp(out->claims[i].name, out->primary))
			i++;
		if (i == out->nclaims || *out->claims[i].needs)
			out->primary[0] = '\0';
	}
	free(spec);
	return rc;
}

static int write_claims(const char *dir, const struct claim_list *list, struct status *st)
{
	struct folder folder = {.path = ""};
	char created[32];
	status_utc(STATUS_UTC, created);
	json_t *line = json_pack("{s:s, s:s}", "created", created, "launchgap", LAUNCHGAP_COMMIT);
	int rc = !line || claim_list_put(list, line) ? status_set(st, "out of memory") : 0;
	if (!rc)
		rc = folder_reopen(dir, &folder, st) ||
		             record_write_asked(folder.trials, line, st) ||
		             folder_commit(&folder, st)
		         ? -1
		         : 0;
	folder_close(&folder);
	json_decref(line);
	return rc;
}

int verb_ask(int argc, char *argv[], const struct home *home, struct status *st)
{
	const struct report_options options = {0};
	const char *file = NULL;
	char path[2 * PATH_MAX], *dir;
	struct record_run run;
	const int n = verb_take(argc, argv, &file, &dir, 1, st);
	if (!n)
		return status_set(st, "ask needs one run's folder, e.g. results/smoke/latest");
	if (n < 0 || record_load(dir, &run, st))
		return -1;
	struct claim_list *list = memory_take(1, sizeof *list);
	int rc = 0;
	if (!file) {
		rc =
		    home_find_experiment(home, run_text(&run, "experiment"), path, sizeof path, st);
		file = path;
	}
	if (!rc)
		rc = read_claims(&run, file, list, st);
	record_free(&run);
	if (!rc)
		rc = write_claims(dir, list, st);
	free(list);
	return rc ? -1 : report_make(dir, home->plot, &options, st);
}
