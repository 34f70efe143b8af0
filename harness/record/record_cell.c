#include "record_cell.h"
#include "../memory.h"

#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../core/team.h"
#include "../trial/field.h"
#include "../trial/hosts.h"
#include "member.h"
#include "order.h"

#define SAME_ROWS 8 /* so many rows of ranks with the same stamps are no accident */

// clang-format off
static const struct member members[] = {
    {"ranks", JSON_INTEGER, 1, .hi = RECORD_MAX_RANKS}, MEMBER_COUNT("calls", 1), {"error", JSON_STRING, .null = true},
    {"spent", JSON_OBJECT, .optional = true}, MEMBER_END};
static const struct member of_measured[] = {{"wrong", JSON_INTEGER, 0, LLONG_MAX, .null = true}, MEMBER_END};
#define PHASE(KEY) {KEY, JSON_INTEGER, 0, RECORD_MOST_NS, .optional = true} /* as enum spent_phase */
static const struct member of_spent[] = {
    {"from_ns", JSON_INTEGER, 0, .hi = RECORD_MOST_NS}, PHASE("connect_ns"), PHASE("prepare_ns"), PHASE("warm_up_ns"), PHASE("calls_ns"),
    PHASE("counters_ns"), PHASE("timeline_ns"), PHASE("check_ns"), MEMBER_END};
// clang-format on

/* --- which cell it is --- */

static int take_which(const struct member_place *at, const json_t *line, struct record_cell *cell)
{
	struct status why = {""};
	cell->nranks = (unsigned)member_number(line, "ranks");
	cell->calls = (unsigned)member_number(line, "calls");
	cell->cell.comm_ranks = cell->nranks;
	if (field_object_take(&trial_cell_fields, line, &cell->cell, &why))
		return member_bad(at, "%s", why.text);
	if (cell->cell.comm_ranks > cell->nranks)
		return member_bad(at, "\"comm_ranks\" is %u, allowed are 1 to %u",
		                  cell->cell.comm_ranks, cell->nranks);
	if (coll_info(cell->cell.coll)->is & COLL_PAIRS &&
	    (cell->cell.comm_ranks < 2 || !coll_is_pair(cell->cell.root, cell->cell.comm_ranks)))
		return member_bad(at, "\"root\" is %u, which is no pair of %u ranks",
		                  cell->cell.root, cell->cell.comm_ranks);
	/* Earlier records name an operation of every collective. */
	if (!(coll_info(cell->cell.coll)->is & COLL_REDUCES))
		cell->cell.op = OP_NONE;
	return 0;
}

static void put_which(json_t *line, const struct trial *trial, const struct cell *cell)
{
	const struct settings *set = &trial->settings;
	struct cell full = *cell;
	char layout[48];
	full.comm_ranks = trial_comm_ranks(trial);
	snprintf(layout, sizeof layout, "%ux%ux%u", set->layout.processes, set->layout.threads,
	         set->layout.ranks_per_thread);
	json_object_set_new(line, "mode", json_string(set->mode));
	json_object_set_new(line, "layout", json_string(layout));
	json_object_set_new(line, "backend", json_string(set->backend));
	json_object_set_new(line, "ranks", json_integer(layout_ranks(set->layout)));
	json_object_update_new(line, field_object(&trial_cell_fields, &full));
	json_object_set_new(line, "calls", json_integer(trial_calls(trial, cell)));
	json_object_set_new(line, "warmup", json_integer(trial->warmup));
}

/* --- the result of checking its data --- */

struct found {
	uint64_t wrong;
	const struct tally *first; /* the first with an error; NULL: none */
	unsigned first_rank;
	bool measured, carries_data;
};

static struct found find_data(const struct trial *trial, void *area, unsigned cell)
{
	struct found f = {.measured = true};
	for (unsigned r = 0; r < layout_ranks(trial->settings.layout); r++) {
		const struct tally *t = sample_tally(trial, area, cell, r);
		f.measured = f.measured && t->measured;
		f.carries_data = f.carries_data || t->checked;
		if (t->wrong && !f.first) {
			f.first = t;
			f.first_rank = r;
		}
		f.wrong += t->wrong;
	}
	return f;
}

static json_t *wrong_json(const struct cell *cell, const struct found *f)
{
	char expected[24], got[24];
	size_t bytes = coll_dtype_bytes(cell->dtype);
	const struct tally *t = f->first;
	snprintf(expected, sizeof expected, "0x%0*" PRIx64, 2 * (int)bytes, t->expected);
	snprintf(got, sizeof got, "0x%0*" PRIx64, 2 * (int)bytes, t->got);
	return json_pack("{s:i, s:I, s:I, s:s, s:s}", "rank", (int)f->first_rank, "element",
	                 (json_int_t)t->wrong_at, "byte", (json_int_t)(t->wrong_at * bytes),
	                 "expected", expected, "got", got);
}

