#include "load.h"

#include <math.h>

#include "../analysis/cells.h"
#include "../trial/path.h"

/* Members of the line, and of objects in it: "machine.cpu". */
static void put_members(struct db *db, struct arena *arena, const char *before, const json_t *of)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)of, key, value)
	{
		const char *name = arena_text(arena, "%s%s", before, key);
		if (json_is_object(value) && !*before)
			put_members(db, arena, arena_text(arena, "%s.", name), value);
		else
			db_add(db, "environment", "tj", name, value);
	}
}

/* A setting as a file writes it. */
static const char *value_of(struct arena *arena, const struct field *field,
                            const struct settings *of)
{
	json_t *value = field_to_json(field, of);
	char *text = json_is_boolean(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
	const char *kept = json_is_boolean(value)  ? json_is_true(value) ? "yes" : "no"
	                   : json_is_string(value) ? json_string_value(value)
	                                           : text;
	kept = kept ? arena_copy(arena, kept) : NULL;
	free(text);
	json_decref(value);
	return kept;
}

static void put_settings(struct db *db, struct arena *arena, unsigned id, const struct settings *of)
{
	struct settings *usual = ARENA_NEW(arena, struct settings);
	settings_default(usual);
	for (const struct field *f = settings_fields.rows;
	     f < settings_fields.rows + settings_fields.n; f++)
		db_add(db, "setting", "ittt", id, f->help || !f->json ? f->key : f->json,
		       value_of(arena, f, of), value_of(arena, f, usual));
	for (unsigned i = 0; i < of->nenv; i++) {
		const size_t key = strcspn(of->env[i], "=");
		db_add(db, "setting", "ittt", id,
		       arena_text(arena, "env.%.*s", (int)key, of->env[i]), of->env[i] + key + 1,
		       (const char *)NULL);
	}
}

/* NULL of "". */
static const char *filled(const char *text)
{
	return *text ? text : NULL;
}

static void put_variant(struct db *db, struct arena *arena, const struct record_run *run,
                        unsigned id)
{
	const struct record_variant *v = &run->variants[id];
	const struct layout layout = v->settings.layout;
	const struct backend_traits *traits = record_traits(run, v->name);
	db_add(db, "variant", "ittttiiittit", id, v->name, v->role, v->mode, v->layout,
	       layout.processes, layout.threads, layout_ranks(layout), v->backend, v->bind,
	       traits->gpus, filled(v->skip));
	if (v->known)
		put_settings(db, arena, id, &v->settings);
}

static unsigned variant_of(const struct record_run *run, const char *name)
{
	unsigned id = 0;
	while (id < run->nvariants && strcmp(run->variants[id].name, name))
		id++;
	return id;
}

/* All of a list of objects: of workers, of ranks. */
static void put_each(struct db *db, const char *table, unsigned of, const json_t *list)
{
	const char *key;
	const json_t *object;
	json_t *value;
	size_t nth;
	json_array_foreach((json_t *)list, nth, object)
	{
		json_object_foreach((json_t *)object, key, value)
		{
			db_add(db, table, "iitj", of, (unsigned)nth, key, value);
		}
	}
}

/* Whether none of the timed calls' results were checked. */
static bool only_fresh(const struct record_cell *c)
{
	bool fresh = c->cell.in_place && coll_info(c->cell.coll)->is & COLL_REDUCES && c->check_ns;
	for (unsigned r = 0; fresh && r < c->nranks; r++)
		fresh = !c->check_ns[r];
	return fresh;
}

static bool has_no_length(const struct record_cell *c)
{
	for (size_t i = 0; c->samples && i < (size_t)c->nranks * c->rows; i++)
		if (c->samples[i].idle_ns == c->samples[i].start_ns)
			return true;
	return false;
}

/* In the units of today, whatever program wrote the record. */
static void put_counters(struct db *db, struct arena *arena, unsigned id,
                         const struct record_cell *c)
{
	const char *key;
	json_t *value;
	for (unsigned r = 0; r < c->nranks && c->cell.pass == PASS_COUNTERS; r++) {
		json_t *of = c->counters ? counters_to_json(&c->counters[r]) : NULL;
		json_object_foreach(of, key, value)
		{
			db_add(db, "counter", "iitj", id, r, key, value);
		}
		if (c->issue_cpu_ns)
			db_add(db, "counter", "iitd", id, r, "issue_cores",
			       cells_issue_cores(arena, c, r));
		json_decref(of);
	}
}

/* Up to the first that is damaged. */
static void put_spans(struct db *db, unsigned id, const struct record_cell *c)
{
	for (unsigned k = 0; k < LANES * c->nranks; k++) {
		const unsigned lane = k / c->nranks, rank = k % c->nranks;
		const json_t *ranks = json_object_get(c->json, sample_lane_keys[lane]);
		size_t i;
		json_t *span;
		json_array_foreach(json_array_get(ranks, rank), i, span)
		{
			const json_t *start = json_array_get(span, 0),
			             *end = json_array_get(span, 1);
			const int64_t from = json_integer_value(start),
			              to = json_integer_value(end);
			if (!json_is_integer(start) || !json_is_integer(end) || to < from ||
			    !record_stamp_fits(from) || !record_stamp_fits(to))
				break;
			db_add(db, "span", "iiill", id, lane, rank, from, to);
		}
	}
}

static void put_cell(struct db *db, struct arena *arena, const struct record_run *run, unsigned id,
                     unsigned trial)
{
	const struct record_cell *c = &run->cells[id];
	const struct cell *of = &c->cell;
	const struct timing_view view = {c->nranks, c->rows, 1, c->samples};
	const bool has = c->samples && !c->error[0];
	struct cells_times t = {NAN, NAN, NAN, NAN, NAN, NAN};
	double calls_ns = has ? 0 : NAN, check_ns = c->check_ns ? 0 : NAN;
	if (has)
		t = cells_times_of(arena, c);
	for (unsigned i = 0; has && i < c->rows; i++)
		calls_ns += timing_row_ns(&view, i);
	for (unsigned r = 0; c->check_ns && r < c->nranks; r++)
		check_ns = fmax(check_ns, (double)c->check_ns[r]);
	db_add(db, "cell", "iitttititiiiillliiiiiddddddddiillliiiidt", id, trial,
	       coll_pass_name(of->pass), coll_pace_name(of->pace), coll_info(of->coll)->name,
	       of->coll, coll_dtype_name(of->dtype), of->dtype, coll_op_name(of->op), of->in_place,
	       of->root, c->nranks, of->comm_ranks, of->asked_bytes, of->bytes,
	       cells_moved(run, of, c->nranks), of->cycle, of->connection, of->allocation, c->rows,
	       c->calls, t.time_ns, t.p95_ns, t.p99_ns, t.launch_ns, t.skew_ns, t.poll_ns, calls_ns,
	       check_ns, c->carries_data, only_fresh(c), c->wrong, c->faults, c->switches, c->line,
	       has_no_length(c), c->stall.rows, c->stall.rows ? c->stall.rank : DB_NONE,
	       c->stall.rows ? (double)c->stall.off_ns : NAN, filled(c->error));
	put_each(db, "meeting", id, json_object_get(c->json, "hosts"));
	put_counters(db, arena, id, c);
	put_spans(db, id, c);
}

/* A trial's cells follow each other. */
static void put_cells(struct db *db, struct arena *arena, const struct record_run *run)
{
	for (unsigned i = 0, trials = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i], *last = i ? c - 1 : NULL;
		const struct arena_mark mark = arena_mark(arena);
		if (!last || last->order != c->order || last->block != c->block ||
		    strcmp(last->variant, c->variant)) {
			unsigned end = i;
			while (end < run->ncells && run->cells[end].order == c->order)
				end++;
			db_add(db, "trial", "iiiill", trials, variant_of(run, c->variant), c->block,
			       c->order, c->written_s, run->cells[end - 1].written_s);
			put_each(db, "fact", trials++, json_object_get(c->json, "facts"));
		}
		put_cell(db, arena, run, i, trials - 1);
		arena_release(arena, mark);
	}
}

