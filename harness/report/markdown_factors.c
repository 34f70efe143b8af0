/* The section about factors: their effects, and the waterfall. */
#include "markdown_parts.h"

#include <math.h>
#include <string.h>

#include "bysize.h"
#include "factors_table.h"

static void put_placebos(FILE *out, const struct findings *f)
{
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const char *alarm = factors_alarm(&f->factors[i]);
		if (!alarm)
			continue;
		fprintf(out,
		        "> **The placebo `%s` has an effect** on %s, where it should have "
		        "none: trust no factor of this run before the cause is known (see "
		        "the warnings).\n\n",
		        f->factors[i].factor->name, alarm);
	}
}

/* Two cells: the ratio, the verdict. */
static void put_verdict(FILE *out, const struct factors_result *r, const struct verdict *v)
{
	char text[256];
	bysize_ratio(&v->ratio, true, text, sizeof text);
	markdown_cell(out, text);
	factors_verdict(r, v, text, sizeof text);
	markdown_cell(out, text);
}

static void put_factor(FILE *out, const struct factors_result *r, bool latency)
{
	const struct factor *f = r->factor;
	char text[2 * TRIAL_NAME_BYTES + 8];
	markdown_cell(out, f->name);
	markdown_cell(out, f->text[0] ? f->text : f->placebo ? "placebo" : "");
	snprintf(text, sizeof text, "%s → %s", f->from, f->to);
	markdown_cell(out, text);
	markdown_cell(out, f->setting);
	bysize_range(r->sizes, text, sizeof text);
	markdown_cell(out, text);
	put_verdict(out, r, &r->bandwidth);
	if (latency)
		put_verdict(out, r, &r->latency);
	fputs("|\n", out);
}

/* Those without an effect, once for each reason. */
static void put_unmeasured(FILE *out, const struct findings *f)
{
	unsigned n = f->asked.nfactors;
	for (unsigned i = 0; i < n; i++) {
		const char *why = f->factors[i].why;
		unsigned first = 0;
		while (strcmp(f->factors[first].why, why))
			first++;
		if (!why[0] || first < i)
			continue;
		fprintf(out, "- Cannot be tested here, ");
		grid_escape(out, why);
		const char *sep = ":";
		for (unsigned k = i; k < n; k++) {
			if (strcmp(f->factors[k].why, why))
				continue;
			fprintf(out, "%s `%s`", sep, f->factors[k].factor->name);
			sep = ",";
		}
		fprintf(out, ".\n");
	}
}

/* What the columns are. */
static void put_legend(FILE *out, const struct summary *s, bool latency)
{
	char why[CONTRAST_WHY_BYTES];
	contrast_oversubscribed(s, METRIC_LATENCY, why, sizeof why);
	fprintf(out, "Each is two variants that differ in one setting. Effect: stream "
	             "bandwidth after ÷ before, one number per block");
	if (latency)
		fprintf(out, "; latency: p50 of isolated calls before ÷ after. Above 1 is "
		             "faster in both");
	fprintf(out, ". ");
	if (why[0] && summary_has_pace(s, PACE_ISOLATED))
		fprintf(out, "Latency is not judged, with %s. ", why);
}

static void put_factors(FILE *out, const struct summary *s, const struct findings *f)
{
	unsigned order[CLAIM_MAX], n = f->asked.nfactors, measured = 0;
	bool latency = factors_have_latency(f->factors, n);
	factors_order(f->factors, n, order);
	while (measured < n && !f->factors[order[measured]].why[0])
		measured++;
	put_legend(out, s, latency);
	if (measured)
		fprintf(out,
		        "The largest first, whichever its direction; margin %.3g %%. All of "
		        "it: [factors.csv](factors.csv).\n\n"
		        "| factor | what | variants | setting | sizes | effect | verdict |%s\n"
		        "|---|---|---|---|---|---|---|%s\n",
		        100 * s->margin, latency ? " latency | verdict of latency |" : "",
		        latency ? "---|---|" : "");
	else
		fprintf(out, "None was measured.\n");
	for (unsigned i = 0; i < measured; i++)
		put_factor(out, &f->factors[order[i]], latency);
	fprintf(out, "\n");
	put_unmeasured(out, f);
	fputs(measured < n ? "\n" : "", out);
}

