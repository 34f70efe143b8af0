/* The sections with answers: factors and their waterfall, claims, recommendations. */
#include "markdown_parts.h"

#include <math.h>
#include <string.h>

#include "bysize.h"

/* A cell of a row that is written as it comes, for it holds sentences. */
static void put(FILE *out, const char *text)
{
	fputs("| ", out);
	table_escape(out, text);
	fputc(' ', out);
}

static void put_placebos(FILE *out, const struct findings *f)
{
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		if (!factors_alarm(&f->factors[i]))
			continue;
		fprintf(out,
		        "> **The placebo `%s` has an effect**, where it should have none: "
		        "trust no factor of this run before the cause is known (see the "
		        "warnings).\n\n",
		        f->factors[i].factor->name);
	}
}

static void put_factor(FILE *out, const struct factors_result *r)
{
	const struct factor *f = r->factor;
	char text[2 * TRIAL_NAME_BYTES + 8];
	put(out, f->name);
	put(out, f->text[0] ? f->text : f->placebo ? "placebo" : "");
	snprintf(text, sizeof text, f->from[0] ? "%s → %s" : "-", f->from, f->to);
	put(out, text);
	put(out, f->setting);
	bysize_ratio(&r->verdict.ratio, true, text, sizeof text);
	put(out, text);
	factors_verdict(r, text, sizeof text);
	put(out, text);
	put(out, r->why);
	fputs("|\n", out);
}

static void put_step(FILE *out, const struct summary *s, const struct waterfall_step *step)
{
	char text[2 * TRIAL_NAME_BYTES + 8];
	snprintf(text, sizeof text, "%s%s", step->rest ? "what is left" : step->name,
	         step->backwards ? " (taken back)" : "");
	put(out, text);
	snprintf(text, sizeof text, "%s → %s", s->variants[step->from].name,
	         s->variants[step->to].name);
	put(out, text);
	snprintf(text, sizeof text, "%.3g → %.3g", step->from_gbs, step->to_gbs);
	put(out, text);
	snprintf(text, sizeof text, "%+.4f", step->log);
	put(out, text);
	bysize_ratio(&step->ratio, true, text, sizeof text);
	put(out, text);
	snprintf(text, sizeof text, isnan(step->share) ? "-" : "%.0f %%",
	         round(100 * step->share) + 0.0);
	put(out, text);
	fputs("|\n", out);
}

static void put_waterfall(FILE *out, const struct summary *s, const struct findings *f)
{
	const struct waterfall *w = &f->waterfall;
	char ratio[64], verdict[96];
	if (!f->asked.gap.from[0])
		return;
	fprintf(out, "### From %s to %s\n\n", f->asked.gap.from, f->asked.gap.to);
	if (!w->nsteps) {
		table_escape(out, w->why[0] ? w->why : "The gap was not measured");
		fprintf(out, ".\n\n");
		return;
	}
	bysize_ratio(&w->gap.ratio, true, ratio, sizeof ratio);
	verdict_text(&w->gap, verdict, sizeof verdict);
	fprintf(out,
	        "Bandwidth of `%s` is %s times that of `%s` (*%s*; %u cells, %u "
	        "blocks). ",
	        f->asked.gap.to, ratio, f->asked.gap.from, verdict, w->ncells, w->nblocks);
	if (isnan(w->explained))
		fprintf(out, "No shares are given: %s.", w->why);
	else
		fprintf(out, "**The factors explain %.0f %% of the gap**, %.0f %% are left.",
		        round(100 * w->explained), round(100 * (1 - w->explained)) + 0.0);
	fprintf(out, "\n\n| step | variants | GB/s | ln | ratio | share of the gap |\n"
	             "|---|---|---:|---:|---:|---:|\n");
	for (unsigned i = 0; i < w->nsteps; i++)
		put_step(out, s, &w->steps[i]);
	fprintf(out,
	        "\nGeometric means over the gap's cells, in the blocks that hold every variant "
	        "on the way; ln: mean over the blocks, which adds up to the gap's %+.4f.\n\n",
	        w->log);
}

