/* What a run found, in forms of other programs: an option, and a view of export.sql, for each. */
#ifndef LAUNCHGAP_EXPORT_H
#define LAUNCHGAP_EXPORT_H

#include "../config/options.h"
#include "model.h"

#define EXPORT_FORMATS 3

/* An option for each, of files[EXPORT_FORMATS]. */
extern const struct fields export_options;
/* Writes those formats that have a file. Each takes its name once it is complete. Times are in none
 * if the variants did not do the same work (given.trouble); what is not known is left out, and no
 * number is NaN. */
int export_write(const struct model *model, const char *const files[EXPORT_FORMATS],
                 struct status *st);
/* A query's rows as the lines of a file. */
int export_lines(struct arena *arena, struct db *db, const char *sql, const char *file,
                 struct status *st);

#endif
