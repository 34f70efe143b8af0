/* Facts of the run, and words for them that several chapters need. */
#pragma once

#include "../arena.h"
#include "../record/record.h"

/* A text from the run's first line, "" if it is missing; a whole number from it, or 0. */
const char *run_text(const struct record_run *run, const char *key);
long long run_number(const struct record_run *run, const char *key);
/* A variant by its name, or nvariants. */
unsigned run_variant(const struct record_run *run, const char *name);
/* Whether so many ranks are more than the machine has cores: waiting yields, and latencies are the
 * scheduler's. */
bool run_shares_cores(const struct record_run *run, unsigned nranks);
/* The machine in a line: "8 × NVIDIA H200, Intel Xeon …, 128 cores". */
const char *run_machine(const struct record_run *run, struct arena *arena);
/* What is wrong with the data; NULL: nothing. */
const char *run_trouble(const struct record_run *run, struct arena *arena);
