#include "claims.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "verdict.h"
#include "words.h"

/* What a verdict may err in; the probabilities allow for looks at the run (contrast_p). */
#define ALPHA (1 - VERDICT_CONFIDENCE)

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

enum claims_outcome claims_decide_beyond(const struct stats_ratio *ratio, enum claim_test test,
                                         double by, double line)
{
	struct stats_ratio wide = *ratio;
	unsigned more;
	wide.lo /= 1 + line;
	wide.hi *= 1 + line;
	enum claims_outcome outcome = claims_decide(ratio, test, by, &more);
	bool effect = ratio->lo > 1 + line || ratio->hi * (1 + line) < 1;
	return effect && outcome != CLAIMS_HOLD ? outcome
	                                        : claims_decide(&wide, test, by, &more);
}

bool claims_decided(const struct claims_result *r)
{
	return r->outcome != CLAIMS_UNDECIDED && r->outcome != CLAIMS_UNTESTED;
}

/* The probability that a decision rests on. */
static double p_of(const struct contrast_p *p, enum claim_test test,
                   enum claims_outcome outcome)
{
	double bound = test == CLAIM_LESS ? p->less : p->more;
	if (test == CLAIM_WITHIN)
		return fmax(p->less, p->more);
	return outcome == CLAIMS_LITTLE ? fmax(bound, p->one) : bound;
}

int claims_judge(const struct summary *s, const struct claim *claim, struct claims_result *out,
                 struct status *st)
{
	struct claims_result r = {.claim = claim,
	                          .outcome = CLAIMS_UNTESTED,
	                          .detectable = NAN,
	                          .p = NAN,
	                          .p_adjusted = NAN,
	                          .contrast = contrast_none(0, 0, claim->metric, "")};
	struct contrast *c = &r.contrast;
	if (claim->test == CLAIM_NEEDS)
		snprintf(c->why, sizeof c->why, "it needs %s", claim->needs);
	else
		contrast_obstacle(s, claim->left, claim->right, c->why, sizeof c->why);
	if (!c->why[0])
		contrast_oversubscribed(s, claim->metric, c->why, sizeof c->why);
	if (!c->why[0])
		contrast_few_calls(s, claim->metric, c->why, sizeof c->why);
	if (!c->why[0]) {
		const struct contrast_select select = {.bytes = claim->bytes,
		                                       .pace = claim->pace,
		                                       .coll = claim->coll,
		                                       .by = claim->by};
		if (contrast_make(s, (unsigned)index_variant(s, claim->left),
		                  (unsigned)index_variant(s, claim->right), claim->metric,
		                  &select, c, st))
			return -1;
	}
	if (c->nblocks) {
		r.outcome = claims_decide(&c->ratio, claim->test, claim->by, &r.more_blocks);
		r.detectable = verdict_detectable(&c->ratio, claim->by);
		r.p = p_of(&c->p, claim->test, r.outcome);
	}
	*out = r;
	return 0;
}

int claims_family(struct claims_result *results, unsigned n, const char *primary,
                  struct status *st)
{
	double p[CLAIM_MAX] = {0}, adjusted[CLAIM_MAX];
	for (unsigned i = 0; i < n; i++) {
		results[i].primary = !strcmp(results[i].claim->name, primary);
		p[i] = results[i].primary ? NAN : results[i].p;
	}
	if (stats_holm(p, n, adjusted))
		return status_set(st, "out of memory for the claims");
	for (unsigned i = 0; i < n; i++) {
		struct claims_result *r = &results[i];
		r->p_adjusted = r->primary ? r->p : adjusted[i];
		r->alone = claims_decided(r) && !(r->p_adjusted <= ALPHA);
	}
	return 0;
}

const struct claims_result *claims_primary(const struct claims_result *results, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (results[i].primary && results[i].outcome != CLAIMS_UNTESTED)
			return &results[i];
	return NULL;
}

/* The fewest blocks at which the least probability that there is, 2 ÷ 2^blocks, passes Holm's
 * first step. */
static unsigned blocks_for(unsigned family)
{
	return (unsigned)ceil(log2(2 * family / ALPHA) - 1e-9);
}

/* What a family comes to. */
struct family {
	unsigned n, decided, confirmed;
	unsigned blocks; /* the fewest that one of those rests on that are not confirmed */
};

static struct family family_of(const struct claims_result *results, unsigned n)
{
	struct family f = {.blocks = UINT_MAX};
	for (unsigned i = 0; i < n; i++) {
		const struct claims_result *r = &results[i];
		if (r->primary || isnan(r->p))
			continue;
		f.n++;
		f.decided += claims_decided(r);
		f.confirmed += claims_decided(r) && !r->alone;
		if (r->alone && r->contrast.nblocks < f.blocks)
			f.blocks = r->contrast.nblocks;
	}
	return f;
}

bool claims_family_confirms(const struct claims_result *results, unsigned n)
{
	return family_of(results, n).confirmed > 0;
}

