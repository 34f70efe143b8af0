/* How far a run has come, by its record: where `resume` goes on. */
#include "record.h"

#include <string.h>

unsigned record_next_block(const struct record_run *run)
{
	const struct record_search *own = run->search;
	unsigned next = 0;
	for (unsigned i = 0; i < run->ncells + (own ? own->ncells : 0); i++)
		if (run->cells[i].block >= next)
			next = run->cells[i].block + 1;
	for (unsigned i = 0; i < run->nfailures + (own ? own->nfailures : 0); i++)
		if (run->failures[i].block >= next)
			next = run->failures[i].block + 1;
	return next;
}

unsigned record_block_trials(const struct record_run *run)
{
	unsigned n = 0;
	for (unsigned i = 0; i < run->nvariants; i++)
		n += !*run->variants[i].skip;
	return n;
}

/* One more than the place of a trial in the last block; 0: it has no place there, as its number is
 * not the plan's. */
static unsigned place_after(unsigned order, unsigned block, unsigned in_block)
{
	const uint64_t first = (uint64_t)block * in_block;
	return order >= first && order < first + in_block ? (unsigned)(order - first) + 1 : 0;
}

unsigned record_begun(const struct record_run *run)
{
	const unsigned next = record_next_block(run), in_block = record_block_trials(run);
	unsigned done = 0;
	if (!next || run->end.reason[0] || json_object_get(run->environment, "search"))
		return 0;
	for (unsigned i = 0; i < run->ncells + run->nfailures; i++) {
		const unsigned f = i - run->ncells;
		const bool cell = i < run->ncells;
		if ((cell ? run->cells[i].block : run->failures[f].block) + 1 != next)
			continue;
		unsigned place = place_after(cell ? run->cells[i].order : run->failures[f].order,
		                             next - 1, in_block);
		if (!place)
			return 0;
		done = place > done ? place : done;
	}
	return done < in_block ? done : 0;
}

long long record_blocks_asked(const struct record_run *run)
{
	const struct record_resume *last = run->nresumes ? &run->resumes[run->nresumes - 1] : NULL;
	if (last && last->json && !json_object_get(run->environment, "search"))
		return last->blocks ? (long long)last->first_block + last->blocks : 0;
	return json_integer_value(json_object_get(run->environment, "blocks"));
}
