/* A search in an experiment; analysis/candidates.h chooses sets, run/tune.h measures them. */
#pragma once

#include "spec.h"

struct build;
struct plan;

bool search_set_equal(const struct search_set *a, const struct search_set *b);
unsigned search_set_size(const struct search_space *space, const struct search_set *set);
/* Whether a least number is above its greatest, NCCL_MIN_NCHANNELS above NCCL_MAX_NCHANNELS: one of
 * both would do nothing, so that no such set is proposed. */
bool search_set_crosses(const struct search_space *space, const struct search_set *set);

/* Rounds: each value alone, all pairs, twice the best and what they suggest, less one setting. */
#define SEARCH_SCREENS 2
#define SEARCH_NARROWS 2
#define SEARCH_ROUNDS  (SEARCH_SCREENS + SEARCH_NARROWS + 1)
unsigned search_round_most(unsigned round);

/* Sets of one value each, in the order of the space, up to `most`. Returns how many. */
unsigned search_singles(const struct search_space *space, struct search_set *rows, unsigned most);

/* Sets that hold every pair of values of every two keys but the reference's own: a covering array
 * of strength 2, row by row: a pair that is in none yet, and each further one that fits. `losses`:
 * what each value loses alone, a log ≥ 0; INFINITY: it is in no row; NULL: nothing. Beside its
 * first pair a row has only values that lose little together, so that nothing hides it; pairs that
 * lose least come first. Up to `most` rows, the same for the same seed. Returns how many. */
typedef double search_losses[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES];
unsigned search_cover(const struct search_space *space, const search_losses *losses, uint64_t seed,
                      struct search_set *rows, unsigned most);
/* Rows of such an array that a search measures: more than it takes where no value loses much. */
unsigned search_cover_most(const struct search_space *space);

/* --- reading [search] --- */

extern const struct fields search_fields;

int search_apply(struct build *b, unsigned section, struct status *st);
/* -1: a value is not allowed, which reading the file has reported already. */
int search_settings(const struct search_space *space, const struct search_set *set,
                    struct settings *settings, struct status *st);

/* --- planning --- */

/* The spec's search without values that cannot run here, with notes. An error: it takes many trials
 * and has no budget. */
int search_plan(struct plan *plan, struct status *st);
/* The variant of a set, or -1; a new one is "set-7" by its number. */
int search_plan_set(struct plan *plan, const struct search_set *set, struct status *st);
/* How often the finalists are measured: as `blocks` says, and often enough to confirm any. */
unsigned search_blocks(const struct plan *plan);
struct search_trials {
	unsigned screen, narrow, confirm, all; /* narrow: and to drop settings */
};
struct search_trials search_trials(const struct plan *plan);

/* --- the record --- */

json_t *search_space_json(const struct search_space *space);
/* -1: the record's is damaged. */
int search_space_take(const json_t *json, struct search_space *out, struct status *st);
