/* The index: each name of a record resolved once. Variants by their number, cells by the place
 * of their group and size, trials by their block: cell[variant][place][block]. Pure. */
#ifndef LAUNCHGAP_INDEX_H
#define LAUNCHGAP_INDEX_H

#include <limits.h>
#include <stdbool.h>

#include "../status.h"

#define INDEX_NONE UINT_MAX

struct record_cell;
struct summary;
struct summary_row;
struct summary_trial;

struct index {
	unsigned nplaces, nblocks;
	unsigned *first;  /* per group: the place of its first size; sizes follow each other */
	unsigned *blocks; /* the numbers of the record's blocks, ascending */
	/* Per cell of the record; place: INDEX_NONE where nothing was timed there. */
	unsigned *variant_of, *place_of;
	/* [variant * nplaces + place]; NULL where it was not measured. */
	struct summary_row **rows;
	/* [(variant * nplaces + place) * nblocks + block], blocks by their place in the list.
	 * Timed cells, and those that counters were read in; the first of a block. NULL: there
	 * is none. */
	const struct summary_trial **timed;
	const struct record_cell **counted;
};

/* In three steps, as the summary grows. Groups, sizes and cells from run and variants: fills
 * the summary's groups and its index but for rows and trials. */
int index_make(struct summary *summary, struct status *st);
/* The summary's rows, when they lie where they stay. */
void index_rows(struct summary *summary);
/* Their trials, when they are all there. */
int index_trials(struct summary *summary, struct status *st);
void index_free(struct index *index);

/* The variant of a name, or -1. */
int index_variant(const struct summary *summary, const char *name);
/* The place of a group's size. */
unsigned index_place(const struct summary *summary, unsigned group, unsigned size);
/* NULL where there is none. `block` is a place in the index' list. */
const struct summary_trial *index_timed(const struct summary *summary, unsigned variant,
                                        unsigned place, unsigned block);
const struct record_cell *index_counted(const struct summary *summary, unsigned variant,
                                        unsigned place, unsigned block);

#endif
