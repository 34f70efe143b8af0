/* The space of a search, as a section of an experiment file says it:
 *
 *   [search]
 *   finalists = 3
 *   nccl.env.NCCL_BUFFSIZE = 8388608, 16777216
 *   register = local
 *
 * A key is one of a variant; its values stand with commas between, and the reference's own
 * comes first by itself ("default" names it). A set is one value of each key, given to the
 * reference. Pure. Errors read `file:line: …`. */
#ifndef LAUNCHGAP_SEARCH_SPACE_H
#define LAUNCHGAP_SEARCH_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "../trial/settings.h"
#include "text.h"

#define SEARCH_MAX_KEYS      16
#define SEARCH_MAX_VALUES    9 /* of a key, with the reference's own */
#define SEARCH_VALUE_BYTES   48
#define SEARCH_MAX_SETS      192 /* in a run */
#define SEARCH_MAX_FINALISTS 6
#define SEARCH_FREE_TRIALS   200 /* a search of more asks for a budget */

struct search_key {
	char key[TRIAL_NAME_BYTES];
	struct text_place at;
	unsigned nvalues;
	char values[SEARCH_MAX_VALUES]
	           [SEARCH_VALUE_BYTES]; /* the first is the reference's: "" */
};

struct search_space {
	unsigned nkeys; /* 0: the experiment searches nothing */
	struct search_key keys[SEARCH_MAX_KEYS];
	unsigned finalists;   /* that are confirmed, at most */
	bool budget_said;     /* the experiment says what it may take */
	struct text_place at; /* of the section; line 0: there is none */
};

/* One value of each key, by its place in the key's list. */
struct search_set {
	unsigned char level[SEARCH_MAX_KEYS];
};

bool search_set_equal(const struct search_set *a, const struct search_set *b);
/* How many settings are not the reference's. */
unsigned search_set_size(const struct search_space *space, const struct search_set *set);
/* "NCCL_BUFFSIZE = 16777216, register = local"; "default" where nothing differs. */
void search_set_text(const struct search_space *space, const struct search_set *set, char *text,
                     size_t bytes);

/* The rounds of a search (analysis/search.h): covering arrays, then fewer and fewer sets. */
#define SEARCH_SCREENS 2
#define SEARCH_NARROWS 4
#define SEARCH_ROUNDS  (SEARCH_SCREENS + SEARCH_NARROWS)
/* How many sets the nth round behind the screens measures. */
unsigned search_narrow_most(unsigned nth);
/* Blocks from which n tests can be confirmed at all: below, even the least probability that a
 * signed-rank test of so many has does not pass Holm's correction at 5 %. */
unsigned search_confirm_blocks(unsigned ntests);

/* Sets that hold every pair of values of every two keys at least once: a covering array of
 * strength 2, made row by row, each the best of several drawn (Cohen, Dalal, Fredman and
 * Patton, The AETG system, 1997). Its size grows with the product of the two longest lists and
 * the logarithm of the number of keys. Fills up to `most` rows, the same for the same seed,
 * without the reference's own and without values that are set aside (NULL: none); how many. */
typedef bool search_aside[SEARCH_MAX_KEYS][SEARCH_MAX_VALUES];
unsigned search_cover(const struct search_space *space, const search_aside *aside,
                      uint64_t seed, struct search_set *rows, unsigned most);

/* {"keys": [{"key", "values"}], "finalists"}; NULL when memory is out. */
json_t *search_space_json(const struct search_space *space);
/* -1: the record's is damaged. */
int search_space_take(const json_t *json, struct search_space *out, struct status *st);

#endif
