/* Reading one cell of the record. */
#include "record_parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HOST_FIELDS 4 /* of the host's clock; the device's follow, where it has one */
static const char *const stamp_fields[] = {"start_ns", "issued_ns",       "idle_ns",
                                           "poll_ns",  "device_start_ns", "device_end_ns"};
#define ALL_FIELDS 6

static int64_t *stamp_of(struct sample *s, unsigned field)
{
	int64_t *const stamps[] = {&s->start_ns, &s->issued_ns,       &s->idle_ns,
	                           &s->poll_ns,  &s->device_start_ns, &s->device_end_ns};
	return stamps[field];
}

/* One rank's list of one stamp. */
static int take_stamps(const struct field_place *at, const json_t *list, unsigned field,
                       struct record_cell *cell, unsigned rank)
{
	const char *key = stamp_fields[field];
	if (!json_is_array(list) || json_array_size(list) != cell->rows)
		return field_bad(
		    at, "\"%s\" of rank %u has not the %u rows that rank 0's start has", key,
		    rank, cell->rows);
	for (unsigned i = 0; i < cell->rows; i++) {
		const json_t *value = json_array_get(list, i);
		if (!json_is_integer(value) ||
		    (field < HOST_FIELDS && json_integer_value(value) < 0))
			return field_bad(at, "\"%s\" of rank %u, row %u is no time", key, rank,
			                 i);
		*stamp_of(&cell->samples[(size_t)rank * cell->rows + i], field) =
		    json_integer_value(value);
	}
	return 0;
}

static int check_order(const struct field_place *at, const struct record_cell *cell)
{
	for (unsigned r = 0; r < cell->nranks; r++)
		for (unsigned i = 0; i < cell->rows; i++) {
			const struct sample *s = &cell->samples[(size_t)r * cell->rows + i];
			if (s->issued_ns < s->start_ns || s->idle_ns < s->issued_ns ||
			    s->device_end_ns < s->device_start_ns)
				return field_bad(
				    at, "rank %u, row %u: its stamps are not in order", r, i);
		}
	return 0;
}

/* null or nothing: the backend has no clock of its own. */
static bool has_device(const json_t *line)
{
	return json_array_size(json_object_get(line, "device_start_ns")) ||
	       json_array_size(json_object_get(line, "device_end_ns"));
}

int record_take_samples(const struct field_place *at, json_t *line, struct record_cell *cell)
{
	size_t rows =
	    json_array_size(json_array_get(json_object_get(line, stamp_fields[0]), 0));
	if (rows == 0 || rows > INT_MAX)
		return field_bad(at, "\"start_ns\" is missing or holds no rows");
	cell->rows = (unsigned)rows;
	cell->device_clock = has_device(line);
	unsigned fields = cell->device_clock ? ALL_FIELDS : HOST_FIELDS;
	for (unsigned f = 0; f < fields; f++) {
		const json_t *ranks = json_object_get(line, stamp_fields[f]);
		if (!json_is_array(ranks) || json_array_size(ranks) != cell->nranks)
			return field_bad(
			    at, "\"%s\" is missing or has not one list for each of %u ranks",
			    stamp_fields[f], cell->nranks);
		if (!cell->samples)
			cell->samples = calloc(rows * cell->nranks, sizeof *cell->samples);
		if (!cell->samples)
			return field_bad(at, "out of memory for the samples");
		for (unsigned r = 0; r < cell->nranks; r++)
			if (take_stamps(at, json_array_get(ranks, r), f, cell, r))
				return -1;
	}
	for (unsigned f = 0; f < ALL_FIELDS; f++)
		json_object_del(line, stamp_fields[f]);
	return check_order(at, cell);
}

/* A list of one entry per rank, or nothing and null: false in *there. */
static int take_list(const struct field_place *at, const json_t *line, const char *key,
                     unsigned nranks, bool *there)
{
	const json_t *list = json_object_get(line, key);
	*there = list && !json_is_null(list);
	if (*there && (!json_is_array(list) || json_array_size(list) != nranks))
		return field_bad(at, "\"%s\" is no list with one entry per rank", key);
	return 0;
}

