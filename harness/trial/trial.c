#include "trial.h"

#include <errno.h>
#include <sys/stat.h>

#include "../memory.h"

unsigned trial_comm_ranks(const struct trial *trial)
{
	return split_place(trial->settings.split, layout_ranks(trial->settings.layout), 0).size;
}

bool trial_has(const struct trial *trial, enum coll_kind coll)
{
	unsigned i = 0;
	while (i < trial->ncells && trial->cells[i].coll != coll)
		i++;
	return i < trial->ncells;
}

unsigned trial_rows(const struct trial *trial, const struct cell *cell)
{
	if (cell->coll == COLL_INIT)
		return TRIAL_INIT_ROWS;
	if (cell->pass == PASS_TIMELINE)
		return TRIAL_TIMELINE_ROWS;
	if (cell->pass == PASS_COUNTERS)
		return TRIAL_COUNTERS_ROWS;
	if (cell->pass == PASS_PATH)
		return 1;
	if (cell->pace == PACE_STREAM)
		return trial->stretches;
	/* Other connections would repeat a p99's calls, in a record several times as long. */
	return trial->p99_bytes && cell->asked_bytes <= trial->p99_bytes && !cell->connection &&
	               !cell->allocation
	           ? TRIAL_P99_CALLS
	           : trial->isolated_calls;
}

unsigned trial_turn_rows(const struct trial *trial, const struct cell *cell)
{
	const bool has = cell->pass == PASS_TIMED && cell->coll != COLL_INIT &&
	                 cell->asked_bytes >= trial->turns_from &&
	                 cell->asked_bytes <= trial->turns_to;
	return has ? (trial_rows(trial, cell) + TRIAL_TURNS - 1) / TRIAL_TURNS : 0;
}

int trial_late(const struct trial *trial, const struct cell *cell, struct status *st)
{
	bool timed = cell->pass == PASS_TIMED;
	return status_set(st, "a cell took longer than cell_timeout = %us: %s, %zu bytes, %s%s%s",
	                  trial->cell_timeout_s, coll_info(cell->coll)->name, cell->asked_bytes,
	                  coll_pace_name(cell->pace), timed ? "" : ", pass ",
	                  timed ? "" : coll_pass_name(cell->pass));
}

unsigned trial_device(const struct trial *trial, unsigned rank)
{
	const struct settings *set = &trial->settings;
	bool own = set->visible == VISIBLE_OWN || set->isolate & ISOLATE_BIT(ISOLATE_DEVICES);
	if (set->hosts[0])
		rank %= layout_ranks(settings_on_host(set));
	if (own)
		rank %= set->layout.threads * set->layout.ranks_per_thread;
	return rank / set->ranks_per_gpu;
}

unsigned trial_group(const struct trial *trial)
{
	return trial->settings.aggregate ? trial->settings.aggregate : 1;
}

/* Calls that a row issues itself, in a stream with so many in a group. */
static unsigned calls_issued(const struct cell *cell, unsigned calls, unsigned group)
{
	if (cell->coll == COLL_INIT)
		return 1;
	if (cell->pass == PASS_PATH || cell->pace != PACE_STREAM)
		return group ? group : 1;
	return calls;
}

unsigned trial_replays(const struct trial *trial, const struct cell *cell)
{
	const unsigned graph = trial->settings.graph;
	return graph && cell->pace == PACE_STREAM ? graph : 1;
}

unsigned trial_calls_of(const struct cell *cell, unsigned calls, unsigned aggregate, unsigned graph)
{
	return calls_issued(cell, calls, aggregate) *
	       (graph && cell->pace == PACE_STREAM ? graph : 1);
}

unsigned trial_calls(const struct trial *trial, const struct cell *cell)
{
	return trial_calls_of(cell, trial->calls, trial_group(trial), trial->settings.graph);
}

/* All calls that a cell issues on the buffers of its first prepare, except a counters pass. */
static size_t calls_all(const struct trial *trial, const struct cell *cell)
{
	size_t rows = trial->settings.graph ? 1 : trial_rows(trial, cell); /* replays repeat */
	const unsigned turn = trial_turn_rows(trial, cell);
	const unsigned warm_ups = turn ? 1 + (trial_rows(trial, cell) + turn - 1) / turn : 1;
	return 1 + (size_t)warm_ups * trial->warmup * trial_group(trial) +
	       rows * calls_issued(cell, trial->calls, trial_group(trial));
}

unsigned trial_slots(const struct trial *trial, const struct cell *cell)
{
	size_t all = calls_all(trial, cell);
	size_t bytes = trial_whole(&trial->network, trial_comm_ranks(trial), cell).bytes;
	size_t fit = bytes ? trial->arena_bytes / bytes : 1;
	size_t slots = fit < all ? fit : all;
	if (slots > UINT_MAX)
		return UINT_MAX;
	return slots ? (unsigned)slots : 1;
}

struct cell trial_whole(const struct network *network, unsigned nranks, const struct cell *cell)
{
	struct cell whole = *cell;
	if (coll_info(cell->coll)->is & COLL_TRAINS && network->n)
		whole.bytes = network_sums(network).elements * coll_dtype_bytes(cell->dtype);
	if (coll_info(cell->coll)->is & COLL_ROUTED)
		whole.bytes = coll_routed_bytes(cell, nranks);
	return whole;
}

