/* A chapter's section on a page: its tables and sentences in the chapter's order. */
#ifndef LAUNCHGAP_SECTION_H
#define LAUNCHGAP_SECTION_H

#include "../story/story.h"
#include "page.h"

/* Whether it has anything for people. */
bool section_shows(const struct story_chapter *chapter);
void section_write(struct page *page, const struct story_chapter *chapter);
/* The first page's table: SECTION_STRIP_ROWS rows at most, with bars where its form asks. */
#define SECTION_STRIP_ROWS 6
void section_write_strip(struct page *page, const struct story_chapter *chapter);
/* All sentences of a role in one paragraph, cut if it is too short. */
void section_said(const struct story *story, enum story_role role, char *text, size_t bytes);
/* Of a table or lines that are a file its name, or NULL. */
const char *section_file(const struct story_block *block);
/* Its files, at most this many; returns how many. */
unsigned section_files(const struct story_chapter *chapter, const char **files, unsigned most);
/* Its object in report.json: {"name", "title", "place", "tables": [table_to_json], "sentences":
 * [{"roles": […], "text", "of": [{"table", "rows"}]}]}. The caller owns the reference; NULL if out
 * of memory. */
json_t *section_to_json(const struct story_chapter *chapter);

#endif
