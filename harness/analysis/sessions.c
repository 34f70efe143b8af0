#include "sessions.h"

#include <math.h>

/* Trials of a block before and after the begin of a session: when the nearest ones ended. */
struct seam {
	int64_t before_s, behind_s; /* the last before, the first after; 0: none is known */
};

static void seam_take(struct seam *seam, bool before, int64_t written_s)
{
	if (before && written_s > seam->before_s)
		seam->before_s = written_s;
	if (!before && written_s && (!seam->behind_s || written_s < seam->behind_s))
		seam->behind_s = written_s;
}

static struct seam seam_find(const struct record_run *run, unsigned block, unsigned order)
{
	struct seam seam = {0};
	for (unsigned i = 0; i < run->ncells; i++)
		if (run->cells[i].block == block)
			seam_take(&seam, run->cells[i].order < order, run->cells[i].written_s);
	for (unsigned i = 0; i < run->nfailures; i++)
		if (run->failures[i].block == block)
			seam_take(&seam, run->failures[i].order < order,
			          run->failures[i].written_s);
	return seam;
}

/* Whether a session began between two trials that follow each other in a block. */
static bool divided(const struct record_run *run, const struct record_cell *a,
                    const struct record_cell *b)
{
	const unsigned trials = record_block_trials(run);
	for (unsigned i = 0; i < run->nresumes; i++) {
		const unsigned first = run->resumes[i].first_block * trials + run->resumes[i].begun;
		if (a->order < first && b->order >= first)
			return true;
	}
	return false;
}

double session_block_s(const struct record_run *run)
{
	int64_t seconds = 0;
	uint64_t steps = 0;
	for (unsigned i = 1; i < run->ncells; i++) {
		const struct record_cell *a = &run->cells[i - 1], *b = &run->cells[i];
		if (a->block != b->block || a->order >= b->order || !a->written_s ||
		    b->written_s < a->written_s || divided(run, a, b))
			continue;
		seconds += b->written_s - a->written_s;
		steps += b->order - a->order;
	}
	return steps ? (double)seconds / (double)steps * record_block_trials(run) : NAN;
}

bool session_paused(const struct record_run *run, unsigned resume, struct session_pause *out)
{
	const struct record_resume *r = &run->resumes[resume];
	const unsigned trials = record_block_trials(run);
	if (!r->begun || r->begun >= trials)
		return false;
	const struct seam seam = seam_find(run, r->first_block, r->first_block * trials + r->begun);
	*out = (struct session_pause){
	    .block = r->first_block, .begun = r->begun, .trials = trials, .pause_s = NAN};
	if (seam.before_s && seam.behind_s)
		out->pause_s = (double)(seam.behind_s - seam.before_s);
	out->far = !(out->pause_s <= session_block_s(run));
	return true;
}
