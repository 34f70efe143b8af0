#include "gnuplot.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/words.h"
#include "../analysis/captions.h"
#include "../analysis/drawn.h"
#include "output.h"
#include "tables.h"

#define TEXT_BYTES 1024
#define GAIN_MOST  4   /* bars beside each other */
#define WIDEST     10u /* so many margins apart are curves at most that are called alike */

/* What all parts of the file are made from. */
struct script {
	FILE *out;
	const struct summary *s;
	const struct findings *f;
	const struct regimes *regimes;
	struct drawn_order order;
	unsigned lines; /* that were put */
	unsigned colls; /* gnuplot_collectives */
};

void gnuplot_quote(const char *text, char *out, size_t bytes)
{
	/* Of two single quotes side by side gnuplot makes what it likes. */
	char quote = strchr(text, '\'') ? '"' : '\'';
	size_t n = 0;
	out[n++] = quote;
	while (*text) {
		char part[8] = {0};
		size_t len = 1;
		unsigned char c = (unsigned char)*text;
		if (c < ' ' || c == 0x7F)
			part[0] = ' ';
		else if (quote == '"' && c < 0x80 && c != ' ' && !isalpha(c))
			len = (size_t)sprintf(part, "\\%03o", c);
		else
			for (len = 0;
			     len < 4 && (!len || ((unsigned char)text[len] & 0xC0) == 0x80);
			     len++)
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

/* `name = value`, or of an array its i-th, from 1. */
static void put(struct script *p, const char *name, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put(struct script *p, const char *name, unsigned i, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	fputs(name, p->out);
	fprintf(p->out, i ? "[%u] = " : " = ", i);
	vfprintf(p->out, format, list);
	fputc('\n', p->out);
	va_end(list);
}

static void put_text(struct script *p, const char *name, unsigned i, const char *text)
{
	char quoted[2 * TEXT_BYTES];
	gnuplot_quote(text, quoted, sizeof quoted);
	put(p, name, i, "%s", quoted);
}

/* Never an integer of gnuplot's, whose quotients are integers too. */
static void put_number(struct script *p, const char *name, unsigned i, double x)
{
	if (!isfinite(x))
		put(p, name, i, "NaN");
	else
		put(p, name, i, "1.0 * %.9g", x);
}

/* Arrays of n (one at least, for gnuplot has no empty ones), each named prefix_word. */
static void put_arrays(struct script *p, unsigned n, const char *prefix, const char *words)
{
	for (size_t len; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		fprintf(p->out, "array %s_%.*s[%u]\n", prefix, (int)len, words, n ? n : 1);
	}
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* How many GPUs the ranks may be, and what they are; 0: they are none. */
static size_t gpus_of(const struct summary *s, const char **name)
{
	const json_t *machine = json_object_get(s->run->environment, "machine");
	const json_t *gpus = json_object_get(machine, "gpus"), *gpu = json_array_get(gpus, 0);
	*name = gpu && json_is_string(gpu) ? json_string_value(gpu) : text_of(gpu, "name");
	return record_traits(s->run, NULL)->gpus ? json_array_size(gpus) : 0;
}

void gnuplot_machine(const struct summary *s, char *text, size_t bytes)
{
	const char *name,
	    *cpu = text_of(json_object_get(s->run->environment, "machine"), "cpu");
	size_t gpus = gpus_of(s, &name), n = 0;
	text[0] = 0;
	if (gpus)
		n = (size_t)snprintf(text, bytes, "%zu × %.80s, ", gpus, name);
	snprintf(text + n, bytes - n, "%.100s, %u core%s", *cpu ? cpu : "unknown processor",
	         s->ncores, s->ncores == 1 ? "" : "s");
}

bool gnuplot_drawable(const struct summary *s)
{
	return drawn_count(s) > 0;
}

/* The library versions of the drawn variants, each once: "2.28.3 and 2.21.5". */
static void list_libraries(const struct summary *s, char *text, size_t bytes)
{
	const char *last = "";
	text[0] = 0;
	for (unsigned v = 0; v < s->nvariants; v++) {
		const char *library = s->variants[v].library;
		if (!drawn_is(s, v) || !*library || strstr(text, library) ||
		    !strcmp(last, library))
			continue;
		if (*last)
			words_add(text, bytes, "%s%.60s", *text ? ", " : "", last);
		last = library;
	}
	if (*last)
		words_add(text, bytes, "%s%.60s", *text ? " and " : "", last);
}

/* Where it was measured, for titles: "2 × H200, NCCL 2.28.3", "4 ranks, host". */
static void put_where(struct script *p)
{
	const struct summary *s = p->s;
	const char *name, *backend = text_of(s->run->environment, "backend");
	unsigned ranks = s->ngroups ? s->groups[0].nranks : 0;
	size_t gpus = gpus_of(s, &name);
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
		                     ranks == 1 ? "" : "s", gpus ? " on " : "",
		                     gpus ? name : "");
	list_libraries(s, library, sizeof library);
	if (*library)
		snprintf(text + n, sizeof text - n, ", %s %s", upper, library);
	else
		snprintf(text + n, sizeof text - n, ", %.60s", backend);
	put_text(p, "where", 0, text);
	put_text(p, "library_name", 0, upper);
	put_text(p, "library", 0, library);
}

/* A file name's part out of any text. */
static void put_prefix(struct script *p, const char *backend)
{
	char safe[TRIAL_NAME_BYTES];
	size_t n = 0;
	for (; *backend && n + 1 < sizeof safe; backend++)
		safe[n++] = isalnum((unsigned char)*backend) ? *backend : '-';
	safe[n] = 0;
	put_text(p, "prefix", 0, safe);
}

static void put_run(struct script *p)
{
	static const char *const counts[] = {"stretches", "calls", "isolated_calls"};
	const struct summary *s = p->s;
	const json_t *env = s->run->environment;
	char text[512];
	fprintf(p->out,
	        "# Made by launchgap report from trials.jsonl; read by the files of plot/.\n");
	put_text(p, "title", 0, text_of(env, "title"));
	put_prefix(p, text_of(env, "backend"));
	gnuplot_machine(s, text, sizeof text);
	put_text(p, "machine", 0, text);
	put_where(p);
	put_text(p, "reference", 0, s->reference < 0 ? "" : s->variants[s->reference].name);
	put(p, "blocks", 0, "%u", s->nblocks);
	for (unsigned i = 0; i < 3; i++)
		put(p, counts[i], 0, "%lld",
		    (long long)json_integer_value(json_object_get(env, counts[i])));
	put_number(p, "margin", 0, s->margin);
	put(p, "carries_data", 0, "%d", s->carries_data);
	put(p, "comparable", 0, "%d", !s->uncompared[0] && s->reference >= 0);
}

static void put_variants(struct script *p)
{
	const struct summary *s = p->s;
	fprintf(
	    p->out,
	    "\n# the variants, the most important first, and so many that the experiment is "
	    "about (main); left out: measured, but too many for the pictures\n");
	put(p, "variants", 0, "%u", p->order.n);
	put(p, "main", 0, "%u", p->order.main);
	put(p, "left_out", 0, "%u", drawn_left_out(s));
	put_arrays(p, p->order.n, "V", "name label mode role family");
	for (unsigned i = 0; i < p->order.n; i++) {
		const struct summary_variant *v = &s->variants[p->order.variants[i]];
		char label[160];
		snprintf(label, sizeof label, "%s%s",
		         v->role == ROLE_AGAIN && s->reference >= 0
		             ? s->variants[s->reference].name
		             : v->name,
		         v->role == ROLE_AGAIN ? " again (A/A)" : "");
		put_text(p, "V_name", i + 1, v->name);
		put_text(p, "V_label", i + 1, label);
		put_text(p, "V_mode", i + 1, v->mode);
		put_text(p, "V_role", i + 1, summary_role_name(v->role));
		put(p, "V_family", i + 1, "%u", p->order.families[i]);
	}
}

/* Panels of ratios: the variants against the reference, families together, and so many that
 * with the reference's they are no more lines than a panel takes. */
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
			if (lines == DRAWN_LINES - 1 ||
			    (!k && lines + size > DRAWN_LINES - 1 && lines)) {
				panel += panel < 63;
				lines = 0;
			}
			done[family[k]] = true;
			words_add(lists[panel], sizeof lists[0], "%s%u",
			          *lists[panel] ? " " : "", family[k] + 1);
			lines++;
		}
	}
	fprintf(p->out, "\n# panels of ratios: numbers of variants\n");
	put(p, "ratio_panels", 0, "%u", panel + (lines > 0));
	put_arrays(p, panel + 1, "R", "list");
	for (unsigned i = 0; i <= panel; i++)
		put_text(p, "R_list", i + 1, lists[i]);
}

