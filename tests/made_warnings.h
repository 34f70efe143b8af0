/* The output of the chapter of warnings for a made record, without a report. */
#pragma once

#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "made.h"

struct warnings {
	const struct made_loaded *loaded;
	unsigned count;
	char all[32768]; /* a line each, but the doubts */
};

static void warnings_tell(struct arena *arena, void *of)
{
	const char *const chapters[] = {"warnings"};
	struct warnings *w = of;
	const struct story_sentence *told;
	struct story story;
	story_make(figures_load(&w->loaded->run, NULL, arena, WHY), chapters, 1, arena, &story);
	for (; (told = story_said(&story, STORY_WARNING, w->count)); w->count++) {
		assert_true(strlen(w->all) + strlen(told->text) + 2 < sizeof w->all);
		strcat(w->all, told->text);
		strcat(w->all, "\n");
	}
}

/* The next call writes over it. */
static const struct warnings *made_warnings(const struct made *made, bool torn)
{
	static struct warnings w;
	struct made_loaded loaded;
	made_load(made, &loaded);
	loaded.run.torn = torn;
	w = (struct warnings){.loaded = &loaded};
	assert_int_equal(arena_run(warnings_tell, &w, NULL), 0);
	made_unload(&loaded);
	return &w;
}
