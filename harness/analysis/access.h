/* Access patterns: what a GPU, or a core, reads and writes of its own memory when neighbours
 * take elements that lie apart, against elements side by side. Pure.
 *
 * Of the collective `access` at its largest size in stream: bytes read and written over the
 * time, as a share of what the memory can do, and what the memory's counters saw meanwhile. */
#ifndef LAUNCHGAP_ACCESS_H
#define LAUNCHGAP_ACCESS_H

#include "evidence.h"

struct access_row {
	unsigned variant, stride;
	struct stats_interval gbs; /* read and written, of one rank; quartiles over blocks */
	double limit_gbs, share;   /* the memory's own limit, and gbs of it; NaN: not known */
	double dram_gbs;           /* by counters; NaN: not read */
	double dram_per_byte;      /* bytes that the memory moved for each that was asked for */
	double huge_bytes;         /* of huge pages that it lay in; NaN: not said */
	struct stats_ratio ratio;  /* speed against the reference */
};

struct access {
	unsigned n;
	struct access_row *rows; /* owned; by variant */
	int side;                /* the row of stride 1, or -1 */
	size_t bytes;
};

/* The caller frees with access_free; no rows where nothing of it was measured. */
int access_make(const struct summary *summary, const struct evidence *evidence,
                struct access *out, struct status *st);
void access_free(struct access *access);

#endif
