#include "trial.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "../coll/counts.h"

unsigned trial_comm_ranks(const struct trial *trial)
{
	return split_place(trial->settings.split, layout_ranks(trial->settings.layout), 0).size;
}

uint64_t trial_arena_elements(const struct trial *trial, enum dtype dtype)
{
	size_t element = coll_dtype_bytes(dtype);
	return (trial->arena_bytes + element - 1) / element;
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
	return cell->pace == PACE_STREAM ? trial->stretches : trial->isolated_calls;
}

int trial_late(const struct trial *trial, const struct cell *cell, struct status *st)
{
	bool timed = cell->pass == PASS_TIMED;
	return status_set(st,
	                  "a cell took longer than cell_timeout = %us: %s, %zu bytes, %s%s%s",
	                  trial->cell_timeout_s, coll_info(cell->coll)->name, cell->asked_bytes,
	                  coll_pace_name(cell->pace), timed ? "" : ", pass ",
	                  timed ? "" : coll_pass_name(cell->pass));
}

unsigned trial_device(const struct trial *trial, unsigned rank)
{
	const struct settings *set = &trial->settings;
	bool own = set->visible == VISIBLE_OWN || set->isolate & ISOLATE_BIT(ISOLATE_DEVICES);
	if (own)
		rank %= set->layout.threads * set->layout.ranks_per_thread;
	return rank / set->ranks_per_gpu;
}

unsigned trial_group(const struct trial *trial)
{
	return trial->settings.aggregate ? trial->settings.aggregate : 1;
}

/* Calls that a row issues itself, of streams with so many in a group. */
static unsigned calls_issued(const struct cell *cell, unsigned calls, unsigned group)
{
	if (cell->coll == COLL_INIT)
		return 1;
	if (cell->pass == PASS_PATH || cell->pace != PACE_STREAM)
		return group ? group : 1;
	return calls;
}

static unsigned replays_of(const struct cell *cell, unsigned graph)
{
	return graph && cell->pace == PACE_STREAM ? graph : 1;
}

unsigned trial_replays(const struct trial *trial, const struct cell *cell)
{
	return replays_of(cell, trial->settings.graph);
}

unsigned trial_calls_of(const struct cell *cell, unsigned calls, unsigned aggregate,
                        unsigned graph)
{
	return calls_issued(cell, calls, aggregate) * replays_of(cell, graph);
}

unsigned trial_calls(const struct trial *trial, const struct cell *cell)
{
	return trial_calls_of(cell, trial->calls, trial_group(trial), trial->settings.graph);
}

/* All calls that a cell issues on the buffers of its first prepare, a counters pass aside. */
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
		whole.bytes = network_elements(network) * coll_dtype_bytes(cell->dtype);
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

static json_t *cell_pack(const struct cell *c)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:I}",
	                 "collective", coll_info(c->coll)->name, "dtype",
	                 coll_dtype_name(c->dtype), "op", coll_op_name(c->op), "pace",
	                 coll_pace_name(c->pace), "pass", coll_pass_name(c->pass), "in_place",
	                 (int)c->in_place, "root", (int)c->root, "cycle", (int)c->cycle,
	                 "connection", (int)c->connection, "allocation", (int)c->allocation,
	                 "extra_ns", (json_int_t)c->extra_ns, "asked_bytes",
	                 (json_int_t)c->asked_bytes, "bytes", (json_int_t)c->bytes);
}

static json_t *trial_pack(const struct trial *t)
{
	json_t *cells = json_array();
	for (unsigned i = 0; cells && i < t->ncells; i++) {
		if (json_array_append_new(cells, cell_pack(&t->cells[i]))) {
			json_decref(cells);
			return NULL;
		}
	}
	/* jansson has no unsigned integers: a seed goes through its signed twin and back. */
	return json_pack(
	    "{s:s, s:s, s:i, s:i, s:o, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:o, s:o, s:i, s:o}",
	    "experiment", t->experiment, "variant", t->variant, "block", (int)t->block, "order",
	    (int)t->order, "settings", settings_to_json(&t->settings), "yield", (int)t->yield,
	    "warmup", (int)t->warmup, "stretches", (int)t->stretches, "calls", (int)t->calls,
	    "isolated_calls", (int)t->isolated_calls, "arena_bytes", (json_int_t)t->arena_bytes,
	    "seed", (json_int_t)t->seed, "weights", counts_to_json(&t->weights), "model",
	    network_to_json(&t->network), "cell_timeout_s", (int)t->cell_timeout_s, "cells",
	    cells);
}

