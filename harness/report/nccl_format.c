#include "nccl_format.h"

#include <math.h>
#include <string.h>

#include "../analysis/calls.h"
#include "../arena.h"

/* --- what it prints above its rows ------------------------------------------------------- */

/* At most `most` bytes of a text, `blank` for a blank and _ for what could end the line, which has
 * to stay a comment: records come from anywhere. */
static void put_clean(FILE *out, const char *text, size_t most, char blank)
{
	for (size_t i = 0; i < most && text[i]; i++)
		fputc((unsigned char)text[i] < ' ' || text[i] == 0x7F ? '_'
		      : text[i] == ' '                                ? blank
		                                                      : text[i],
		      out);
}

/* A word of a comment line. */
static void put_word(FILE *out, const char *key, const char *text)
{
	fprintf(out, " %s=", key);
	put_clean(out, text, SIZE_MAX, '_');
}

/* The values that distinguish rows of a table, in our words. */
static void put_what(const struct cell *cell, unsigned what, char text[16])
{
	enum op op = coll_info(cell->coll)->is & COLL_REDUCES ? cell->op : OP_NONE;
	if (what == 2)
		snprintf(text, 16, "%d", nccl_cell_root(cell));
	else
		snprintf(text, 16, "%s", what ? coll_op_name(op) : coll_dtype_name(cell->dtype));
}

/* All such values of the table's rows, each once. */
static void put_all(const struct nccl_table *t, unsigned what, const char *key, FILE *out)
{
	const char *separator = "=";
	char text[16], other[16];
	fprintf(out, " %s", key);
	for (unsigned g = t->first; g < t->s->ngroups; g++) {
		bool said = !nccl_table_holds(t, g);
		put_what(&t->s->groups[g].cell, what, text);
		for (unsigned k = t->first; k < g && !said; k++) {
			put_what(&t->s->groups[k].cell, what, other);
			said = nccl_table_holds(t, k) && !strcmp(text, other);
		}
		if (said)
			continue;
		fprintf(out, "%s%s", separator, text);
		separator = ",";
	}
}

/* The first line, for parsers that look for it: the version is that of nccl-tests' columns, and the
 * line says so; headers are 0, as it was not built with any. */
static void put_version(const struct nccl_table *t, FILE *out)
{
	const char *commit =
	    json_string_value(json_object_get(t->s->run->environment, "launchgap"));
	fprintf(out,
	        "# nccl-tests version " NCCL_TESTS_VERSION " nccl-headers=0 nccl-library=%u its "
	        "columns only: measured and printed by launchgap ",
	        nccl_table_library(t));
	put_clean(out, commit ? commit : "", SIZE_MAX, '_');
	fprintf(out,
	        "\n# times are medians over stretches, then over %u block%s; %spids are not "
	        "recorded\n",
	        t->s->nblocks, t->s->nblocks == 1 ? "" : "s",
	        nccl_table_options(t).checked ? "every byte is checked; " : "");
}

static void put_variant(const struct nccl_table *t, FILE *out)
{
	const struct summary_variant *v = &t->s->variants[t->variant];
	fprintf(out, "#");
	put_word(out, "variant", v->name);
	put_word(out, "role", summary_role_name(v->role));
	put_word(out, "mode", v->mode);
	put_word(out, "layout", v->layout);
	put_word(out, "backend", v->backend);
	put_word(out, "library", *v->library ? v->library : "-");
	put_word(out, "average", nccl_average_name(t->average));
	put_word(out, "collective", coll_info(nccl_table_group(t)->cell.coll)->name);
	put_all(t, 0, "dtype", out);
	put_all(t, 1, "op", out);
	put_all(t, 2, "root", out);
	fputc('\n', out);
}

static void put_options(const struct nccl_table *t, FILE *out)
{
	const struct nccl_options o = nccl_table_options(t);
	const char *step = o.factor ? "factor" : o.step || o.least == o.most ? "bytes" : "list";
	fprintf(out,
	        "# nThread %u nGpus %u minBytes %zu maxBytes %zu step: %zu(%s) warmup iters: %u "
	        "iters: %u agg iters: %u validation: %d graph: %u unalign: %zu\n",
	        o.threads, o.gpus, o.least, o.most, o.factor ? o.factor : o.step, step, o.warmup,
	        o.iters, o.together, o.checked, o.graph, o.unalign);
	if (o.waits)
		fprintf(out,
		        "# Blocking Enabled: wait and barrier after each inner iteration (-m) \n");
	if (t->per_call)
		fprintf(out,
		        "# Per-Iteration Report: of isolated calls, by the host's clock; i_* uses "
		        "max over process rows \n");
	fputs("#\n", out);
}

/* One line per rank, as parsers count them. The process is not in a record: 0. */
static void put_devices(const struct nccl_table *t, FILE *out)
{
	fprintf(out, "# Using devices\n");
	for (unsigned r = 0; r < nccl_table_group(t)->nranks; r++) {
		const struct nccl_device d = nccl_table_device(t, r);
		const int bytes = (int)strlen(d.host);
		fprintf(out, "#  Rank %2u Group %2d Pid %6d on %*s", r, d.group, 0,
		        bytes < 10 ? 10 - bytes : 0, "");
		put_clean(out, d.host, SIZE_MAX, '_');
		fprintf(out, " device %2d [", d.number);
		put_clean(out, d.pci, (size_t)d.pci_bytes, '_');
		fprintf(out, "] ");
		put_clean(out, d.name, (size_t)d.name_bytes, ' ');
		fputc('\n', out);
	}
}