struct buckets trial_buckets(const struct trial *trial, const struct cell *cell)
{
	size_t element = coll_dtype_bytes(cell->dtype);
	return buckets_of(&trial->network,
	                  trial_whole(&trial->network, trial_comm_ranks(trial), cell).bytes /
	                      element,
	                  element, trial->settings.first_bucket, cell->bytes);
}

bool trial_spoils(const struct trial *trial, const struct cell *cell)
{
	return cell->in_place && (coll_info(cell->coll)->is & COLL_REDUCES) &&
	       (cell->pass == PASS_COUNTERS || trial->settings.graph ||
	        trial_slots(trial, cell) < calls_all(trial, cell));
}

/* --- what a cell is, in the record --- */

#define CELL(FIELD) offsetof(struct cell, FIELD), 0

// clang-format off
/* Older records lack the optional ones. */
static const struct field cell_rows[] = {
    {"comm_ranks", FIELD_NUMBER, CELL(comm_ranks), .lo = 1, .hi = INT_MAX, .optional = true, .record = true},
    {"collective", FIELD_WORD, CELL(coll), .word = coll_name, .record = true},
    {"asked_bytes", FIELD_WIDE, CELL(asked_bytes), .lo = 1, .hi = INT64_MAX, .record = true},
    {"bytes", FIELD_WIDE, CELL(bytes), .lo = 1, .hi = INT64_MAX, .record = true},
    {"dtype", FIELD_WORD, CELL(dtype), .words = coll_dtype_names, .record = true},
    {"op", FIELD_WORD, CELL(op), .words = coll_op_names, .record = true},
    {"root", FIELD_NUMBER, CELL(root), .hi = INT_MAX, .record = true},
    {"in_place", FIELD_FLAG, CELL(in_place), .record = true},
    {"cycle", FIELD_NUMBER, CELL(cycle), .hi = INT_MAX, .optional = true, .record = true},
    {"connection", FIELD_NUMBER, CELL(connection), .hi = INT_MAX, .optional = true, .record = true},
    {"allocation", FIELD_NUMBER, CELL(allocation), .hi = INT_MAX, .optional = true, .record = true},
    {"pace", FIELD_WORD, CELL(pace), .words = coll_pace_names, .record = true},
    {"pass", FIELD_WORD, CELL(pass), .words = coll_pass_names, .optional = true, .record = true},
};
// clang-format on

const struct fields trial_cell_fields = FIELDS_OF(cell_rows, struct cell);

/* --- the order's file: the trial as it is in memory, for the same program --- */

struct order {
	char program[64];
	size_t bytes; /* of this and all cells */
	struct trial trial;
	struct cell cells[];
};

int trial_save(const struct trial *trial, const char *file, struct status *st)
{
	const struct order head = {.program = LAUNCHGAP_COMMIT,
	                           .bytes = sizeof head + trial->ncells * sizeof *head.cells,
	                           .trial = *trial};
	FILE *f = fopen(file, "we");
	const bool wrote =
	    f && fwrite(&head, sizeof head, 1, f) == 1 &&
	    fwrite(trial->cells, sizeof *trial->cells, trial->ncells, f) == trial->ncells;
	if ((f && fclose(f)) || !wrote)
		return status_set(st, "%s: cannot be written: %s", file, strerror(errno));
	return 0;
}

void *trial_read(const char *file, size_t *bytes, struct status *st)
{
	struct stat about;
	FILE *f = fopen(file, "re");
	void *order = f && !fstat(fileno(f), &about) ? malloc((size_t)about.st_size + 1) : NULL;
	*bytes = order ? fread(order, 1, (size_t)about.st_size, f) : 0;
	if (!*bytes) {
		status_set(st, "%s: cannot be read: %s", file, strerror(errno));
		free(order);
		order = NULL;
	}
	if (f)
		fclose(f);
	return order;
}

int trial_take(const void *from, size_t bytes, const char *file, struct trial **out,
               struct status *st)
{
	const struct order *order = from;
	if (bytes < sizeof *order || order->bytes != bytes ||
	    bytes != sizeof *order + order->trial.ncells * sizeof *order->cells ||
	    strcmp(order->program, LAUNCHGAP_COMMIT) != 0)
		return status_set(st, "%s: not a trial's order: do all run the same launchgap?",
		                  file);
	struct trial *trial = memory_take(1, sizeof *trial);
	struct cell *cells = memory_take(1, bytes);
	*trial = order->trial;
	trial->cells = memcpy(cells, order->cells, trial->ncells * sizeof *cells);
	trial->places = NULL;
	*out = trial;
	return 0;
}

int trial_load(const char *file, struct trial **out, struct status *st)
{
	size_t bytes;
	void *order = trial_read(file, &bytes, st);
	const int rc = order ? trial_take(order, bytes, file, out, st) : -1;
	free(order);
	return rc;
}

void trial_free(struct trial *trial)
{
	if (!trial)
		return;
	free(trial->cells);
	free(trial->places);
	free(trial);
}
