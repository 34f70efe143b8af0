/* What was measured, by regime; rows of sections.c. */
#ifndef LAUNCHGAP_SECTIONS_RESULTS_H
#define LAUNCHGAP_SECTIONS_RESULTS_H

#include "model.h"
#include "page.h"

bool sections_has_regimes(const struct model *model);
void sections_write_regimes(struct page *page, const struct model *model);

#endif