int trial_save(const struct trial *trial, const char *file, struct status *st)
{
	json_t *json = trial_pack(trial);
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

/* What jansson borrowed, checked and copied in the next step. */
struct reading {
	const char *file;
	struct status *st;
};

static int reading_fail(const struct reading *r, const char *what)
{
	return status_set(r->st, "%s: not a trial's order: %s", r->file, what);
}

static int text_copy(const struct reading *r, const char *text, char *out, size_t bytes)
{
	if (strlen(text) >= bytes)
		return reading_fail(r, "a text is too long");
	strcpy(out, text);
	return 0;
}

static int settings_unpack(const struct reading *r, json_t *json, struct settings *s)
{
	struct status why = {""};
	return settings_from_json(json, s, &why) ? reading_fail(r, why.text) : 0;
}

static int weights_unpack(const struct reading *r, const json_t *json, struct value_weights *w)
{
	struct status why = {""};
	return counts_from_json(json, w, &why) ? reading_fail(r, why.text) : 0;
}

static int network_unpack(const struct reading *r, const json_t *json, struct network *m)
{
	struct status why = {""};
	return network_from_json(json, m, &why) ? reading_fail(r, why.text) : 0;
}

static int cell_unpack(const struct reading *r, json_t *json, struct cell *c)
{
	const char *coll, *dtype, *op, *pace, *pass;
	int in_place, root, cycle, connection, allocation;
	json_int_t extra_ns, asked, bytes;
	json_error_t error;
	if (json_unpack_ex(json, &error, JSON_STRICT,
	                   "{s:s, s:s, s:s, s:s, s:s, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:I}",
	                   "collective", &coll, "dtype", &dtype, "op", &op, "pace", &pace,
	                   "pass", &pass, "in_place", &in_place, "root", &root, "cycle", &cycle,
	                   "connection", &connection, "allocation", &allocation, "extra_ns",
	                   &extra_ns, "asked_bytes", &asked, "bytes", &bytes))
		return reading_fail(r, error.text);
	if (coll_find(coll) < 0 || coll_find_dtype(dtype) < 0 || coll_find_op(op) < 0 ||
	    coll_find_pace(pace) < 0 || coll_find_pass(pass) < 0)
		return reading_fail(r,
		                    "a cell's collective, dtype, op, pace or pass is unknown");
	if (root < 0 || cycle < 0 || connection < 0 || allocation < 0 || extra_ns < 0 ||
	    asked < 1 || bytes < 1)
		return reading_fail(
		    r, "a cell's root, cycle, place, delay or size is not possible");
	*c = (struct cell){
	    .coll = (enum coll_kind)coll_find(coll),
	    .dtype = (enum dtype)coll_find_dtype(dtype),
	    .op = (enum op)coll_find_op(op),
	    .pace = (enum pace)coll_find_pace(pace),
	    .pass = (enum pass)coll_find_pass(pass),
	    .in_place = in_place,
	    .root = (unsigned)root,
	    .cycle = (unsigned)cycle,
	    .connection = (unsigned)connection,
	    .allocation = (unsigned)allocation,
	    .extra_ns = extra_ns,
	    .asked_bytes = (size_t)asked,
	    .bytes = (size_t)bytes,
	};
	return 0;
}

static int cells_unpack(const struct reading *r, json_t *json, struct trial *t)
{
	if (!json_is_array(json) || json_array_size(json) == 0)
		return reading_fail(r, "cells is no list, or empty");
	t->cells = calloc(json_array_size(json), sizeof t->cells[0]);
	if (!t->cells)
		return reading_fail(r, "out of memory");
	t->ncells = (unsigned)json_array_size(json);
	for (unsigned i = 0; i < t->ncells; i++)
		if (cell_unpack(r, json_array_get(json, i), &t->cells[i]))
			return -1;
	for (unsigned i = 0; i < t->ncells; i++)
		if (trial_whole(&t->network, trial_comm_ranks(t), &t->cells[i]).bytes >
		    t->arena_bytes)
			return reading_fail(r, "a cell is larger than the arena");
	return 0;
}

static int trial_unpack(const struct reading *r, json_t *json, struct trial *t)
{
	const char *experiment, *variant;
	int block, order, yield, warmup, stretches, calls, isolated_calls, cell_timeout_s;
	json_int_t arena_bytes, seed;
	json_t *settings, *weights, *model, *cells;
	json_error_t error;
	if (json_unpack_ex(json, &error, JSON_STRICT,
	                   "{s:s, s:s, s:i, s:i, s:o, s:b, s:i, s:i, s:i, s:i, s:I, s:I, s:o, "
	                   "s:o, s:i, s:o}",
	                   "experiment", &experiment, "variant", &variant, "block", &block,
	                   "order", &order, "settings", &settings, "yield", &yield, "warmup",
	                   &warmup, "stretches", &stretches, "calls", &calls, "isolated_calls",
	                   &isolated_calls, "arena_bytes", &arena_bytes, "seed", &seed,
	                   "weights", &weights, "model", &model, "cell_timeout_s",
	                   &cell_timeout_s, "cells", &cells))
		return reading_fail(r, error.text);
	if (block < 0 || order < 0 || warmup < 0 || stretches < 1 || calls < 1 ||
	    isolated_calls < 1 || arena_bytes < 1 || cell_timeout_s < 0)
		return reading_fail(r, "a number is out of range");
	t->block = (unsigned)block;
	t->order = (unsigned)order;
	t->yield = yield;
	t->warmup = (unsigned)warmup;
	t->stretches = (unsigned)stretches;
	t->calls = (unsigned)calls;
	t->isolated_calls = (unsigned)isolated_calls;
	t->arena_bytes = (size_t)arena_bytes;
	t->seed = (uint64_t)seed;
	t->cell_timeout_s = (unsigned)cell_timeout_s;
	if (text_copy(r, experiment, t->experiment, sizeof t->experiment) ||
	    text_copy(r, variant, t->variant, sizeof t->variant) ||
	    settings_unpack(r, settings, &t->settings) ||
	    weights_unpack(r, weights, &t->weights) || network_unpack(r, model, &t->network))
		return -1;
	return cells_unpack(r, cells, t);
}

int trial_load(const char *file, struct trial **out, struct status *st)
{
	const struct reading r = {file, st};
	json_error_t error;
	json_t *json = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	if (!json)
		return status_set(st, "%s: cannot be read: %s", file, error.text);
	struct trial *trial = calloc(1, sizeof *trial);
	int rc = trial ? trial_unpack(&r, json, trial) : status_set(st, "out of memory");
	json_decref(json);
	if (rc) {
		trial_free(trial);
		return -1;
	}
	*out = trial;
	return 0;
}

void trial_free(struct trial *trial)
{
	if (!trial)
		return;
	free(trial->cells);
	free(trial->places);
	free(trial);
}