static void step_verdict(const struct waterfall_step *step, char *text, size_t bytes)
{
	char verdict[96];
	verdict_text(&step->verdict, verdict, sizeof verdict);
	if (step->at_odds)
		snprintf(verdict, sizeof verdict,
		         "undecided, mean and estimate point two ways");
	snprintf(text, bytes, "%s%s", step->rest ? "no factor" : verdict,
	         step->placebo ? ", a placebo" : "");
}

static void put_step(FILE *out, const struct summary *s, const struct waterfall_step *step)
{
	char text[2 * TRIAL_NAME_BYTES + 8];
	snprintf(text, sizeof text, "%s%s", step->rest ? "what is left" : step->name,
	         step->backwards ? " (taken back)" : "");
	markdown_cell(out, text);
	snprintf(text, sizeof text, "%s → %s", s->variants[step->from].name,
	         s->variants[step->to].name);
	markdown_cell(out, text);
	snprintf(text, sizeof text, "%.3g → %.3g", step->from_gbs, step->to_gbs);
	markdown_cell(out, text);
	snprintf(text, sizeof text, "%+.4f", step->log);
	markdown_cell(out, text);
	snprintf(text, sizeof text, "%.3f", exp(step->log));
	markdown_cell(out, text);
	snprintf(text, sizeof text, isnan(step->share) ? "-" : "%.0f %%",
	         round(100 * step->share) + 0.0);
	markdown_cell(out, text);
	step_verdict(step, text, sizeof text);
	markdown_cell(out, text);
	fputs("|\n", out);
}

static void put_waterfall(FILE *out, const struct summary *s, const struct findings *f)
{
	const struct waterfall *w = &f->waterfall;
	char ratio[64], verdict[96], said[WATERFALL_TEXT_BYTES];
	if (!f->asked.gap.from[0])
		return;
	fprintf(out, "### From %s to %s\n\n", f->asked.gap.from, f->asked.gap.to);
	if (!w->nsteps) {
		grid_escape(out, w->why[0] ? w->why : "The gap was not measured");
		fprintf(out, ".\n\n");
		return;
	}
	bysize_ratio(&w->gap.ratio, true, ratio, sizeof ratio);
	verdict_text(&w->gap, verdict, sizeof verdict);
	fprintf(out,
	        "Bandwidth of `%s` is %s times that of `%s` (*%s*; %u cell%s, %u "
	        "block%s). ",
	        f->asked.gap.to, ratio, f->asked.gap.from, verdict, w->ncells,
	        bysize_plural(w->ncells), w->nblocks, bysize_plural(w->nblocks));
	fputs(isnan(w->explained) ? "No shares are given: " : "**", out);
	waterfall_say(w, said, sizeof said);
	grid_escape(out, said);
	fputs(isnan(w->explained) ? "." : ".**", out);
	fprintf(out,
	        "\n\n| step | variants | GB/s | ln | ratio | share of the gap | verdict |\n"
	        "|---|---|---:|---:|---:|---:|---|\n");
	for (unsigned i = 0; i < w->nsteps; i++)
		put_step(out, s, &w->steps[i]);
	fprintf(
	    out,
	    "\nGeometric means over the gap's cells, in the blocks that hold every variant "
	    "on the way; ln: mean over the blocks, which adds up to the gap's %+.4f; ratio: "
	    "e to that. A verdict goes by the Hodges–Lehmann estimate's interval, as above, "
	    "where estimates do not add up. What explains are the steps that are *faster* or "
	    "*slower* and no placebo: shares alone add up to 100 %% whatever they are made "
	    "of.\n\n",
	    w->log);
}

void markdown_factors(FILE *out, const struct summary *s, const struct findings *f)
{
	if (!f->asked.nfactors && !f->asked.gap.from[0])
		return;
	fprintf(out, "## Factors\n\n");
	put_placebos(out, f);
	if (f->asked.nfactors)
		put_factors(out, s, f);
	put_waterfall(out, s, f);
}
