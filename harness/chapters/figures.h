/* A run's tables with what the analysis found: data/schema.sql, figures.sql and the views of
 * shared.sql. */
#pragma once

#include "../config/claim.h"
#include "../data/db.h"

/* Sealed; the run has to live as long. looks: in place of the run's own, or NULL. NULL: a defect of
 * these files, with a sentence. */
struct db *figures_load(const struct record_run *run, const struct looks *looks,
                        struct arena *arena, struct status *st);
/* Of all that only results.sql and what is before it, not sealed: no verdict. */
struct db *figures_results(const struct record_run *run, struct arena *arena, struct status *st);

/* --- its parts, a file each --- */

/* A source of figures: the run, and where they go. */
struct figures {
	const struct record_run *run;
	struct arena *arena;
	struct db *db;
};

/* The first value of a query; NaN: there is none. */
double figures_number(const struct figures *figures, const char *sql);
/* What the experiment's file asks. -1: the record's questions cannot be read. */
int figures_of_experiment(const struct figures *figures, struct status *st);
void figures_of_trust(const struct figures *figures);
int figures_of_tuning(const struct figures *figures, struct status *st);

/* The last of sizes; without an end the largest number of SQL. */
size_t figures_end(struct claim_range sizes);
