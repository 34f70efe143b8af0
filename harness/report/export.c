#include "export.h"

#include "../chapters/figures.h"
#include "../texts.h"
#include "output.h"

#define FILE_OF(I) (I) * sizeof(const char *), .read = options_borrow, .value = "FILE"

static const struct field rows[EXPORT_FORMATS] = {
    {"--prometheus", FIELD_OWN, FILE_OF(0), .help = "for node_exporter's textfile collector"},
    {"--bigger-is-better", FIELD_OWN, FILE_OF(1), .help = "bandwidths for github-action-benchmark"},
    {"--smaller-is-better", FIELD_OWN, FILE_OF(2), .help = "times for github-action-benchmark"},
};

/* Which query has the text of each row, in which of its columns. */
static const struct {
	const char *path;
	unsigned column;
} queries[EXPORT_FORMATS] = {{"harness/report/prometheus.sql", 0},
                             {"harness/report/benchmark.sql", 0},
                             {"harness/report/benchmark.sql", 1}};

const struct options export_options = OPTIONS(rows);

/* What the tables do not have: the table `exported`, one row. */
static int add_warnings(const struct model *m, struct db *db, struct status *st)
{
	unsigned n = 0;
	while (model_warning(m, n))
		n++;
	const char *sql = arena_text(m->arena, "SELECT %u warnings", n);
	return db_keep(db, "TABLE", "exported", &(struct db_source){"export.c", sql, 1, 0}, st);
}

static int export_one(struct db *db, unsigned i, FILE *out, struct status *st)
{
	const char *path = queries[i].path;
	const struct db_source query = {.file = path, .sql = texts_find(path), .line = 1};
	struct db_rows *found = db_ask(db, &query, st);
	if (!found)
		return -1;
	while (db_next(found))
		fprintf(out, "%s\n", db_text(found, queries[i].column));
	return db_end(found, st);
}

int export_write(const struct model *m, const char *const files[EXPORT_FORMATS], struct status *st)
{
	struct db *db = NULL;
	for (unsigned i = 0; i < EXPORT_FORMATS; i++) {
		struct output *file = files[i] ? output_open_named(m->arena, files[i], st) : NULL;
		if (!files[i])
			continue;
		if (file && !db && (db = figures_load(m->analysis, m->arena, st)) &&
		    add_warnings(m, db, st))
			return -1;
		if (!file || !db || export_one(db, i, file->out, st) || output_close(file, 0, st))
			return -1;
	}
	return 0;
}
