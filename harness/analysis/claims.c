#include "claims.h"

#include <math.h>
#include <string.h>

#include "verdict.h"
#include "words.h"

static enum claims_outcome decide(double lo, double hi, double edge, bool above)
{
	if (above ? lo > edge : hi < edge)
		return CLAIMS_HOLD;
	return (above ? hi < edge : lo > edge) ? CLAIMS_FAIL : CLAIMS_UNDECIDED;
}

enum claims_outcome claims_decide(const struct stats_ratio *ratio, enum claim_test test,
                                  double by, unsigned *more_blocks)
{
	double lo = log(ratio->lo), hi = log(ratio->hi), at = log(ratio->estimate);
	double edge = test == CLAIM_LESS ? log1p(-by) : log1p(by);
	double reach = fabs(at - edge);
	enum claims_outcome outcome = CLAIMS_UNDECIDED;
	if (test == CLAIM_WITHIN)
		reach = fabs(fabs(at) - edge);
	if (isnan(lo) || isnan(hi))
		outcome = CLAIMS_UNDECIDED;
	else if (test != CLAIM_WITHIN)
		outcome = decide(lo, hi, edge, test == CLAIM_MORE);
	else if (lo >= -edge && hi <= edge)
		outcome = CLAIMS_HOLD;
	else if (lo > edge || hi < -edge)
		outcome = CLAIMS_FAIL;
	*more_blocks = outcome == CLAIMS_UNDECIDED ? verdict_more_blocks(ratio, reach) : 0;
	return outcome;
}

/* Why a claim cannot be tested, before looking at figures; "" when it can. */
static void obstacle(const struct summary *s, const struct claim *c, char *why, size_t bytes)
{
	why[0] = '\0';
	if (c->test == CLAIM_NEEDS) {
		snprintf(why, bytes, "it needs %s", c->needs);
		return;
	}
	pairs_absent(s, c->left, why, bytes);
	if (!why[0])
		pairs_absent(s, c->right, why, bytes);
	if (why[0])
		return;
	if (s->trouble[0])
		snprintf(why, bytes, "the variants did not do the same work");
	else
		pairs_crowded(s, c->metric, why, bytes);
}

int claims_judge(const struct summary *s, const struct claim *claim, struct claims_result *out,
                 struct status *st)
{
	struct claims_result r = {.claim = claim,
	                          .outcome = CLAIMS_UNTESTED,
	                          .ratio = stats_ratio_of_logs(NULL, 0, VERDICT_CONFIDENCE),
	                          .left = NAN,
	                          .right = NAN};
	obstacle(s, claim, r.why, sizeof r.why);
	if (!r.why[0]) {
		const struct pairs_select select = {claim->bytes, claim->pace, claim->coll};
		const unsigned variants[] = {(unsigned)pairs_variant(s, claim->left),
		                             (unsigned)pairs_variant(s, claim->right)};
		struct pairs p;
		if (pairs_make(s, claim->metric, &select, variants, 2, &p, st))
			return -1;
		memcpy(r.why, p.why, sizeof r.why);
		r.ncells = p.ncells;
		r.sizes = p.sizes;
		r.ratio = pairs_ratio(&p, 0, 1);
		if (p.nblocks) {
			r.left = exp(pairs_level(&p, 0));
			r.right = exp(pairs_level(&p, 1));
			r.outcome =
			    claims_decide(&r.ratio, claim->test, claim->by, &r.more_blocks);
		}
		pairs_free(&p);
	}
	*out = r;
	return 0;
}

void claims_verdict(const struct claims_result *r, char *text, size_t bytes)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	struct verdict v = {.kind = VERDICT_UNDECIDED, .more_blocks = r->more_blocks};
	if (r->outcome == CLAIMS_UNDECIDED)
		verdict_text(&v, text, bytes);
	else
		snprintf(text, bytes, "%s", texts[r->outcome]);
}

bool claims_elsewhere(const struct claims_result *r)
{
	return r->claim->test == CLAIM_NEEDS &&
	       !strncmp(r->claim->needs, CLAIM_NEEDS_BACKEND, sizeof CLAIM_NEEDS_BACKEND - 1);
}

/* "staged" or "direct"; NULL where the variant's way is not known. */
static const char *way_of(const struct summary *s, const struct proof *proof, const char *name)
{
	int v = pairs_variant(s, name);
	const char *way = v < 0 ? "" : proof->paths[v].data_path;
	return !strcmp(way, "staged") || !strcmp(way, "direct") ? way : NULL;
}

void claims_paths(const struct summary *s, const struct proof *proof,
                  const struct claims_result *r, char *text, size_t bytes)
{
	const struct claim *c = r->claim;
	text[0] = '\0';
	if (r->outcome == CLAIMS_UNTESTED || !metric_info(c->metric)->data_path)
		return;
	const char *left = way_of(s, proof, c->left), *right = way_of(s, proof, c->right);
	if (left && right && !strcmp(left, right))
		snprintf(text, bytes, "both %s", left);
	else if (left && right)
		snprintf(text, bytes, "%s %s, %s %s", c->left, left, c->right, right);
}

/* One more part of a hint, as far as there is room. */
static void hint_add(char *text, size_t bytes, const char *more)
{
	size_t used = strlen(text);
	if (*more)
		snprintf(text + used, bytes - used, "; %s", more);
}

void claims_hint(const struct summary *s, const struct proof *proof,
                 const struct claims_result *r, char *text, size_t bytes)
{
	const char *backend =
	    json_string_value(json_object_get(s->run->environment, "backend"));
	bool analogue = backend && !strcmp(backend, "host");
	bool astray = pairs_astray(s, r->claim->left) || pairs_astray(s, r->claim->right);
	if (r->outcome == CLAIMS_UNTESTED) {
		snprintf(text, bytes, "%s", r->why);
		return;
	}
	char sizes[80], paths[2 * TRIAL_NAME_BYTES + 32];
	words_range(r->sizes, sizes, sizeof sizes);
	claims_paths(s, proof, r, paths, sizeof paths);
	snprintf(text, bytes, "%u cell%s, %s, %u block%s", r->ncells, words_plural(r->ncells),
	         sizes, r->ratio.blocks, words_plural(r->ratio.blocks));
	hint_add(text, bytes, analogue ? "tested on the host analogue" : "");
	hint_add(text, bytes, paths);
	hint_add(text, bytes, astray ? "NOT on the expected path" : "");
}
