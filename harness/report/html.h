/* The report as one HTML file: made from its Markdown by cmark-gfm, with its pictures in it, so
 * that it can be sent and read anywhere: no network, no script. */
#ifndef LAUNCHGAP_HTML_H
#define LAUNCHGAP_HTML_H

#include <stdio.h>

#include "../status.h"

/* Writes the page of `markdown` to `out`. Pictures that it names, plots/NAME.png, are taken from
 * `dir`, as SVG if there is one. -1 only if out of memory. */
int html_write(const char *markdown, const char *dir, const char *title, FILE *out,
               struct status *st);

#endif
