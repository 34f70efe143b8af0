/* What the reports said of what was injected, counted. */
#ifndef LAUNCHGAP_OUTCOME_H
#define LAUNCHGAP_OUTCOME_H

#include <stdio.h>

#include "../analysis/regime.h"
#include "injection.h"

/* A report's words for a variant in a regime (regime_verdict_text). LESS: by less than the margin.
 * CANNOT_TELL: the A/A line is too wide for any other word. */
enum word {
	WORD_FASTER,
	WORD_FASTER_LESS,
	WORD_SLOWER,
	WORD_SLOWER_LESS,
	WORD_NO_DIFFERENCE,
	WORD_UNDECIDED,
	WORD_CANNOT_TELL,
	WORDS
};

/* One verdict of one report. Names are borrowed. */
struct outcome {
	const char *backend, *mode;
	enum disturbance disturbance;
	enum regime_kind regime;
	unsigned effect; /* of injection_effects */
	enum word word;
	double slower; /* the report's estimate, 0.03: by 3 %; NaN: it has none */
};

/* The word that a sentence begins with, of a regime that tells or cannot. -1: none of them,
 * with a sentence. */
int outcome_word(const char *text, bool tells, enum word *out, struct status *st);
/* The most of n verdicts that may err, if each does so with 5 %: more come by chance once in a
 * hundred times (binomial). */
unsigned outcome_most(unsigned n);

/* The answer, then a table by what was injected, by backend and mode, by disturbance. True
 * where it is as it should be:
 *   of equal variants, and of those slower by 1, 3 and 10 %, no more than outcome_most verdicts
 *   are wrong; 10 % is found at least once, and never called faster. */
bool outcome_print(const struct outcome *outcomes, unsigned n, FILE *out);
/* A line of CSV for each, below a head. */
void outcome_write(const struct outcome *outcomes, unsigned n, FILE *out);

#endif