/* A line of heads: the five that all lines have, and those of either half. */
static void put_heads(const struct nccl_table *t, const char *const first[5],
                      const char *const half[8], FILE *out)
{
	fprintf(out, "# %10s  %12s  %8s  %6s  %6s", first[0], first[1], first[2], first[3],
	        first[4]);
	for (int i = 0; i < 2; i++) {
		fprintf(out, "  %7s  %6s  %6s  %6s", half[0], half[1], half[2], half[3]);
		for (int k = 4; k < 8 && t->per_call; k++)
			fprintf(out, "  %7s", half[k]);
	}
	fprintf(out, " \n");
}

static void put_head(const struct nccl_table *t, FILE *out)
{
	const char *const time = t->average == NCCL_AVERAGE_LAUNCH ? "cputime" : "time";
	put_version(t, out);
	put_variant(t, out);
	fprintf(out, "# Collective test starting: %s_perf\n",
	        coll_info(nccl_table_group(t)->cell.coll)->name);
	put_options(t, out);
	put_devices(t, out);
	fprintf(out, "#\n# %10s  %12s  %8s  %6s  %6s%s\n", "", "", "", "", "",
	        t->per_call ? "              out-of-place (+ per-iteration)                "
	                      "                in-place (+ per-iteration)"
	                    : "           out-of-place                       in-place          ");
	put_heads(t, (const char *const[5]){"size", "count", "type", "redop", "root"},
	          (const char *const[8]){time, "algbw", "busbw", "#wrong", "i_min", "i_max",
	                                 "i_p99", "i_cv%"},
	          out);
	put_heads(
	    t, (const char *const[5]){"(B)", "(elements)", "", "", ""},
	    (const char *const[8]){"(us)", "(GB/s)", "(GB/s)", "", "(us)", "(us)", "(us)", "(%)"},
	    out);
}

/* --- its rows, and what it prints below them --------------------------------------------- */

/* Two decimals, or as many fewer as the width requires. What is not a number reads nan, as in
 * nccl-tests' own output, which callers that convert the field accept. */
static void put_number(FILE *out, double x, int width)
{
	char text[400];
	int digits = 2;
	if (!isfinite(x)) {
		fprintf(out, "  %*s", width, "nan");
		return;
	}
	while (snprintf(text, sizeof text, "%*.*f", width, digits, x) > width && digits > 0)
		digits--;
	if ((int)strlen(text) > width)
		snprintf(text, sizeof text, "%*.*e", width, width >= 7 ? 1 : 0, x);
	fprintf(out, "  %s", text);
}

static void put_calls(FILE *out, const struct nccl_table *t, const struct summary_row *row)
{
	const struct summary_row *isolated = nccl_table_calls(t, row);
	const struct arena_mark mark = arena_mark(t->s->arena);
	struct calls_processes calls = {0};
	struct calls_spread x = {.min_us = NAN, .max_us = NAN, .p99_us = NAN, .cv_percent = NAN};
	if (isolated)
		calls = calls_of_processes(t->s, isolated, t->s->arena);
	if (calls.calls)
		x = calls_spread_of(calls.most_us, calls.calls, t->s->arena);
	put_number(out, x.min_us, 7);
	put_number(out, x.max_us, 7);
	put_number(out, x.p99_us, 7);
	put_number(out, x.cv_percent, 7);
	arena_release(t->s->arena, mark);
}

/* Time, algbw, busbw, #wrong. */
static void put_half(FILE *out, const struct nccl_table *t, const struct summary_row *row)
{
	const struct nccl_half half = nccl_table_half(t, row);
	put_number(out, half.time_us, 7);
	put_number(out, half.algbw, 6);
	put_number(out, half.busbw, 6);
	if (half.checked)
		fprintf(out, "  %6g", half.wrong);
	else
		fprintf(out, "    N/A"); /* a column narrower, as there */
	if (t->per_call)
		put_calls(out, t, row);
}

static void put_rows(const struct nccl_table *t, FILE *out)
{
	struct nccl_place at = {0};
	struct nccl_line line;
	while (nccl_table_next(t, &at, &line)) {
		fprintf(out, "%12zu  %12zu  %8s  %6s  %6d", line.bytes, line.count, line.type,
		        line.redop, line.root);
		put_half(out, t, line.halves[0]);
		put_half(out, t, line.halves[1]);
		fputc('\n', out);
	}
}

static void put_footer(const struct nccl_table *t, FILE *out)
{
	const struct nccl_totals totals = nccl_table_totals(t);
	fprintf(out, "# Out of bounds values : %u %s\n", totals.wrong,
	        totals.wrong ? "FAILED" : "OK");
	if (isfinite(totals.busbw))
		fprintf(out, "# Avg bus bandwidth    : %g \n", totals.busbw);
	else
		fprintf(out, "# Avg bus bandwidth    : nan \n");
	fprintf(out, "#\n# Collective test concluded: %s_perf\n#\n\n",
	        coll_info(nccl_table_group(t)->cell.coll)->name);
}

static void put_table(const struct nccl_table *t, void *arg)
{
	put_head(t, arg);
	put_rows(t, arg);
	put_footer(t, arg);
}

unsigned nccl_format_print(const struct summary *s, enum nccl_average average, bool per_call,
                           FILE *out)
{
	return nccl_tables(s, average, per_call, put_table, out);
}
