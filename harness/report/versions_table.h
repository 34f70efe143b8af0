/* How the gap by version is shown: tables, versions.csv. */
#ifndef LAUNCHGAP_VERSIONS_TABLE_H
#define LAUNCHGAP_VERSIONS_TABLE_H

#include "grid.h"
#include "../analysis/versions.h"

/* Of the coll-th collective; NULL when memory is out, the caller frees with grid_free. */
struct grid *versions_table(const struct versions *versions, unsigned coll);
/* Bandwidths, ratio and verdict alone. */
struct grid *versions_short(const struct versions *versions, unsigned coll);
/* What a bandwidth is: "geometric mean over 3 cells, 16 MiB to 256 MiB". */
void versions_about(const struct versions *versions, unsigned coll, char *text, size_t bytes);

/* plots/versions.csv: its columns are in results/README.md. */
int versions_write_csv(const struct summary *summary, const struct versions *versions,
                       const char *file, struct status *st);

#endif
