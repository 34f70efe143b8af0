#include "export.h"

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

static int load(const struct model *m, struct status *st)
{
	unsigned n = 0;
	while (model_warning(m, n))
		n++;
	return model_ask(m, "exported", arena_text(m->arena, "SELECT %u warnings", n),
	                 "harness/report/export.sql", st);
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

int export_lines(struct arena *arena, struct db *db, const char *sql, const char *to,
                 struct status *st)
{
	struct output *file = output_open_named(arena, to, st);
	return file ? output_close(file, write_lines(db, sql, file->out, st), st) : -1;
}

int export_write(const struct model *m, const char *const files[EXPORT_FORMATS], struct status *st)
{
	bool loaded = false;
	for (unsigned i = 0; i < EXPORT_FORMATS; i++) {
		if (!files[i])
			continue;
		if ((!loaded && load(m, st)) ||
		    export_lines(m->arena, m->db, queries[i], files[i], st))
			return -1;
		loaded = true;
	}
	return 0;
}
