/* A run's tables with what the analysis found: data/schema.sql, figures.sql and the views of
 * shared.sql. */
#ifndef LAUNCHGAP_FIGURES_H
#define LAUNCHGAP_FIGURES_H

#include "../analysis/analysis.h"
#include "../data/db.h"

/* Sealed. NULL: a defect of these files, with a sentence. */
struct db *figures_load(const struct analysis *analysis, struct arena *arena, struct status *st);

/* --- its parts, a file each --- */

/* A source of figures: the analysis, and where they go. */
struct figures {
	const struct analysis *a;
	const struct summary *s;
	struct arena *arena;
	struct db *db;
};

/* After factors.sql, gap.sql and versions.sql, which ask for them. */
int figures_of_contrasts(const struct figures *figures, struct status *st);
/* After evidence.sql, which it asks. */
int figures_of_bandwidth(const struct figures *figures, struct status *st);
/* What the blocks of an unfinished run showed. */
void figures_of_blocks(const struct figures *figures);
void figures_of_claims(const struct figures *figures);
void figures_of_trust(const struct figures *figures);
void figures_of_tuning(const struct figures *figures);

/* The last of sizes; without an end the largest number of SQL. */
size_t figures_end(struct claim_range sizes);
/* "0.912 to 1.083"; NULL: there is one cell, or all are the same. */
const char *figures_cells(struct arena *arena, struct stats_interval cells);

#endif
