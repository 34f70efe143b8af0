#include "aim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analysis/claims.h"
#include "../arena.h"

static bool is_going_on(const bool *given_up, int variant)
{
	return variant >= 0 && !given_up[variant];
}

bool aim_is(const struct aim *aim)
{
	return aim->contrast.ncells;
}

static void at_claim(const struct summary *s, const struct claim_list *asked, const bool *given_up,
                     struct aim *aim)
{
	for (unsigned i = 0; i < asked->nclaims; i++) {
		const struct claim *claim = &asked->claims[i];
		if (strcmp(claim->name, asked->primary) ||
		    !is_going_on(given_up, index_variant(s, claim->left)) ||
		    !is_going_on(given_up, index_variant(s, claim->right)))
			continue;
		aim->contrast = claims_judge(s, claim).contrast;
		aim->regime = claim_regime(claim) == CLAIM_ANY_REGIME
		                  ? REGIME_LARGE
		                  : (enum regime_kind)claim_regime(claim);
		snprintf(aim->name, sizeof aim->name, "claim %s", claim->name);
	}
}

static void at_gap(const struct summary *s, const struct gap *gap, const bool *given_up,
                   struct aim *aim)
{
	const struct contrast_select select = {
	    .bytes = gap->bytes, .pace = PACE_STREAM, .coll = CLAIM_ANY_COLL};
	int from = index_variant(s, gap->from), to = index_variant(s, gap->to);
	if (!is_going_on(given_up, from) || !is_going_on(given_up, to))
		return;
	aim->regime = REGIME_LARGE;
	strcpy(aim->name, "the gap");
	aim->contrast = contrast_make(s, (unsigned)to, (unsigned)from, METRIC_BUSBW, &select);
}

int aim_take(const struct summary *s, const bool *given_up, struct aim *aim, struct status *st)
{
	struct claim_list *asked = ARENA_NEW(s->arena, struct claim_list);
	*aim = (struct aim){
	    .contrast = contrast_none(0, 0, METRIC_BUSBW, (struct reason){.kind = REASON_NONE})};
	if (claim_list_take(s->run->environment, asked, st))
		return -1;
	regimes_settle(s, asked);
	at_claim(s, asked, given_up, aim);
	if (!aim_is(aim))
		at_gap(s, &asked->gap, given_up, aim);
	return 0;
}

bool aim_names(const json_t *environment, char left[TRIAL_NAME_BYTES], char right[TRIAL_NAME_BYTES])
{
	struct claim_list *asked = malloc(sizeof *asked);
	struct status ignored = {""};
	const char *names[2] = {"", ""};
	if (asked && !claim_list_take(environment, asked, &ignored)) {
		names[0] = asked->gap.to;
		names[1] = asked->gap.from;
		for (unsigned i = 0; i < asked->nclaims; i++)
			if (!strcmp(asked->claims[i].name, asked->primary)) {
				names[0] = asked->claims[i].left;
				names[1] = asked->claims[i].right;
			}
	}
	snprintf(left, TRIAL_NAME_BYTES, "%s", names[0]);
	snprintf(right, TRIAL_NAME_BYTES, "%s", names[1]);
	free(asked);
	return left[0] && right[0];
}
