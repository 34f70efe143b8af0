#include "own.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "../sanitize.h"
#include "../story/tell.h"

#define OWN_BYTES (1 << 20) /* of a file */

static int add_file(const char *file, struct db *db, struct story *story, struct status *st)
{
	const char *why = NULL;
	FILE *in = sanitize_stream(file, OWN_BYTES, &why);
	char *text = arena_take(story->arena, OWN_BYTES + 1);
	if (!in)
		return status_set(st, "%s cannot be read: %s", file, why);
	text[fread(text, 1, OWN_BYTES, in)] = '\0';
	fclose(in);
	story_add(story, db, arena_copy(story->arena, file), text);
	return 0;
}

int own_chapters(const char *dir, struct db *db, struct story *story, struct status *st)
{
	glob_t found;
	int rc = 0;
	if (glob(arena_text(story->arena, "%s/*.chapter", dir), 0, NULL, &found))
		return status_set(st, "%s has no file NAME.chapter", dir);
	for (size_t i = 0; !rc && i < found.gl_pathc; i++)
		rc = add_file(found.gl_pathv[i], db, story, st);
	globfree(&found);
	return rc;
}

void own_warn(const char *dir, const struct story *story)
{
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_said(story, STORY_WARNING, i)); i++)
		if (!strncmp(one->text, dir, strlen(dir)))
			status_say("warning: %s", one->text);
}
