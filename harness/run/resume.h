/* Resuming a run: what it was made with, and whether plan and machine are still the same. */
#ifndef LAUNCHGAP_RESUME_H
#define LAUNCHGAP_RESUME_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "../status.h"

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
