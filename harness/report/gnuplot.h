/* plots/run.gp: what a run holds, as gnuplot's assignments and data. Comments in it explain its
 * names; it contains no path, so that it may be moved. */
#ifndef LAUNCHGAP_GNUPLOT_H
#define LAUNCHGAP_GNUPLOT_H

#include "../analysis/plot_order.h"

struct model;
struct script;

/* With the tables of the chapters that are drawn as data, columns by name. */
int gnuplot_write(const struct model *model, const struct plot_order *order, const char *file,
                  struct status *st);

#endif
