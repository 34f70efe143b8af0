#include "contrast.h"

#include <math.h>
#include <string.h>

#include "pairs.h"

bool contrast_is_time(enum metric metric)
{
	return metric == METRIC_TIME || metric == METRIC_LATENCY || metric == METRIC_LAUNCH;
}

struct contrast contrast_none(unsigned left, unsigned right, enum metric metric,
                              const char *why)
{
	struct contrast c = {.left = left,
	                     .right = right,
	                     .metric = metric,
	                     .ratio = stats_ratio_of_logs(NULL, 0, VERDICT_CONFIDENCE),
	                     .left_side = {NAN, NAN},
	                     .right_side = {NAN, NAN}};
	c.verdict = verdict_of(c.ratio, 0);
	snprintf(c.why, sizeof c.why, "%s", why);
	return c;
}

int contrast_make(const struct summary *s, unsigned left, unsigned right, enum metric metric,
                  const struct contrast_select *select, struct contrast *out, struct status *st)
{
	const struct pairs_select of = {select->bytes, select->pace, select->coll};
	const unsigned variants[] = {left, right};
	bool time = contrast_is_time(metric);
	struct contrast c = contrast_none(left, right, metric, "");
	struct pairs p;
	if (pairs_make(s, metric, &of, variants, 2, &p, st))
		return -1;
	c.select = *select;
	c.ncells = p.ncells;
	c.nblocks = p.nblocks;
	c.sizes = p.sizes;
	memcpy(c.why, p.why, sizeof c.why);
	c.ratio = pairs_ratio(&p, 0, 1);
	c.verdict = verdict_of(time ? pairs_ratio(&p, 1, 0) : c.ratio, s->margin);
	if (p.nblocks) {
		c.left_side.log = pairs_level(&p, 0);
		c.right_side.log = pairs_level(&p, 1);
		c.left_side.value = exp(c.left_side.log);
		c.right_side.value = exp(c.right_side.log);
	}
	pairs_free(&p);
	*out = c;
	return 0;
}
