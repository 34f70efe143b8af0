/* What chapters tell that are texts of a test. */
#ifndef LAUNCHGAP_TESTS_STORIED_H
#define LAUNCHGAP_TESTS_STORIED_H

#include "../harness/story/tell.h"
#include "scratch.h"
#include "test.h"

/* In scratch's arena. */
static inline struct story *stories_of(unsigned n, const char *const *chapters)
{
	struct story *story = ARENA_NEW(scratch(), struct story);
	struct db *db = db_open(scratch());
	const struct story_sentence *wrong;
	story_make(db, NULL, 0, scratch(), story);
	for (unsigned i = 0; i < n; i++)
		story_add(story, db, "chapter", chapters[i]);
	if ((wrong = story_said(story, STORY_WARNING, 0)))
		fail_msg("%s", wrong->text);
	return story;
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

#endif
