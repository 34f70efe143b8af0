/* The terminal's page at a run's end: as many sections as have room on it, so that its top is still
 * seen. Those of least use go first, and are named. */
#ifndef LAUNCHGAP_SHORT_PAGE_H
#define LAUNCHGAP_SHORT_PAGE_H

#include "page.h"

#define SHORT_PAGE_LINES 60 /* with the two that name the report's files */

/* How much a section is missed: more than those above it. */
enum short_page_use {
	SHORT_PAGE_LEAST,
	SHORT_PAGE_SOME,
	SHORT_PAGE_MUCH,
	SHORT_PAGE_MOST, /* goes last */
	SHORT_PAGE_ALWAYS
};

struct short_page;
/* Has the page's sections kept, from here on. Their memory is the page's arena. */
void short_page_begin(struct page *page);
/* What is written from here on is a section's. Nothing on another page. */
void short_page_mark(struct page *page, const char *title, enum short_page_use use);
/* Writes those that have room to where the page began. */
void short_page_end(struct page *page);

#endif
