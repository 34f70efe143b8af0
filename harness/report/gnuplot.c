#include "gnuplot.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../chapters/run.h"
#include "export.h"
#include "model.h"
#include "output.h"
#include "table.h"

#define SCRIPT_TEXT_BYTES 1024

/* The file as it is written: assignments, arrays and data blocks, no path and no unquoted text. All
 * borrowed. */
struct script {
	FILE *out;
	struct arena *arena;
	struct db *db;
};

void gnuplot_quote(const char *text, char *out, size_t bytes)
{
	/* gnuplot does not read two adjacent single quotes reliably. */
	char quote = strchr(text, '\'') ? '"' : '\'';
	const char *begin = text;
	size_t n = 0;
	out[n++] = quote;
	while (*text) {
		char part[8] = {0};
		size_t len = 1;
		unsigned char c = (unsigned char)*text;
		if (table_ends_cdata(begin, text) && n + 3 < bytes)
			out[n++] = ' ';
		if (c < ' ' || c == 0x7F)
			part[0] = ' ';
		else if (quote == '"' && c < 0x80 && c != ' ' && !isalpha(c))
			len = (size_t)sprintf(part, "\\%03o", c);
		else
			for (len = 0;
			     len < 4 && (!len || ((unsigned char)text[len] & 0xC0) == 0x80); len++)
				part[len] = text[len];
		if (n + len + 2 > bytes)
			break;
		memcpy(out + n, part, len);
		n += len;
		text += len > 1 && part[0] != '\\' ? len : 1;
	}
	out[n++] = quote;
	out[n] = 0;
}

