/* Text from elsewhere within HTML and XML. */
#ifndef LAUNCHGAP_MARKUP_H
#define LAUNCHGAP_MARKUP_H

#include <stdio.h>

/* Of an element or an attribute: escaped, and a blank for what XML 1.0 allows nowhere. UTF-8. */
void markup_escape(FILE *out, const char *text);

#endif
