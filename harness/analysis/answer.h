/* What a reader came for: the answer in a few sentences with their numbers, and whether it can
 * be believed. Pure: every number comes from a finding that was made before. */
#ifndef LAUNCHGAP_ANSWER_H
#define LAUNCHGAP_ANSWER_H

#include "analysis.h"
#include "answer_text.h"
#include "../story/story.h"

/* Of versions of the library and the gap where the experiment asks for them, else of the
 * variants in each regime. */
void answer_make(const struct analysis *analysis, const struct story *story,
                 struct answer *out);

/* The word for a variant in a regime: "faster", "slower", "no difference within 2 %"; where the
 * regime's A/A line is too wide, a word only for what lies beyond it, else "undecided:
 * effects under 12 % cannot be seen here"; "" where nothing can be said. */
void answer_verdict(const struct regime *regime, unsigned variant, char *text, size_t bytes);

/* Whether any regime can tell variants apart. */
bool answer_tells(const struct regimes *regimes);
/* What a regime that cannot tell hides: "small differences" where a variant lies beyond what
 * the A/A line shows and so has a verdict, else "the variants apart". */
const char *answer_hidden(const struct regime *regime);

#endif
