/* Text from elsewhere within HTML and XML, CSV, gnuplot. */
#ifndef LAUNCHGAP_MARKUP_H
#define LAUNCHGAP_MARKUP_H

#include <stdbool.h>
#include <stdio.h>

/* Of an element or an attribute: escaped, and a blank for what XML 1.0 allows nowhere. UTF-8. */
void markup_escape(FILE *out, const char *text);

/* As a field of CSV: quoted if a reader would misread it, with ' in front if a spreadsheet would take it
 * for a formula; of a data block of gnuplot instead so that its SVG stays XML. */
void markup_csv(FILE *out, const char *text, bool gnuplot);
/* As a string of gnuplot, quoted: the only way for a text of a record to enter a script. Within single
 * quotes gnuplot knows no escapes, no shell and no variables. A text with such a quote is in double ones,
 * with everything but letters and blanks as octal numbers. Control characters become blanks, and "]]>"
 * is split. Cut to fit, between characters. */
void markup_gnuplot(const char *text, char *out, size_t bytes);

#endif
