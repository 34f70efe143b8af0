/* What chapters tell that are texts of a test. */
#pragma once

#include "../harness/story/story.h"
#include "scratch.h"
#include "test.h"

/* In scratch's arena; one that is wrong warns. */
static inline struct story *stories_made(unsigned n, const char *const *chapters)
{
	struct story *story = ARENA_NEW(scratch(), struct story);
	struct db *db = db_open(scratch());
	story_make(db, NULL, 0, scratch(), story);
	for (unsigned i = 0; i < n; i++)
		story_add(story, db, "x.chapter", chapters[i]);
	return story;
}

/* What is wrong with a chapter; NULL: nothing. */
static inline const char *story_warning(const char *chapter)
{
	const struct story_sentence *wrong =
	    story_said(stories_made(1, &chapter), STORY_WARNING, 0);
	return wrong ? wrong->text : NULL;
}

static inline struct story *stories_of(unsigned n, const char *const *chapters)
{
	for (unsigned i = 0; i < n; i++)
		if (story_warning(chapters[i]))
			fail_msg("%s", story_warning(chapters[i]));
	return stories_made(n, chapters);
}

static inline struct story *story_of(const char *chapter)
{
	return stories_of(1, &chapter);
}

/* The table t, "t | its columns and query". */
static inline const struct story_table *table_of(const char *table)
{
	return story_find_table(story_of(test_text("chapter c | C\ntable %s", table)), "t");
}
