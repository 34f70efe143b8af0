#include "looks.h"

#include "verdict.h"

/* Of a run that stopped by its widths, in place of 1 − VERDICT_CONFIDENCE. */
#define ALPHA_BY_WIDTH 0.04

/* Blocks that a session planned to end with; UINT_MAX: as many as it takes. */
static unsigned planned(unsigned first, long long blocks)
{
	return blocks > 0 ? first + (unsigned)blocks : UINT_MAX;
}

static unsigned first_plan(const struct record_run *run)
{
	return planned(0, json_integer_value(json_object_get(run->environment, "blocks")));
}

/* Whether a session goes beyond the plan so far, which it then sets. */
static bool goes_beyond(const struct record_resume *r, unsigned *plan)
{
	unsigned means = r->json ? planned(r->first_block, r->blocks) : UINT_MAX;
	/* An interrupted `auto` goes on as `auto`, or its plan was changed. */
	bool beyond = *plan == UINT_MAX ? means != *plan : means > *plan;
	if (r->json && !r->after_end && !beyond)
		return false;
	*plan = means;
	return true;
}

bool looks_adds(const struct record_run *run, unsigned resume)
{
	unsigned plan = first_plan(run);
	for (unsigned k = 0; k < resume; k++)
		goes_beyond(&run->resumes[k], &plan);
	return goes_beyond(&run->resumes[resume], &plan);
}

static void add(struct looks *looks, unsigned at)
{
	if (looks->nplans < LOOKS_MOST)
		looks->at[looks->nplans++] = at;
}

/* Number of looks at an interval; `has` says how many of its blocks it had at each plan. */
static unsigned looks_with(const struct looks *looks, const unsigned *has, unsigned nblocks,
                           unsigned *first)
{
	unsigned n = 1, seen = 0;
	*first = nblocks;
	for (unsigned i = 0; i < looks->nplans; i++) {
		if (has[i] < STATS_MIN_BLOCKS || has[i] == seen || has[i] == nblocks)
			continue;
		seen = has[i];
		*first = n++ == 1 ? seen : *first;
	}
	return n;
}

static double confidence_at(const struct looks *looks, unsigned n)
{
	double alpha = looks->by_width ? ALPHA_BY_WIDTH : 1 - VERDICT_CONFIDENCE;
	return n < 2 && !looks->by_width ? VERDICT_CONFIDENCE : 1 - alpha / ((double)n * n);
}

double looks_confidence(const struct looks *looks, const unsigned *blocks, unsigned n)
{
	unsigned has[LOOKS_MOST] = {0}, first;
	for (unsigned i = 0; i < looks->nplans; i++)
		while (has[i] < n && blocks[has[i]] < looks->at[i])
			has[i]++;
	return confidence_at(looks, looks_with(looks, has, n, &first));
}

struct looks looks_count(const struct record_run *run)
{
	const unsigned blocks = record_next_block(run), asked = first_plan(run);
	struct looks looks = {.by_width = asked == UINT_MAX};
	unsigned plan = asked;
	/* A search ends by its own plan, whatever the number of sessions. */
	if (json_object_get(run->environment, "search"))
		return (struct looks){.n = 1, .first = blocks, .confidence = VERDICT_CONFIDENCE};
	for (unsigned i = 0; i < run->nresumes; i++) {
		const struct record_resume *r = &run->resumes[i];
		looks.by_width |= r->json && r->blocks == 0;
		if (goes_beyond(r, &plan))
			add(&looks, r->first_block);
	}
	/* If no session is recorded, blocks that were not asked for at first came later. */
	if (!run->nresumes && asked < blocks)
		add(&looks, asked);
	looks.n = looks_with(&looks, looks.at, blocks, &looks.first);
	looks.added = blocks - looks.first;
	looks.confidence = confidence_at(&looks, looks.n);
	return looks;
}
