/* What is read off pairs, and which variants there are to be paired. */
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

int pairs_variant(const struct summary *s, const char *name)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (!strcmp(s->variants[v].name, name))
			return (int)v;
	return -1;
}

void pairs_absent(const struct summary *s, const char *name, char *why, size_t bytes)
{
	int v = pairs_variant(s, name);
	why[0] = '\0';
	if (v < 0)
		snprintf(why, bytes, "%s is not in this record", name);
	else if (s->variants[v].skip[0])
		snprintf(why, bytes, "%s was skipped: %s", name, s->variants[v].skip);
	else if (!s->variants[v].measured)
		snprintf(why, bytes, "%s has no trial that went through", name);
}

bool pairs_astray(const struct summary *s, const char *name)
{
	bool astray = false;
	for (unsigned i = 0; i < s->run->npaths; i++)
		if (!strcmp(s->run->paths[i].variant, name))
			astray = !s->run->paths[i].as_expected;
	return astray;
}

void pairs_crowded(const struct summary *s, enum metric metric, char *why, size_t bytes)
{
	const struct metric_info *info = metric_info(metric);
	why[0] = '\0';
	if (info->waits && summary_crowded(s))
		snprintf(why, bytes,
		         "more ranks than cores: waiting workers share them, so that %s is the "
		         "scheduler's",
		         info->summary);
}

void pairs_free(struct pairs *pairs)
{
	free(pairs->levels);
	*pairs = (struct pairs){0};
}

struct stats_ratio pairs_ratio(const struct pairs *p, unsigned left, unsigned right)
{
	struct stats_ratio none = stats_ratio_of_logs(NULL, 0, 0.95);
	double *logs = malloc((p->nblocks ? p->nblocks : 1) * sizeof *logs);
	if (!logs)
		return none;
	for (unsigned b = 0; b < p->nblocks; b++)
		logs[b] = p->levels[left * p->nblocks + b] - p->levels[right * p->nblocks + b];
	struct stats_ratio ratio =
	    p->nblocks ? stats_ratio_of_logs(logs, p->nblocks, 0.95) : none;
	free(logs);
	return ratio;
}

double pairs_level(const struct pairs *p, unsigned variant)
{
	double sum = 0;
	for (unsigned b = 0; b < p->nblocks; b++)
		sum += p->levels[variant * p->nblocks + b];
	return sum / p->nblocks;
}
