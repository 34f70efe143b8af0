#include "claims.h"

#include <math.h>
#include <string.h>

#include "verdict.h"
#include "words.h"

/* Of less by, from the logs of an interval; of more by, turned round. */
static enum claims_outcome decide_less(double lo, double hi, double edge)
{
	if (hi < -edge)
		return CLAIMS_HOLD;
	if (!(lo > -edge))
		return CLAIMS_UNDECIDED;
	return hi < 0 ? CLAIMS_LITTLE : CLAIMS_FAIL;
}

static enum claims_outcome decide_within(double lo, double hi, double edge)
{
	if (lo > -edge && hi < edge)
		return CLAIMS_HOLD;
	return lo > edge || hi < -edge ? CLAIMS_FAIL : CLAIMS_UNDECIDED;
}

enum claims_outcome claims_decide(const struct stats_ratio *ratio, enum claim_test test,
                                  double by, unsigned *more_blocks)
{
	double lo = log(ratio->lo), hi = log(ratio->hi), at = log(ratio->estimate);
	double edge = log1p(by), reach = fabs(fabs(at) - edge);
	enum claims_outcome outcome = CLAIMS_UNDECIDED;
	if (test != CLAIM_WITHIN)
		reach = fabs(at - (test == CLAIM_LESS ? -edge : edge));
	if (!isnan(lo) && !isnan(hi))
		outcome = test == CLAIM_WITHIN ? decide_within(lo, hi, edge)
		          : test == CLAIM_LESS ? decide_less(lo, hi, edge)
		                               : decide_less(-hi, -lo, edge);
	*more_blocks = outcome == CLAIMS_UNDECIDED ? verdict_more_blocks(ratio, reach) : 0;
	return outcome;
}

bool claims_decided(const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED && r->outcome != CLAIMS_UNTESTED;
}

int claims_judge(const struct summary *s, const struct claim *claim, struct claims_result *out,
                 struct status *st)
{
	struct claims_result r = {.claim = claim,
	                          .outcome = CLAIMS_UNTESTED,
	                          .detectable = NAN,
	                          .contrast = contrast_none(0, 0, claim->metric, "")};
	struct contrast *c = &r.contrast;
	if (claim->test == CLAIM_NEEDS)
		snprintf(c->why, sizeof c->why, "it needs %s", claim->needs);
	else
		contrast_obstacle(s, claim->left, claim->right, c->why, sizeof c->why);
	if (!c->why[0])
		contrast_oversubscribed(s, claim->metric, c->why, sizeof c->why);
	if (!c->why[0]) {
		const struct contrast_select select = {
		    .bytes = claim->bytes, .pace = claim->pace, .coll = claim->coll};
		if (contrast_make(s, (unsigned)index_variant(s, claim->left),
		                  (unsigned)index_variant(s, claim->right), claim->metric,
		                  &select, c, st))
			return -1;
	}
	if (c->nblocks) {
		r.outcome = claims_decide(&c->ratio, claim->test, claim->by, &r.more_blocks);
		r.detectable = verdict_detectable(&c->ratio, claim->by);
	}
	*out = r;
	return 0;
}

void claims_verdict(const struct claims_result *r, char *text, size_t bytes)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	int direction = verdict_direction(&r->contrast.ratio);
	const char *word = direction > 0 ? "more" : direction < 0 ? "less" : "";
	if (r->outcome == CLAIMS_UNDECIDED)
		verdict_undecided_text(word, r->detectable, r->more_blocks, text, bytes);
	else if (r->outcome == CLAIMS_LITTLE)
		snprintf(text, bytes, "%s, by under %.3g %%", word, 100 * r->claim->by);
	else
		snprintf(text, bytes, "%s", texts[r->outcome]);
}

bool claims_elsewhere(const struct claims_result *r)
{
	return r->claim->test == CLAIM_NEEDS &&
	       !strncmp(r->claim->needs, CLAIM_NEEDS_BACKEND, sizeof CLAIM_NEEDS_BACKEND - 1);
}

/* "staged" or "direct"; NULL where the variant's way is not known. */
static const char *way_of(const struct summary *s, const struct evidence *evidence,
                          const char *name)
{
	int v = index_variant(s, name);
	const char *way = v < 0 ? "" : evidence->paths[v].data_path;
	return !strcmp(way, "staged") || !strcmp(way, "direct") ? way : NULL;
}

/* The ways that the data of its two variants takes, of large sizes, where both are known and
 * what it is about goes by them: "both staged", "a staged, b direct"; else "". */
static void paths_say(const struct summary *s, const struct evidence *evidence,
                      const struct claims_result *r, char *text, size_t bytes)
{
	const struct claim *c = r->claim;
	text[0] = '\0';
	if (r->outcome == CLAIMS_UNTESTED || !metric_info(c->metric)->data_path)
		return;
	const char *left = way_of(s, evidence, c->left), *right = way_of(s, evidence, c->right);
	if (left && right && !strcmp(left, right))
		snprintf(text, bytes, "both %s", left);
	else if (left && right)
		snprintf(text, bytes, "%s %s, %s %s", c->left, left, c->right, right);
}

void claims_hint(const struct summary *s, const struct evidence *evidence,
                 const struct claims_result *r, char *text, size_t bytes)
{
	bool analogue = record_traits(s->run, NULL)->analogue;
	bool unexpected = contrast_unexpected(s, r->claim->left, r->claim->right);
	if (r->outcome == CLAIMS_UNTESTED) {
		snprintf(text, bytes, "%s", r->contrast.why);
		return;
	}
	char paths[2 * TRIAL_NAME_BYTES + 32];
	paths_say(s, evidence, r, paths, sizeof paths);
	snprintf(text, bytes, "%u cell%s, %s, %u block%s", r->contrast.ncells,
	         words_plural(r->contrast.ncells), words_range(r->contrast.sizes).text,
	         r->contrast.ratio.blocks, words_plural(r->contrast.ratio.blocks));
	words_add(text, bytes, "%s%s%s%s", analogue ? "; tested on the host analogue" : "",
	          *paths ? "; " : "", paths, unexpected ? "; NOT on the expected path" : "");
}
