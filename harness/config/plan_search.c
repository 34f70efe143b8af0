#include "plan_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan_variants.h"
#include "searched.h"

int plan_search_add(struct plan *plan, const struct plan_machine *machine,
                    const struct search_set *set, unsigned number, struct status *st)
{
	struct settings settings = plan_reference(plan)->settings;
	char name[TRIAL_NAME_BYTES];
	if (plan->nvariants == PLAN_MAX_VARIANTS)
		return status_set(st, "the search has more than %d sets", SEARCH_MAX_SETS);
	snprintf(name, sizeof name, "set-%u", number);
	if (searched_settings(&plan->search, set, &settings, st))
		return -1;
	return plan_variants_add(plan, name, "search", &settings, NULL, machine, st);
}

/* Drops values that cannot run here, each with the sentence why. */
static int search_values_here(struct plan *plan, const struct plan_machine *machine,
                              struct status *st)
{
	struct search_space left = {.finalists = plan->search.finalists};
	for (unsigned k = 0; k < plan->search.nkeys; k++) {
		const struct search_key *key = &plan->search.keys[k];
		struct search_key *to = &left.keys[left.nkeys];
		*to = *key;
		to->nvalues = 1;
		for (unsigned v = 1; v < key->nvalues; v++) {
			struct search_set set = {{0}};
			set.level[k] = (unsigned char)v;
			if (plan_search_add(plan, machine, &set, 0, st))
				return -1;
			const char *why = plan->variants[--plan->nvariants].skip;
			if (why[0])
				plan_note(plan, "not searched: %s = %s: %.200s", key->key,
				          key->values[v], why);
			else
				strcpy(to->values[to->nvalues++], key->values[v]);
		}
		left.nkeys += to->nvalues > 1;
	}
	plan->search = left;
	return 0;
}

unsigned plan_search_blocks(const struct plan *plan)
{
	unsigned least = search_confirm_blocks(plan->search.finalists * plan->ncells);
	return plan->spec->blocks > least ? plan->spec->blocks : least;
}

unsigned plan_search_trials(const struct plan *plan, unsigned *screen, unsigned *narrow,
                            unsigned *confirm)
{
	struct search_set *rows = malloc(SEARCH_MAX_SETS * sizeof *rows);
	unsigned here = 0;
	for (unsigned v = 0; v < plan->nvariants; v++)
		here += !plan->variants[v].skip[0] && strcmp(plan->variants[v].role, "search");
	*screen = *narrow = 0;
	for (unsigned i = 0; i < SEARCH_SCREENS && rows; i++)
		*screen += 2 + search_cover(&plan->search, NULL, plan->seed + i, rows,
		                            SEARCH_MAX_SETS);
	for (unsigned i = 0; i < SEARCH_NARROWS; i++)
		*narrow += 2 + search_narrow_most(i);
	*confirm = plan_search_blocks(plan) * (here + plan->search.finalists);
	free(rows);
	return *screen + *narrow + *confirm;
}

int plan_search_make(struct plan *plan, const struct plan_machine *machine, struct status *st)
{
	const struct spec *spec = plan->spec;
	unsigned screen, narrow, confirm;
	plan->search = spec->search;
	if (!spec->search.nkeys)
		return 0;
	if (search_values_here(plan, machine, st))
		return -1;
	if (!plan->search.nkeys)
		return status_set(st, "%s:%u: nothing of the search can run here: %s",
		                  spec_file(spec, spec->search.at), spec->search.at.line,
		                  plan->nnotes ? plan->notes[plan->nnotes - 1] : "");
	unsigned all = plan_search_trials(plan, &screen, &narrow, &confirm);
	if (plan_search_blocks(plan) > spec->blocks)
		plan_note(
		    plan,
		    "the confirmation has %u blocks in place of %u: with fewer nothing passes "
		    "the correction for %u finalist%s in %u cells",
		    plan_search_blocks(plan), spec->blocks, plan->search.finalists,
		    plan->search.finalists == 1 ? "" : "s", plan->ncells);
	if (all <= SEARCH_FREE_TRIALS || spec->search.budget_said)
		return 0;
	return status_set(
	    st,
	    "%s:%u: the search takes about %u trials (%u to screen %u settings, %u to "
	    "narrow down, %u to confirm); allowed are %d, fewer values, or budget = "
	    "TIME that it may take",
	    spec_file(spec, spec->search.at), spec->search.at.line, all, screen,
	    plan->search.nkeys, narrow, confirm, SEARCH_FREE_TRIALS);
}