static void put_limit(struct script *p)
{
	const struct summary *s = p->s;
	unsigned sizes = 0;
	for (unsigned i = 0; i < s->nrows; i++)
		sizes += s->variants[s->rows[i].variant].role == ROLE_LIMIT &&
		         !isnan(s->rows[i].busbw_gbs) && s->rows[i].cell.pace == PACE_STREAM;
	fprintf(p->out, "\n# the measured limit: at how many sizes, and its best, GB/s\n");
	put(p, "limit_sizes", 0, "%u", sizes);
	put_number(p, "limit_best", 0, summary_limit(s, 0));
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

/* The groups that pictures are made of: the limit's is in those of the others, and pairs have
 * pictures of their own. */
static bool in_picture(const struct summary *s, unsigned g)
{
	return !s->groups[g].limit && !(coll_info(s->groups[g].cell.coll)->is & COLL_PAIRS);
}

static unsigned groups_of(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++)
		n += in_picture(s, g);
	return n;
}

/* Whether two groups differ in their pace at most. */
static bool same_word(const struct summary_group *a, const struct summary_group *b)
{
	return !strcmp(coll_word(&a->cell, a->nranks).text,
	               coll_word(&b->cell, b->nranks).text);
}

unsigned gnuplot_collectives(const struct summary *s)
{
	unsigned n = 0;
	for (unsigned g = 0; g < s->ngroups; g++) {
		bool again = !in_picture(s, g);
		for (unsigned k = 0; !again && k < g; k++)
			again = in_picture(s, k) && same_word(&s->groups[k], &s->groups[g]);
		n += !again;
	}
	return n;
}

/* How far two figures of a size may be apart, as a ratio, and still be called alike: the
 * margin, or what the reference and its twin, which are the same, are apart there; a quarter at
 * most. */