/* Of one that cannot be read nothing but that is known. */
static void put_path(struct db *db, struct arena *arena, unsigned variant,
                     const struct record_path *of)
{
	const char *key;
	json_t *value;
	struct path path;
	struct status why = {""};
	char text[2 * PATH_WHY_BYTES] = "one that cannot be read";
	if (path_from_json(of->path, &path, &why)) {
		db_add(db, "path", "itt", variant, "data_path", "unknown");
		db_add(db, "path", "itt", variant, "why",
		       arena_text(arena, "the record's path is damaged: %.200s", why.text));
	} else {
		json_object_foreach((json_t *)of->path, key, value)
		{
			db_add(db, "path", "itj", variant, key, value);
		}
		path_pairs_text(&path, text, sizeof text);
		if (!strcmp(path.transport, "mixed"))
			db_add(db, "path", "itt", variant, "pairs", text);
		path_text(&path, text, sizeof text);
		path_free(&path);
	}
	db_add(db, "path", "itt", variant, "taken", text);
}

static void put_spent(struct db *db, const struct record_run *run)
{
	const unsigned ncells = run->ncells + (run->search ? run->search->ncells : 0);
	for (unsigned i = 0; i < run->nspent; i++) {
		const struct record_spent *s = &run->spent[i];
		db_add(db, "spent_job", "titiill", record_spent_words[s->on], s->session,
		       s->variant, s->block, s->order, s->from_ns, s->to_ns);
	}
	for (unsigned i = 0; run->nspent && i < ncells; i++) {
		const struct record_cell *c = &run->cells[i];
		const int64_t *ns = c->spent.ns;
		if (c->spent.from_ns)
			db_add(db, "spent_cell", "tiillllllll", c->variant, c->block, c->order,
			       c->spent.from_ns, ns[SPENT_CONNECT], ns[SPENT_PREPARE],
			       ns[SPENT_WARM_UP], ns[SPENT_CALLS], ns[SPENT_COUNTERS],
			       ns[SPENT_TIMELINE], ns[SPENT_CHECK]);
	}
}

struct db *load_run(const struct record_run *run, struct arena *arena, struct status *st)
{
	struct db *db = db_open(arena);
	db_stamps(db, run);
	if (db_run_text(db, "harness/data/schema.sql", st) ||
	    db_run_text(db, "harness/analysis/spent.sql", st))
		return NULL;
	put_members(db, arena, "", run->environment);
	for (unsigned v = 0; v < run->nvariants; v++)
		put_variant(db, arena, run, v);
	put_cells(db, arena, run);
	for (unsigned i = 0; i < run->npaths; i++)
		put_path(db, arena, variant_of(run, run->paths[i].variant), &run->paths[i]);
	for (unsigned i = 0; i < run->nfailures; i++)
		db_add(db, "failure", "iiilt", variant_of(run, run->failures[i].variant),
		       run->failures[i].block, run->failures[i].order, run->failures[i].written_s,
		       run->failures[i].error);
	put_spent(db, run);
	return db;
}
