/* A run as gauges in the text format of Prometheus (version 0.0.4): base units, a family's samples
 * together, each sample of a family with the same labels. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "../chapters/run.h"
#include "../story/verdict_text.h"
#include "export.h"

/* --- the format --- */

static void put_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	fputc('"', out);
}

static void label(FILE *out, const char *name, const char *text)
{
	fprintf(out, ",%s=", name);
	put_text(out, text);
}

static void label_number(FILE *out, const char *name, size_t n)
{
	fprintf(out, ",%s=\"%zu\"", name, n);
}

/* In base units; NaN: none. */
static double value(const struct column *gauge, const void *row)
{
	const struct entry e = column_entry(gauge, row);
	if (!e.has)
		return NAN;
	return e.kind != KIND_NUMBER          ? (double)e.count
	       : !strcmp(gauge->unit, "µs")   ? e.x * 1e-6
	       : !strcmp(gauge->unit, "GB/s") ? e.x * 1e9
	                                      : e.x;
}

typedef void labels_fn(const struct model *m, const void *row, FILE *out);

/* A column is a family: its key and head are the name and what it is. */
static void put_families(const struct model *m, const struct story_table *t, labels_fn *labels,
                         FILE *out)
{
	for (unsigned c = 0; c < t->form->ncolumns; c++) {
		const struct column *gauge = &t->form->columns[c];
		bool begun = false;
		for (unsigned r = 0; r < t->nrows; r++) {
			const double x = value(gauge, story_row(t, r));
			if (!isfinite(x))
				continue;
			if (!begun)
				fprintf(out, "# HELP launchgap_%s %s\n# TYPE launchgap_%s gauge\n",
				        gauge->key, gauge->head, gauge->key);
			begun = true;
			fprintf(out, "launchgap_%s{experiment=", gauge->key);
			put_text(out, run_text(&m->run, "experiment"));
			if (labels)
				labels(m, story_row(t, r), out);
			fprintf(out, "} %.12g\n", x);
		}
	}
}

/* --- the run --- */

struct run_row {
	double created;
	unsigned one, blocks, warnings;
	int valid;
};

// clang-format off
static const struct column info_gauges[] = {
    COLUMN_AS(struct run_row, one, "run_info", "What was measured, by which commit; always 1.", "", COUNT, 0),
};
static const struct column run_gauges[] = {
    COLUMN_AS(struct run_row, created, "run_created_timestamp_seconds", "When the run began, in seconds since 1970.", "", NUMBER, 0),
    COLUMN_AS(struct run_row, blocks, "run_blocks", "Whole blocks: fresh jobs of every variant.", "", COUNT, 0),
    COLUMN_AS(struct run_row, valid, "run_valid", "Whether all variants did the same work; if not, there are no figures.", "", FLAG, 0),
    COLUMN_AS(struct run_row, warnings, "run_warnings", "Warnings of the report.", "", COUNT, 0),
};
// clang-format on
static const struct story_form info_form = STORY_FORM(struct run_row, info_gauges, .name = "info"),
                               run_form = STORY_FORM(struct run_row, run_gauges, .name = "run");

static void info_labels(const struct model *m, const void *row, FILE *out)
{
	static const char *const texts[] = {"backend", "launchgap", "reference"};
	(void)row;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		label(out, texts[i], run_text(&m->run, texts[i]));
	label_number(out, "ranks", (size_t)run_number(&m->run, "ranks"));
}

static void put_run(const struct model *m, FILE *out)
{
	struct tm utc = {0};
	const bool dated = strptime(run_text(&m->run, "created"), "%Y-%m-%dT%H:%M:%SZ", &utc);
	struct run_row row = {.created = dated ? (double)timegm(&utc) : NAN,
	                      .one = 1,
	                      .blocks = m->analysis->s->nblocks,
	                      .valid = !m->analysis->s->trouble.kind};
	while (model_warning(m, row.warnings))
		row.warnings++;
	put_families(m, &(struct story_table){&info_form, &row, 1}, info_labels, out);
	put_families(m, &(struct story_table){&run_form, &row, 1}, NULL, out);
}

/* --- its cells --- */

#define AGAINST "Speed compared with the reference, below 1 is slower"
// clang-format off
static const struct column cell_gauges[] = {
    COLUMN_AS(struct summary_row, time_us, "call_seconds", "Time per call, median over blocks.", "µs", NUMBER, 0),
    COLUMN_AS(struct summary_row, time_us_lo, "call_low_seconds", "Time per call, lower quartile over blocks.", "µs", NUMBER, 0),
    COLUMN_AS(struct summary_row, time_us_hi, "call_high_seconds", "Time per call, upper quartile over blocks.", "µs", NUMBER, 0),
    COLUMN_AS(struct summary_row, p99_us.estimate, "call_p99_seconds", "99th percentile of isolated calls, median over blocks.", "µs", NUMBER, 0),
    COLUMN_AS(struct summary_row, busbw_gbs, "bus_bandwidth_bytes_per_second", "Bus bandwidth, as nccl-tests defines it.", "GB/s", NUMBER, 0),
    COLUMN_AS(struct summary_row, algbw_gbs, "algorithm_bandwidth_bytes_per_second", "Size of a call by its time.", "GB/s", NUMBER, 0),
    COLUMN_AS(struct summary_row, ratio.estimate, "speed_ratio", AGAINST ".", "", NUMBER, 0),
    COLUMN_AS(struct summary_row, ratio.lo, "speed_low_ratio", AGAINST ": lower end of the interval.", "", NUMBER, 0),
    COLUMN_AS(struct summary_row, ratio.hi, "speed_high_ratio", AGAINST ": upper end of the interval.", "", NUMBER, 0),
    COLUMN_AS(struct summary_row, failed, "failed_trials", "Trials of the cell that have no time.", "", COUNT, 0),
};
// clang-format on
static const struct story_form cell_form =
    STORY_FORM(struct summary_row, cell_gauges, .name = "cells");

