/* The factors on stdout, in short. Their verdicts in full are in report.md. */
#include <string.h>

#include "factors_table.h"
#include "report_parts.h"

/* What is true of a row as a whole; NULL: nothing. */
typedef const char *remark(const struct factors_result *result);

static const char *alarming(const struct factors_result *r)
{
	return factors_alarm(r) ? "THE PLACEBO HAS AN EFFECT" : NULL;
}

static const char *proper(const struct factors_result *r)
{
	return factors_proper(r) ? "as a placebo should be" : NULL;
}

static const char *astray(const struct factors_result *r)
{
	return r->astray && !r->why[0] ? "NOT on the expected path" : NULL;
}

/* "placebo, placebo-of-this-library: as a placebo should be" */
static void print_remark(const struct findings *f, const unsigned *order, unsigned rows,
                         remark *of)
{
	char names[CLAIM_MAX * (TRIAL_NAME_BYTES + 2)] = "";
	const char *said = NULL;
	for (unsigned i = 0; i < rows; i++) {
		const struct factors_result *r = &f->factors[order[i]];
		if (!of(r))
			continue;
		said = of(r);
		status_list(names, sizeof names, r->factor->name);
	}
	if (!said)
		return;
	char text[sizeof names + 64];
	snprintf(text, sizeof text, "%s: %s", names, said);
	print_wrapped("  ", text);
}

void print_factors(const struct summary *s, const struct findings *f)
{
	static remark *const remarks[] = {alarming, proper, astray};
	unsigned n = f->asked.nfactors, rows, order[CLAIM_MAX];
	struct grid *table = factors_short(f->factors, n, &rows);
	char why[CONTRAST_WHY_BYTES];
	contrast_oversubscribed(s, METRIC_LATENCY, why, sizeof why);
	if (rows) {
		printf("factors: bandwidth after ÷ before%s; margin %.3g %%:\n",
		       factors_have_latency(f->factors, n)
		           ? ", latency before ÷ after (above 1 is faster)"
		           : "",
		       100 * s->margin);
		grid_text(table, stdout, PRINT_WIDTH);
		factors_order(f->factors, n, order);
		for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++)
			print_remark(f, order, rows, remarks[i]);
		if (why[0] && summary_has_pace(s, PACE_ISOLATED))
			print_wrapped("  latency is not judged: ", "more ranks than cores");
		if (rows < n)
			printf("  and %u that cannot be tested here; why is in the report\n",
			       n - rows);
		printf("\n");
	}
	grid_free(table);
}
