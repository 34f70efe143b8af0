/* All numbers of a run, for the chapters of its report: made once, borrowed by all. */
#ifndef LAUNCHGAP_ANALYSIS_H
#define LAUNCHGAP_ANALYSIS_H

#include "findings.h"
#include "regime.h"
#include "summary.h"

struct analysis {
	const struct summary *s;
	const struct regimes *regimes;
	const struct findings *f;
	const struct evidence *evidence;
};

#endif
