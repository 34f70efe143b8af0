/* The options of nccl-tests' programs (2.19.6, src/common.cu), and the key of ours that each is.
 * One row each: the door for nccl-tests' users (verbs/verb_perf.c) reads them, its help prints
 * them, and suggestions name their keys. */
#pragma once

#include <stddef.h>

struct perf_option {
	char letter; /* 0: a variable of the environment; below ' ': an option of ours */
	const char *name;
	const char *value; /* what stands after it, for help; NULL: nothing */
	const char *usual; /* without it; NULL: it is not set */
	const char *key;   /* ours; NULL: there is none */
	/* The key's values for 0, 1, 2. Without any the value is the key's, or what verb_perf.c
	 * makes of it. */
	const char *words[4];
	const char *help; /* without a key: the sentence that answers it */
};

/* NULL: there are no more. */
const struct perf_option *perf_option_at(size_t i);
/* By its letter, or by its name; NULL: there is none. */
const struct perf_option *perf_option_find(char letter);
const struct perf_option *perf_option_named(const char *name, size_t bytes);

/* A datatype or an operation: our word for nccl-tests' ("float32" for "float"), and its for ours. A
 * word that both have is returned as it is. */
const char *perf_word_ours(const char *theirs);
const char *perf_word_theirs(const char *ours);

/* The collective of a program of nccl-tests: "all_reduce" of "all_reduce_perf"; NULL: it has none
 * of that name. */
const char *perf_program(const char *name);
