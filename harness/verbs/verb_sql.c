/* sql: asks a run's tables. */
#include <string.h>
#include <unistd.h>

#include "../report/model.h"
#include "../report/table.h"
#include "../terminal.h"
#include "verbs.h"

struct request {
	char *words[2]; /* a run's folder, a query */
	struct status *st;
};

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
		                             .at = i};
	*form = (struct story_form){.name = "query", .columns = columns, .ncolumns = n, .width = n};
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
		const size_t bytes = table.form->width * sizeof *table.rows;
		table.rows = arena_more(arena, table.rows, table.nrows, bytes);
		struct entry *row = story_row(&table, table.nrows++);
		for (unsigned i = 0; i < table.form->ncolumns; i++) {
			row[i] = entry_none(KIND_TEXT);
			if (db_text(found, i))
				row[i].text = arena_copy(arena, db_text(found, i));
			row[i].has = *row[i].text;
		}
	}
	if (db_end(found, st))
		return -1;
	if (isatty(STDOUT_FILENO))
		table_write_text(arena, &table, false, stdout, 0, terminal_columns());
	else
		table_write_csv(&table, stdout);
	return 0;
}

static int work(struct arena *arena, void *of)
{
	const struct request *r = of;
	const struct model *model = model_read(arena, r->words[0], r->st);
	if (!model)
		return -1;
	return show(arena, model->db, r->words[1], r->st);
}

int verb_sql(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct request request = {.st = st};
	(void)home;
	const int n = verb_take(argc, argv, NULL, request.words, 2, st);
	if (n == 0 || n == 1)
		return status_set(st,
		                  "sql needs one run's folder, e.g. results/smoke/latest, and a "
		                  "query: 'SELECT name FROM variant'. For a prompt: report DIR "
		                  "--sqlite FILE, and sqlite3 FILE");
	return n < 0 ? -1 : arena_work(work, &request, "the run's tables", st);
}
