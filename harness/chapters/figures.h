/* A run's tables with what the analysis found: data/schema.sql, figures.sql and the views of
 * shared.sql. */
#ifndef LAUNCHGAP_FIGURES_H
#define LAUNCHGAP_FIGURES_H

#include "../analysis/analysis.h"
#include "../data/db.h"

/* Sealed. NULL: a defect of these files, with a sentence. */
struct db *figures_load(const struct analysis *analysis, struct arena *arena, struct status *st);
/* Its part that looks for trials that are not like the others (outliers.c). */
void outliers_put(const struct summary *summary, struct arena *arena, struct db *db);
/* What the blocks of an unfinished run showed (seen.c). */
void seen_put(const struct analysis *analysis, struct arena *arena, struct db *db);

#endif