static double tolerance_of(const struct script *p, unsigned group, size_t bytes,
                           enum figure figure, double margin)
{
	const struct summary *s = p->s;
	const struct summary_row *a = NULL, *b = NULL;
	double apart = 1;
	for (unsigned i = 0; i < p->order.n; i++) {
		unsigned v = p->order.variants[i];
		if (s->variants[v].role == ROLE_AGAIN)
			a = summary_find(s, v, group, bytes);
		if (s->variants[v].role == ROLE_REFERENCE)
			b = summary_find(s, v, group, bytes);
	}
	if (a && b) {
		double x = figure_of(a, figure), y = figure_of(b, figure);
		apart = fmax(x, y) / fmin(x, y);
		if (figure != FIGURE_LAUNCH) /* fmax passes over NaN */
			apart = fmax(apart, fmax(a->ratio.hi, 1 / a->ratio.lo));
	}
	return fmax(1 + margin, fmin(isfinite(apart) ? apart : 1, 1.25));
}

/* One line with its name, of all of its variants, cut to what a key's two rows hold. Returns
 * whether it is of several modes. */
static bool put_line(struct script *p, const unsigned *variants, const unsigned *line,
                     unsigned n, unsigned nth)
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
		joint |=
		    strcmp(v->mode, s->variants[p->order.variants[variants[first]]].mode) != 0;
		if (at > 180 || strlen(v->name) > 60)
			continue;
		named++;
		words_add(text, sizeof text, "%s%s",
		          !at                ? ""
		          : named == members ? " and "
		                             : ", ",
		          v->name);
	}
	if (!named)
		snprintf(text, sizeof text, "%.60s…",
		         s->variants[p->order.variants[variants[first]]].name);
	if (named < members && members > 1)
		words_add(text, sizeof text, " and %u more", members - (named ? named : 1));
	if (members > 1)
		words_add(text, sizeof text, ": alike");
	p->lines++;
	put(p, "L_variant", p->lines, "%u", variants[first] + 1);
	put(p, "L_joint", p->lines, "%d", joint);
	put_text(p, "L_name", p->lines, text);
	return joint;
}

/* The lines of a group's figure, as a list of their numbers, and within how many per cent those
 * of one are alike: the margin, more where there are too many lines for a panel. */
static int put_lines(struct script *p, unsigned group, unsigned k, enum figure figure,
                     const char *name, struct status *st)
{
	const struct summary_group *g = &p->s->groups[group];
	unsigned n = 0;
	char list[512] = "";
	double *values = malloc((p->order.n + 1) * g->nsizes * sizeof *values);
	unsigned *variants = malloc(2 * p->order.n * sizeof *variants), *line;
	if (!values || !variants) {
		free(values);
		free(variants);
		return status_set(st, "out of memory for the pictures' lines");
	}
	line = variants + p->order.n;
	for (unsigned i = 0; i < p->order.n; i++) {
		unsigned v = p->order.variants[i], sizes = 0;
		for (unsigned b = 0; b < g->nsizes; b++) {
			double *x = &values[n * g->nsizes + b];
			*x = figure_of(summary_find(p->s, v, group, g->bytes[b]), figure);
			*x = isfinite(*x) && *x > 0 ? *x : NAN;
			sizes += !isnan(*x);
		}
		if (sizes && p->s->variants[v].role != ROLE_AGAIN)
			variants[n++] = i;
	}
	double *tolerance = &values[n * g->nsizes];
	unsigned lines = DRAWN_LINES + 1;
	double margin = p->s->margin;
	for (unsigned times = 1; times <= WIDEST && lines > DRAWN_LINES; times++) {
		margin = p->s->margin * times;
		for (unsigned b = 0; b < g->nsizes; b++)
			tolerance[b] = tolerance_of(p, group, g->bytes[b], figure, margin);
		lines = drawn_merge(values, n, g->nsizes, tolerance, line);
	}
	bool taken[8] = {false};
	for (unsigned i = 0, at = 0; i < lines; i++) {
		while (line[at] != i)
			at++;
		/* Lines of several modes have one colour, so that none shares its dash. */
		unsigned dash = p->order.families[variants[at]];
		bool joint = put_line(p, variants, line, n, i);
		while (joint && dash < 8 && taken[dash])
			dash++;
		if (joint && dash < 8)
			taken[dash] = true;
		put(p, "L_dash", p->lines, "%u", dash);
		words_add(list, sizeof list, "%s%u", i ? " " : "", p->lines);
	}
	char text[64];
	snprintf(text, sizeof text, "G_%s_lines", name);
	put_text(p, text, k, list);
	snprintf(text, sizeof text, "G_%s_alike", name);
	put_number(p, text, k, lines < n ? 100 * margin : NAN);
	free(values);
	free(variants);
	return 0;
}

