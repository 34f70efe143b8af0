/* What pictures are drawn from: plots/run.gp, what a run holds as gnuplot's assignments and data, which
 * contains no path, so that it may be moved; ecdf.csv and timeline.csv, single calls (plots.sql). */
#ifndef LAUNCHGAP_GNUPLOT_H
#define LAUNCHGAP_GNUPLOT_H

#include <stddef.h>

struct model;
struct status;

/* With the tables of the chapters that are drawn as data, columns by name. *variants: that are drawn. */
int gnuplot_write(const struct model *model, const char *plots, unsigned *variants,
                  struct status *st);

/* Curves that are equal within the tolerance become one line: curve i joins the first line if its
 * ratio to all of the line's curves is within it at each size. values: positive, of curve i
 * at size k at [i * nsizes + k], NaN where it has none; a size that only one of two has
 * distinguishes them. line: n of them, from 0 in the order of each line's first curve. Returns how
 * many lines. */
unsigned gnuplot_merge(const double *values, unsigned n, unsigned nsizes, double tolerance,
                       unsigned *line);

/* text as a string of gnuplot, quoted: the only way for a text of a record to enter a script.
 * Within single quotes gnuplot knows no escapes, no shell and no variables. A text with such a
 * quote is in double ones, with everything but letters and blanks as octal numbers. Control
 * characters become blanks, and "]]>" is split (table_ends_cdata). Cut to fit, between
 * characters. */
void gnuplot_quote(const char *text, char *out, size_t bytes);

#endif
