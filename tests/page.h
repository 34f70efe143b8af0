/* The pages of a report: its HTML is one file that needs nothing else, and well-formed; the first page is short, and
 * the terminal's fits. A test fails, and check_told exits, with the first place that is wrong. */
#ifndef LAUNCHGAP_TESTS_PAGE_H
#define LAUNCHGAP_TESTS_PAGE_H

#include <jansson.h>

/* How many pictures are in it. */
unsigned page_read(const char *html);
/* All pages in a folder, and what the terminal said, in its file `said`. */
void page_right(const char *folder, const json_t *report);

#endif