/* Lengths of time, one per rank; NULL where the line has none. The caller frees. */
static int take_times(const struct field_place *at, const json_t *line, const char *key,
                      unsigned nranks, int64_t **out)
{
	bool there;
	if (take_list(at, line, key, nranks, &there))
		return -1;
	if (!there)
		return 0;
	*out = calloc(nranks, sizeof **out);
	if (!*out)
		return field_bad(at, "out of memory for \"%s\"", key);
	for (unsigned r = 0; r < nranks; r++) {
		const json_t *ns = json_array_get(json_object_get(line, key), r);
		if (!json_is_integer(ns) || json_integer_value(ns) < 0)
			return field_bad(at, "\"%s\" holds something else than times", key);
		(*out)[r] = json_integer_value(ns);
	}
	return 0;
}

int record_take_evidence(const struct field_place *at, const json_t *line,
                         struct record_cell *cell)
{
	const json_t *digest = json_object_get(line, "digest");
	const char *text = json_string_value(digest);
	json_int_t wrong = 0;
	if (!text && !json_is_null(digest))
		return field_bad(at, "\"digest\" is missing; it is text or null");
	if (text && (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16))
		return field_bad(at, "\"digest\" is not 16 hex digits");
	if (text && field_number(at, line, "wrong", 0, LLONG_MAX, &wrong))
		return -1;
	if (field_sum(at, line, "faults", cell->nranks, &cell->faults) ||
	    field_sum(at, line, "switches", cell->nranks, &cell->switches) ||
	    take_times(at, line, "check_ns", cell->nranks, &cell->check_ns))
		return -1;
	cell->carries_data = text != NULL;
	cell->wrong = (uint64_t)wrong;
	if (text)
		strcpy(cell->digest, text);
	return 0;
}

int record_take_counters(const struct field_place *at, const json_t *line,
                         struct record_cell *cell)
{
	const json_t *list = json_object_get(line, "counters");
	struct status why = {""};
	bool there;
	if (take_times(at, line, "issue_cpu_ns", cell->nranks, &cell->issue_cpu_ns) ||
	    take_list(at, line, "counters", cell->nranks, &there))
		return -1;
	if (!there)
		return 0;
	cell->counters = calloc(cell->nranks, sizeof *cell->counters);
	if (!cell->counters)
		return field_bad(at, "out of memory for the counters");
	for (unsigned r = 0; r < cell->nranks; r++)
		if (counters_from_json(json_array_get(list, r), &cell->counters[r], &why))
			return field_bad(at, "rank %u: %s", r, why.text);
	return 0;
}

/* Which cell it is. */
int record_take_cell(const struct field_place *at, const json_t *line, struct record_cell *cell)
{
	json_int_t bytes, asked, ranks, comm = 0;
	int coll, dtype, op, pace, pass = PASS_TIMED;
	const json_t *in_place = json_object_get(line, "in_place");
	if (field_number(at, line, "ranks", 1, RECORD_MAX_RANKS, &ranks) ||
	    field_number(at, line, "bytes", 1, LLONG_MAX, &bytes) ||
	    field_number(at, line, "asked_bytes", 1, LLONG_MAX, &asked) ||
	    field_word(at, line, "collective", coll_find, &coll) ||
	    field_word(at, line, "dtype", coll_find_dtype, &dtype) ||
	    field_word(at, line, "op", coll_find_op, &op) ||
	    field_word(at, line, "pace", coll_find_pace, &pace) ||
	    (json_object_get(line, "pass") &&
	     field_word(at, line, "pass", coll_find_pass, &pass)) ||
	    field_count(at, line, "root", 0, &cell->cell.root) ||
	    (json_object_get(line, "cycle") &&
	     field_count(at, line, "cycle", 0, &cell->cell.cycle)) ||
	    field_count(at, line, "calls", 1, &cell->calls))
		return -1;
	if (json_object_get(line, "comm_ranks") &&
	    field_number(at, line, "comm_ranks", 1, ranks, &comm))
		return -1;
	if (!json_is_boolean(in_place))
		return field_bad(at, "\"in_place\" is missing or is neither true nor false");
	cell->nranks = (unsigned)ranks;
	cell->cell.comm_ranks = (unsigned)(comm ? comm : ranks);
	cell->cell.coll = (enum coll_kind)coll;
	cell->cell.dtype = (enum dtype)dtype;
	/* Earlier records name an operation of every collective. */
	cell->cell.op =
	    coll_info((enum coll_kind)coll)->is & COLL_REDUCES ? (enum op)op : OP_NONE;
	cell->cell.pace = (enum pace)pace;
	cell->cell.pass = (enum pass)pass;
	cell->cell.in_place = json_is_true(in_place);
	cell->cell.bytes = (size_t)bytes;
	cell->cell.asked_bytes = (size_t)asked;
	return 0;
}