static int put_group(struct script *p, unsigned group, unsigned k, struct status *st)
{
	const struct summary *s = p->s;
	const struct summary_group *g = &s->groups[group];
	char said[CAPTION_BYTES];
	put_text(p, "G_coll", k, coll_word(&g->cell, g->nranks).text);
	put_text(p, "G_pace", k, coll_pace_name(g->cell.pace));
	put(p, "G_ranks", k, "%u", g->nranks);
	put(p, "G_sizes", k, "%u", g->nsizes);
	put_number(p, "G_max", k, (double)g->asked_bytes[g->nsizes - 1]);
	fprintf(p->out, "G_list[%u] = '", k);
	for (unsigned i = 0; i < g->nsizes; i++)
		fprintf(p->out, "%s%zu.0", i ? " " : "", g->asked_bytes[i]);
	fprintf(p->out, "'\n");
	double split = 0;
	for (unsigned i = g->nsizes; i-- && caption_is_large(s, g->asked_bytes[i]);)
		split = (double)g->asked_bytes[i];
	put_number(p, "G_split", k, split);
	if (p->colls > GNUPLOT_EACH)
		return 0;
	if (caption_group(s, p->regimes, &p->order, group, said, sizeof said, st))
		return -1;
	put_text(p, "G_said", k, said);
	caption_launch(s, &p->order, group, said, sizeof said);
	put_text(p, "G_launch_said", k, said);
	caption_ranks(s, &p->order, group, said, sizeof said);
	put_text(p, "G_ranks_said", k, said);
	caption_tail(s, &p->order, group, said, sizeof said);
	put_text(p, "G_tail_said", k, said);
	return put_lines(p, group, k, FIGURE_BUSBW, "busbw", st) ||
	               put_lines(p, group, k, FIGURE_TIME, "time", st) ||
	               put_lines(p, group, k, FIGURE_LAUNCH, "launch", st)
	           ? -1
	           : 0;
}

static int put_groups(struct script *p, struct status *st)
{
	const struct summary *s = p->s;
	unsigned n = groups_of(s), k = 0;
	char said[CAPTION_BYTES];
	fprintf(p->out,
	        "\n# pictures of each collective? launch, ranks, ecdf and timeline too?\n");
	put(p, "each", 0, "%d", p->colls <= GNUPLOT_EACH);
	put(p, "detail", 0, "%d", p->colls <= GNUPLOT_DETAIL);
	put(p, "collectives", 0, "%u", p->colls);
	caption_overview(s, &p->order, said, sizeof said);
	put_text(p, "overview_said", 0, said);
	fprintf(p->out,
	        "\n# one per collective and pace: its sizes (large ones from G_split on), its "
	        "lines, and what it shows\n");
	put(p, "groups", 0, "%u", n);
	put_arrays(p, n, "G",
	           "coll pace ranks sizes max list split busbw_lines time_lines launch_lines "
	           "busbw_alike time_alike launch_alike said launch_said ranks_said tail_said");
	fprintf(p->out, "# the lines: their first variant, whether of several modes, dash\n");
	put_arrays(p, 3 * n * p->order.n, "L", "variant joint dash name");
	for (unsigned g = 0; g < s->ngroups; g++)
		if (in_picture(s, g) && put_group(p, g, ++k, st))
			return -1;
	return 0;
}

/* A table as a data block of its name. */
static int put_table(struct script *p, struct table *table, struct status *st)
{
	int rc = table_failed(table) ? status_set(st, "out of memory for the pictures") : 0;
	fputc('\n', p->out);
	table_write_gnuplot(table, p->out);
	table_free(table);
	return rc;
}

/* ---- single calls ----------------------------------------------------------------------- */

static void put_panels(struct script *p)
{
	const struct summary *s = p->s;
	unsigned n = groups_of(s), k = 0;
	fprintf(p->out, "\n# panels of the ecdf, by group\n");
	put_arrays(p, n, "E", "panels");
	put_arrays(p, n * CALLS_PANELS, "E", "bytes lo hi");
	for (unsigned g = 0; g < s->ngroups; g++) {
		struct calls_panel panels[CALLS_PANELS];
		if (!in_picture(s, g))
			continue;
		unsigned at = CALLS_PANELS * k++;
		unsigned count = calls_panels(s, g, p->order.variants, p->order.n, panels);
		put(p, "E_panels", k, "%u", count);
		for (unsigned i = 0; i < count; i++) {
			put_number(p, "E_bytes", ++at, (double)panels[i].bytes);
			put_number(p, "E_lo", at, panels[i].lo_us);
			put_number(p, "E_hi", at, panels[i].hi_us);
		}
	}
}

/* Whether an earlier group is of the same collective. */
static bool again(const struct summary *s, unsigned group)
{
	for (unsigned g = 0; g < group; g++)
		if (s->groups[g].cell.coll == s->groups[group].cell.coll)
			return true;
	return false;
}

/* The timeline's calls, of the variants that the experiment is about. */
static void put_timeline(struct script *p)
{
	const struct summary *s = p->s;
	unsigned n = 0;
	fprintf(p->out, "\n# the calls of the timeline; variant: its number above\n");
	put_arrays(p, s->ngroups * p->order.main, "T",
	           "coll variant pass ranks bytes device total before residual said");
	for (unsigned g = 0; g < s->ngroups; g++) {
		struct calls_line line, first = {0};
		char said[CAPTION_BYTES] = "";
		unsigned from = n + 1;
		for (unsigned i = 0; !again(s, g) && i < p->order.main; i++) {
			line = calls_line_of(s, s->groups[g].cell.coll, p->order.variants[i]);
			if (!line.cell)
				continue;
			n++;
			caption_call(s, p->order.variants[i], &line, n == from, said,
			             sizeof said);
			if (n == from)
				first = line;
			put_text(p, "T_coll", n,
			         coll_word(&line.cell->cell, line.cell->nranks).text);
			put(p, "T_variant", n, "%u", i + 1);
			put_text(p, "T_pass", n, coll_pass_name(line.cell->cell.pass));
			put(p, "T_ranks", n, "%u", line.cell->nranks);
			put_number(p, "T_bytes", n, (double)line.cell->cell.bytes);
			put(p, "T_device", n, "%d", line.cell->device_clock);
			put_number(p, "T_total", n, line.total_us);
			put_number(p, "T_before", n, line.before_us);
			put_number(p, "T_residual", n, line.residual_us);
		}
		if (first.cell)
			put_text(p, "T_said", from, said);
	}
	put(p, "calls_shown", 0, "%u", n);
}