/* --- one number per rank, fields of struct tally --- */

#define IN(MEMBER) offsetof(struct tally, MEMBER)
#define TO(MEMBER) offsetof(struct record_cell, MEMBER)
// clang-format off
static const struct tally_field {
	const char *key;
	size_t in, to;
	enum { SUM, TIMES, UNREAD } use; /* read as their sum; as a list that may be missing; for people alone */
	bool counters;                   /* of that pass alone */
} tally_fields[] = {
    {"faults",       IN(faults),       TO(faults),       SUM,    false},
    {"switches",     IN(switches),     TO(switches),     SUM,    false},
    {"off_core_ns",  IN(off_core_ns),  TO(off_core_ns),  TIMES,  false},
    {"first_ns",     IN(first_ns),     0,                UNREAD, false},
    {"check_ns",     IN(check_ns),     TO(check_ns),     TIMES,  false},
    {"issue_cpu_ns", IN(issue_cpu_ns), TO(issue_cpu_ns), TIMES,  true},
};
// clang-format on
#undef IN
#undef TO
#define NTALLY_FIELDS (sizeof tally_fields / sizeof *tally_fields)

static void put_tallies(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	bool counters = trial->cells[cell].pass == PASS_COUNTERS;
	for (size_t i = 0; i < NTALLY_FIELDS; i++) {
		const struct tally_field *f = &tally_fields[i];
		json_t *list = json_array();
		for (unsigned r = 0; r < layout_ranks(trial->settings.layout); r++) {
			const struct tally *t = sample_tally(trial, area, cell, r);
			int64_t value;
			memcpy(&value, (const char *)t + f->in, sizeof value);
			json_array_append_new(list, json_integer(value));
		}
		if (counters || !f->counters)
			json_object_set(line, f->key, list);
		json_decref(list);
	}
}

/* A list of one entry per rank, or nothing and null: then NULL in *out. */
static int take_list(const struct member_place *at, const json_t *line, const char *key,
                     unsigned nranks, const json_t **out)
{
	const json_t *list = json_object_get(line, key);
	*out = list && !json_is_null(list) ? list : NULL;
	return *out && json_array_size(list) != nranks
	           ? member_bad(at, "\"%s\" has not one number per rank", key)
	           : 0;
}

static int take_tally(const struct member_place *at, const json_t *line,
                      const struct tally_field *f, struct record_cell *cell)
{
	void *to = (char *)cell + f->to;
	const json_t *list, *each;
	int64_t *times;
	uint64_t sum = 0;
	size_t r;
	if (f->use == UNREAD || take_list(at, line, f->key, cell->nranks, &list))
		return f->use == UNREAD ? 0 : -1;
	if (!list)
		return f->use == SUM ? member_bad(at, "\"%s\" is missing", f->key) : 0;
	times = memory_take(cell->nranks, sizeof *times);
	json_array_foreach(list, r, each)
	{
		times[r] = json_is_integer(each) ? json_integer_value(each) : -1;
		if (times[r] < 0) {
			free(times);
			return member_bad(at, "\"%s\" holds something else than counts", f->key);
		}
		sum += (uint64_t)times[r];
	}
	if (f->use == SUM)
		free(times);
	memcpy(to, f->use == SUM ? (void *)&sum : &times, sizeof sum);
	return 0;
}

/* --- how long its phases took, by the first rank's worker --- */

static void put_spent(json_t *line, const struct spent *spent)
{
	json_t *out = json_pack("{s:I}", "from_ns", (json_int_t)spent->from_ns);
	for (unsigned i = 0; i < SPENT_PHASES; i++)
		if (spent->ns[i])
			json_object_set_new(out, of_spent[1 + i].key, json_integer(spent->ns[i]));
	if (spent->from_ns)
		json_object_set(line, "spent", out);
	json_decref(out);
}

