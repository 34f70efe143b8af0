/* The tables of threads and processes by version of the library (figures.sql), with the contrasts of
 * variants that analysis/versions.h picks. Memory is the arena's. */
#ifndef LAUNCHGAP_VERSION_FIGURES_H
#define LAUNCHGAP_VERSION_FIGURES_H

#include "../analysis/analysis.h"
#include "../data/db.h"

void version_figures_put(const struct analysis *analysis, struct arena *arena, struct db *db);

#endif
