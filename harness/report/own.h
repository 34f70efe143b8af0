/* Chapters of a person's own: the files NAME.chapter of a folder. */
#ifndef LAUNCHGAP_OWN_H
#define LAUNCHGAP_OWN_H

#include "../data/db.h"
#include "../story/story.h"

/* Adds them to the story, in the order of their names. -1: one cannot be read, or there is none. */
int own_chapters(const char *dir, struct db *db, struct story *story, struct status *st);

/* Prints the warnings of them: those that begin with the folder. */
void own_warn(const char *dir, const struct story *story);

#endif
