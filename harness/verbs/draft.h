/* A draft of an experiment: answers to three questions, and the file that they make. Answers are checked
 * against the tables of modes, keys, collectives and metrics. Pure, but for files that a value names. */
#ifndef LAUNCHGAP_DRAFT_H
#define LAUNCHGAP_DRAFT_H

#include <limits.h>
#include <stdio.h>

#include "../config/claim.h"

#define DRAFT_VALUES      8
#define DRAFT_ANSWER      1024
#define DRAFT_COLLECTIVES "all_reduce"
#define DRAFT_BYTES       "64K..64M x4"

struct draft_variant {
	char name[TRIAL_NAME_BYTES];
	const char *mode;         /* NULL: the value says it */
	char value[DRAFT_ANSWER]; /* "": the key is not set */
};

struct draft {
	char key[DRAFT_ANSWER];              /* in which variants differ */
	const char *of_key, *of_collectives; /* the backend that knows them; NULL: any */
	unsigned ranks;                      /* that layouts need; 0: any */
	unsigned nvariants;
	struct draft_variant variants[DRAFT_VALUES];
	char collectives[DRAFT_ANSWER], bytes[DRAFT_ANSWER];
	/* What is expected of variants left and right; CLAIM_TESTS: nothing. */
	enum claim_test test;
	unsigned left, right;
	enum metric metric;
	char share[16], text[CLAIM_TEXT_BYTES];
};

/* What question 1 may be answered with, for people. */
void draft_comparisons(void (*use)(const char *form, const char *what));

/* "modes"; "versions"; "KEY=VALUE,VALUE", in this mode ("": one process for each rank; of versions every
 * mode). One VALUE is compared with the default. */
int draft_compare(struct draft *draft, const char *answer, const char *mode, struct status *st);
/* "alltoall, sendrecv" */
int draft_collectives(struct draft *draft, const char *answer, struct status *st);
/* As a file has them; a range without a step gets one. */
int draft_bytes(struct draft *draft, const char *answer, struct status *st);
/* "LEFT slower RIGHT by 5% in latency", after the others; "": nothing. */
int draft_expect(struct draft *draft, const char *answer, struct status *st);
/* The words of such an answer, with commas between. */
void draft_relations(char *out, size_t bytes);
void draft_metrics(char *out, size_t bytes);

/* The file. */
void draft_write(const struct draft *draft, const char *name, FILE *out);

#endif
