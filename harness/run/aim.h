/* What a run is about: its primary claim, else its gap. Pure. */
#ifndef LAUNCHGAP_AIM_H
#define LAUNCHGAP_AIM_H

#include "../analysis/contrast.h"
#include "../analysis/regime.h"

struct aim {
	char name[TRIAL_NAME_BYTES + 8]; /* "claim x", "the gap" */
	struct contrast contrast; /* without a cell: none is named, or it can never be made */
	enum regime_kind regime;  /* its A/A line says whether the contrast can be seen */
};

bool aim_is(const struct aim *aim);
/* What needs a variant that is given up is no aim. In the summary's arena. -1: claims are damaged. */
int aim_take(const struct summary *summary, const bool *given_up, struct aim *out,
             struct status *st);
/* The variants that it compares, by what the environment asks; false: it asks for none. */
bool aim_names(const json_t *environment, char left[TRIAL_NAME_BYTES],
               char right[TRIAL_NAME_BYTES]);

#endif
