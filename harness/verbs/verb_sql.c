/* sql: asks a run's tables. */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "../chapters/figures.h"
#include "../report/model.h"
#include "../report/table.h"
#include "../terminal.h"
#include "verbs.h"

struct request {
	const char *file, *dir, *query; /* NULL: not given */
	struct status *st;
};

static const struct field options[] = {
    {"--sqlite", FIELD_OWN, offsetof(struct request, file), .read = options_borrow, .value = "FILE",
     .help = "write all tables into a new SQLite file"},
};
const struct options sql_options = OPTIONS(options);

/* Columns of texts, as the query has them. */
static const struct story_form *form_of(struct arena *arena, const struct db_rows *rows)
{
	struct story_form *form = ARENA_NEW(arena, struct story_form);
	const unsigned n = db_ncolumns(rows);
	struct column *columns = ARENA_ARRAY(arena, struct column, n);
	for (unsigned i = 0; i < n; i++)
		columns[i] = (struct column){.key = arena_copy(arena, db_name(rows, i)),
		                             .head = arena_copy(arena, db_name(rows, i)),
		                             .unit = "",
		                             .kind = KIND_TEXT,
		                             .offset = i * sizeof(char *)};
	*form = (struct story_form){.name = "query",
	                            .columns = columns,
	                            .ncolumns = n,
	                            .row_bytes = n * sizeof(char *),
	                            .when = STORY_NO_WHEN};
	return form;
}

/* On a terminal as a table, else as CSV. */
static int show(struct arena *arena, struct db *db, const char *query, struct status *st)
{
	const struct db_source source = {.file = "query", .sql = query, .line = 1};
	struct db_rows *found = db_ask(db, &source, st);
	if (!found)
		return -1;
	struct story_table table = {.form = form_of(arena, found)};
	while (db_next(found)) {
		const size_t bytes = table.form->row_bytes;
		char *rows = arena_more(arena, table.rows, table.nrows, bytes);
		const char **row = (const char **)(void *)(rows + table.nrows++ * bytes);
		for (unsigned i = 0; i < table.form->ncolumns; i++)
			row[i] = db_text(found, i) ? arena_copy(arena, db_text(found, i)) : NULL;
		table.rows = rows;
	}
	if (db_end(found, st))
		return -1;
	if (isatty(STDOUT_FILENO))
		table_write_text(arena, &table, stdout, 0, terminal_columns());
	else
		table_write_csv(&table, stdout);
	return 0;
}

static int work(struct arena *arena, void *of)
{
	const struct request *r = of;
	const struct model *model = model_read(arena, r->dir, r->st);
	struct db *db = model ? figures_load(model->analysis, arena, r->st) : NULL;
	if (!db || (r->file && db_save(db, r->file, r->st)))
		return -1;
	return r->query ? show(arena, db, r->query, r->st) : 0;
}

int verb_sql(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct request request = {.st = st};
	char *operands[2] = {NULL, NULL};
	const int n = verb_take(argc, argv, &request, operands, 2, st);
	(void)home;
	if (n < 0)
		return -1;
	request.dir = operands[0];
	request.query = operands[1];
	if (!n || (!request.query && !request.file))
		return status_set(
		    st, "sql needs a run's folder, and a query or --sqlite FILE: launchgap "
		        "sql results/smoke/latest 'SELECT name, layout FROM variant'");
	return arena_work(work, &request, "the run's tables", st);
}
