/* Several runs of one experiment as one: what each found, how much they differ, and what they find
 * together (analysis/pooled.h). What differs between machines, boots and pairs of GPUs is in that
 * interval, and in no run's own. */
#pragma once

#include "compared.h"

/* Reads the runs of t->paths and combines them (combined.sql, combine.chapter). -1 with the
 * sentence: a run cannot be read, two are the same one, or they are of different experiments,
 * backends or numbers of ranks. */
int combine_runs(struct compared *t, double margin, struct status *st);
