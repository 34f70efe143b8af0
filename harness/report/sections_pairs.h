/* The sections about links and pairs of ranks; rows of sections.c. */
#ifndef LAUNCHGAP_SECTIONS_PAIRS_H
#define LAUNCHGAP_SECTIONS_PAIRS_H

#include "model.h"
#include "page.h"

bool sections_has_pairs(const struct model *model); /* they were measured */
bool sections_has_pingpong(const struct model *model);
bool sections_has_links(const struct model *model); /* GPUs', or measured pairs' */
void sections_write_pairs(struct page *page, const struct model *model);
void sections_write_pingpong(struct page *page, const struct model *model);
void sections_write_links(struct page *page, const struct model *model);

/* A sweep of sizes: its ranges, how busy the devices are, and what follows. */
bool sections_has_ranges(const struct model *model);
void sections_write_ranges(struct page *page, const struct model *model);

#endif
