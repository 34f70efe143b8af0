/* Going on with a run that is there: what it was made with, and whether this is the same. */
#ifndef LAUNCHGAP_RESUME_H
#define LAUNCHGAP_RESUME_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "../status.h"

struct resume {
	json_t *environment; /* the caller's reference */
	json_t
	    *paths; /* of variants whose path it has, whether as expected; the caller's too */
	unsigned first_block; /* behind the whole blocks that the run has */
	unsigned begun;       /* trials that it has of that block */
	uint64_t seed;
};

/* Whether the path of a variant is there. */
bool resume_has_path(const struct resume *resume, const char *variant);
/* Whether it is there and not the one that the variant expects. */
bool resume_is_unexpected(const struct resume *resume, const char *variant);
int resume_read(const char *folder, struct resume *out, struct status *st);
/* Whether the plan and the machine of two environments are the same; -1 with what is not. */
int resume_same(const json_t *before, const json_t *now, struct status *st);

#endif
