/* The chapters of a report, one file and one row each: what a report answers, in the order of its
 * sections. To remove a chapter, remove its row. */
#ifndef LAUNCHGAP_CHAPTERS_H
#define LAUNCHGAP_CHAPTERS_H

#include "../story/story.h"

const struct chapter *const *chapters_all(unsigned *n);
/* NULL: no chapter has that name. */
const struct chapter *chapters_find(const char *name);

#endif
