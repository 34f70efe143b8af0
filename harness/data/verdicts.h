/* Contrasts and what they say, as functions of SQL: functions.c adds them. */
#pragma once

#include "../analysis/looks.h"
#include "../arena.h"

struct sqlite3_context;
struct sqlite3_value;

/* One log ratio a block, or two against both trials of the reference; again: NULL, or the other. */
struct verdicts_blocks {
	const double *x, *again;
	const unsigned *blocks; /* ascending */
	unsigned n;
};

/* contrast() of functions.h: JSON, the arena's. */
const char *verdicts_contrast(struct arena *arena, const struct looks *looks,
                              const struct verdicts_blocks *of, double by, double times);

/* pooled(), the same of several runs. */
const char *verdicts_pooled(struct arena *arena, const struct stats_ratio *runs, unsigned n,
                            double by, double times);

/* The others; the last one has no name. */
extern const struct verdicts_function {
	const char *name;
	int arguments;
	void (*one)(struct sqlite3_context *context, int n, struct sqlite3_value **values);
} verdicts_functions[];
