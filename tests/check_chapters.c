/* Every chapter on a run without a trial: its form, its queries, and its placeholders. A make that
 * has just linked the program runs it, so that a wrong column ends the build with its file, line
 * and column. */
#include <stdio.h>
#include <string.h>

#include "../harness/chapters/chapters.h"
#include "../harness/chapters/figures.h"
#include "../harness/story/story.h"

static void tell(struct arena *arena, void *of)
{
	unsigned *defects = of, n;
	struct record_run run = {.environment = json_object()};
	struct status st = {""};
	struct story story;
	struct db *db = figures_load(&run, NULL, arena, &st);
	const char *const *all = chapters_all(&n);
	if (!db) {
		fprintf(stderr, "%s\n", st.text);
		++*defects;
		return;
	}
	story_make(db, all, n, arena, &story);
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_said(&story, STORY_WARNING, i)); i++)
		if (strstr(one->text, ".chapter:")) {
			fprintf(stderr, "%s\n", one->text);
			++*defects;
		}
	json_decref(run.environment);
}

int main(void)
{
	unsigned defects = 0;
	struct arena *arena = NULL;
	if (arena_run(tell, &defects, &arena))
		return 1;
	arena_free(arena);
	return defects > 0;
}
