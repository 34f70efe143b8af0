#include "trials.h"

#include <math.h>
#include <stdlib.h>

static int by_order(const void *left, const void *right)
{
	const struct trials_number *a = left, *b = right;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return a->block < b->block ? -1 : a->block > b->block;
}

static struct trials_number *find(struct trials_number *list, unsigned count, unsigned variant,
                                  unsigned block)
{
	for (unsigned i = count; i-- > 0;)
		if (list[i].variant == variant && list[i].block == block)
			return &list[i];
	return NULL;
}

int trials_of(const struct summary *s, unsigned group, struct trials_number **out,
              unsigned *count)
{
	unsigned n = 0, most = s->nvariants * (s->nblocks ? s->nblocks : 1);
	struct trials_number *list = calloc(most, sizeof *list);
	unsigned *sizes = calloc(most, sizeof *sizes);
	if (!list || !sizes) {
		free(list);
		free(sizes);
		return -1;
	}
	for (unsigned i = 0; i < s->nrows; i++) {
		const struct summary_row *row = &s->rows[i];
		if (row->group != group || s->variants[row->variant].role == ROLE_LIMIT)
			continue;
		for (unsigned t = 0; t < row->ntrials; t++) {
			const struct summary_trial *trial = &row->trials[t];
			struct trials_number *number =
			    find(list, n, row->variant, trial->block);
			if (!number && n == most)
				continue; /* a block that a variant has twice */
			if (!number) {
				number = &list[n++];
				*number = (struct trials_number){.variant = row->variant,
				                                 .block = trial->block,
				                                 .order = trial->order};
			}
			number->log_time += log(trial->time_ns / 1000 / row->time_us);
			sizes[number - list]++;
		}
	}
	for (unsigned i = 0; i < n; i++)
		list[i].log_time /= sizes[i];
	free(sizes);
	qsort(list, n, sizeof *list, by_order);
	*out = list;
	*count = n;
	return 0;
}
