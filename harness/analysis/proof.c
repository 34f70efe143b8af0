#include "proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "summary_parts.h"

/* One cell's number of some kind. */
typedef double proof_fn(const struct record_cell *cell, unsigned what);

static double by_metric(const struct record_cell *c, unsigned metric)
{
	return pairs_counter(c, (enum metric)metric);
}

/* The mean over ranks of the field at an offset. */
static double by_field(const struct record_cell *c, unsigned offset)
{
	return pairs_counter_sum(c, offset) / c->nranks;
}

#define FIELD(name) ((unsigned)offsetof(struct counters, name))

/* What a row is made from. */
struct source {
	const struct summary *s;
	const struct proof_row *row;
	double *x; /* room for a number per cell */
};

bool proof_belongs(const struct summary *s, const struct proof_row *row,
                   const struct record_cell *c)
{
	const struct summary_group *g = &s->groups[row->group];
	return c->cell.pass == PASS_COUNTERS && !c->error[0] &&
	       c->cell.bytes == g->bytes[row->size] && c->nranks == g->nranks &&
	       summary_same_group(&c->cell, &g->cell) &&
	       !strcmp(c->variant, s->variants[row->variant].name);
}

/* The median over the blocks that have it. */
static double median(const struct source *src, proof_fn *of, unsigned what)
{
	unsigned n = 0;
	for (unsigned i = 0; i < src->s->run->ncells; i++) {
		const struct record_cell *c = &src->s->run->cells[i];
		double x = proof_belongs(src->s, src->row, c) ? of(c, what) : NAN;
		if (!isnan(x))
			src->x[n++] = x;
	}
	return stats_median(src->x, n);
}

/* The model is of collectives made of sends and receives, where every rank sends as much as it
 * receives. */
static bool has_model(enum coll_kind coll)
{
	return coll == COLL_ALLTOALL || coll == COLL_SENDRECV || coll == COLL_SENDRECV_BOTH;
}

static void fill_model(const struct source *src, const struct proof_path *path,
                       struct proof_row *row)
{
	enum coll_kind coll = src->s->groups[row->group].cell.coll;
	unsigned ranks = src->s->groups[row->group].cell.comm_ranks;
	row->direct = row->staged = row->model = row->cached = NAN;
	if (!has_model(coll) || isnan(row->nvlink_tx_gbs))
		return;
	row->direct = counters_model(false, coll == COLL_ALLTOALL, ranks);
	row->staged = counters_model(true, coll == COLL_ALLTOALL, ranks);
	if (!strcmp(path->data_path, "direct"))
		row->model = row->direct;
	if (!strcmp(path->data_path, "staged"))
		row->model = row->staged;
	if (row->model > row->dram_per_nvlink)
		row->cached = row->model - row->dram_per_nvlink;
}

/* On host the workers say which way they take: by slots, or out of the peer's buffer. */
static void fill_copies(const struct source *src, struct proof_row *row)
{
	const struct summary_group *g = &src->s->groups[row->group];
	const char *path = src->s->variants[row->variant].path;
	bool staged = !strcmp(path, "fifo");
	row->copies = median(src, by_metric, METRIC_COPIES);
	row->copies_model = *path && has_model(g->cell.coll) && !isnan(row->copies)
	                        ? counters_model_copies(staged, g->cell.coll == COLL_ALLTOALL,
	                                                g->cell.comm_ranks)
	                        : NAN;
}

static void fill(const struct source *src, const struct proof_path *path, struct proof_row *row)
{
	double limit = summary_limit(src->s, src->s->groups[row->group].bytes[row->size]);
	row->nvlink_tx_gbs = median(src, by_metric, METRIC_NVLINK_TX);
	row->nvlink_rx_gbs = median(src, by_field, FIELD(nvlink_rx_gbs));
	row->limit_share = row->nvlink_tx_gbs / limit;
	row->dram_gbs = median(src, by_metric, METRIC_DRAM);
	row->dram_share = row->dram_gbs / median(src, by_field, FIELD(dram_limit_gbs));
	row->dram_per_nvlink = median(src, by_metric, METRIC_DRAM_PER_NVLINK);
	row->sm_percent = median(src, by_field, FIELD(sm_percent));
	row->pcie_tx_gbs = median(src, by_field, FIELD(pcie_tx_gbs));
	row->issue_cores = median(src, by_metric, METRIC_ISSUE_CORES);
	fill_model(src, path, row);
	fill_copies(src, row);
}

static void fill_missing(const struct summary *s, struct proof *e)
{
	for (unsigned i = 0; i < s->run->ncells && !e->missing[0]; i++) {
		const struct record_cell *c = &s->run->cells[i];
		for (unsigned r = 0; c->counters && r < c->nranks && !e->missing[0]; r++)
			snprintf(e->missing, sizeof e->missing, "%s", c->counters[r].missing);
	}
}

/* Blocks with counters of a row's cell. */
static unsigned count_cells(const struct source *src)
{
	unsigned n = 0;
	for (unsigned i = 0; i < src->s->run->ncells; i++)
		n += proof_belongs(src->s, src->row, &src->s->run->cells[i]);
	return n;
}

int proof_make(const struct summary *s, struct proof *out, struct status *st)
{
	struct proof e = {.nrows = 0};
	size_t most = 1;
	for (unsigned g = 0; g < s->ngroups; g++)
		most += (size_t)s->groups[g].nsizes * s->nvariants;
	double *x = malloc((s->run->ncells + 1) * sizeof *x);
	e.rows = calloc(most, sizeof *e.rows);
	e.paths = calloc(s->nvariants, sizeof *e.paths);
	if (!x || !e.rows || !e.paths) {
		free(x);
		proof_free(&e);
		return status_set(st, "out of memory for the evidence");
	}
	proof_paths(s, e.paths);
	for (unsigned g = 0; g < s->ngroups; g++)
		for (unsigned i = 0; i < s->groups[g].nsizes; i++)
			for (unsigned v = 0; v < s->nvariants; v++) {
				struct proof_row *row = &e.rows[e.nrows];
				struct source src = {s, row, x};
				*row = (struct proof_row){.variant = v, .group = g, .size = i};
				row->blocks = count_cells(&src);
				if (!row->blocks)
					continue;
				fill(&src, &e.paths[v], row);
				e.nrows++;
			}
	free(x);
	fill_missing(s, &e);
	*out = e;
	return 0;
}

void proof_free(struct proof *e)
{
	free(e->rows);
	free(e->paths);
	*e = (struct proof){0};
}
