/* Turns records into what people and programs read: report.html, report.md, report.json, the tables
 * as CSV, pictures, and the first page on the terminal. */
#ifndef LAUNCHGAP_REPORT_H
#define LAUNCHGAP_REPORT_H

#include "../config/options.h"
#include "../record/record.h"

#include "export.h"

/* The variable that names the page of a job of GitHub Actions. */
#define REPORT_SUMMARY "GITHUB_STEP_SUMMARY"

enum report_format { REPORT_TABLES, REPORT_NCCL_TESTS };

/* What report_make prints, and how. */
struct report_options {
	enum report_format format;
	/* Of REPORT_NCCL_TESTS: */
	const char *average;                 /* of nccl_averages; NULL: the mean */
	const char *json;                    /* a file for nccl-tests' JSON, or NULL; borrowed */
	const char *exports[EXPORT_FORMATS]; /* files, or NULL (export.h); borrowed */
	const char *summary;  /* a file that gets a short page in Markdown appended, or NULL */
	const char *chapters; /* a folder with the user's chapters, or NULL */
	const char *sqlite;   /* a file that gets the run's tables (chapters/figures.h), or NULL */
	bool verbose;         /* on the terminal the whole report, not only its first part */
	bool quiet;           /* the answer alone, and where the report is */
	/* Adds to the record of `dir` that a report began then, once its pictures are drawn, which
	 * takes longest; it is read again. NULL: the record stays as it is. */
	int (*keep)(const char *dir, int64_t from_ns, struct status *st);
};

/* Of a verb that makes a report: rows of a struct report_options. */
extern const struct fields report_options;
/* Takes argv[i] by these rows, or those of export.h, as options_take does. */
int report_option(char *const argv[], int i, struct report_options *options, struct status *st);
/* Whether the options taken are compatible, once all are there; fills in the missing ones. */
int report_options_settle(struct report_options *options, struct status *st);

/* Writes everything into `dir` from its records, and draws the pictures of plot_dir with gnuplot.
 * Prints the tables, and where the pictures are, as `options` say; NULL: prints nothing. In
 * nccl-tests' format only that goes to stdout, everything else to stderr. Missing gnuplot is a
 * warning, not an error. */
int report_make(const char *dir, const char *plot_dir, const struct report_options *options,
                struct status *st);

#endif
