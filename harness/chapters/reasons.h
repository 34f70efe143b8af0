/* What reports say of the analysis' reasons and doubts. The texts have no full stop, unless it is
 * said otherwise; "" if there is no reason. */
#ifndef LAUNCHGAP_REASONS_H
#define LAUNCHGAP_REASONS_H

#include "../analysis/reason.h"
#include "../analysis/regime.h"
#include "../arena.h"

const char *reason_text(struct arena *arena, const struct reason *reason);
const char *trouble_text(struct arena *arena, const struct trouble *trouble);
/* Why a regime cannot distinguish variants, a sentence with its full stop. */
const char *regime_doubt_text(struct arena *arena, const struct summary *summary,
                              const struct regime *regime);
#endif
