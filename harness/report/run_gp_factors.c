/* The part of plots/run.gp about the factors: what the axis of their picture has to hold. */
#include <math.h>
#include <string.h>

#include "../analysis/words.h"
#include "run_gp.h"

static bool factors_have_latency(const struct factors_result *results, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (factors_judged(&results[i].latency))
			return true;
	return false;
}

void run_gp_grey(FILE *out, const char *picture, double margin, bool intervals)
{
	if (intervals)
		fprintf(out, "%s_grey = 'grey: interval not wholly beyond ±%.3g %%'\n", picture,
		        100 * margin);
	else
		fprintf(out, "%s_grey = 'grey: no interval below 6 blocks'\n", picture);
}

void run_gp_factors(FILE *out, const struct findings *f)
{
	double lo = 1, hi = 1;
	unsigned tested = 0, longest = 0, setting = 0;
	bool intervals = false;
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const struct factors_result *r = &f->factors[i];
		const struct stats_ratio *const both[] = {&r->bandwidth.ratio,
		                                          &r->latency.ratio};
		const struct factor *factor = r->factor;
		if (r->why[0])
			continue;
		tested++;
		for (unsigned k = 0; k < 2; k++) { /* fmin and fmax pass over NaN */
			intervals |= !isnan(both[k]->lo);
			lo = fmin(fmin(lo, both[k]->lo), both[k]->estimate);
			hi = fmax(fmax(hi, both[k]->hi), both[k]->estimate);
		}
		longest = (unsigned)fmax(longest, (double)strlen(factor->name));
		setting = (unsigned)fmax(setting, (double)strlen(factor->setting));
	}
	fprintf(out,
	        "\n# the factors of factors.csv: how many there are and were measured, whether "
	        "latency is judged, the "
	        "least and the most effect, characters of the longest name and setting\n"
	        "factors = %u\nfactors_tested = %u\nfactors_latency = %d\nfactors_lo = "
	        "%.6g\nfactors_hi = %.6g\n"
	        "factors_name = %u\nfactors_setting = %u\n",
	        f->asked.nfactors, tested, factors_have_latency(f->factors, f->asked.nfactors),
	        lo, hi, longest, setting);
	run_gp_grey(out, "factors", f->waterfall.gap.margin, intervals);
}
