/* The CSV files of a run; their columns are in results/README.md. */
#ifndef LAUNCHGAP_CSV_H
#define LAUNCHGAP_CSV_H

#include <stdio.h>

#include "../analysis/evidence.h"

/* A text of the CSV and its comma, quoted where a reader would take it for something else. */
void summary_put_text(FILE *out, const char *text);
/* A number and its comma; nothing but the comma for NaN. */
void summary_put_number(FILE *out, double x);

/* ranks.csv: one row per row of the summary and rank. */
int summary_write_ranks(const struct summary *summary, const char *file, struct status *st);
/* summary.csv. */
int summary_write_csv(const struct summary *summary, const char *file, struct status *st);
/* evidence.csv: each row's counters rank by rank. */
int evidence_write_csv(const struct summary *summary, const struct evidence *evidence, const char *file,
                    struct status *st);

#endif
