/* The groups' part of plots/run.gp: what each axis has to hold. */
#ifndef LAUNCHGAP_RUN_GP_GROUPS_H
#define LAUNCHGAP_RUN_GP_GROUPS_H

#include "../analysis/summary.h"

void run_gp_groups(FILE *out, const struct summary *summary);
/* Of the same groups: how far ranks are from their mean, and the ecdf's panels. */
void run_gp_calls(FILE *out, const struct summary *summary);
/* The calls that the timeline shows. */
void run_gp_lines(FILE *out, const struct summary *summary);

#endif
