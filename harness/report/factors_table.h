/* How the factors are shown: the short table, factors.csv. */
#ifndef LAUNCHGAP_FACTORS_TABLE_H
#define LAUNCHGAP_FACTORS_TABLE_H

#include "../analysis/factors.h"
#include "grid.h"

/* Whether latency is judged of any. */
bool factors_have_latency(const struct factors_result *results, unsigned n);

/* Effects and verdicts of those that were measured, the largest first; *rows: how many. Latency
 * has a column where it is judged of any. NULL when memory is out, the caller frees with
 * grid_free. */
struct grid *factors_short(const struct factors_result *results, unsigned n, unsigned *rows);

/* factors.csv: its columns are in results/README.md. */
int factors_write_csv(const struct factors_result *results, unsigned n, const char *file,
                      struct status *st);

#endif
