/* The report's sections, in the order in which a reader wants them: the answer, whether it can be
 * believed, claims, one picture, what to do; then results, reasons, and the rest. The terminal,
 * Markdown and HTML are written from this one list. */
#ifndef LAUNCHGAP_SECTIONS_H
#define LAUNCHGAP_SECTIONS_H

#include "model.h"
#include "page.h"

/* Writes all sections for which the model has content; on a terminal, unless page->whole, those of
 * a run's end. */
void sections_write(struct page *page, const struct model *model);
/* The first page without its picture: on a Markdown page that is not `whole`. */
void sections_write_summary(struct page *page, const struct model *model);
/* The answer's sentences alone. */
void sections_write_answer(struct page *page, const struct model *model);

#endif
