/* Errors that a test asks a stand-in for, in an environment variable:
 *
 *   STANDIN_CUDART='cudaMalloc:2:3, kernel:700:1'   STANDIN_NCCL='ncclAllReduce:hang:5'
 *
 * A function, what it answers, and at which of the process's calls of it (0 or nothing: each).
 * The answer is the library's own number, or a word of below. */
#ifndef LAUNCHGAP_STANDIN_INJECT_H
#define LAUNCHGAP_STANDIN_INJECT_H

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INJECT_HANG = -1,  /* what was asked for never ends */
	INJECT_WRONG = -2, /* a byte of what is delivered is another */
	INJECT_LATE = -3,  /* it ends a second late */
};

#define INJECT_ROWS 8

struct inject_row {
	char function[48];
	int answer;
	unsigned nth;
	atomic_uint calls;
};

static inline int inject_answer(const char *word)
{
	return !strcmp(word, "hang")    ? INJECT_HANG
	       : !strcmp(word, "wrong") ? INJECT_WRONG
	       : !strcmp(word, "late")  ? INJECT_LATE
	                                : atoi(word);
}

static inline unsigned inject_parse(const char *text, struct inject_row rows[INJECT_ROWS])
{
	unsigned n = 0;
	for (; text && n < INJECT_ROWS; n++) {
		char word[16] = "";
		if (sscanf(text, " %47[A-Za-z0-9_]:%15[a-z0-9]:%u", rows[n].function, word,
		           &rows[n].nth) < 2)
			break;
		rows[n].answer = inject_answer(word);
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
	return n;
}

/* What `function` is to answer now; 0: the truth. */
static inline int inject_ask(struct inject_row rows[], unsigned n, const char *function)
{
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(rows[i].function, function))
			continue;
		unsigned call = atomic_fetch_add(&rows[i].calls, 1) + 1;
		if (!rows[i].nth || call == rows[i].nth)
			return rows[i].answer;
	}
	return 0;
}

#endif
