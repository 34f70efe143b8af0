/* plots/ecdf.csv and plots/timeline.csv: the single calls that two pictures are drawn from. */
#ifndef LAUNCHGAP_CALLS_CSV_H
#define LAUNCHGAP_CALLS_CSV_H

#include "../analysis/calls.h"
#include "../analysis/plot_order.h"

/* Each isolated call's time and the share of calls that took no longer. It covers every variant at
 * the panels' sizes, with its number in the pictures (0: not shown). Thinned to what a picture can
 * show. */
int calls_write_ecdf(const struct summary *summary, const struct plot_order *order,
                     struct arena *arena, const char *file, struct status *st);
/* For each collective and variant the call that calls_line_of gives, one line per rank. */
int calls_write_timeline(const struct summary *summary, const struct plot_order *order,
                         struct arena *arena, const char *file, struct status *st);

#endif
