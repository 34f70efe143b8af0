/* From records to what people read: summary.csv, report.md, the table on stdout, plots/run.gp.
 */
#ifndef LAUNCHGAP_REPORT_H
#define LAUNCHGAP_REPORT_H

#include "../record/record.h"

/* Writes all of it into `dir` from its records, and draws the pictures of plot_dir with
 * gnuplot. Prints the table and where the pictures lie when `print`. Missing gnuplot is a
 * warning, not an error. */
int report_make(const char *dir, const char *plot_dir, bool print, struct status *st);

#endif