static void cell_labels(const struct model *m, const void *of, FILE *out)
{
	const struct summary_row *row = of;
	const struct cell *c = &row->cell;
	const struct coll_info *info = coll_info(c->coll);
	const struct summary_variant *v = &m->analysis->s->variants[row->variant];
	label(out, "variant", v->name);
	label(out, "mode", v->mode);
	label(out, "role", summary_role_name(v->role));
	label(out, "collective", info->name);
	label(out, "what", coll_word(c, row->nranks).text);
	label(out, "dtype", coll_dtype_name(c->dtype));
	label(out, "op", info->is & COLL_REDUCES ? coll_op_name(c->op) : "");
	label(out, "in_place", c->in_place ? "yes" : "no");
	label(out, "pace", coll_pace_name(c->pace));
	label_number(out, "root", c->root);
	label_number(out, "ranks", row->nranks);
	label_number(out, "bytes", c->asked_bytes);
}

/* --- its verdicts --- */

struct verdict_row {
	const struct regime *of;
	unsigned variant, one;
	struct stats_ratio speed;
};

#define OVER "Speed over a range of sizes compared with the reference"
// clang-format off
static const struct column speed_gauges[] = {
    COLUMN_AS(struct verdict_row, speed.estimate, "regime_speed_ratio", OVER ".", "", NUMBER, 0),
    COLUMN_AS(struct verdict_row, speed.lo, "regime_speed_low_ratio", OVER ": lower end of the interval.", "", NUMBER, 0),
    COLUMN_AS(struct verdict_row, speed.hi, "regime_speed_high_ratio", OVER ": upper end of the interval.", "", NUMBER, 0),
};
static const struct column word_gauges[] = {
    COLUMN_AS(struct verdict_row, one, "regime_verdict_info", "The verdict on a variant in a range of sizes; always 1.", "", COUNT, 0),
};
// clang-format on
static const struct story_form speed_form =
                                   STORY_FORM(struct verdict_row, speed_gauges, .name = "speeds"),
                               word_form =
                                   STORY_FORM(struct verdict_row, word_gauges, .name = "verdicts");

static void speed_labels(const struct model *m, const void *of, FILE *out)
{
	const struct verdict_row *row = of;
	const struct summary_variant *v = &m->analysis->s->variants[row->variant];
	label(out, "variant", v->name);
	label(out, "role", summary_role_name(v->role));
	label(out, "regime", row->of->name);
	label(out, "metric", metric_info(row->of->metric)->name);
}

static void word_labels(const struct model *m, const void *of, FILE *out)
{
	const struct verdict_row *row = of;
	const struct verdict *v = &row->of->contrasts[row->variant].verdict;
	const int beyond = regime_direction(row->of, v);
	speed_labels(m, row, out);
	label(out, "verdict",
	      verdict_word(row->of->tells ? v->kind
	                   : beyond > 0   ? VERDICT_FASTER
	                   : beyond < 0   ? VERDICT_SLOWER
	                                  : VERDICT_UNDECIDED));
}

static void put_verdicts(const struct model *m, FILE *out)
{
	const struct regimes *all = &m->analysis->regimes;
	struct verdict_row *rows = NULL;
	unsigned n = 0;
	for (unsigned r = 0; r < all->n; r++)
		for (unsigned v = 0; v < all->list[r].nvariants; v++) {
			const struct contrast *c = &all->list[r].contrasts[v];
			if (c->why.kind || !isfinite(c->verdict.ratio.estimate))
				continue;
			rows = arena_more(m->arena, rows, n, sizeof *rows);
			rows[n++] = (struct verdict_row){&all->list[r], v, 1, c->verdict.ratio};
		}
	put_families(m, &(struct story_table){&speed_form, rows, n}, speed_labels, out);
	put_families(m, &(struct story_table){&word_form, rows, n}, word_labels, out);
}

void prometheus_write(const struct model *m, FILE *out)
{
	const struct summary *s = m->analysis->s;
	put_run(m, out);
	if (s->trouble.kind)
		return;
	put_families(m, &(struct story_table){&cell_form, s->rows, s->nrows}, cell_labels, out);
	put_verdicts(m, out);
}
