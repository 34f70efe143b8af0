/* The first line of a record: what its run was made with, and whether plan and machine are still the
 * same when it is resumed. */
#ifndef LAUNCHGAP_DESCRIBE_H
#define LAUNCHGAP_DESCRIBE_H

#include <jansson.h>

#include "../config/plan.h"

/* The fields of results/README.md without schema and kind. The caller owns
 * the reference; NULL: out of memory. */
json_t *describe_run(const struct plan *plan, int argc, char *const argv[], const char *commit);

json_t *describe_variant(const struct plan_variant *variant);

struct resume {
	json_t *environment;  /* the caller's reference */
	json_t *paths;        /* by variant: whether its path is as expected; the caller's too */
	unsigned first_block; /* the one after the whole blocks that the run has */
	unsigned begun;       /* trials that it has of that block */
	uint64_t seed;
};

int resume_read(const char *folder, struct resume *out, struct status *st);
/* 0 if plan and machine of two environments are the same; -1 with what differs. */
int resume_same(const json_t *before, const json_t *now, struct status *st);

#endif