/* ---- findings --------------------------------------------------------------------------- */

/* What grey says in a picture of effects; `intervals`: there are any. */
static void put_grey(struct script *p, const char *name, double margin, bool intervals)
{
	char text[96];
	snprintf(text, sizeof text,
	         intervals ? "grey: interval not wholly beyond ±%.3g %%"
	                   : "grey: no interval below 6 blocks",
	         100 * margin);
	put_text(p, name, 0, text);
}

static void put_step(struct script *p, const struct waterfall_step *step, unsigned i, bool few)
{
	double percent = 100 * (step->ratio.estimate - 1);
	char text[TRIAL_NAME_BYTES + 64];
	snprintf(text, sizeof text, "%s%s", step->rest ? "what is left" : step->name,
	         step->backwards ? ", back" : "");
	put_text(p, "W_name", i, text);
	put(p, "W_beyond", i, "%d", verdict_effect(&step->verdict));
	put(p, "W_rest", i, "%d", step->rest);
	put_number(p, "W_lo", i, step->from_gbs);
	put_number(p, "W_hi", i, step->to_gbs);
	put_number(p, "W_end_lo", i, step->from_gbs * step->verdict.ratio.lo);
	put_number(p, "W_end_hi", i, step->from_gbs * step->verdict.ratio.hi);
	snprintf(text, sizeof text, fabs(percent) < 0.05 ? "0.0 %%" : "%+.1f %%", percent);
	put_text(p, "W_change", i, text);
	text[0] = '\0';
	if (!isnan(step->share.estimate))
		snprintf(text, sizeof text, "%s%s",
		         words_shares(step->share.lo, step->share.hi).text,
		         few ? " of the gap" : "");
	put_text(p, "W_share", i, text);
}

static void put_waterfall(struct script *p)
{
	const struct waterfall *w = &p->f->waterfall;
	char said[WATERFALL_TEXT_BYTES];
	fprintf(p->out,
	        "\n# the waterfall: a step each from W_lo to W_hi (GB/s), by its interval from "
	        "W_end_lo to W_end_hi; change and share as they are written\n");
	put(p, "waterfall_steps", 0, "%u", w->nsteps);
	put_arrays(p, w->nsteps, "W", "name rest beyond lo hi end_lo end_hi change share");
	if (!w->nsteps)
		return;
	const struct waterfall_step *last = &w->steps[w->nsteps - 1];
	put_text(p, "waterfall_from_name", 0, p->s->variants[w->steps[0].from].name);
	put_text(p, "waterfall_to_name", 0, p->s->variants[last->to].name);
	put_number(p, "waterfall_from", 0, w->steps[0].from_gbs);
	put_number(p, "waterfall_to", 0, last->to_gbs);
	put(p, "waterfall_cells", 0, "%u", w->ncells);
	put(p, "waterfall_blocks", 0, "%u", w->nblocks);
	waterfall_say(w, said, sizeof said);
	put_text(p, "waterfall_said", 0, said);
	put_grey(p, "waterfall_grey", w->gap.margin, !isnan(w->gap.ratio.lo));
	for (unsigned i = 0; i < w->nsteps; i++)
		put_step(p, &w->steps[i], i + 1, w->nsteps <= 3);
}

static void put_factors(struct script *p)
{
	const struct findings *f = p->f;
	unsigned order[CLAIM_MAX], n = f->asked.nfactors, tested = 0, k = 0;
	bool intervals = false, latency = false;
	char said[CAPTION_BYTES];
	for (unsigned i = 0; i < n; i++)
		tested += !f->factors[i].why[0];
	factors_order(f->factors, n, order);
	fprintf(p->out, "\n# the factors, the largest effect first\n");
	put(p, "factors", 0, "%u", n);
	put(p, "factors_tested", 0, "%u", tested);
	caption_factors(f->factors, n, said, sizeof said);
	put_text(p, "factors_said", 0, said);
	put_arrays(p, tested, "F", "name setting effect latency");
	for (unsigned i = 0; i < n; i++) {
		const struct factors_result *r = &f->factors[order[i]];
		if (r->why[0])
			continue;
		k++;
		put_text(p, "F_name", k, r->factor->name);
		/* A variable's name says by itself that it is one. */
		put_text(p, "F_setting", k,
		         r->factor->setting + (strncmp(r->factor->setting, "env.", 4) ? 0 : 4));
		put_text(p, "F_effect", k, words_ratio(&r->bandwidth.ratio, true).text);
		put_text(p, "F_latency", k, words_ratio(&r->latency.ratio, true).text);
		latency |= factors_judged(&r->latency);
		intervals |= !isnan(r->bandwidth.ratio.lo) || !isnan(r->latency.ratio.lo);
	}
	put(p, "factors_latency", 0, "%d", latency);
	put_grey(p, "factors_grey", f->waterfall.gap.margin, intervals);
}

static void put_versions_coll(struct script *p, unsigned coll, unsigned nth)
{
	const struct versions *v = &p->f->versions;
	const struct versions_coll *c = &v->colls[coll];
	char text[CAPTION_BYTES] = "";
	put_text(p, "N_coll", nth, coll_info(c->coll)->name);
	put(p, "N_blocks", nth, "%u", c->nblocks);
	if (c->ncells != 1)
		words_add(text, sizeof text, "geometric mean over %u cells, ", c->ncells);
	words_add(text, sizeof text, "%s", words_range(c->sizes).text);
	put_text(p, "N_about", nth, text);
	caption_versions(v, coll, text, sizeof text);
	put_text(p, "N_said", nth, text);
}

