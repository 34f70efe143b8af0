/* sql: asks a run's tables. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../report/model.h"
#include "../report/table.h"
#include "../terminal.h"
#include "verbs.h"

struct request {
	char *words[2]; /* a run's folder, a query; NULL: a prompt */
	struct status *st;
};

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
	db_theirs(db, true);
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

/* sqlite3's own prompt, on a file that is gone afterwards. */
static int prompt(struct arena *arena, struct db *db, struct status *st)
{
	char folder[] = "/tmp/launchgap-sql-XXXXXX";
	int code = 0;
	if (!mkdtemp(folder))
		return status_set(st, "cannot make a folder in /tmp: %s", strerror(errno));
	const char *file = arena_text(arena, "%s/run.db", folder);
	int rc = db_save(db, file, st);
	const pid_t pid = rc ? 0 : fork();
	if (!rc && !pid) {
		execlp("sqlite3", "sqlite3", "-header", "-column", file, (char *)NULL);
		_exit(127);
	}
	if (pid < 0)
		rc = status_set(st, "cannot start sqlite3: %s", status_unstarted(errno));
	if (pid > 0)
		waitpid(pid, &code, 0);
	unlink(file);
	rmdir(folder);
	if (!rc && WIFEXITED(code) && WEXITSTATUS(code) == 127)
		return status_set(
		    st, "a prompt needs sqlite3 (Debian: apt install sqlite3); without it "
		        "name a query: launchgap sql DIR 'SELECT name FROM variant'");
	return rc;
}

static int work(struct arena *arena, void *of)
{
	const struct request *r = of;
	const struct model *model = model_read(arena, r->words[0], r->st);
	if (!model)
		return -1;
	return r->words[1] ? show(arena, model->db, r->words[1], r->st)
	                   : prompt(arena, model->db, r->st);
}

int verb_sql(int argc, char *argv[], const struct home *home, struct status *st)
{
	struct request request = {.st = st};
	(void)home;
	const int n = verb_take(argc, argv, NULL, request.words, 2, st);
	if (!n)
		return status_set(st, "sql needs one run's folder, e.g. results/smoke/latest");
	return n < 0 ? -1 : arena_work(work, &request, "the run's tables", st);
}
