/* The frame of a page that is HTML (page.h): one file with its pictures in it, so that it can be sent and
 * read anywhere: no network, no script. */
#ifndef LAUNCHGAP_HTML_H
#define LAUNCHGAP_HTML_H

#include "page.h"

void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

#endif