/* Bandwidth alone has a picture. */
static bool is_drawn(const struct versions_coll *c)
{
	return c->nblocks && c->regime == REGIME_LARGE;
}

/* Each mode's bandwidth by version, and of processes the ratio to threads. */
static struct table *points_of(const struct versions *v)
{
	static const struct table_column columns[] = {
	    {"collective", "", "", TABLE_TEXT}, {"nth", "", "", TABLE_COUNT},
	    {"mode", "", "", TABLE_TEXT},       {"gbs", "", "", TABLE_SPREAD},
	    {"path", "", "", TABLE_TEXT},       {"ratio", "", "", TABLE_RATIO},
	    {"verdict", "", "", TABLE_TEXT}};
	struct table *t = table_new("versions", "");
	table_columns(t, columns, sizeof columns / sizeof *columns);
	for (unsigned i = 0; i < v->ncolls; i++)
		for (unsigned k = 0; is_drawn(&v->colls[i]) && k < v->nrows * v->nmodes; k++) {
			const struct versions_row *row = &v->colls[i].rows[k / v->nmodes];
			const struct versions_side *side = &row->sides[k % v->nmodes];
			TABLE_ROW(t, CELL(coll_info(v->colls[i].coll)->name),
			          CELL(k / v->nmodes + 1),
			          CELL(versions_mode_name(k % v->nmodes)),
			          table_of_spread(side->value, side->lo, side->hi),
			          CELL(side->data_path), CELL(&row->verdict.ratio),
			          CELL(factors_word(&row->verdict)));
		}
	return t;
}

static void put_versions(struct script *p)
{
	const struct versions *v = &p->f->versions;
	unsigned n = 0, nth = 0;
	for (unsigned i = 0; i < v->ncolls; i++)
		n += is_drawn(&v->colls[i]);
	fprintf(p->out, "\n# versions of the library: one picture per collective\n");
	put(p, "versions", 0, "%u", v->nrows);
	put(p, "versions_modes", 0, "%u", v->nmodes);
	put(p, "versions_pictures", 0, "%u", n);
	put_arrays(p, v->nrows, "N", "version");
	put_arrays(p, n, "N", "coll about blocks said");
	for (unsigned i = 0; n && i < v->nrows; i++)
		put_text(p, "N_version", i + 1, v->colls[0].rows[i].version);
	for (unsigned i = 0; i < v->ncolls; i++)
		if (is_drawn(&v->colls[i]))
			put_versions_coll(p, i, ++nth);
}

/* What the picture of the gain has bars of: the set for all sizes, or else all finalists, and
 * the file's other variants. */
static void put_gain(struct script *p)
{
	const struct tuned *u = &p->f->tuned;
	unsigned n = 0, of[GAIN_MOST];
	for (unsigned f = 0; f < u->nfinalists && n < GAIN_MOST; f++)
		if (u->all < 0 || (int)f == u->all)
			of[n++] = u->finalists[f].variant;
	for (unsigned v = 0; v < p->s->nvariants && u->searched && n < GAIN_MOST; v++) {
		bool finalist =
		    p->s->variants[v].role != ROLE_VARIANT || !p->s->variants[v].measured;
		for (unsigned f = 0; f < u->nfinalists; f++)
			finalist |= u->finalists[f].variant == v;
		if (!finalist)
			of[n++] = v;
	}
	put(p, "gains", 0, "%u", n);
	put_arrays(p, n, "gain", "name variant");
	for (unsigned i = 0; i < n; i++) {
		bool conf = u->all >= 0 && of[i] == u->finalists[u->all].variant;
		put_text(p, "gain_variant", i + 1, p->s->variants[of[i]].name);
		put_text(p, "gain_name", i + 1,
		         conf ? "nccl.conf" : p->s->variants[of[i]].name);
	}
}

/* A search: rows of finalists and of values, a column a cell. */
static void put_tuned(struct script *p)
{
	const struct tuned *u = &p->f->tuned;
	const struct search_space *space = &u->space;
	unsigned rows = u->nfinalists, row = 0;
	char text[CAPTION_BYTES];
	for (unsigned k = 0; k < space->nkeys; k++)
		rows += space->keys[k].nvalues - 1;
	fprintf(p->out, "\n# a search: what its settings do; $searched has the figures\n");
	put(p, "searched", 0, "%d", u->searched && u->ncells);
	put(p, "searched_rows", 0, "%u", rows);
	put(p, "searched_columns", 0, "%u", u->ncells);
	put(p, "searched_finalists", 0, "%u", u->nfinalists);
	caption_tuned(p->s, u, text, sizeof text);
	put_text(p, "searched_said", 0, text);
	put_arrays(p, rows, "S", "row");
	put_arrays(p, u->ncells, "S", "what size");
	for (unsigned f = 0; f < u->nfinalists; f++) {
		snprintf(text, sizeof text, "%s%s",
		         p->s->variants[u->finalists[f].variant].name,
		         (int)f == u->all ? ", nccl.conf" : "");
		put_text(p, "S_row", ++row, text);
	}
	put_gain(p);
	for (unsigned k = 0; k < space->nkeys; k++)
		for (unsigned v = 1; v < space->keys[k].nvalues; v++) {
			struct search_set set = {{0}};
			set.level[k] = (unsigned char)v;
			search_set_text(space, &set, text, sizeof text);
			put_text(p, "S_row", ++row, text);
		}
	for (unsigned c = 0; c < u->ncells; c++) {
		const struct summary_group *g = &p->s->groups[u->cells[c].group];
		put_text(p, "S_what", c + 1, coll_info(g->cell.coll)->name);
		put_text(p, "S_size", c + 1, words_size(g->asked_bytes[u->cells[c].size]).text);
	}
}

