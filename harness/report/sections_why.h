/* The sections that say why: the data path, counters;
 * rows of sections.c. */
#ifndef LAUNCHGAP_SECTIONS_WHY_H
#define LAUNCHGAP_SECTIONS_WHY_H

#include "model.h"
#include "page.h"

bool sections_has_paths(const struct model *model);
void sections_write_paths(struct page *page, const struct model *model);
bool sections_has_counters(const struct model *model);
void sections_write_counters(struct page *page, const struct model *model);

#endif
