/* Has chapters tell: their code, or their text (chapter_file.h). */
#ifndef LAUNCHGAP_TELL_H
#define LAUNCHGAP_TELL_H

#include "../data/db.h"
#include "story.h"

/* Lets each of the chapters report; those with nothing to say are omitted. db: the run's tables, for
 * chapters that are texts. */
void story_make(const struct analysis *analysis, struct db *db,
                const struct chapter *const *chapters, unsigned n, struct arena *arena,
                struct story *out);

/* Adds a chapter that is a text, and where it is from. */
void story_add(struct story *story, struct db *db, const char *file, const char *text);

#endif
