/* The sections behind the answer: claims in full, and how, where and on what it was measured;
 * rows of sections.c. */
#ifndef LAUNCHGAP_SECTIONS_RUN_H
#define LAUNCHGAP_SECTIONS_RUN_H

#include "model.h"
#include "page.h"

bool sections_has_warnings(const struct model *model);
void sections_write_method(struct page *page, const struct model *model);
void sections_write_variants(struct page *page, const struct model *model);
bool sections_has_pictures(const struct model *model);
void sections_write_warnings(struct page *page, const struct model *model);
void sections_write_pictures(struct page *page, const struct model *model);
void sections_write_raw(struct page *page, const struct model *model);

#endif
