#include "export.h"

#include "../chapters/figures.h"
#include "output.h"

#define FILE_OF(I) (I) * sizeof(const char *), .read = options_borrow, .value = "FILE"

static const struct field rows[EXPORT_FORMATS] = {
    {"--prometheus", FIELD_OWN, FILE_OF(0), .help = "for node_exporter's textfile collector"},
    {"--bigger-is-better", FIELD_OWN, FILE_OF(1), .help = "bandwidths for github-action-benchmark"},
    {"--smaller-is-better", FIELD_OWN, FILE_OF(2), .help = "times for github-action-benchmark"},
};

/* What has the lines of each. */
static const char *const queries[EXPORT_FORMATS] = {
    "SELECT line FROM prometheus", "SELECT line FROM bigger", "SELECT line FROM smaller"};

const struct fields export_options = FIELDS_OF(rows, const char *[EXPORT_FORMATS]);

static struct db *load(const struct model *m, struct status *st)
{
	unsigned n = 0;
	struct db *db = figures_load(m->analysis, m->arena, st);
	while (model_warning(m, n))
		n++;
	const struct db_source exported = {"export.c",
	                                   arena_text(m->arena, "SELECT %u warnings", n), 1, 0};
	const bool made = db && !db_keep(db, "exported", &exported, st) &&
	                  !db_run_text(db, "harness/report/export.sql", st);
	return made ? db : NULL;
}

static int write_lines(struct db *db, const char *sql, FILE *out, struct status *st)
{
	const struct db_source query = {.file = "export.c", .sql = sql, .line = 1};
	struct db_rows *lines = db_ask(db, &query, st);
	if (!lines)
		return -1;
	while (db_next(lines))
		fprintf(out, "%s\n", db_text(lines, 0));
	return db_end(lines, st);
}

int export_write(const struct model *m, const char *const files[EXPORT_FORMATS], struct status *st)
{
	struct db *db = NULL;
	for (unsigned i = 0; i < EXPORT_FORMATS; i++) {
		struct output *file = files[i] ? output_open_named(m->arena, files[i], st) : NULL;
		if (!files[i])
			continue;
		if (!file || (!db && !(db = load(m, st))) ||
		    write_lines(db, queries[i], file->out, st) || output_close(file, 0, st))
			return -1;
	}
	return 0;
}
