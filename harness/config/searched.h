/* The section [search] of an experiment file, read into the spec (search.h). */
#ifndef LAUNCHGAP_SEARCHED_H
#define LAUNCHGAP_SEARCHED_H

#include "build.h"

int searched_apply(struct build *b, unsigned section, struct status *st);
/* Once all is read: drops what the reference has by itself, and knows whether there is a
 * budget. */
int searched_finish(struct build *b, struct status *st);
/* Gives `settings` the values of a set. -1: one of them is not allowed, which reading the file
 * has said already. */
int searched_settings(const struct search_space *space, const struct search_set *set,
                      struct settings *settings, struct status *st);

#endif
