/* report.md: the run for a reader who was not there. */
#ifndef LAUNCHGAP_MARKDOWN_H
#define LAUNCHGAP_MARKDOWN_H

#include "../analysis/cliffs.h"
#include "draw.h"
#include "../analysis/findings.h"
#include "../analysis/summary.h"
#include "../analysis/validity.h"

int markdown_write(const struct summary *summary, const struct cliff *cliffs, unsigned ncliffs,
                   const struct findings *findings, const struct validity *warnings,
                   const struct draw_result *drawn, const char *file, struct status *st);

#endif