static int take_spent(const struct member_place *at, const json_t *line, struct spent *out)
{
	const json_t *of = json_object_get(line, "spent");
	const int64_t first_ns =
	    json_integer_value(json_array_get(json_object_get(line, "first_ns"), 0));
	*out = (struct spent){0};
	if (of && member_check(at, of, of_spent))
		return -1;
	out->from_ns = member_number(of, "from_ns");
	for (unsigned i = 0; i < SPENT_PHASES; i++)
		out->ns[i] = member_number(of, of_spent[1 + i].key);
	/* Libraries connect at a cell's first call, with which its warming up begins. */
	if (of && first_ns >= 0 && first_ns <= out->ns[SPENT_WARM_UP]) {
		out->ns[SPENT_CONNECT] += first_ns;
		out->ns[SPENT_WARM_UP] -= first_ns;
	}
	return 0;
}

/* --- the raw stamps, fields of struct sample --- */

#define AT(MEMBER) offsetof(struct sample, MEMBER)
// clang-format off
static const struct stamp {
	const char *key;
	size_t at;
	bool since_begin; /* recorded less the cell's begin */
	bool device;      /* of the device's clock, if it has one; may be before the begin */
} stamps[] = {
    {"start_ns",        AT(start_ns),        true,  false},
    {"issued_ns",       AT(issued_ns),       true,  false},
    {"idle_ns",         AT(idle_ns),         true,  false},
    {"poll_ns",         AT(poll_ns),         false, false},
    {"device_start_ns", AT(device_start_ns), true,  true},
    {"device_end_ns",   AT(device_end_ns),   true,  true},
};
// clang-format on
#undef AT
#define NSTAMPS (sizeof stamps / sizeof *stamps)

static void put_stamps(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	bool device = sample_rows(trial, area, cell, 0)->device_end_ns != 0;
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	int64_t begin = sample_tally(trial, area, cell, 0)->begin_ns;
	for (const struct stamp *f = stamps; f < stamps + NSTAMPS; f++) {
		json_t *ranks = json_array();
		for (unsigned r = 0; r < nranks; r++) {
			const struct sample *s = sample_rows(trial, area, cell, r);
			json_t *list = json_array();
			for (unsigned row = 0; row < rows; row++) {
				int64_t value;
				memcpy(&value, (const char *)&s[row] + f->at, sizeof value);
				json_array_append_new(
				    list, json_integer(value - (f->since_begin ? begin : 0)));
			}
			json_array_append_new(ranks, list);
		}
		if (device || !f->device)
			json_object_set(line, f->key, ranks);
		json_decref(ranks);
	}
}

static int take_column(const struct member_place *at, const json_t *list, const struct stamp *f,
                       struct record_cell *cell, unsigned rank)
{
	if (!json_is_array(list) || json_array_size(list) != cell->rows)
		return member_bad(at,
		                  "\"%s\" of rank %u has not the %u rows that rank 0's start has",
		                  f->key, rank, cell->rows);
	for (unsigned row = 0; row < cell->rows; row++) {
		const json_t *value = json_array_get(list, row);
		const int64_t ns = json_is_integer(value) ? json_integer_value(value) : INT64_MAX;
		if ((!f->device && ns < 0) || !record_stamp_fits(ns))
			return member_bad(at, "\"%s\" of rank %u, row %u is no time", f->key, rank,
			                  row);
		memcpy((char *)&cell->samples[(size_t)rank * cell->rows + row] + f->at, &ns,
		       sizeof ns);
	}
	return 0;
}

static int take_stamp(const struct member_place *at, const json_t *ranks, const struct stamp *f,
                      struct record_cell *cell)
{
	if (json_array_size(ranks) != cell->nranks)
		return member_bad(at, "\"%s\" is missing or has not one list for each of %u ranks",
		                  f->key, cell->nranks);
	for (unsigned r = 0; r < cell->nranks; r++)
		if (take_column(at, json_array_get(ranks, r), f, cell, r))
			return -1;
	return 0;
}

static int check_order(const struct member_place *at, const struct record_cell *cell)
{
	for (unsigned r = 0; r < cell->nranks; r++)
		for (unsigned i = 0; i < cell->rows; i++) {
			const struct sample *s = &cell->samples[(size_t)r * cell->rows + i];
			if (s->issued_ns < s->start_ns || s->idle_ns < s->issued_ns ||
			    s->device_end_ns < s->device_start_ns)
				return member_bad(
				    at, "rank %u, row %u: its stamps are not in order", r, i);
		}
	return 0;
}

