#include "combine.h"

#include <unistd.h>

#include "../arena.h"
#include "../chapters/figures.h"
#include "../config/family.h"
#include "../record/record_file.h"
#include "../texts.h"
#include "side.h"

#define CHAPTER "harness/compare/combine.chapter"

struct combining {
	struct arena *arena;
	struct db *db;
	unsigned n;
};

/* --- the runs ---------------------------------------------------------------------------- */

#define SAID "harness/compare/said.sql"

static int say_all(const struct combining *c, struct db *run, struct status *st)
{
	const struct db_source query = {.file = SAID, .sql = texts_find(SAID), .line = 1};
	struct db_rows *of = db_ask(run, &query, st);
	while (of && db_next(of))
		db_add(c->db, "said", "ttiittttldddidtttddi", db_text(of, 0), db_text(of, 1), c->n,
		       db_real(of, 3) > 0, db_text(of, 4), db_text(of, 5), db_text(of, 6),
		       db_text(of, 7), (int64_t)db_real(of, 8), db_real(of, 9), db_real(of, 10),
		       db_real(of, 11), (unsigned)db_real(of, 12), db_real(of, 13), db_text(of, 14),
		       db_text(of, 15), db_text(of, 16), db_real(of, 17), db_real(of, 18),
		       db_real(of, 19) > 0);
	return of ? db_end(of, st) : -1;
}

static int add_run(struct combining *c, const struct compared *t, const char *path,
                   struct status *st)
{
	/* "GPU-164679bb-…": as much as tells them apart. Then the regimes in which the run cannot
	 * distinguish variants. */
	static const char about[] =
	    "SELECT blocks, ifnull((SELECT group_concat(nullif(substr(iif(g.type = 'object', "
	    "g.value ->> '$.uuid', ''), 1, 12), ''), ', ') FROM environment e, "
	    "json_each(iif(json_valid(e.value), e.value, '[]')) g WHERE e.key = 'machine.gpus'), "
	    "''), "
	    "ifnull((SELECT value FROM environment WHERE key = 'machine.boot'), ''), "
	    "(SELECT group_concat(label, ', ') FROM regime WHERE NOT tells), "
	    "ifnull((SELECT value FROM environment WHERE key = 'seed'), '') FROM given";
	struct side side = {
	    .arena = c->arena, .db = c->db, .letter = arena_text(c->arena, "%c", 'A' + c->n)};
	if (!access(path, F_OK) && !source_is_record(path))
		return status_set(
		    st,
		    "%s is no record, and to combine takes records; nccl-tests' files are one side "
		    "together, in a folder or with commas between%s",
		    path, record_file_latest(path).text);
	struct source_record *record = ARENA_NEW(c->arena, struct source_record);
	if (source_open(path, true, c->arena, record, st))
		return -1;
	struct db *run = record->db;
	source_facts(&side, record);
	struct db_rows *rows = side_ask(c->arena, run, about);
	if (!db_next(rows))
		return -1;
	db_add(c->db, "repetition", "ttitttt", side.letter, side_plain(c->arena, path),
	       (unsigned)db_real(rows, 0), db_text(rows, 1), db_text(rows, 2), db_text(rows, 3),
	       db_text(rows, 4));
	if (db_end(rows, st) || say_all(c, run, st))
		return -1;
	arena_undo(c->arena, run);
	c->n++;
	const char *why = compared_text(t, "SELECT why FROM refused");
	return why ? status_set(st, "%s", why) : 0;
}

/* --- all of it --------------------------------------------------------------------------- */

/* The chapter, with each of its lines that has RUN once for each run. */
static const char *chapter_of(const struct combining *c)
{
	const struct arena_stream *to = arena_stream(c->arena);
	for (const char *text = texts_find(CHAPTER), *end; *text; text = end) {
		end = text + strcspn(text, "\n") + 1;
		const char *line = arena_text(c->arena, "%.*s", (int)(end - text), text);
		const bool comment = !strncmp(line, "--", 2);
		for (unsigned i = 0; i < (strstr(line, "RUN") && !comment ? c->n : 1); i++) {
			const char *at = line;
			for (const char *run; (run = strstr(at, "RUN")); at = run + 3)
				fprintf(to->out, "%.*s%c", (int)(run - at), at, 'A' + i);
			fputs(at, to->out);
		}
	}
	return arena_written(c->arena, to);
}

// clang-format off
static const struct compared_section sections[] = {
    {"Differences from the reference", "verdicts", "WHERE part = 'different'", "None is decided.", .in_short = true},
    {"Undecided", "verdicts", .where = "WHERE part = 'undecided'"},
    {"The same", "verdicts", .where = "WHERE part = 'no difference'"},
    {"The reference against itself", "verdicts", .where = "WHERE part = 'limit'"},
    {.says = true},
    {"Claims", "claims", .where = ""},
    {"By size", "cells", .where = ""},
    {"The runs", "runs", .where = ""},
    {.table = NULL}};
// clang-format on
static const char *const tables[] = {"claims", "verdicts", "cells", "runs", NULL};

int combine_runs(struct compared *t, double margin, struct status *st)
{
	struct combining c = {.arena = t->arena, .db = db_open(t->arena)};
	t->db = c.db;
	t->sections = sections;
	t->tables = tables;
	if (db_run_text(c.db, "harness/compare/sides.sql", st) ||
	    db_run_text(c.db, "harness/compare/combined.sql", st))
		return -1;
	for (unsigned i = 0; i < t->npaths; i++)
		if (add_run(&c, t, t->paths[i], st))
			return -1;
	db_add(c.db, "given", "dd", margin, FAMILY_ALPHA);
	if (db_run_text(c.db, "harness/compare/together.sql", st))
		return -1;
	if (!compared_text(t, "SELECT question FROM together"))
		return status_set(st, "the runs have no claim and no cell in common with an "
		                      "interval; below 6 blocks a run has none");
	t->title = compared_text(t, "SELECT experiment || ': ' || (SELECT count(*) FROM run) || "
	                            "' runs as one' FROM run ORDER BY run");
	return compared_tell(t, CHAPTER, chapter_of(&c), st);
}
