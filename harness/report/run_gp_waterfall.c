/* The part of plots/run.gp about the waterfall: its steps, as they are drawn. */
#include "run_gp.h"

#include <math.h>

static void put_quoted(FILE *out, const char *name, const char *text)
{
	char quoted[2 * WATERFALL_TEXT_BYTES];
	run_gp_quote(text, quoted, sizeof quoted);
	fprintf(out, "%s = %s\n", name, quoted);
}

static void put_text(FILE *out, const char *array, unsigned i, const char *text)
{
	char name[32];
	snprintf(name, sizeof name, "%s[%u]", array, i + 1);
	put_quoted(out, name, text);
}

static void put_number(FILE *out, const char *array, unsigned i, double x)
{
	if (isnan(x))
		fprintf(out, "%s[%u] = NaN\n", array, i + 1);
	else
		fprintf(out, "%s[%u] = %.8g\n", array, i + 1, x);
}

/* What decides on a step's colour: which way it is beyond the margin, if it is. */
static const char *beyond(const struct waterfall_step *step)
{
	enum verdict_kind kind = step->verdict.kind;
	return kind == VERDICT_FASTER ? "faster" : kind == VERDICT_SLOWER ? "slower" : "";
}

void run_gp_waterfall(FILE *out, const struct summary *s, const struct waterfall *w)
{
	static const char *const arrays[] = {"name",   "rest",   "beyond", "lo",   "hi",
	                                     "end_lo", "end_hi", "change", "share"};
	char said[WATERFALL_TEXT_BYTES];
	fprintf(out,
	        "\n# the waterfall: a step each from W_lo to W_hi (GB/s), by its interval from "
	        "W_end_lo to W_end_hi; change and share as they are written\n"
	        "waterfall_steps = %u\n",
	        w->nsteps);
	if (!w->nsteps)
		return;
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		fprintf(out, "array W_%s[%u]\n", arrays[i], w->nsteps);
	put_text(out, "array W_ends[2]\nW_ends", 0, s->variants[w->steps[0].from].name);
	put_text(out, "W_ends", 1, s->variants[w->steps[w->nsteps - 1].to].name);
	fprintf(out, "waterfall_from = %.8g\nwaterfall_to = %.8g\n", w->steps[0].from_gbs,
	        w->steps[w->nsteps - 1].to_gbs);
	fprintf(out, "waterfall_cells = %u\nwaterfall_blocks = %u\n", w->ncells, w->nblocks);
	waterfall_say(w, said, sizeof said);
	put_quoted(out, "waterfall_said", said);
	run_gp_grey(out, "waterfall", w->gap.margin, !isnan(w->gap.ratio.lo));
	for (unsigned i = 0; i < w->nsteps; i++) {
		const struct waterfall_step *step = &w->steps[i];
		char text[64], name[TRIAL_NAME_BYTES + 32];
		snprintf(name, sizeof name, "%s%s", step->rest ? "what is left" : step->name,
		         step->backwards ? ", back" : "");
		put_text(out, "W_name", i, name);
		put_text(out, "W_beyond", i, beyond(step));
		fprintf(out, "W_rest[%u] = %d\nW_lo[%u] = %.8g\nW_hi[%u] = %.8g\n", i + 1,
		        step->rest, i + 1, step->from_gbs, i + 1, step->to_gbs);
		put_number(out, "W_end_lo", i, step->from_gbs * step->verdict.ratio.lo);
		put_number(out, "W_end_hi", i, step->from_gbs * step->verdict.ratio.hi);
		double percent = 100 * expm1(step->log);
		snprintf(text, sizeof text, fabs(percent) < 0.05 ? "0.0 %%" : "%+.1f %%",
		         percent);
		put_text(out, "W_change", i, text);
		text[0] = '\0';
		if (!isnan(step->share))
			snprintf(text, sizeof text, "%.0f %%",
			         round(100 * step->share) + 0.0); /* no -0 */
		put_text(out, "W_share", i, text);
	}
}
