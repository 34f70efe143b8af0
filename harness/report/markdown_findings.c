/* The sections with answers: claims and recommendations. */
#include "markdown_parts.h"

#include <math.h>
#include <string.h>

#include "bysize.h"

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
	markdown_cell(out, text);
}

static void put_test(FILE *out, const struct claim *c)
{
	char text[CLAIM_TEXT_BYTES + 16];
	if (c->test == CLAIM_NEEDS)
		snprintf(text, sizeof text, "-");
	else
		snprintf(text, sizeof text, "%s%s %.3g %%", claim_test_name(c->test),
		         c->test == CLAIM_WITHIN ? "" : " by", 100 * c->by);
	markdown_cell(out, text);
}

/* Whether any claim's hint tells the ways of data. */
static bool tells_paths(const struct summary *s, const struct findings *f)
{
	char text[2 * TRIAL_NAME_BYTES + 32] = "";
	for (unsigned i = 0; i < f->asked.nclaims && !text[0]; i++)
		claims_paths(s, &f->evidence, &f->claims[i], text, sizeof text);
	return text[0];
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
	    "*undecided*.%s\n\n| claim | text | test | measured | verdict | on what, or why "
	    "|\n|---|---|---|---|---|---|\n",
	    tells_paths(s, f) ? " Staged, direct: the data path that the evidence has, of "
	                        "large sizes."
	                      : "");
	for (unsigned i = 0; i < f->asked.nclaims; i++) {
		const struct claims_result *r = &f->claims[i];
		char text[CONTRAST_WHY_BYTES];
		markdown_cell(out, r->claim->name);
		markdown_cell(out, r->claim->text);
		put_test(out, r->claim);
		put_measured(out, r);
		claims_verdict(r, text, sizeof text);
		fprintf(out, "| **%s** ", text);
		claims_hint(s, &f->evidence, r, text, sizeof text);
		markdown_cell(out, text);
		fputs("|\n", out);
	}
	fputc('\n', out);
}

void markdown_recommend(FILE *out, const struct summary *s, const struct findings *f)
{
	const struct advice *r = &f->advice;
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
		grid_escape(out, r->text[i]);
		fputc('\n', out);
	}
	if (r->more)
		fprintf(out, "- … and %u more of the same kinds.\n", r->more);
	fputc('\n', out);
}
