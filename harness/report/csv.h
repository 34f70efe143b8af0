/* Fields of a CSV file, for those that pictures are drawn from. */
#ifndef LAUNCHGAP_CSV_H
#define LAUNCHGAP_CSV_H

#include <stdio.h>

/* A text and its comma, quoted where a reader would take it for something else. */
void summary_put_text(FILE *out, const char *text);
/* A number and its comma; nothing but the comma for NaN. */
void summary_put_number(FILE *out, double x);

#endif
