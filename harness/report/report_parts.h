/* What report.c makes and print.c prints. */
#ifndef LAUNCHGAP_REPORT_PARTS_H
#define LAUNCHGAP_REPORT_PARTS_H

#include "draw.h"
#include "../analysis/findings.h"
#include "report.h"
#include "../analysis/summary.h"
#include "../analysis/validity.h"

/* Everything that a report is made of. */
struct report {
	struct record_run run;
	struct summary summary;
	struct validity warnings;
	struct draw_result drawn;
	struct cliff *cliffs;
	unsigned ncliffs;
	struct findings findings;
	bool torn;
};

#define PRINT_WIDTH 100 /* columns of what is printed */

/* To stdout, for people: tables, verdicts, claims, and where report and pictures lie. */
void print_report(const struct report *report, const char *dir);
/* Path and counters of each variant, at the largest size with counters; nothing where there is
 * no evidence. */
void print_evidence(const struct summary *summary, const struct evidence *evidence);
/* Effects and verdicts of the factors, and what is to be said of some of them; nothing where
 * none was measured. */
void print_factors(const struct summary *summary, const struct findings *findings);
/* Breaks a sentence into lines, the further ones indented. */
void print_wrapped(const char *lead, const char *text);
/* stdout is for a parser of nccl-tests, so that all else is said on stderr. Returns how many
 * tables there were to print. */
unsigned print_nccl_tests(const struct report *report, const char *dir,
                          enum nccl_average average);

#endif