/* Ranks from left to right: those of a NUMA node beside each other. */
static unsigned place_of(const struct pairs *p, unsigned rank)
{
	unsigned before = 0;
	for (unsigned r = 0; r < p->nranks; r++)
		before += p->ranks[r].numa < p->ranks[rank].numa ||
		          (r < rank && p->ranks[r].numa == p->ranks[rank].numa);
	return before + 1;
}

static void put_rank(struct script *p, const struct pairs *pairs, unsigned r)
{
	const struct pairs_rank *rank = &pairs->ranks[r];
	const char *at = strstr(rank->device, " at ");
	char text[64] = "";
	put(p, "D_at", r + 1, "%u", place_of(pairs, r));
	put_text(p, "D_name", r + 1, at ? at + 4 : rank->device);
	put(p, "D_numa", r + 1, "%d", rank->numa);
	put(p, "D_bridge", r + 1, "%d", rank->bridge + 1);
	put(p, "D_switch", r + 1, "%u", rank->to_switch);
	if (rank->width)
		snprintf(text, sizeof text, "PCIe %u ×%u", rank->gen, rank->width);
	put_text(p, "D_pcie", r + 1, text);
	put(p, "D_short", r + 1, "%d", rank->remark[0] != 0);
}

/* What is drawn of pairs of ranks: by rank, and from and to as (from × ranks + to), from 1. */
static void put_pairs(struct script *p)
{
	const struct pairs *pairs = &p->f->pairs;
	const unsigned n = pairs->bytes || pairs->small_bytes ? pairs->nranks : 0;
	char said[CAPTION_BYTES] = "";
	fprintf(p->out, "\n# pairs of ranks, where they were measured\n");
	put(p, "pair_ranks", 0, "%u", n);
	put_arrays(p, n, "D", "at name numa bridge switch pcie short");
	put_arrays(p, n * n, "P", "links gbs us all slow class");
	if (!n)
		return;
	put_number(p, "pair_bytes", 0, (double)pairs->bytes);
	put_number(p, "pair_small_bytes", 0, (double)pairs->small_bytes);
	put_number(p, "pair_all_bytes", 0, (double)pairs->all_bytes);
	for (unsigned i = 0; i < pairs->nclasses; i++) {
		char text[256];
		pairs_class_say(&pairs->classes[i], text, sizeof text);
		words_add(said, sizeof said, "%s%s", i ? ". " : "", text);
	}
	put_text(p, "pair_said", 0, said);
	for (unsigned r = 0; r < n; r++)
		put_rank(p, pairs, r);
	for (unsigned i = 0; i < n * n; i++) {
		const struct pairs_pair *pair = pairs_find(pairs, i / n, i % n);
		char brief[64] = "";
		if (pair)
			links_brief(&pair->link, brief, sizeof brief);
		put(p, "P_links", i + 1, "%u",
		    pair && pair->link.class == LINKS_NVLINK ? pair->link.nvlinks : 0);
		put_number(p, "P_gbs", i + 1, pair ? pair->gbs : NAN);
		put_number(p, "P_us", i + 1, pair ? pair->p50_us : NAN);
		put_number(p, "P_all", i + 1, pair ? pair->all_gbs : NAN);
		put(p, "P_slow", i + 1, "%d", pair && pair->remark[0]);
		put_text(p, "P_class", i + 1, brief);
	}
}

/* Ping-pong: pairs in their order, figures as (pair × variants + variant), from 1. */
static void put_pingpong(struct script *p)
{
	const struct pingpong *pp = &p->f->pingpong;
	unsigned pairs = 0;
	char said[CAPTION_BYTES] = "", text[512];
	for (unsigned i = 0; i < pp->n; i++)
		pairs += !i || pp->rows[i].first != pp->rows[i - 1].first ||
		         pp->rows[i].second != pp->rows[i - 1].second;
	fprintf(p->out, "\n# ping-pong, where it was measured\n");
	put(p, "pingpong_pairs", 0, "%u", pairs);
	put_arrays(p, pairs, "Q", "name");
	put_arrays(p, pairs * p->order.n, "Q", "us gbs");
	put_number(p, "pingpong_small_bytes", 0, (double)pp->small_bytes);
	put_number(p, "pingpong_bytes", 0, (double)pp->bytes);
	for (unsigned i = 0; i < pp->nclasses;) {
		i = pingpong_say(pp, p->s, i, text, sizeof text);
		words_add(said, sizeof said, "%s%s", said[0] ? ". " : "", text);
	}
	put_text(p, "pingpong_said", 0, said);
	for (unsigned k = 1; k <= pairs * p->order.n; k++) {
		put_number(p, "Q_us", k, NAN);
		put_number(p, "Q_gbs", k, NAN);
	}
	for (unsigned i = 0, pair = 0; i < pp->n; i++) {
		const struct pingpong_row *row = &pp->rows[i];
		pair += i && (row->first != row[-1].first || row->second != row[-1].second);
		snprintf(text, sizeof text, "%u–%u", row->first, row->second);
		put_text(p, "Q_name", pair + 1, text);
		for (unsigned k = 0; k < p->order.n; k++) {
			if (p->order.variants[k] != row->variant)
				continue;
			put_number(p, "Q_us", pair * p->order.n + k + 1, row->round_us);
			put_number(p, "Q_gbs", pair * p->order.n + k + 1, row->gbs);
		}
	}
}

