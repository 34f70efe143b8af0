/* A file of gnuplot's as it is written: assignments, arrays and data blocks, no path and no
 * text that is not quoted. */
#ifndef LAUNCHGAP_SCRIPT_H
#define LAUNCHGAP_SCRIPT_H

#include <stdio.h>

#include "../analysis/plot_order.h"
#include "model.h"
#include "table.h"

#define SCRIPT_TEXT_BYTES 1024

/* What all parts of plots/run.gp are made from; all borrowed but the order. */
struct script {
	FILE *out;
	const struct summary *s;
	const struct regimes *regimes;
	struct plot_order order;
	unsigned lines; /* that were put */
	unsigned colls; /* plot_order_collectives */
};

/* `name = value`, or of an array its i-th, from 1. */
void script_put(struct script *script, const char *name, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void script_text(struct script *script, const char *name, unsigned i, const char *text);
/* Never an integer of gnuplot's, whose quotients are integers too. */
void script_number(struct script *script, const char *name, unsigned i, double x);
/* Arrays of n (one at least, for gnuplot has no empty ones), each named prefix_word; `words`:
 * with blanks between. */
void script_arrays(struct script *script, unsigned n, const char *prefix, const char *words);

/* text as a string of gnuplot, quoted: the one way in which a text that a record names comes
 * into a script. Within single quotes gnuplot knows no escapes, no shell and no variables; a
 * text that has such a quote stands in double ones, all but letters and blanks as octal
 * numbers. Control characters become blanks, and "]]>" is parted (table_ends_cdata). Cut to
 * fit, between characters. */
void script_quote(const char *text, char *out, size_t bytes);

#endif