void claims_family_say(const struct claims_result *results, unsigned n, char *text,
                       size_t bytes)
{
	const struct claims_result *primary = claims_primary(results, n);
	const struct family f = family_of(results, n);
	char verdict[VERDICT_TEXT_BYTES];
	text[0] = '\0';
	if (f.n + !!primary < 2)
		return;
	if (primary) {
		claims_verdict(primary, verdict, sizeof verdict);
		words_add(text, bytes, "The primary claim, %s: %s. ", primary->claim->name,
		          verdict);
	}
	words_add(text, bytes,
	          "%u %sclaim%s, %stested at %.2g %%: on average %.2g of them would be called "
	          "wrongly by chance.",
	          f.n, primary ? "further " : "", words_plural(f.n), f.n == 1 ? "" : "each ",
	          100 * ALPHA, f.n * ALPHA);
	if (f.confirmed)
		words_add(text, bytes,
		          " Holm's correction for their number confirms %u of the %u that are "
		          "decided%s.",
		          f.confirmed, f.decided,
		          f.confirmed < f.decided ? "; the others read 'taken alone'" : "");
	else if (f.decided)
		words_add(text, bytes,
		          " Holm's correction for their number confirms none: each verdict is "
		          "taken alone.");
	if (f.blocks < blocks_for(f.n))
		words_add(text, bytes,
		          " To confirm one of so many takes %u blocks at least; the fewest "
		          "trials of a claim are %u.",
		          blocks_for(f.n), f.blocks);
}

void claims_verdict(const struct claims_result *r, char *text, size_t bytes)
{
	static const char *const texts[] = {[CLAIMS_HOLD] = "holds",
	                                    [CLAIMS_FAIL] = "does not hold",
	                                    [CLAIMS_UNTESTED] = "cannot be tested here"};
	int direction = verdict_direction(&r->contrast.ratio);
	const char *word = direction > 0 ? "more" : direction < 0 ? "less" : "";
	const char *alone = r->alone ? " (taken alone)" : "";
	if (r->outcome == CLAIMS_UNDECIDED)
		verdict_undecided_text(word, r->detectable, r->more_blocks, &r->contrast.odd,
		                       text, bytes);
	else if (r->outcome == CLAIMS_LITTLE)
		snprintf(text, bytes, "%s, by under %.3g %%%s", word, 100 * r->claim->by,
		         alone);
	else
		snprintf(text, bytes, "%s%s", texts[r->outcome], alone);
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
	snprintf(text, bytes, "%s", r->primary ? "the primary claim; " : "");
	if (metric_info(r->claim->metric)->whole)
		words_add(text, bytes, "whole trials");
	else
		words_add(text, bytes, "%u cell%s, %s", r->contrast.ncells,
		          words_plural(r->contrast.ncells),
		          words_range(r->contrast.sizes).text);
	words_add(text, bytes, ", %u trial%s of each", r->contrast.ratio.blocks,
	          words_plural(r->contrast.ratio.blocks));
	words_add(text, bytes, "%s%s%s%s", analogue ? "; tested on the host analogue" : "",
	          *paths ? "; " : "", paths, unexpected ? "; NOT on the expected path" : "");
}

static const struct summary_variant *variant_of(const struct summary *s, const char *name)
{
	for (unsigned v = 0; v < s->nvariants; v++)
		if (!strcmp(s->variants[v].name, name))
			return &s->variants[v];
	return NULL;
}

const char *claims_library(const struct summary *s, const struct claim *c)
{
	const struct summary_variant *left = variant_of(s, c->left),
	                             *right = variant_of(s, c->right);
	return left && right && !strcmp(left->library, right->library) ? left->library : "";
}

/* Whether two variants are the same but for the library. */
static bool same_but_library(const struct summary *s, const char *a, const char *b)
{
	const struct summary_variant *x = variant_of(s, a), *y = variant_of(s, b);
	char keys[512];
	if (!x || !y || !x->settings || !y->settings)
		return false;
	struct settings as = *y->settings;
	memcpy(as.nccl, x->settings->nccl, sizeof as.nccl);
	return !settings_differ(x->settings, &as, keys, sizeof keys);
}

static bool same_question(const struct summary *s, const struct claim *a, const struct claim *b)
{
	return a->metric == b->metric && a->test == b->test && a->regime == b->regime &&
	       a->pace == b->pace && a->coll == b->coll && a->bytes.lo == b->bytes.lo &&
	       a->bytes.hi == b->bytes.hi && same_but_library(s, a->left, b->left) &&
	       same_but_library(s, a->right, b->right);
}

/* The first of those that ask the same of one version is paired with the first of the other's. */
int claims_counterpart(const struct summary *s, const struct claims_result *results, unsigned n,
                       unsigned which)
{
	const struct claim *claim = results[which].claim;
	const char *library = claims_library(s, claim);
	unsigned skip = 0;
	for (unsigned i = 0; i < which; i++)
		skip += !strcmp(claims_library(s, results[i].claim), library) &&
		        same_question(s, claim, results[i].claim);
	for (unsigned i = 0; i < n && *library; i++) {
		const char *other = claims_library(s, results[i].claim);
		if (*other && strcmp(other, library) &&
		    same_question(s, claim, results[i].claim) && !skip--)
			return (int)i;
	}
	return -1;
}