/* A row's panel, its group of bars there, and what the groups differ in. Of experts each size has
 * a panel, as steps differ by more than a scale holds. */
static void put_training_place(struct script *p, const struct training_row *row, unsigned n)
{
	const struct summary_group *g = &p->s->groups[row->group];
	char panel[CAPTION_BYTES], bars[160];
	const char *axis = "a bucket is full at";
	snprintf(panel, sizeof panel, "%s", coll_word(&g->cell, g->nranks).text);
	snprintf(bars, sizeof bars, "%s", words_size(row->bytes).text);
	if (coll_info(g->cell.coll)->is & COLL_ROUTED) {
		snprintf(panel, sizeof panel, "%s in %s, %s from each rank",
		         coll_info(g->cell.coll)->name, coll_dtype_name(g->cell.dtype),
		         words_size(row->bytes).text);
		snprintf(bars, sizeof bars, "%.3g", row->imbalance);
		axis = "what the busiest rank gets ÷ the mean";
	}
	put_text(p, "S_panel", n, panel);
	put_text(p, "S_bars", n, bars);
	put_text(p, "S_axis", n, axis);
}

static void put_training_row(struct script *p, const struct training_row *row, unsigned *n)
{
	unsigned v = 0;
	while (v < p->order.n && p->order.variants[v] != row->variant)
		v++;
	if (v == p->order.n)
		return;
	put_training_place(p, row, ++*n);
	put(p, "S_variant", *n, "%u", v + 1);
	put_number(p, "S_step", *n, row->step_us.estimate / 1000);
	put_number(p, "S_lo", *n, row->step_us.lo / 1000);
	put_number(p, "S_hi", *n, row->step_us.hi / 1000);
	put_number(p, "S_compute", *n, row->compute_us.estimate / 1000);
	put_number(p, "S_communication", *n, row->communication_us.estimate / 1000);
	put_number(p, "S_overlap", *n,
	           training_tells_overlap(row) ? 100 * row->overlap.estimate : NAN);
}

/* Steps of training, panel by panel: the groups as they are, and of experts size by size. */
static void put_training(struct script *p)
{
	const struct training *t = &p->f->training;
	char said[CAPTION_BYTES];
	unsigned n = 0;
	const bool routed =
	    t->n &&
	    (coll_info(p->s->groups[t->rows[0].group].cell.coll)->is & COLL_ROUTED) != 0;
	fprintf(p->out, "\n# steps of training, where they were measured: ms\n");
	put_arrays(p, t->n, "S", "panel bars axis variant step lo hi compute communication overlap");
	for (unsigned i = 0; !routed && i < t->n; i++)
		put_training_row(p, &t->rows[i], &n);
	/* Each size once, where its first row stands. */
	for (unsigned i = 0; routed && i < t->n; i++) {
		bool again = false;
		for (unsigned k = 0; k < i; k++)
			again = again || t->rows[k].bytes == t->rows[i].bytes;
		for (unsigned k = i; !again && k < t->n; k++)
			if (t->rows[k].bytes == t->rows[i].bytes)
				put_training_row(p, &t->rows[k], &n);
	}
	put(p, "steps", 0, "%u", n);
	put(p, "steps_routed", 0, "%d", routed);
	training_caption(t, p->s, said, sizeof said);
	put_text(p, "training_said", 0, said);
}

/* One step of each variant, where its lanes are known. */
static int put_spans(struct script *p, const struct model *m, struct status *st)
{
	struct table *t = tables_spans(m);
	put(p, "spans", 0, "%u", table_rows(t));
	return put_table(p, t, st);
}

int gnuplot_write(const struct model *m, const struct drawn_order *order, const char *file,
                  struct status *st)
{
	const struct summary *s = &m->summary;
	struct script p = {.out = output_open(file, st),
	                   .s = s,
	                   .f = &m->findings,
	                   .regimes = &m->regimes,
	                   .order = *order,
	                   .colls = gnuplot_collectives(s)};
	int rc = 0;
	if (!p.out)
		return -1;
	put_run(&p);
	if (gnuplot_drawable(s)) {
		put_variants(&p);
		put_ratio_panels(&p);
		rc = put_groups(&p, st) || put_table(&p, tables_summary(m), st) ||
		     put_table(&p, tables_ranks(m), st);
		put_panels(&p);
		put_pingpong(&p);
		put_training(&p);
		rc = rc || put_spans(&p, m, st);
		put_timeline(&p);
	}
	put_limit(&p);
	put_waterfall(&p);
	put_factors(&p);
	put_versions(&p);
	put_tuned(&p);
	if (m->findings.tuned.searched)
		rc = rc || put_table(&p, tables_searched(m), st);
	put_pairs(&p);
	rc = rc || put_table(&p, tables_factors(m), st) ||
	     put_table(&p, points_of(&m->findings.versions), st);
	return output_close(p.out, file, st) || rc ? -1 : 0;
}