static int take_samples(const struct member_place *at, json_t *line, struct record_cell *cell)
{
	const size_t rows =
	    json_array_size(json_array_get(json_object_get(line, stamps[0].key), 0));
	if (rows == 0 || rows > INT_MAX)
		return member_bad(at, "\"%s\" is missing or holds no rows", stamps[0].key);
	cell->rows = (unsigned)rows;
	cell->samples = memory_take(rows * cell->nranks, sizeof *cell->samples);
	/* null or missing: the backend has no clock. */
	for (const struct stamp *f = stamps; f < stamps + NSTAMPS; f++)
		cell->device_clock |= f->device && json_array_size(json_object_get(line, f->key));
	for (const struct stamp *f = stamps; f < stamps + NSTAMPS; f++) {
		if ((!f->device || cell->device_clock) &&
		    take_stamp(at, json_object_get(line, f->key), f, cell))
			return -1;
		json_object_del(line, f->key);
	}
	return check_order(at, cell);
}

/* --- additional fields of a pass --- */

/* The error of the device's clock, converted to ours: nothing runs before it is issued or ends
 * after its end was observed. */
static void put_residual(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	unsigned nranks = layout_ranks(trial->settings.layout);
	unsigned rows = trial_rows(trial, &trial->cells[cell]);
	json_t *list = json_array();
	for (unsigned r = 0; r < nranks; r++) {
		const struct sample *s = sample_rows(trial, area, cell, r);
		int64_t worst = 0;
		for (unsigned i = 0; i < rows && s[i].device_end_ns; i++) {
			int64_t early = s[i].start_ns - s[i].device_start_ns;
			int64_t late = s[i].device_end_ns - s[i].idle_ns;
			worst = early > worst ? early : worst;
			worst = late > worst ? late : worst;
		}
		json_array_append_new(list, json_integer(worst));
	}
	json_object_set_new(line, "clock_residual_ns", list);
}

static void put_counters(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	json_t *list = json_array();
	for (unsigned r = 0; r < layout_ranks(trial->settings.layout); r++) {
		const struct tally *t = sample_tally(trial, area, cell, r);
		json_array_append_new(list,
		                      t->watched ? counters_to_json(&t->counters) : json_null());
	}
	json_object_set_new(line, "counters", list);
}

static int take_counters(const struct member_place *at, const json_t *line,
                         struct record_cell *cell)
{
	const json_t *list;
	struct status why = {""};
	if (take_list(at, line, "counters", cell->nranks, &list))
		return -1;
	if (!list)
		return 0;
	cell->counters = memory_take(cell->nranks, sizeof *cell->counters);
	for (unsigned r = 0; r < cell->nranks; r++) {
		const json_t *one = json_array_get(list, r);
		if (json_is_null(one)) { /* of a backend that has none */
			counters_clear(&cell->counters[r]);
			strcpy(cell->counters[r].missing, "the backend has no counters");
		} else if (counters_from_json(one, &cell->counters[r], &why)) {
			return member_bad(at, "rank %u: %s", r, why.text);
		}
	}
	return 0;
}

/* --- the hosts of a job on several --- */

// clang-format off
#define AT_HOST(MEMBER) offsetof(struct record_host, MEMBER)
#define REAL(KEY, MEMBER) {KEY, FIELD_SIGNED, .at = AT_HOST(MEMBER)}
#define COUNT(KEY, MEMBER) {KEY, FIELD_NUMBER, .at = AT_HOST(MEMBER), .hi = INT_MAX, .record = true}
#define SUM(KEY, MEMBER) {KEY, FIELD_WIDE, .at = AT_HOST(MEMBER), .hi = RECORD_MOST_NS, .record = true}
static const struct field host_fields[] = {
    REAL("clock_offset_ns", clock.offset_ns),
    REAL("clock_drift_ppm", clock.drift_ppm),
    REAL("clock_bound_ns", clock.bound_ns),
    REAL("clock_residual_ns", clock.residual_ns),
    REAL("round_trip_ns", clock.rtt_ns),
    COUNT("pings", clock.pings),
    COUNT("clock_steps", clock.steps),
    SUM("meets", meets.meets),
    SUM("late", meets.late),
    SUM("late_ns", meets.late_ns),
    SUM("margin_ns", meets.margin_ns),
};
static const struct fields of_hosts = FIELDS_OF(host_fields, struct record_host);
static const struct field hosts_row = {"hosts", FIELD_LIST, offsetof(struct record_cell, hosts), offsetof(struct record_cell, nhosts), .hi = HOSTS_MOST, .list = &of_hosts, .optional = true};
// clang-format on

json_t *record_hosts_json(const struct team *team)
{
	const unsigned hosts = team_shape(team)->nworkers / team_here(team);
	json_t *list = json_array();
	for (unsigned h = 0; list && h < hosts; h++) {
		struct record_host host;
		hosts_link_clock(team_hosts_link(team), h, &host.clock);
		hosts_link_meets(team_hosts_link(team), h, &host.meets);
		if (json_array_append_new(list, field_object(&of_hosts, &host)))
			list = (json_decref(list), NULL);
	}
	return list;
}

