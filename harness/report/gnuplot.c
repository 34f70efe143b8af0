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

/* A drawn variant, from 1 on in the order of pictures. */
struct drawn {
	const char *name, *mode;
	unsigned family;
};

/* The file as it is written: assignments, arrays and data blocks, no path and no unquoted text. All
 * borrowed. */
struct script {
	FILE *out;
	struct arena *arena;
	struct db *db;
	struct drawn *drawn;
	unsigned n, lines; /* so many of each, lines as they are written */
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

/* ---- lines of curves -------------------------------------------------------------------- */

static void read_drawn(struct script *p)
{
	struct status ignored = {""};
	struct db_rows *rows = ask(p, "SELECT name, mode, family FROM plotted_variant ORDER BY at");
	for (; db_next(rows); p->n++) {
		p->drawn = arena_more(p->arena, p->drawn, p->n, sizeof *p->drawn);
		p->drawn[p->n] = (struct drawn){arena_copy(p->arena, db_text(rows, 0)),
		                                arena_copy(p->arena, db_text(rows, 1)),
		                                (unsigned)db_real(rows, 2)};
	}
	db_end(rows, &ignored);
}

static bool coincide(const double *a, const double *b, unsigned nsizes, double tolerance)
{
	for (unsigned k = 0; k < nsizes; k++)
		if (isnan(a[k]) != isnan(b[k]) || fmax(a[k], b[k]) > tolerance * fmin(a[k], b[k]))
			return false;
	return true;
}

unsigned gnuplot_merge(const double *values, unsigned n, unsigned nsizes, double tolerance,
                       unsigned *line)
{
	unsigned lines = 0;
	for (unsigned i = 0; i < n; i++) {
		line[i] = 0;
		for (unsigned k = 0; k < i && line[i] < lines; k++)
			if (line[k] == line[i] &&
			    !coincide(values + (size_t)i * nsizes, values + (size_t)k * nsizes, nsizes,
			           tolerance)) {
				line[i]++;
				k = (unsigned)-1; /* against all of the next line */
			}
		lines += line[i] == lines;
	}
	return lines;
}

/* One line with its name, of all of its variants, cut to the size of a key's two rows. Returns
 * whether it covers several modes. */
static bool put_line(struct script *p, const unsigned *variants, const unsigned *line, unsigned n,
                     unsigned nth)
{
	unsigned first = n, members = 0, named = 0;
	bool joint = false;
	char text[256] = "";
	for (unsigned i = 0; i < n; i++)
		members += line[i] == nth;
	for (unsigned i = 0; i < n; i++) {
		const struct drawn *v = &p->drawn[variants[i]];
		size_t at = strlen(text);
		if (line[i] != nth)
			continue;
		first = first == n ? i : first;
		joint |= strcmp(v->mode, p->drawn[variants[first]].mode) != 0;
		if (at > 180 || strlen(v->name) > 60)
			continue;
		named++;
		status_add(text, sizeof text, "%s%s",
		           !at                ? ""
		           : named == members ? " and "
		                              : ", ",
		           v->name);
	}
	if (!named)
		snprintf(text, sizeof text, "%.60s…", p->drawn[variants[first]].name);
	if (named < members && members > 1)
		status_add(text, sizeof text, " and %u more", members - (named ? named : 1));
	p->lines++;
	script_put(p, "L_variant", p->lines, "%u", variants[first] + 1);
	script_put(p, "L_joint", p->lines, "%d", joint);
	script_text(p, "L_name", p->lines, text);
	return joint;
}

/* A figure's curves, variant after variant, those without any value left out; their variants. Returns
 * how many. */
static unsigned read_curves(struct script *p, unsigned group, unsigned nsizes, const char *figure,
                            double *values, unsigned *variants)
{
	const char *sql =
	    arena_text(p->arena,
	               "SELECT at - 1, %s FROM plotted_curve WHERE grp = %u AND at IN "
	               "(SELECT at FROM plotted_curve WHERE grp = %u AND %s > 0) "
	               "ORDER BY at, nth",
	               figure, group, group, figure);
	struct db_rows *rows = ask(p, sql);
	struct status ignored = {""};
	unsigned n = 0;
	for (; db_next(rows); n++) {
		const double x = db_real(rows, 1);
		values[n] = x > 0 ? x : NAN;
		variants[n / nsizes] = (unsigned)db_real(rows, 0);
	}
	db_end(rows, &ignored);
	return n / nsizes;
}

/* The lines of a group's figure, as a list of their numbers, and within how many per cent the
 * curves of one line are the same. More than a panel has room for go to further ones. */
static void put_lines(struct script *p, unsigned group, unsigned nsizes, double within,
                      const char *figure)
{
	char list[512] = "";
	const struct arena_mark mark = arena_mark(p->arena);
	double *values = ARENA_ARRAY(p->arena, double, (size_t)p->n *nsizes);
	unsigned *variants = ARENA_ARRAY(p->arena, unsigned, 2 * (size_t)p->n + 1), *line;
	line = variants + p->n;
	const unsigned n = read_curves(p, group, nsizes, figure, values, variants),
	               lines = gnuplot_merge(values, n, nsizes, 1 + within, line);
	bool taken[8] = {false};
	for (unsigned i = 0, at = 0; i < lines; i++) {
		while (line[at] != i)
			at++;
		/* Lines of several modes share one colour, so that none shares its dash. */
		unsigned dash = p->drawn[variants[at]].family;
		bool joint = put_line(p, variants, line, n, i);
		while (joint && dash < 8 && taken[dash])
			dash++;
		if (joint && dash < 8)
			taken[dash] = true;
		script_put(p, "L_dash", p->lines, "%u", dash);
		status_add(list, sizeof list, "%s%u", i ? " " : "", p->lines);
	}
	script_text(p, arena_text(p->arena, "G_%s_lines", figure), group, list);
	script_number(p, arena_text(p->arena, "G_%s_alike", figure), group,
	              lines < n ? 100 * within : NAN);
	arena_release(p->arena, mark);
}

static void put_groups(struct script *p)
{
	static const char *const figures[] = {"busbw", "time", "launch"}, *const of_line[] = {
	                                                                      "variant", "joint",
	                                                                      "dash", "name"};
	struct status ignored = {""};
	unsigned *sizes = NULL, n = 0;
	double *within = NULL; /* where its A/A lines do not tell, no lines are one */
	struct db_rows *rows =
	    ask(p, "SELECT sizes, iif((SELECT coalesce(min(iif(r.pace = g.pace, tells, NULL)), "
	           "min(tells)) FROM regime r), margin, -1) FROM drawn_group g, given, drawn "
	           "WHERE collectives <= \"each\" ORDER BY nth");
	for (; db_next(rows); n++) {
		sizes = arena_more(p->arena, sizes, n, sizeof *sizes);
		sizes[n] = (unsigned)db_real(rows, 0);
		within = arena_more(p->arena, within, n, sizeof *within);
		within[n] = db_real(rows, 1);
	}
	db_end(rows, &ignored);
	for (unsigned i = 0; i < 4; i++)
		script_array(p, "L", of_line[i], 3 * n * p->n);
	for (unsigned k = 0; k < 3; k++) {
		script_array(p, "G", arena_text(p->arena, "%s_lines", figures[k]), n);
		script_array(p, "G", arena_text(p->arena, "%s_alike", figures[k]), n);
	}
	for (unsigned g = 0; g < n; g++)
		for (unsigned k = 0; k < 3; k++)
			put_lines(p, g + 1, sizes[g], within[g], figures[k]);
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
	read_drawn(&p);
	if (p.n)
		put_groups(&p);
	put_told(&p, &m->story);
	*variants = p.n;
	return output_close(output, 0, st);
}
