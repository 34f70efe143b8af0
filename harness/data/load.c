#include "load.h"

#include <math.h>
#include <string.h>

#include "../analysis/spent.h"
#include "../analysis/summary.h"
#include "../texts.h"

/* Members of the line, and of objects in it: "machine.cpu". */
static void put_members(struct db *db, struct arena *arena, const char *before, const json_t *of)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)of, key, value)
	{
		const char *name = arena_text(arena, "%s%s", before, key);
		if (json_is_object(value) && !*before) {
			put_members(db, arena, arena_text(arena, "%s.", name), value);
			continue;
		}
		struct db_row *row = db_row(db, "run");
		db_put_text(row, name);
		db_put_json(row, value);
		db_put(row);
	}
}

/* As a file writes it. */
static void put_value(struct db_row *row, struct arena *arena, json_t *value)
{
	char *text = json_is_boolean(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
	if (json_is_boolean(value))
		db_put_text(row, json_is_true(value) ? "yes" : "no");
	else if (json_is_string(value))
		db_put_text(row, json_string_value(value));
	else
		db_put_text(row, arena_copy(arena, text));
	free(text);
	json_decref(value);
}

static void put_settings(struct db *db, struct arena *arena, unsigned id, const struct settings *of)
{
	size_t n;
	const struct field *fields = settings_fields(&n);
	struct settings *usual = ARENA_NEW(arena, struct settings);
	struct db_row *row = db_row(db, "setting");
	settings_default(usual);
	for (size_t i = 0; i < n; i++) {
		json_t *value = field_to_json(&fields[i], of);
		if (!value)
			continue;
		db_put_whole(row, id);
		db_put_text(row, fields[i].kind == FIELD_PLACE ? fields[i].json : fields[i].key);
		put_value(row, arena, value);
		put_value(row, arena, field_to_json(&fields[i], usual));
		db_put(row);
	}
	for (unsigned i = 0; i < of->nenv; i++) {
		const size_t key = strcspn(of->env[i], "=");
		db_put_whole(row, id);
		db_put_text(row, arena_text(arena, "env.%.*s", (int)key, of->env[i]));
		db_put_text(row, of->env[i] + key + 1);
		db_put_text(row, NULL);
		db_put(row);
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
	struct db_row *row = db_row(db, "variant");
	db_put_whole(row, id);
	db_put_text(row, v->name);
	db_put_text(row, v->role);
	db_put_text(row, v->mode);
	db_put_text(row, v->layout);
	db_put_whole(row, layout.processes);
	db_put_whole(row, layout.threads);
	db_put_whole(row, layout_ranks(layout));
	db_put_text(row, v->backend);
	db_put_text(row, v->bind);
	db_put_whole(row, record_traits(run, v->name)->gpus);
	db_put_whole(row, record_traits(run, v->name)->logs_path);
	db_put_text(row, filled(v->skip));
	db_put(row);
	put_settings(db, arena, id, &v->settings);
}

static long long variant_of(const struct record_run *run, const char *name)
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
			struct db_row *row = db_row(db, table);
			db_put_whole(row, of);
			db_put_whole(row, (long long)nth);
			db_put_text(row, key);
			db_put_json(row, value);
			db_put(row);
		}
	}
}

static void put_trial(struct db *db, const struct record_run *run, const struct record_cell *c,
                      unsigned id)
{
	struct db_row *row = db_row(db, "trial");
	db_put_whole(row, id);
	db_put_whole(row, variant_of(run, c->variant));
	db_put_whole(row, c->block);
	db_put_whole(row, c->order);
	db_put_whole(row, c->written_s);
	db_put(row);
	put_each(db, "fact", id, json_object_get(c->json, "facts"));
}

static void put_times(struct db_row *row, struct arena *arena, const struct record_cell *c)
{
	const struct timing_view view = {c->nranks, c->rows, 1, c->samples};
	const bool has = c->samples && !c->error[0];
	const struct summary_trial none = {.time_ns = NAN,
	                                   .p95_ns = NAN,
	                                   .p99_ns = NAN,
	                                   .launch_ns = NAN,
	                                   .skew_ns = NAN,
	                                   .poll_ns = NAN},
	                           t = has ? summary_cell(arena, c) : none;
	double calls_ns = has ? 0 : NAN, check_ns = c->check_ns ? 0 : NAN;
	for (unsigned i = 0; has && i < c->rows; i++)
		calls_ns += timing_row_ns(&view, i);
	for (unsigned r = 0; c->check_ns && r < c->nranks; r++)
		check_ns = fmax(check_ns, (double)c->check_ns[r]);
	const double x[] = {t.time_ns, t.p95_ns,  t.p99_ns, t.launch_ns,
	                    t.skew_ns, t.poll_ns, calls_ns, check_ns};
	for (size_t i = 0; i < sizeof x / sizeof *x; i++)
		db_put_real(row, x[i]);
}

