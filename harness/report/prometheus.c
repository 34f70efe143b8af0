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
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else
			fprintf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
}

/* A sample begins with its family's name; labels follow, then its value. */
static void begin_label(FILE *out, bool first, const char *name)
{
	fprintf(out, "%s%s=\"", first ? "{" : ",", name);
}

static void label(FILE *out, bool first, const char *name, const char *text)
{
	begin_label(out, first, name);
	put_text(out, text);
	fputc('"', out);
}

static void label_number(FILE *out, const char *name, size_t n)
{
	begin_label(out, false, name);
	fprintf(out, "%zu\"", n);
}

static void begin_family(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP launchgap_%s %s\n# TYPE launchgap_%s gauge\n", name, help, name);
}

static void begin_sample(const struct model *m, const char *name, FILE *out)
{
	fprintf(out, "launchgap_%s", name);
	label(out, true, "experiment", run_text(&m->run, "experiment"));
}

static void end_sample(FILE *out, double x)
{
	fprintf(out, "} %.12g\n", x);
}

/* --- the run --- */

static double created(const struct model *m)
{
	struct tm utc = {0};
	const char *end = strptime(run_text(&m->run, "created"), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return end ? (double)timegm(&utc) : NAN;
}

static double blocks(const struct model *m)
{
	return m->analysis->s->nblocks;
}

static double valid(const struct model *m)
{
	return !m->analysis->s->trouble.kind;
}

static double warnings(const struct model *m)
{
	unsigned n = 0;
	while (model_warning(m, n))
		n++;
	return n;
}

static const struct of_run {
	const char *name, *help;
	double (*of)(const struct model *m);
} of_runs[] = {
    {"run_created_timestamp_seconds", "When the run began, in seconds since 1970.", created},
    {"run_blocks", "Whole blocks: fresh jobs of every variant.", blocks},
    {"run_valid", "Whether all variants did the same work; if not, there are no figures.", valid},
    {"run_warnings", "Warnings of the report.", warnings},
};

static void put_run(const struct model *m, FILE *out)
{
	static const char *const texts[] = {"backend", "launchgap", "reference"};
	begin_family(out, "run_info", "What was measured, by which commit; always 1.");
	begin_sample(m, "run_info", out);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		label(out, false, texts[i], run_text(&m->run, texts[i]));
	label_number(out, "ranks", (size_t)run_number(&m->run, "ranks"));
	end_sample(out, 1);
	for (size_t i = 0; i < sizeof of_runs / sizeof *of_runs; i++) {
		const struct of_run *f = &of_runs[i];
		const double x = f->of(m);
		if (!isfinite(x))
			continue;
		begin_family(out, f->name, f->help);
		begin_sample(m, f->name, out);
		end_sample(out, x);
	}
}

/* --- its cells --- */

#define US 1e-6
#define GB 1e9

static double time_of(const struct summary_row *r)
{
	return r->time_us * US;
}

static double time_low(const struct summary_row *r)
{
	return r->time_us_lo * US;
}

static double time_high(const struct summary_row *r)
{
	return r->time_us_hi * US;
}

static double time_p99(const struct summary_row *r)
{
	return r->p99_us.estimate * US;
}

static double busbw(const struct summary_row *r)
{
	return r->busbw_gbs * GB;
}

static double algbw(const struct summary_row *r)
{
	return r->algbw_gbs * GB;
}

static double speed(const struct summary_row *r)
{
	return r->ratio.estimate;
}

static double speed_low(const struct summary_row *r)
{
	return r->ratio.lo;
}

static double speed_high(const struct summary_row *r)
{
	return r->ratio.hi;
}

static double failed(const struct summary_row *r)
{
	return r->failed;
}

#define AGAINST "Speed compared with the reference, below 1 is slower"
static const struct of_cell {
	const char *name, *help;
	double (*of)(const struct summary_row *row);
} of_cells[] = {
    {"call_seconds", "Time per call, median over blocks.", time_of},
    {"call_low_seconds", "Time per call, lower quartile over blocks.", time_low},
    {"call_high_seconds", "Time per call, upper quartile over blocks.", time_high},
    {"call_p99_seconds", "99th percentile of isolated calls, median over blocks.", time_p99},
    {"bus_bandwidth_bytes_per_second", "Bus bandwidth, as nccl-tests defines it.", busbw},
    {"algorithm_bandwidth_bytes_per_second", "Size of a call by its time.", algbw},
    {"speed_ratio", AGAINST ".", speed},
    {"speed_low_ratio", AGAINST ": lower end of the interval.", speed_low},
    {"speed_high_ratio", AGAINST ": upper end of the interval.", speed_high},
    {"failed_trials", "Trials of the cell that have no time.", failed},
};

static void put_cell(const struct model *m, const struct of_cell *f, const struct summary_row *row,
                     FILE *out)
{
	const struct cell *c = &row->cell;
	const struct coll_info *info = coll_info(c->coll);
	const struct summary_variant *v = &m->analysis->s->variants[row->variant];
	const struct {
		const char *name, *text;
	} labels[] = {
	    {"variant", v->name},
	    {"mode", v->mode},
	    {"role", summary_role_name(v->role)},
	    {"collective", info->name},
	    {"dtype", coll_dtype_name(c->dtype)},
	    {"op", info->is & COLL_REDUCES ? coll_op_name(c->op) : ""},
	    {"in_place", c->in_place ? "yes" : "no"},
	    {"pace", coll_pace_name(c->pace)},
	};
	begin_sample(m, f->name, out);
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		label(out, false, labels[i].name, labels[i].text);
	label_number(out, "root", info->is & COLL_ROOTED ? c->root : 0);
	label_number(out, "ranks", row->nranks);
	label_number(out, "bytes", c->asked_bytes);
	end_sample(out, f->of(row));
}

static void put_cells(const struct model *m, FILE *out)
{
	const struct summary *s = m->analysis->s;
	for (size_t i = 0; i < sizeof of_cells / sizeof *of_cells; i++) {
		bool begun = false;
		for (unsigned r = 0; r < s->nrows; r++) {
			if (!isfinite(of_cells[i].of(&s->rows[r])))
				continue;
			if (!begun)
				begin_family(out, of_cells[i].name, of_cells[i].help);
			begun = true;
			put_cell(m, &of_cells[i], &s->rows[r], out);
		}
	}
}

/* --- its verdicts --- */

static double verdict_one(const struct stats_ratio *r)
{
	(void)r;
	return 1;
}

static double estimate(const struct stats_ratio *r)
{
	return r->estimate;
}

static double low(const struct stats_ratio *r)
{
	return r->lo;
}

static double high(const struct stats_ratio *r)
{
	return r->hi;
}

#define OVER "Speed over a range of sizes compared with the reference"
static const struct of_verdict {
	const char *name, *help;
	bool word; /* the verdict is a label */
	double (*of)(const struct stats_ratio *speed);
} of_verdicts[] = {
    {"regime_speed_ratio", OVER ".", false, estimate},
    {"regime_speed_low_ratio", OVER ": lower end of the interval.", false, low},
    {"regime_speed_high_ratio", OVER ": upper end of the interval.", false, high},
    {"regime_verdict_info", "The verdict on a variant in a range of sizes; always 1.", true,
     verdict_one},
};

static const char *word_of(const struct regime *g, unsigned variant)
{
	const struct verdict *v = &g->contrasts[variant].verdict;
	const int beyond = regime_beyond(g, &v->ratio);
	return verdict_word(g->tells     ? v->kind
	                    : beyond > 0 ? VERDICT_FASTER
	                    : beyond < 0 ? VERDICT_SLOWER
	                                 : VERDICT_UNDECIDED);
}

static void put_verdict(const struct model *m, const struct of_verdict *f, const struct regime *g,
                        unsigned variant, FILE *out)
{
	const struct summary_variant *v = &m->analysis->s->variants[variant];
	begin_sample(m, f->name, out);
	label(out, false, "variant", v->name);
	label(out, false, "role", summary_role_name(v->role));
	label(out, false, "regime", g->name);
	label(out, false, "metric", metric_info(g->metric)->name);
	if (f->word)
		label(out, false, "verdict", word_of(g, variant));
	end_sample(out, f->of(&g->contrasts[variant].verdict.ratio));
}

static void put_verdicts(const struct model *m, FILE *out)
{
	const struct regimes *all = &m->analysis->regimes;
	for (size_t i = 0; i < sizeof of_verdicts / sizeof *of_verdicts; i++) {
		const struct of_verdict *f = &of_verdicts[i];
		bool begun = false;
		for (unsigned r = 0; r < all->n; r++)
			for (unsigned v = 0; v < all->list[r].nvariants; v++) {
				const struct contrast *c = &all->list[r].contrasts[v];
				if (c->why.kind || !isfinite(c->verdict.ratio.estimate) ||
				    !isfinite(f->of(&c->verdict.ratio)))
					continue;
				if (!begun)
					begin_family(out, f->name, f->help);
				begun = true;
				put_verdict(m, f, &all->list[r], v, out);
			}
	}
}

void prometheus_write(const struct model *m, FILE *out)
{
	put_run(m, out);
	if (m->analysis->s->trouble.kind)
		return;
	put_cells(m, out);
	put_verdicts(m, out);
}
