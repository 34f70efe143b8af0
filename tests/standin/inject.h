/* Errors that a test asks a stand-in for, in an environment variable: *
 * STANDIN_CUDART='cudaMalloc:2:3, kernel:700:1' STANDIN_NCCL='ncclAllReduce:hang:5' * A function,
 * what it answers, and at which of the process's calls of it (0 or nothing: each). The answer is
 * the library's own number, or a word of below. Where STANDIN_CALLS names a file, the process
 * writes there at its end how often each was called ("cudaMalloc 4")and what it left. */
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	INJECT_HANG = -1,  /* the call or work never ends */
	INJECT_WRONG = -2, /* a byte of the delivered data is wrong */
	INJECT_LATE = -3,  /* it ends a second late */
};

#define INJECT_ROWS 8
#define INJECT_MOST 96

struct inject {
	pthread_mutex_t lock;
	unsigned nrows, ncalls;
	struct {
		char function[48];
		int answer;
		unsigned nth;
	} rows[INJECT_ROWS];
	struct {
		const char *function;
		unsigned n;
	} calls[INJECT_MOST];
};

static inline int inject_answer(const char *word)
{
	return !strcmp(word, "hang")    ? INJECT_HANG
	       : !strcmp(word, "wrong") ? INJECT_WRONG
	       : !strcmp(word, "late")  ? INJECT_LATE
	                                : atoi(word);
}

static inline void inject_read(struct inject *in, const char *text)
{
	pthread_mutex_init(&in->lock, NULL);
	for (; text && in->nrows < INJECT_ROWS; in->nrows++) {
		char word[16] = "";
		if (sscanf(text, " %47[A-Za-z0-9_]:%15[a-z0-9]:%u", in->rows[in->nrows].function,
		           word, &in->rows[in->nrows].nth) < 2)
			break;
		in->rows[in->nrows].answer = inject_answer(word);
		text = strchr(text, ',');
		text = text ? text + 1 : NULL;
	}
}

/* Which call of the function this is; from 1 on. */
static inline unsigned inject_count(struct inject *in, const char *function)
{
	unsigned i = 0, call = 0;
	pthread_mutex_lock(&in->lock);
	while (i < in->ncalls && strcmp(in->calls[i].function, function))
		i++;
	if (i == in->ncalls && i < INJECT_MOST)
		in->calls[in->ncalls++].function = function;
	if (i < INJECT_MOST)
		call = ++in->calls[i].n;
	pthread_mutex_unlock(&in->lock);
	return call;
}

/* The answer that `function`, a literal, is to give now; 0: the true one. */
static inline int inject_ask(struct inject *in, const char *function)
{
	unsigned call = inject_count(in, function);
	for (unsigned i = 0; i < in->nrows; i++)
		if (!strcmp(in->rows[i].function, function) &&
		    (!in->rows[i].nth || call == in->rows[i].nth))
			return in->rows[i].answer;
	return 0;
}

static inline void inject_write(struct inject *in, const char *what_is_left, int left)
{
	const char *name = getenv("STANDIN_CALLS");
	FILE *f = name ? fopen(name, "ae") : NULL;
	if (!f)
		return;
	for (unsigned i = 0; i < in->ncalls; i++)
		fprintf(f, "%s %u\n", in->calls[i].function, in->calls[i].n);
	if (left)
		fprintf(f, "left:%s %d\n", what_is_left, left);
	fclose(f);
}
