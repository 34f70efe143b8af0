#include "gnuplot.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "../chapters/run.h"
#include "../data/format.h"
#include "../analysis/calls.h"
#include "../analysis/plot_order.h"
#include "model.h"
#include "output.h"
#include "table.h"

#define SCRIPT_TEXT_BYTES 1024

/* The file as it is written: assignments, arrays and data blocks, no path and no unquoted text. All
 * borrowed but the order. */
struct script {
	FILE *out;
	struct arena *arena;
	const struct summary *s;
	struct plot_order order;
	unsigned lines; /* that were written */
	unsigned colls; /* plot_order_collectives */
};

/* ---- the language ----------------------------------------------------------------------- */

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

/* Arrays of n (at least one, for gnuplot has no empty arrays), each named prefix_word; `words`:
 * separated by blanks. */
static void script_arrays(struct script *p, unsigned n, const char *prefix, const char *words)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		fprintf(p->out, "array %s_%.*s[%u]\n", prefix, (int)len, words, n ? n : 1);
	}
}

/* ---- the run ---------------------------------------------------------------------------- */

/* The library versions of the drawn variants, each once: "2.28.3 and 2.21.5". */
static void list_libraries(const struct summary *s, char *text, size_t bytes)
{
	const char *last = "";
	text[0] = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *library = s->variants[v].library;
		if (!plot_order_has(s, v) || !*library || strstr(text, library) ||
		    !strcmp(last, library))
			continue;
		if (*last)
			status_add(text, bytes, "%s%.60s", *text ? ", " : "", last);
		last = library;
	}
	if (*last)
		status_add(text, bytes, "%s%.60s", *text ? " and " : "", last);
}

