/* plots/run.gp: what a run holds, as gnuplot's assignments and data. Comments in it say what
 * its names are; no path stands in it, so that it may be moved. */
#ifndef LAUNCHGAP_GNUPLOT_H
#define LAUNCHGAP_GNUPLOT_H

#include "../analysis/drawn.h"

struct model;

/* Beyond so many collectives (each with its datatype, operation and so on) there is none of
 * some pictures: who looks at so many? */
#define GNUPLOT_DETAIL 4u  /* launch, ranks, ecdf, timeline */
#define GNUPLOT_EACH   15u /* any picture of one collective alone */
/* How many the run holds, the limit's own not counted. */
unsigned gnuplot_collectives(const struct summary *summary);

/* Whether there is anything to draw. */
bool gnuplot_drawable(const struct summary *summary);
/* With the tables of summary, ranks, factors and versions as data, columns by name. */
int gnuplot_write(const struct model *model, const struct drawn_order *order, const char *file,
                  struct status *st);

/* text as a string of gnuplot, quoted: the one way in which a text that a record names comes
 * into a script. Within single quotes gnuplot knows no escapes, no shell and no variables; a
 * text that has such a quote stands in double ones, all but letters and blanks as octal
 * numbers. Control characters become blanks. Cut to fit, between characters. */
void gnuplot_quote(const char *text, char *out, size_t bytes);

/* The machine in a line: "8 × NVIDIA H200, Intel Xeon …, 128 cores". */
void gnuplot_machine(const struct summary *summary, char *text, size_t bytes);

#endif
