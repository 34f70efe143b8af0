#include "sample.h"
#include "../memory.h"

#include "../exchange/hosts_link.h"
#include "team.h"

/* Two cache lines, which the prefetcher loads together: ranks stamp at the same moment. */
#define SAMPLE_ALIGN 128

static size_t aligned(size_t bytes)
{
	return (bytes + SAMPLE_ALIGN - 1) & ~(size_t)(SAMPLE_ALIGN - 1);
}

static bool has_spans(const struct cell *cell)
{
	return cell->pass == PASS_TIMELINE &&
	       (cell->coll == COLL_DDP_STEP || cell->coll == COLL_MOE_STEP);
}

/* One rank's part of a cell: its tally, then its rows. */
static size_t part_bytes(const struct trial *trial, const struct cell *cell)
{
	return aligned(sizeof(struct tally)) +
	       aligned(trial_rows(trial, cell) * sizeof(struct sample)) +
	       (has_spans(cell) ? aligned(sizeof(struct sample_spans)) : 0);
}

/* Where the parts of each cell up to this one begin. */
static size_t walk(const struct trial *trial, unsigned cell, size_t *places)
{
	size_t nranks = layout_ranks(trial->settings.layout), offset = 0;
	for (unsigned c = 0; c < cell; c++) {
		if (places)
			places[c] = offset;
		offset += nranks * part_bytes(trial, &trial->cells[c]);
	}
	if (places)
		places[cell] = offset;
	return offset;
}

void sample_place(struct trial *trial)
{
	size_t *places = memory_take((size_t)trial->ncells + 1, sizeof *places);
	walk(trial, trial->ncells, places);
	free(trial->places);
	trial->places = places;
}

static size_t part_offset(const struct trial *trial, unsigned cell, unsigned rank)
{
	size_t offset = trial->places ? trial->places[cell] : walk(trial, cell, NULL);
	return offset + (rank ? rank * part_bytes(trial, &trial->cells[cell]) : 0);
}

size_t sample_area_bytes(const struct trial *trial)
{
	return part_offset(trial, trial->ncells, 0);
}

struct tally *sample_tally(const struct trial *trial, void *area, unsigned cell, unsigned rank)
{
	return (struct tally *)((char *)area + part_offset(trial, cell, rank));
}

struct sample *sample_rows(const struct trial *trial, void *area, unsigned cell, unsigned rank)
{
	return (struct sample *)((char *)area + part_offset(trial, cell, rank) +
	                         aligned(sizeof(struct tally)));
}

struct sample_spans *sample_spans(const struct trial *trial, void *area, unsigned cell,
                                  unsigned rank)
{
	char *rows = (char *)sample_rows(trial, area, cell, rank);
	if (!has_spans(&trial->cells[cell]))
		return NULL;
	return (struct sample_spans *)(rows + aligned(trial_rows(trial, &trial->cells[cell]) *
	                                              sizeof(struct sample)));
}

const char *const sample_lane_keys[LANES] = {"work_ns", "communication_ns"};

void sample_spans_add(struct sample_spans *spans, enum sample_lane lane, int64_t start_ns,
                      int64_t end_ns, int64_t join_ns)
{
	struct sample_span *last = NULL;
	for (unsigned i = spans->n; i-- > 0 && !last;)
		if (spans->of[i].lane == lane)
			last = &spans->of[i];
	if (last && (start_ns - last->end_ns <= join_ns || spans->n == SAMPLE_SPANS))
		last->end_ns = end_ns > last->end_ns ? end_ns : last->end_ns;
	else if (spans->n < SAMPLE_SPANS)
		spans->of[spans->n++] = (struct sample_span){start_ns, end_ns, lane};
}

/* --- several hosts --- */

static void shift(const struct hosts_link *link, unsigned host, int64_t *ns)
{
	if (*ns)
		*ns = hosts_link_to_first(link, host, *ns);
}

/* A rank's stamps of a cell, from its host's clock to the first host's. */
static void shift_rank(const struct trial *trial, struct team *team, unsigned host, unsigned cell,
                       unsigned rank)
{
	const struct hosts_link *b = team_hosts_link(team);
	void *area = team_area(team);
	struct sample *rows = sample_rows(trial, area, cell, rank);
	struct sample_spans *spans = sample_spans(trial, area, cell, rank);
	shift(b, host, &sample_tally(trial, area, cell, rank)->begin_ns);
	for (unsigned i = 0; i < trial_rows(trial, &trial->cells[cell]); i++) {
		int64_t *const stamps[] = {&rows[i].start_ns, &rows[i].issued_ns, &rows[i].idle_ns,
		                           &rows[i].device_start_ns, &rows[i].device_end_ns};
		for (unsigned k = 0; k < sizeof stamps / sizeof *stamps; k++)
			shift(b, host, stamps[k]);
	}
	for (unsigned i = 0; spans && i < spans->n; i++) {
		shift(b, host, &spans->of[i].start_ns);
		shift(b, host, &spans->of[i].end_ns);
	}
}

int sample_collect(const struct trial *trial, struct team *team, struct status *st)
{
	if (!team_hosts_link(team))
		return 0;
	struct peers *all = hosts_link_peers(team_hosts_link(team));
	const unsigned hosts = team_shape(team)->nworkers / team_here(team),
	               each = team_shape(team)->nranks / hosts;
	if (peers_collect(all, team_facts(team, 0), (size_t)team_here(team) * TEAM_FACTS_BYTES, st))
		return -1;
	for (unsigned cell = 0; cell < trial->ncells; cell++)
		if (peers_collect(all, sample_tally(trial, team_area(team), cell, 0),
		                  each * part_bytes(trial, &trial->cells[cell]), st))
			return -1;
	for (unsigned rank = each; team_first(team) == 0 && rank < hosts * each; rank++)
		for (unsigned cell = 0; cell < trial->ncells; cell++)
			shift_rank(trial, team, rank / each, cell, rank);
	return 0;
}
