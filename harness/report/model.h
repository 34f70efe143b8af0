/* All that a report tells: the record, the numbers made of it, and the findings. Made once by
 * report.c; what is written from it computes nothing. */
#ifndef LAUNCHGAP_MODEL_H
#define LAUNCHGAP_MODEL_H

#include "../analysis/answer.h"
#include "../analysis/cliffs.h"
#include "../analysis/findings.h"
#include "../analysis/regime.h"
#include "../analysis/summary.h"
#include "../analysis/validity.h"
#include "draw.h"

struct model {
	struct record_run run;
	bool torn; /* the record's last line was cut off */
	struct summary summary;
	struct regimes regimes;
	struct answer answer;
	struct cliff *cliffs;
	unsigned ncliffs;
	struct findings findings;
	struct validity warnings;
	struct draw_result drawn;
};

/* A text of the run's first line, "" where it is missing. */
const char *model_text(const struct model *model, const char *key);

#endif
