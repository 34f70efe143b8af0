/* A run's tables with what the analysis found: data/schema.sql, figures.sql and the views of
 * shared.sql. */
#ifndef LAUNCHGAP_FIGURES_H
#define LAUNCHGAP_FIGURES_H

#include "../analysis/analysis.h"
#include "../data/db.h"

/* Sealed. NULL: a defect of these files, with a sentence. */
struct db *figures_load(const struct analysis *analysis, struct arena *arena, struct status *st);
/* What the blocks of an unfinished run showed (seen.c). */
void seen_put(const struct analysis *analysis, struct arena *arena, struct db *db);
/* What titles of curves say (captions.c). */
void captions_put(const struct analysis *analysis, struct arena *arena, struct db *db);

#endif
