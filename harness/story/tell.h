/* Has chapters tell: their code, or their text (chapter_file.h). */
#ifndef LAUNCHGAP_TELL_H
#define LAUNCHGAP_TELL_H

#include "story.h"

/* Lets each of the chapters report; those with nothing to say are omitted. */
void story_make(const struct analysis *analysis, const struct chapter *const *chapters, unsigned n,
                struct arena *arena, struct story *out);

#endif