/* Whether none of the timed calls' results were checked. */
static bool only_fresh(const struct record_cell *c)
{
	bool fresh = c->cell.in_place && coll_info(c->cell.coll)->is & COLL_REDUCES && c->check_ns;
	for (unsigned r = 0; fresh && r < c->nranks; r++)
		fresh = !c->check_ns[r];
	return fresh;
}

static void put_cell(struct db *db, struct arena *arena, const struct record_run *run, unsigned id,
                     unsigned trial)
{
	const struct record_cell *c = &run->cells[id];
	const struct cell *of = &c->cell;
	const struct arena_mark mark = arena_mark(arena);
	struct db_row *row = db_row(db, "cell");
	const long long whole[] = {of->in_place,
	                           of->root,
	                           c->nranks,
	                           of->comm_ranks,
	                           (long long)of->asked_bytes,
	                           (long long)of->bytes,
	                           (long long)summary_moved(run, of, c->nranks),
	                           of->cycle,
	                           of->connection,
	                           of->allocation,
	                           c->rows,
	                           c->calls},
	                found[] = {c->carries_data, only_fresh(c), (long long)c->wrong,
	                           (long long)c->faults, (long long)c->switches};
	db_put_whole(row, id);
	db_put_whole(row, trial);
	db_put_text(row, coll_pass_name(of->pass));
	db_put_text(row, coll_pace_name(of->pace));
	db_put_text(row, coll_info(of->coll)->name);
	db_put_whole(row, of->coll);
	db_put_text(row, coll_dtype_name(of->dtype));
	db_put_whole(row, of->dtype);
	db_put_text(row, coll_op_name(of->op));
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		db_put_whole(row, whole[i]);
	put_times(row, arena, c);
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		db_put_whole(row, found[i]);
	db_put_text(row, filled(c->digest));
	db_put_text(row, filled(c->error));
	db_put(row);
	put_each(db, "counter", id, json_object_get(c->json, "counters"));
	arena_release(arena, mark);
}

/* A trial's cells follow each other. */
static void put_cells(struct db *db, struct arena *arena, const struct record_run *run)
{
	for (unsigned i = 0, trials = 0; i < run->ncells; i++) {
		const struct record_cell *c = &run->cells[i], *last = i ? c - 1 : NULL;
		if (!last || last->order != c->order || last->block != c->block ||
		    strcmp(last->variant, c->variant))
			put_trial(db, run, c, trials++);
		put_cell(db, arena, run, i, trials - 1);
	}
}

static void put_path(struct db *db, const struct record_run *run, const struct record_path *p)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)p->path, key, value)
	{
		struct db_row *row = db_row(db, "path");
		db_put_whole(row, variant_of(run, p->variant));
		db_put_text(row, key);
		db_put_json(row, value);
		db_put(row);
	}
}

static void put_failure(struct db *db, const struct record_run *run, const struct record_failure *f)
{
	struct db_row *row = db_row(db, "failure");
	db_put_whole(row, variant_of(run, f->variant));
	db_put_whole(row, f->block);
	db_put_text(row, f->error);
	db_put(row);
}

static void put_spent(struct db *db, struct arena *arena, const struct record_run *run)
{
	const struct spent_sum sum = spent_sum(run, arena);
	struct db_row *row = db_row(db, "phase");
	for (unsigned p = 0; p <= SPENT_PARTS && sum.wall_s > 0; p++) {
		db_put_text(row, p < SPENT_PARTS ? spent_part_name(p) : "all");
		db_put_real(row, p < SPENT_PARTS ? sum.s[p] : sum.wall_s);
		db_put(row);
	}
}

/* A file that is part of the program. */
static int run_file(struct db *db, const char *file, struct status *st)
{
	const struct db_source source = {file, texts_find(file), 1};
	return db_run(db, &source, st);
}

struct db *load_run(const struct record_run *run, struct arena *arena, struct status *st)
{
	static const struct db_source begin = {"load", "BEGIN", 1}, end = {"load", "COMMIT", 1};
	struct db *db = db_open(arena);
	if (run_file(db, "harness/data/schema.sql", st) || db_run(db, &begin, st))
		return NULL;
	put_members(db, arena, "", run->environment);
	for (unsigned v = 0; v < run->nvariants; v++)
		put_variant(db, arena, run, v);
	put_cells(db, arena, run);
	for (unsigned i = 0; i < run->npaths; i++)
		put_path(db, run, &run->paths[i]);
	for (unsigned i = 0; i < run->nfailures; i++)
		put_failure(db, run, &run->failures[i]);
	put_spent(db, arena, run);
	if (db_run(db, &end, st) || run_file(db, "harness/chapters/shared.sql", st))
		return NULL;
	db_seal(db);
	return db;
}
