/* A gnuplot file as it is written: assignments, arrays and data blocks, no path and no unquoted
 * text. */
#ifndef LAUNCHGAP_SCRIPT_H
#define LAUNCHGAP_SCRIPT_H

#include <stdio.h>

#include "../analysis/plot_order.h"
#include "model.h"
#include "table.h"

#define SCRIPT_TEXT_BYTES 1024

/* The source of all parts of plots/run.gp; all borrowed but the order. */
struct script {
	FILE *out;
	struct arena *arena;
	const struct summary *s;
	struct plot_order order;
	unsigned lines; /* that were written */
	unsigned colls; /* plot_order_collectives */
};

/* `name = value`, or for an array its i-th, from 1. */
void script_put(struct script *script, const char *name, unsigned i, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void script_text(struct script *script, const char *name, unsigned i, const char *text);
/* Never an integer in gnuplot: quotients of its integers are integers too. */
void script_number(struct script *script, const char *name, unsigned i, double x);
/* Arrays of n (at least one, for gnuplot has no empty arrays), each named prefix_word; `words`:
 * separated by blanks. */
void script_arrays(struct script *script, unsigned n, const char *prefix, const char *words);

/* text as a string of gnuplot, quoted: the only way for a text of a record to enter a script.
 * Within single quotes gnuplot knows no escapes, no shell and no variables. A text with such a
 * quote is in double ones, with everything but letters and blanks as octal numbers. Control
 * characters become blanks, and "]]>" is split (table_ends_cdata). Cut to fit, between
 * characters. */
void script_quote(const char *text, char *out, size_t bytes);

#endif
