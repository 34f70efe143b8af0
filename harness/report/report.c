#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "factors_table.h"
#include "markdown.h"
#include "csv.h"
#include "report_parts.h"

int report_option(const char *option, const char *value, struct report_options *options,
                  struct status *st)
{
	bool format = !strcmp(option, "--format");
	if (!format && strcmp(option, "--average"))
		return 0;
	if (!value)
		return status_set(st, "%s wants a value", option);
	if (!format) {
		options->average_given = true;
		return nccl_average_find(value, &options->average, st) ? -1 : 1;
	}
	if (strcmp(value, "nccl-tests"))
		return status_set(st, "--format %s: allowed is nccl-tests", value);
	options->format = REPORT_NCCL_TESTS;
	return 1;
}

int report_options_settle(struct report_options *options, struct status *st)
{
	if (options->average_given && options->format != REPORT_NCCL_TESTS)
		return status_set(st,
		                  "--average is of --format nccl-tests; summary.csv has all "
		                  "averages side by side");
	if (!options->average_given)
		options->average = NCCL_AVERAGE_MEAN;
	return 0;
}

static int make(struct report *r, const char *dir, const char *plot_dir,
                const struct report_options *options, struct status *st)
{
	char file[PATH_MAX];
	const struct summary *s = &r->summary;
	if ((size_t)snprintf(file, sizeof file, "%s/evidence.csv", dir) >= sizeof file)
		return status_set(st, "the path %.60s… is too long", dir);
	snprintf(file, sizeof file, "%s/summary.csv", dir);
	if (summary_write_csv(s, file, st))
		return -1;
	snprintf(file, sizeof file, "%s/ranks.csv", dir);
	if (summary_write_ranks(s, file, st) || cliffs_find(s, &r->cliffs, &r->ncliffs, st) ||
	    findings_make(s, r->cliffs, r->ncliffs, &r->findings, st))
		return -1;
	snprintf(file, sizeof file, "%s/factors.csv", dir);
	if (r->findings.asked.nfactors &&
	    factors_write_csv(r->findings.factors, r->findings.asked.nfactors, file, st))
		return -1;
	snprintf(file, sizeof file, "%s/evidence.csv", dir);
	if (r->findings.evidence.nrows && evidence_write_csv(s, &r->findings.evidence, file, st))
		return -1;
	if (draw_pictures(s, &r->findings, dir, plot_dir, &r->drawn, st))
		return -1;
	validity_collect(s, r->torn, &r->warnings);
	findings_warn(&r->findings, &r->warnings);
	if (r->drawn.warning[0])
		validity_add(&r->warnings, "%s", r->drawn.warning);
	snprintf(file, sizeof file, "%s/report.md", dir);
	if (markdown_write(s, r->cliffs, r->ncliffs, &r->findings, &r->warnings, &r->drawn,
	                   file, st))
		return -1;
	unsigned tables = 1;
	if (options && options->format == REPORT_NCCL_TESTS)
		tables = print_nccl_tests(r, dir, options->average);
	else if (options)
		print_report(r, dir);
	if (s->trouble[0])
		return status_set(
		    st, "nothing is compared, the variants did not do the same work: %s",
		    s->trouble);
	if (!s->nblocks)
		return status_set(
		    st,
		    "no cell was measured, so that there are no figures; why is in "
		    "the warnings of %s",
		    file);
	if (!tables)
		return status_set(st, "--format nccl-tests has nothing to print: it is of "
		                      "stream calls, as nccl-tests times them, and this run "
		                      "measured none (paces = isolated?); report.md has what "
		                      "it measured");
	return 0;
}

int report_make(const char *dir, const char *plot_dir, const struct report_options *options,
                struct status *st)
{
	struct report *r = calloc(1, sizeof *r);
	int rc = -1;
	if (!r)
		return status_set(st, "out of memory for the report");
	if (record_load(dir, &r->run, &r->torn, st))
		goto free_report;
	if (summary_make(&r->run, &r->summary, st))
		goto free_record;
	rc = make(r, dir, plot_dir, options, st);
	free(r->cliffs);
	findings_free(&r->findings);
	summary_free(&r->summary);
free_record:
	record_free(&r->run);
free_report:
	free(r);
	return rc;
}
