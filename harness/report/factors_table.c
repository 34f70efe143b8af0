#include "factors_table.h"

#include <errno.h>
#include <string.h>

#include "bysize.h"
#include "summary_parts.h"

struct table *factors_short(const struct factors_result *results, unsigned n, unsigned *rows)
{
	struct table *table = table_new(3, 3);
	unsigned order[CLAIM_MAX], i = 0;
	factors_order(results, n, order);
	for (; i < n && !results[order[i]].why[0]; i++) {
		const struct factors_result *r = &results[order[i]];
		char text[128];
		table_row(table);
		table_put(table, 0, "  %s", r->factor->name);
		bysize_ratio(&r->verdict.ratio, true, text, sizeof text);
		table_put(table, 1, "%s", text);
		factors_verdict(r, text, sizeof text);
		table_put(table, 2, "%s", text);
	}
	*rows = i;
	return table;
}

static const char *verdict_word(const struct factors_result *r)
{
	static const char *const words[] = {"faster", "slower", "no difference", "undecided"};
	return r->why[0] ? "" : words[r->verdict.kind];
}

static void put_row(FILE *out, unsigned nth, const struct factors_result *r)
{
	const struct factor *f = r->factor;
	fprintf(out, "%u,", nth);
	const char *const texts[] = {f->name, f->setting, f->from, f->to};
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		summary_put_text(out, texts[i]);
	fprintf(out, "%d,", f->placebo);
	summary_put_number(out, r->verdict.ratio.estimate);
	summary_put_number(out, r->verdict.ratio.lo);
	summary_put_number(out, r->verdict.ratio.hi);
	summary_put_text(out, verdict_word(r));
	summary_put_text(out, f->text);
	summary_put_text(out, r->why);
	fprintf(out, "%u,%u,", r->ncells, r->verdict.ratio.blocks);
	summary_put_number(out, r->latency.estimate);
	summary_put_number(out, r->latency.lo);
	summary_put_number(out, r->latency.hi);
	fprintf(out, "%u\n", r->latency.blocks);
}

int factors_write_csv(const struct factors_result *results, unsigned n, const char *file,
                      struct status *st)
{
	unsigned order[CLAIM_MAX];
	FILE *out = fopen(file, "w");
	if (!out)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	fputs("nth,factor,setting,from,to,placebo,effect,effect_lo,effect_hi,verdict,text,"
	      "why,cells,blocks,latency,latency_lo,latency_hi,latency_blocks\n",
	      out);
	factors_order(results, n, order);
	for (unsigned i = 0; i < n; i++)
		put_row(out, i + 1, &results[order[i]]);
	int failed = ferror(out);
	if (fclose(out) || failed)
		return status_set(st, "cannot write %s: %s", file, strerror(errno));
	return 0;
}
