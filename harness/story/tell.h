/* Has chapters tell: texts (chapter_file.h). */
#ifndef LAUNCHGAP_TELL_H
#define LAUNCHGAP_TELL_H

#include "../data/db.h"
#include "story.h"

/* Lets each of the chapters, harness/chapters/NAME.chapter, report of the run's tables; those with nothing
 * to say are omitted. */
void story_make(struct db *db, const char *const *names, unsigned n, struct arena *arena,
                struct story *out);

/* Adds a chapter that is a text, and where it is from. One of its name before it is omitted then,
 * unless this one is wrong. */
void story_add(struct story *story, struct db *db, const char *file, const char *text);

#endif
