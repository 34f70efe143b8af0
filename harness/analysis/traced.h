/* Which part of a record a trace shows, and where on its axis: of each variant one trial, cell
 * after cell. Pure.
 *
 * Stamps count from the begin of their cell; the time between two cells is not recorded. So each
 * cell has a place on one axis for all variants, as long as it took in the slowest, and equal cells
 * of two variants are below each other. */
#ifndef LAUNCHGAP_TRACED_H
#define LAUNCHGAP_TRACED_H

#include "summary.h"

#define TRACED_EVENTS 100000 /* by default; some 10 MB of JSON */
#define TRACED_GAP_NS 20000  /* between two cells */

struct traced_cell {
	const struct record_cell *cell; /* of the record */
	unsigned variant;
	int64_t at_ns; /* where the cell's 0 is on the axis */
	unsigned rows; /* so many of its first ones are shown */
};

struct traced {
	unsigned n;
	struct traced_cell *cells; /* variant by variant, in each along the axis */
	unsigned long long rows_left_out, cells_left_out;
};

/* Of each variant the first block that has its cells: those of the passes that time calls, timed
 * and timeline. If that is more than `most` events, the last rows of cells are omitted, then the
 * last cells. */
struct traced traced_make(const struct summary *summary, unsigned most, struct arena *arena);

/* Where a rank of a variant runs. A layout that cannot be read is one process and thread. */
struct traced_place {
	unsigned process, thread;
};
struct traced_place traced_place(const struct summary_variant *variant, unsigned rank);

/* What ran in a cell's last row, where the record has it: a step's work, or its communication.
 * The i-th of a rank, from 0; false: there is none, or it is damaged. Ns since the cell's 0. */
bool traced_span(const struct record_cell *cell, enum sample_lane lane, unsigned rank, size_t i,
                 int64_t *start, int64_t *end);

#endif
