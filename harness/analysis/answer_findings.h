/* Sentences of the answer that one finding gives, for the experiments that ask for it: each
 * says nothing where the run does not have it. Pure. */
#ifndef LAUNCHGAP_ANSWER_FINDINGS_H
#define LAUNCHGAP_ANSWER_FINDINGS_H

#include "analysis.h"
#include "answer_text.h"

/* What a call costs where a device takes no time, so that all of it is the harness. */
void answer_cost(struct answer *answer, const struct analysis *analysis);
/* Variants whose settings did nothing, by the library's log. */
void answer_idle(struct answer *answer, const struct analysis *analysis);
/* Variants that differ from the reference in one key, of a file that asks about nothing else.
 */
void answer_keys(struct answer *answer, const struct analysis *analysis);
/* Settings of the environment that gain over the reference and lose in no regime. */
void answer_settings(struct answer *answer, const struct analysis *analysis);

#endif
