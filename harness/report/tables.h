/* The report's tables, one definition each; every format is written from these.
 *
 * Each function makes a table that the caller frees; NULL or a failed one when memory is out.
 */
#ifndef LAUNCHGAP_TABLES_H
#define LAUNCHGAP_TABLES_H

#include "model.h"
#include "table.h"

/* Tables that a run leaves as files of their own, for programs. */
struct tables_file {
	const char *file; /* "summary.csv", in the run's folder */
	struct table *(*make)(const struct model *model);
	bool (*when)(const struct model *model); /* NULL: always */
};
/* The i-th, NULL behind the last. */
const struct tables_file *tables_file(unsigned i);


/* For people: */

/* A claim in old and new library side by side, without sentences; NULL where there is none. */
/* The verdicts of a regime. */
struct table *tables_regime(const struct model *model, const struct regime *regime);
struct table *tables_gaps(const struct model *model); /* over all sizes */
struct table *tables_paths(const struct model *model);
struct table *tables_acted(const struct model *model);
struct table *tables_counters(const struct model *model);
struct table *tables_variants(const struct model *model);



#endif