static int take_hosts(const struct member_place *at, const json_t *line, struct record_cell *cell)
{
	struct status why = {""};
	if (field_from_json(&hosts_row, json_object_get(line, "hosts"), cell, &why))
		return member_bad(at, "%s", why.text);
	return cell->nhosts == 1 ? member_bad(at, "\"hosts\" is no list of several hosts") : 0;
}

/* --- the whole --- */

json_t *record_text(const char *text, size_t bytes)
{
	json_t *string = json_stringn(text, bytes);
	if (string)
		return string;
	char *plain = memory_take(bytes + 1, 1);
	for (size_t i = 0; i < bytes; i++)
		plain[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	string = json_stringn(plain, bytes);
	free(plain);
	return string;
}

/* [[start, end], …] of each rank, in the order in which they ran. */
static void put_spans(json_t *line, const struct trial *trial, void *area, unsigned cell)
{
	const unsigned nranks = layout_ranks(trial->settings.layout);
	int64_t begin = sample_tally(trial, area, cell, 0)->begin_ns;
	for (unsigned lane = 0; lane < LANES && sample_spans(trial, area, cell, 0); lane++) {
		json_t *ranks = json_array();
		for (unsigned r = 0; r < nranks; r++) {
			const struct sample_spans *spans = sample_spans(trial, area, cell, r);
			json_t *list = json_array();
			for (unsigned i = 0; i < spans->n; i++)
				if (spans->of[i].lane == lane)
					json_array_append_new(
					    list,
					    json_pack("[I, I]",
					              (json_int_t)(spans->of[i].start_ns - begin),
					              (json_int_t)(spans->of[i].end_ns - begin)));
			json_array_append_new(ranks, list);
		}
		json_object_set_new(line, sample_lane_keys[lane], ranks);
	}
}

bool record_cell_put(json_t *line, const struct trial *trial, const char *failure, void *area,
                     const struct hosts_link *link, unsigned cell)
{
	const struct cell *c = &trial->cells[cell];
	struct found found = find_data(trial, area, cell);
	const char *error = NULL;
	if (!found.measured)
		error = failure ? failure : "not measured, and no rank said why";
	else
		error = order_wrong(trial, area, cell, link);
	put_which(line, trial, c);
	const bool data = found.measured && found.carries_data;
	json_object_set_new(line, "wrong",
	                    data ? json_integer((json_int_t)found.wrong) : json_null());
	json_object_set_new(line, "wrong_at",
	                    data && found.first ? wrong_json(c, &found) : json_null());
	put_tallies(line, trial, area, cell);
	put_spent(line, &sample_tally(trial, area, cell, 0)->spent);
	if (json_object_set_new(line, "error",
	                        error ? record_text(error, strlen(error)) : json_null()))
		return false;
	if (error)
		return true;
	put_stamps(line, trial, area, cell);
	if (c->pass == PASS_TIMELINE)
		put_residual(line, trial, area, cell);
	if (c->pass == PASS_COUNTERS)
		put_counters(line, trial, area, cell);
	put_spans(line, trial, area, cell);
	return true;
}

int record_cell_take(const struct member_place *at, json_t *line, struct record_cell *cell)
{
	if (member_check(at, line, members) || take_hosts(at, line, cell) ||
	    take_which(at, line, cell) || take_spent(at, line, &cell->spent))
		return -1;
	snprintf(cell->error, sizeof cell->error, "%s", member_or_empty(line, "error"));
	if (cell->error[0])
		return 0;
	if (member_check(at, line, of_measured))
		return -1;
	cell->carries_data = !json_is_null(json_object_get(line, "wrong"));
	cell->wrong = (uint64_t)member_number(line, "wrong");
	for (size_t i = 0; i < NTALLY_FIELDS; i++)
		if (take_tally(at, line, &tally_fields[i], cell))
			return -1;
	if (take_counters(at, line, cell) || take_samples(at, line, cell))
		return -1;
	const size_t rows = (size_t)cell->nranks * cell->rows;
	if (cell->spent.from_ns || rows >= SAME_ROWS)
		cell->stamps_sum = XXH3_64bits_withSeed(cell->samples, rows * sizeof *cell->samples,
		                                        (uint64_t)cell->spent.from_ns);
	cell->rows = stall_leave_out(cell->samples, cell->nranks, cell->rows, cell->off_core_ns,
	                             &cell->stall);
	return 0;
}
