#include "side.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <sys/stat.h>

#include "../chapters/figures.h"
#include "../chapters/run.h"
#include "../arena.h"
#include "../coll/counts.h"
#include "../record/record_file.h"
#include "../report/json.h"
#include "../record/member.h"

#define MOST_FILES 1000

/* --- a record ---------------------------------------------------------------------------- */

static void add_machine(struct side *side, const struct record_run *run)
{
	const json_t *machine = json_object_get(run->environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus");
	const json_t *load = json_object_get(machine, "load1"), *value;
	const json_t *variables = json_object_get(machine, "environment");
	const char *name;
	char text[SIDE_FACT_BYTES];
	side_says(side, "driver", member_or_empty(machine, "driver"));
	snprintf(text, sizeof text, "%.1f", json_number_value(load));
	side_says(side, "load", load ? text : "");
	side->knows |= variables != NULL;
	json_object_foreach((json_t *)(uintptr_t)variables, name, value)
	    side_variable(side, name, json_is_string(value) ? json_string_value(value) : "");
	if (!json_array_size(gpus) || !record_traits(run, NULL)->gpus) {
		snprintf(text, sizeof text, "%.30s: %.50s", member_or_empty(machine, "host"),
		         member_or_empty(machine, "cpu"));
		side_says(side, "machine", text);
		return;
	}
	for (size_t i = 0; i < json_array_size(gpus); i++) {
		snprintf(text, sizeof text, "%.40s: %.40s", member_or_empty(machine, "host"),
		         member_or_empty(json_array_get(gpus, i), "name"));
		side_says(side, "machine", text);
	}
}

/* Records without "parts" cut parts at other places, so that equal counts mean other work. */
static void add_counts(struct side *side, const json_t *env)
{
	unsigned nranks = (unsigned)json_integer_value(json_object_get(env, "ranks"));
	struct value_weights weights;
	struct status why = {""};
	char text[COUNTS_TEXT_BYTES];
	if (counts_from_json(json_object_get(env, "counts"), &weights, &why))
		return;
	counts_text(&weights, nranks, text);
	if (!json_object_get(env, "parts"))
		snprintf(text + strlen(text), sizeof text - strlen(text), ", by distance");
	side_says(side, "counts", text);
}

void source_facts(struct side *side, const struct source_record *x)
{
	const json_t *env = x->run.environment;
	struct status ignored = {""};
	char text[SIDE_FACT_BYTES];
	snprintf(text, sizeof text, "%.64s%s", member_or_empty(env, "experiment"),
	         json_object_get(env, "quick") ? " --quick" : "");
	side_says(side, "experiment", text);
	snprintf(text, sizeof text, "launchgap %.60s", member_or_empty(env, "launchgap"));
	side_says(side, "program", text);
	side_says(side, "measured", member_or_empty(env, "created"));
	side_says(side, "backend", member_or_empty(env, "backend"));
	snprintf(text, sizeof text, "%lld",
	         (long long)json_integer_value(json_object_get(env, "ranks")));
	side_says(side, "ranks", text);
	add_counts(side, env);
	struct db_rows *rows =
	    side_ask(side->arena, x->db,
	             "SELECT library FROM known WHERE measured AND library <> '' "
	             "ORDER BY variant");
	while (db_next(rows))
		side_says(side, "library", db_text(rows, 0));
	db_end(rows, &ignored);
	add_machine(side, &x->run);
}

static void add_settings(const struct side *side, const struct record_run *run)
{
	for (unsigned v = 0; v < run->nvariants; v++) {
		const char *key;
		json_t *value;
		char name[TRIAL_NAME_BYTES], clean[TRIAL_NAME_BYTES];
		side_clean(run->variants[v].name, name, sizeof name);
		json_object_foreach((json_t *)(uintptr_t)run->variants[v].json, key, value)
		{
			side_clean(key, clean, sizeof clean);
			db_add(side->db, "setting", "tttj", side->letter, name, clean, value);
		}
	}
}

static void add_absent(struct side *side, const struct source_record *x)
{
	struct status ignored = {""};
	struct db_rows *rows =
	    side_ask(side->arena, x->db,
	             "SELECT name, skip IS NULL, coalesce(skip, "
	             "(SELECT error FROM failure f WHERE f.variant = v.id ORDER BY rowid LIMIT 1), "
	             "(SELECT error FROM cell JOIN trial t ON t.id = trial "
	             "WHERE t.variant = v.id AND error NOT NULL ORDER BY cell.id LIMIT 1), '') "
	             "FROM variant v JOIN known ON variant = v.id "
	             "WHERE NOT measured AND asked ORDER BY v.id");
	while (db_next(rows)) {
		char name[TRIAL_NAME_BYTES], why[200];
		side_clean(db_text(rows, 0), name, sizeof name);
		side_clean(db_text(rows, 2), why, sizeof why);
		db_add(side->db, "absent", "ttit", side->letter, name, db_real(rows, 1) > 0, why);
	}
	db_end(rows, &ignored);
}

/* Omits the reference's twin: it would give one verdict twice. */
static void add_rows(struct side *side, const struct source_record *x)
{
	struct status ignored = {""};
	struct db_rows *rows = side_ask(
	    side->arena, x->db,
	    "SELECT b.cell, name, role = 'limit', b.block, time_ns / 1000 FROM block_time b "
	    "JOIN variant v ON v.id = b.variant WHERE role <> 'again' ORDER BY v.id, place, block");
	while (db_next(rows)) {
		const struct record_cell *c = &x->run.cells[(unsigned)db_real(rows, 0)];
		side_add(side, db_text(rows, 1), &c->cell, c->nranks, db_real(rows, 2) > 0,
		         (unsigned)db_real(rows, 3), db_real(rows, 4));
	}
	db_end(rows, &ignored);
	rows = side_ask(side->arena, x->db,
	                "SELECT sum(failed) FROM result JOIN variant v ON v.id = variant "
	                "WHERE role <> 'again'");
	if (db_next(rows))
		side->failed = (unsigned)fmax(0, db_real(rows, 0));
	db_end(rows, &ignored);
}

static void forget_run(void *run)
{
	record_free(run);
}

int source_open(const char *path, bool judged, struct arena *arena, struct source_record *x,
                struct status *st)
{
	static const struct db_source query = {.file = "harness/compare/source.c",
	                                       .sql = "SELECT trouble, uncompared FROM given"};
	if (record_load(path, &x->run, st))
		return -1;
	arena_defer(arena, forget_run, &x->run);
	x->db =
	    judged ? figures_load(&x->run, NULL, arena, st) : figures_results(&x->run, arena, st);
	struct db_rows *rows = x->db ? db_ask(x->db, &query, st) : NULL;
	if (!rows || !db_next(rows))
		return -1;
	const char *trouble = db_text(rows, 0), *why = db_text(rows, 1);
	if (trouble)
		status_set(st, "%s: nothing is compared with wrong results: %s", path, trouble);
	else if (why)
		status_set(st, "%s: no speed is compared: %s", path, why);
	const int rc = why ? -1 : 0;
	struct status ignored = {""};
	db_end(rows, &ignored);
	return rc;
}

/* The record and its tables are freed before the other side's are loaded. */
static int load_record(const char *path, struct side *side, struct status *st)
{
	struct source_record *x = ARENA_NEW(side->arena, struct source_record);
	if (source_open(path, false, side->arena, x, st))
		return -1;
	side->torn = x->run.torn;
	side->is_record = true;
	source_facts(side, x);
	add_settings(side, &x->run);
	add_absent(side, x);
	add_rows(side, x);
	arena_undo(side->arena, x->db);
	arena_undo(side->arena, &x->run);
	return 0;
}

/* --- which files ------------------------------------------------------------------------- */

/* x.json, and x.json.0, as nccl-tests names it if x.json exists already. */
static int is_json(const struct dirent *entry)
{
	return !fnmatch("*.json?(.[0-9]*)", entry->d_name, FNM_PERIOD | FNM_EXTMATCH);
}

static int is_text(const struct dirent *entry)
{
	return !fnmatch("*.@(txt|log|out)", entry->d_name, FNM_PERIOD | FNM_EXTMATCH);
}

/* A folder of nccl-tests' files: its text, if no JSON is there. */
static int load_folder(const char *path, const char *variant, struct side *side, struct status *st)
{
	struct dirent **entries = NULL;
	int n = scandir(path, &entries, is_json, alphasort);
	if (n == 0) {
		free(entries);
		n = scandir(path, &entries, is_text, alphasort);
	}
	const char **files = n > 0 ? ARENA_ARRAY(side->arena, const char *, (size_t)n) : NULL;
	for (int i = 0; i < n; i++) {
		files[i] = arena_text(side->arena, "%s/%s", path, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	if (n <= 0)
		return status_set(st,
		                  "%s holds no trials.jsonl, packed or not, and no *.json, *.txt, "
		                  "*.log or *.out of nccl-tests%s",
		                  path, record_file_latest(path).text);
	for (int i = 0; i < n; i++) {
		if (n > MOST_FILES || strlen(files[i]) >= PATH_MAX)
			return status_set(st, "%.200s: too many files, or too long a path", path);
		if (nccl_tests_read(files[i], variant, (unsigned)i, side, st))
			return -1;
	}
	return 0;
}

/* Files of nccl-tests with commas between them. */
static int load_list(const char *list, const char *variant, struct side *side, struct status *st)
{
	unsigned n = 0;
	for (const char *at = list; *at || !n; n++) {
		char file[PATH_MAX];
		size_t length = strcspn(at, ",");
		snprintf(file, sizeof file, "%.*s", (int)length, at);
		if (!length || length >= sizeof file || n >= MOST_FILES)
			return status_set(st, "%.200s: an empty or too long name, or too many",
			                  list);
		if (nccl_tests_read(file, variant, n, side, st))
			return -1;
		at += length + (at[length] == ',');
	}
	return 0;
}

bool source_is_record(const char *path)
{
	char file[PATH_MAX];
	struct stat about;
	struct status none = {""};
	if (stat(path, &about))
		return false;
	return S_ISDIR(about.st_mode) ? !record_file_find(path, file, &none)
	                              : !fnmatch("*.jsonl*", path, 0);
}

int source_load(struct side *side, const char *variant, struct status *st)
{
	const char *path = side->path;
	struct stat about;
	if (stat(path, &about))
		return strchr(path, ',') ? load_list(path, variant, side, st)
		                         : status_set(st, "%s: %s", path, strerror(errno));
	if (source_is_record(path))
		return load_record(path, side, st);
	return S_ISDIR(about.st_mode) ? load_folder(path, variant, side, st)
	                              : nccl_tests_read(path, variant, 0, side, st);
}
