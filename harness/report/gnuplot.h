/* What pictures are drawn from: plots/run.gp, what a run holds as gnuplot's assignments and data,
 * which contains no path, so that it may be moved; ecdf.csv and timeline.csv, single calls
 * (plots.sql). */
#ifndef LAUNCHGAP_GNUPLOT_H
#define LAUNCHGAP_GNUPLOT_H

#include <stddef.h>

struct model;
struct status;

/* With the tables of the chapters that are drawn as data, columns by name. *variants: that are
 * drawn. */
int gnuplot_write(const struct model *model, const char *plots, unsigned *variants,
                  struct status *st);

/* text as a string of gnuplot, quoted: the only way for a text of a record to enter a script.
 * Within single quotes gnuplot knows no escapes, no shell and no variables. A text with such a
 * quote is in double ones, with everything but letters and blanks as octal numbers. Control
 * characters become blanks, and "]]>" is split (table_ends_cdata). Cut to fit, between
 * characters. */
void gnuplot_quote(const char *text, char *out, size_t bytes);

#endif
