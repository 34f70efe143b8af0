#include "findings.h"

#include "bysize.h"

int findings_make(const struct summary *s, const struct cliff *cliffs, unsigned ncliffs,
                  struct findings *out, struct status *st)
{
	*out = (struct findings){.asked = {.nfactors = 0}};
	if (claim_list_take(s->run->environment, &out->asked, st) ||
	    proof_make(s, &out->proof, st))
		return -1;
	for (unsigned i = 0; i < out->asked.nfactors; i++)
		if (factors_judge(s, &out->asked.factors[i], &out->factors[i], st))
			goto fail;
	for (unsigned i = 0; i < out->asked.nclaims; i++)
		if (claims_judge(s, &out->asked.claims[i], &out->claims[i], st))
			goto fail;
	if (versions_make(s, &out->asked.gap, &out->proof, &out->versions, st) ||
	    waterfall_make(s, &out->asked, &out->waterfall, st) ||
	    recommend_make(s, cliffs, ncliffs, &out->recommend, st))
		goto fail;
	return 0;
fail:
	findings_free(out);
	return -1;
}

void findings_free(struct findings *f)
{
	versions_free(&f->versions);
	proof_free(&f->proof);
}

void findings_warn(const struct findings *f, struct warnings *w)
{
	for (unsigned i = 0; i < f->asked.nfactors; i++) {
		const struct factors_result *r = &f->factors[i];
		char ratio[64];
		if (!factors_alarm(r))
			continue;
		bysize_ratio(&r->verdict.ratio, true, ratio, sizeof ratio);
		warnings_add(
		    w,
		    "THE PLACEBO HAS AN EFFECT: factor %s should change nothing, and "
		    "bandwidth of %s is %s times that of %s. Either the setting (%s) "
		    "does something in this library after all, or the run has a bias: "
		    "trust no factor of it before that is known. Run it again with more "
		    "blocks, and look whether the A/A line is off as well.",
		    r->factor->name, r->factor->to, ratio, r->factor->from,
		    r->factor->setting[0] ? r->factor->setting : "not recorded");
	}
}