/* `name = value`, or for an array its i-th, from 1. */
static void script_put(struct script *p, const char *name, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void script_put(struct script *p, const char *name, unsigned i, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs(name, p->out);
	fprintf(p->out, i ? "[%u] = " : " = ", i);
	vfprintf(p->out, format, list);
	fputc('\n', p->out);
	va_end(list);
}

static void script_text(struct script *p, const char *name, unsigned i, const char *text)
{
	char quoted[2 * SCRIPT_TEXT_BYTES];
	gnuplot_quote(text, quoted, sizeof quoted);
	script_put(p, name, i, "%s", quoted);
}

/* Never an integer in gnuplot: quotients of its integers are integers too. */
static void script_number(struct script *p, const char *name, unsigned i, double x)
{
	if (!isfinite(x))
		script_put(p, name, i, "NaN");
	else
		script_put(p, name, i, "1.0 * %.12g", x);
}

/* Of n, at least one, for gnuplot has no empty arrays. */
static void script_array(struct script *p, const char *prefix, const char *key, unsigned n)
{
	fprintf(p->out, "array %s_%s[%u]\n", prefix, key, n ? n : 1);
}

/* Makes part of a file name from any text. */
static void put_prefix(struct script *p, const char *backend)
{
	char safe[TRIAL_NAME_BYTES];
	size_t n = 0;
	for (; *backend && n + 1 < sizeof safe; backend++)
		safe[n++] = isalnum((unsigned char)*backend) ? *backend : '-';
	safe[n] = 0;
	script_text(p, "prefix", 0, safe);
}

static struct db_rows *ask(const struct script *p, const char *sql)
{
	struct db_source *query = ARENA_NEW(p->arena, struct db_source);
	struct status st = {""};
	*query = (struct db_source){.file = "harness/report/gnuplot.c", .sql = sql};
	struct db_rows *rows = db_ask(p->db, query, &st);
	arena_need(p->arena, rows != NULL);
	return rows;
}

static void put_arrays(struct script *p)
{
	struct status ignored = {""};
	struct db_rows *rows =
	    ask(p, "SELECT name, max(at) FROM assigned WHERE at GROUP BY name ORDER BY name");
	while (db_next(rows))
		fprintf(p->out, "array %s[%s]\n", db_text(rows, 0), db_text(rows, 1));
	db_end(rows, &ignored);
}

/* What plots.sql assigns: texts, whole numbers, others. */
static void put_assigned(struct script *p)
{
	struct status ignored = {""};
	struct db_rows *rows =
	    ask(p, "SELECT name, at, typeof(value), value FROM assigned ORDER BY name, at");
	while (db_next(rows)) {
		const char *name = db_text(rows, 0), *kind = db_text(rows, 2);
		const unsigned at = (unsigned)db_real(rows, 1);
		if (!strcmp(kind, "text"))
			script_text(p, name, at, db_text(rows, 3));
		else if (!strcmp(kind, "integer"))
			script_put(p, name, at, "%s", db_text(rows, 3));
		else
			script_number(p, name, at, db_real(rows, 3));
	}
	db_end(rows, &ignored);
}

/* ---- what chapters tell ----------------------------------------------------------------- */

/* A number, an interval's estimate, or a text as people read it. */
static void put_entry(struct script *p, const char *array, unsigned row, const struct entry *e)
{
	const bool counts = e->kind == KIND_COUNT || e->kind == KIND_FLAG;
	char text[ENTRY_TEXT_BYTES] = "";
	if (counts && e->has) {
		script_put(p, array, row, "%lld", e->count);
		return;
	}
	if (e->kind == KIND_BYTES && e->has) { /* to the last digit: 1 GiB is not 1.02e+03 MiB */
		script_put(p, array, row, "1.0 * %lld", e->count);
		return;
	}
	if (counts || e->kind == KIND_BYTES || e->kind == KIND_NUMBER || e->kind == KIND_SHARE ||
	    e->kind == KIND_SPREAD || e->kind == KIND_RATIO) {
		script_number(p, array, row, e->has ? e->x : NAN);
		return;
	}
	if (e->has)
		entry_write(e, text, sizeof text);
	script_text(p, array, row, text);
}

static void put_drawn(struct script *p, const struct story_table *t)
{
	const struct story_form *form = t->form;
	char name[160];
	fputc('\n', p->out);
	snprintf(name, sizeof name, "%s_rows", form->name);
	script_put(p, name, 0, "%u", t->nrows);
	for (unsigned c = 0; c < form->ncolumns && form->drawn == STORY_ARRAYS; c++) {
		script_array(p, form->name, form->columns[c].key, t->nrows);
		snprintf(name, sizeof name, "%s_%s", form->name, form->columns[c].key);
		for (unsigned r = 0; r < t->nrows; r++) {
			const struct entry e = story_row(t, r)[form->columns[c].at];
			put_entry(p, name, r + 1, &e);
		}
	}
	fputc('\n', p->out);
	table_write_gnuplot(t, p->out);
}

/* Each chapter's captions as one text, and its tables that are drawn. */
static void put_told(struct script *p, const struct story *story)
{
	for (unsigned i = 0; i < story->nchapters; i++) {
		const struct story_chapter *c = &story->chapters[i];
		char name[96], said[SCRIPT_TEXT_BYTES] = "";
		for (unsigned b = 0; b < c->nblocks; b++) {
			const struct story_sentence *s = c->blocks[b].sentence;
			const struct story_table *t =
			    c->blocks[b].kind == STORY_TABLE ? c->blocks[b].table : NULL;
			if (s && s->roles & STORY_CAPTION)
				status_add(said, sizeof said, "%s%s", *said ? " " : "", s->text);
			if (t && t->form->drawn)
				put_drawn(p, t);
		}
		/* One sentence is a title. */
		char *end = strchr(said, '.');
		while (end && end[1] && end[1] != ' ')
			end = strchr(end + 1, '.');
		if (end && !end[1])
			*end = '\0';
		snprintf(name, sizeof name, "said_%s", c->chapter->name);
		if (*said)
			script_text(p, name, 0, said);
	}
}

int gnuplot_write(const struct model *m, const char *plots, unsigned *variants, struct status *st)
{
	if (model_ask(m, "plotted", "SELECT 1", "harness/report/plots.sql", st) ||
	    export_lines(m->arena, m->db, "SELECT line FROM ecdf ORDER BY place, variant, at",
	                 arena_text(m->arena, "%s/ecdf.csv", plots), st) ||
	    export_lines(m->arena, m->db,
	                 "SELECT line FROM timeline ORDER BY coll_nth, variant, rank",
	                 arena_text(m->arena, "%s/timeline.csv", plots), st))
		return -1;
	struct output *output = output_open(m->arena, arena_text(m->arena, "%s/run.gp", plots), st);
	if (!output)
		return -1;
	struct script p = {.out = output->out, .arena = m->arena, .db = m->db};
	fputs("# Made by launchgap report from trials.jsonl; read by the files of plot/.\n", p.out);
	put_arrays(&p);
	put_assigned(&p);
	put_prefix(&p, run_text(&m->run, "backend"));
	put_told(&p, &m->story);
	struct db_rows *rows = ask(&p, "SELECT count(*) FROM plotted_variant");
	struct status ignored = {""};
	*variants = db_next(rows) ? (unsigned)db_real(rows, 0) : 0;
	db_end(rows, &ignored);
	return output_close(output, 0, st);
}
