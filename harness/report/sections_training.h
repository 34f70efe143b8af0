/* The section about steps of training; a row of sections.c. */
#ifndef LAUNCHGAP_SECTIONS_TRAINING_H
#define LAUNCHGAP_SECTIONS_TRAINING_H

#include "model.h"
#include "page.h"

bool sections_has_training(const struct model *model); /* steps were measured */
void sections_write_training(struct page *page, const struct model *model);

#endif
