#include "trial.h"

#include <errno.h>
#include <jansson.h>

#include "../coll/counts.h"

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
	/* Other connections would only repeat a p99's calls, and make the record several times as long. */
	return trial->p99_bytes && cell->asked_bytes <= trial->p99_bytes && !cell->connection &&
	               !cell->allocation
	           ? TRIAL_P99_CALLS
	           : trial->isolated_calls;
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
	return 1 + (size_t)trial->warmup * trial_group(trial) +
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

/* --- the order's file --- */

#define TRIAL(FIELD) offsetof(struct trial, FIELD), sizeof(((struct trial *)0)->FIELD)
#define CELL(FIELD)  offsetof(struct cell, FIELD), 0

// clang-format off
/* The record has all, older ones without the optional; an order all but the first. */
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

const struct fields trial_cell_fields = FIELDS_OF(cell_rows, struct cell);
#define NORDERED (sizeof cell_rows / sizeof *cell_rows - 1)
static const struct fields ordered = {cell_rows + 1, NORDERED, sizeof(struct cell)};

static const struct field order_rows[] = {
    {"experiment", FIELD_TEXT, TRIAL(experiment), .record = true},
    {"variant", FIELD_TEXT, TRIAL(variant), .record = true},
    {"block", FIELD_NUMBER, TRIAL(block), .record = true},
    {"order", FIELD_NUMBER, TRIAL(order), .record = true},
    {"yield", FIELD_FLAG, TRIAL(yield), .record = true},
    {"warmup", FIELD_NUMBER, TRIAL(warmup), .record = true},
    {"stretches", FIELD_NUMBER, TRIAL(stretches), .lo = 1, .hi = INT_MAX, .record = true},
    {"calls", FIELD_NUMBER, TRIAL(calls), .lo = 1, .hi = INT_MAX, .record = true},
    {"isolated_calls", FIELD_NUMBER, TRIAL(isolated_calls), .lo = 1, .hi = INT_MAX, .record = true},
    {"p99_bytes", FIELD_WIDE, TRIAL(p99_bytes), .hi = INT64_MAX, .record = true},
    {"arena_bytes", FIELD_WIDE, TRIAL(arena_bytes), .lo = 1, .hi = INT64_MAX, .record = true},
    {"seed", FIELD_WIDE, TRIAL(seed), .record = true},
    {"cell_timeout_s", FIELD_NUMBER, TRIAL(cell_timeout_s), .record = true},
    {"cells", FIELD_LIST, offsetof(struct trial, cells), offsetof(struct trial, ncells), .list = &ordered, .record = true},
};
// clang-format on

static const struct fields orders = FIELDS_OF(order_rows, struct trial);

#define NPARTS 3 /* of an order beside its rows: settings, weights, model */

static json_t *trial_json(const struct trial *t)
{
	json_t *json = field_object(&orders, t);
	int bad = json_object_set_new(json, "settings", settings_to_json(&t->settings)) |
	          json_object_set_new(json, "weights", counts_to_json(&t->weights)) |
	          json_object_set_new(json, "model", network_to_json(&t->network));
	if (!bad)
		return json;
	json_decref(json);
	return NULL;
}

int trial_save(const struct trial *trial, const char *file, struct status *st)
{
	json_t *json = trial_json(trial);
	if (!json)
		return status_set(
		    st,
		    "%s: the trial cannot be written: text that is not UTF-8, or out of "
		    "memory",
		    file);
	errno = 0;
	int rc = json_dump_file(json, file, JSON_INDENT(1));
	if (rc)
		status_set(st, "%s: cannot be written: %s", file, strerror(errno));
	json_decref(json);
	return rc ? -1 : 0;
}

static int cells_check(const json_t *list, const struct trial *t, struct status *st)
{
	if (!t->ncells)
		return status_set(st, "cells is an empty list");
	for (unsigned i = 0; i < t->ncells; i++) {
		if (json_object_size(json_array_get(list, i)) != NORDERED)
			return status_set(st, "a cell has not %zu members", NORDERED);
		if (trial_whole(&t->network, trial_comm_ranks(t), &t->cells[i]).bytes >
		    t->arena_bytes)
			return status_set(st, "a cell is larger than the arena");
	}
	return 0;
}

static int trial_take(json_t *json, struct trial *t, struct status *st)
{
	if (json_object_size(json) != orders.n + NPARTS)
		return status_set(st, "it has %zu members, not %zu", json_object_size(json),
		                  orders.n + NPARTS);
	return field_object_take(&orders, json, t, st) ||
	               settings_from_json(json_object_get(json, "settings"), &t->settings, st) ||
	               counts_from_json(json_object_get(json, "weights"), &t->weights, st) ||
	               network_from_json(json_object_get(json, "model"), &t->network, st) ||
	               cells_check(json_object_get(json, "cells"), t, st)
	           ? -1
	           : 0;
}

/* Takes the reference. */
static int trial_of(json_t *json, const json_error_t *error, const char *file, struct trial **out,
                    struct status *st)
{
	struct status why = {""};
	if (!json)
		return status_set(st, "%s: cannot be read: %s", file, error->text);
	struct trial *trial = calloc(1, sizeof *trial);
	int rc = trial ? trial_take(json, trial, &why) : status_set(&why, "out of memory");
	json_decref(json);
	if (rc) {
		trial_free(trial);
		return status_set(st, "%s: not a trial's order: %s", file, why.text);
	}
	*out = trial;
	return 0;
}

int trial_load(const char *file, struct trial **out, struct status *st)
{
	json_error_t error;
	return trial_of(json_load_file(file, JSON_REJECT_DUPLICATES, &error), &error, file, out,
	                st);
}

int trial_parse(const char *text, const char *file, struct trial **out, struct status *st)
{
	json_error_t error;
	return trial_of(json_loads(text, JSON_REJECT_DUPLICATES, &error), &error, file, out, st);
}

void trial_free(struct trial *trial)
{
	if (!trial)
		return;
	free(trial->cells);
	free(trial->places);
	free(trial);
}
