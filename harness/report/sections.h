/* The report's sections, in the order in which a reader wants them: the answer, whether it can
 * be believed, claims, one picture, what to do; then results, why, and all the rest. The
 * terminal, Markdown and (from Markdown) HTML are written from this one list. */
#ifndef LAUNCHGAP_SECTIONS_H
#define LAUNCHGAP_SECTIONS_H

#include "model.h"
#include "page.h"

enum {
	SECTION_SHORT = 1,    /* on the terminal at a run's end too; all others with -v alone */
	SECTION_PAGE_1 = 2,   /* of the first page of the report */
	SECTION_APPENDIX = 4, /* behind the heading of that name */
};

struct section {
	const char *id, *title;                  /* "": no heading */
	unsigned is;                             /* SECTION_SHORT … */
	bool (*when)(const struct model *model); /* NULL: always */
	void (*write)(struct page *page, const struct model *model);
};

/* The i-th, NULL behind the last. */
const struct section *section_at(unsigned i);

/* Writes all sections that the model has something for; on a terminal, unless page->whole,
 * those of a run's end. */
void sections_write(struct page *page, const struct model *model);

#endif