void markdown_factors(FILE *out, const struct summary *s, const struct findings *f)
{
	if (!f->asked.nfactors && !f->asked.gap.from[0])
		return;
	fprintf(out, "## Factors\n\n");
	put_placebos(out, f);
	if (f->asked.nfactors)
		fprintf(out,
		        "Each is two variants that differ in one setting. Effect: stream "
		        "bandwidth after ÷ before, one number per block; margin %.3g %%.\n\n"
		        "| factor | what | variants | setting | effect | verdict | why |\n"
		        "|---|---|---|---|---|---|---|\n",
		        100 * s->margin);
	for (unsigned i = 0; i < f->asked.nfactors; i++)
		put_factor(out, &f->factors[i]);
	fputs(f->asked.nfactors ? "\n" : "", out);
	put_waterfall(out, s, f);
}

/* "left ÷ right of busbw: 0.94 (0.93 to 0.95), 318 and 338 GB/s" */
static void put_measured(FILE *out, const struct claims_result *r)
{
	char ratio[64], left[32], right[32], text[512] = "-";
	const struct metric_info *metric = metric_info(r->claim->metric);
	double scale = !strcmp(metric->unit, "µs") ? 1e-3 : 1; /* times are in ns */
	bysize_ratio(&r->ratio, true, ratio, sizeof ratio);
	bysize_number(r->left * scale, left, sizeof left);
	bysize_number(r->right * scale, right, sizeof right);
	if (r->outcome != CLAIMS_UNTESTED)
		snprintf(text, sizeof text, "%s ÷ %s, %s: %s; %s and %s%s%s", r->claim->left,
		         r->claim->right, metric->summary, ratio, left, right,
		         *metric->unit ? " " : "", metric->unit);
	put(out, text);
}

static void put_test(FILE *out, const struct claim *c)
{
	char text[CLAIM_TEXT_BYTES + 16];
	if (c->test == CLAIM_NEEDS)
		snprintf(text, sizeof text, "-");
	else
		snprintf(text, sizeof text, "%s%s %.3g %%", claim_test_name(c->test),
		         c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
	put(out, text);
}

void markdown_claims(FILE *out, const struct summary *s, const struct findings *f)
{
	if (!f->asked.nclaims)
		return;
	fprintf(
	    out,
	    "## Claims\n\nEach rests on one number per block: the geometric mean of left ÷ "
	    "right over its cells. It *holds* when the whole 95 %% interval is beyond what "
	    "it says, *does not hold* when all of it is short of that, else it is "
	    "*undecided*.\n\n| claim | text | test | measured | verdict | on what, or why |\n"
	    "|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *r = &f->claims[i];
		char text[PAIRS_WHY_BYTES];
		put(out, r->claim->name);
		put(out, r->claim->text);
		put_test(out, r->claim);
		put_measured(out, r);
		claims_verdict(r, text, sizeof text);
		fprintf(out, "| **%s** ", text);
		claims_hint(s, r, text, sizeof text);
		put(out, text);
		fputs("|\n", out);
	}
	fputc('\n', out);
}

void markdown_recommend(FILE *out, const struct summary *s, const struct findings *f)
{
	const struct recommend *r = &f->recommend;
	const char *backend =
	    json_string_value(json_object_get(s->run->environment, "backend"));
	fprintf(out, "## Recommendations\n\n");
	if (!r->count) {
		fprintf(out, "None: of no two variants that differ in one setting does the "
		             "interval say so.\n\n");
		return;
	}
	fprintf(out, "Each for this machine and the figures that it names%s.\n\n",
	        backend && !strcmp(backend, "nccl")
	            ? ""
	            : "; it is not about GPUs, which were not measured");
	for (unsigned i = 0; i < r->count; i++) {
		fprintf(out, "- ");
		table_escape(out, r->text[i]);
		fputc('\n', out);
	}
	if (r->more)
		fprintf(out, "- … and %u more of the same kinds.\n", r->more);
	fputc('\n', out);
}
