#include "model.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "../chapters/chapters.h"
#include "../chapters/figures.h"
#include "../chapters/run.h"
#include "../sanitize.h"

static void forget(void *run)
{
	record_free(run);
}

struct model *model_read(struct arena *arena, const char *dir, struct status *st)
{
	struct model *m = ARENA_NEW(arena, struct model);
	if (record_load(dir, &m->run, st))
		return NULL;
	arena_defer(arena, forget, &m->run);
	m->arena = arena;
	m->db = figures_load(&m->run, NULL, arena, st);
	return m->db ? m : NULL;
}

/* What all of the report judges. */
static int count(struct model *m, struct status *st)
{
	static const struct db_source query = {
	    .file = "harness/report/model.c",
	    .sql = "SELECT verdicts, intervals, blocks, measured, margin, ifnull(reference, ''), "
	           "trouble FROM judged_in_all, given"};
	struct db_rows *rows = db_ask(m->db, &query, st);
	while (rows && db_next(rows)) {
		m->verdicts = (unsigned)db_real(rows, 0);
		m->intervals = (unsigned)db_real(rows, 1);
		m->blocks = (unsigned)db_real(rows, 2);
		m->measured = db_real(rows, 3) > 0;
		m->margin = db_real(rows, 4);
		m->reference = arena_copy(m->arena, db_text(rows, 5));
		m->trouble = db_text(rows, 6) ? arena_copy(m->arena, db_text(rows, 6)) : NULL;
	}
	return rows ? db_end(rows, st) : -1;
}

/* --- chapters of a person's own --- */

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

static int own_chapters(const char *dir, struct db *db, struct story *story, struct status *st)
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

void model_say_defects(const struct story *story)
{
	const struct story_sentence *one;
	for (unsigned i = 0; (one = story_said(story, STORY_WARNING, i)); i++)
		if (strstr(one->text, ".chapter:"))
			status_say("warning: %s", one->text);
}

struct model *model_make(struct arena *arena, const char *dir, const char *own, struct status *st)
{
	struct model *m = model_read(arena, dir, st);
	unsigned n;
	if (!m || count(m, st))
		return NULL;
	const char *const *all = chapters_all(&n);
	story_make(m->db, all, n, arena, &m->story);
	if (own && own_chapters(own, m->db, &m->story, st))
		return NULL;
	story_choose_lead(&m->story, run_text(&m->run, "leads"));
	return m;
}

int model_ask(const struct model *m, const char *table, const char *query, const char *file,
              struct status *st)
{
	const struct db_source source = {file, query, 1, 0};
	db_drop(m->db);
	return db_keep(m->db, table, &source, st) || db_run_text(m->db, file, st) ? -1 : 0;
}

const char *model_warning(const struct model *m, unsigned i)
{
	const struct story_sentence *told;
	for (unsigned k = 0; (told = story_said(&m->story, STORY_DOUBT, k)); k++)
		if (!i--)
			return told->text;
	if (m->drawn.warning[0] && !i--)
		return m->drawn.warning;
	told = story_said(&m->story, STORY_WARNING, i);
	return told ? told->text : NULL;
}

const char *model_caption(const struct model *m, const struct model_picture *picture)
{
	static const struct db_source query = {.file = "harness/report/model.c",
	                                       .sql = "SELECT doubt FROM regime"};
	struct status ignored = {""};
	struct db_rows *rows = picture->caption[0] ? db_ask(m->db, &query, &ignored) : NULL;
	bool repeats = false;
	while (rows && db_next(rows))
		repeats |= !strncmp(db_text(rows, 0), picture->caption, strlen(picture->caption));
	if (rows)
		db_end(rows, &ignored);
	if (repeats)
		return picture->title;
	return picture->caption[0] ? picture->caption : picture->title;
}
