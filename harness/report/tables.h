/* The report's tables, one definition each; every format is written from these.
 *
 * Each function makes a table that the caller frees; NULL or a failed one when memory is out.
 */
#ifndef LAUNCHGAP_TABLES_H
#define LAUNCHGAP_TABLES_H

#include "model.h"
#include "table.h"

/* A claim in old and new library side by side, without sentences; NULL where there is none. */
/* The verdicts of a regime. */
struct table *tables_variants(const struct model *model);

#endif