/* Machine and library, for titles: "2 × H200, NCCL 2.28.3", "4 ranks, host". */
static void put_where(struct script *p)
{
	const struct summary *s = p->s;
	const char *name, *backend = run_text(s->run, "backend");
	unsigned shown = 0;
	while (shown < s->ngroups && !plot_order_has_group(s, shown))
		shown++;
	unsigned ranks = s->ngroups ? s->groups[shown % s->ngroups].nranks : 0;
	size_t gpus = summary_gpus(s, &name);
	char text[512], library[256], upper[64];
	size_t n = 0;
	for (; backend[n] && n + 1 < sizeof upper; n++)
		upper[n] = (char)toupper((unsigned char)backend[n]);
	upper[n] = 0;
	n = 0;
	if (!strncmp(name, "NVIDIA ", 7))
		name += 7;
	if (gpus == ranks && gpus)
		n = (size_t)snprintf(text, sizeof text, "%zu × %.40s", gpus, name);
	else
		n = (size_t)snprintf(text, sizeof text, "%u rank%s%s%.40s", ranks,
		                     format_plural(ranks), gpus ? " on " : "", gpus ? name : "");
	list_libraries(s, library, sizeof library);
	if (*library)
		snprintf(text + n, sizeof text - n, ", %s %s", upper, library);
	else
		snprintf(text + n, sizeof text - n, ", %.60s", backend);
	script_text(p, "where", 0, text);
	script_text(p, "library_name", 0, upper);
	script_text(p, "library", 0, library);
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

static void put_run(struct script *p)
{
	static const char *const counts[] = {"stretches", "calls"};
	const struct summary *s = p->s;
	const json_t *env = s->run->environment;
	char text[512];
	fprintf(p->out,
	        "# Made by launchgap report from trials.jsonl; read by the files of plot/.\n");
	script_text(p, "title", 0, run_text(s->run, "title"));
	put_prefix(p, run_text(s->run, "backend"));
	run_machine(s, text, sizeof text);
	script_text(p, "machine", 0, text);
	put_where(p);
	script_text(p, "reference", 0, s->reference < 0 ? "" : s->variants[s->reference].name);
	script_put(p, "blocks", 0, "%u", s->nblocks);
	for (unsigned i = 0; i < 2; i++)
		script_put(p, counts[i], 0, "%lld",
		           (long long)json_integer_value(json_object_get(env, counts[i])));
	snprintf(text, sizeof text, s->least_calls < s->isolated_calls ? "%u to %u" : "%u",
	         s->least_calls, s->isolated_calls);
	script_text(p, "isolated_calls", 0, text);
	script_number(p, "margin", 0, s->margin);
	script_put(p, "carries_data", 0, "%d", s->carries_data);
	script_put(p, "comparable", 0, "%d", !s->uncompared && s->reference >= 0);
}

static void put_variants(struct script *p)
{
	const struct summary *s = p->s;
	fprintf(p->out,
	        "\n# the variants, the most important first, and so many that the experiment is "
	        "about (main); left out: measured, but too many for the pictures\n");
	script_put(p, "variants", 0, "%u", p->order.n);
	script_put(p, "main", 0, "%u", p->order.main);
	script_put(p, "left_out", 0, "%u", plot_order_left_out(s));
	script_arrays(p, p->order.n, "V", "name label mode role family");
	for (unsigned i = 0; i < p->order.n; i++) {
		const struct summary_variant *v = &s->variants[p->order.variants[i]];
		char label[160];
		snprintf(label, sizeof label, "%s%s",
		         v->role == ROLE_AGAIN && s->reference >= 0 ? s->variants[s->reference].name
		                                                    : v->name,
		         v->role == ROLE_AGAIN ? " again (A/A)" : "");
		script_text(p, "V_name", i + 1, v->name);
		script_text(p, "V_label", i + 1, label);
		script_text(p, "V_mode", i + 1, v->mode);
		script_text(p, "V_role", i + 1, summary_role_name(v->role));
		script_put(p, "V_family", i + 1, "%u", p->order.families[i]);
	}
}

/* Panels of ratios: the variants compared with the reference, families together. With the
 * reference's line, a panel has no more lines than it can take. */
static void put_ratio_panels(struct script *p)
{
	unsigned panel = 0, lines = 0, n = p->order.n;
	char lists[64][64] = {{0}};
	bool done[256] = {false};
	for (unsigned i = 1; i < n && i < 256; i++) {
		unsigned family[256], size = 0;
		for (unsigned k = i; k < n && k < 256 && !done[i]; k++)
			if (p->order.families[k] == p->order.families[i] && !done[k])
				family[size++] = k;
		for (unsigned k = 0; k < size; k++) {
			if (lines == PLOT_ORDER_LINES - 1 ||
			    (!k && lines + size > PLOT_ORDER_LINES - 1 && lines)) {
				panel += panel < 63;
				lines = 0;
			}
			done[family[k]] = true;
			status_add(lists[panel], sizeof lists[0], "%s%u", *lists[panel] ? " " : "",
			           family[k] + 1);
			lines++;
		}
	}
	fprintf(p->out, "\n# panels of ratios: numbers of variants\n");
	script_put(p, "ratio_panels", 0, "%u", panel + (lines > 0));
	script_arrays(p, panel + 1, "R", "list");
	for (unsigned i = 0; i <= panel; i++)
		script_text(p, "R_list", i + 1, lists[i]);
}

static void put_limit(struct script *p)
{
	const struct summary *s = p->s;
	unsigned sizes = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		sizes += s->variants[s->rows[i].variant].role == ROLE_LIMIT &&
		         !isnan(s->rows[i].busbw_gbs) && s->rows[i].cell.pace == PACE_STREAM;
	fprintf(p->out, "\n# the measured limit: at how many sizes, and its best, GB/s\n");
	script_put(p, "limit_sizes", 0, "%u", sizes);
	script_number(p, "limit_best", 0, summary_limit(s, 0));
}

/* ---- groups ---------------------------------------------------------------------------- */

/* The figures that are drawn as lines. */
enum figure { FIGURE_BUSBW, FIGURE_TIME, FIGURE_LAUNCH, FIGURES };

static double figure_of(const struct summary_row *row, enum figure figure)
{
	return !row                      ? NAN
	       : figure == FIGURE_BUSBW  ? row->busbw_gbs
	       : figure == FIGURE_LAUNCH ? row->launch_us
	                                 : row->time_us;
}

static unsigned groups_of(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		n += plot_order_has_group(s, g);
	return n;
}

/* One line with its name, of all of its variants, cut to the size of a key's two rows. Returns
 * whether it covers several modes. */
static bool put_line(struct script *p, const unsigned *variants, const unsigned *line, unsigned n,
                     unsigned nth)
{
	const struct summary *s = p->s;
	unsigned first = n, members = 0, named = 0;
	bool joint = false;
	char text[256] = "";
	for (unsigned i = 0; i < n; i++)
		members += line[i] == nth;
	for (unsigned i = 0; i < n; i++) {
		const struct summary_variant *v = &s->variants[p->order.variants[variants[i]]];
		size_t at = strlen(text);
		if (line[i] != nth)
			continue;
		first = first == n ? i : first;
		joint |= strcmp(v->mode, s->variants[p->order.variants[variants[first]]].mode) != 0;
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
		snprintf(text, sizeof text, "%.60s…",
		         s->variants[p->order.variants[variants[first]]].name);
	if (named < members && members > 1)
		status_add(text, sizeof text, " and %u more", members - (named ? named : 1));
	p->lines++;
	script_put(p, "L_variant", p->lines, "%u", variants[first] + 1);
	script_put(p, "L_joint", p->lines, "%d", joint);
	script_text(p, "L_name", p->lines, text);
	return joint;
}

/* The lines of a group's figure, as a list of their numbers, and within how many per cent the
 * curves of one line are the same. More than a panel has room for go to further ones. */
static void put_lines(struct script *p, unsigned group, unsigned k, enum figure figure,
                      const char *name)
{
	const struct summary_group *g = &p->s->groups[group];
	unsigned n = 0;
	char list[512] = "";
	const struct arena_mark mark = arena_mark(p->arena);
	double *values = ARENA_ARRAY(p->arena, double, (size_t)p->order.n * g->nsizes);
	unsigned *variants = ARENA_ARRAY(p->arena, unsigned, 2 * (size_t)p->order.n), *line;
	line = variants + p->order.n;
	for (unsigned i = 0; i < p->order.n; i++) {
		unsigned v = p->order.variants[i], sizes = 0;
		for (unsigned b = 0; b < g->nsizes; b++) {
			double *x = &values[n * g->nsizes + b];
			*x = figure_of(index_at(p->s, v, group, b), figure);
			*x = isfinite(*x) && *x > 0 ? *x : NAN;
			sizes += !isnan(*x);
		}
		if (sizes && p->s->variants[v].role != ROLE_AGAIN)
			variants[n++] = i;
	}
	const unsigned lines = plot_order_merge(values, n, g->nsizes, 1 + p->s->margin, line);
	bool taken[8] = {false};
	for (unsigned i = 0, at = 0; i < lines; i++) {
		while (line[at] != i)
			at++;
		/* Lines of several modes share one colour, so that none shares its dash. */
		unsigned dash = p->order.families[variants[at]];
		bool joint = put_line(p, variants, line, n, i);
		while (joint && dash < 8 && taken[dash])
			dash++;
		if (joint && dash < 8)
			taken[dash] = true;
		script_put(p, "L_dash", p->lines, "%u", dash);
		status_add(list, sizeof list, "%s%u", i ? " " : "", p->lines);
	}
	char text[64];
	snprintf(text, sizeof text, "G_%s_lines", name);
	script_text(p, text, k, list);
	snprintf(text, sizeof text, "G_%s_alike", name);
	script_number(p, text, k, lines < n ? 100 * p->s->margin : NAN);
	arena_release(p->arena, mark);
}

static void put_group(struct script *p, unsigned group, unsigned k)
{
	const struct summary *s = p->s;
	const struct summary_group *g = &s->groups[group];
	script_text(p, "G_coll", k, coll_word(&g->cell, g->nranks).text);
	script_text(p, "G_pace", k, coll_pace_name(g->cell.pace));
	script_put(p, "G_ranks", k, "%u", g->nranks);
	script_put(p, "G_sizes", k, "%u", g->nsizes);
	script_number(p, "G_max", k, (double)g->asked_bytes[g->nsizes - 1]);
	fprintf(p->out, "G_list[%u] = '", k);
	for (unsigned i = 0; i < g->nsizes; i++)
		fprintf(p->out, "%s%zu.0", i ? " " : "", g->asked_bytes[i]);
	fprintf(p->out, "'\n");
	double split = 0;
	for (unsigned i = g->nsizes; i-- && plot_order_is_large(s, g->asked_bytes[i]);)
		split = (double)g->asked_bytes[i];
	script_number(p, "G_split", k, split);
	if (p->colls > PLOT_ORDER_EACH)
		return;
	put_lines(p, group, k, FIGURE_BUSBW, "busbw");
	put_lines(p, group, k, FIGURE_TIME, "time");
	put_lines(p, group, k, FIGURE_LAUNCH, "launch");
}

static void put_groups(struct script *p)
{
	const struct summary *s = p->s;
	unsigned n = groups_of(s), k = 0;
	fprintf(p->out, "\n# pictures of each collective? launch, ranks, ecdf and timeline too?\n");
	script_put(p, "each", 0, "%d", p->colls <= PLOT_ORDER_EACH);
	script_put(p, "detail", 0, "%d", p->colls <= PLOT_ORDER_DETAIL);
	script_put(p, "collectives", 0, "%u", p->colls);
	fprintf(p->out,
	        "\n# one per collective and pace: its sizes (large ones from G_split on) and its "
	        "lines; what it shows is in captions\n");
	script_put(p, "groups", 0, "%u", n);
	script_arrays(p, n, "G",
	              "coll pace ranks sizes max list split busbw_lines time_lines launch_lines "
	              "busbw_alike time_alike launch_alike");
	fprintf(p->out, "# the lines: their first variant, whether of several modes, dash\n");
	script_arrays(p, 3 * n * p->order.n, "L", "variant joint dash name");
	for (unsigned g = 0; g < s->ngroups; g++)
		if (plot_order_has_group(s, g))
			put_group(p, g, ++k);
}

/* ---- single calls ----------------------------------------------------------------------- */

static void put_panels(struct script *p)
{
	const struct summary *s = p->s;
	double *room = calls_room(s, p->arena);
	unsigned n = groups_of(s), k = 0;
	fprintf(p->out, "\n# panels of the ecdf, by group\n");
	script_arrays(p, n, "E", "panels");
	script_arrays(p, n * CALLS_PANELS, "E", "bytes lo hi");
	for (unsigned g = 0; g < s->ngroups; g++) {
		struct calls_panel panels[CALLS_PANELS];
		if (!plot_order_has_group(s, g))
			continue;
		unsigned at = CALLS_PANELS * k++;
		unsigned count = calls_panels(s, g, p->order.variants, p->order.n, room, panels);
		script_put(p, "E_panels", k, "%u", count);
		for (unsigned i = 0; i < count; i++) {
			script_number(p, "E_bytes", ++at, (double)panels[i].bytes);
			script_number(p, "E_lo", at, panels[i].lo_us);
			script_number(p, "E_hi", at, panels[i].hi_us);
		}
	}
}

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
		script_arrays(p, t->nrows, form->name, form->columns[c].key);
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

int gnuplot_write(const struct model *m, const struct plot_order *order, const char *file,
                  struct status *st)
{
	const struct summary *s = m->summary;
	struct output *output = output_open(m->arena, file, st);
	if (!output)
		return -1;
	struct script p = {.out = output->out,
	                   .arena = m->arena,
	                   .s = s,
	                   .order = *order,
	                   .colls = plot_order_collectives(s)};
	put_run(&p);
	if (plot_order_count(s)) {
		put_variants(&p);
		put_ratio_panels(&p);
		put_groups(&p);
		put_panels(&p);
	}
	put_limit(&p);
	put_told(&p, &m->story);
	return output_close(output, 0, st);
}
