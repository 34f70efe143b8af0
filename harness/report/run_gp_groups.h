/* The groups' part of plots/run.gp: what each axis has to hold. */
#ifndef LAUNCHGAP_RUN_GP_GROUPS_H
#define LAUNCHGAP_RUN_GP_GROUPS_H

#include "summary.h"

void run_gp_groups(FILE *out, const struct summary *summary);

#endif
