#include "factors_table.h"

#include "bysize.h"
#include "output.h"
#include "csv.h"

static void put_short(struct grid *table, unsigned column, const struct verdict *v)
{
	char text[64];
	bysize_ratio(&v->ratio, false, text, sizeof text);
	grid_put(table, column, "%s%s%s", text, factors_judged(v) ? ", " : "",
	          factors_word(v));
}

bool factors_have_latency(const struct factors_result *results, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (factors_judged(&results[i].latency))
			return true;
	return false;
}

struct grid *factors_short(const struct factors_result *results, unsigned n, unsigned *rows)
{
	bool both = factors_have_latency(results, n);
	struct grid *table = grid_new(2 + both, 2 + both);
	unsigned order[CLAIM_MAX], i = 0;
	grid_row(table);
	grid_put(table, 0, "  factor");
	grid_put(table, 1, "bandwidth");
	grid_put(table, 2, "latency");
	factors_order(results, n, order);
	for (; i < n && !results[order[i]].why[0]; i++) {
		const struct factors_result *r = &results[order[i]];
		grid_row(table);
		grid_put(table, 0, "  %s", r->factor->name);
		put_short(table, 1, &r->bandwidth);
		put_short(table, 2, &r->latency);
	}
	*rows = i;
	return table;
}

static void put_ratio(FILE *out, const struct stats_ratio *ratio)
{
	summary_put_number(out, ratio->estimate);
	summary_put_number(out, ratio->lo);
	summary_put_number(out, ratio->hi);
}

static void put_row(FILE *out, unsigned nth, const struct factors_result *r)
{
	const struct factor *f = r->factor;
	fprintf(out, "%u,", nth);
	const char *const texts[] = {f->name, f->setting, f->from, f->to};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		summary_put_text(out, texts[i]);
	fprintf(out, "%d,", f->placebo);
	put_ratio(out, &r->bandwidth.ratio);
	summary_put_text(out, factors_word(&r->bandwidth));
	summary_put_text(out, f->text);
	summary_put_text(out, r->why);
	fprintf(out, "%u,%u,", r->ncells, r->bandwidth.ratio.blocks);
	put_ratio(out, &r->latency.ratio);
	summary_put_text(out, factors_word(&r->latency));
	fprintf(out, "%u\n", r->latency.ratio.blocks);
}

int factors_write_csv(const struct factors_result *results, unsigned n, const char *file,
                      struct status *st)
{
	unsigned order[CLAIM_MAX];
	FILE *out = output_open(file, st);
	if (!out)
		return -1;
	fputs("nth,factor,setting,from,to,placebo,effect,effect_lo,effect_hi,verdict,text,"
	      "why,cells,blocks,latency,latency_lo,latency_hi,latency_verdict,latency_blocks\n",
	      out);
	factors_order(results, n, order);
	for (unsigned i = 0; i < n; i++)
		put_row(out, i + 1, &results[order[i]]);
	return output_close(out, file, st);
}
